/* SPDX-License-Identifier: Apache-2.0 */
/*
 * operand_order.h - which of two f64 operands goes first: of several NaNs a
 * device hands on the one in a certain place, and its assembler says which
 * operand gets that place.
 *
 * A sum takes the second of two NaNs, a product too, a multiply-add that of the
 * second factor before the term before the first factor (sem/float.h). Where
 * operands may be exchanged the vendor's assembler does not keep the order of
 * the text. Read off its output for sm_90, of add, sub, mul, fma, min and max:
 *   - what is computed earlier in the text goes first; moves, negations and
 *     absolute values are seen through;
 *   - a register whose value can come from several places (written by several
 *     instructions, none of them before in the same block) goes behind all
 *     that have one; of two such, what is first written later goes first;
 *   - a parameter of the kernel or a variable in constant memory, at an address
 *     that is known, goes behind those, and a number too; of two the one that
 *     is written first goes last;
 *   - a difference is a sum with a negated term, and ordered like one.
 * What the assembler makes of a program before that (loops unrolled, functions
 * put in place of calls) is not known here. Debug code is left as it is.
 */
#ifndef SW_OPERAND_ORDER_H
#define SW_OPERAND_ORDER_H
#include "ir/ir.h"

/* Changes the functions of a module that nobody executes yet: exchanges
 * sources, and marks the differences whose first operand's NaN is handed on. */
void sw_opt_order_operands(sw_module *module);

#endif
