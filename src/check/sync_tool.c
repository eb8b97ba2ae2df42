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

#include "check/conditional.h"
#include "check/tool.h"

/* A barrier of the whole block in the program, and how often each of the
 * block's threads has executed it. */
typedef struct {
    const sw_fn *fn;
    const sw_ins *ins;
    uint32_t *counts;  /* [threads] */
    sw_ev_where where; /* of the first lanes that came */
} bar_site;

typedef struct {
    sw_check *check;
} sync_tool;

typedef struct {
    sync_tool *tool;
    const sw_watch_launch *launch;
    sw_observer observer;
    uint32_t threads; /* of a block */
} sync_launch;

/* What the first to arrive at a barrier said of it, until it is completed. */
typedef struct {
    const sw_ins *ins; /* NULL: nobody has arrived */
    uint32_t expected, generation;
} bar_phase;

enum { BARRIERS = 16 };

typedef struct {
    sw_vec sites; /* bar_site */
    bar_phase phases[BARRIERS];
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

/* ---- barriers of the block ----
 *
 * Threads that do not execute a barrier as often as the others have passed it
 * by, unless they ended before it. That is looked at when the block has ended,
 * so that it does not matter who came first. */

static bar_site *
site_of(sync_launch *l, sync_block *b, const sw_ev_where *where)
{
    for (size_t i = 0; i < b->sites.count; i++) {
        bar_site *s = sw_vec_at(&b->sites, i);
        if (s->ins == where->ins)
            return s;
    }
    bar_site *s = sw_vec_push(&b->sites);
    *s = (bar_site){where->fn, where->ins,
                    sw_alloc((l->threads + 31) / 32 * 32 * sizeof *s->counts),
                    *where};
    return s;
}

static void
check_count(sync_launch *l, const sw_ev_where *where, const sw_ev_barrier *e)
{
    char message[160];
    if (e->expected % 32)
        report(l, SW_FIND_SYNC_COUNT, where, where->mask, NULL,
               "the number of threads is no multiple of 32");
    if (e->expected <= l->threads)
        return;
    snprintf(message, sizeof message,
             "the barrier waits for %u threads, and the block has %u",
             e->expected, l->threads);
    report(l, SW_FIND_SYNC_COUNT, where, where->mask, NULL, message);
}

/* All that arrive at a barrier wait for as many threads. */
static void
check_phase(sync_launch *l, sync_block *b, const sw_ev_where *where,
            const sw_ev_barrier *e)
{
    char message[160];
    bar_phase *p = &b->phases[e->barrier % BARRIERS];
    if (!p->ins || p->generation != e->generation) {
        *p = (bar_phase){where->ins, e->expected, e->generation};
        return;
    }
    if (p->expected == e->expected)
        return;
    snprintf(message, sizeof message,
             "barrier %u waits for %u threads here, and for %u where others "
             "arrived before",
             e->barrier, e->expected, p->expected);
    report(l, SW_FIND_SYNC_COUNT, where, where->mask, p->ins, message);
}

static void
barrier(void *arg, const sw_ev_where *where, const sw_ev_barrier *e)
{
    sync_launch *l = arg;
    if (e->is_cluster || !e->is_arrival)
        return;
    if (e->expected) {
        check_count(l, where, e);
        check_phase(l, where->state, where, e);
        return;
    }
    bar_site *s = site_of(l, where->state, where);
    for (uint32_t left = where->mask; left; left &= left - 1)
        s->counts[32 * where->warp + (uint32_t)__builtin_ctz(left)]++;
}

/* Threads that executed it less often than others did. */
static uint32_t
count_missing(const sync_launch *l, const bar_site *s)
{
    uint32_t most = 0, missing = 0;
    for (uint32_t t = 0; t < l->threads; t++)
        most = s->counts[t] > most ? s->counts[t] : most;
    for (uint32_t t = 0; t < l->threads; t++)
        missing += s->counts[t] < most;
    return missing;
}

/* The block's barriers that threads passed by: one finding, with the place of
 * another one that they may have executed instead. */
static void
check_sites(sync_launch *l, const sync_block *b)
{
    const bar_site *wrong[2] = {NULL, NULL};
    bool ends_count = l->launch->device->cc >= 70;
    for (size_t i = 0; i < b->sites.count && !wrong[1]; i++) {
        const bar_site *s = sw_vec_at(&b->sites, i);
        if (!count_missing(l, s) ||
            (ends_count && !sw_check_is_conditional(s->fn, s->ins)))
            continue;
        wrong[wrong[0] != NULL] = s;
    }
    if (!wrong[0])
        return;
    char message[160];
    snprintf(message, sizeof message,
             "%u of the block's %u threads pass it by%s",
             count_missing(l, wrong[0]), l->threads,
             wrong[1] ? ", or wait at another one" : "");
    report(l, SW_FIND_SYNC_DIVERGENT, &wrong[0]->where, wrong[0]->where.mask,
           wrong[1] ? wrong[1]->ins : NULL, message);
}

/* ---- warp functions ---- */

/* False after saying what is wrong with a mask. */
static bool
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
            return false;
        }
        uint32_t first = e->members[__builtin_ctz(where->mask)];
        if (members != first && members & (1u << __builtin_ctz(where->mask))) {
            snprintf(message, sizeof message,
                     "lanes that name each other give different masks, 0x%08x "
                     "and 0x%08x",
                     first, members);
            report(l, SW_FIND_SYNC_MASK, where, 1u << lane, NULL, message);
            return false;
        }
    }
    return true;
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

