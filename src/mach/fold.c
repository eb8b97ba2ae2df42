/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fold.c - what is no instruction of the machine: constants, and what another
 * instruction does in passing; see mach.h.
 */
#include <string.h>

#include "mach/lower.h"
#include "opt/liveness.h"

/* ---- what is read and written how often ---- */

static void
count_use(void *data, sw_reg reg)
{
    ((lowering *)data)->uses[reg]++;
}

static void
count_def(void *data, sw_reg reg)
{
    ((lowering *)data)->defs[reg]++;
}

/* Integer arithmetic, which takes a number without sign as one of 64 bits. */
static bool
takes_extended(const sw_ins *ins)
{
    sw_kind kind = sw_type_kind((sw_type)ins->type);
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_SHL:
    case SW_OP_SETP:
    case SW_OP_CVT:
        return kind != SW_KIND_FLOAT && kind != SW_KIND_PACKED;
    default:
        return false;
    }
}

static bool
is_counting(const sw_ins *ins)
{
    if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG || ins->guard)
        return false;
    const sw_opnd *a = sw_ins_src(ins, 0);
    if (ins->op == SW_OP_MOV)
        return a->kind == SW_OPND_IMM && a->imm % SW_MACH_UNROLL == 0;
    const sw_opnd *b = sw_ins_src(ins, 1);
    return ins->op == SW_OP_ADD && a->kind == SW_OPND_REG &&
           a->reg == ins->opnd[0].reg && b->kind == SW_OPND_IMM && b->imm == 1;
}

/* Products that are only added to addresses: each sum does its own again. */
static void
count_sums(lowering *w, const sw_ins *ins)
{
    if (ins->op != SW_OP_ADD || sw_type_bits((sw_type)ins->type) != 64 ||
        sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT)
        return;
    for (unsigned i = 0; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && w->added[o->reg] < UINT8_MAX)
            w->added[o->reg]++;
    }
}

static void
count_number(lowering *w, sw_reg reg)
{
    if (w->counts[reg] < UINT8_MAX)
        w->counts[reg]++;
}

static void
refuse_extended(void *data, sw_reg reg)
{
    ((lowering *)data)->is_summed[reg] = false;
}

static void
count_all(lowering *w)
{
    for (uint32_t r = 0; r < w->fn->reg_count; r++)
        w->is_summed[r] = true;
    for (uint32_t b = 0; b < w->fn->block_count; b++)
        for (uint32_t i = 0; i < w->fn->blocks[b]->count; i++) {
            const sw_ins *ins = w->fn->blocks[b]->ins[i];
            sw_ins_visit_reads(ins, count_use, w);
            sw_ins_visit_writes(ins, count_def, w);
            count_sums(w, ins);
            if (is_counting(ins))
                count_number(w, ins->opnd[0].reg);
            if (!takes_extended(ins))
                sw_ins_visit_reads(ins, refuse_extended, w);
            if (ins->ndst == 1 && ins->opnd[0].kind == SW_OPND_REG &&
                !ins->guard) {
                w->def[ins->opnd[0].reg] = ins;
                w->home[ins->opnd[0].reg] = b;
            }
        }
    for (uint32_t i = 0; i < w->fn->param_count; i++)
        if (w->fn->params[i].kind == SW_OPND_REG)
            w->defs[w->fn->params[i].reg]++;
    for (uint32_t r = 0; r < w->fn->reg_count; r++)
        if (w->defs[r] != 1)
            w->def[r] = NULL;
}

/* ---- constants and uniform values ---- */

static bool
is_constant_sreg(const lowering *w, sw_sreg sreg)
{
    if (sreg >= SW_SREG_NTID_X && sreg <= SW_SREG_NTID_Z)
        return true;
    if (sreg >= SW_SREG_NCTAID_X && sreg <= SW_SREG_NCTAID_Z)
        return true;
    return sreg >= SW_SREG_CTAID_X && sreg <= SW_SREG_CTAID_Z &&
           w->m->cc >= UNIFORM_FROM;
}

static bool
all_sources_free(const lowering *w, const sw_ins *ins)
{
    for (unsigned i = 0; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && !w->is_free[o->reg])
            return false;
    }
    return true;
}

