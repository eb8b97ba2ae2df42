/* SPDX-License-Identifier: Apache-2.0 */
/*
 * copies.h - copies to shared memory (cp.async) as the loads and stores that
 * they are if they are done at once: engines are fast at those.
 */
#ifndef SW_COPIES_H
#define SW_COPIES_H
#include "ir/ir.h"

/* A copy of the function, in the arena and with parts of it, in which each
 * cp.async is a load and a store marked SW_F_COPY. NULL: it has none, or its
 * module is for debugging. The module is not changed; instructions keep their
 * lines. */
const sw_fn *sw_spell_out_copies(const sw_fn *fn, sw_arena *arena);

#endif
