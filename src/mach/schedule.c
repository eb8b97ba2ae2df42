/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schedule.c - orders the operations of each block as an assembler does: long
 * latencies first, while registers last; see mach.h.
 *
 * A list scheduler that issues one operation a clock. Of those whose sources
 * are there it takes the one with the longest way to the block's end, unless
 * more registers were live than the limit: then one that frees some, or waits
 * for such a one.
 */
#include <stdlib.h>
#include <string.h>

#include "mach/mach.h"

enum { BLOCK_MOST = 6000 /* larger blocks keep their order */ };

/* ---- liveness ---- */

static void
add_bit(uint64_t *set, uint32_t value)
{
    set[value / 64] |= (uint64_t)1 << value % 64;
}

static void
remove_bit(uint64_t *set, uint32_t value)
{
    set[value / 64] &= ~((uint64_t)1 << value % 64);
}

static bool
has_bit(const uint64_t *set, uint32_t value)
{
    return set[value / 64] >> value % 64 & 1;
}

static void
step_back(uint64_t *set, const sw_mach_op *op)
{
    for (unsigned i = 0; i < op->ndst; i++)
        remove_bit(set, op->value[i]);
    for (unsigned i = 0; i < op->nsrc; i++)
        add_bit(set, op->value[op->ndst + i]);
}

void
sw_mach_find_liveness(sw_mach_fn *m)
{
    m->words = m->values.count / 64 + 1;
    uint64_t *sets =
        sw_arena_alloc(m->arena, m->block_count * 2 * m->words * 8);
    for (uint32_t b = 0; b < m->block_count; b++) {
        m->blocks[b].in = sets + (size_t)b * 2 * m->words;
        m->blocks[b].out = m->blocks[b].in + m->words;
    }
    uint64_t *set = sw_alloc(m->words * 8);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = m->block_count; n-- > 0;) {
            uint32_t b = m->cfg->order[n];
            sw_mach_block *block = &m->blocks[b];
            for (uint32_t i = m->cfg->succ_at[b]; i < m->cfg->succ_at[b + 1];
                 i++)
                for (size_t w = 0; w < m->words; w++)
                    block->out[w] |= m->blocks[m->cfg->succ[i]].in[w];
            memcpy(set, block->out, m->words * 8);
            for (uint32_t i = block->count; i-- > 0;)
                step_back(set, block->ops[i]);
            if (memcmp(set, block->in, m->words * 8) != 0) {
                memcpy(block->in, set, m->words * 8);
                changed = true;
            }
        }
    }
    sw_free(set);
}

/* ---- the graph of a block ---- */

typedef struct {
    uint32_t *next; /* successors: nodes; in `links` from first[node] */
    uint32_t *link;
    uint32_t *delay;
    uint32_t *first;
    uint32_t used, room;
} edges;

typedef struct {
    sw_mach_fn *m;
    sw_mach_block *block;
    uint32_t n;
    edges e;
    uint32_t *waits;  /* [n] predecessors not yet issued */
    uint32_t *height; /* [n] clocks to the block's end */
    uint32_t *start;  /* [n] earliest clock */
    uint32_t *left;   /* [values] reads not yet issued */
    uint64_t *live;
    uint32_t *ready;
    uint32_t ready_count;
    uint32_t pressure, limit;
} scheduler;

/* Node `to` starts at least `delay` clocks after node `from`. */
static void
add_edge(scheduler *s, uint32_t from, uint32_t to, uint32_t delay)
{
    edges *e = &s->e;
    if (from == to)
        return;
    if (e->used == e->room) {
        uint32_t room = e->room ? e->room * 2 : 256;
        uint32_t *next = sw_arena_alloc(s->m->arena, room * sizeof *next);
        uint32_t *link = sw_arena_alloc(s->m->arena, room * sizeof *link);
        uint32_t *after = sw_arena_alloc(s->m->arena, room * sizeof *after);
        if (e->used) {
            memcpy(after, e->delay, e->used * sizeof *after);
            memcpy(next, e->next, e->used * sizeof *next);
            memcpy(link, e->link, e->used * sizeof *link);
        }
        e->next = next;
        e->link = link;
        e->delay = after;
        e->room = room;
    }
    e->next[e->used] = to;
    e->delay[e->used] = delay;
    e->link[e->used] = e->first[from];
    e->first[from] = ++e->used; /* one-based */
    s->waits[to]++;
}

