/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync_tool.c - the sync tool: barriers that some threads of the block never
 * reach, barriers with wrong counts, member masks that do not name the lanes
 * that execute, and shuffles from lanes that take no part.
 *
 * Barriers of a block are held against the threads that live when the barrier
 * is completed, by the rules of the device: before 7.0 a warp counts as a
 * whole, later each thread does.
 */
#include <stdio.h>
#include <string.h>

#include "check/tool.h"

enum { BARRIERS = 16 };

/* Who has arrived since a barrier was last completed. */
typedef struct {
    const sw_fn *fn;   /* of the first arrival; NULL: none yet */
    const sw_ins *ins; /* ... */
    uint32_t arrived;  /* threads */
    bool is_split;     /* another bar instruction was used as well */
    const sw_ins *other;
} barrier_state;

typedef struct {
    sw_check *check;
} sync_tool;

typedef struct {
    sync_tool *tool;
    const sw_watch_launch *launch;
    sw_observer observer;
    uint32_t threads; /* of a block */
} sync_launch;

typedef struct {
    barrier_state barriers[BARRIERS];
    uint32_t ended;     /* threads */
    uint32_t async_left; /* lanes with cp.async that nobody has waited for */
} sync_block;

static void
report(sync_launch *l, sw_find_kind kind, const sw_ev_where *where,
       uint32_t lanes, const sw_ins *other, const char *message)
{
    sw_find_threads threads = sw_check_threads_of(l->launch, where, lanes);
    sw_find_report r = {.kind = kind,
                        .kernel = l->launch->fn->name,
                        .message = message,
                        .fn = where->fn,
                        .ins = where->ins,
                        .other_fn = other ? where->fn : NULL,
                        .other_ins = other,
                        .threads = &threads,
                        .launch = l->launch->grid_id};
    sw_findings_add(l->tool->check->findings, &r);
}

/* ---- barriers of the block ---- */

static void
arrive(sync_launch *l, sync_block *b, const sw_ev_where *where,
       const sw_ev_barrier *e)
{
    barrier_state *s = &b->barriers[e->barrier];
    char message[160];
    if (!s->fn) {
        s->fn = where->fn;
        s->ins = where->ins;
    }
    /* Threads of one barrier that come from two places of the program: the
     * device completes it, but each place is one that not all threads reach. */
    if (s->ins != where->ins && !e->expected && e->waits) {
        report(l, SW_FIND_SYNC_DIVERGENT, where, where->mask, s->ins,
               "threads of a block wait at two different __syncthreads() for "
               "each other");
    }
    s->arrived += (uint32_t)__builtin_popcount(where->mask);
    if (e->expected && e->expected % 32)
        report(l, SW_FIND_SYNC_COUNT, where, where->mask, NULL,
               "the number of threads is no multiple of 32");
    if (e->expected > l->threads) {
        snprintf(message, sizeof message,
                 "the barrier waits for %u threads, and the block has %u",
                 e->expected, l->threads);
        report(l, SW_FIND_SYNC_COUNT, where, where->mask, NULL, message);
    }
}

/* The first to leave: it is completed. Threads that ended without it are told
 * of, since the program means a barrier of the whole block. */
static void
leave(sync_launch *l, sync_block *b, const sw_ev_where *where,
      const sw_ev_barrier *e)
{
    barrier_state *s = &b->barriers[e->barrier];
    char message[160];
    if (!s->fn)
        return;
    uint32_t missing = l->threads - b->ended < s->arrived
                           ? 0
                           : l->threads - b->ended - s->arrived;
    if (!e->expected && missing && l->launch->device->cc >= 70) {
        snprintf(message, sizeof message,
                 "%u of the block's %u threads have not reached it", missing,
                 l->threads);
        report(l, SW_FIND_SYNC_DIVERGENT, where, where->mask, NULL, message);
    }
    *s = (barrier_state){0};
}

