/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_device_runtime_api.h - the runtime API inside kernels.
 *
 * Kernels that start kernels are not supported; the header exists because
 * programs include it.
 */
#ifndef __CUDA_DEVICE_RUNTIME_API_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#include "driver_types.h"
#if defined(__cplusplus) && defined(__CUDACC__)
/* What a conditional node of the kernel's graph does next. */
extern "C" __device__ void
cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
#endif
#endif
