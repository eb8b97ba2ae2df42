/* SPDX-License-Identifier: Apache-2.0 */
/*
 * unroll.c - makes copies of small loops' bodies, as assemblers do; see mach.h.
 *
 * The vendor's compiler makes four copies of the body of a loop that counts,
 * and its assembler four of these. An operation on the lowest bits of the
 * counter is a number in each copy then, and so is what is made of such
 * numbers; a sum of one with what the loop leaves alone is an offset of an
 * address.
 */
#include <string.h>

#include "mach/mach.h"

enum {
    BODY_MOST = 64, /* operations of a body that is copied */
    BODY_SMALL = 16 /* ... by the compiler and again by the assembler */
};

/* What becomes of an operation in the copies. */
typedef enum { KEPT, NUMBER, OFFSET } fate;

static const sw_mach_op *
definition_in(const sw_mach_block *block, uint32_t value)
{
    for (uint32_t i = block->count; i-- > 0;)
        for (unsigned k = 0; k < block->ops[i]->ndst; k++)
            if (block->ops[i]->value[k] == value)
                return block->ops[i];
    return NULL;
}

/* What decides whether the loop goes on; NULL: not a number that it counts, or
 * something is in the way. */
static const sw_mach_op *
find_test(const sw_mach_fn *m, const sw_mach_block *block)
{
    if (!block->loops || !block->count || block->count > BODY_MOST)
        return NULL;
    for (uint32_t i = 0; i < block->count; i++) {
        const sw_mach_op *op = block->ops[i];
        bool is_barrier = m->is_traced && op->ins && op->ins->op == SW_OP_BAR;
        bool is_atomic = op->kind == SW_MACH_ATOMIC && !m->is_traced;
        if ((op->kind == SW_MACH_FENCE && !is_barrier) || is_atomic ||
            op->is_wall)
            return NULL;
    }
    const sw_mach_op *end = block->ops[block->count - 1];
    if (end->kind != SW_MACH_END || end->nsrc != 1 ||
        sw_mach_value_at(m, end->value[end->ndst])->words)
        return NULL;
    const sw_mach_op *test = definition_in(block, end->value[end->ndst]);
    for (unsigned k = 0; test && test->compares && k < test->nsrc; k++) {
        const sw_mach_op *step =
            definition_in(block, test->value[test->ndst + k]);
        if (step && step->ins && step->ins->op == SW_OP_CVT && step->nsrc == 1)
            step = definition_in(block, step->value[step->ndst]);
        if (step && step->steps)
            return test;
    }
    return NULL;
}

/* ---- copies that there are already ---- */

/* Neither a loop's own arithmetic nor what copies share. */
static bool
is_work(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
        return sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT;
    case SW_OP_BRA:
    case SW_OP_SETP:
    case SW_OP_SELP:
    case SW_OP_MOV:
    case SW_OP_CVT:
    case SW_OP_CVTA:
    case SW_OP_SREG:
    case SW_OP_ADDR:
        return false;
    default:
        return true;
    }
}

static uint32_t
count_work(const sw_block *block, uint16_t count[SW_OP_COUNT])
{
    uint32_t all = 0;
    memset(count, 0, SW_OP_COUNT * sizeof *count);
    for (uint32_t i = 0; i < block->count; i++)
        if (is_work(block->ins[i])) {
            count[block->ins[i]->op]++;
            all++;
        }
    return all;
}

/* A compiler that makes copies leaves a loop with the body once, for the last
 * iterations: so many times more is in this one. */
static unsigned
find_copies(const sw_mach_fn *m, uint32_t b)
{
    uint16_t here[SW_OP_COUNT], there[SW_OP_COUNT];
    uint32_t all = count_work(m->fn->blocks[b], here);
    unsigned most = 1;
    for (uint32_t r = 0; r < m->block_count && all; r++) {
        uint32_t part = r != b && m->blocks[r].loops
                            ? count_work(m->fn->blocks[r], there)
                            : 0;
        unsigned k = part && all % part == 0 ? all / part : 1;
        for (unsigned i = 0; i < SW_OP_COUNT && k > most; i++)
            if (here[i] != there[i] * k)
                k = 1;
        most = k > most ? k : most;
    }
    return most;
}

static unsigned
choose_copies(const sw_mach_fn *m, uint32_t b)
{
    if (!m->is_traced)
        return SW_MACH_UNROLL;
    unsigned there = find_copies(m, b), wanted = SW_MACH_UNROLL;
    if (m->blocks[b].count / there <= BODY_SMALL)
        wanted = SW_MACH_UNROLL_MOST;
    return there < wanted ? wanted / there : 1;
}

/* ---- making them ---- */

typedef struct {
    sw_mach_fn *m;
    const sw_mach_block *block;
    const sw_mach_op *test;
    uint32_t *now;   /* [values]: a copy's name of each; 0: a number */
    fate *fates;     /* [block->count] */
    bool *is_inside; /* [values] defined in the body */
    bool *is_number; /* [values] */
} copier;

