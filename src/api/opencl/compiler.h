/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compiler.h - libsoftwarp-cc.so.0, loaded when a program first needs it, so
 * that those with nothing to compile have none of it. Any thread.
 */
#ifndef SW_API_OPENCL_COMPILER_H
#define SW_API_OPENCL_COMPILER_H
#include "cc/opencl.h"

typedef struct {
    __typeof__(&sw_cl_compile) compile;
    __typeof__(&sw_cl_link) link;
    __typeof__(&sw_cl_build) build;
    __typeof__(&sw_cl_check_options) check_options;
    __typeof__(&sw_cl_makes_library) makes_library;
    __typeof__(&sw_cl_read_facts) read_facts;
    __typeof__(&sw_cl_takes_spirv) takes_spirv;
} sw_ocl_compiler;

/* NULL: it is not there, which has been said. */
const sw_ocl_compiler *sw_ocl_get_compiler(void);

/* Whether programs may be SPIR-V; asked of the compiler once. */
bool sw_ocl_takes_spirv(void);

#endif
