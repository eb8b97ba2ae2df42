/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late.h - stores that become visible late: what the memory model allows and
 * only some runs show. With a seed (schedule.h), one worker thread and the
 * interpreter, half of the plain, relaxed and volatile stores to global memory
 * wait in a buffer, each for a number of memory accesses that the seed decides.
 *
 * A waiting store is its warp's alone, until a barrier or a fence of the
 * block's scope makes it one of its block. An access by whom it is of that
 * touches the same bytes writes it first, and so does a fence of wider scope.
 * At the end of a grid all are written. So a program whose accesses are ordered
 * as the model asks sees no difference. Any thread.
 */
#ifndef SW_LATE_H
#define SW_LATE_H
#include "exec/engine.h"

enum { SW_LATE_BYTES = 32 }; /* of a store, at most */

/* Stores may wait; set before the first block runs. */
extern bool sw_late_is_on;

/* `mask` lanes of the warp are about to access `bytes` each, at flat addresses.
 */
void sw_late_touch(const sw_warp *warp, uint32_t mask, const uint64_t *addr,
                   uint32_t bytes);
/* Whether the warp's next store is to wait. */
bool sw_late_picks(void);
/* One lane's store waits. */
void sw_late_store(const sw_warp *warp, uint64_t addr, const void *value,
                   uint32_t bytes);
/* What the warp has stored is ordered for its block, or (is_wide) for all. */
void sw_late_fence(const sw_warp *warp, bool is_wide);
/* All that wait are written. */
void sw_late_end(void);

#endif
