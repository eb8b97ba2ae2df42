/* SPDX-License-Identifier: Apache-2.0 */
/*
 * argument_promotion.h - promotes arguments and results to registers, with
 * scalar replacement of the structures among them. Compilers pass both in
 * slots, pieces of memory; a register costs nothing to load and store, and
 * compiled code can hand it over as it is.
 */
#ifndef SW_ARGUMENT_PROMOTION_H
#define SW_ARGUMENT_PROMOTION_H
#include "ir/ir.h"

/*
 * Takes the place of the functions of a program (fns[0] the kernel) copies, in
 * the arena and with parts of theirs, whose slots are registers where all
 * accesses, and both sides of all calls, allow it: structures become several.
 * Nothing happens if one is of a module for debugging.
 */
void sw_opt_promote_arguments(const sw_fn **fns, uint32_t count,
                              sw_arena *arena);

#endif
