/* SPDX-License-Identifier: Apache-2.0 */
/*
 * library.h - code that is in no context yet: libraries, and their kernels,
 * which stand for one CUfunction in every context.
 */
#ifndef SW_API_CUDA_LIBRARY_H
#define SW_API_CUDA_LIBRARY_H
#include "rt/module.h"

/* The current context's kernel of a library kernel's handle; loads the
 * library's module there. SW_E_INVALID_HANDLE. */
sw_status sw_api_library_kernel(const void *handle, sw_rt_kernel **kernel);

#endif
