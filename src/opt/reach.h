/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reach.h - of registers that are written in several places: which of them an
 * instruction reads the result of, where that is certain. Compilers give an
 * index that a loop counts up the register it begins with; what is computed
 * before the loop reads the beginning, of which more is known.
 */
#ifndef SW_REACH_H
#define SW_REACH_H
#include "base/base.h"
#include "opt/liveness.h"

typedef struct {
    const sw_ins *ins, *def; /* def: no guard, one result */
    sw_reg reg;              /* that `ins` reads and `def` writes */
} sw_reach;

/* Fills `rows` (sw_reach; owned by caller, sw_vec_finish) for the registers of
 * 32 bits with more than one of writes[reg_count]. fn outlives it. */
void sw_reach_find(sw_vec *rows, const sw_fn *fn, const sw_cfg *cfg,
                   const uint32_t *writes);
/* NULL: not certain, or written once. */
const sw_ins *sw_reach_of(const sw_vec *rows, const sw_ins *ins, sw_reg reg);

#endif
