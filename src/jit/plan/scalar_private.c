/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_private.c - scalar loops with local memory (emit/scalar_private.c).
 */
#include "jit/plan/scalar_loop.h"
#include "jit/tune.h"

static bool
is_one_element(const sw_ins *ins)
{
    unsigned bits = sw_type_bits((sw_type)ins->type);
    return ins->vec == 1 && bits >= 8 && bits <= 64;
}

bool
sw_jit_is_private(const sw_jit_plan *plan, const sw_ins *ins)
{
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
           plan->has_local_rows && ins->space == SW_SPACE_LOCAL &&
           ins->order == 0 && !sw_jit_is_unusual(ins) && is_one_element(ins);
}

/* Registers from which a place in local memory is worked out, in this turn or a
 * later one. */
typedef struct {
    sw_jit_scalar_flow f;
    bool is_place[SW_JIT_SCALAR_REGS];
} places;

static void
follow(const sw_jit_plan *plan, sw_jit_scalar_flow *f, const sw_block *block)
{
    for (uint32_t i = block->count - 1; i-- > 0;) {
        const sw_ins *ins = block->ins[i];
        if (sw_jit_is_private(plan, ins) &&
            sw_ins_src(ins, 0)->kind == SW_OPND_REG)
            sw_jit_scalar_set(f, sw_ins_src(ins, 0)->reg);
        f->any = false;
        if (ins->op != SW_OP_LD)
            sw_ins_visit_writes(ins, sw_jit_scalar_ask, f);
        if (f->any)
            sw_ins_visit_reads(ins, sw_jit_scalar_set, f);
    }
}

static void
find_places(const sw_jit_plan *plan, const sw_jit_scalar_loop *s, places *p)
{
    *p = (places){.f = {.s = s, .known = p->is_place, .changed = true}};
    while (p->f.changed) {
        p->f.changed = false;
        for (unsigned k = 0; k < s->block_count; k++)
            follow(plan, &p->f, plan->fn->blocks[s->blocks[k]]);
    }
}

/* It moves by where each lane is. */
static bool
is_index_reg(const sw_jit_scalar_reg *r, const places *p)
{
    return r->enters && r->is_written && r->shape.kind == SW_SHAPE_VARYING &&
           p->is_place[r - p->f.s->regs];
}

bool
sw_jit_suits_private(const sw_jit_plan *plan, const sw_jit_scalar_loop *s)
{
    unsigned own = 0, stored = 0, all = 0;
    for (unsigned k = 0; k < s->block_count; k++) {
        const sw_block *block = plan->fn->blocks[s->blocks[k]];
        for (uint32_t i = 0; i + 1 < block->count; i++) {
            const sw_ins *ins = block->ins[i];
            const sw_opnd *o = ins->op == SW_OP_LD || ins->op == SW_OP_ST
                                   ? sw_ins_src(ins, 0)
                                   : NULL;
            all++;
            if (!o)
                continue;
            if (!is_one_element(ins) || o->kind != SW_OPND_REG ||
                (ins->space != SW_SPACE_LOCAL &&
                 ins->space != SW_SPACE_SHARED &&
                 plan->fn->regs[o->reg].cls != SW_CLASS_B64))
                return false;
            stored += ins->op == SW_OP_ST;
            own += ins->space == SW_SPACE_LOCAL &&
                   plan->shapes->regs[o->reg].kind == SW_SHAPE_VARYING;
        }
    }
    for (unsigned i = 0; i < s->count; i++) {
        const sw_jit_scalar_reg *r = &s->regs[i];
        if ((plan->is_kept && plan->is_kept[r->reg]) ||
            (r->is_written && r->enters && r->shape.kind != SW_SHAPE_VARYING))
            return false;
    }
    return stored && own && all <= sw_jit_tune.scalar_private_access * own;
}

void
sw_jit_find_index_regs(const sw_jit_plan *plan, const sw_jit_scalar_loop *s,
                       bool is_index[SW_JIT_SCALAR_REGS])
{
    places p;
    find_places(plan, s, &p);
    for (unsigned i = 0; i < s->count; i++)
        is_index[i] = is_index_reg(&s->regs[i], &p);
}
