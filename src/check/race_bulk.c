/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race_bulk.c - copies by cp.async.bulk, cp.reduce.async.bulk and those of
 * tensors, as accesses of agents (clocks.h); see race.h.
 *
 * A copy begins when its thread issues it: what that thread knows then comes
 * before it. It ends when its mbarrier's phase ends, for those who wait for
 * that, or when its thread has waited for its bulk group: with .read only what
 * it reads. In between nothing may touch what it writes, nor change what it
 * reads. What threads have written reaches a copy through fence.proxy.async.
 */
#include "check/race.h"

enum { OF_MBAR = 1, OF_READS, OF_WRITES, KIND_BITS = 2 };

static uint64_t
key_of(uint64_t number, unsigned kind)
{
    return number << KIND_BITS | kind;
}

/* The agent with the key, or the first free one, or the last. */
static uint32_t
find_agent(const race_block *b, uint64_t key)
{
    uint32_t i = 0;
    while (i < SW_CLOCK_AGENTS - 1 && b->agents[i].key &&
           b->agents[i].key != key)
        i++;
    return i;
}

static uint32_t
take_agent(race_block *b, uint64_t key)
{
    uint32_t i = find_agent(b, key);
    if (!b->agents[i].key)
        b->agents[i] = (race_agent){key, 1};
    return i;
}

sw_view *
race_bulk_phase(race_block *owner, uint64_t mbar)
{
    uint32_t i = find_agent(owner, key_of(mbar, OF_MBAR));
    if (!owner->agents[i].key)
        return NULL;
    return sw_clocks_of_agent(owner->clocks, i, owner->agents[i].clock++);
}

/* ---- copies ---- */

static race_block *
block_of(race_block *b, uint64_t index)
{
    return index == b->index ? b : race_find_block(b->launch, index);
}

/* The accesses of one lane, at the lane's places of the event. */
static void
copy_lane(race_block *b, const sw_ev_where *where, const sw_ev_async *e,
          uint32_t lane)
{
    uint32_t thread = where->warp * 32 + lane;
    bool reduces = e->kind == SW_ASYNC_REDUCE;
    race_block *of = e->mbar ? block_of(b, e->to_owner) : b;
    if (!of)
        return;
    uint32_t reader, writer;
    if (e->mbar) {
        reader = writer = take_agent(of, key_of(e->mbar[lane], OF_MBAR));
    } else {
        reader = take_agent(of, key_of(thread, OF_READS));
        writer = take_agent(of, key_of(thread, OF_WRITES));
    }
    sw_ev_mem read = {.space = e->from_space,
                      .bytes = (uint32_t)e->bytes[lane],
                      .is_read = true,
                      .is_async = true,
                      .order = SW_ORDER_WEAK,
                      .owner = e->from_owner,
                      .addr = e->from};
    sw_ev_mem write = {.space = e->to_space,
                       .bytes = (uint32_t)e->bytes[lane] > e->written
                                    ? (uint32_t)e->bytes[lane]
                                    : e->written,
                       .is_write = true,
                       .is_async = true,
                       .order = SW_ORDER_WEAK,
                       .owner = e->to_owner,
                       .addr = e->to};
    sw_ev_where at = *where;
    at.mask = 1u << lane;
    race_access_bulk(b, &at, &read, SW_STRENGTH_BULK, of, reader);
    race_access_bulk(b, &at, &write,
                     reduces ? SW_STRENGTH_REDUCE : SW_STRENGTH_BULK, of,
                     writer);
}

/* ---- bulk groups ---- */

/* All groups of the thread but the last `left` have ended, for one of its
 * agents. */
static void
wait_for(race_block *b, uint32_t thread, unsigned kind, uint32_t left)
{
    uint32_t i = find_agent(b, key_of(thread, kind));
    sw_clock clock = b->agents[i].clock; /* of the group that is open */
    if (!b->agents[i].key || clock <= left + 1)
        return;
    sw_view *known = sw_clocks_of_agent(b->clocks, i, clock - left - 1);
    sw_clocks_learn(b->clocks, thread / 32, thread % 32, known, true);
    sw_view_unref(known);
}

static void
commit(race_block *b, uint32_t thread)
{
    for (unsigned kind = OF_READS; kind <= OF_WRITES; kind++)
        b->agents[take_agent(b, key_of(thread, kind))].clock++;
}

void
race_bulk_event(race_block *block, const sw_ev_where *where,
                const sw_ev_async *event)
{
    bool is_copy =
        event->kind == SW_ASYNC_BULK || event->kind == SW_ASYNC_REDUCE;
    race_sync_settle(block, where->warp);
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t thread = where->warp * 32 + lane;
        if (is_copy)
            copy_lane(block, where, event, lane);
        else if (event->kind == SW_ASYNC_BULK_COMMIT)
            commit(block, thread);
        else if (event->kind == SW_ASYNC_BULK_WAIT ||
                 event->kind == SW_ASYNC_BULK_READ)
            wait_for(block, thread, OF_READS, event->groups);
        if (event->kind == SW_ASYNC_BULK_WAIT)
            wait_for(block, thread, OF_WRITES, event->groups);
    }
}
