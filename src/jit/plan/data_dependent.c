/* SPDX-License-Identifier: Apache-2.0 */
/*
 * data_dependent.c - registers that are made of what lanes have loaded, each
 * its own: a hash, a neighbour's number. Lanes that access memory by one are
 * elsewhere as a rule. Where lanes have worked out an index by themselves, a
 * channel's number by a division or the middle of what they search, they often
 * come to the same one, though nothing tells.
 */
#include "jit/plan/plan.h"

typedef struct {
    const sw_jit_plan *plan;
    bool *loaded; /* by register */
    bool any;     /* of those that the instruction reads */
    bool changed;
} loads;

/* Predicates choose among values, and are none. */
static bool
is_value(const sw_jit_plan *plan, sw_reg reg)
{
    return plan->fn->regs[reg].cls != SW_CLASS_PRED;
}

static void
note_read(void *data, sw_reg reg)
{
    loads *l = data;
    l->any |= l->loaded[reg] && is_value(l->plan, reg);
}

static void
note_write(void *data, sw_reg reg)
{
    loads *l = data;
    if (l->loaded[reg] || l->plan->shapes->regs[reg].kind != SW_SHAPE_VARYING)
        return;
    l->loaded[reg] = l->changed = true;
}

static void
look_at(loads *l, const sw_ins *ins)
{
    uint8_t effects = sw_op_get_info((sw_op)ins->op)->effects;
    l->any = effects == SW_FX_READ || effects == SW_FX_ATOMIC;
    if (!l->any)
        sw_ins_visit_reads(ins, note_read, l);
    if (l->any)
        sw_ins_visit_writes(ins, note_write, l);
}

void
sw_jit_find_data_dependent(sw_jit_plan *plan)
{
    loads l = {.plan = plan, .changed = true};
    plan->is_data_dependent = l.loaded =
        sw_alloc(plan->fn->reg_count * sizeof *plan->is_data_dependent);
    while (l.changed) {
        l.changed = false;
        for (uint32_t n = 0; n < plan->cfg->reachable; n++) {
            const sw_block *block = plan->fn->blocks[plan->cfg->order[n]];
            for (uint32_t i = 0; i < block->count; i++)
                look_at(&l, block->ins[i]);
        }
    }
}

bool
sw_jit_is_data_dependent(const sw_jit_plan *plan, const sw_opnd *o)
{
    return o->kind == SW_OPND_REG && plan->is_data_dependent[o->reg];
}