/* Whether two accesses may be of one place, as far as spaces tell. */
static bool
may_meet(const sw_mach_op *a, const sw_mach_op *b)
{
    if (a->kind == SW_MACH_FENCE || b->kind == SW_MACH_FENCE)
        return true;
    if (a->kind == SW_MACH_LOAD && b->kind == SW_MACH_LOAD)
        return false;
    return a->space == b->space || a->space == SW_SPACE_GENERIC ||
           b->space == SW_SPACE_GENERIC;
}

static void
link_memory(scheduler *s)
{
    /* Accesses since the last write that all others must follow. */
    uint32_t *open = sw_alloc(s->n * sizeof *open), count = 0;
    uint32_t ordered = 0; /* the last one, from 1; 0: none */
    for (uint32_t i = 0; i < s->n; i++) {
        const sw_mach_op *op = s->block->ops[i];
        if (op->kind == SW_MACH_ALU || op->kind == SW_MACH_END)
            continue;
        uint32_t kept = 0;
        for (uint32_t k = 0; k < count; k++) {
            const sw_mach_op *before = s->block->ops[open[k]];
            bool meets = may_meet(before, op);
            if (meets)
                add_edge(s, open[k], i, 1);
            bool is_covered =
                meets && op->kind != SW_MACH_LOAD &&
                (op->kind == SW_MACH_FENCE || op->space == before->space);
            if (!is_covered)
                open[kept++] = open[k];
        }
        open[kept++] = i;
        count = kept;
        if (op->is_ordered) {
            if (ordered)
                add_edge(s, ordered - 1, i, 1);
            ordered = i + 1;
        }
    }
    sw_free(open);
}

static void
link_values(scheduler *s)
{
    size_t values = s->m->values.count;
    /* One-based: the last definition, and the reads since as a list. */
    uint32_t *def = sw_alloc(values * sizeof *def);
    uint32_t *reads = sw_alloc(values * sizeof *reads);
    uint32_t wall = 0;
    sw_vec list;
    sw_vec_init(&list, 2 * sizeof(uint32_t));
    sw_vec_push(&list);
    for (uint32_t i = 0; i < s->n; i++) {
        const sw_mach_op *op = s->block->ops[i];
        for (unsigned k = 0; k < op->nsrc; k++) {
            uint32_t v = op->value[op->ndst + k];
            if (def[v])
                add_edge(s, def[v] - 1, i, s->block->ops[def[v] - 1]->latency);
            uint32_t *read = sw_vec_push(&list);
            read[0] = i;
            read[1] = reads[v];
            reads[v] = (uint32_t)list.count - 1;
        }
        for (unsigned k = 0; k < op->ndst; k++) {
            uint32_t v = op->value[k];
            if (def[v])
                add_edge(s, def[v] - 1, i, 1);
            for (uint32_t r = reads[v]; r;) {
                const uint32_t *read = sw_vec_at(&list, r);
                add_edge(s, read[0], i, 1);
                r = read[1];
            }
            reads[v] = 0;
            def[v] = i + 1;
        }
        if (op->kind == SW_MACH_END || op->is_wall)
            for (uint32_t k = wall; k < i; k++)
                add_edge(s, k, i, 1);
        if (op->is_wall) {
            wall = i;
        } else if (wall || (i && s->block->ops[0]->is_wall)) {
            add_edge(s, wall, i, s->block->ops[wall]->latency);
        }
    }
    sw_vec_finish(&list);
    sw_free(reads);
    sw_free(def);
}

static void
measure_heights(scheduler *s)
{
    for (uint32_t i = s->n; i-- > 0;) {
        uint32_t most = 0;
        for (uint32_t k = s->e.first[i]; k; k = s->e.link[k - 1]) {
            uint32_t h = s->height[s->e.next[k - 1]] + s->e.delay[k - 1];
            most = h > most ? h : most;
        }
        s->height[i] = most;
    }
}

/* ---- choosing ---- */

/* Change of live registers if `op` is issued next. */
static int
change(const scheduler *s, const sw_mach_op *op)
{
    int words = 0;
    for (unsigned i = 0; i < op->ndst; i++)
        if (!has_bit(s->live, op->value[i]) && s->left[op->value[i]])
            words += sw_mach_value_at(s->m, op->value[i])->words;
    for (unsigned i = 0; i < op->nsrc; i++) {
        uint32_t v = op->value[op->ndst + i];
        if (s->left[v] == 1 && has_bit(s->live, v))
            words -= sw_mach_value_at(s->m, v)->words;
    }
    return words;
}

