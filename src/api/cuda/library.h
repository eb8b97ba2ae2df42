/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - code that is in no context yet: libraries, and their kernels,
 * which stand for one CUfunction in every context.
 */
#ifndef SW_API_CUDA_LIBRARY_H
#define SW_API_CUDA_LIBRARY_H
#include "api/cuda/api.h"

/* The current context's kernel of a library kernel's handle; loads the
 * library's module there. SW_E_INVALID_HANDLE. */
sw_status sw_api_library_kernel(const void *handle, sw_rt_kernel **kernel);
/* One of its kernels on that device, whatever is current: to ask about it.
 * SW_E_INVALID_HANDLE. */
sw_status sw_api_library_kernel_on(const void *handle, sw_rt_device *device,
                                   sw_rt_kernel **kernel);
/* Sets one of the things that can be set of a kernel. */
typedef CUresult sw_api_kernel_setter(sw_rt_kernel *kernel, int what,
                                      int value);
/* In every context of that device, also in those to come.
 * CUDA_ERROR_INVALID_HANDLE. */
CUresult sw_api_library_kernel_set(const void *handle, sw_rt_device *device,
                                   sw_api_kernel_setter *set, int what,
                                   int value);

#endif
