/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pass.h - one run of `softwarp cc`: its state, and the steps that it is made
 * of. Functions that return int return an exit status, 0 for success; they have
 * said what went wrong. All text lives in the arena of the run's options.
 */
#ifndef SW_CC_PASS_H
#define SW_CC_PASS_H
#include "cc/cc.h"
#include "cc/cc_private.h"

/* One run of the command. */
typedef struct {
    const sw_cc_host *host;
    cc_options options;
    cc_clang clang;
    const char *dialect; /* the plugin for this clang, or NULL */
    const char *include_dir;
    const char *library_dir;
    bool wants_openmp;
    cc_openmp openmp;     /* if it is wanted */
    cc_cccl cccl;         /* what the sources so far want of it */
    const char *temp_dir; /* NULL until needed */
    int temp_lock;
    unsigned copies; /* of sources, made by copy_path */
    sw_vec objects;  /* what goes to the linker, in order */
    unsigned unit;   /* number of the input, for names of temporaries */
} cc_run;

typedef enum {
    FILE_CUDA,
    FILE_CXX,
    FILE_C,
    FILE_ASSEMBLY,
    FILE_OBJECT
} cc_file_kind;

/* ---- pass.c ---- */

bool cc_is_file(const char *path);
/* "dir/name.cu" -> "name" + suffix, where files go that nobody named. */
char *cc_base_with(cc_run *run, const char *path, const char *suffix);
/* A path for a temporary named after `input`; NULL after a message. */
const char *cc_temp_path(cc_run *run, const char *input, const char *suffix);
void cc_remove_temporaries(cc_run *run);
/* Different for any two objects of a program, the same every time. */
uint64_t cc_unit_id(const cc_run *run, const char *input);
/* Has clang name statics of `input` that the host knows, on both sides. */
void cc_add_unit_id(const cc_run *run, cc_command *command, const char *input);
bool cc_has_host_warnings(const cc_run *run);
/* Our headers, and what -Xcompiler -fopenmp needs. */
void cc_add_headers(const cc_run *run, cc_command *command);
/* Whose version of CUDA our headers are. */
void cc_add_version(const cc_options *o, cc_command *command);
/* What each command that reads a .cu begins with. */
void cc_add_cuda_common(cc_run *run, cc_command *command);
/* Runs what reads `input`, with compiled headers if possible; `suffix` is for
 * their temporary file, `deps` as in cc_headers_run. */
int cc_run_cuda(cc_run *run, cc_command *command, const char *input,
                const char *suffix, const char *deps);
/* Has clang read this source as nvcc does; `marker` is a file that tells of
 * launches in device code, or NULL. */
void cc_add_dialect(const cc_run *run, cc_command *command, const char *marker);

/* ---- the steps ---- */

/* pass_device.c: `input` for one architecture to PTX in `output`; messages are
 * those of the `first` one. */
int cc_compile_device(cc_run *run, const char *input, cc_arch arch, bool first,
                      const char *output);
/* All architectures of `input` to a fat binary in `output`. */
int cc_compile_fatbin(cc_run *run, const char *input, const char *output);
/* pass_host.c: both sides of a .cu to `object`. */
int cc_compile_cuda(cc_run *run, const char *input, const char *object);
/* .cpp, .c and .s: the same compiler, no device code. */
int cc_compile_plain(cc_run *run, const char *input, cc_file_kind kind,
                     const char *object);
/* -E, -M and -MM: the host side's view, to the output or stdout. */
int cc_preprocess(cc_run *run, const char *input, cc_file_kind kind);
/* link.c: what was compiled and given to a program. */
int cc_link_program(cc_run *run);
/* -dlink: nothing is linked before the program runs, but builds want a file;
 * with it in the program the linker takes device code from archives. */
int cc_link_device(cc_run *run);

/* -lib: an archive of what was compiled. */
int cc_make_library(cc_run *run);
/* -run: runs the program; its exit status. */
int cc_run_program(cc_run *run);

#endif
