/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sm.c - a multiprocessor: its schedulers issue operations of warps; see
 * play.h.
 *
 * A scheduler issues for the warp that it issued for last as long as that one
 * can go on, else for the oldest that can; where it is fair, for the one that
 * could first.
 */
#include <math.h>
#include <string.h>

#include "model/play.h"

enum { LANES = 32, CODE_LINE = 8, CODE_LINES = 4096 };

/* ---- what a warp waits for ---- */

static void
rescan(sw_play_scheduler *s, bool is_fair)
{
    double first = INFINITY;
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->warp[i]->ready < first) {
            first = s->warp[i]->ready;
            at = i;
        }
    if (first <= s->free) { /* several may be ready: which one? */
        first = s->free;
        for (at = is_fair ? at : 0;
             at < s->count && s->warp[at]->ready > s->free;)
            at++;
        if (s->last < s->count && s->warp[s->last]->ready <= s->free)
            at = s->last;
    }
    s->next = first;
    s->candidate = at;
}

/* When the operands of its next operation are there. */
static void
find_ready(const sw_player *p, sw_play_warp *w, double least, sw_stall why)
{
    const sw_play_op *op = &w->list->ops[w->pc];
    const uint16_t *slots = (const uint16_t *)p->code->slots.data + op->slots;
    w->ready = least;
    w->why = (uint8_t)why;
    for (unsigned i = 0; i < op->ndst + op->nsrc; i++)
        if (w->when[slots[i]] > w->ready) {
            w->ready = w->when[slots[i]];
            w->why = w->reason[slots[i]];
        }
    if (op->kind == SW_PLAY_FENCE && w->stored > w->ready) {
        w->ready = w->stored;
        w->why = SW_STALL_MEMBAR;
    }
    if (op->kind == SW_PLAY_WAIT) {
        double copied = w->copied > w->block->bulk ? w->copied : w->block->bulk;
        if (copied > w->ready) {
            w->ready = copied;
            w->why = SW_STALL_LONG;
        }
    }
}

/* Its code, which the multiprocessor may not have had yet. */
static double
fetch(sw_player *p, sw_play_sm *sm, const sw_play_list *list)
{
    uint32_t first = list->line / CODE_LINE;
    uint32_t last = (list->line + list->size) / CODE_LINE;
    double clocks = 0;
    for (uint32_t i = first; i <= last; i++) {
        uint64_t *word = &sm->code[i % CODE_LINES / 64];
        uint64_t bit = (uint64_t)1 << i % 64;
        if (*word & bit)
            continue;
        *word |= bit;
        clocks =
            clocks > 0 ? clocks + p->machine->g.fetch / 8 : p->machine->g.fetch;
    }
    return clocks;
}

/* ---- blocks ---- */

static void
end_block(sw_player *p, sw_play_sm *sm, sw_play_resident *b, double t)
{
    double done = (t > b->drained ? t : b->drained) + p->machine->g.exit;
    sm->resident--;
    sw_free(b);
    if (done > p->end)
        p->end = done;
    sw_play_dispatch(p, sm, done);
}

static void
count_warps(sw_play_sm *sm, double t)
{
    if (t > sm->from) {
        sm->warp_clocks += (t - sm->from) * sm->warps;
        sm->from = t;
    }
}

static void
release(sw_player *p, sw_play_sm *sm, sw_play_resident *b, unsigned barrier,
        double t)
{
    sm->rescans = true;
    b->arrived[barrier] = 0;
    for (uint32_t i = 0; i < b->warps; i++) {
        sw_play_warp *w = b->warp[i];
        if (!w || !w->waits || w->barrier != barrier)
            continue;
        w->waits = false;
        find_ready(p, w, t + p->machine->g.barrier, SW_STALL_BARRIER);
    }
}

static bool
is_complete(const sw_play_resident *b, unsigned barrier)
{
    uint32_t wanted = b->expected[barrier];
    wanted = wanted && wanted < b->live ? wanted : b->live;
    return b->arrived[barrier] && b->arrived[barrier] >= wanted;
}

