/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - paths of a warp that wait for somebody: which loop only repeats
 * itself, who yields, and who stays behind for those that have; see interp.h.
 *
 * Lanes that have left a loop which others still run wait for these where they
 * are to meet. If the others yield in it, they may wait for another warp, or
 * for these very lanes. A device does not tell either. Loops that try atomics
 * wait for locks, which those may hold that have left them; other loops wait
 * for something to be said, mostly by another warp, and programs rely on
 * meeting behind them. Once nothing goes on anywhere, or that has lasted, they
 * wait for these lanes, and from then on no lane of the program stays behind.
 */
#include "interp/interp.h"
#include "interp/tune.h"

enum { WAYS = 4 };

static uint64_t
mix(uint64_t h, uint64_t x)
{
    return (h ^ x) * 0xff51afd7ed558ccdu + (h >> 29);
}

/* Of a function and its callers: one that calls itself may come to the same
 * place with the same registers, and yet go on. */
static uint64_t
hash_registers(const sw_frame *frame)
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (; frame; frame = frame->up) {
        const uint64_t *p = (const uint64_t *)(const void *)frame->regs;
        size_t n = frame->code->junk / sizeof *p, i = 0;
        uint64_t x[WAYS] = {1, 2, 3, 4}; /* side by side, as mix takes long */
        for (; i + WAYS <= n; i += WAYS)
            for (unsigned k = 0; k < WAYS; k++)
                x[k] = mix(x[k], p[i + k]);
        for (; i < n; i++)
            h = mix(h, p[i]);
        for (unsigned k = 0; k < WAYS; k++)
            h = mix(h, x[k]);
        h = mix(h, (uint64_t)frame->live << 32 | frame->return_pc);
    }
    return h;
}

bool
sw_interp_is_spinning(sw_path *p, uint32_t to)
{
    bool is_new = p->check_pc == 0 || p->yields_next;
    if (is_new || p->check_pc == to + 1) {
        uint64_t hash = hash_registers(p->frame);
        if (p->check_pc == to + 1 && p->check_hash == hash)
            return true;
        if (is_new) {
            p->check_pc = to + 1;
            p->check_hash = hash;
            p->check_until = p->back_edges + sw_interp_tune.spin_tries;
            p->has_snapshot = false;
        }
    }
    p->check_at = p->back_edges + 1;
    if (p->back_edges >= p->check_until) { /* no: look again much later */
        p->check_at = p->has_snapshot ? sw_interp_tune.spin_check_shared
                                      : 2 * p->back_edges;
        p->check_pc = 0;
        p->has_snapshot = false;
    }
    return false;
}

void
sw_interp_rest_path(sw_path *p, bool spins)
{
    p->has_yielded = true;
    p->is_spin = spins && p->has_snapshot;
    p->back_edges = 0;
    p->check_at = spins ? 1 : sw_interp_tune.spin_check_shared;
    p->check_until = sw_interp_tune.spin_tries_yielded;
    p->has_snapshot = spins || p->yields_next;
    if (!p->has_snapshot)
        p->check_pc = 0;
    p->yields_next = false;
    p->had_atomics = p->has_atomics;
    p->has_atomics = p->has_tried = false;
    p->tries = 0;
}

bool
sw_interp_goes_first(const sw_path *a, const sw_path *b)
{
    if (a->frame->depth != b->frame->depth)
        return a->frame->depth > b->frame->depth;
    if (a->position != b->position)
        return a->position < b->position;
    return a->pc < b->pc; /* behind a call that others have yet to make */
}

/* ---- who waits for whom ---- */

uint32_t
sw_interp_takers(const sw_path *p)
{
    const sw_dins *d = &p->frame->code->ins[p->pc];
    if (d->guard == SW_NO_GUARD)
        return p->mask;
    uint32_t guard = *(uint32_t *)(void *)(p->frame->regs + d->guard);
    return p->mask & (guard ^ d->guard_flip);
}

