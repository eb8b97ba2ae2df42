/* SPDX-License-Identifier: Apache-2.0 */
/*
 * barrier.c - bar of a block's threads. All threads of a block at barrier
 * 0, mostly: nothing if one function runs them all, else run/sync.c's way from
 * warp to warp. Other barriers, and warps that are in no barrier ring, go
 * through the runtime.
 *
 * What __syncthreads_count and its like find is added up in the barrier ring,
 * in places that follow each other: the next barrier's has been emptied by
 * whoever came out of the one before this, when nobody could still have to read
 * it.
 */
#include "jit/emit/instruction.h"

#define B e->ll.builder

static void
sync(sw_jit_emit *e)
{
    enum { PRESERVE_NONE = 21 }; /* llvm/IR/CallingConv.h */
    LLVMValueRef at = sw_jit_i32(e, e->at.index);
    LLVMValueRef ctx = sw_jit_call(e, SW_JIT_SYNC, e->t.ptr, &at, 1);
    LLVMSetInstructionCallConv(ctx, PRESERVE_NONE);
    LLVMBuildStore(B, ctx, e->f.ctx_slot);
}

/* ---- reductions ---- */

static LLVMValueRef
count_of(sw_jit_emit *e, LLVMValueRef bits)
{
    LLVMValueRef n = sw_jit_intrinsic(e, "llvm.ctpop", &e->t.bits, 1, &bits, 1);
    return LLVMBuildIntCast2(B, n, e->t.i32, 0, "");
}

/* Lanes that are here and whose predicate holds, as bits. */
static LLVMValueRef
ones_here(sw_jit_emit *e)
{
    sw_jit_value p = sw_jit_read(e, e->at.ins, e->at.ins->nsrc - 1u);
    return sw_jit_mask_bits(
        e, LLVMBuildAnd(B, sw_jit_lanes(e, &p), e->mask.lanes, ""));
}

/* i32, of so many threads whose predicate holds and so many in all. */
static LLVMValueRef
result_of(sw_jit_emit *e, LLVMValueRef ones, LLVMValueRef threads)
{
    LLVMValueRef is;
    switch (e->at.ins->sub) {
    case SW_BAR_RED_POPC:
        return ones;
    case SW_BAR_RED_AND:
        is = LLVMBuildICmp(B, LLVMIntEQ, ones, threads, "");
        break;
    default:
        is = LLVMBuildICmp(B, LLVMIntNE, ones, sw_jit_i32(e, 0), "");
    }
    return LLVMBuildZExt(B, is, e->t.i32, "");
}

static LLVMValueRef
call_runtime(sw_jit_emit *e, LLVMValueRef ones)
{
    const sw_ins *ins = e->at.ins;
    bool is_red = ins->sub >= SW_BAR_RED_POPC;
    unsigned numbers = ins->nsrc - (is_red ? 1u : 0u);
    LLVMValueRef args[4] = {
        sw_jit_i32(e, e->at.index), sw_jit_of_first_lane(e, 0),
        numbers > 1 ? sw_jit_of_first_lane(e, 1) : sw_jit_i32(e, 0), ones};
    return sw_jit_call(e, SW_JIT_BARRIER, e->t.i32, args, 4);
}

static LLVMValueRef
ctx_field(sw_jit_emit *e, size_t offset)
{
    return sw_jit_at(e, sw_jit_ctx_of(e), sw_jit_i64(e, offset));
}

static LLVMValueRef
load_word(sw_jit_emit *e, LLVMValueRef at)
{
    return LLVMBuildLoad2(B, e->t.i32, at, "");
}

/* Word n of an array of the ring's. */
static LLVMValueRef
place_of(sw_jit_emit *e, LLVMValueRef ring, size_t array, LLVMValueRef n)
{
    LLVMValueRef at = sw_jit_at(e, ring, sw_jit_i64(e, array));
    return LLVMBuildGEP2(B, e->t.i32, at, &n, 1, "");
}

static void
add_to(sw_jit_emit *e, LLVMValueRef at, LLVMValueRef n)
{
    LLVMBuildStore(B, LLVMBuildAdd(B, load_word(e, at), n, ""), at);
}

static LLVMValueRef
next_place(sw_jit_emit *e, LLVMValueRef n)
{
    LLVMValueRef last = sw_jit_i32(e, SW_JIT_REDS - 1);
    return LLVMBuildSelect(B, LLVMBuildICmp(B, LLVMIntEQ, n, last, ""),
                           sw_jit_i32(e, 0),
                           LLVMBuildAdd(B, n, sw_jit_i32(e, 1), ""), "");
}

