/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc.h - source text to device code and programs, by way of clang: for the
 * command `softwarp cc`, and as libsoftwarp-cc.so.0 for API libraries that
 * compile while a program runs. These load it when it is first needed, so that
 * programs without such calls have none of it.
 */
#ifndef SW_CC_CC_H
#define SW_CC_CC_H
#include <stdio.h>

#include "base/base.h"

/* What the command `softwarp cc` lends to one run of it. */
typedef struct {
    FILE *out; /* takes the help and the version */
    /* Says what each kernel of a file of PTX takes of a device of compute
     * capability `cc` (times ten). max_registers: a number, or NULL. */
    void (*say_kernels)(const char *path, int cc, const char *max_registers);
} sw_cc_host;

/*
 * The command: argv[1..] are nvcc's options and files. Messages go to standard
 * error. Returns the exit status. The caller is a program of its own: the run
 * ignores its signals while a compiler works, and uses its working directory.
 */
int sw_cc_main(int argc, char **argv, const sw_cc_host *host);

/* ---- for programs that go on running ---- */

/* A file that the source may include by "name" and <name>. */
typedef struct {
    const char *name; /* relative, with no ".." in it */
    sw_str text;
} sw_cc_header;

typedef struct {
    const char *name; /* of the source, for messages and the PTX's lines */
    sw_str source;    /* CUDA C++ */
    const sw_cc_header *headers;
    size_t header_count;
    const char *const *options; /* as nvcc spells them */
    size_t option_count;
    /* Kernels, variables of the device and cases of their templates, as the
     * source would name them: made, if they are templates, and their names in
     * the PTX told. */
    const char *const *expressions;
    size_t expression_count;
    uint32_t timeout_ms; /* 0: none */
} sw_cc_request;

typedef struct {
    sw_buf ptx;     /* empty unless SW_OK */
    sw_buf log;     /* what the compiler says, by the names of the request */
    char **lowered; /* a name for each expression; NULL unless SW_OK */
    size_t lowered_count;
} sw_cc_result;

/*
 * Compiles to PTX. SW_OK; SW_E_INVALID_SOURCE: the source has an error or an
 * option is unknown; SW_E_TIMEOUT; SW_E_JIT_COMPILER_NOT_FOUND: clang or our
 * headers are missing; SW_E_OPERATING_SYSTEM: no temporary files; SW_E_INVAL: a
 * header's name. The log says which. *result is the caller's,
 * sw_cc_result_finish, whatever is returned.
 *
 * Any thread, any number at once. Nothing of the process is changed: no
 * signals, no environment, no working directory; relative paths in options are
 * by that. Compilers inherit no descriptor, and end when the calling thread
 * does. Temporary files of a process that was killed are removed by the next
 * one.
 */
sw_status sw_cc_compile(const sw_cc_request *request, sw_cc_result *result);
void sw_cc_result_finish(sw_cc_result *result);

#endif
