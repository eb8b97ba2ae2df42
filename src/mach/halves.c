/* SPDX-License-Identifier: Apache-2.0 */
/*
 * halves.c - which 64-bit integers an assembler keeps in one register, because
 * nobody needs their upper words: addresses of shared and local memory, sums
 * and products of which only the lower half is taken; see mach.h.
 *
 * It starts from what does need them, and goes from results to operands until
 * nothing changes.
 */
#include "mach/mach.h"
#include "opt/liveness.h"

typedef struct {
    const sw_fn *fn;
    bool *is_needed; /* [reg_count] the upper word */
    bool changed;
} walk;

static bool
is_wide_int(const sw_fn *fn, sw_reg reg)
{
    return fn->regs[reg].cls == SW_CLASS_B64;
}

static bool
is_int_type(unsigned type)
{
    return type != SW_T_NONE && sw_type_kind((sw_type)type) != SW_KIND_FLOAT &&
           sw_type_kind((sw_type)type) != SW_KIND_PACKED;
}

/* Is the lower word of its result made of lower words of its operands? */
static bool
keeps_halves(const sw_ins *ins)
{
    if (ins->ndst != 1 || ins->opnd[0].kind != SW_OPND_REG ||
        !is_int_type(ins->type))
        return false;
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL_LO:
    case SW_OP_MAD_LO:
    case SW_OP_MAD_WIDE:
    case SW_OP_AND:
    case SW_OP_OR:
    case SW_OP_XOR:
    case SW_OP_NOT:
    case SW_OP_NEG:
    case SW_OP_SHL:
    case SW_OP_MOV:
    case SW_OP_CVTA:
    case SW_OP_SELP:
        return true;
    default:
        return false;
    }
}

static bool
is_near(sw_space space)
{
    return space == SW_SPACE_SHARED || space == SW_SPACE_LOCAL ||
           space == SW_SPACE_CONST || space == SW_SPACE_PARAM;
}

static bool
needs_upper(const walk *w, const sw_ins *ins, unsigned i)
{
    if (keeps_halves(ins))
        return w->is_needed[ins->opnd[0].reg] ||
               sw_class_bytes(w->fn->regs[ins->opnd[0].reg].cls) != 8;
    if (ins->op == SW_OP_CVT && is_int_type(ins->type) &&
        is_int_type(ins->stype))
        return sw_type_bits((sw_type)ins->type) > 32 &&
               w->is_needed[ins->opnd[0].reg];
    bool is_access = sw_op_get_info((sw_op)ins->op)->unit == SW_UNIT_LSU;
    return !(is_access && i == 0 && is_near((sw_space)ins->space));
}

static void
need(walk *w, sw_reg reg)
{
    if (w->is_needed[reg] || !is_wide_int(w->fn, reg))
        return;
    w->is_needed[reg] = true;
    w->changed = true;
}

/* What it writes comes as a whole: from memory, from a call. */
static void
need_result(void *data, sw_reg reg)
{
    need(data, reg);
}

static bool
makes_whole(const sw_ins *ins)
{
    bool is_int = is_int_type(ins->type);
    return !keeps_halves(ins) && ins->op != SW_OP_ADDR &&
           !(is_int && (ins->op == SW_OP_CVT || ins->op == SW_OP_MUL_WIDE));
}

typedef struct {
    walk *w;
    const sw_ins *ins;
} reading;

/* Operands of calls, vectors and the like are read whole. */
static void
need_whole(void *data, sw_reg reg)
{
    const reading *r = data;
    for (unsigned i = 0; i < r->ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(r->ins, i);
        if (o->kind == SW_OPND_REG && o->reg == reg)
            return;
    }
    need(r->w, reg);
}

static void
visit(walk *w, const sw_ins *ins)
{
    reading r = {w, ins};
    for (unsigned i = 0; i < ins->nsrc; i++) {
        const sw_opnd *o = sw_ins_src(ins, i);
        if (o->kind == SW_OPND_REG && is_wide_int(w->fn, o->reg) &&
            needs_upper(w, ins, i))
            need(w, o->reg);
    }
    sw_ins_visit_reads(ins, need_whole, &r);
}

bool *
sw_mach_find_halves(sw_arena *arena, const sw_fn *fn)
{
    bool *is_half =
        sw_arena_alloc(arena, (fn->reg_count + 1) * sizeof *is_half);
    walk w = {.fn = fn,
              .is_needed = sw_arena_alloc(arena, (fn->reg_count + 1) *
                                                     sizeof *w.is_needed)};
    for (uint32_t i = 0; i < fn->ret_count; i++)
        if (fn->rets[i].kind == SW_OPND_REG)
            need(&w, fn->rets[i].reg);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (makes_whole(fn->blocks[b]->ins[i]))
                sw_ins_visit_writes(fn->blocks[b]->ins[i], need_result, &w);
    do {
        w.changed = false;
        for (uint32_t b = fn->block_count; b-- > 0;)
            for (uint32_t i = fn->blocks[b]->count; i-- > 0;)
                visit(&w, fn->blocks[b]->ins[i]);
    } while (w.changed);
    for (uint32_t r = 0; r < fn->reg_count; r++)
        is_half[r] = is_wide_int(fn, r) && !w.is_needed[r];
    for (uint32_t i = 0; i < fn->param_count; i++)
        if (fn->params[i].kind == SW_OPND_REG)
            is_half[fn->params[i].reg] = false;
    return is_half;
}
