/* SPDX-License-Identifier: Apache-2.0 */
/*
 * block_loop.c - a small kernel's warps one after another without a way back.
 *
 * Most kernels do little in a thread: to come and go, and to look up what is
 * the same for all warps, takes longer than that. So the function of a kernel
 * whose warps do not meet at barriers is a block loop (see abi.h): the
 * warps of blocks beside each other. The runtime hears of it when a warp calls
 * a helper (catch_up in run/runtime.c).
 *
 * Blocks that extend along y touch short pieces of rows that lie far apart. If
 * no warp ever waits for another and warps share nothing, a block loop goes by
 * warps: each goes through all blocks before the next one, along the rows, as
 * the processor expects it.
 */
#include <string.h>

#include "jit/emit/control.h"

#define B e->ll.builder

static LLVMValueRef
place_in_block(sw_jit_emit *e, size_t offset)
{
    return sw_jit_at(
        e, sw_jit_field(e, offsetof(sw_jit_ctx, block), e->t.ptr, true),
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
sw_jit_begin_block_loop(sw_jit_emit *e)
{
    if (!e->plan->fn->param_bytes)
        return;
    e->f.params = sw_jit_block_field(e, offsetof(sw_jit_blk, params), e->t.ptr);
    mark_readable(e, e->f.params, e->plan->fn->param_bytes);
}

void
sw_jit_enter_block_loop(sw_jit_emit *e)
{
    LLVMBuildStore(B, sw_jit_ctx_of(e),
                   place_in_block(e, offsetof(sw_jit_blk, now)));
    e->f.ctaid_x = LLVMBuildLoad2(B, e->t.i32, place_of_x(e), "");
}

/* To the next block, if there is one, else to `last`. */
static void
go_to_next_block(sw_jit_emit *e, LLVMBasicBlockRef next, LLVMBasicBlockRef last)
{
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef x = LLVMBuildLoad2(B, e->t.i32, place_of_x(e), "");
    LLVMValueRef end = in_block(e, offsetof(sw_jit_blk, last_x), e->t.i32);
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
        sw_jit_field(e, offsetof(sw_jit_ctx, follow), e->t.ptr, false);
    LLVMBuildCondBr(B, LLVMBuildIsNull(B, follow, ""), last, on);
    LLVMPositionBuilderAtEnd(B, on);
    LLVMBuildStore(B, follow, e->f.ctx_slot);
    LLVMBuildBr(B, next);
}

void
sw_jit_end_block_loop(sw_jit_emit *e)
{
    LLVMBasicBlockRef turn = sw_jit_block(e, "turn");
    LLVMBasicBlockRef over = sw_jit_block(e, "over");
    LLVMBasicBlockRef back = sw_jit_block(e, "back");
    bool by_warps = e->plan->block_loop == SW_JIT_BY_WARPS;
    if (by_warps)
        go_to_next_block(e, e->f.entry, over);
    else
        go_to_next_warp(e, e->f.entry, over);
    LLVMPositionBuilderAtEnd(B, over);
    if (by_warps)
        go_to_next_warp(e, turn, back);
    else
        go_to_next_block(e, turn, back);
    LLVMPositionBuilderAtEnd(B, turn); /* the other one begins anew */
    if (by_warps)
        LLVMBuildStore(B, in_block(e, offsetof(sw_jit_blk, first_x), e->t.i32),
                       place_of_x(e));
    else
        LLVMBuildStore(B, in_block(e, offsetof(sw_jit_blk, lead), e->t.ptr),
                       e->f.ctx_slot);
    LLVMBuildBr(B, e->f.entry);
    LLVMPositionBuilderAtEnd(B, back);
    LLVMBuildRetVoid(B);
}
