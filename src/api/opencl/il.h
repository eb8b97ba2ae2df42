/* SPDX-License-Identifier: Apache-2.0 */
/*
 * il.h - programs that are SPIR-V: the words that they were made of, and the
 * values of specialization constants. Any thread.
 */
#ifndef SW_API_OPENCL_IL_H
#define SW_API_OPENCL_IL_H
#include "api/opencl/ocl.h"

struct sw_ocl_il {
    void *words; /* as given; CL_PROGRAM_IL */
    size_t bytes;
    uint32_t *special; /* the same in this machine's byte order, with the values
                          that clSetProgramSpecializationConstant gave; the
                          program's lock */
};

void sw_ocl_il_free(sw_ocl_il *il);

/* A copy, as it is to be compiled now; the caller's (sw_free). */
void *sw_ocl_il_copy(cl_program program);

#endif
