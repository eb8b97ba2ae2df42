/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async_copies.h - lowers asynchronous copies to shared memory (cp.async) to a
 * load and a store that are done at once, which engines are fast at. A device
 * may finish them at any time before the program waits for them.
 */
#ifndef SW_ASYNC_COPIES_H
#define SW_ASYNC_COPIES_H
#include "ir/ir.h"

/* A copy of the function, in the arena and with parts of it, in which each
 * cp.async is a load and a store marked SW_F_COPY. NULL: it has none, or its
 * module is for debugging. The module is not changed; instructions keep their
 * lines. */
const sw_fn *sw_opt_lower_copies(const sw_fn *fn, sw_arena *arena);

#endif
