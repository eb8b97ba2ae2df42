/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.h - orders of blocks and warps that a seed decides, for programs
 * whose mistakes show in some orders only. Without SOFTWARP_SCHEDULE nothing
 * here changes anything. With one worker thread, and the same launches, the
 * same seed gives the same order. Any thread.
 */
#ifndef SW_SCHEDULE_H
#define SW_SCHEDULE_H
#include "base/base.h"

/* A seed was given. */
bool sw_schedule_is_on(void);
/* The next number of the seed's sequence, below n (at least 1). */
uint32_t sw_schedule_pick(uint32_t n);
/* Which of `total` blocks is the index-th to begin: a permutation. */
uint64_t sw_schedule_block(uint64_t index, uint64_t total);

#endif
