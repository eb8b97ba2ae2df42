/* SPDX-License-Identifier: Apache-2.0 */
/* access_lanes.h - inside access.h: questions about 32 addresses at once, in
 * code for each vector extension. Pure functions; any thread. */
#ifndef SW_WATCH_ACCESS_LANES_H
#define SW_WATCH_ACCESS_LANES_H
#include "base/base.h"

/* mask: not 0. */
typedef struct {
    /* Different values of addr >> shift. */
    uint32_t (*count)(const uint64_t addr[32], uint32_t mask, unsigned shift);
    /* Different sectors (addr >> 5), and *lines (addr >> 7). list: NULL or the
     * sectors, in the order of the lanes that come first to each. */
    uint32_t (*sectors)(const uint64_t addr[32], uint32_t mask, uint32_t *lines,
                        uint64_t list[32]);
    /* Of elements that begin at different words of 4 bytes, those that begin in
     * the one of 32 banks that has most; shared memory: below 2^32. */
    uint32_t (*degree)(const uint64_t addr[32], uint32_t mask);
    /* The same, each lane an element of its own. */
    uint32_t (*lanes)(const uint64_t addr[32], uint32_t mask);
    /* Different sectors of each `group` (2, 4, 8) lanes, summed. */
    uint32_t (*grouped)(const uint64_t addr[32], uint32_t mask, unsigned group);
} sw_access_lanes;

/* Those for this processor. */
const sw_access_lanes *sw_access_lanes_get(void);

extern const sw_access_lanes sw_access_lanes_v2, sw_access_lanes_v3,
    sw_access_lanes_v4, sw_access_lanes_base;

#endif
