/* SPDX-License-Identifier: Apache-2.0 */
/* numerics_fused.c - see numerics_private.h. */
#include "opt/liveness.h"
#include "opt/numerics_private.h"
#include "sem/sem.h"

/* What is known of a register. */
typedef struct {
    const sw_ins *by; /* the last write */
    uint32_t writes;
    bool is_whole;   /* every write is an f32 without a fraction */
    bool is_rounded; /* some write comes of rounding an f32 */
} origin;

struct sw_origins {
    origin *of; /* by register */
    const sw_ins *now;
    bool has_changed;
};

/* The register's only write, or NULL. */
static const sw_ins *
only_write(const sw_origins *o, const sw_opnd *opnd)
{
    if (opnd->kind != SW_OPND_REG || o->of[opnd->reg].writes != 1)
        return NULL;
    return o->of[opnd->reg].by;
}

/* Behind moves and changes of the sign. */
static const sw_opnd *
source_of(const sw_origins *o, const sw_opnd *opnd)
{
    enum { MOST = 8 };
    for (int i = 0; i < MOST; i++) {
        const sw_ins *by = only_write(o, opnd);
        if (!by || by->guard || (by->op != SW_OP_NEG && by->op != SW_OP_MOV))
            break;
        opnd = sw_ins_src(by, 0);
    }
    return opnd;
}

static bool
is_whole(const sw_origins *o, const sw_opnd *opnd)
{
    float x = sem_f32_bits((uint32_t)opnd->imm);
    return opnd->kind == SW_OPND_REG ? o->of[opnd->reg].is_whole
                                     : opnd->kind == SW_OPND_IMM &&
                                           !(x < rintf(x)) && !(x > rintf(x));
}

static bool
is_rounded(const sw_origins *o, const sw_opnd *opnd)
{
    return opnd->kind == SW_OPND_REG && o->of[opnd->reg].is_rounded;
}

/* A number so large that no sum with it has a fraction. */
static bool
is_rounder(const sw_origins *o, const sw_opnd *opnd)
{
    opnd = source_of(o, opnd);
    float x = fabsf(sem_f32_bits((uint32_t)opnd->imm));
    return opnd->kind == SW_OPND_IMM && x >= 0x1p23f && x <= FLT_MAX;
}

static void
note_write(void *data, sw_reg reg)
{
    sw_origins *o = data;
    o->of[reg].by = o->now;
    o->of[reg].writes++;
    o->of[reg].is_whole = true; /* until a write says otherwise */
}

static void
note_value(sw_origins *o, sw_reg reg, bool whole, bool rounded)
{
    origin *r = &o->of[reg];
    o->has_changed |= (r->is_whole && !whole) || (!r->is_rounded && rounded);
    r->is_whole &= whole;
    r->is_rounded |= rounded;
}

static void
note_other(void *data, sw_reg reg)
{
    note_value(data, reg, false, false);
}

static void
see_value(sw_origins *o, const sw_ins *ins)
{
    if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG || !ins->nsrc) {
        sw_ins_visit_writes(ins, note_other, o);
        return;
    }
    const sw_opnd *a = sw_ins_src(ins, 0);
    const sw_opnd *b = ins->nsrc > 1 ? sw_ins_src(ins, 1) : a;
    bool whole = false, rounded = false;
    switch (ins->op) {
    case SW_OP_CVT:
        rounded = ins->type != SW_T_F32    ? ins->stype == SW_T_F32
                  : ins->stype == SW_T_F32 ? ins->rnd >= SW_RND_RNI
                                           : is_rounded(o, a);
        whole = rounded;
        break;
    case SW_OP_ADD:
    case SW_OP_SUB:
        if (ins->type != SW_T_F32)
            break;
        rounded = is_rounder(o, a) || is_rounder(o, b);
        whole = rounded || (is_whole(o, a) && is_whole(o, b));
        rounded |= is_rounded(o, a) || is_rounded(o, b);
        break;
    case SW_OP_MOV:
    case SW_OP_NEG:
    case SW_OP_ABS:
    case SW_OP_MIN:
    case SW_OP_MAX:
    case SW_OP_COPYSIGN:
    case SW_OP_SELP:
        whole = is_whole(o, a) && is_whole(o, b);
        rounded = is_rounded(o, a) || is_rounded(o, b);
        break;
    default:
        break;
    }
    note_value(o, ins->opnd[0].reg, whole, rounded);
}

