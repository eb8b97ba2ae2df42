/* SPDX-License-Identifier: Apache-2.0 */
/*
 * allocate.c - linear scan over live ranges with holes; see
 * mach.h.
 *
 * Operation p of the function, in the order of its blocks, reads at time 2p and
 * writes at 2p + 1. A value is live in ranges of time; it takes the lowest
 * registers that are free in all of them: pairs on even numbers, vectors on
 * multiples of their size. What finds none is spilled: stored after each write
 * and loaded before each read.
 */
#include <stdlib.h>
#include <string.h>

#include "mach/mach.h"

enum {
    STACK_POINTER = 1, /* R1 is the stack pointer of every kernel */
    /* Below 16, registers are the callee's (the calling convention that
     * ptxas -v shows: a kernel with a call takes 24 and more). */
    CALLEE_SAVED = 16,
    REGISTERS = 256,
    PREDICATES = 7,
    ROUNDS = 24, /* of spilling; each takes what did not fit then */
    /* Where there is room: a memory instruction reads its address some time
     * after it was issued, so that register is left alone for a few others;
     * from 7.0 on a result does not take the register of a source. Both as
     * disassembled kernels show. */
    READ_LATE = 4,
    APART_FROM = 70,
    NONE = SW_MACH_NO_REGISTER
};

typedef struct {
    uint32_t from, to; /* times, both included */
} range;

typedef struct {
    range *ranges;
    uint32_t count, room;
    int reg; /* first register, or NONE */
} life;

typedef struct {
    sw_mach_fn *m;
    life *lives;  /* [values] */
    double *uses; /* [values] reads and writes, in loops ten times a loop */
    uint32_t times;
    size_t words;   /* of a register's times */
    uint64_t *busy; /* [REGISTERS][words] */
    uint32_t most;
    bool *spilled; /* [values] */
    uint32_t spills;
} scan;

static void
add_range(scan *s, uint32_t value, uint32_t from, uint32_t to)
{
    life *l = &s->lives[value];
    if (l->count && l->ranges[l->count - 1].from <= to + 1) {
        range *last = &l->ranges[l->count - 1]; /* later or touching */
        last->from = from < last->from ? from : last->from;
        last->to = to > last->to ? to : last->to;
        return;
    }
    if (l->count == l->room) {
        uint32_t room = l->room ? l->room * 2 : 2;
        range *more = sw_arena_alloc(s->m->arena, room * sizeof *more);
        if (l->count)
            memcpy(more, l->ranges, l->count * sizeof *more);
        l->ranges = more;
        l->room = room;
    }
    l->ranges[l->count++] = (range){from, to};
}

/* One past the time until which operation p needs a source that nothing after
 * it reads; the block ends at operation `last`. */
static uint32_t
end_of_read(const sw_mach_fn *m, const sw_mach_op *op, uint32_t p,
            uint32_t last)
{
    uint32_t end = 2 * p + 1;
    bool is_memory = (op->kind == SW_MACH_LOAD || op->kind == SW_MACH_STORE ||
                      op->kind == SW_MACH_ATOMIC) &&
                     op->space != SW_SPACE_SHARED;
    if (m->is_tight)
        return end;
    if (m->cc >= APART_FROM)
        end++;
    if (is_memory)
        end += 2 * READ_LATE;
    return end < 2 * last ? end : 2 * last;
}

