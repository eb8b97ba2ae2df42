/* SPDX-License-Identifier: Apache-2.0 */
/*
 * contract.h - products and sums made one: what a device's assembler does with
 * floating-point instructions that leave their rounding open.
 *
 * PTX ISA, "Floating-Point Instructions": mul and add without a rounding
 * modifier "may be optimized" into fma. The vendor's assembler always does, so
 * results on a device are those of the fused form. Read off its output for
 * sm_90:
 *   - a product is folded if every use of it is the operand of an add or sub
 *     of the same type, both without rounding modifier, with the same .ftz,
 *     the product without .sat; also across blocks;
 *   - of a sum of two such products the first operand is folded;
 *   - div.approx and div.full by a constant are products with its rounded
 *     reciprocal;
 *   - sin, cos, lg2, ex2, rcp, sqrt and rsqrt of a constant are computed
 *     beforehand, and then rounded correctly, not approximate.
 * Debug code is left as it is.
 */
#ifndef SW_CONTRACT_H
#define SW_CONTRACT_H
#include "ir/ir.h"

/* Changes the functions of a module that nobody executes yet. */
void sw_opt_contract(sw_module *module);

#endif
