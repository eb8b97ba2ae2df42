/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sums.h - loops that keep a sum in memory, `c[i] += a[k] * b[k]`. Compilers
 * store it in each turn, as they cannot know that it is not among what is read;
 * so what is read has to be read turn by turn.
 */
#ifndef SW_SUMS_H
#define SW_SUMS_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which such
 * loops are there once more, with their stores behind the last turn. Lanes go
 * there if nothing that they read until then lies where they store, which is
 * tested before the first turn. NULL: it has no such loop, or its module is for
 * debugging. The module is not changed; instructions keep their lines.
 */
const sw_fn *sw_keep_sums(const sw_fn *fn, sw_arena *arena);

#endif