static bool
makes_free(const lowering *w, const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_LD:
        return ins->space == SW_SPACE_PARAM && w->fn->is_entry &&
               sw_ins_src(ins, 0)->kind == SW_OPND_SYM;
    case SW_OP_SREG:
        return is_constant_sreg(w, (sw_sreg)ins->sub);
    case SW_OP_ADDR: /* from 9.0 on, a block's place in its cluster is in it */
        return sw_ins_src(ins, 0)->kind != SW_OPND_SYM ||
               sw_ins_src(ins, 0)->sym->space != SW_SPACE_SHARED ||
               w->m->cc < LOADED_BASES_FROM;
    case SW_OP_MOV:
    case SW_OP_CVTA:
        return all_sources_free(w, ins);
    default:
        return false;
    }
}

/* In an order in which definitions come before uses. */
static void
find_free(lowering *w)
{
    for (uint32_t n = 0; n < w->m->cfg->count; n++) {
        const sw_block *b = w->fn->blocks[w->m->cfg->order[n]];
        for (uint32_t i = 0; i < b->count; i++) {
            const sw_ins *ins = b->ins[i];
            if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG)
                continue;
            sw_reg reg = ins->opnd[0].reg;
            if (w->def[reg] == ins && w->fn->regs[reg].cls != SW_CLASS_PRED &&
                makes_free(w, ins))
                w->is_free[reg] = true;
        }
    }
}

/* ---- instructions that another one does ---- */

static bool
is_logic(const sw_ins *ins)
{
    return ins->op == SW_OP_AND || ins->op == SW_OP_OR ||
           ins->op == SW_OP_XOR || ins->op == SW_OP_NOT;
}

static bool
has_number(const sw_ins *ins)
{
    for (unsigned i = 0; i < ins->nsrc; i++)
        if (sw_ins_src(ins, i)->kind == SW_OPND_IMM)
            return true;
    return false;
}

/* PRMT: a half above another. */
static bool
is_packing(const sw_ins *ins, const sw_ins *by)
{
    const sw_opnd *by_bits = sw_ins_src(ins, 1);
    return by->op == SW_OP_OR && by_bits->kind == SW_OPND_IMM &&
           by_bits->imm == 16 && sw_type_bits((sw_type)ins->type) == 32;
}

/* Can the machine do `by` on the result of `ins` in the same instruction? */
static bool
combines(const sw_ins *ins, const sw_ins *by)
{
    unsigned bits = sw_type_bits((sw_type)by->type);
    bool is_int = sw_type_kind((sw_type)by->type) != SW_KIND_FLOAT &&
                  sw_type_kind((sw_type)by->type) != SW_KIND_PACKED;
    bool sums = by->op == SW_OP_ADD && is_int;
    switch (ins->op) {
    case SW_OP_MUL_WIDE: /* IMAD.WIDE */
    case SW_OP_MUL_LO:   /* IMAD */
        return sums && (ins->op == SW_OP_MUL_WIDE
                            ? bits == 64
                            : sw_type_bits((sw_type)ins->type) == bits);
    case SW_OP_SHL: /* LEA */
        return (sums && has_number(ins)) || is_packing(ins, by);
    case SW_OP_CVT: /* the sign or zero of a widened index; the low half */
        if (sw_type_bits((sw_type)ins->type) <= 16 &&
            sw_type_bits((sw_type)ins->stype) <= 32 &&
            sw_type_kind((sw_type)ins->type) != SW_KIND_FLOAT &&
            sw_type_kind((sw_type)ins->stype) != SW_KIND_FLOAT)
            return by->op == SW_OP_ST || is_int;
        return is_int && bits == 64 &&
               sw_type_kind((sw_type)ins->stype) != SW_KIND_FLOAT &&
               sw_type_kind((sw_type)ins->type) != SW_KIND_FLOAT &&
               sw_type_bits((sw_type)ins->stype) == 32 &&
               (sums || by->op == SW_OP_SHL || by->op == SW_OP_MUL_LO);
    case SW_OP_ADD: /* IADD3; an address plus a number */
        if (by->op == SW_OP_LD || by->op == SW_OP_ST || by->op == SW_OP_ATOM ||
            by->op == SW_OP_RED)
            return has_number(ins) && sw_type_bits((sw_type)ins->type) == 64;
        return sums && bits == 32;
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT: /* LOP3 */
        return is_logic(by) &&
               sw_type_class((sw_type)ins->type) != SW_CLASS_PRED;
    case SW_OP_NEG:
    case SW_OP_ABS: /* a modifier of an operand */
        return sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT &&
               (by->op == SW_OP_ADD || by->op == SW_OP_SUB ||
                by->op == SW_OP_MUL || by->op == SW_OP_FMA ||
                by->op == SW_OP_SETP || by->op == SW_OP_MIN ||
                by->op == SW_OP_MAX);
    default:
        return false;
    }
}

