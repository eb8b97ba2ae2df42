/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_series.c - a small kernel's warps one after another without a way back.
 *
 * Most kernels do little in a thread: to come and go, and to look up what is
 * the same for all warps, takes longer than that. So the function of a kernel
 * whose warps do not meet at barriers is a loop: over the contexts of the
 * block's warps, as they `follow`, then over blocks side by side in x, `more` of
 * them. The runtime hears of it when a warp calls a helper (catch_up in
 * runtime.c).
 */
#include <string.h>

#include "jit/emit.h"

#define B e->ll.builder

/* Of larger kernels the way back costs little, and what is kept from warp to
 * warp takes registers. */
enum { LARGEST = 1000 };

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

bool
sw_jit_can_run_series(const sw_jit_emit *e)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        count += e->fn->blocks[b]->count;
    return count <= LARGEST && sw_jit_part_count(e) == 1 &&
           !sw_jit_meets_at_barriers(e) && !is_busy(e);
}

static LLVMValueRef
place_in_block(sw_jit_emit *e, LLVMValueRef block, size_t offset)
{
    return sw_jit_at(e, block, sw_jit_i64(e, offset));
}

/* What may be read before it is known whether anybody needs it. */
static void
mark_readable(const sw_jit_emit *e, LLVMValueRef pointer, uint64_t bytes)
{
    LLVMContextRef c = e->ll.context;
    const char name[] = "dereferenceable";
    LLVMMetadataRef n = LLVMValueAsMetadata(sw_jit_i64(e, bytes));
    LLVMSetMetadata(
        pointer, LLVMGetMDKindIDInContext(c, name, sizeof name - 1),
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
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->ptr, true);
    LLVMBuildStore(B, sw_jit_ctx_of(e),
                   place_in_block(e, block, offsetof(sw_jit_blk, now)));
    e->ctaid_x = LLVMBuildLoad2(
        B, e->i32, place_in_block(e, block, offsetof(sw_jit_blk, ctaid)), "");
}

void
sw_jit_end_in_series(sw_jit_emit *e)
{
    LLVMBasicBlockRef again = sw_jit_block(e, "warp");
    LLVMBasicBlockRef all = sw_jit_block(e, "all_warps");
    LLVMBasicBlockRef on = sw_jit_block(e, "block");
    LLVMBasicBlockRef back = sw_jit_block(e, "back");
    LLVMValueRef follow =
        sw_jit_field(e, offsetof(sw_jit_ctx, follow), e->ptr, false);
    LLVMBuildCondBr(B, LLVMBuildIsNull(B, follow, ""), all, again);

    LLVMPositionBuilderAtEnd(B, all);
    LLVMValueRef block =
        sw_jit_field(e, offsetof(sw_jit_ctx, block), e->ptr, true);
    LLVMValueRef at_more = place_in_block(e, block, offsetof(sw_jit_blk, more));
    LLVMValueRef at_x = place_in_block(e, block, offsetof(sw_jit_blk, ctaid));
    LLVMValueRef more = LLVMBuildLoad2(B, e->i32, at_more, "");
    LLVMBuildCondBr(
        B, LLVMBuildICmp(B, LLVMIntEQ, more, sw_jit_i32(e, 0), ""), back, on);

    LLVMPositionBuilderAtEnd(B, on);
    LLVMBuildStore(B, LLVMBuildSub(B, more, sw_jit_i32(e, 1), ""), at_more);
    LLVMValueRef x = LLVMBuildLoad2(B, e->i32, at_x, "");
    LLVMBuildStore(B, LLVMBuildAdd(B, x, sw_jit_i32(e, 1), ""), at_x);
    LLVMValueRef lead = LLVMBuildLoad2(
        B, e->ptr, place_in_block(e, block, offsetof(sw_jit_blk, lead)), "");
    LLVMBuildBr(B, again);

    LLVMPositionBuilderAtEnd(B, again);
    LLVMValueRef next = LLVMBuildPhi(B, e->ptr, "");
    LLVMValueRef values[2] = {follow, lead};
    LLVMBasicBlockRef from[2] = {e->finish, on};
    LLVMAddIncoming(next, values, from, 2);
    LLVMBuildStore(B, next, e->ctx_slot);
    LLVMBuildBr(B, e->entry);

    LLVMPositionBuilderAtEnd(B, back);
    LLVMBuildRetVoid(B);
}
