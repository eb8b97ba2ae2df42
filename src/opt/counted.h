/* SPDX-License-Identifier: Apache-2.0 */
/*
 * counted.h - loops of one block that count: how often a lane goes around is
 * known before it does.
 */
#ifndef SW_COUNTED_H
#define SW_COUNTED_H
#include "ir/ir.h"

enum { SW_COUNTED_STEP_MOST = 1 << 10 };

/* It compares a register that grows by a constant with something that stays. */
typedef struct {
    const sw_ins *compare;
    unsigned counter; /* which of its sources grows */
    int64_t step;     /* ... by, once a turn: plus or minus 2^n,
                         SW_COUNTED_STEP_MOST at most */
    bool is_stepped;  /* ... before it is compared */
    sw_cmp stays;     /* counter, bound: what sends lanes around. NE, LT and
                         LE (upwards), GT and GE (downwards) */
    bool is_unsigned; /* ... as numbers without a sign */
    unsigned bits;    /* 32 or 64 */
} sw_counted;

/* The block ends in a branch that goes back to it or to another one. False: it
 * cannot be counted. */
bool sw_loop_counts(const sw_fn *fn, const sw_block *block, sw_counted *out);

/* The only instruction of the block that writes it, which is no guarded one,
 * and where; NULL: there are several, or none. */
const sw_ins *sw_block_writer(const sw_block *block, sw_reg reg, uint32_t *at);
/* Whether the block adds a constant to it, once, at instruction *at. */
bool sw_block_steps(const sw_block *block, sw_reg reg, unsigned bits,
                    int64_t *step, uint32_t *at);
/* Whether an instruction of the block writes it. */
bool sw_block_writes(const sw_block *block, sw_reg reg);

#endif