/* Backwards through the function; ranges come out last first. */
static void
find_ranges(scan *s)
{
    sw_mach_fn *m = s->m;
    uint32_t values = (uint32_t)m->values.count, at = 0;
    uint32_t *end = sw_alloc(values * sizeof *end); /* one past; 0: dead */
    for (uint32_t b = 0; b < m->block_count; b++)
        at += m->blocks[b].count;
    for (uint32_t b = m->block_count; b-- > 0;) {
        sw_mach_block *block = &m->blocks[b];
        uint32_t last = at;
        at -= block->count;
        for (uint32_t v = 1; v < values; v++)
            end[v] = block->out[v / 64] >> v % 64 & 1 ? 2 * last : 0;
        for (uint32_t i = block->count; i-- > 0;) {
            const sw_mach_op *op = block->ops[i];
            uint32_t p = at + i;
            for (unsigned k = 0; k < op->ndst; k++) {
                uint32_t v = op->value[k];
                bool early = sw_mach_value_at(m, v)->is_scratch;
                uint32_t to = end[v] ? end[v] - 1 : 2 * p + 1;
                add_range(s, v, 2 * p + !early, to);
                end[v] = 0;
            }
            if (op->is_call)
                for (uint32_t v = 1; v < values; v++)
                    if (end[v])
                        sw_mach_value_at(m, v)->over_call = true;
            for (unsigned k = 0; k < op->nsrc; k++) {
                uint32_t v = op->value[op->ndst + k];
                if (!end[v])
                    end[v] = end_of_read(m, op, p, last);
            }
        }
        for (uint32_t v = 1; v < values; v++)
            if (end[v])
                add_range(s, v, 2 * at, end[v] - 1);
    }
    sw_free(end);
}

/* ---- registers' times ---- */

static uint64_t
mask_of(uint32_t from, uint32_t to, uint32_t word)
{
    uint64_t mask = ~(uint64_t)0;
    if (from / 64 == word)
        mask &= ~(uint64_t)0 << from % 64;
    if (to / 64 == word)
        mask &= ~(uint64_t)0 >> (63 - to % 64);
    return mask;
}

static bool
is_free(const scan *s, const life *l, uint32_t reg)
{
    const uint64_t *busy = s->busy + reg * s->words;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t w = l->ranges[i].from / 64; w <= l->ranges[i].to / 64;
             w++)
            if (busy[w] & mask_of(l->ranges[i].from, l->ranges[i].to, w))
                return false;
    return true;
}

static void
set_busy(scan *s, const life *l, uint32_t reg, bool is_busy)
{
    uint64_t *busy = s->busy + reg * s->words;
    for (uint32_t i = 0; i < l->count; i++)
        for (uint32_t w = l->ranges[i].from / 64; w <= l->ranges[i].to / 64;
             w++) {
            uint64_t mask = mask_of(l->ranges[i].from, l->ranges[i].to, w);
            busy[w] = is_busy ? busy[w] | mask : busy[w] & ~mask;
        }
}

static void
take(scan *s, uint32_t value, uint32_t reg)
{
    s->lives[value].reg = (int)reg;
    for (unsigned w = 0; w < sw_mach_value_at(s->m, value)->words; w++)
        set_busy(s, &s->lives[value], reg + w, true);
}

static void
leave(scan *s, uint32_t value)
{
    life *l = &s->lives[value];
    for (unsigned w = 0;
         l->reg != NONE && w < sw_mach_value_at(s->m, value)->words; w++)
        set_busy(s, l, (uint32_t)l->reg + w, false);
    l->reg = NONE;
}

/* Values that must lie side by side with `value`, itself included. */
static unsigned
group_of(const scan *s, uint32_t value, uint32_t group[4])
{
    const sw_mach_value *v = sw_mach_value_at(s->m, value);
    bool is_whole = v->of > 0;
    for (unsigned i = 0; i < v->of; i++)
        is_whole &= !s->spilled[v->group[i]];
    if (!is_whole) {
        group[0] = value;
        return 1;
    }
    memcpy(group, v->group, v->of * sizeof *group);
    return v->of;
}

static bool
fits_at(const scan *s, const uint32_t *group, unsigned n, uint32_t reg)
{
    for (unsigned i = 0; i < n; i++) {
        const sw_mach_value *v = sw_mach_value_at(s->m, group[i]);
        if (v->over_call && reg < CALLEE_SAVED)
            return false;
        for (unsigned w = 0; w < v->words; w++, reg++)
            if (reg == STACK_POINTER || reg >= s->most ||
                !is_free(s, &s->lives[group[i]], reg))
                return false;
    }
    return true;
}

static bool
place(scan *s, uint32_t value)
{
    uint32_t group[4];
    unsigned n = group_of(s, value, group), words = 0, align = 1;
    for (unsigned i = 0; i < n; i++)
        words += sw_mach_value_at(s->m, group[i])->words;
    while (align < words && align < 4)
        align *= 2;
    for (uint32_t reg = 0; reg + words <= s->most; reg += align) {
        if (!fits_at(s, group, n, reg))
            continue;
        for (unsigned i = 0; i < n; i++) {
            take(s, group[i], reg);
            reg += sw_mach_value_at(s->m, group[i])->words;
        }
        return true;
    }
    return false;
}

