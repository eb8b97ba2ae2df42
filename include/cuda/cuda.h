/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.h - the driver API: compiles as C and as C++.
 *
 * Binary compatible with CUDA 11, 12 and 13 (softwarp_version.h chooses; 13.0
 * by default). Declares only; libcuda.so.1 implements.
 */
#ifndef __cuda_cuda_h__
#define __cuda_cuda_h__
#pragma GCC system_header
#include "softwarp_version.h"

#ifndef CUDAAPI
#define CUDAAPI
#endif
#ifndef CUDA_CB
#define CUDA_CB
#endif

#include "softwarp_cu_types.h"

#include "softwarp_cu_calls.h"
#endif
