/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_loop.c - a small kernel's warps one after another without a way back.
 *
 * Most kernels do little in a thread: to come and go, and to look up what is
 * the same for all warps, takes longer than that. So the function of a kernel
 * whose warps do not meet at barriers is a loop over a series (see abi.h): the
 * warps of blocks beside each other. The runtime hears of it when a warp calls
 * a helper (catch_up in run/runtime.c).
 *
 * Blocks that extend along y touch short pieces of rows that lie far apart. If
 * no warp ever waits for another and warps share nothing, a series goes by
 * warps: each goes through all blocks before the next one, along the rows, as
 * the processor expects it.
 */
#include <string.h>

#include "jit/emit/emit.h"

#define B e->ll.builder

/* Of larger kernels the way back costs little, and what is kept from warp to
 * warp takes registers. Functions count as what they are made of. */
enum { LARGEST = 300, FUNCTION = 20 };

bool
sw_jit_meets_at_barriers(const sw_jit_emit *e)
{
    if (e->shapes->map.is_block)
        return false;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++)
            if (sw_jit_is_block_barrier(e->fn->blocks[b]->ins[i]))
                return true;
    return false;
}

/* A team in a loop over global memory is busy for long, and can spare no
 * register. */
static bool
is_busy(const sw_jit_emit *e)
{
    for (uint32_t b = 0; b < e->fn->block_count && e->lanes > 32; b++)
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++) {
            const sw_ins *ins = e->fn->blocks[b]->ins[i];
            if (e->cfg->loop[b] && ins->op == SW_OP_LD &&
                (ins->space == SW_SPACE_GLOBAL ||
                 ins->space == SW_SPACE_GENERIC))
                return true;
        }
    return false;
}

