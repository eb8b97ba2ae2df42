/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nvrtc.h - NVRTC to itself: programs, and what options make of them.
 *
 * clang compiles (cc/cc.h), as a process; this library reads options as NVRTC
 * does, keeps results and says messages in NVRTC's form. It needs no context
 * and no device.
 */
#ifndef SW_NVRTC_H
#define SW_NVRTC_H
#define SW_LIB_ENTRIES "lib/nvrtc/entries.def"
#include "lib/common/entries.h"

#include "base/base.h"
#include "cc/cc.h"
#include "cuda/nvrtc.h"

/* What the options of one compilation ask for. All text is in the arena. */
typedef struct {
    sw_arena *arena;
    sw_vec args;    /* const char *: options of `softwarp cc` */
    int cuda;       /* the version of the library */
    uint32_t arch;  /* 90 */
    char variant;   /* 'a', 'f' or 0 */
    bool is_real;   /* sm_90: a cubin, too */
    bool wants_lto; /* LTO-IR and no PTX */
    bool creates_pch;
    bool is_debug;
    bool leaves_folder;        /* of the source's name: it is not searched */
    const char *max_registers; /* a number, or NULL */
} nvrtc_options;

/*
 * NVRTC_ERROR_INVALID_OPTION, and *log says which; names outlive the options.
 * `cuda` is the version of the library: 11, 12, 13.
 */
nvrtcResult nvrtc_options_read(nvrtc_options *o, int count,
                               const char *const *options, int cuda,
                               sw_buf *log);

/* Architectures that the library of a version knows; their number. */
size_t nvrtc_archs(int cuda, const int **out);

/*
 * What clang has said in `text`, in the form in which NVRTC says it: "name(3):
 * error: ...", and the number of errors of the source `name`. Programs look for
 * names of headers that were not found.
 */
void nvrtc_log_add(sw_str text, const char *name, sw_buf *out);

/* program.c: who compiles; NULL after saying why there is nobody. */
typedef struct {
    __typeof__(&sw_cc_compile) compile;
    __typeof__(&sw_cc_result_finish) finish;
} nvrtc_compiler;
const nvrtc_compiler *nvrtc_get_compiler(void);

#endif