/* Lanes that the mask names have gone past the function and ended. */
static void
check_passed(sync_launch *l, const sw_ev_where *where, const sw_ev_warp *e)
{
    char message[160];
    uint32_t members = e->members[__builtin_ctz(where->mask)];
    uint32_t passed = members & ~where->mask & e->ended;
    uint32_t count = l->threads - 32 * where->warp;
    if (count < 32)
        passed &= (1u << count) - 1;
    if (!passed || l->launch->device->cc < 70 ||
        where->ins->op == SW_OP_BAR_WARP ||
        !sw_check_is_conditional(where->fn, where->ins))
        return;
    snprintf(message, sizeof message,
             "the mask 0x%08x names lane %d, which goes past it", members,
             __builtin_ctz(passed));
    report(l, SW_FIND_SYNC_MASK, where, where->mask, NULL, message);
}

static void
warp(void *arg, const sw_ev_where *where, const sw_ev_warp *e)
{
    if (!check_members(arg, where, e))
        return;
    check_sources(arg, where, e);
    check_passed(arg, where, e);
}

/* ---- launches ---- */

static void *
block_begin(void *arg, const uint32_t block[3], uint64_t index)
{
    (void)arg;
    (void)block;
    (void)index;
    sync_block *b = sw_alloc(sizeof *b);
    sw_vec_init(&b->sites, sizeof(bar_site));
    return b;
}

static void
block_end(void *arg, void *state, const uint32_t block[3], uint64_t index)
{
    (void)block;
    (void)index;
    sync_block *b = state;
    check_sites(arg, b);
    for (size_t i = 0; i < b->sites.count; i++)
        sw_free(((bar_site *)sw_vec_at(&b->sites, i))->counts);
    sw_vec_finish(&b->sites);
    sw_free(b);
}

/* The threads wait at the barrier of a cluster, or inside of a library's
 * function in a launch whose blocks can wait for each other. */
static bool
is_beyond_block(const sync_launch *l, const sw_ev_where *where)
{
    const sw_module *m = where->fn->module;
    uint32_t loc = where->ins->loc;
    const char *file =
        loc && loc < m->loc_count && m->locs[loc].file < m->file_count
            ? m->files[m->locs[loc].file]
            : NULL;
    return where->ins->op == SW_OP_BAR_CLUSTER ||
           (l->launch->is_cooperative && file && sw_check_is_header(file));
}

/* A function of a warp whose mask the device refuses. */
static bool
is_of_members(const sw_ev_where *where, const sw_ev_fault *e)
{
    static const uint16_t ops[] = {SW_OP_VOTE, SW_OP_SHFL, SW_OP_MATCH,
                                   SW_OP_REDUX, SW_OP_BAR_WARP};
    bool is_one = false;
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        is_one |= where->ins->op == ops[i];
    return is_one && e->status == SW_E_ILLEGAL_INSTRUCTION;
}

static void
fault(void *arg, const sw_ev_where *where, const sw_ev_fault *e)
{
    sync_launch *l = arg;
    if (is_of_members(where, e))
        report(l, SW_FIND_SYNC_MASK, where, e->lane < 32 ? 1u << e->lane : 0,
               NULL, "a lane executes it with a mask that does not name it");
    if (e->status != SW_E_LAUNCH_TIMEOUT)
        return;
    bool is_grid = is_beyond_block(l, where);
    report(l, is_grid ? SW_FIND_SYNC_GRID : SW_FIND_SYNC_DIVERGENT, where,
           e->lane < 32 ? 1u << e->lane : 0, NULL,
           is_grid ? "threads wait here for other blocks, which never come"
                   : "threads wait here for others that never come");
}

static const sw_observer callbacks = {.events = SW_EV_BLOCK | SW_EV_BARRIER |
                                                SW_EV_WARP | SW_EV_EXIT |
                                                SW_EV_FAULT,
                                      .block_begin = block_begin,
                                      .block_end = block_end,
                                      .barrier = barrier,
                                      .warp = warp,
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
