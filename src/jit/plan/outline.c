/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline.c - what a kernel has so much of that each is a call of a function
 * beside it (emit/access_outlined.c, emit/special_function.c).
 */
#include "jit/plan/plan.h"
#include "jit/tune.h"

enum { LANES = 32 };

static bool
lies_anywhere(const sw_jit_plan *plan, const sw_ins *ins)
{
    const sw_opnd *o =
        ins->op == SW_OP_LD || ins->op == SW_OP_ST ? sw_ins_src(ins, 0) : NULL;
    return o && o->kind == SW_OPND_REG &&
           (ins->space != SW_SPACE_LOCAL || plan->has_local_rows) &&
           plan->shapes->regs[o->reg].kind == SW_SHAPE_VARYING;
}

bool
sw_jit_has_many_scattered(const sw_jit_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0;
             !plan->fn->blocks[b]->is_rare && i < plan->fn->blocks[b]->count;
             i++)
            count += lies_anywhere(plan, plan->fn->blocks[b]->ins[i]);
    return count > (plan->machine.has_avx512
                        ? sw_jit_tune.outline_accesses_avx512
                        : sw_jit_tune.outline_accesses);
}

bool
sw_jit_is_of_unit(const sw_ins *ins)
{
    bool is_approximate =
        ins->op == SW_OP_DIV && ins->flags & (SW_F_APPROX | SW_F_FULL);
    return (sw_op_get_info((sw_op)ins->op)->unit == SW_UNIT_SFU ||
            is_approximate) &&
           sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT && ins->ndst == 1;
}

bool
sw_jit_has_many_functions(const sw_jit_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            count += sw_jit_is_of_unit(plan->fn->blocks[b]->ins[i]);
    return count * plan->lanes / LANES > sw_jit_tune.outline_functions;
}
