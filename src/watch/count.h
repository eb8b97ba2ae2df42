/* SPDX-License-Identifier: Apache-2.0 */
/* count.h - inside the counters: what an instruction is, from its IR. */
#ifndef SW_WATCH_COUNT_H
#define SW_WATCH_COUNT_H
#include "ir/ir.h"

/* An atomic whose old value nothing in the function reads: assemblers make a
 * reduction of it. */
bool sw_count_is_reduction(const sw_fn *fn, const sw_ins *ins);

#endif
