/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stable.h - registers that a thread gives one value only, wherever and however
 * often it is written: all that write it are the same instruction, which
 * depends on the thread, the launch and others of that kind alone. Compilers
 * work out parts of addresses in each branch that needs them.
 */
#ifndef SW_STABLE_H
#define SW_STABLE_H
#include "ir/ir.h"

/* is_stable: [reg_count]. */
void sw_stable_find(const sw_fn *fn, bool *is_stable);

#endif
