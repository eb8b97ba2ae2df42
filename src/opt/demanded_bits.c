/* SPDX-License-Identifier: Apache-2.0 */
/* demanded_bits.c - see demanded_bits.h. */
#include "opt/demanded_bits.h"

#include "opt/liveness.h"
#include "opt/rewriter.h"

/* What the lower half of a result is made of. */
typedef enum {
    BY_OTHERS, /* not only of lower halves */
    BY_HALVES, /* of its sources', by the same operation */
    BY_WORDS,  /* of sources that have 32 bits, and of the lower half of a third
                  that has 64, by another operation */
    BY_COPY    /* it is the source, or its extension */
} maker;

typedef struct {
    const sw_fn *fn;
    bool *is_high; /* [reg_count] somebody sees its upper half */
    bool changed;
} uses;

static bool
is_int(unsigned type, unsigned least, unsigned most)
{
    sw_kind kind =
        type == SW_T_NONE ? SW_KIND_NONE : sw_type_kind((sw_type)type);
    unsigned bits = type == SW_T_NONE ? 0 : sw_type_bits((sw_type)type);
    return (kind == SW_KIND_UINT || kind == SW_KIND_SINT ||
            kind == SW_KIND_BITS) &&
           bits >= least && bits <= most;
}

static bool
is_plain(const sw_ins *ins)
{
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (sw_ins_src(ins, i)->kind != SW_OPND_REG &&
            sw_ins_src(ins, i)->kind != SW_OPND_IMM)
            return false;
    return ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG && !ins->flags;
}

/* An integer of 64 bits becomes one of at most 32. */
static bool
is_cut(const sw_ins *ins)
{
    return ins->op == SW_OP_CVT && is_plain(ins) && ins->nsrc == 1 &&
           is_int(ins->stype, 64, 64) && is_int(ins->type, 8, 32);
}

static maker
maker_of(const sw_ins *ins)
{
    if (!is_plain(ins))
        return BY_OTHERS;
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
        return ins->nsrc == 2 && is_int(ins->type, 64, 64) ? BY_HALVES
                                                           : BY_OTHERS;
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_SELP:
    case SW_OP_MOV:
        return is_int(ins->type, 64, 64) ? BY_HALVES : BY_OTHERS;
    case SW_OP_SHL:
        return is_int(ins->type, 64, 64) &&
                       sw_ins_src(ins, 1)->kind == SW_OPND_IMM &&
                       (uint32_t)sw_ins_src(ins, 1)->imm < 32
                   ? BY_HALVES
                   : BY_OTHERS;
    case SW_OP_MUL_WIDE:
    case SW_OP_MAD_WIDE:
        return is_int(ins->type, 32, 32) ? BY_WORDS : BY_OTHERS;
    case SW_OP_CVT:
        return is_int(ins->type, 64, 64) && is_int(ins->stype, 8, 64)
                   ? BY_COPY
                   : BY_OTHERS;
    default:
        return BY_OTHERS;
    }
}

static bool
is_wide(const sw_fn *fn, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && fn->regs[o->reg].cls == SW_CLASS_B64;
}

/* ---- masks ---- */

/* x & mask, or (x << by) & mask: what that leaves is of x's lower half. */
typedef struct {
    const sw_opnd *x;
    unsigned by;
    uint32_t mask; /* of x */
} masked;

static bool
is_changed(const sw_block *block, uint32_t from, uint32_t to, sw_reg reg)
{
    for (uint32_t i = from; i < to; i++)
        if (sw_ins_writes(block->ins[i], reg))
            return true;
    return false;
}

/* What a register is when instruction `at` reads it, if that is x << by. */
static bool
find_shift(const sw_block *block, uint32_t at, sw_reg reg, masked *m)
{
    uint32_t i = at;
    while (i > 0 && !sw_ins_writes(block->ins[i - 1], reg))
        i--;
    const sw_ins *shl = i ? block->ins[i - 1] : NULL;
    if (!shl || shl->op != SW_OP_SHL || maker_of(shl) != BY_HALVES ||
        shl->guard || sw_ins_src(shl, 0)->kind != SW_OPND_REG ||
        is_changed(block, i - 1, at, sw_ins_src(shl, 0)->reg))
        return false;
    m->x = sw_ins_src(shl, 0);
    m->by = (unsigned)sw_ins_src(shl, 1)->imm;
    return true;
}

