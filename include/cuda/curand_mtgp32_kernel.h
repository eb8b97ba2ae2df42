/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_mtgp32_kernel.h - is in curand_kernel.h.
 */
#pragma GCC system_header
#include "curand_kernel.h"
