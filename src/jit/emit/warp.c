/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warp.c - instructions by which the lanes of a warp tell each other something:
 * shuffles, votes, matches, reductions. Forms that many kernels have are here,
 * the others in emit/cross_lane.c.
 */
#include <string.h>

#include "jit/emit/instruction.h"
#include "sem/lanes.h"

#define B e->ll.builder

static bool
immediate(const sw_ins *ins, unsigned src, uint32_t *n)
{
    const sw_opnd *o = sw_ins_src(ins, src);
    *n = (uint32_t)o->imm;
    return o->kind == SW_OPND_IMM;
}

/* Which lane each lane reads, by the rules of sem/lanes.c for these numbers;
 * the lanes in range as a mask. */
static uint32_t
shuffle_plan(unsigned mode, uint32_t by, uint32_t control, int from[32])
{
    uint32_t lane[32], b[32], c[32], d[32];
    for (uint32_t i = 0; i < 32; i++) {
        lane[i] = i;
        b[i] = by;
        c[i] = control;
    }
    uint32_t in = sw_sem_shfl(mode, lane, b, c, UINT32_MAX, d);
    for (int i = 0; i < 32; i++)
        from[i] = (int)d[i];
    return in;
}

/* Each warp by itself, which LLVM does well. */
static LLVMValueRef
shuffle_warps(sw_jit_emit *e, LLVMValueRef x, const int *from)
{
    LLVMValueRef part[SW_JIT_FUSED_MAX];
    for (unsigned w = 0; w < sw_jit_warps_of(e); w++)
        part[w] = sw_jit_shuffle(e, sw_jit_of_warp(e, x, w), from, 32);
    return sw_jit_concatenate_all(e, part, sw_jit_warps_of(e), 32);
}

