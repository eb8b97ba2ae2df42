/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reaching_definitions.h - of registers that several instructions write: the
 * one definition that a read sees, where there is only one. Compilers give an
 * index that a loop counts up the register that it begins with; what is
 * computed before the loop reads the first value, of which more is known.
 */
#ifndef SW_REACHING_DEFINITIONS_H
#define SW_REACHING_DEFINITIONS_H
#include "base/base.h"
#include "opt/liveness.h"

typedef struct {
    const sw_ins *ins, *def; /* def: no guard, one result */
    sw_reg reg;              /* that `ins` reads and `def` writes */
} sw_reaching;

/* Fills `rows` (sw_reaching; owned by caller, sw_vec_finish) for the registers
 * of 32 bits with more than one of writes[reg_count]. fn outlives it. */
void sw_reaching_find(sw_vec *rows, const sw_fn *fn, const sw_cfg *cfg,
                      const uint32_t *writes);
/* NULL: not certain, or written once. */
const sw_ins *sw_reaching_of(const sw_vec *rows, const sw_ins *ins, sw_reg reg);

#endif
