/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jump_threading.h - redirects branches whose target only branches on.
 * Compilers end loops with two branches, `@%p bra out; bra loop`, and the
 * second is a block of its own in the IR: without it such a loop is one block.
 */
#ifndef SW_JUMP_THREADING_H
#define SW_JUMP_THREADING_H
#include "ir/ir.h"

/* A copy of the function, in the arena and with parts of it, in which nothing
 * leads to a block that only leads to another one. NULL: nothing does, or its
 * module is for debugging. The module is not changed. */
const sw_fn *sw_opt_thread_jumps(const sw_fn *fn, sw_arena *arena);

#endif