static void
end_warp(sw_player *p, sw_play_sm *sm, sw_play_warp *w, double t)
{
    sw_play_resident *b = w->block;
    sw_play_flush(p, sm, w, t);
    if (w->stored > p->end)
        p->end = w->stored;
    if (p->channel && w->stored > b->drained)
        b->drained = w->stored; /* its room is free when stores have gone */
    count_warps(sm, t);
    sm->warps--;
    for (uint32_t i = 0; i < b->warps; i++)
        if (b->warp[i] == w)
            b->warp[i] = NULL;
    w->block = (sw_play_resident *)(void *)p->spare;
    p->spare = w;
    b->live--;
    for (unsigned i = 0; i < SW_PLAY_BARRIERS && b->live; i++)
        if (is_complete(b, i))
            release(p, sm, b, i, t);
    if (!b->live)
        end_block(p, sm, b, t);
}

/* The list of its next visit; false: the warp has ended. */
static bool
next_list(sw_player *p, sw_play_sm *sm, sw_play_warp *w, double t, sw_stall why)
{
    sw_play_stream *s = &w->stream;
    do {
        if (!sw_play_next(p, s, w->local))
            return false;
        const sw_play_block *block = sw_vec_at(&p->code->blocks, s->block);
        bool copies =
            block->copies.count && s->visits == block->unrolled && !s->played;
        w->is_copies = copies;
        w->visit = (uint8_t)s->played;
        w->list = copies ? &block->copies : &block->once;
        s->played += copies ? block->unrolled : 1;
        w->pc = 0;
    } while (!w->list->count);
    double clocks = fetch(p, sm, w->list);
    if (w->mask && s->mask != w->mask) { /* part, or meet again */
        double n = p->machine->g.diverge;
        p->issued += n;
        t += n * p->machine->g.issue;
        sm->scheduler[w->home].free += n * p->machine->g.issue;
    }
    w->mask = s->mask;
    find_ready(p, w, t + clocks, clocks > 0 ? SW_STALL_FETCH : why);
    return true;
}

static sw_play_warp *
make_warp(sw_player *p)
{
    sw_play_warp *w = p->spare;
    if (w) {
        p->spare = (sw_play_warp *)(void *)w->block;
        sw_play_stream keep = w->stream;
        *w = (sw_play_warp){.stream = keep};
    } else {
        w = sw_alloc(sizeof *w);
    }
    return w;
}

static void
add_warp(sw_player *p, sw_play_sm *sm, sw_play_resident *b, uint32_t i,
         double t)
{
    sw_play_warp *w = make_warp(p);
    w->block = b;
    w->since = t;
    w->local = (uint64_t)1 << 60 | (b->trace->block_index * b->warps + i) << 24;
    b->warp[i] = w;
    sw_play_open(&w->stream, &b->trace->warps[i]);
    sm->warps++;
    if (!next_list(p, sm, w, t, SW_STALL_WAIT)) {
        w->ready = t; /* nothing to do */
        w->list = NULL;
    }
    sw_play_scheduler *s = &sm->scheduler[i % p->schedulers];
    for (uint32_t k = 1; k < p->schedulers; k++) {
        sw_play_scheduler *other = &sm->scheduler[(i + k) % p->schedulers];
        if (other->count < s->count)
            s = other;
    }
    SW_ASSERT(s->count < SW_PLAY_WARPS);
    s->warp[s->count++] = w;
    w->home = (uint8_t)(s - sm->scheduler);
    rescan(s, p->machine->g.is_fair);
}

bool
sw_play_dispatch(sw_player *p, sw_play_sm *sm, double t)
{
    const sw_generation *g = &p->machine->g;
    if (sm->resident >= p->room || p->next_trace >= p->trace_limit)
        return false;
    const sw_trace_block *trace = &p->seen->traces[p->next_trace++];
    sw_play_resident *b = sw_alloc(sizeof *b);
    double start = t > p->dispatched ? t : p->dispatched;
    p->dispatched = start + g->dispatch;
    start += g->block;
    b->trace = trace;
    b->warps = b->live = trace->warp_count;
    sm->resident++;
    count_warps(sm, start);
    for (uint32_t i = 0; i < b->warps; i++)
        add_warp(p, sm, b, i, start + i);
    return true;
}

