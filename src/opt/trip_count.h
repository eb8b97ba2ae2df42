/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trip_count.h - loops of one block that count: a lane knows its number of
 * iterations before the first one.
 */
#ifndef SW_TRIP_COUNT_H
#define SW_TRIP_COUNT_H
#include "ir/ir.h"

enum { SW_TRIP_STEP_MOST = 1 << 10 };

/* It compares a register that grows by a constant with something that stays. */
typedef struct {
    const sw_ins *compare;
    unsigned counter; /* which of its sources grows */
    int64_t step;     /* ... by, once a turn: plus or minus 2^n,
                         SW_TRIP_STEP_MOST at most */
    bool is_stepped;  /* ... before it is compared */
    sw_cmp stays;     /* counter, bound: what sends lanes around. NE, LT and
                         LE (upwards), GT and GE (downwards) */
    bool is_unsigned; /* ... as numbers without a sign */
    unsigned bits;    /* 32 or 64 */
} sw_trip_count;

/* The block ends in a branch that goes back to it or to another one. False: it
 * cannot be counted. */
bool sw_opt_find_trip_count(const sw_fn *fn, const sw_block *block,
                            sw_trip_count *out);

/* The only instruction of the block that writes it, which is no guarded one,
 * and where; NULL: there are several, or none. */
const sw_ins *sw_block_writer(const sw_block *block, sw_reg reg, uint32_t *at);
/* Whether the block adds a constant to it, once, at instruction *at. */
bool sw_block_steps(const sw_block *block, sw_reg reg, unsigned bits,
                    int64_t *step, uint32_t *at);
/* Whether an instruction of the block writes it. */
bool sw_block_writes(const sw_block *block, sw_reg reg);

#endif
