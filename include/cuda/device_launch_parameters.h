/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_launch_parameters.h - threadIdx, blockIdx, blockDim, gridDim and
 * warpSize. `softwarp cc` makes reads of special registers of what device code
 * does with them (src/cc/complete.c). Outside clang's CUDA mode nothing is declared.
 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "vector_types.h"

#ifdef __CUDA__
extern const __device__ __attribute__((weak)) uint3 threadIdx;
extern const __device__ __attribute__((weak)) uint3 blockIdx;
extern const __device__ __attribute__((weak)) dim3 blockDim;
extern const __device__ __attribute__((weak)) dim3 gridDim;
/* A program may define a constant of this name. */
extern const __device__ int warpSize;
#endif
#endif
