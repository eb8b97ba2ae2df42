/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_loop.c - whether warps of a kernel run one after another in one
 * function, from block to block (emit/block_loop.c).
 */
#include "jit/plan/flow.h"
#include "jit/tune.h"

bool
sw_jit_meets_at_barriers(const sw_jit_plan *plan)
{
    if (plan->shapes->map.is_block)
        return false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (sw_jit_is_block_barrier(plan->fn->blocks[b]->ins[i]))
                return true;
    return false;
}

/* Fused warps in a loop over global memory are busy for long, and can spare no
 * register. */
static bool
is_busy(const sw_jit_plan *plan)
{
    for (uint32_t b = 0; b < plan->fn->block_count && plan->lanes > 32; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            if (plan->cfg->loop[b] && ins->op == SW_OP_LD &&
                (ins->space == SW_SPACE_GLOBAL ||
                 ins->space == SW_SPACE_GENERIC))
                return true;
        }
    return false;
}

static uint32_t
count_instructions(const sw_jit_plan *plan)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            sw_op op = (sw_op)plan->fn->blocks[b]->ins[i]->op;
            bool is_function = sw_op_get_info(op)->unit == SW_UNIT_SFU ||
                               op == SW_OP_DIV || op == SW_OP_REM ||
                               op == SW_OP_SQRT || op == SW_OP_RCP;
            count += is_function ? sw_jit_tune.block_loop_function : 1;
        }
    return count;
}

/* Whether the instruction neither waits nor has to do with other warps. */
static bool
is_private(const sw_ins *ins)
{
    switch (sw_op_get_info((sw_op)ins->op)->effects) {
    case SW_FX_PURE:
        return true;
    case SW_FX_READ:
    case SW_FX_WRITE:
        return ins->order == 0 && ins->space != SW_SPACE_SHARED &&
               ins->op != SW_OP_CP_ASYNC;
    case SW_FX_FLOW:
        return ins->op == SW_OP_BRA || ins->op == SW_OP_BRX ||
               ins->op == SW_OP_RET || ins->op == SW_OP_EXIT;
    default:
        return ins->op == SW_OP_SREG || ins->op == SW_OP_PREFETCH;
    }
}

/* The only instructions inside and outside the loop that write a register. */
typedef struct {
    const sw_ins *inside;
    unsigned times_inside, times_outside;
} writers;

static writers
find_writers(const sw_jit_plan *plan, uint32_t loop, sw_reg reg)
{
    writers w = {0};
    for (uint32_t b = 0; b < plan->fn->block_count; b++)
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++) {
            const sw_ins *ins = plan->fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->ndst; k++) {
                if (ins->opnd[k].kind != SW_OPND_REG || ins->opnd[k].reg != reg)
                    continue;
                if (sw_cfg_is_in_loop(plan->cfg, loop, b)) {
                    w.inside = ins;
                    w.times_inside++;
                } else {
                    w.times_outside++;
                }
            }
        }
    return w;
}

/* i += 4 and the like: nothing else moves it while the loop runs. */
static bool
is_counter(const sw_jit_plan *plan, uint32_t loop, const sw_opnd *o)
{
    if (o->kind != SW_OPND_REG)
        return false;
    writers w = find_writers(plan, loop, o->reg);
    if (w.times_inside != 1 || w.inside->guard || w.inside->op != SW_OP_ADD)
        return false;
    const sw_opnd *by = sw_ins_src(w.inside, 1);
    return sw_ins_src(w.inside, 0)->kind == SW_OPND_REG &&
           sw_ins_src(w.inside, 0)->reg == o->reg && by->kind == SW_OPND_IMM &&
           by->imm != 0;
}

static bool
stays_the_same(const sw_jit_plan *plan, uint32_t loop, const sw_opnd *o)
{
    return o->kind == SW_OPND_IMM ||
           (o->kind == SW_OPND_REG &&
            find_writers(plan, loop, o->reg).times_inside == 0);
}

/* Whether the loop is left at the end of this block, through which each turn
 * goes, once a counter has come to its end. */
static bool
ends_by_count(const sw_jit_plan *plan, uint32_t loop, uint32_t b)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if (bra->op != SW_OP_BRA || !bra->guard || block->target_count != 2 ||
        sw_cfg_is_in_loop(plan->cfg, loop, block->targets[0]) ==
            sw_cfg_is_in_loop(plan->cfg, loop, block->targets[1]))
        return false;
    writers w = find_writers(plan, loop, bra->guard);
    return w.times_inside == 1 && w.inside->op == SW_OP_SETP &&
           w.inside->nsrc == 2 && !w.inside->guard &&
           ((is_counter(plan, loop, sw_ins_src(w.inside, 0)) &&
             stays_the_same(plan, loop, sw_ins_src(w.inside, 1))) ||
            (is_counter(plan, loop, sw_ins_src(w.inside, 1)) &&
             stays_the_same(plan, loop, sw_ins_src(w.inside, 0))));
}

/* Each turn of the loop goes through its header, and by its only way back. */
static bool
is_counted(const sw_jit_plan *plan, uint32_t loop)
{
    const sw_loop *l = &plan->cfg->loops[loop];
    uint32_t back = SW_CFG_NONE, header = l->header;
    for (uint32_t i = plan->cfg->pred_at[header];
         i < plan->cfg->pred_at[header + 1]; i++) {
        uint32_t b = plan->cfg->pred[i];
        if (sw_cfg_is_in_loop(plan->cfg, loop, b))
            back = back == SW_CFG_NONE ? b : header;
    }
    return !l->irreducible &&
           (ends_by_count(plan, loop, header) ||
            (back != SW_CFG_NONE && ends_by_count(plan, loop, back)));
}

/* Whether lanes end apart from others of their warp, of which the engine has to
 * be told. */
static bool
ends_some(const sw_jit_plan *plan, uint32_t b)
{
    const sw_block *block = plan->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    return last->op != SW_OP_BRA && last->op != SW_OP_BRX &&
           plan->shapes->head[b] != SW_SHAPES_ROOT;
}

static bool
can_go_by_warps(const sw_jit_plan *plan)
{
    if (plan->rq->map.is_line || plan->shapes->map.is_block)
        return false;
    for (uint32_t b = 0; b < plan->fn->block_count; b++) {
        if (ends_some(plan, b))
            return false;
        for (uint32_t i = 0; i < plan->fn->blocks[b]->count; i++)
            if (!is_private(plan->fn->blocks[b]->ins[i]))
                return false;
    }
    for (uint32_t l = 1; l < plan->cfg->loop_count; l++)
        if (!is_counted(plan, l))
            return false;
    return true;
}

sw_jit_block_loop
sw_jit_find_block_loop(const sw_jit_plan *plan)
{
    if (!plan->fn->is_entry ||
        count_instructions(plan) > sw_jit_tune.block_loop_size ||
        sw_jit_is_cut(plan) || sw_jit_meets_at_barriers(plan) || is_busy(plan))
        return SW_JIT_NO_LOOP;
    return can_go_by_warps(plan) ? SW_JIT_BY_WARPS : SW_JIT_BY_BLOCKS;
}
