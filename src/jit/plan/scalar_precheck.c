/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_precheck.c - scalar loops whose turns can be counted before the first,
 * and the lists that they go through (emit/scalar_precheck.c).
 */
#include "jit/plan/scalar_loop.h"

/* One more access by the list's register: false if they do not go together. */
static bool
add_access(sw_jit_list *l, const sw_ins *ins)
{
    unsigned bits = sw_type_bits((sw_type)ins->type), unit;
    int64_t off = ins->offset;
    enum { FAR = 1 << 16 };
    unit = bits / 8 * ins->vec;
    l->is_stored |= ins->op == SW_OP_ST;
    if (bits % 8 || bits > 64 || off > FAR || off < -FAR)
        return false;
    if (l->first == l->end) {
        l->first = l->aligned = off;
        l->end = off + unit;
        l->unit = unit;
        return l->step % unit == 0;
    }
    if (unit > l->unit) {
        if ((l->aligned - off) % l->unit)
            return false;
        l->unit = unit;
        l->aligned = off;
    }
    l->first = off < l->first ? off : l->first;
    l->end = off + unit > l->end ? off + unit : l->end;
    return (off - l->aligned) % unit == 0 && l->step % l->unit == 0;
}

static bool
is_access(const sw_ins *ins, sw_reg reg)
{
    return (ins->op == SW_OP_LD || ins->op == SW_OP_ST) &&
           ins->space != SW_SPACE_SHARED &&
           sw_ins_src(ins, 0)->kind == SW_OPND_REG &&
           sw_ins_src(ins, 0)->reg == reg;
}

/* *count: how many accesses it has. */
static bool
is_list(const sw_jit_plan *plan, const sw_jit_scalar_loop *s, sw_jit_list *l,
        unsigned *count)
{
    uint32_t stepped_at = s->block->count;
    *count = 0;
    if (plan->fn->regs[l->reg].cls != SW_CLASS_B64 ||
        (sw_block_writes(s->block, l->reg) &&
         !sw_block_steps(s->block, l->reg, 64, &l->step, &stepped_at)))
        return false;
    for (uint32_t i = 0; i < stepped_at; i++) {
        const sw_ins *ins = s->block->ins[i];
        if (!is_access(ins, l->reg))
            continue;
        ++*count;
        if (!add_access(l, ins))
            return false;
    }
    return *count > 0;
}

bool
sw_jit_find_precheck(const sw_jit_plan *plan, const sw_jit_scalar_loop *s,
                     sw_jit_precheck_plan *a)
{
    unsigned known = 0, mine;
    *a = (sw_jit_precheck_plan){0};
    if (!sw_opt_find_trip_count(plan->fn, s->block, &a->loop))
        return false;
    for (uint32_t i = 0; i < s->block->count; i++)
        a->accesses += s->block->ins[i]->op == SW_OP_LD ||
                       s->block->ins[i]->op == SW_OP_ST;
    for (unsigned k = 0; k < s->count && a->count < SW_JIT_SCALAR_LISTS; k++) {
        sw_jit_list *l = &a->lists[a->count];
        *l = (sw_jit_list){.reg = s->regs[k].reg};
        if (!s->regs[k].enters || !is_list(plan, s, l, &mine))
            continue;
        a->count++;
        known += mine;
    }
    a->has_all = known == a->accesses;
    return a->count > 0;
}
