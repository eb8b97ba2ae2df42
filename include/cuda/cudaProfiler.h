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

typedef enum CUoutput_mode_enum {
    CU_OUT_KEY_VALUE_PAIR = 0,
    CU_OUT_CSV = 1
} CUoutput_mode;

CUresult cuProfilerInitialize(const char *configFile, const char *outputFile,
                              CUoutput_mode outputMode);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

#ifdef __cplusplus
}
#endif
#endif
