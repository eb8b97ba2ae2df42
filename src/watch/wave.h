/* SPDX-License-Identifier: Apache-2.0 */
/* wave.h - inside the counters: the order in which requests of blocks come to
 * L2. The engine runs one block after another; on a device as many as it has
 * room for are there at a time. So their requests wait here until so many
 * blocks have ended, and then go to L2 by turns. Any thread. */
#ifndef SW_WATCH_WAVE_H
#define SW_WATCH_WAVE_H
#include "watch/cache.h"

typedef struct sw_wave sw_wave;

/* blocks: that are there at a time, at least 1. l2: borrowed. */
sw_wave *sw_wave_create(sw_l2 *l2, uint32_t blocks, uint32_t sm_count);
void sw_wave_destroy(sw_wave *wave);

/* More requests of the block with that index in the grid; `ends`: and no
 * others. */
void sw_wave_add(sw_wave *wave, uint64_t block, const sw_l2_access *list,
                 size_t count, bool ends);
/* Gives L2 all that still waits; all blocks have ended. */
void sw_wave_finish(sw_wave *wave);

#endif