/* With the warps of the barrier ring, as long as there is one. */
static LLVMValueRef
reduce_together(sw_jit_emit *e, LLVMValueRef ones)
{
    const size_t sums[2] = {offsetof(sw_jit_barrier_ring, ones),
                            offsetof(sw_jit_barrier_ring, threads)};
    LLVMBasicBlockRef together = sw_jit_block(e, "together");
    LLVMBasicBlockRef own = sw_jit_block(e, "own");
    LLVMBasicBlockRef apart = sw_jit_block(e, "apart");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef ring = LLVMBuildLoad2(
        B, e->t.ptr, ctx_field(e, offsetof(sw_jit_ctx, ring)), "");
    sw_jit_likely(
        e, LLVMBuildCondBr(B, LLVMBuildIsNotNull(B, ring, ""), together, apart),
        true);

    LLVMPositionBuilderAtEnd(B, together);
    LLVMValueRef n = load_word(e, ctx_field(e, offsetof(sw_jit_ctx, red)));
    LLVMValueRef more[2] = {ones, count_of(e, sw_jit_live_lanes(e))};
    for (int k = 0; k < 2; k++)
        add_to(e, place_of(e, ring, sums[k], n), more[k]);
    LLVMBuildStore(B, ones, ctx_field(e, offsetof(sw_jit_ctx, ones)));
    LLVMBuildStore(B, sw_jit_i32(e, SW_JIT_IN_RING),
                   ctx_field(e, offsetof(sw_jit_ctx, wait)));
    sync(e);
    LLVMValueRef wait = load_word(e, ctx_field(e, offsetof(sw_jit_ctx, wait)));
    LLVMValueRef is_own =
        LLVMBuildICmp(B, LLVMIntEQ, wait, sw_jit_i32(e, SW_JIT_IN_RING), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, is_own, own, apart), true);

    LLVMPositionBuilderAtEnd(B, own);
    LLVMValueRef total[2], next = next_place(e, n);
    LLVMValueRef after = next_place(e, next);
    for (int k = 0; k < 2; k++) {
        total[k] = load_word(e, place_of(e, ring, sums[k], n));
        LLVMBuildStore(B, sw_jit_i32(e, 0), place_of(e, ring, sums[k], after));
    }
    LLVMBuildStore(B, next, ctx_field(e, offsetof(sw_jit_ctx, red)));
    LLVMBuildStore(B, sw_jit_i32(e, SW_JIT_NO_RED),
                   ctx_field(e, offsetof(sw_jit_ctx, wait)));
    LLVMValueRef r[2] = {result_of(e, total[0], total[1])};
    LLVMBuildBr(B, out);

    LLVMPositionBuilderAtEnd(B, apart);
    r[1] = call_runtime(e, ones);
    apart = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);

    LLVMPositionBuilderAtEnd(B, out);
    LLVMValueRef phi = LLVMBuildPhi(B, e->t.i32, "");
    LLVMAddIncoming(phi, r, (LLVMBasicBlockRef[2]){own, apart}, 2);
    return phi;
}

static LLVMValueRef
reduce(sw_jit_emit *e)
{
    LLVMValueRef ones = count_of(e, ones_here(e));
    if (!sw_jit_is_block_barrier(e->at.ins))
        return call_runtime(e, ones);
    if (e->shapes->map.is_block) { /* all who meet are here */
        sw_jit_tell_arrival(e);
        sw_jit_tell_release(e);
        return result_of(e, ones,
                         count_of(e, sw_jit_mask_bits(e, e->mask.lanes)));
    }
    if (e->plan->rq->events) /* the runtime tells of it */
        return call_runtime(e, ones);
    return reduce_together(e, ones);
}

void
sw_jit_emit_barrier(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    sw_jit_need_all(e);
    bool is_red = ins->sub >= SW_BAR_RED_POPC;
    if (!is_red && sw_jit_is_block_barrier(ins)) {
        sw_jit_tell_arrival(e);
        if (!e->shapes->map.is_block)
            sync(e);
        sw_jit_tell_release(e);
        return;
    }
    LLVMValueRef r = is_red ? reduce(e) : call_runtime(e, sw_jit_i32(e, 0));
    if (!ins->ndst || ins->opnd[0].kind != SW_OPND_REG)
        return;
    sw_class cls = e->plan->fn->regs[ins->opnd[0].reg].cls;
    if (cls == SW_CLASS_PRED)
        r = LLVMBuildTrunc(B, r, e->t.i1, "");
    sw_jit_value v = sw_jit_uniform(cls, r);
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
}
