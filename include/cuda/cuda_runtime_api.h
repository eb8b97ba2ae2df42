/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_runtime_api.h - the runtime API: compiles as C and as C++.
 *
 * The C++ templates and the language are cuda_runtime.h's.
 */
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__
#pragma GCC system_header
#include "softwarp_version.h"

#include "builtin_types.h"
#include "cuda_device_runtime_api.h"

#define CUDART_CB
#ifndef CUDARTAPI
#define CUDARTAPI
#endif

#include "softwarp_rt_calls.h"
#endif
