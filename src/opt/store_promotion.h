/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store_promotion.h - loops that keep a sum in memory, `c[i] += a[k] * b[k]`.
 * Compilers store the sum in each iteration, as they cannot know that no load
 * of the loop reads it; so loads cannot be done together either.
 *
 * This is register promotion (Lu and Cooper, "Register Promotion in C
 * Programs", PLDI 1997) made safe by loop versioning: a test before the loop
 * finds at run time that no load and store of it alias.
 */
#ifndef SW_STORE_PROMOTION_H
#define SW_STORE_PROMOTION_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which such
 * loops are there once more, with their stores behind the last turn. Lanes go
 * there if nothing that they read until then lies where they store, which is
 * tested before the first turn. NULL: it has no such loop, or its module is for
 * debugging. The module is not changed; instructions keep their lines.
 */
const sw_fn *sw_opt_promote_stores(const sw_fn *fn, sw_arena *arena);

#endif
