/* SPDX-License-Identifier: Apache-2.0 */
/*
 * count.c - how many lane-instructions a warp has executed, if somebody wants
 * to know. A block counts all its instructions when it begins; a side exit
 * takes back those that are left to the interpreter.
 */
#include "jit/emit/exits.h"

#define B e->ll.builder

void
sw_jit_count_lanes(sw_jit_emit *e, LLVMValueRef mask, int64_t instructions)
{
    if (!e->f.count_slot)
        return;
    LLVMValueRef bits = sw_jit_mask_bits(e, mask);
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
    n = LLVMBuildIntCast2(B, n, e->t.i64, 0, "");
    n = LLVMBuildMul(B, n, sw_jit_i64(e, (uint64_t)instructions), "");
    n = LLVMBuildAdd(B, n, LLVMBuildLoad2(B, e->t.i64, e->f.count_slot, ""),
                     "");
    LLVMBuildStore(B, n, e->f.count_slot);
}

void
sw_jit_count_back(sw_jit_emit *e, uint32_t index)
{
    uint32_t end =
        e->plan->first_ins[e->b.block] + e->plan->fn->blocks[e->b.block]->count;
    sw_jit_count_lanes(e, e->mask.path, (int64_t)index - end);
    sw_jit_counter_back(e, index);
}

void
sw_jit_flush_count(sw_jit_emit *e)
{
    if (!e->f.count_slot)
        return;
    LLVMValueRef place = sw_jit_at(
        e, sw_jit_ctx_of(e), sw_jit_i64(e, offsetof(sw_jit_ctx, lane_ins)));
    LLVMValueRef before = LLVMBuildLoad2(B, e->t.i64, place, "");
    LLVMValueRef n = LLVMBuildLoad2(B, e->t.i64, e->f.count_slot, "");
    LLVMBuildStore(B, LLVMBuildAdd(B, before, n, ""), place);
    LLVMBuildStore(B, sw_jit_i64(e, 0), e->f.count_slot);
}
