/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jumps.h - branches to branches. Compilers end loops with two of them, `@%p
 * bra out; bra loop`, of which the second is a block of its own in the IR:
 * without it such a loop is one block.
 */
#ifndef SW_JUMPS_H
#define SW_JUMPS_H
#include "ir/ir.h"

/* A copy of the function, in the arena and with parts of it, in which nothing
 * leads to a block that only leads to another one. NULL: nothing does, or its
 * module is for debugging. The module is not changed. */
const sw_fn *sw_skip_jumps(const sw_fn *fn, sw_arena *arena);

#endif