static void
issue(scheduler *s, uint32_t node, uint32_t clock)
{
    const sw_mach_op *op = s->block->ops[node];
    s->pressure = (uint32_t)((int)s->pressure + change(s, op));
    for (unsigned i = 0; i < op->nsrc; i++) {
        uint32_t v = op->value[op->ndst + i];
        if (--s->left[v] == 0)
            remove_bit(s->live, v);
    }
    for (unsigned i = 0; i < op->ndst; i++)
        if (s->left[op->value[i]])
            add_bit(s->live, op->value[i]);
    for (uint32_t k = s->e.first[node]; k; k = s->e.link[k - 1]) {
        uint32_t to = s->e.next[k - 1];
        uint32_t at = clock + s->e.delay[k - 1];
        s->start[to] = at > s->start[to] ? at : s->start[to];
        if (--s->waits[to] == 0)
            s->ready[s->ready_count++] = to;
    }
}

/* Does node a come before node b, if both can be issued? */
static bool
is_better(const scheduler *s, uint32_t a, uint32_t b)
{
    return s->height[a] > s->height[b] ||
           (s->height[a] == s->height[b] && a < b);
}

/* Index into ready[] of what to issue next; *clock goes on where nothing can
 * start. Where nothing fits, the order of the program is kept: it ends lives
 * soonest. */
static uint32_t
choose(scheduler *s, uint32_t *clock)
{
    uint32_t best = s->n, soonest = s->n, first = 0;
    for (uint32_t k = 0; k < s->ready_count; k++) {
        uint32_t node = s->ready[k];
        int words = change(s, s->block->ops[node]);
        bool fits = words <= 0 || (int)s->pressure + words <= (int)s->limit;
        if (node < s->ready[first])
            first = k;
        if (!fits)
            continue;
        if (s->start[node] > *clock) {
            if (soonest == s->n || s->start[node] < s->start[s->ready[soonest]])
                soonest = k;
        } else if (best == s->n || is_better(s, node, s->ready[best])) {
            best = k;
        }
    }
    if (best == s->n)
        best = soonest == s->n ? first : soonest;
    if (s->start[s->ready[best]] > *clock)
        *clock = s->start[s->ready[best]];
    return best;
}

static void
count_reads(scheduler *s)
{
    sw_mach_block *block = s->block;
    memcpy(s->live, block->in, s->m->words * 8);
    for (uint32_t v = 1; v < s->m->values.count; v++) {
        s->left[v] = has_bit(block->out, v) ? 1 : 0;
        if (has_bit(block->in, v))
            s->pressure += sw_mach_value_at(s->m, v)->words;
    }
    for (uint32_t i = 0; i < s->n; i++)
        for (unsigned k = 0; k < block->ops[i]->nsrc; k++)
            s->left[block->ops[i]->value[block->ops[i]->ndst + k]]++;
}

static void
schedule_block(sw_mach_fn *m, sw_mach_block *block, uint32_t limit)
{
    uint32_t n = block->count, clock = 0;
    if (n < 2 || n > BLOCK_MOST)
        return;
    uint32_t *numbers = sw_alloc((size_t)n * 5 * sizeof *numbers);
    scheduler s = {.m = m,
                   .block = block,
                   .n = n,
                   .e = {.first = numbers},
                   .waits = numbers + n,
                   .height = numbers + 2 * (size_t)n,
                   .start = numbers + 3 * (size_t)n,
                   .ready = numbers + 4 * (size_t)n,
                   .left = sw_alloc(m->values.count * sizeof *s.left),
                   .live = sw_alloc(m->words * 8),
                   .limit = limit};
    sw_mach_op **ops = sw_arena_alloc(m->arena, n * sizeof *ops);
    link_values(&s);
    link_memory(&s);
    measure_heights(&s);
    count_reads(&s);
    for (uint32_t i = 0; i < n; i++)
        if (!s.waits[i])
            s.ready[s.ready_count++] = i;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = choose(&s, &clock), node = s.ready[k];
        s.ready[k] = s.ready[--s.ready_count];
        ops[i] = block->ops[node];
        issue(&s, node, clock++);
    }
    block->ops = ops;
    sw_free(s.live);
    sw_free(s.left);
    sw_free(numbers);
}

void
sw_mach_schedule(sw_mach_fn *m, uint32_t limit)
{
    if (!m->keeps_loops && sw_mach_unroll(m))
        sw_mach_find_liveness(m);
    for (uint32_t b = 0; b < m->block_count; b++)
        schedule_block(m, &m->blocks[b], limit);
}