sw_origins *
sw_origins_create(const sw_fn *fn)
{
    sw_origins *o = sw_alloc(sizeof *o);
    o->of = sw_alloc(fn->reg_count * sizeof *o->of);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            o->now = fn->blocks[b]->ins[i];
            sw_ins_visit_writes(o->now, note_write, o);
        }
    do {
        o->has_changed = false;
        for (uint32_t b = 0; b < fn->block_count; b++)
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
                see_value(o, fn->blocks[b]->ins[i]);
    } while (o->has_changed);
    return o;
}

void
sw_origins_destroy(sw_origins *o)
{
    if (o)
        sw_free(o->of);
    sw_free(o);
}

static bool
is_same(const sw_opnd *a, const sw_opnd *b)
{
    return a->kind == b->kind && a->reg == b->reg && a->imm == b->imm;
}

/* Are the factors the same two, but for signs? */
static bool
has_factors_of(const sw_origins *o, const sw_ins *a, const sw_ins *b)
{
    const sw_opnd *a0 = source_of(o, sw_ins_src(a, 0));
    const sw_opnd *a1 = source_of(o, sw_ins_src(a, 1));
    const sw_opnd *b0 = source_of(o, sw_ins_src(b, 0));
    const sw_opnd *b1 = source_of(o, sw_ins_src(b, 1));
    return (is_same(a0, b0) && is_same(a1, b1)) ||
           (is_same(a0, b1) && is_same(a1, b0));
}

/* Is the operand the fma's own product, or that added to something? */
static bool
has_product_of(const sw_origins *o, const sw_opnd *opnd, const sw_ins *fma)
{
    const sw_ins *by = only_write(o, source_of(o, opnd));
    return by &&
           (by->op == SW_OP_MUL || by->op == SW_OP_FMA ||
            by->op == SW_OP_MAD) &&
           by->type == SW_T_F32 && has_factors_of(o, by, fma);
}

/* a * b - (a * b), or a * b + (c - (a * b + c)). */
static bool
finds_what_is_lost(const sw_origins *o, const sw_ins *fma)
{
    const sw_opnd *c = source_of(o, sw_ins_src(fma, 2));
    const sw_ins *sum = only_write(o, c);
    if (sum && (sum->op == SW_OP_ADD || sum->op == SW_OP_SUB))
        return has_product_of(o, sw_ins_src(sum, 0), fma) ||
               has_product_of(o, sw_ins_src(sum, 1), fma);
    return has_product_of(o, c, fma);
}

/* Is q x / y, or near it? */
static bool
is_quotient(const sw_origins *o, const sw_opnd *q, const sw_opnd *y)
{
    const sw_ins *by = only_write(o, source_of(o, q));
    if (!by || by->type != SW_T_F32)
        return false;
    if (by->op == SW_OP_DIV)
        return is_same(source_of(o, sw_ins_src(by, 1)), source_of(o, y));
    if (by->op != SW_OP_MUL && by->op != SW_OP_FMA && by->op != SW_OP_MAD)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        const sw_ins *rcp = only_write(o, source_of(o, sw_ins_src(by, i)));
        if (rcp && rcp->op == SW_OP_RCP &&
            is_same(source_of(o, sw_ins_src(rcp, 0)), source_of(o, y)))
            return true;
    }
    return false;
}

bool
sw_origins_is_fused(const sw_origins *o, const sw_ins *fma)
{
    const sw_opnd *a = sw_ins_src(fma, 0), *b = sw_ins_src(fma, 1);
    if (is_quotient(o, a, b) || is_quotient(o, b, a))
        return true;
    for (unsigned i = 0; i < 3; i++)
        if (is_rounded(o, sw_ins_src(fma, i)) &&
            is_whole(o, sw_ins_src(fma, i)))
            return true;
    return finds_what_is_lost(o, fma);
}
