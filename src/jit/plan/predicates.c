/* SPDX-License-Identifier: Apache-2.0 */
/*
 * predicates.c - questions about an instruction, a shape or a kernel that
 * analyses and emitters ask alike.
 */
#include "jit/plan/plan.h"
#include "jit/tune.h"

bool
sw_jit_is_unusual(const sw_ins *ins)
{
    return ins->space == SW_SPACE_PARAM || sw_ins_is_whole(ins) ||
           ins->space == SW_SPACE_SHARED_CLUSTER ||
           sw_type_bits((sw_type)ins->type) > 64 ||
           sw_type_bits((sw_type)ins->type) < 8;
}

/* All threads of the block, at barrier 0; is_red: also for a reduction. */
static bool
meets_all(const sw_ins *ins, bool is_red)
{
    return ins->op == SW_OP_BAR && ins->nsrc == 1 + is_red &&
           (is_red ? ins->sub >= SW_BAR_RED_POPC : ins->sub == SW_BAR_SYNC) &&
           sw_ins_src(ins, 0)->kind == SW_OPND_IMM &&
           sw_ins_src(ins, 0)->imm == 0;
}

bool
sw_jit_is_block_barrier(const sw_ins *ins)
{
    return meets_all(ins, false) || meets_all(ins, true);
}

bool
sw_jit_uses_clusters(const sw_fn *fn)
{
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++)
            if (fn->blocks[b]->ins[i]->op == SW_OP_MAPA ||
                fn->blocks[b]->ins[i]->op == SW_OP_BAR_CLUSTER)
                return true;
    return false;
}

bool
sw_jit_are_rows(const sw_shape *shape, unsigned lanes)
{
    int32_t seen[SW_JIT_GROUPS];
    unsigned count = 0, most = lanes / sw_jit_tune.row_lanes;
    most = most > sw_jit_tune.rows_few ? most : sw_jit_tune.rows_few;
    for (unsigned i = 0; shape->v && i < lanes; i++) {
        unsigned g = 0;
        while (g < count && seen[g] != shape->v[i])
            g++;
        if (g == most)
            return false;
        if (g == count)
            seen[count++] = shape->v[i];
    }
    return true;
}

bool
sw_jit_passes_nans(const sw_ins *ins)
{
    switch (ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL:
    case SW_OP_DIV:
    case SW_OP_MAD:
    case SW_OP_FMA:
    case SW_OP_ABS:
    case SW_OP_NEG:
        return ins->type == SW_T_F64;
    default:
        return false;
    }
}

const sw_fn *
sw_jit_callee_of(const sw_jit_plan *plan, const sw_ins *ins, uint32_t *number)
{
    return plan->rq->called && ins->op == SW_OP_CALL
               ? plan->rq->called(plan->rq->arg, plan->fn, ins, number)
               : NULL;
}

bool
sw_jit_calls_compiled(const sw_jit_plan *plan)
{
    uint32_t number;
    if (!plan->fn->is_entry)
        return true;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (sw_jit_callee_of(plan, plan->fn->blocks[b]->ins[i], &number))
                return true;
    return false;
}