/* The address of a memory access may be the sum; its value may not. */
static bool
is_only_address(const sw_ins *by, sw_reg reg)
{
    if (by->op == SW_OP_ADD || is_logic(by))
        return true;
    for (unsigned i = 1; i < by->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(by, i);
        if (o->kind == SW_OPND_REG && o->reg == reg)
            return false;
    }
    return true;
}

static void
fold_sources(lowering *w, const sw_ins *by, uint32_t block)
{
    bool has_sum = false;
    for (unsigned i = 0; i < by->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(by, i);
        if (o->kind != SW_OPND_REG || w->is_free[o->reg] ||
            (w->folded[o->reg] && !w->added[o->reg]))
            continue;
        if (w->uses[o->reg] != 1 ? w->added[o->reg] != w->uses[o->reg]
                                 : w->home[o->reg] != block)
            continue;
        const sw_ins *ins = w->def[o->reg];
        if (!ins || !combines(ins, by) ||
            (w->uses[o->reg] != 1 && ins->op != SW_OP_MUL_WIDE))
            continue;
        bool nests = ins->op == by->op || is_logic(ins);
        if (nests && has_sum)
            continue; /* three inputs are all there are */
        if (ins->op == SW_OP_ADD && !is_only_address(by, o->reg) &&
            (by->op == SW_OP_ST || by->op == SW_OP_ATOM || by->op == SW_OP_RED))
            continue;
        if (nests)
            for (unsigned k = 0; k < ins->nsrc; k++) {
                const sw_opnd *s = sw_ins_src(ins, k);
                if (s->kind == SW_OPND_REG && w->folded[s->reg])
                    ins = NULL;
                if (!ins)
                    break;
            }
        if (!ins)
            continue;
        has_sum = has_sum || nests;
        w->folded[o->reg] = ins;
    }
}

/* A conversion between integers that only chooses a register: the lower half,
 * or the number with zero above it. */
static bool
is_extension(const lowering *w, const sw_ins *ins)
{
    if (ins->op != SW_OP_CVT || ins->guard || ins->ndst != 1 ||
        ins->nsrc != 1 || ins->flags || ins->opnd[0].kind != SW_OPND_REG ||
        sw_ins_src(ins, 0)->kind != SW_OPND_REG)
        return false;
    sw_reg to = ins->opnd[0].reg, from = sw_ins_src(ins, 0)->reg;
    sw_kind a = sw_type_kind((sw_type)ins->stype);
    sw_kind b = sw_type_kind((sw_type)ins->type);
    if (a == SW_KIND_FLOAT || b == SW_KIND_FLOAT || w->def[to] != ins ||
        w->defs[from] != 1)
        return false;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    unsigned of = sw_type_bits((sw_type)ins->stype);
    if (bits <= 32)
        return of >= bits && bits >= 16;
    return bits == 64 && of == 32 &&
           (w->is_half[to] || (a != SW_KIND_SINT && w->is_summed[to]));
}

static void
find_extensions(lowering *w)
{
    for (uint32_t b = 0; b < w->fn->block_count; b++)
        for (uint32_t i = 0; i < w->fn->blocks[b]->count; i++) {
            const sw_ins *ins = w->fn->blocks[b]->ins[i];
            if (is_extension(w, ins) && !w->is_free[ins->opnd[0].reg])
                w->folded[ins->opnd[0].reg] = ins;
        }
}

static void
find_folded(lowering *w)
{
    for (uint32_t b = 0; b < w->fn->block_count; b++)
        for (uint32_t i = 0; i < w->fn->blocks[b]->count; i++)
            fold_sources(w, w->fn->blocks[b]->ins[i], b);
}

void
sw_mach_fold(lowering *w)
{
    count_all(w);
    find_free(w);
    find_extensions(w);
    find_folded(w);
}
