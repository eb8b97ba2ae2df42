/* SPDX-License-Identifier: Apache-2.0 */
/*
 * callees.h - which functions a call means, or may mean if it is by address.
 */
#ifndef SW_CALLEES_H
#define SW_CALLEES_H
#include "ir/ir.h"

/* What is called by name and has code; NULL: another instruction or call. */
const sw_fn *sw_callee_of(const sw_ins *ins);

/* Whether something of the module has the function's address. */
bool sw_is_pointed_at(const sw_module *module, const sw_sym *sym);

/* Whether a call by address of fn's module may mean fn, as far as is known
 * there. */
bool sw_may_mean(const sw_call *call, const sw_fn *fn);

/*
 * Whether a function that fn calls, maybe through others, has an instruction
 * for which `is` holds. Of calls by address only functions of the caller's
 * module are known; what is called by name and has no code counts as having
 * one, but for what every engine provides.
 */
bool sw_calls_any(const sw_fn *fn, bool (*is)(const sw_ins *ins));

#endif
