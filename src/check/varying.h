/* SPDX-License-Identifier: Apache-2.0 */
/*
 * varying.h - which branches of a function threads of one block may take
 * differently: those whose condition depends on the thread's number, on what an
 * atomic operation or another lane returned, or on where such a branch led.
 *
 * Loads from one address for all threads count as one value: that the value
 * changes in between is another mistake.
 */
#ifndef SW_CHECK_VARYING_H
#define SW_CHECK_VARYING_H
#include "ir/ir.h"

typedef struct {
    const sw_fn *fn;
    bool *regs;   /* [fn->reg_count] may differ */
    bool *blocks; /* [fn->block_count] ends in such a branch */
} sw_varying;

/* Owned by caller, sw_varying_finish. */
sw_varying sw_varying_find(const sw_fn *fn);
void sw_varying_finish(sw_varying *v);

/* marks[b] = true for each block that is reached from a target of `from`, but
 * not past block `stop` (block_count: past all). */
void sw_varying_reach(const sw_fn *fn, uint32_t from, uint32_t stop,
                      bool *marks);

#endif
