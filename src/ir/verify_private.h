/* SPDX-License-Identifier: Apache-2.0 */
/* verify_private.h - what operands an operation takes: for the
 * verifier, and for operand.c. */
#ifndef SW_VERIFY_PRIVATE_H
#define SW_VERIFY_PRIVATE_H
#include "ir/ir.h"

/*
 * "destinations=sources", a letter each:
 *   T class of `type`          S class of `stype`     W twice as wide as T
 *   L T or a wider class       P predicate            3 b32     6 b64
 *   R class of the special register                   X any class, or symbol
 *   A address: b32, b64, number or symbol             Y a symbol
 *   H texture, surface or sampler handle
 * each followed by v (vec of them), ? (may be absent), * (any number).
 * `plain` holds the answer for an op whose operands are all of its type.
 */
const char *sw_verify_signature(sw_op op, char plain[8]);
/* The greatest `sub` of an op. */
unsigned sw_verify_sub_max(sw_op op);

#endif
