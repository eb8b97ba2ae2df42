/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contraction.h - products and sums made one: what a device's assembler does
 * with floating-point instructions that leave their rounding open.
 *
 * PTX ISA, "Floating-Point Instructions": mul and add without a rounding
 * modifier "may be optimized" into fma. The vendor's assembler always does, so
 * results on a device are those of the fused form. Read off its output for
 * sm_90:
 *   - a product is folded if every use of it is the operand of an add or sub
 *     of the same type in the same block, both without rounding modifier, with
 *     the same .ftz, the product without .sat; also by way of moves and
 *     negations, and if its factors' registers hold something else by then;
 *   - blocks end where threads may go different ways, and where the assembler
 *     spells an instruction out with branches or calls, before it looks for
 *     products: divisions (integer ones unless .u32; of floats unless
 *     approximate), square roots and reciprocals that are rounded, rsqrt.f64,
 *     bfind of 64 bits, calls, and what is not pure arithmetic under a guard;
 *     also at fences;
 *   - of a sum of two such products the first operand is folded.
 * It unrolls loops before it does that, which is not done here: where compilers
 * left that to it, it may fold a product of the turn before, or, in a loop of
 * few turns, from before the loop.
 * Debug code is left as it is.
 */
#ifndef SW_CONTRACTION_H
#define SW_CONTRACTION_H
#include "ir/ir.h"

/* Changes the functions of a module that nobody executes yet. */
void sw_opt_fuse_products(sw_module *module);

#endif