static fate
find_fate(const copier *c, const sw_mach_op *op)
{
    unsigned numbers = 0, outside = 0;
    if (op->is_periodic)
        return NUMBER;
    if (op->kind != SW_MACH_ALU || op->ndst != 1 || !op->nsrc || !op->ins ||
        op->ins->guard || op->steps)
        return KEPT;
    for (unsigned k = 0; k < op->nsrc; k++) {
        uint32_t v = op->value[op->ndst + k];
        numbers += c->is_number[v];
        outside += !c->is_inside[v];
    }
    if (numbers == op->nsrc)
        return NUMBER;
    bool is_offset = op->ins->op == SW_OP_ADD && numbers == 1 && outside == 1 &&
                     op->nsrc == 2;
    return is_offset ? OFFSET : KEPT;
}

static void
find_fates(copier *c)
{
    for (uint32_t i = 0; i < c->block->count; i++)
        for (unsigned k = 0; k < c->block->ops[i]->ndst; k++)
            c->is_inside[c->block->ops[i]->value[k]] = true;
    for (uint32_t i = 0; i < c->block->count; i++) {
        const sw_mach_op *op = c->block->ops[i];
        c->fates[i] = find_fate(c, op);
        if (c->fates[i] == NUMBER)
            c->is_number[op->value[0]] = true;
        if (c->fates[i] == OFFSET)
            c->is_inside[op->value[0]] = false;
    }
}

/* What an offset is added to. */
static uint32_t
base_of(const copier *c, const sw_mach_op *op)
{
    uint32_t a = op->value[op->ndst], b = op->value[op->ndst + 1];
    return c->now[c->is_number[a] ? b : a];
}

/* The name that copy `k` reads values by is in `now`, by value. */
static sw_mach_op *
copy_op(sw_mach_fn *m, const sw_mach_op *op, uint32_t *now, bool is_last)
{
    sw_mach_op *copy =
        sw_mach_create_op(m, (sw_mach_kind)op->kind, op->ndst, op->nsrc);
    uint32_t *value = copy->value;
    *copy = *op;
    copy->value = value;
    copy->nsrc = 0;
    for (unsigned i = 0; i < op->nsrc; i++)
        if (now[op->value[op->ndst + i]])
            value[op->ndst + copy->nsrc++] = now[op->value[op->ndst + i]];
    for (unsigned i = 0; i < op->ndst; i++) {
        uint32_t old = op->value[i];
        value[i] = old;
        if (!is_last && (op->nsrc || op->kind != SW_MACH_ALU)) {
            sw_mach_value like = *sw_mach_value_at(m, old);
            value[i] = sw_mach_add_value(m, like.words);
            like.of = 0;
            *sw_mach_value_at(m, value[i]) = like;
        }
        now[old] = value[i];
    }
    /* A vector's elements stay neighbours. */
    if (op->ndst > 1 && sw_mach_value_at(m, op->value[0])->of == op->ndst)
        for (unsigned i = 0; i < op->ndst; i++) {
            sw_mach_value *v = sw_mach_value_at(m, value[i]);
            v->of = (uint8_t)op->ndst;
            memcpy(v->group, value, op->ndst * sizeof *value);
        }
    return copy;
}

static bool
is_left_out(const copier *c, uint32_t i, unsigned k, bool is_last)
{
    const sw_mach_op *op = c->block->ops[i];
    if (c->fates[i] == NUMBER) {
        c->now[op->value[0]] = 0;
        return true;
    }
    if (c->fates[i] == OFFSET) {
        c->now[op->value[0]] = base_of(c, op);
        return true;
    }
    /* Steps are added to the offsets of what reads them. */
    if (!is_last && (op->steps || op->kind == SW_MACH_END ||
                     (op == c->test && c->m->is_traced)))
        return true;
    /* A constant, loaded before. */
    return k > 0 && !op->nsrc && op->kind == SW_MACH_ALU;
}

static void
unroll(sw_mach_fn *m, sw_mach_block *block, const sw_mach_op *test,
       unsigned copies)
{
    size_t count = m->values.count;
    copier c = {.m = m,
                .block = block,
                .test = test,
                .now = sw_alloc(count * sizeof *c.now),
                .fates = sw_alloc(block->count * sizeof *c.fates),
                .is_inside = sw_alloc(count * sizeof *c.is_inside),
                .is_number = sw_alloc(count * sizeof *c.is_number)};
    uint32_t n = 0;
    for (uint32_t v = 0; v < count; v++)
        c.now[v] = v;
    if (m->is_traced)
        find_fates(&c);
    sw_mach_op **ops = sw_arena_alloc(m->arena, (size_t)block->count * copies *
                                                    sizeof(sw_mach_op *));
    for (unsigned k = 0; k < copies; k++)
        for (uint32_t i = 0; i < block->count; i++) {
            bool is_last = k == copies - 1;
            if (is_left_out(&c, i, k, is_last))
                continue;
            ops[n] = copy_op(m, block->ops[i], c.now, is_last);
            ops[n++]->copy = (uint8_t)k;
        }
    block->ops = ops;
    block->count = n;
    block->copies = copies;
    sw_free(c.now);
    sw_free(c.fates);
    sw_free(c.is_inside);
    sw_free(c.is_number);
}

bool
sw_mach_unroll(sw_mach_fn *m)
{
    bool any = false;
    for (uint32_t b = 0; b < m->block_count; b++) {
        const sw_mach_op *test = find_test(m, &m->blocks[b]);
        unsigned copies = test ? choose_copies(m, b) : 1;
        if (copies > 1) {
            unroll(m, &m->blocks[b], test, copies);
            any = true;
        }
    }
    return any;
}
