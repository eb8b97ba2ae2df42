/* SPDX-License-Identifier: Apache-2.0 */
/* race_async.c - the groups of asynchronous copies (cp.async) of a block's
 * threads, and which of them have been waited for; see race.h. */
#include <string.h>

#include "check/race.h"

static race_groups *
groups_of(race_block *b, uint32_t thread)
{
    if (!b->async) {
        uint32_t n = (b->launch->threads + 31) / 32 * 32;
        b->async = sw_alloc(n * sizeof *b->async);
        for (uint32_t i = 0; i < n; i++)
            b->async[i].current = 1;
    }
    return &b->async[thread];
}

sw_clock
race_async_group(race_block *block, uint32_t thread)
{
    return groups_of(block, thread)->current;
}

bool
race_async_waited(const race_block *block, uint32_t thread, sw_clock group,
                  sw_clock *clock)
{
    const race_groups *g = &block->async[thread];
    if (group >= g->waits[0].before)
        return false;
    /* The first wait that was one for it; of very old groups the oldest that
     * is known of. */
    for (int i = 0; i < RACE_WAITS && group < g->waits[i].before; i++)
        *clock = g->waits[i].clock;
    return true;
}

bool
race_async_knows(const race_block *block, uint32_t reader, uint32_t thread,
                 sw_clock group)
{
    const race_groups *g = &block->async[thread];
    return group < g->current && g->current - group <= RACE_WAITS &&
           sw_clocks_knows(block->clocks, reader, thread,
                           g->committed[group % RACE_WAITS]);
}

static void
wait_until(race_block *b, uint32_t thread, race_groups *g, sw_clock before)
{
    if (before <= g->waits[0].before)
        return;
    memmove(&g->waits[1], &g->waits[0], (RACE_WAITS - 1) * sizeof g->waits[0]);
    g->waits[0].before = before;
    g->waits[0].clock = sw_clocks_now(b->clocks, thread);
}

void
race_async_event(race_block *block, const sw_ev_where *where,
                 const sw_ev_async *event)
{
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t t = where->warp * 32 + (uint32_t)__builtin_ctz(left);
        race_groups *g = groups_of(block, t);
        if (event->kind == SW_ASYNC_COMMIT)
            g->committed[g->current++ % RACE_WAITS] =
                sw_clocks_now(block->clocks, t);
        else if (event->kind == SW_ASYNC_WAIT_ALL ||
                 event->kind == SW_ASYNC_ARRIVE)
            wait_until(block, t, g, ++g->current);
        else if (event->kind == SW_ASYNC_WAIT && g->current > event->groups)
            wait_until(block, t, g, g->current - event->groups);
    }
}
