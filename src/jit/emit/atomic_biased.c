/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic_biased.c - atomic operations of lanes that have different places, as
 * far as the compiler knows: none of the host's are needed as long as this
 * thread runs blocks alone (exec/biased.h). Lanes in a row then do it all at
 * once.
 */
#include "exec/biased.h"
#include "jit/emit/access.h"
#include "jit/emit/atomic.h"

#define B e->ll.builder

static LLVMValueRef
alone_field(sw_jit_emit *e, size_t offset)
{
    LLVMValueRef alone =
        sw_jit_field(e, offsetof(sw_jit_ctx, biased), e->t.ptr, true);
    return sw_jit_at(e, alone, sw_jit_i64(e, offset));
}

static void
set_inside(sw_jit_emit *e, bool is_inside)
{
    LLVMValueRef at = alone_field(e, offsetof(sw_biased, is_inside));
    LLVMSetVolatile(LLVMBuildStore(B, sw_jit_i32(e, is_inside), at), 1);
}

/* In the order of the program for the compiler; exec/biased.h says why that
 * will do.
 */
static void
keep_order(sw_jit_emit *e)
{
    LLVMBuildFence(B, LLVMAtomicOrderingSequentiallyConsistent, 1, "");
}

static void
branch_if_granted(sw_jit_emit *e, LLVMBasicBlockRef yes, LLVMBasicBlockRef no)
{
    LLVMValueRef granted = LLVMBuildLoad2(
        B, e->t.i32, alone_field(e, offsetof(sw_biased, is_granted)), "");
    LLVMSetVolatile(granted, 1);
    LLVMBuildCondBr(
        B, LLVMBuildICmp(B, LLVMIntNE, granted, sw_jit_i32(e, 0), ""), yes, no);
}

/* What all the system sees is not changed by parts. */
static bool
may_be_alone(const sw_jit_atomic *a)
{
    return !a->is_shared && a->ins->scope != SW_SCOPE_SYS;
}

/* Operations that all lanes do at once if they have different places. */
static bool
has_vector_form(const sw_jit_atomic *a)
{
    switch (a->ins->sub) {
    case SW_ATOM_ADD:
        return a->ins->type != SW_T_F16X2 && a->ins->type != SW_T_BF16X2;
    case SW_ATOM_MIN:
    case SW_ATOM_MAX:
        return !a->is_float;
    case SW_ATOM_AND:
    case SW_ATOM_OR:
    case SW_ATOM_XOR:
        return true;
    default:
        return false;
    }
}

/* All lanes, in a row from where the first one would be. */
static LLVMValueRef
change_row(sw_jit_emit *e, const sw_jit_atomic *a, LLVMValueRef start)
{
    LLVMTypeRef type = sw_jit_atomic_type(e, a), types[2] = {type, e->t.ptr};
    LLVMValueRef pointer = sw_jit_atomic_at(e, a, start), old;
    LLVMValueRef align = sw_jit_i32(e, a->bytes);
    LLVMValueRef b = sw_jit_atomic_fit(e, a, sw_jit_lanes(e, &a->b), e->lanes);
    if (e->mask.is_full) {
        old = LLVMBuildLoad2(B, type, pointer, "");
        sw_jit_set_align(old, a->bytes);
    } else {
        LLVMValueRef args[4] = {pointer, align, e->mask.lanes,
                                LLVMConstNull(type)};
        old = sw_jit_intrinsic(e, "llvm.masked.load", types, 2, args, 4);
    }
    LLVMValueRef fresh = sw_jit_atomic_apply(e, a, old, b, NULL, pointer);
    LLVMValueRef stores = e->mask.lanes;
    if (sw_jit_atomic_may_wait(a))
        stores = LLVMBuildAnd(B, stores,
                              LLVMBuildICmp(B, LLVMIntNE, old, fresh, ""), "");
    if (e->mask.is_full && stores == e->mask.lanes) {
        LLVMValueRef st = LLVMBuildStore(B, fresh, pointer);
        sw_jit_set_align(st, a->bytes);
    } else {
        LLVMValueRef args[4] = {fresh, pointer, align, stores};
        sw_jit_intrinsic(e, "llvm.masked.store", types, 2, args, 4);
    }
    return old;
}

/* Lanes in a row have different places. */
static LLVMValueRef
change_alone(sw_jit_emit *e, const sw_jit_atomic *a)
{
    int64_t apart[SW_LANES_MAX];
    if (!has_vector_form(a))
        return sw_jit_atomic_each(e, a);
    for (unsigned i = 0; i < e->lanes; i++)
        apart[i] = i * (int64_t)a->bytes;
    LLVMBasicBlockRef in_row = sw_jit_block(e, "row");
    LLVMBasicBlockRef anywhere = sw_jit_block(e, "anywhere");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef lane = sw_jit_atomic_first(e);
    LLVMValueRef start = LLVMBuildExtractElement(B, a->offset, lane, "");
    LLVMValueRef before = LLVMBuildMul(B, LLVMBuildZExt(B, lane, e->t.i64, ""),
                                       sw_jit_i64(e, a->bytes), "");
    start = LLVMBuildSub(B, start, before, "");
    LLVMValueRef in_turn =
        LLVMBuildAdd(B, sw_jit_splat(e, start, e->lanes),
                     sw_jit_const_lanes(e->t.i64, apart, e->lanes), "");
    LLVMValueRef is_row = sw_jit_masked_all(
        e, LLVMBuildICmp(B, LLVMIntEQ, a->offset, in_turn, ""));
    LLVMBuildCondBr(B, is_row, in_row, anywhere);
    LLVMPositionBuilderAtEnd(B, in_row);
    LLVMValueRef x[2] = {change_row(e, a, start)};
    in_row = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, anywhere);
    x[1] = sw_jit_atomic_each(e, a);
    anywhere = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    return sw_jit_atomic_join(e, a, x,
                              (LLVMBasicBlockRef[2]){in_row, anywhere});
}

LLVMValueRef
sw_jit_change_lanes(sw_jit_emit *e, const sw_jit_atomic *a)
{
    if (!may_be_alone(a))
        return sw_jit_atomic_each(e, a);
    LLVMBasicBlockRef inside = sw_jit_block(e, "inside");
    LLVMBasicBlockRef alone = sw_jit_block(e, "alone");
    LLVMBasicBlockRef revoked = sw_jit_block(e, "revoked");
    LLVMBasicBlockRef shared = sw_jit_block(e, "shared");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    sw_jit_atomic own = *a;
    own.is_alone = true;
    if (sw_jit_atomic_may_wait(a))
        own.nowhere = sw_jit_slot_of(e, a->type);
    branch_if_granted(e, inside, shared);
    LLVMPositionBuilderAtEnd(B, inside);
    set_inside(e, true);
    keep_order(e);
    branch_if_granted(e, alone, revoked);
    LLVMPositionBuilderAtEnd(B, alone);
    LLVMValueRef x[2] = {change_alone(e, &own)};
    keep_order(e);
    set_inside(e, false);
    alone = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, revoked);
    set_inside(e, false);
    LLVMBuildBr(B, shared);
    LLVMPositionBuilderAtEnd(B, shared);
    x[1] = sw_jit_atomic_each(e, a);
    shared = LLVMGetInsertBlock(B);
    LLVMBuildBr(B, out);
    LLVMPositionBuilderAtEnd(B, out);
    return sw_jit_atomic_join(e, a, x, (LLVMBasicBlockRef[2]){alone, shared});
}
