/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cc.h - source text to device code and programs, by way of clang.
 */
#ifndef SW_CC_CC_H
#define SW_CC_CC_H
#include <stdio.h>

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

#endif
