/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cudaProfiler.h - where a profiler starts and stops to look, for programs of
 * the driver API.
 */
#ifndef SOFTWARP_CUDA_PROFILER_H
#define SOFTWARP_CUDA_PROFILER_H
#pragma GCC system_header
#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
