/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_mrg32k3a.h - is in curand_kernel.h.
 */
#pragma GCC system_header
#include "curand_kernel.h"
