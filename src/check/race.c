/* SPDX-License-Identifier: Apache-2.0 */
/*
 * race.c - the race tool: two accesses to one byte of shared or global memory,
 * at least one of which writes, that nothing orders and that are not both
 * strong (PTX ISA, Memory Consistency Model, Data-races).
 *
 * Order comes from what the program says, not from how this run went: barriers,
 * warp synchronisation, fences with atomics, mbarriers, waits for asynchronous
 * copies, streams and events. So a race is found whichever access came first.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "check/race.h"
#include "check/tool.h"
#include "ir/proxy.h"

/* ---- blocks ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)block;
    race_launch *l = arg;
    uint32_t warps = (l->threads + 31) / 32;
    const sw_watch_launch *w = l->launch;
    uint64_t shared =
        (uint64_t)w->static_shared_bytes + w->dynamic_shared_bytes;
    race_block *b = sw_alloc(sizeof *b);
    b->launch = l;
    b->index = index;
    b->clocks = sw_clocks_create(index, l->threads, l->in_lockstep);
    b->shared_chunks = (uint32_t)(shared / SW_CHUNK_BYTES + 2);
    b->shared = sw_alloc(b->shared_chunks * sizeof *b->shared);
    b->arrived = sw_alloc(3 * warps * sizeof *b->arrived);
    b->members = b->arrived + warps;
    b->ended = b->members + warps;
    b->waits = sw_alloc(warps * sizeof *b->waits);
    pthread_mutex_lock(&l->lock);
    b->next = l->blocks;
    l->blocks = b;
    pthread_mutex_unlock(&l->lock);
    return b;
}

static void
destroy_block(race_block *b)
{
    for (uint32_t i = 0; i < b->shared_chunks; i++)
        sw_chunk_destroy(b->shared[i]);
    race_vars_finish(&b->vars);
    sw_clocks_destroy(b->clocks);
    sw_free(b->shared);
    sw_free(b->arrived);
    sw_free(b->async);
    sw_free(b->waits);
    sw_free(b);
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    race_launch *l = arg;
    race_block *b = state, **at = &l->blocks;
    if (l->has_clusters)
        race_access_end(b);
    pthread_mutex_lock(&l->lock);
    while (*at != b)
        at = &(*at)->next;
    *at = b->next;
    pthread_mutex_unlock(&l->lock);
    destroy_block(b);
}

/* ---- events ---- */

static void
meet(race_launch *l, const sw_ev_where *where)
{
    race_ins *i = &l->ins[where->index];
    if (!i->fn) {
        i->ins = where->ins;
        i->fn = where->fn;
    }
}

static void
mem(void *arg, const sw_ev_where *where, const sw_ev_mem *m)
{
    race_launch *l = arg;
    if (m->space != SW_SPACE_SHARED && m->space != SW_SPACE_GLOBAL)
        return;
    meet(l, where);
    race_access(where->state, where, m);
}

static void
barrier(void *arg, const sw_ev_where *where, const sw_ev_barrier *e)
{
    (void)arg;
    race_block *b = where->state;
    uint32_t lanes = where->mask | b->ended[where->warp];
    uint32_t count = b->launch->threads - 32 * where->warp;
    uint32_t whole = count < 32 ? (1u << count) - 1 : UINT32_MAX;
    bool is_full = !e->expected || e->expected >= e->live;
    race_sync_settle(b, where->warp);
    if (e->is_cluster) {
        race_sync_cluster(b, where, e);
        return;
    }
    if (e->is_arrival)
        sw_clocks_arrive(b->clocks, where->warp, lanes, e->barrier,
                         e->generation);
    else
        sw_clocks_leave(b->clocks, where->warp, lanes, e->barrier,
                        e->generation - 1, is_full && (lanes & whole) == whole);
}

/* Lanes that name the same members arrive, maybe one after the other. */
static void
arrive_at_warp(race_block *b, uint32_t w, uint32_t lanes, uint32_t members,
               uint32_t ended)
{
    if ((lanes & members & ~ended) == (members & ~ended)) {
        sw_clocks_sync_warp(b->clocks, w, lanes | b->ended[w]);
        return;
    }
    b->arrived[w] |= lanes;
    b->members[w] |= members;
    uint32_t all = b->members[w] & ~ended;
    if ((b->arrived[w] & all) != all)
        return;
    sw_clocks_sync_warp(b->clocks, w, b->arrived[w] | b->ended[w]);
    b->arrived[w] = b->members[w] = 0;
}

/* bar.warp.sync: groups of lanes may execute it at once. */
static void
warp(void *arg, const sw_ev_where *where, const sw_ev_warp *e)
{
    (void)arg;
    race_block *b = where->state;
    race_sync_settle(b, where->warp);
    if (where->ins->op != SW_OP_BAR_WARP)
        return;
    for (uint32_t left = where->mask, same; left; left &= ~same) {
        uint32_t members = e->members[__builtin_ctz(left)];
        same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (e->members[__builtin_ctz(m)] == members)
                same |= m & -m;
        arrive_at_warp(b, where->warp, same, members, e->ended);
    }
}

static void
fence(void *arg, const sw_ev_where *where, const sw_ev_fence *e)
{
    (void)arg;
    race_block *b = where->state;
    race_sync_settle(b, where->warp);
    if (where->ins->sub == SW_PROXY_ASYNC) {
        sw_clocks_fence_proxy(b->clocks, where->warp, where->mask);
        atomic_store(&b->launch->has_proxy_fence, true);
    }
    sw_clocks_fence(b->clocks, where->warp, where->mask,
                    e->scope != SW_SCOPE_CTA);
}

static void
async(void *arg, const sw_ev_where *where, const sw_ev_async *e)
{
    meet(arg, where);
    race_async_event(where->state, where, e);
    race_bulk_event(where->state, where, e);
}