static bool
is_masked(const sw_block *block, uint32_t at, masked *m)
{
    const sw_ins *ins = block->ins[at];
    if (ins->op != SW_OP_AND || maker_of(ins) != BY_HALVES ||
        sw_ins_src(ins, 0)->kind != SW_OPND_REG ||
        sw_ins_src(ins, 1)->kind != SW_OPND_IMM)
        return false;
    uint64_t mask = sw_ins_src(ins, 1)->imm;
    *m = (masked){sw_ins_src(ins, 0), 0, (uint32_t)mask};
    if (mask <= UINT32_MAX)
        return true;
    if (!find_shift(block, at, sw_ins_src(ins, 0)->reg, m) ||
        mask >> m->by > UINT32_MAX)
        return false;
    m->mask = (uint32_t)(mask >> m->by);
    return true;
}

/* ---- who sees what ---- */

static void
see_whole(void *data, sw_reg reg)
{
    uses *u = data;
    u->changed |= !u->is_high[reg];
    u->is_high[reg] = true;
}

static void
look_at(uses *u, const sw_block *block, uint32_t at)
{
    const sw_ins *ins = block->ins[at];
    masked m;
    if (ins->op == SW_OP_CALL)
        sw_ins_visit_writes(ins, see_whole, u);
    if (is_cut(ins) || is_masked(block, at, &m))
        return;
    if (maker_of(ins) == BY_OTHERS || u->is_high[ins->opnd[0].reg])
        sw_ins_visit_reads(ins, see_whole, u);
}

/* From the end on, as what a result is for tells what its sources are for. */
static void
find_high(uses *u)
{
    do {
        u->changed = false;
        for (uint32_t b = u->fn->block_count; b-- > 0;)
            for (uint32_t i = u->fn->blocks[b]->count; i-- > 0;)
                look_at(u, u->fn->blocks[b], i);
    } while (u->changed);
}

static bool
is_narrowed(const uses *u, const sw_opnd *o)
{
    return is_wide(u->fn, o) && !u->is_high[o->reg];
}

static bool
has_some(const uses *u)
{
    for (uint32_t b = 0; b < u->fn->block_count; b++)
        for (uint32_t i = 0; i < u->fn->blocks[b]->count; i++) {
            const sw_ins *ins = u->fn->blocks[b]->ins[i];
            maker by = maker_of(ins);
            if ((by == BY_HALVES || by == BY_WORDS) && ins->op != SW_OP_MOV &&
                is_narrowed(u, &ins->opnd[0]))
                return true;
        }
    return false;
}

/* ---- writing ---- */

static sw_type
narrow_type(unsigned type)
{
    sw_kind kind = sw_type_kind((sw_type)type);
    return kind == SW_KIND_SINT   ? SW_T_S32
           : kind == SW_KIND_UINT ? SW_T_U32
                                  : SW_T_B32;
}

/* The operand's lower half, before the instruction that is being written. */
static sw_opnd
lower_half(sw_rewriter *w, const uses *u, const sw_opnd *o)
{
    if (o->kind == SW_OPND_IMM)
        return sw_opnd_imm((uint32_t)o->imm);
    if (!is_wide(u->fn, o) || !u->is_high[o->reg])
        return *o;
    sw_opnd cut[2] = {sw_opnd_reg(sw_rewriter_reg(w, SW_T_U32)), *o};
    sw_rewriter_add(w, SW_OP_CVT, SW_T_U32, 1, 1, cut)->stype = SW_T_U64;
    return cut[0];
}

/* The instruction with the lower halves of sources [from, to). */
static sw_ins *
write_like(sw_rewriter *w, const uses *u, const sw_ins *ins, unsigned from,
           unsigned to)
{
    sw_opnd cut[4];
    for (unsigned i = from; i < to; i++)
        cut[i] = lower_half(w, u, sw_ins_src(ins, i));
    sw_ins *copy = sw_rewriter_copy(w, ins);
    for (unsigned i = from; i < to; i++)
        copy->opnd[1 + i] = cut[i];
    return copy;
}

static void
write_copy(sw_rewriter *w, const uses *u, const sw_ins *ins)
{
    unsigned bits = sw_type_bits((sw_type)ins->stype);
    sw_ins *copy = write_like(w, u, ins, 0, bits == 64);
    copy->type = (uint8_t)narrow_type(ins->type);
    if (bits < 32)
        return;
    copy->op = SW_OP_MOV;
    copy->type = SW_T_B32;
    copy->stype = SW_T_NONE;
}

/* One that makes a narrowed register. */
static void
write_maker(sw_rewriter *w, const uses *u, const sw_ins *ins, maker by)
{
    if (by == BY_COPY) {
        write_copy(w, u, ins);
    } else if (by == BY_WORDS) {
        sw_ins *copy = write_like(w, u, ins, 2, ins->nsrc);
        copy->op = ins->op == SW_OP_MUL_WIDE ? SW_OP_MUL_LO : SW_OP_MAD_LO;
    } else {
        unsigned halves = ins->op == SW_OP_SELP  ? 2
                          : ins->op == SW_OP_SHL ? 1
                                                 : ins->nsrc;
        sw_ins *copy = write_like(w, u, ins, 0, halves);
        copy->type = (uint8_t)narrow_type(ins->type);
    }
}