static uint32_t
count_instructions(const sw_jit_emit *e)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++) {
            sw_op op = (sw_op)e->fn->blocks[b]->ins[i]->op;
            bool is_function = sw_op_get_info(op)->unit == SW_UNIT_SFU ||
                               op == SW_OP_DIV || op == SW_OP_REM ||
                               op == SW_OP_SQRT || op == SW_OP_RCP;
            count += is_function ? FUNCTION : 1;
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
find_writers(const sw_jit_emit *e, uint32_t loop, sw_reg reg)
{
    writers w = {0};
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++) {
            const sw_ins *ins = e->fn->blocks[b]->ins[i];
            for (unsigned k = 0; k < ins->ndst; k++) {
                if (ins->opnd[k].kind != SW_OPND_REG || ins->opnd[k].reg != reg)
                    continue;
                if (sw_cfg_is_in_loop(e->cfg, loop, b)) {
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
is_counter(const sw_jit_emit *e, uint32_t loop, const sw_opnd *o)
{
    if (o->kind != SW_OPND_REG)
        return false;
    writers w = find_writers(e, loop, o->reg);
    if (w.times_inside != 1 || w.inside->guard || w.inside->op != SW_OP_ADD)
        return false;
    const sw_opnd *by = sw_ins_src(w.inside, 1);
    return sw_ins_src(w.inside, 0)->kind == SW_OPND_REG &&
           sw_ins_src(w.inside, 0)->reg == o->reg && by->kind == SW_OPND_IMM &&
           by->imm != 0;
}

static bool
stays_the_same(const sw_jit_emit *e, uint32_t loop, const sw_opnd *o)
{
    return o->kind == SW_OPND_IMM ||
           (o->kind == SW_OPND_REG &&
            find_writers(e, loop, o->reg).times_inside == 0);
}

/* Whether the loop is left at the end of this block, through which each turn
 * goes, once a counter has come to its end. */
static bool
ends_by_count(const sw_jit_emit *e, uint32_t loop, uint32_t b)
{
    const sw_block *block = e->fn->blocks[b];
    const sw_ins *bra = block->ins[block->count - 1];
    if (bra->op != SW_OP_BRA || !bra->guard || block->target_count != 2 ||
        sw_cfg_is_in_loop(e->cfg, loop, block->targets[0]) ==
            sw_cfg_is_in_loop(e->cfg, loop, block->targets[1]))
        return false;
    writers w = find_writers(e, loop, bra->guard);
    return w.times_inside == 1 && w.inside->op == SW_OP_SETP &&
           w.inside->nsrc == 2 && !w.inside->guard &&
           ((is_counter(e, loop, sw_ins_src(w.inside, 0)) &&
             stays_the_same(e, loop, sw_ins_src(w.inside, 1))) ||
            (is_counter(e, loop, sw_ins_src(w.inside, 1)) &&
             stays_the_same(e, loop, sw_ins_src(w.inside, 0))));
}

/* Each turn of the loop goes through its header, and by its only way back. */
static bool
is_counted(const sw_jit_emit *e, uint32_t loop)
{
    const sw_loop *l = &e->cfg->loops[loop];
    uint32_t back = SW_CFG_NONE, header = l->header;
    for (uint32_t i = e->cfg->pred_at[header]; i < e->cfg->pred_at[header + 1];
         i++) {
        uint32_t b = e->cfg->pred[i];
        if (sw_cfg_is_in_loop(e->cfg, loop, b))
            back = back == SW_CFG_NONE ? b : header;
    }
    return !l->irreducible &&
           (ends_by_count(e, loop, header) ||
            (back != SW_CFG_NONE && ends_by_count(e, loop, back)));
}

/* Whether lanes end apart from others of their warp, of which the engine has to
 * be told. */
static bool
ends_some(const sw_jit_emit *e, uint32_t b)
{
    const sw_block *block = e->fn->blocks[b];
    const sw_ins *last = block->ins[block->count - 1];
    return last->op != SW_OP_BRA && last->op != SW_OP_BRX &&
           e->shapes->leader[b] != SW_SHAPES_ROOT;
}

static bool
can_go_by_warps(const sw_jit_emit *e)
{
    if (e->rq->map.is_line || e->shapes->map.is_block)
        return false;
    for (uint32_t b = 0; b < e->fn->block_count; b++) {
        if (ends_some(e, b))
            return false;
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++)
            if (!is_private(e->fn->blocks[b]->ins[i]))
                return false;
    }
    for (uint32_t l = 1; l < e->cfg->loop_count; l++)
        if (!is_counted(e, l))
            return false;
    return true;
}

sw_jit_series
sw_jit_find_series(const sw_jit_emit *e)
{
    if (!e->fn->is_entry || count_instructions(e) > LARGEST ||
        sw_jit_is_cut(e) || sw_jit_meets_at_barriers(e) || is_busy(e))
        return SW_JIT_ALONE;
    return can_go_by_warps(e) ? SW_JIT_BY_WARPS : SW_JIT_BY_BLOCKS;
}

static LLVMValueRef
place_in_block(sw_jit_emit *e, size_t offset)
{
    return sw_jit_at(e,
                     sw_jit_field(e, offsetof(sw_jit_ctx, block), e->ptr, true),
                     sw_jit_i64(e, offset));
}

static LLVMValueRef
place_of_x(sw_jit_emit *e)
{
    return place_in_block(e, offsetof(sw_jit_blk, ctaid));
}

static LLVMValueRef
in_block(sw_jit_emit *e, size_t offset, LLVMTypeRef type)
{
    return LLVMBuildLoad2(B, type, place_in_block(e, offset), "");
}

/* What may be read before it is known whether anybody needs it. */
static void
mark_readable(const sw_jit_emit *e, LLVMValueRef pointer, uint64_t bytes)
{
    LLVMContextRef c = e->ll.context;
    const char name[] = "dereferenceable";
    LLVMMetadataRef n = LLVMValueAsMetadata(sw_jit_i64(e, bytes));
    LLVMSetMetadata(pointer, LLVMGetMDKindIDInContext(c, name, sizeof name - 1),
                    LLVMMetadataAsValue(c, LLVMMDNodeInContext2(c, &n, 1)));
}

void
sw_jit_begin_series(sw_jit_emit *e)
{
    if (!e->fn->param_bytes)
        return;
    e->params = sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->ptr);
    mark_readable(e, e->params, e->fn->param_bytes);
}

void
sw_jit_begin_in_series(sw_jit_emit *e)
{
    LLVMBuildStore(B, sw_jit_ctx_of(e),
                   place_in_block(e, offsetof(sw_jit_blk, now)));
    e->ctaid_x = LLVMBuildLoad2(B, e->i32, place_of_x(e), "");
}

/* To the next block, if there is one, else to `last`. */
static void
go_to_next_block(sw_jit_emit *e, LLVMBasicBlockRef next, LLVMBasicBlockRef last)
{
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef x = LLVMBuildLoad2(B, e->i32, place_of_x(e), "");
    LLVMValueRef end = in_block(e, offsetof(sw_jit_blk, last_x), e->i32);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntEQ, x, end, ""), last, on);
    LLVMPositionBuilderAtEnd(B, on);
    LLVMBuildStore(B, LLVMBuildAdd(B, x, sw_jit_i32(e, 1), ""), place_of_x(e));
    LLVMBuildBr(B, next);
}

/* To the warp that follows, if there is one, else to `last`. */
static void
go_to_next_warp(sw_jit_emit *e, LLVMBasicBlockRef next, LLVMBasicBlockRef last)
{
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef follow =
        sw_jit_field(e, offsetof(sw_jit_ctx, follow), e->ptr, false);
    LLVMBuildCondBr(B, LLVMBuildIsNull(B, follow, ""), last, on);
    LLVMPositionBuilderAtEnd(B, on);
    LLVMBuildStore(B, follow, e->ctx_slot);
    LLVMBuildBr(B, next);
}

void
sw_jit_end_in_series(sw_jit_emit *e)
{
    LLVMBasicBlockRef turn = sw_jit_block(e, "turn");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMBasicBlockRef back = sw_jit_block(e, "back");
    bool by_warps = e->series == SW_JIT_BY_WARPS;
    if (by_warps)
        go_to_next_block(e, e->entry, over);
    else
        go_to_next_warp(e, e->entry, over);
    LLVMPositionBuilderAtEnd(B, over);
    if (by_warps)
        go_to_next_warp(e, turn, back);
    else
        go_to_next_block(e, turn, back);
    LLVMPositionBuilderAtEnd(B, turn); /* the other one begins anew */
    if (by_warps)
        LLVMBuildStore(B, in_block(e, offsetof(sw_jit_blk, first_x), e->i32),
                       place_of_x(e));
    else
        LLVMBuildStore(B, in_block(e, offsetof(sw_jit_blk, lead), e->ptr),
                       e->ctx_slot);
    LLVMBuildBr(B, e->entry);
    LLVMPositionBuilderAtEnd(B, back);
    LLVMBuildRetVoid(B);
}
