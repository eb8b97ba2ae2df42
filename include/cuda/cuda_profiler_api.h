/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_profiler_api.h - where a profiler starts and stops to look.
 */
#ifndef __CUDA_PROFILER_API_H__
#define __CUDA_PROFILER_API_H__
#pragma GCC system_header
#include "driver_types.h"

#include "softwarp_begin.h"

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

#include "softwarp_end.h"
#endif
