/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT helpers: success, device types, halves
/* Helper headers of programs look at the guards of CUDA's headers to find out
 * which of them were included before: the guards' names are part of the
 * interface. */
#include <cstdio>
#include <cuda_runtime.h>

/* Not included by cuda_runtime.h. */
#if defined(CU_COMPLEX_H_) || defined(__CUDA_BF16_H__) ||                      \
    defined(__CUDA_FP16_H__) || defined(__CUDA_FP8_H__) ||                     \
    defined(__CUDA_MMA_H__) || defined(_COOPERATIVE_GROUPS_H_) ||              \
    defined(_CUDA_PIPELINE_H_) || defined(__CUDA_PROFILER_API_H__) ||          \
    defined(__MATH_CONSTANTS_H__) || defined(__cuda_cuda_h__)
#error "cuda_runtime.h includes too much"
#endif

#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <host_config.h>
#include <host_defines.h>
#include <library_types.h>
#include <math_constants.h>
#include <mma.h>

#if !defined(CU_COMPLEX_H_) || !defined(__CUDA_BF16_H__) ||                    \
    !defined(__CUDA_FP8_H__) || !defined(__CUDA_MMA_H__) ||                    \
    !defined(_COOPERATIVE_GROUPS_H_) || !defined(_CUDA_PIPELINE_H_) ||         \
    !defined(__CUDA_PROFILER_API_H__) || !defined(__MATH_CONSTANTS_H__) ||     \
    !defined(__cuda_cuda_h__) || !defined(__CUDA_RUNTIME_API_H__) ||           \
    !defined(__CUDA_RUNTIME_H__) || !defined(__HOST_DEFINES_H__) ||            \
    !defined(__HOST_CONFIG_H__) || !defined(__LIBRARY_TYPES_H__) ||            \
    !defined(__VECTOR_TYPES_H__) || !defined(__VECTOR_FUNCTIONS_H__) ||        \
    !defined(__DEVICE_LAUNCH_PARAMETERS_H__)
#error "a header was included and cannot be seen"
#endif

int
main()
{
#ifdef __DRIVER_TYPES_H__
    const char *runtime = cudaGetErrorString(cudaSuccess);
#else
    const char *runtime = "nothing";
#endif
    printf("helpers: %s, %s, %s\n", strcmp(runtime, "no error") ? runtime : "success",
#ifdef __DEVICE_TYPES_H__
           "device types",
#else
           "nothing",
#endif
#ifdef __CUDA_FP16_H__
           "halves");
#else
           "nothing");
#endif
}
