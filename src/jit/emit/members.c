/* SPDX-License-Identifier: Apache-2.0 */
/*
 * members.c - which lanes an instruction of a warp needs, and whether they are
 * there. If they are not, the warp goes on in the interpreter, which waits for
 * them or reports the fault.
 */
#include "jit/emit/exits.h"
#include "sem/lanes.h"

#define B e->ll.builder

LLVMValueRef
sw_jit_live_lanes(sw_jit_emit *e)
{
    return sw_jit_field(e, offsetof(sw_jit_ctx, live), e->t.bits, false);
}

void
sw_jit_need_all(sw_jit_emit *e)
{
    if (e->mask.lanes == e->f.root_mask)
        return;
    sw_jit_exit_unless(e, LLVMBuildICmp(B, LLVMIntEQ,
                                        sw_jit_mask_bits(e, e->mask.lanes),
                                        sw_jit_live_lanes(e), ""));
}

LLVMValueRef
sw_jit_of_first_lane(sw_jit_emit *e, unsigned src)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, src);
    if (v.shape.kind == SW_SHAPE_UNIFORM)
        return v.base;
    LLVMValueRef lane = sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask.lanes));
    return LLVMBuildExtractElement(B, sw_jit_lanes(e, &v), lane, "");
}

/* Lanes name the same members, as far as we know now. */
bool
sw_jit_has_same_members(sw_jit_emit *e, unsigned src)
{
    return src >= e->at.ins->nsrc ||
           sw_shapes_source(e->shapes, e->at.ins, src).kind <= SW_SHAPE_UNIFORM;
}

/* The mask's part of each warp: i32, or a vector of them. */
LLVMValueRef
sw_jit_words_of(sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildBitCast(B, mask,
                            sw_jit_lanes_of(e->t.i32, sw_jit_warps_of(e)), "");
}

/* Whether all lanes of the warp are here and name the same members: then a
 * device's assembler forgets the members. */
static bool
is_whole(sw_jit_emit *e, unsigned src)
{
    return e->mask.lanes == e->f.root_mask && sw_jit_has_same_members(e, src);
}

/* All lanes here are among the members that they name, or we leave: devices
 * from 7.0 on fault. */
static void
need_own(sw_jit_emit *e, unsigned src)
{
    if (is_whole(e, src))
        return;
    const sw_opnd *o = sw_ins_src(e->at.ins, src);
    if (o->kind == SW_OPND_IMM && (uint32_t)o->imm == UINT32_MAX)
        return;
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, src);
    LLVMValueRef in;
    if (v.shape.kind == SW_SHAPE_UNIFORM) {
        in = LLVMBuildBitCast(B, sw_jit_splat(e, v.base, sw_jit_warps_of(e)),
                              e->t.bits, "");
    } else {
        int64_t own[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            own[i] = INT64_C(1) << i % 32;
        LLVMValueRef bits =
            LLVMBuildAnd(B, sw_jit_lanes(e, &v),
                         sw_jit_const_lanes(e->t.i32, own, e->lanes), "");
        in = sw_jit_mask_bits(e, LLVMBuildICmp(B, LLVMIntNE, bits,
                                               LLVMConstNull(LLVMTypeOf(bits)),
                                               ""));
    }
    LLVMValueRef out = LLVMBuildAnd(B, sw_jit_mask_bits(e, e->mask.lanes),
                                    LLVMBuildNot(B, in, ""), "");
    sw_jit_exit_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, out, LLVMConstNull(e->t.bits), ""));
}

/* In each warp of which some lanes are here. */
static void
need_members_of_warps(sw_jit_emit *e, LLVMValueRef members)
{
    LLVMValueRef here = sw_jit_words_of(e, e->mask.lanes),
                 none = LLVMConstNull(LLVMTypeOf(here));
    LLVMValueRef live =
        sw_jit_field(e, offsetof(sw_jit_ctx, live), LLVMTypeOf(here), false);
    sw_jit_set_align(live, 4);
    members = sw_jit_splat(e, members, sw_jit_warps_of(e));
    LLVMValueRef missing = LLVMBuildAnd(B, members, live, "");
    missing = LLVMBuildAnd(B, missing, LLVMBuildNot(B, here, ""), "");
    LLVMValueRef concerned = LLVMBuildICmp(B, LLVMIntNE, here, none, "");
    missing = LLVMBuildSelect(B, concerned, missing, none, "");
    LLVMValueRef bits = LLVMBuildBitCast(B, missing, e->t.bits, "");
    sw_jit_exit_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, bits, LLVMConstNull(e->t.bits), ""));
}

/* Of whatever each lane names. */
static void
need_members_of_lanes(sw_jit_emit *e, unsigned src)
{
    sw_jit_value v = sw_jit_read_exact(e, e->at.ins, src);
    LLVMValueRef named = sw_jit_lanes(e, &v);
    LLVMTypeRef type = LLVMTypeOf(named);
    named = LLVMBuildSelect(B, e->mask.lanes, named, LLVMConstNull(type), "");
    named = sw_jit_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &named, 1);
    LLVMValueRef gone = LLVMBuildAnd(
        B, sw_jit_live_lanes(e),
        LLVMBuildNot(B, sw_jit_mask_bits(e, e->mask.lanes), ""), "");
    LLVMValueRef missing = LLVMBuildAnd(B, named, gone, "");
    sw_jit_exit_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, missing, sw_jit_i32(e, 0), ""));
}

/* All members that have not ended are here, or we leave. */
void
sw_jit_need_members(sw_jit_emit *e, unsigned src)
{
    if (src >= e->at.ins->nsrc)
        return;
    need_own(e, src);
    if (e->mask.lanes == e->f.root_mask)
        return;
    if (!sw_jit_has_same_members(e, src)) {
        if (sw_jit_warps_of(e) > 1)
            sw_jit_need_all(e);
        else
            need_members_of_lanes(e, src);
        return;
    }
    if (sw_jit_warps_of(e) > 1) {
        need_members_of_warps(e, sw_jit_of_first_lane(e, src));
        return;
    }
    LLVMValueRef members = sw_jit_of_first_lane(e, src);
    LLVMValueRef missing = LLVMBuildAnd(
        B, LLVMBuildAnd(B, members, sw_jit_live_lanes(e), ""),
        LLVMBuildNot(B, sw_jit_mask_bits(e, e->mask.lanes), ""), "");
    sw_jit_exit_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, missing, sw_jit_i32(e, 0), ""));
}

/* Members that are here, of each warp: i32, or a vector of them. */
LLVMValueRef
sw_jit_members_here(sw_jit_emit *e, unsigned src)
{
    LLVMValueRef here = sw_jit_words_of(e, e->mask.lanes);
    if (src >= e->at.ins->nsrc || is_whole(e, src))
        return here;
    return LLVMBuildAnd(
        B, here,
        sw_jit_splat(e, sw_jit_of_first_lane(e, src), sw_jit_warps_of(e)), "");
}
