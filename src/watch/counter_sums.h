/* SPDX-License-Identifier: Apache-2.0 */
/* counter_sums.h - inside the counters: what the slots of inline counters
 * (watch/inline_counter.h) stand for. Pure functions; any thread. */
#ifndef SW_WATCH_COUNTER_SUMS_H
#define SW_WATCH_COUNTER_SUMS_H
#include "watch/inline_counter.h"

/* What the events ins and branch of one instruction add up to. */
typedef struct {
    uint64_t inst;                      /* executions by a warp, */
    uint64_t off;                       /* ... with every lane held back */
    uint64_t active, on;                /* lanes at it; that execute it */
    uint64_t taken, divergent, targets; /* of a bra; as in sw_counts */
} sw_counter_sums;

/* Adds to sums[i] what the slots say of the kernel's instruction i, for all of
 * them. Returns blocks that began without block_begin. */
uint64_t sw_counter_add(const sw_counter_table *table, const uint64_t *slots,
                        sw_counter_sums *sums);

/* Calls `each` for every access of a kind: addresses of the lanes of the mask
 * that cost what those did that were counted, and how many these are. */
typedef void sw_counter_each(void *arg, const sw_counter_access *access,
                             const uint64_t addr[32], uint32_t mask,
                             uint64_t times);
void sw_counter_accesses(const sw_counter_table *table, const uint64_t *slots,
                         sw_counter_each *each, void *arg);

#endif