/* What an instruction leaves in 64 bits is cut. */
static void
write_other(sw_rewriter *w, const uses *u, const sw_ins *ins)
{
    sw_ins *copy = sw_rewriter_copy(w, ins);
    for (unsigned i = 0; ins->op != SW_OP_CALL && i < ins->ndst; i++) {
        if (!is_narrowed(u, &ins->opnd[i]))
            continue;
        sw_opnd cut[2] = {ins->opnd[i],
                          sw_opnd_reg(sw_rewriter_reg(w, SW_T_U64))};
        copy->opnd[i] = cut[1];
        sw_ins *half = sw_rewriter_add(w, SW_OP_CVT, SW_T_U32, 1, 1, cut);
        half->stype = SW_T_U64;
        half->guard = ins->guard;
        half->guard_neg = ins->guard_neg;
    }
}

/* A narrowed register is cut, or goes on. */
static void
write_cut(sw_rewriter *w, const sw_ins *ins)
{
    sw_ins *copy = sw_rewriter_copy(w, ins);
    copy->stype = SW_T_U32;
    if (sw_type_bits((sw_type)ins->type) < 32)
        return;
    copy->op = SW_OP_MOV;
    copy->type = SW_T_B32;
    copy->stype = SW_T_NONE;
}

/* x's lower half, and what is masked of it, in 64 bits. */
static void
write_masked(sw_rewriter *w, const uses *u, const sw_ins *ins, const masked *m)
{
    sw_opnd word[2] = {lower_half(w, u, m->x), sw_opnd_imm(m->mask)};
    if (m->mask != UINT32_MAX)
        word[0] =
            sw_opnd_reg(sw_rewriter_pure(w, SW_OP_AND, SW_T_B32, 2, word));
    sw_opnd wide[3] = {ins->opnd[0], word[0]};
    if (m->by)
        wide[0] = sw_opnd_reg(sw_rewriter_reg(w, SW_T_U64));
    sw_ins *last = sw_rewriter_add(w, SW_OP_CVT, SW_T_U64, 1, 1, wide);
    last->stype = SW_T_U32;
    if (m->by) {
        wide[1] = wide[0];
        wide[0] = ins->opnd[0];
        wide[2] = sw_opnd_imm(m->by);
        last = sw_rewriter_add(w, SW_OP_SHL, SW_T_B64, 1, 2, wide);
    }
    last->guard = ins->guard;
    last->guard_neg = ins->guard_neg;
}

static void
write_ins(sw_rewriter *w, const uses *u, const sw_block *block, uint32_t at)
{
    const sw_ins *ins = block->ins[at];
    maker by = maker_of(ins);
    bool makes = false;
    masked m;
    for (unsigned i = 0; i < ins->ndst; i++)
        makes |= is_narrowed(u, &ins->opnd[i]);
    if (is_cut(ins) && is_narrowed(u, sw_ins_src(ins, 0)))
        write_cut(w, ins);
    else if (!makes && is_masked(block, at, &m) &&
             is_narrowed(u, sw_ins_src(ins, 0)))
        write_masked(w, u, ins, &m);
    else if (makes && by != BY_OTHERS)
        write_maker(w, u, ins, by);
    else if (makes)
        write_other(w, u, ins);
    else
        sw_rewriter_keep(w, ins);
}

const sw_fn *
sw_opt_narrow_integers(const sw_fn *fn, sw_arena *arena)
{
    uses u = {.fn = fn};
    sw_rewriter w;
    sw_fn *copy = NULL;
    if (fn->module->debug || !fn->is_entry)
        return NULL;
    u.is_high = sw_alloc(fn->reg_count * sizeof *u.is_high);
    find_high(&u);
    if (has_some(&u)) {
        copy = sw_rewriter_begin(&w, fn, arena);
        for (uint32_t b = 0; b < fn->block_count; b++) {
            sw_rewriter_begin_block(&w);
            for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
                w.from = fn->blocks[b]->ins[i];
                write_ins(&w, &u, fn->blocks[b], i);
            }
            sw_rewriter_end_block(&w, copy->blocks[b]);
        }
        for (sw_reg r = 1; r < fn->reg_count; r++)
            if (fn->regs[r].cls == SW_CLASS_B64 && !u.is_high[r]) {
                sw_reg_info *info = sw_vec_at(&w.regs, r);
                info->cls = SW_CLASS_B32;
                info->type = SW_T_B32;
            }
        sw_rewriter_end(&w, copy);
    }
    sw_free(u.is_high);
    return copy;
}