static void
mbar(void *arg, const sw_ev_where *where, const sw_ev_mbar *e)
{
    (void)arg;
    race_sync_settle(where->state, where->warp);
    race_sync_mbar(where->state, where, e);
}

static void
exited(void *arg, const sw_ev_where *where, const sw_ev_exit *e)
{
    (void)arg;
    (void)e;
    race_block *b = where->state;
    b->ended[where->warp] |= where->mask;
}

static void
heap(void *arg, const sw_ev_where *where, const sw_ev_heap *e)
{
    race_launch *l = arg;
    for (uint32_t left = where->mask; left && !e->is_free; left &= left - 1) {
        int lane = __builtin_ctz(left);
        if (e->addr[lane])
            sw_shadow_forget(l->tool->global, e->addr[lane], e->bytes[lane]);
    }
}

/* ---- launches ---- */

static const sw_observer callbacks = {
    .events = SW_EV_BLOCK | SW_EV_MEM | SW_EV_BARRIER | SW_EV_WARP |
              SW_EV_ASYNC | SW_EV_MBAR | SW_EV_FENCE | SW_EV_HEAP | SW_EV_EXIT |
              SW_EV_VALUES | SW_EV_ORDER,
    .block_begin = block_begin,
    .block_end = block_end,
    .mem = mem,
    .barrier = barrier,
    .warp = warp,
    .fence = fence,
    .async = async,
    .mbar = mbar,
    .exited = exited,
    .heap = heap};

static void *
launch_begin(void *arg, const sw_check_launch *launch,
             const sw_observer **observer)
{
    race_tool *t = arg;
    const sw_watch_launch *w = launch->launch;
    uint64_t blocks = (uint64_t)w->grid[0] * w->grid[1] * w->grid[2];
    race_launch *l = sw_alloc(sizeof *l);
    l->threads = w->block[0] * w->block[1] * w->block[2];
    l->agents = sw_clock_first_agent(l->threads);
    if (!sw_access_layout_of(blocks, l->agents + SW_CLOCK_AGENTS, w->ins_count,
                             &l->layout)) {
        sw_log(SW_LOG_WARN,
               "softwarp check: a launch of %s is too large for the race tool",
               w->fn->name);
        sw_free(l);
        return NULL;
    }
    l->tool = t;
    l->id = w->grid_id;
    l->op = w->op;
    l->kernel = sw_strdup(w->fn->name);
    l->stack = launch->stack;
    memcpy(l->block_shape, w->block, sizeof l->block_shape);
    memcpy(l->grid_shape, w->grid, sizeof l->grid_shape);
    l->has_clusters =
        (uint64_t)w->cluster[0] * w->cluster[1] * w->cluster[2] > 1;
    l->in_lockstep = w->device->cc < 70;
    l->ins_count = w->ins_count;
    l->ins = sw_alloc(w->ins_count * sizeof *l->ins);
    l->launch = w;
    l->observer = callbacks;
    l->observer.arg = l;
    pthread_mutex_init(&l->lock, NULL);
    race_copy_begin(l);
    pthread_mutex_lock(&t->lock);
    *(race_launch **)sw_vec_push(&t->launches) = l;
    pthread_mutex_unlock(&t->lock);
    *observer = &l->observer;
    return l;
}

/* Its cells stay, so the places of its instructions do: the module may go. */
static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    (void)arg;
    (void)end;
    race_launch *l = launch;
    if (!l)
        return;
    sw_find_place *places = sw_alloc(l->ins_count * sizeof *places);
    const char *kept = "", *last = "";
    for (uint32_t i = 0; i < l->ins_count; i++) {
        places[i] = (sw_find_place){"", 0};
        if (!l->ins[i].fn)
            continue;
        places[i] = sw_find_user_place_of(l->ins[i].fn, l->ins[i].ins);
        if (places[i].file != last) {
            last = places[i].file;
            kept = sw_strdup(last);
        }
        places[i].file = kept;
    }
    while (l->blocks) { /* that a fault has stopped */
        race_block *next = l->blocks->next;
        destroy_block(l->blocks);
        l->blocks = next;
    }
    race_vars_finish(&l->vars);
    sw_vec_finish(&l->ranges);
    sw_free(l->ins);
    l->ins = NULL;
    l->places = places;
    l->launch = NULL;
}

/* ---- the process ---- */

static void
memory(void *tool, const sw_memory_event *e)
{
    race_tool *t = tool;
    sw_order_event(t->order, e);
    if (e->kind == SW_MEV_ALLOC || e->kind == SW_MEV_REUSE) {
        sw_shadow_forget(t->global, e->range.addr, e->range.bytes);
        race_copy_forget(t, &e->range);
    } else if (e->kind == SW_MEV_COPY || e->kind == SW_MEV_FILL ||
               e->kind == SW_MEV_COMPUTE || e->kind == SW_MEV_OP_QUEUED) {
        race_copy_event(t, e);
    }
}

static void *
open_tool(sw_check *check)
{
    race_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    t->order = sw_order_create();
    t->global = sw_shadow_create();
    pthread_mutex_init(&t->lock, NULL);
    sw_vec_init(&t->ranges, sizeof(race_range));
    t->queued = sw_queued_create();
    sw_vec_init(&t->launches, sizeof(race_launch *));
    return t;
}

const sw_check_tool_fns sw_check_tool_race = {
    .id = SW_CHECK_RACE,
    .memory_events = SW_ORDER_EVENTS | SW_MEV_ALLOC | SW_MEV_REUSE |
                     SW_MEV_COPY | SW_MEV_FILL | SW_MEV_COMPUTE,
    .open = open_tool,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .memory = memory};