/* ---- issue ---- */

static bool
is_far(const sw_play_op *op)
{
    return op->kind == SW_PLAY_LOAD || op->kind == SW_PLAY_STORE ||
           op->kind == SW_PLAY_ATOMIC || op->kind == SW_PLAY_REDUCE ||
           op->kind == SW_PLAY_COPY;
}

static sw_play_queue *
queue_of(sw_play_sm *sm, const sw_play_op *op)
{
    return is_far(op) ? &sm->far : &sm->near;
}

/* Into its queue, which it leaves when the pipe and the data path are free. */
static void
enter(sw_play_sm *sm, const sw_play_op *op, double t)
{
    sw_play_queue *q = queue_of(sm, op);
    double free = sm->pipe[op->pipe] > sm->data ? sm->pipe[op->pipe] : sm->data;
    q->leave[q->count++ % SW_PLAY_QUEUE] = free > t ? free : t;
}

static double
left_last(const sw_play_queue *q)
{
    return q->leave[(q->count - 1) % SW_PLAY_QUEUE];
}

/* How long the operation must wait for a place in its queue; *why. */
static double
wait_for_queue(const sw_player *p, sw_play_sm *sm, const sw_play_op *op,
               double t, sw_stall *why)
{
    const sw_play_queue *q = queue_of(sm, op);
    double free = q->leave[q->count % SW_PLAY_QUEUE];
    double data = sm->data - p->machine->g.queue / 8;
    *why = is_far(op)                ? SW_STALL_LG
           : op->pipe == SW_PIPE_TEX ? SW_STALL_TEXTURE
                                     : SW_STALL_MIO;
    if (is_far(op) && data > free)
        free = data;
    return free - t;
}

/* How long the operation must wait for what executes it; *why. */
static double
wait_for_pipe(const sw_player *p, sw_play_sm *sm, const sw_play_scheduler *s,
              const sw_play_op *op, double t, sw_stall *why)
{
    if (op->pipe >= SW_PIPE_LSU)
        return wait_for_queue(p, sm, op, t, why);
    double free = s->pipe[op->pipe];
    if (op->pipe == SW_PIPE_FMA && p->machine->g.is_split && s->half < free)
        free = s->half;
    if (op->count2 && s->pipe[op->pipe2] > free)
        free = s->pipe[op->pipe2];
    *why = SW_STALL_PIPE;
    return free - t;
}

static void
take_pipe(sw_player *p, sw_play_sm *sm, sw_play_scheduler *s, unsigned pipe,
          double count, double t)
{
    double clocks = count * p->machine->busy[pipe];
    double *free = pipe >= SW_PIPE_LSU ? &sm->pipe[pipe] : &s->pipe[pipe];
    if (pipe == SW_PIPE_FMA && p->machine->g.is_split) {
        clocks *= 2; /* each half has half of the lanes */
        free = s->half < *free ? &s->half : free;
        p->pipe_clocks[pipe] -= clocks / 2;
    }
    *free = (*free > t ? *free : t) + clocks;
    p->pipe_clocks[pipe] += clocks;
}

static void
set_results(sw_player *p, sw_play_warp *w, const sw_play_op *op, double t,
            sw_stall why)
{
    const uint16_t *slots = (const uint16_t *)p->code->slots.data + op->slots;
    for (unsigned i = 0; i < op->ndst; i++) {
        w->when[slots[i]] = t;
        w->reason[slots[i]] = (uint8_t)why;
    }
}

/* The first access of a visit's instruction, or behind the last: they lie by
 * visit and place. */
