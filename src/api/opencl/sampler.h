/* SPDX-License-Identifier: Apache-2.0 */
/* sampler.h - samplers as arguments of kernels. */
#ifndef SW_API_OPENCL_SAMPLER_H
#define SW_API_OPENCL_SAMPLER_H
#include "api/opencl/ocl.h"

/* SW_CL_SAMPLER_... bits. */
uint64_t sw_ocl_sampler_bits(const struct _cl_sampler *sampler);

#endif