/* A device takes such as one, wherever they are; lanes that come to different
 * operations wait for each other for ever. */
bool
sw_interp_do_the_same(const sw_path *p, const sw_path *q)
{
    const sw_ins *a = p->frame->code->ins[p->pc].ins;
    const sw_ins *b = q->frame->code->ins[q->pc].ins;
    return p->wanted == q->wanted && a->op == b->op && a->sub == b->sub &&
           a->type == b->type && a->flags == b->flags;
}

bool
sw_interp_have_met(const sw_iwarp *iw, const sw_path *p, uint32_t ended)
{
    uint32_t there = 0;
    for (uint32_t i = 0; i < iw->path_count; i++) {
        const sw_path *q = &iw->paths[i];
        if (q->state == SW_PATH_LANES && sw_interp_do_the_same(p, q))
            there |= sw_interp_takers(q);
    }
    return !(p->wanted & ~there & ~ended);
}

/* ---- who stays behind ---- */

/* Of the paths that rest the one to go first; NULL: none does. */
static const sw_path *
first_at_rest(const sw_iwarp *iw)
{
    const sw_path *first = NULL;
    for (uint32_t i = 0; i < iw->path_count; i++) {
        const sw_path *p = &iw->paths[i];
        if (p->state == SW_PATH_RUN && p->has_yielded &&
            (!first || sw_interp_goes_first(p, first)))
            first = p;
    }
    return first;
}

bool
sw_interp_may_pass(const sw_warp *warp, const sw_path *p)
{
    sw_iwarp *iw = warp->state;
    sw_interp_code *all = warp->blk->program->code;
    const sw_path *rest = first_at_rest(iw);
    if (!rest || rest->had_atomics || !sw_interp_goes_first(rest, p) ||
        atomic_load_explicit(&all->lanes_wait, memory_order_relaxed))
        return true;
    uint64_t now = sw_time_ns();
    if (p->mask & ~iw->held) {
        iw->held |= p->mask;
        iw->held_ns = now;
    }
    uint64_t for_ns = now - iw->held_ns;
    if (!sw_engine_all_wait() && for_ns <= sw_interp_tune.held_ns) {
        if (for_ns > sw_interp_tune.held_long_ns)
            atomic_store_explicit(&all->held_at_ns, now, memory_order_relaxed);
        return false;
    }
    atomic_store_explicit(&all->lanes_wait, true, memory_order_relaxed);
    return true;
}

/* Lanes that are no longer ahead of lanes that rest are held no more. */
static void
release(sw_iwarp *iw)
{
    const sw_path *rest = first_at_rest(iw);
    uint32_t ahead = 0;
    for (uint32_t i = 0; i < iw->path_count; i++)
        if (rest && sw_interp_goes_first(rest, &iw->paths[i]))
            ahead |= iw->paths[i].mask;
    iw->held &= ahead;
}

bool
sw_interp_resume_yielded(const sw_warp *warp, bool *all_spin)
{
    sw_iwarp *iw = warp->state;
    bool any = false;
    *all_spin = true;
    if (iw->held)
        release(iw);
    for (uint32_t i = 0; i < iw->path_count; i++) {
        sw_path *p = &iw->paths[i];
        if (p->state == SW_PATH_RUN && p->has_yielded) {
            any = true;
            *all_spin = *all_spin && p->is_spin;
        }
        p->has_yielded = false;
        p->is_spin = false;
    }
    return any;
}

/* ---- for a back end that runs most by itself ---- */

bool
sw_interp_is_stop(sw_iwarp *iw, const sw_path *p)
{
    uint32_t i = 0;
    while (i < iw->stop_count && iw->stops[i] != p->pc)
        i++;
    if (i == iw->stop_count || p->frame != iw->root)
        return false;
    bool passes = iw->passes > 0;
    iw->passes -= passes;
    iw->current = (uint32_t)(p - iw->paths);
    return !passes;
}