static uint32_t
find_access(const sw_play_warp *w, uint32_t copy, uint32_t at)
{
    const sw_play_access *list = w->stream.accesses.data;
    uint32_t low = 0, high = (uint32_t)w->stream.accesses.count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        const sw_play_access *a = &list[middle];
        if (a->copy < copy || (a->copy == copy && a->at < at))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* All accesses of the operation; when the last of them has come. */
static double
access_memory(sw_player *p, sw_play_sm *sm, sw_play_warp *w,
              const sw_play_op *op, double t)
{
    uint32_t copy = w->is_copies ? op->copy : w->visit;
    double done = t;
    for (uint32_t i = find_access(w, copy, op->at);
         i < w->stream.accesses.count; i++) {
        const sw_play_access *a =
            (const sw_play_access *)w->stream.accesses.data + i;
        if (a->at != op->at || a->copy != copy)
            break;
        double at;
        if (a->space == SW_SPACE_SHARED)
            at = sw_play_shared(p, sm, op, a, t);
        else if (a->space == SW_SPACE_CONST)
            at = sw_play_constant(p, sm, w, a, t);
        else
            at = sw_play_global(p, sm, w, op, a, t);
        done = at > done ? at : done;
    }
    return done;
}

static void
arrive(sw_player *p, sw_play_sm *sm, sw_play_warp *w, const sw_play_op *op,
       double t)
{
    sw_play_resident *b = w->block;
    unsigned barrier = 0;
    uint32_t threads = 0;
    const sw_ins *ins = op->ins;
    if (ins->nsrc && sw_ins_src(ins, 0)->kind == SW_OPND_IMM)
        barrier = sw_ins_src(ins, 0)->imm & (SW_PLAY_BARRIERS - 1);
    if (ins->nsrc > 1 && sw_ins_src(ins, 1)->kind == SW_OPND_IMM)
        threads = (uint32_t)sw_ins_src(ins, 1)->imm;
    b->expected[barrier] = threads / LANES;
    b->arrived[barrier]++;
    if (ins->sub != SW_BAR_ARRIVE) {
        w->waits = true;
        w->barrier = (uint8_t)barrier;
        w->ready = INFINITY;
    }
    if (is_complete(b, barrier))
        release(p, sm, b, barrier, t);
}

/* Executes the operation at t. */
static void
execute(sw_player *p, sw_play_sm *sm, sw_play_warp *w, const sw_play_op *op,
        double t)
{
    double done;
    switch (op->kind) {
    case SW_PLAY_LOAD:
    case SW_PLAY_ATOMIC:
    case SW_PLAY_TEXTURE:
        done = access_memory(p, sm, w, op, t);
        set_results(p, w, op, done, SW_STALL_LONG);
        return;
    case SW_PLAY_BARRIER:
    case SW_PLAY_FENCE:
        sw_play_flush(p, sm, w, t);
        return;
    case SW_PLAY_STORE:
    case SW_PLAY_REDUCE:
        done = access_memory(p, sm, w, op, t);
        w->stored = done > w->stored ? done : w->stored;
        return;
    case SW_PLAY_SHARED:
        done = access_memory(p, sm, w, op, t);
        set_results(p, w, op, done, SW_STALL_SHORT);
        return;
    case SW_PLAY_CONSTANT:
        done = access_memory(p, sm, w, op, t);
        if (done < t + op->latency)
            done = t + op->latency;
        set_results(p, w, op, done, SW_STALL_CONSTANT);
        return;
    case SW_PLAY_COPY:
        done = access_memory(p, sm, w, op, t);
        w->copied = done > w->copied ? done : w->copied;
        return;
    case SW_PLAY_BULK:
        done = access_memory(p, sm, w, op, t);
        if (done > w->block->bulk)
            w->block->bulk = done;
        return;
    default:
        if (op->pipe >= SW_PIPE_LSU) { /* it waits in the queue */
            double leave = left_last(&sm->near);
            t = leave > t ? leave : t;
        }
        set_results(p, w, op, t + op->latency,
                    op->pipe == SW_PIPE_XU || op->pipe == SW_PIPE_LSU
                        ? SW_STALL_SHORT
                        : SW_STALL_WAIT);
        return;
    }
}

static void
add_stall(sw_player *p, const sw_play_op *op, unsigned why, double clocks)
{
    p->stalls[why] += clocks;
    if (op->at != SW_PLAY_NOWHERE)
        p->region_stalls[(size_t)op->region * SW_STALL_COUNT + why] += clocks;
}

static void
blame(sw_player *p, sw_play_warp *w, const sw_play_op *op, double t)
{
    double slots = op->count * p->machine->g.issue;
    double until = w->ready < t ? w->ready : t;
    double waited = until > w->since ? until - w->since : 0;
    double passed = t > w->since ? t - w->since : 0;
    add_stall(p, op, w->why, waited);
    add_stall(p, op, SW_STALL_NOT_SELECTED, passed - waited);
    add_stall(p, op, SW_STALL_SELECTED, slots);
    w->since = t + slots;
}

static void
remove_warp(sw_play_scheduler *s, uint32_t i)
{
    memmove(&s->warp[i], &s->warp[i + 1],
            (s->count - i - 1) * sizeof s->warp[0]);
    s->count--;
    s->last = s->count;
}

/* Issues for the scheduler's candidate, or finds that it must wait. */
static void
issue(sw_player *p, sw_play_sm *sm, sw_play_scheduler *s)
{
    uint32_t i = s->candidate;
    sw_play_warp *w = s->warp[i];
    double t = s->next;
    if (!w->list) {
        remove_warp(s, i);
        end_warp(p, sm, w, t);
        return;
    }
    const sw_play_op *op = &w->list->ops[w->pc];
    sw_stall why;
    double wait = wait_for_pipe(p, sm, s, op, t, &why);
    if (wait > 0.5) {
        add_stall(p, op, w->why, w->ready > w->since ? w->ready - w->since : 0);
        if (w->ready > w->since)
            w->since = w->ready;
        w->ready = t + wait;
        w->why = (uint8_t)why;
        return;
    }
    double slots = op->count * p->machine->g.issue;
    blame(p, w, op, t);
    s->free = t + slots;
    s->last = i;
    p->issued += op->count;
    p->issue_clocks += slots;
    if (op->pipe >= SW_PIPE_LSU)
        enter(sm, op, t);
    if (op->count > op->count2)
        take_pipe(p, sm, s, op->pipe,
                  op->matrix > 0 ? (double)op->matrix : op->count - op->count2,
                  t);
    if (op->count2)
        take_pipe(p, sm, s, op->pipe2, op->count2, t);
    execute(p, sm, w, op, t + slots - p->machine->g.issue);
    double after = t + slots;
    sw_stall reason = SW_STALL_WAIT;
    if (op->kind == SW_PLAY_BRANCH) {
        after = t + op->latency;
        reason = SW_STALL_BRANCH;
    }
    bool is_barrier = op->kind == SW_PLAY_BARRIER;
    if (++w->pc < w->list->count) {
        if (!is_barrier)
            find_ready(p, w, after, reason);
    } else if (!next_list(p, sm, w, after, reason)) {
        remove_warp(s, i);
        end_warp(p, sm, w, after);
        return;
    }
    if (is_barrier)
        arrive(p, sm, w, op, after);
}

double
sw_play_next_time(const sw_player *p, const sw_play_sm *sm)
{
    double next = INFINITY;
    for (uint32_t i = 0; i < p->schedulers; i++)
        if (sm->scheduler[i].count && sm->scheduler[i].next < next)
            next = sm->scheduler[i].next;
    return next;
}

void
sw_play_run(sw_player *p, sw_play_sm *sm, double until)
{
    for (;;) {
        sw_play_scheduler *first = NULL;
        for (uint32_t i = 0; i < p->schedulers; i++) {
            sw_play_scheduler *s = &sm->scheduler[i];
            if (s->count && s->next < until &&
                (!first || s->next < first->next))
                first = s;
        }
        if (!first)
            return;
        issue(p, sm, first);
        for (uint32_t i = 0; i < p->schedulers; i++)
            if (&sm->scheduler[i] == first || sm->rescans)
                rescan(&sm->scheduler[i], p->machine->g.is_fair);
        sm->rescans = false;
    }
}

void
sw_play_force(sw_player *p, sw_play_sm *sm, double t)
{
    for (uint32_t i = 0; i < p->schedulers; i++)
        for (uint32_t k = 0; k < sm->scheduler[i].count; k++) {
            sw_play_warp *w = sm->scheduler[i].warp[k];
            if (w->waits)
                release(p, sm, w->block, w->barrier, t);
        }
    for (uint32_t i = 0; i < p->schedulers; i++)
        rescan(&sm->scheduler[i], p->machine->g.is_fair);
}