static void
barrier(void *arg, const sw_ev_where *where, const sw_ev_barrier *e)
{
    if (e->is_cluster || e->barrier >= BARRIERS)
        return;
    if (e->is_arrival)
        arrive(arg, where->state, where, e);
    else
        leave(arg, where->state, where, e);
}

static void
exited(void *arg, const sw_ev_where *where, const sw_ev_exit *e)
{
    (void)arg;
    (void)e;
    sync_block *b = where->state;
    b->ended += (uint32_t)__builtin_popcount(where->mask);
}

/* ---- warp functions ---- */

static void
check_members(sync_launch *l, const sw_ev_where *where, const sw_ev_warp *e)
{
    char message[160];
    for (uint32_t left = where->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t members = e->members[lane];
        if (!(members >> lane & 1)) {
            snprintf(message, sizeof message,
                     "lane %u executes it with the mask 0x%08x, which does not "
                     "name it",
                     lane, members);
            report(l, SW_FIND_SYNC_MASK, where, 1u << lane, NULL, message);
            return;
        }
        uint32_t first = e->members[__builtin_ctz(where->mask)];
        if (members != first && members & (1u << __builtin_ctz(where->mask))) {
            snprintf(message, sizeof message,
                     "lanes that name each other give different masks, 0x%08x "
                     "and 0x%08x",
                     first, members);
            report(l, SW_FIND_SYNC_MASK, where, 1u << lane, NULL, message);
            return;
        }
        if (members & e->ended) {
            snprintf(message, sizeof message,
                     "the mask 0x%08x names lanes that have ended: 0x%08x",
                     members, members & e->ended);
            report(l, SW_FIND_SYNC_MASK, where, 1u << lane, NULL, message);
            return;
        }
    }
}

static void
check_sources(sync_launch *l, const sw_ev_where *where, const sw_ev_warp *e)
{
    char message[160];
    for (uint32_t left = where->mask; e->from && left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left), from = e->from[lane];
        if (where->mask >> from & 1)
            continue;
        snprintf(message, sizeof message,
                 "lane %u reads of lane %u, which does not execute the shuffle",
                 lane, from);
        report(l, SW_FIND_SYNC_SHUFFLE, where, 1u << lane, NULL, message);
        return;
    }
}

static void
warp(void *arg, const sw_ev_where *where, const sw_ev_warp *e)
{
    check_members(arg, where, e);
    check_sources(arg, where, e);
}

/* ---- launches ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    return sw_alloc(sizeof(sync_block));
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    sw_free(state);
}

static void
fault(void *arg, const sw_ev_where *where, const sw_ev_fault *e)
{
    sync_launch *l = arg;
    if (e->status == SW_E_LAUNCH_TIMEOUT)
        report(l, SW_FIND_SYNC_DIVERGENT, where, 1u << e->lane, NULL,
               "threads wait here for others that never come");
}

static const sw_observer callbacks = {
    .events = SW_EV_BLOCK | SW_EV_BARRIER | SW_EV_WARP | SW_EV_EXIT |
              SW_EV_FAULT,
    .block_begin = block_begin,
    .block_end = block_end,
    .barrier = barrier,
    .warp = warp,
    .exited = exited,
    .fault = fault};

static void *
launch_begin(void *arg, const sw_check_launch *launch,
             const sw_observer **observer)
{
    const uint32_t *n = launch->launch->block;
    sync_launch *l = sw_alloc(sizeof *l);
    l->tool = arg;
    l->launch = launch->launch;
    l->threads = n[0] * n[1] * n[2];
    l->observer = callbacks;
    l->observer.arg = l;
    *observer = &l->observer;
    return l;
}

static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    (void)arg;
    (void)end;
    sw_free(launch);
}

static void *
open_tool(sw_check *check)
{
    sync_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    return t;
}

const sw_check_tool_fns sw_check_tool_sync = {.id = SW_CHECK_SYNC,
                                              .open = open_tool,
                                              .launch_begin = launch_begin,
                                              .launch_end = launch_end};
