/* SPDX-License-Identifier: Apache-2.0 */
/* tally.h - what of a tally (exec/event.h) compiled code does not do itself:
 * accesses of some lanes, and which distances a table with groups has. On the
 * thread of the block whose slots these are. */
#ifndef SW_JIT_TALLY_H
#define SW_JIT_TALLY_H
#include "exec/event.h"

/* Counts an access of these lanes, the first group of which begins at `start`.
 * False: the table has no room for another mask. */
bool sw_jit_tally_count_at(uint64_t *slots, const sw_tally_access *a,
                           uint32_t mask, uint64_t start);
/* The same of warps with a table each, a[], as many lanes of each as its mask
 * says. Returns the warps (a bit each) that have no room for their mask. */
uint32_t sw_jit_tally_count_team(uint64_t *slots, const sw_tally_access a[],
                                 uint32_t warps, const uint32_t masks[],
                                 uint64_t start);
/* The same of a table with several groups; false also if they do not lie as its
 * keys say. addr: of lanes outside the mask unspecified. */
bool sw_jit_tally_count(uint64_t *slots, const sw_tally_access *a,
                        uint32_t mask, const uint64_t addr[32]);
/* An access of all lanes has been reported by its addresses: later ones may lie
 * alike. */
void sw_jit_tally_vote(uint64_t *slots, const sw_tally_access *a,
                       const uint64_t addr[32]);

#endif