static bool
emit_shuffle(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    uint32_t by, control;
    if (!immediate(ins, 1, &by) || !immediate(ins, 2, &control))
        return false;
    int from[SW_LANES_MAX];
    uint32_t in = shuffle_plan(ins->sub, by, control, from);
    for (unsigned i = 32; i < e->lanes; i++)
        from[i] = from[i - 32] + 32;
    sw_jit_value a = sw_jit_read_exact(e, ins, 0);
    LLVMValueRef x = sw_jit_lanes(e, &a);
    if (ins->opnd[0].kind == SW_OPND_REG) {
        sw_reg reg = ins->opnd[0].reg;
        if (!e->mask.is_full) /* from a lane that is not here: 0 */
            x = LLVMBuildSelect(B, e->mask.lanes, x,
                                LLVMConstNull(LLVMTypeOf(x)), "");
        LLVMValueRef y = shuffle_warps(e, x, from);
        sw_jit_value v = sw_jit_varying(SW_CLASS_B32, y);
        if (e->shapes->regs[reg].kind == SW_SHAPE_UNIFORM)
            v = sw_jit_uniform(SW_CLASS_B32, LLVMBuildExtractElement(
                                                 B, y, sw_jit_i32(e, 0), ""));
        sw_jit_write(e, reg, &v, 0);
    }
    if (ins->ndst > 1 && ins->opnd[1].kind == SW_OPND_REG) {
        LLVMValueRef c[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            c[i] = LLVMConstInt(e->t.i1, in >> (i % 32) & 1, 0);
        sw_jit_value v =
            sw_jit_varying(SW_CLASS_PRED, LLVMConstVector(c, e->lanes));
        sw_jit_write(e, ins->opnd[1].reg, &v, 0);
    }
    return true;
}

/* A result that the lanes of a warp share: of one, or a vector by warp. */
static void
write_of_warps(sw_jit_emit *e, sw_class cls, LLVMValueRef r)
{
    int from[SW_LANES_MAX];
    sw_jit_value v = sw_jit_uniform(cls, r);
    if (sw_jit_warps_of(e) > 1) {
        for (unsigned i = 0; i < e->lanes; i++)
            from[i] = (int)i / 32;
        v = sw_jit_varying(cls, sw_jit_shuffle(e, r, from, e->lanes));
    }
    sw_jit_write(e, e->at.ins->opnd[0].reg, &v, 0);
}

/* All lanes that run say yes: one answer, also of several warps. What is left
 * of fused warps makes do with the slow form, where all of their lanes have a
 * twin. */
static void
emit_fused_vote(sw_jit_emit *e)
{
    sw_jit_value p = sw_jit_read(e, e->at.ins, 0);
    LLVMValueRef all = p.base;
    if (e->plan->is_remainder[e->b.block] && !e->b.is_twin) {
        all = LLVMConstInt(e->t.i1, 0, 0);
    } else if (p.shape.kind != SW_SHAPE_UNIFORM) {
        LLVMValueRef no = LLVMBuildNot(B, sw_jit_lanes(e, &p), "");
        no = sw_jit_any(e, LLVMBuildAnd(B, no, e->mask.lanes, ""));
        all = LLVMBuildNot(B, no, "");
    }
    sw_jit_value v = sw_jit_uniform(SW_CLASS_PRED, all);
    sw_jit_write(e, e->at.ins->opnd[0].reg, &v, 0);
}

static void
emit_vote(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    sw_jit_value p = sw_jit_read(e, ins, 0);
    LLVMValueRef here = sw_jit_members_here(e, 1);
    LLVMValueRef yes =
        LLVMBuildAnd(B, sw_jit_words_of(e, sw_jit_lanes(e, &p)), here, "");
    LLVMValueRef any =
        LLVMBuildICmp(B, LLVMIntNE, yes, LLVMConstNull(LLVMTypeOf(yes)), "");
    LLVMValueRef all = LLVMBuildICmp(B, LLVMIntEQ, yes, here, "");
    LLVMValueRef r = ins->sub == SW_VOTE_ALL   ? all
                     : ins->sub == SW_VOTE_ANY ? any
                     : ins->sub == SW_VOTE_UNI
                         ? LLVMBuildOr(B, all, LLVMBuildNot(B, any, ""), "")
                         : yes;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return;
    sw_class cls = e->plan->fn->regs[ins->opnd[0].reg].cls;
    LLVMTypeRef type =
        sw_jit_lanes_of(sw_jit_class_type(e, cls), sw_jit_warps_of(e));
    if (LLVMTypeOf(r) != type)
        r = LLVMBuildIntCast2(B, r, type, 0, "");
    write_of_warps(e, cls, r);
}

void
sw_jit_emit_warp(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    bool tells = sw_jit_tells(e, SW_EV_WARP); /* the runtime does, by a step */
    switch (ins->op) {
    case SW_OP_ACTIVEMASK:
        if (tells)
            break;
        if (ins->opnd[0].kind == SW_OPND_REG)
            write_of_warps(e, SW_CLASS_B32, sw_jit_words_of(e, e->mask.lanes));
        return;
    case SW_OP_BAR_WARP:
        sw_jit_need_members(e, 0);
        if (tells)
            break;
        return;
    case SW_OP_SHFL:
        sw_jit_need_members(e, 3);
        if (tells)
            break;
        if (emit_shuffle(e) ||
            sw_jit_emit_shuffle(e, !sw_jit_has_same_members(e, 3)))
            return;
        break;
    case SW_OP_VOTE:
        if (ins->flags & SW_F_FUSED) {
            emit_fused_vote(e);
            return;
        }
        sw_jit_need_members(e, 1);
        if (tells)
            break;
        if (sw_jit_has_same_members(e, 1))
            emit_vote(e);
        else
            sw_jit_emit_vote_of_sets(e);
        return;
    case SW_OP_ELECT:
        sw_jit_need_members(e, 0);
        if (!tells && sw_jit_has_same_members(e, 0)) {
            sw_jit_emit_elect(e, sw_jit_members_here(e, 0));
            return;
        }
        break;
    case SW_OP_MATCH:
        sw_jit_need_members(e, 1);
        if (tells)
            break;
        if (sw_jit_has_same_members(e, 1))
            sw_jit_emit_match(e, sw_jit_members_here(e, 1));
        else
            sw_jit_emit_match_of_sets(e);
        return;
    case SW_OP_REDUX:
        sw_jit_need_members(e, 1);
        if (tells)
            break;
        if (sw_jit_emit_redux(e, sw_jit_has_same_members(e, 1)
                                     ? sw_jit_members_here(e, 1)
                                     : NULL))
            return;
        break;
    default:
        break;
    }
    sw_jit_emit_step(e);
}
