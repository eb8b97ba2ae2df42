/* SPDX-License-Identifier: Apache-2.0 */
/* count.h - inside the counters: what an instruction is, from its IR. */
#ifndef SW_WATCH_COUNT_H
#define SW_WATCH_COUNT_H
#include "watch/counters.h"

/* a += b: structs that have only counts. */
void sw_count_add(void *a, const void *b, size_t bytes);

/* Nothing in the function reads an atomic's old value. */
bool sw_count_is_unread(const sw_fn *fn, const sw_ins *ins);
/* How many halves of a texel of four components something in the function
 * reads, of an instruction that fetches one: at least 1. */
unsigned sw_count_halves(const sw_fn *fn, const sw_ins *ins);
/* Assemblers make a reduction of it: one whose old value nobody reads, but from
 * 7.0 on not of a generic address, for which there is none. */
bool sw_count_is_reduction(const sw_fn *fn, const sw_ins *ins, uint32_t cc);

/* What assemblers make of an atomic on integers or floats. */
typedef enum {
    SW_ATOMIC_PLAIN, /* one access */
    SW_ATOMIC_ONE,   /* lanes add up first, one of them does it */
    SW_ATOMIC_ALL,   /* the same if all 32 take part, else PLAIN */
    SW_ATOMIC_COUNT, /* shared memory adds up the lanes at each word */
    SW_ATOMIC_LOOP   /* a loop of loads and compare-and-swaps */
} sw_atomic_form;

/* From 7.0 on; PLAIN below, where nobody has looked. */
sw_atomic_form sw_count_atomic_form(const sw_fn *fn, const sw_ins *ins,
                                    uint32_t cc);

/* All that follows of a row's counts from what its instruction is. False: it is
 * none that the program has. */
bool sw_count_row_finish(sw_count_row *row, uint32_t cc);

#endif
