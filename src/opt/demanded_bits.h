/* SPDX-License-Identifier: Apache-2.0 */
/*
 * demanded_bits.h - narrows 64-bit integers of which only the lower 32 bits are
 * demanded. Programs count by `int i` in steps of a size_t, as the number of
 * threads of a grid is: compilers then add in 64 bits and truncate what they
 * compare and index with. More is known of 32-bit numbers, and they are less
 * work.
 */
#ifndef SW_DEMANDED_BITS_H
#define SW_DEMANDED_BITS_H
#include "ir/ir.h"

/*
 * A copy of the function, in the arena and with parts of it, in which registers
 * whose upper half nobody sees have 32 bits, and what makes them is done in as
 * many. NULL: there are none that are added, subtracted or multiplied, or its
 * module is for debugging. The module is not changed; instructions keep their
 * lines.
 */
const sw_fn *sw_opt_narrow_integers(const sw_fn *fn, sw_arena *arena);

#endif
