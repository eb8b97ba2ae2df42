/* SPDX-License-Identifier: Apache-2.0 */
/* trace_headers.h - every declaration of both APIs, of the version asked for or
 * the newest, for trace_table.awk and for what includes its rows. */
#ifndef SW_API_TRACE_HEADERS_H
#define SW_API_TRACE_HEADERS_H
#ifndef CUDART_VERSION_OVERRIDE
#define CUDART_VERSION_OVERRIDE 13000
#endif
#define __CUDA_API_VERSION_INTERNAL 1
#include "cuda/cuda.h"
#include "cuda/cudaProfiler.h"
#include "cuda/cuda_profiler_api.h"
#include "cuda/cuda_runtime_api.h"
#include "cuda/softwarp_host_runtime.h"
#endif
