/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit.h - the back end that compiles kernels for the host's processor, 32
 * lanes as vectors. It starts every program in the interpreter and compiles
 * what runs long beside it; SOFTWARP_ENGINE=jit compiles at the first launch.
 * Programs with events are compiled for observers that take inline counters;
 * for others they are interpreted.
 */
#ifndef SW_JIT_JIT_H
#define SW_JIT_JIT_H
#include "exec/exec.h"

extern const sw_backend sw_backend_jit;

#endif
