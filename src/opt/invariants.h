/* SPDX-License-Identifier: Apache-2.0 */
/*
 * invariants.h - thread-invariant registers: those that a thread gives one
 * value only, wherever and however often it is written. All instructions that
 * write such a register are equal, and depend on the thread, the launch and
 * other invariants alone. Compilers compute parts of addresses again in each
 * branch that needs them.
 */
#ifndef SW_INVARIANTS_H
#define SW_INVARIANTS_H
#include "ir/ir.h"

/* is_invariant: [reg_count]. */
void sw_opt_find_invariants(const sw_fn *fn, bool *is_invariant);

#endif
