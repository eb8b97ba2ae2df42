/* SPDX-License-Identifier: Apache-2.0 */
/* inline_counter.h - what of inline counters (watch/inline_counter.h) compiled
 * code does not do itself: accesses of some lanes, and which distances a table
 * with groups has. On the thread of the block whose slots these are. */
#ifndef SW_JIT_COUNT_H
#define SW_JIT_COUNT_H
#include "watch/inline_counter.h"

/* Counts an access of these lanes, the first group of which begins at `start`.
 * False: the table has no room for another mask. */
bool sw_jit_count_at(uint64_t *slots, const sw_counter_access *a, uint32_t mask,
                     uint64_t start);
/* The same of `warps` (2 or more) warps that run together, as many lanes of
 * each as its mask says, not all 0: in the table they share, or, if that has no
 * room for another lot of masks, each in its own. a[]: for the first table what
 * it says of each warp, then those of each. Returns the warps (a bit each) that
 * have no room for their mask. */
uint32_t sw_jit_count_fused(uint64_t *slots, const sw_counter_access a[],
                            uint32_t warps, const uint32_t masks[],
                            uint64_t start);

/* What the slots from `confidence` on have of warps that run together: the
 * number of the lot of masks that came last (0: none has), then for each
 * number, 0 too, the one that came after it, then the lots, of number 0 too. */
enum { SW_JIT_FUSED_NEXT = 1, SW_JIT_FUSED_LOTS = 2 + SW_COUNTER_FUSED_MASKS };
/* The same of a table with several groups; false also if they do not lie as its
 * strides say. addr: of lanes outside the mask unspecified. */
bool sw_jit_count_groups(uint64_t *slots, const sw_counter_access *a,
                         uint32_t mask, const uint64_t addr[32]);
/* An access of all lanes has been reported by its addresses: later ones may lie
 * alike. */
void sw_jit_predict_strides(uint64_t *slots, const sw_counter_access *a,
                            const uint64_t addr[32]);

#endif
