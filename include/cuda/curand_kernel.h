/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_kernel.h - random numbers in device code.
 *
 * A state belongs to one thread (a curandStateMtgp32_t to a block of up to 256)
 * and is made by curand_init. Results and states are bit for bit those of the
 * vendor's header. The host's functions are curand.h's.
 *
 * QUALIFIERS, if defined before, stands before each function, which then may
 * be for the host too.
 */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_
#pragma GCC system_header
#include "cuda_runtime.h"

#include "curand.h"
#include "curand_discrete.h"
#include "curand_globals.h"

#include "softwarp/random_state.h"

#ifdef __CUDA__
#include "softwarp/random_bits.h"

#include "softwarp/random_real.h"

#include "softwarp/random_count.h"
#endif

#endif