/* ---- spilling ---- */

static bool
overlap(const life *a, const life *b)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (a->ranges[i].from <= b->ranges[k].to &&
                b->ranges[k].from <= a->ranges[i].to)
                return true;
    return false;
}

static double
cost_of(const scan *s, uint32_t value)
{
    const life *l = &s->lives[value];
    double length = 1;
    for (uint32_t i = 0; i < l->count; i++)
        length += l->ranges[i].to - l->ranges[i].from;
    return s->uses[value] / length;
}

/* The cheapest of those in the way of `value`, itself included. */
static uint32_t
choose_victim(const scan *s, uint32_t value)
{
    uint32_t best = SW_MACH_NO_VALUE;
    for (uint32_t v = 1; v < s->m->values.count; v++) {
        const sw_mach_value *info = sw_mach_value_at(s->m, v);
        if (info->is_temp || !info->words || s->spilled[v] ||
            !s->lives[v].count || (v != value && s->lives[v].reg == NONE) ||
            !overlap(&s->lives[v], &s->lives[value]))
            continue;
        if (!best || cost_of(s, v) < cost_of(s, best))
            best = v;
    }
    return best;
}

static void
place_or_spill(scan *s, uint32_t value)
{
    while (!s->spilled[value] && !place(s, value)) {
        uint32_t victim = choose_victim(s, value);
        if (!victim)
            return; /* temporaries alone: nothing to be done */
        leave(s, victim);
        s->spilled[victim] = true;
        s->spills++;
    }
}

/* Stores after writes and loads before reads of what is spilled. */
static void
rewrite(scan *s, sw_mach_spills *spills)
{
    sw_mach_fn *m = s->m;
    sw_vec ops;
    sw_vec_init(&ops, sizeof(sw_mach_op *));
    for (uint32_t b = 0; b < m->block_count; b++) {
        sw_mach_block *block = &m->blocks[b];
        sw_vec_clear(&ops);
        for (uint32_t i = 0; i < block->count; i++) {
            sw_mach_op *op = block->ops[i];
            for (unsigned k = op->ndst; k < op->ndst + op->nsrc; k++) {
                unsigned words = sw_mach_value_at(m, op->value[k])->words;
                if (!s->spilled[op->value[k]])
                    continue;
                sw_mach_op *load = sw_mach_create_op(m, SW_MACH_LOAD, 1, 0);
                load->value[0] = sw_mach_add_value(m, words);
                sw_mach_value_at(m, load->value[0])->is_temp = true;
                op->value[k] = load->value[0];
                spills->loads += words * 4;
                *(sw_mach_op **)sw_vec_push(&ops) = load;
            }
            *(sw_mach_op **)sw_vec_push(&ops) = op;
            for (unsigned k = 0; k < op->ndst; k++) {
                unsigned words = sw_mach_value_at(m, op->value[k])->words;
                if (!s->spilled[op->value[k]])
                    continue;
                sw_mach_op *store = sw_mach_create_op(m, SW_MACH_STORE, 0, 1);
                op->value[k] = sw_mach_add_value(m, words);
                sw_mach_value_at(m, op->value[k])->is_temp = true;
                store->value[0] = op->value[k];
                spills->stores += words * 4;
                *(sw_mach_op **)sw_vec_push(&ops) = store;
            }
        }
        block->count = (uint32_t)ops.count;
        block->ops =
            sw_arena_alloc(m->arena, (ops.count + 1) * sizeof *block->ops);
        memcpy(block->ops, ops.data, ops.count * sizeof *block->ops);
    }
    sw_vec_finish(&ops);
}

/* ---- one pass ---- */

