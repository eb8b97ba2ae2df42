/* SPDX-License-Identifier: Apache-2.0 */
/* opencl_private.h - the parts of opencl.h's implementation to each other. */
#ifndef SW_CC_OPENCL_PRIVATE_H
#define SW_CC_OPENCL_PRIVATE_H
#include "cc/cc_private.h"
#include "cc/opencl.h"

/* What the options of one call say. Text is in the arena. */
typedef struct {
    sw_arena *arena;
    sw_vec compile;        /* char *: for clang when it compiles */
    const char *standard;  /* of -cl-std, "CL1.2"; NULL: not given */
    const char *registers; /* of -cl-nv-maxrregcount */
    bool is_library;       /* -create-library */
    bool not_optimized, contracted, flushed, fast, verbose;
} cl_options;

/* False after saying (cc_fail, SW_E_INVAL) which option is wrong, and how. */
bool cl_options_read(cl_options *options, sw_arena *arena, const char *text,
                     int steps);
void cl_options_finish(cl_options *options);

/*
 * opencl_facts.c: comments about the kernels of a program, LLVM's text and
 * the PTX that was made of it, added to *out.
 */
void cl_write_facts(sw_str text, sw_str ptx, const cl_options *options,
                    sw_buf *out);

/* Whether the program, LLVM's text, may take for granted that groups of all its
 * launches are of one size. */
bool cl_is_uniform(sw_str text);

/* Functions that are `inline` only: by the rules of C the body is for inlining
 * and another unit has the function, but no other has. Each unit keeps its own,
 * and in linked programs they are one. */
void cl_ir_keep_inline(sw_str text, sw_buf *out);
/*
 * opencl_ir.c: LLVM's text of a whole program as it is to be optimised, added
 * to *out: printf is the engine's, and kernels that are called become parts of
 * their callers.
 */
void cl_ir_prepare(sw_str text, sw_buf *out);
/* Whether there are vectors of elements of 8 or 16 bits. */
bool cl_ir_has_small_vectors(sw_str text);
/* Optimised text, added to *out, without what clang 19 makes wrong code of
 * where there are such vectors. */
void cl_ir_expand_vectors(sw_str text, sw_buf *out);

/* opencl_spirv.c: whether the object is SPIR-V, in either byte order. */
bool cl_is_spirv(const sw_cl_object *object);
/* The translator of SPIR-V to code that a clang of that version reads; NULL:
 * none is installed. In the arena. */
const char *cl_find_translator(sw_arena *arena, unsigned clang_version);
/* LLVM's text that such a translator has made, added to *out as clang would
 * have made it for our devices. */
void cl_spirv_adapt(sw_str text, sw_buf *out);

/*
 * opencl_builtins.c: the files, char * in the arena, of built-in functions that
 * a program, LLVM's text, is to be linked with, in this order. False after a
 * message.
 */
bool cl_find_builtins(sw_arena *arena, const char *folder, sw_str program,
                      sw_vec *paths);

#endif