static void
count_uses(scan *s)
{
    for (uint32_t b = 0; b < s->m->block_count; b++) {
        const sw_mach_block *block = &s->m->blocks[b];
        double weight = 1;
        uint32_t loop = s->m->cfg->loop[b];
        for (uint32_t d = s->m->cfg->loops[loop].depth; loop && d; d--)
            weight *= 10;
        for (uint32_t i = 0; i < block->count; i++)
            for (unsigned k = 0; k < block->ops[i]->ndst + block->ops[i]->nsrc;
                 k++)
                s->uses[block->ops[i]->value[k]] += weight;
    }
}

/* Places all values in the order in which they begin. */
static void
place_all(scan *s)
{
    uint32_t values = (uint32_t)s->m->values.count;
    uint32_t *first = sw_alloc((s->times + 1) * sizeof *first);
    uint32_t *next = sw_alloc(values * sizeof *next);
    for (uint32_t v = values; v-- > 1;) {
        const life *l = &s->lives[v];
        if (!l->count || !sw_mach_value_at(s->m, v)->words)
            continue;
        uint32_t from = l->ranges[l->count - 1].from;
        next[v] = first[from];
        first[from] = v;
    }
    for (uint32_t t = 0; t <= s->times; t++)
        for (uint32_t v = first[t]; v; v = next[v])
            if (s->lives[v].reg == NONE)
                place_or_spill(s, v);
    sw_free(next);
    sw_free(first);
}

/* Most predicates live at once, beyond those that the machine has. */
static uint32_t
excess_predicates(const scan *s)
{
    uint32_t most = 0, now = 0;
    int *step = sw_alloc((s->times + 2) * sizeof *step);
    for (uint32_t v = 1; v < s->m->values.count; v++)
        for (uint32_t i = 0;
             !sw_mach_value_at(s->m, v)->words && i < s->lives[v].count; i++) {
            step[s->lives[v].ranges[i].from]++;
            step[s->lives[v].ranges[i].to + 1]--;
        }
    for (uint32_t t = 0; t <= s->times; t++) {
        now = (uint32_t)((int)now + step[t]);
        most = now > most ? now : most;
    }
    sw_free(step);
    return most > PREDICATES ? most - PREDICATES : 0;
}

static uint32_t
count_taken(const scan *s)
{
    uint32_t taken = STACK_POINTER + 1;
    for (uint32_t v = 1; v < s->m->values.count; v++) {
        uint32_t words = sw_mach_value_at(s->m, v)->words;
        if (s->lives[v].reg != NONE && s->lives[v].count &&
            (uint32_t)s->lives[v].reg + words > taken)
            taken = (uint32_t)s->lives[v].reg + words;
    }
    return taken;
}

uint32_t
sw_mach_allocate(sw_mach_fn *m, uint32_t most, sw_mach_spills *spills)
{
    uint32_t taken = 0;
    bool again = true;
    for (unsigned round = 0; again && round < ROUNDS; round++) {
        uint32_t values = (uint32_t)m->values.count, ops = 0;
        for (uint32_t b = 0; b < m->block_count; b++)
            ops += m->blocks[b].count;
        scan s = {.m = m,
                  .lives = sw_alloc(values * sizeof *s.lives),
                  .uses = sw_alloc(values * sizeof *s.uses),
                  .spilled = sw_alloc(values * sizeof *s.spilled),
                  .times = 2 * ops + 1,
                  .words = (2 * (size_t)ops + 2) / 64 + 1,
                  .most = most < REGISTERS ? most : REGISTERS};
        s.busy = sw_alloc(REGISTERS * s.words * 8);
        for (uint32_t v = 0; v < values; v++)
            s.lives[v].reg = NONE;
        find_ranges(&s);
        count_uses(&s);
        place_all(&s);
        taken = count_taken(&s) + excess_predicates(&s);
        again = s.spills > 0;
        for (uint32_t v = 1; v < values; v++)
            if (s.spilled[v])
                spills->stack += sw_mach_value_at(m, v)->words * 4u;
        for (uint32_t v = 1; v < values; v++)
            sw_mach_value_at(m, v)->reg = (int16_t)s.lives[v].reg;
        if (again) {
            rewrite(&s, spills);
            sw_mach_find_liveness(m);
        }
        sw_free(s.busy);
        sw_free(s.spilled);
        sw_free(s.uses);
        sw_free(s.lives);
    }
    return taken < most ? taken : most;
}
