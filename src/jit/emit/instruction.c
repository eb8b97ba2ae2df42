/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction.c - one instruction: which way it is compiled, and the ways that
 * are neither memory nor arithmetic: through the interpreter's function, out
 * to the interpreter, barriers, what the lanes of a warp tell each other.
 */
#include <string.h>

#include "jit/emit/emit.h"
#include "sem/lanes.h"

#define B e->ll.builder

/* ---- home places: the interpreter's frames ---- */

static unsigned
warps_of(const sw_jit_emit *e)
{
    return e->lanes / 32;
}

LLVMValueRef
sw_jit_frame_of(sw_jit_emit *e, unsigned warp)
{
    if (e->f.homes && !e->is_outlined)
        return e->f.homes;
    return sw_jit_field(e, offsetof(sw_jit_ctx, frames) + warp * sizeof(void *),
                        e->ptr, true);
}

static LLVMValueRef
home_of(sw_jit_emit *e, sw_reg reg, unsigned warp)
{
    return sw_jit_at(e, sw_jit_frame_of(e, warp),
                     sw_jit_i64(e, e->plan->rq->homes[reg]));
}

LLVMValueRef
sw_jit_of_warp(const sw_jit_emit *e, LLVMValueRef lanes, unsigned warp)
{
    return sw_jit_elements(e, lanes, 32 * warp, 32);
}

LLVMValueRef
sw_jit_bits_of_warp(const sw_jit_emit *e, LLVMValueRef bits, unsigned warp)
{
    if (warps_of(e) == 1)
        return bits;
    bits = LLVMBuildLShr(B, bits, LLVMConstInt(e->bits, 32 * warp, 0), "");
    return LLVMBuildTrunc(B, bits, e->i32, "");
}

LLVMValueRef
sw_jit_fetch_lanes(sw_jit_emit *e, sw_reg reg)
{
    LLVMTypeRef element = sw_jit_class_type(e, e->plan->fn->regs[reg].cls);
    LLVMTypeRef type = LLVMVectorType(element, 32);
    bool is_mask = element == e->i1; /* an i32 */
    LLVMValueRef x[SW_JIT_TEAM_MAX];
    for (unsigned w = 0; w < warps_of(e); w++) {
        x[w] =
            LLVMBuildLoad2(B, is_mask ? e->i32 : type, home_of(e, reg, w), "");
        if (is_mask)
            x[w] = LLVMBuildBitCast(B, x[w], type, "");
        else
            sw_jit_set_align(x[w], 32);
    }
    return sw_jit_concatenate_all(e, x, warps_of(e), 32);
}

static void
fetch_home(sw_jit_emit *e, sw_reg reg, LLVMValueRef lane)
{
    sw_class cls = e->plan->fn->regs[reg].cls;
    sw_jit_value v = sw_jit_varying(cls, sw_jit_fetch_lanes(e, reg));
    if (e->shapes->regs[reg].kind != SW_SHAPE_VARYING)
        v = sw_jit_uniform(cls, LLVMBuildExtractElement(B, v.base, lane, ""));
    sw_jit_write(e, reg, &v, 0);
}

static bool
is_pure(const sw_ins *ins)
{
    return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
}

void
sw_jit_look_who_is_left(sw_jit_emit *e, LLVMValueRef left, LLVMValueRef bits)
{
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef same = LLVMBuildICmp(B, LLVMIntEQ, left, bits, "");
    sw_jit_likely(e, LLVMBuildCondBr(B, same, on, out), true);
    LLVMPositionBuilderAtEnd(B, out);
    sw_jit_count_back(e, e->ins_index + 1);
    LLVMValueRef others = LLVMBuildAnd(B, sw_jit_mask_bits(e, e->path_mask),
                                       LLVMBuildNot(B, bits, ""), "");
    sw_jit_emit_leave(e, e->ins_index + 1, LLVMBuildOr(B, left, others, ""));
    LLVMPositionBuilderAtEnd(B, on);
}

static void
emit_step(sw_jit_emit *e, sw_jit_helper helper)
{
    const sw_ins *ins = e->ins;
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    uint32_t number = sw_jit_store_sources(e);
    LLVMValueRef bits =
        is_pure(ins) ? LLVMConstAllOnes(e->bits) : sw_jit_mask_bits(e, e->mask);
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    LLVMValueRef args[2] = {sw_jit_i32(e, number), sw_jit_mask_memory(e, bits)};
    sw_jit_call(e, helper, e->nothing, args, 2);
    for (unsigned i = 0; i < ins->ndst; i++)
        if (ins->opnd[i].kind == SW_OPND_REG)
            fetch_home(e, ins->opnd[i].reg, lane);
    for (uint32_t i = 0; call && i < call->ret_count; i++)
        if (call->rets[i].kind == SW_OPND_REG)
            fetch_home(e, call->rets[i].reg, lane);
    sw_jit_keep_sources(e);
    if (call)
        sw_jit_look_who_is_left(
            e, LLVMBuildLoad2(B, e->bits, e->f.mask_slot, ""), bits);
}

void
sw_jit_emit_step(sw_jit_emit *e)
{
    emit_step(e, SW_JIT_STEP);
}

static void
emit_call(sw_jit_emit *e)
{
    LLVMBasicBlockRef on = sw_jit_emit_compiled_call(e);
    emit_step(e, SW_JIT_STEP);
    if (on) {
        LLVMBuildBr(B, on);
        LLVMPositionBuilderAtEnd(B, on);
    }
}

void
sw_jit_emit_rare_step(sw_jit_emit *e)
{
    emit_step(e, SW_JIT_RARE_STEP);
}

/* ---- who is here ---- */

LLVMValueRef
sw_jit_live_lanes(sw_jit_emit *e)
{
    return sw_jit_field(e, offsetof(sw_jit_ctx, live), e->bits, false);
}

void
sw_jit_need_all(sw_jit_emit *e)
{
    if (e->mask == e->f.root_mask)
        return;
    sw_jit_leave_unless(e, LLVMBuildICmp(B, LLVMIntEQ,
                                         sw_jit_mask_bits(e, e->mask),
                                         sw_jit_live_lanes(e), ""));
}

LLVMValueRef
sw_jit_of_first_lane(sw_jit_emit *e, unsigned src)
{
    sw_jit_value v = sw_jit_read_exact(e, e->ins, src);
    if (v.shape.kind == SW_SHAPE_UNIFORM)
        return v.base;
    LLVMValueRef lane = sw_jit_first_of(e, sw_jit_mask_bits(e, e->mask));
    return LLVMBuildExtractElement(B, sw_jit_lanes(e, &v), lane, "");
}

/* Lanes name the same members, as far as we know now. */
static bool
same_members(sw_jit_emit *e, unsigned src)
{
    return src >= e->ins->nsrc ||
           sw_shapes_source(e->shapes, e->ins, src).kind <= SW_SHAPE_UNIFORM;
}

/* The mask's part of each warp: i32, or a vector of them. */
static LLVMValueRef
words_of(sw_jit_emit *e, LLVMValueRef mask)
{
    return LLVMBuildBitCast(B, mask, sw_jit_lanes_of(e->i32, warps_of(e)), "");
}

/* Whether all lanes of the warp are here and name the same members: then a
 * device's assembler forgets the members. */
static bool
is_whole(sw_jit_emit *e, unsigned src)
{
    return e->mask == e->f.root_mask && same_members(e, src);
}

/* All lanes here are among the members that they name, or we leave: devices
 * from 7.0 on fault. */
static void
need_own(sw_jit_emit *e, unsigned src)
{
    if (is_whole(e, src))
        return;
    const sw_opnd *o = sw_ins_src(e->ins, src);
    if (o->kind == SW_OPND_IMM && (uint32_t)o->imm == UINT32_MAX)
        return;
    sw_jit_value v = sw_jit_read_exact(e, e->ins, src);
    LLVMValueRef in;
    if (v.shape.kind == SW_SHAPE_UNIFORM) {
        in = LLVMBuildBitCast(B, sw_jit_splat(e, v.base, warps_of(e)), e->bits,
                              "");
    } else {
        int64_t own[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++)
            own[i] = INT64_C(1) << i % 32;
        LLVMValueRef bits =
            LLVMBuildAnd(B, sw_jit_lanes(e, &v),
                         sw_jit_const_lanes(e->i32, own, e->lanes), "");
        in = sw_jit_mask_bits(e, LLVMBuildICmp(B, LLVMIntNE, bits,
                                               LLVMConstNull(LLVMTypeOf(bits)),
                                               ""));
    }
    LLVMValueRef out = LLVMBuildAnd(B, sw_jit_mask_bits(e, e->mask),
                                    LLVMBuildNot(B, in, ""), "");
    sw_jit_leave_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, out, LLVMConstNull(e->bits), ""));
}

/* In each warp of which some lanes are here. */
static void
need_members_of_warps(sw_jit_emit *e, LLVMValueRef members)
{
    LLVMValueRef here = words_of(e, e->mask),
                 none = LLVMConstNull(LLVMTypeOf(here));
    LLVMValueRef live =
        sw_jit_field(e, offsetof(sw_jit_ctx, live), LLVMTypeOf(here), false);
    sw_jit_set_align(live, 4);
    members = sw_jit_splat(e, members, warps_of(e));
    LLVMValueRef missing = LLVMBuildAnd(B, members, live, "");
    missing = LLVMBuildAnd(B, missing, LLVMBuildNot(B, here, ""), "");
    LLVMValueRef concerned = LLVMBuildICmp(B, LLVMIntNE, here, none, "");
    missing = LLVMBuildSelect(B, concerned, missing, none, "");
    LLVMValueRef bits = LLVMBuildBitCast(B, missing, e->bits, "");
    sw_jit_leave_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, bits, LLVMConstNull(e->bits), ""));
}

/* Of whatever each lane names. */
static void
need_members_of_lanes(sw_jit_emit *e, unsigned src)
{
    sw_jit_value v = sw_jit_read_exact(e, e->ins, src);
    LLVMValueRef named = sw_jit_lanes(e, &v);
    LLVMTypeRef type = LLVMTypeOf(named);
    named = LLVMBuildSelect(B, e->mask, named, LLVMConstNull(type), "");
    named = sw_jit_intrinsic(e, "llvm.vector.reduce.or", &type, 1, &named, 1);
    LLVMValueRef gone =
        LLVMBuildAnd(B, sw_jit_live_lanes(e),
                     LLVMBuildNot(B, sw_jit_mask_bits(e, e->mask), ""), "");
    LLVMValueRef missing = LLVMBuildAnd(B, named, gone, "");
    sw_jit_leave_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, missing, sw_jit_i32(e, 0), ""));
}

/* All members that have not ended are here, or we leave. */
static void
need_members(sw_jit_emit *e, unsigned src)
{
    if (src >= e->ins->nsrc)
        return;
    need_own(e, src);
    if (e->mask == e->f.root_mask)
        return;
    if (!same_members(e, src)) {
        if (warps_of(e) > 1)
            sw_jit_need_all(e);
        else
            need_members_of_lanes(e, src);
        return;
    }
    if (warps_of(e) > 1) {
        need_members_of_warps(e, sw_jit_of_first_lane(e, src));
        return;
    }
    LLVMValueRef members = sw_jit_of_first_lane(e, src);
    LLVMValueRef missing =
        LLVMBuildAnd(B, LLVMBuildAnd(B, members, sw_jit_live_lanes(e), ""),
                     LLVMBuildNot(B, sw_jit_mask_bits(e, e->mask), ""), "");
    sw_jit_leave_unless(
        e, LLVMBuildICmp(B, LLVMIntEQ, missing, sw_jit_i32(e, 0), ""));
}

/* ---- lanes of a warp ---- */

/* Members that are here, of each warp: i32, or a vector of them. */
static LLVMValueRef
members_here(sw_jit_emit *e, unsigned src)
{
    LLVMValueRef here = words_of(e, e->mask);
    if (src >= e->ins->nsrc || is_whole(e, src))
        return here;
    return LLVMBuildAnd(
        B, here, sw_jit_splat(e, sw_jit_of_first_lane(e, src), warps_of(e)),
        "");
}

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
    LLVMValueRef part[SW_JIT_TEAM_MAX];
    for (unsigned w = 0; w < warps_of(e); w++)
        part[w] = sw_jit_shuffle(e, sw_jit_of_warp(e, x, w), from, 32);
    return sw_jit_concatenate_all(e, part, warps_of(e), 32);
}

static bool
emit_shuffle(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
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
        if (!e->is_full) /* from a lane that is not here: 0 */
            x = LLVMBuildSelect(B, e->mask, x, LLVMConstNull(LLVMTypeOf(x)),
                                "");
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
            c[i] = LLVMConstInt(e->i1, in >> (i % 32) & 1, 0);
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
    if (warps_of(e) > 1) {
        for (unsigned i = 0; i < e->lanes; i++)
            from[i] = (int)i / 32;
        v = sw_jit_varying(cls, sw_jit_shuffle(e, r, from, e->lanes));
    }
    sw_jit_write(e, e->ins->opnd[0].reg, &v, 0);
}

/* All lanes that run say yes: one answer, also of several warps. What is left
 * of teams makes do with the slow form, where whole ones have a twin. */
static void
emit_team_vote(sw_jit_emit *e)
{
    sw_jit_value p = sw_jit_read(e, e->ins, 0);
    LLVMValueRef all = p.base;
    if (e->plan->is_rest[e->block] && !e->is_twin) {
        all = LLVMConstInt(e->i1, 0, 0);
    } else if (p.shape.kind != SW_SHAPE_UNIFORM) {
        LLVMValueRef no = LLVMBuildNot(B, sw_jit_lanes(e, &p), "");
        no = sw_jit_any(e, LLVMBuildAnd(B, no, e->mask, ""));
        all = LLVMBuildNot(B, no, "");
    }
    sw_jit_value v = sw_jit_uniform(SW_CLASS_PRED, all);
    sw_jit_write(e, e->ins->opnd[0].reg, &v, 0);
}

static void
emit_vote(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    sw_jit_value p = sw_jit_read(e, ins, 0);
    LLVMValueRef here = members_here(e, 1);
    LLVMValueRef yes =
        LLVMBuildAnd(B, words_of(e, sw_jit_lanes(e, &p)), here, "");
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
    LLVMTypeRef type = sw_jit_lanes_of(sw_jit_class_type(e, cls), warps_of(e));
    if (LLVMTypeOf(r) != type)
        r = LLVMBuildIntCast2(B, r, type, 0, "");
    write_of_warps(e, cls, r);
}

void
sw_jit_emit_warp(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    switch (ins->op) {
    case SW_OP_ACTIVEMASK:
        if (ins->opnd[0].kind == SW_OPND_REG)
            write_of_warps(e, SW_CLASS_B32, words_of(e, e->mask));
        return;
    case SW_OP_BAR_WARP:
        need_members(e, 0);
        return;
    case SW_OP_SHFL:
        need_members(e, 3);
        if (emit_shuffle(e) || sw_jit_emit_shuffle(e, !same_members(e, 3)))
            return;
        break;
    case SW_OP_VOTE:
        if (ins->flags & SW_F_TEAM) {
            emit_team_vote(e);
            return;
        }
        need_members(e, 1);
        if (same_members(e, 1))
            emit_vote(e);
        else
            sw_jit_emit_vote_of_sets(e);
        return;
    case SW_OP_ELECT:
        need_members(e, 0);
        if (same_members(e, 0)) {
            sw_jit_emit_elect(e, members_here(e, 0));
            return;
        }
        break;
    case SW_OP_MATCH:
        need_members(e, 1);
        if (same_members(e, 1))
            sw_jit_emit_match(e, members_here(e, 1));
        else
            sw_jit_emit_match_of_sets(e);
        return;
    case SW_OP_REDUX:
        need_members(e, 1);
        if (sw_jit_emit_redux(e,
                              same_members(e, 1) ? members_here(e, 1) : NULL))
            return;
        break;
    default:
        break;
    }
    sw_jit_emit_step(e);
}

/* See sw_engine_envreg: halves of the workspace, the launch's offset, or 0. */
static LLVMValueRef
environment_register(sw_jit_emit *e, uint64_t index)
{
    LLVMValueRef x = sw_jit_i64(e, 0);
    if (index >= 3 && index < 9) {
        x = sw_jit_block_field(e, offsetof(sw_jit_blk, offset), e->ptr);
        x = LLVMBuildLoad2(B, e->i64,
                           sw_jit_at(e, x, sw_jit_i64(e, index % 3 * 8)), "");
        sw_jit_mark_constant(e, x);
    } else if (index == 1 || index == 2) {
        x = sw_jit_block_field(e, offsetof(sw_jit_blk, workspace), e->i64);
    }
    if (index == 1 || (index >= 6 && index < 9))
        x = LLVMBuildLShr(B, x, sw_jit_i64(e, 32), "");
    return LLVMBuildTrunc(B, x, e->i32, "");
}

/* ---- special registers and addresses ---- */

static bool
emit_sreg(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    unsigned k = ins->sub;
    sw_jit_value v;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return true;
    if (k <= SW_SREG_TID_Z && !e->shapes->map.is_regular[k]) {
        LLVMValueRef p = sw_jit_field(
            e, offsetof(sw_jit_ctx, tid) + k * sizeof(void *), e->ptr, true);
        LLVMTypeRef lanes = LLVMVectorType(e->i32, 32);
        LLVMValueRef load = LLVMBuildLoad2(B, lanes, p, "");
        SW_ASSERT(warps_of(e) == 1);
        sw_jit_set_align(load, 4);
        v = sw_jit_varying(SW_CLASS_B32, load);
    } else if (k <= SW_SREG_NTID_Z && e->shapes->map.ntid[0]) {
        v = sw_jit_uniform(SW_CLASS_B32,
                           sw_jit_i32(e, k <= SW_SREG_TID_Z
                                             ? e->shapes->map.first[k]
                                             : e->shapes->map.ntid[k % 3]));
    } else if (k <= SW_SREG_NCTAID_Z) {
        size_t part = 4 * (k % 3);
        v = sw_jit_uniform(
            SW_CLASS_B32,
            k <= SW_SREG_TID_Z
                ? sw_jit_field(e, offsetof(sw_jit_ctx, tid0) + part, e->i32,
                               true)
            : k <= SW_SREG_NTID_Z
                ? sw_jit_field(e, offsetof(sw_jit_ctx, ntid) + part, e->i32,
                               true)
            : k == SW_SREG_CTAID_X && e->f.ctaid_x ? e->f.ctaid_x
            : k <= SW_SREG_CTAID_Z
                ? sw_jit_block_field(e, offsetof(sw_jit_blk, ctaid) + part,
                                     e->i32)
                : sw_jit_block_field(e, offsetof(sw_jit_blk, nctaid) + part,
                                     e->i32));
    } else if (k == SW_SREG_LANEID) {
        v = sw_jit_uniform(SW_CLASS_B32, sw_jit_i32(e, 0));
    } else if (k >= SW_SREG_LANEMASK_EQ && k <= SW_SREG_LANEMASK_GT) {
        int64_t n[SW_LANES_MAX];
        for (unsigned i = 0; i < e->lanes; i++) {
            uint32_t eq = 1u << (i % 32), lt = eq - 1;
            n[i] = k == SW_SREG_LANEMASK_EQ   ? eq
                   : k == SW_SREG_LANEMASK_LE ? (lt | eq)
                   : k == SW_SREG_LANEMASK_LT ? lt
                   : k == SW_SREG_LANEMASK_GE ? ~lt
                                              : ~(lt | eq);
        }
        v = sw_jit_varying(SW_CLASS_B32,
                           sw_jit_const_lanes(e->i32, n, e->lanes));
    } else if (k == SW_SREG_ENVREG) {
        v = sw_jit_uniform(SW_CLASS_B32, environment_register(e, ins->imm));
    } else {
        return false;
    }
    if ((k <= SW_SREG_TID_Z || k == SW_SREG_LANEID) &&
        v.shape.kind == SW_SHAPE_UNIFORM)
        v.shape = sw_shapes_sreg(e->shapes, ins);
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    return true;
}

static bool
emit_addr(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    const sw_opnd *o = sw_ins_src(ins, 0);
    bool generic = ins->flags & SW_F_GENERIC_ADDR;
    bool is_slot = o->sym->space == SW_SPACE_LOCAL ||
                   o->sym->space == SW_SPACE_PARAM ||
                   ins->space == SW_SPACE_LOCAL;
    if ((is_slot && generic) || ins->opnd[0].kind != SW_OPND_REG)
        return ins->opnd[0].kind != SW_OPND_REG;
    sw_class cls = e->plan->fn->regs[ins->opnd[0].reg].cls;
    LLVMTypeRef type = sw_jit_class_type(e, cls);
    LLVMValueRef x = sw_jit_sym_value(e, o, cls);
    x = LLVMBuildAdd(B, x, LLVMConstInt(type, (uint64_t)ins->offset, 0), "");
    if (generic && o->sym->space == SW_SPACE_SHARED) {
        LLVMValueRef base =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->i64, true);
        if (cls != SW_CLASS_B64)
            return false;
        x = LLVMBuildAdd(B, x, base, "");
    }
    sw_jit_value v = sw_jit_uniform(cls, x);
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    return true;
}

static bool
emit_cvta(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return true;
    sw_jit_value v = sw_jit_read_exact(e, ins, 0);
    bool flat = ins->space == SW_SPACE_GLOBAL || ins->space == SW_SPACE_CONST;
    if (v.cls != SW_CLASS_B64 ||
        e->plan->fn->regs[ins->opnd[0].reg].cls != SW_CLASS_B64 ||
        (!flat && ins->space != SW_SPACE_SHARED))
        return false;
    if (!flat) {
        LLVMValueRef base =
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->i64, true);
        if (v.shape.kind == SW_SHAPE_VARYING)
            base = sw_jit_splat(e, base, e->lanes);
        v.base = ins->sub ? LLVMBuildSub(B, v.base, base, "")
                          : LLVMBuildAdd(B, v.base, base, "");
    }
    sw_jit_write(e, ins->opnd[0].reg, &v, 0);
    return true;
}

/* ---- arithmetic ---- */

/* A raw f16x2 is as good as an exact one to what reads halves, not to what
 * reads a float in the same bits. */
static bool
is_raw_of_its_type(const sw_jit_emit *e, const sw_ins *ins, unsigned i)
{
    const sw_opnd *o = sw_ins_src(ins, i);
    unsigned raw = o->kind == SW_OPND_REG ? e->plan->raw[o->reg] : 0;
    bool has_own = ins->op == SW_OP_CVT || ins->op == SW_OP_SET;
    return !raw || raw == (has_own ? ins->stype : ins->type);
}

static void
emit_pure(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    sw_rule_use use;
    LLVMValueRef src[16], dst[8] = {0};
    if (ins->op == SW_OP_ADDR && emit_addr(e))
        return;
    if (ins->op == SW_OP_CVTA && emit_cvta(e))
        return;
    if (ins->op == SW_OP_SETP && sw_jit_emit_team_compare(e))
        return;
    sw_shape shape = sw_shapes_result(e->shapes, ins, &use);
    if (use.rule != SW_RULE_NONE && use.rule != SW_RULE_BASES &&
        ins->op != SW_OP_CVTA &&
        (shape.kind == SW_SHAPE_AFFINE || shape.kind == SW_SHAPE_WIDE ||
         shape.kind == SW_SHAPE_UNIFORM)) {
        sw_jit_value v = sw_jit_apply_rule(e, ins, &use, &shape);
        if (ins->opnd[0].kind == SW_OPND_REG)
            sw_jit_write(e, ins->opnd[0].reg, &v, 0);
        return;
    }
    if (ins->nsrc > 16 || ins->ndst > 8 || ins->op == SW_OP_ADDR ||
        ins->op == SW_OP_CVTA || ins->op == SW_OP_ISSPACEP ||
        !sw_jit_alu_supports(&e->ll, e->plan->fn, ins)) {
        sw_jit_emit_step(e);
        return;
    }
    unsigned lanes = shape.kind == SW_SHAPE_UNIFORM ? 1 : e->lanes;
    if (lanes > 1 && ins->op == SW_OP_SETP && sw_jit_emit_compare(e))
        return;
    if (lanes > 1 && sw_jit_emit_divide(e))
        return;
    uint8_t raw = sw_jit_raw_result(e->plan, ins);
    for (unsigned i = 0; i < ins->nsrc; i++) {
        bool keep = sw_jit_is_mover(ins)
                        ? raw != 0
                        : ins->op != SW_OP_SLCT &&
                              sw_jit_alu_takes_raw(e->plan->fn, ins, i) &&
                              is_raw_of_its_type(e, ins, i);
        sw_jit_value v =
            keep ? sw_jit_read(e, ins, i) : sw_jit_read_exact(e, ins, i);
        src[i] = lanes == 1 ? v.base : sw_jit_lanes(e, &v);
    }
    if (!(lanes > 1 && sw_jit_emit_function(e, ins, src, dst))) {
        e->ll.normal = sw_jit_normal_sources(e->plan, ins);
        e->ll.may_be_known = sw_jit_may_be_known(e->plan, ins);
        bool did = sw_jit_alu(&e->ll, e->plan->fn, ins, lanes, src, dst);
        e->ll.normal = 0;
        e->ll.may_be_known = false;
        if (!did) {
            sw_jit_emit_step(e);
            return;
        }
    }
    for (unsigned i = 0; i < ins->ndst; i++) {
        if (ins->opnd[i].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->plan->fn->regs[ins->opnd[i].reg].cls;
        sw_jit_value v = lanes == 1 ? sw_jit_uniform(cls, dst[i])
                                    : sw_jit_varying(cls, dst[i]);
        sw_jit_write(e, ins->opnd[i].reg, &v, raw);
    }
}

/* ---- dispatch ---- */

static void
emit_fence(sw_jit_emit *e)
{
    bool total = e->ins->order == SW_ORDER_SC && e->ins->scope != SW_SCOPE_CTA;
    LLVMBuildFence(B,
                   total ? LLVMAtomicOrderingSequentiallyConsistent
                         : LLVMAtomicOrderingAcquireRelease,
                   0, "");
}

static void
emit_sleep(sw_jit_emit *e)
{
    LLVMValueRef args[3] = {sw_jit_i32(e, e->ins_index),
                            sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask)),
                            sw_jit_sleep_reason(e)};
    sw_jit_call(e, SW_JIT_SPIN, e->i32, args, 3);
}

static void
emit_one(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    switch (ins->op) {
    case SW_OP_LD:
    case SW_OP_LDU:
        sw_jit_emit_load(e);
        return;
    case SW_OP_ST:
        sw_jit_emit_store(e);
        return;
    case SW_OP_ATOM:
    case SW_OP_RED:
        sw_jit_emit_atomic(e);
        return;
    case SW_OP_MBAR_ARRIVE:
    case SW_OP_MBAR_TEST:
        if (!sw_jit_emit_mbar(e))
            sw_jit_emit_step(e);
        return;
    case SW_OP_TEX:
        sw_jit_emit_tex(e);
        return;
    case SW_OP_SULD:
    case SW_OP_SUST:
        sw_jit_emit_surface(e);
        return;
    case SW_OP_BAR:
        sw_jit_emit_barrier(e);
        return;
    case SW_OP_BAR_CLUSTER:
        if (ins->sub == SW_BAR_CLUSTER_WAIT)
            sw_jit_need_all(e);
        sw_jit_emit_step(e);
        return;
    case SW_OP_SHFL:
    case SW_OP_VOTE:
    case SW_OP_MATCH:
    case SW_OP_REDUX:
    case SW_OP_ELECT:
    case SW_OP_ACTIVEMASK:
    case SW_OP_BAR_WARP:
        sw_jit_emit_warp(e);
        return;
    case SW_OP_SREG:
        if (!emit_sreg(e))
            sw_jit_emit_step(e);
        return;
    case SW_OP_CALL:
        emit_call(e);
        return;
    case SW_OP_MEMBAR:
        sw_jit_tell_fence(e);
        emit_fence(e);
        return;
    case SW_OP_NANOSLEEP:
        emit_sleep(e);
        return;
    case SW_OP_CP_ASYNC_WAIT:
        if (ins->nsrc && sw_jit_tells(e, SW_EV_ASYNC))
            sw_jit_emit_step(e); /* it has an address */
        else
            sw_jit_tell_fence(e);
        return;
    case SW_OP_PREFETCH:
    case SW_OP_PMEVENT:
    case SW_OP_GRIDDEPCONTROL:
    case SW_OP_SETMAXNREG:
        return;
    default:
        if (is_pure(ins))
            emit_pure(e);
        else
            sw_jit_emit_step(e);
    }
}

/* Under a varying guard: only with the lanes for which it holds. */
static void
emit_guarded(sw_jit_emit *e)
{
    const sw_ins *ins = e->ins;
    LLVMValueRef mask = e->mask;
    bool was_full = e->is_full;
    const sw_jit_lane_set *were = e->some;
    LLVMValueRef holds = sw_jit_mask_of(e, ins->guard, ins->guard_neg);
    e->mask = LLVMBuildAnd(B, mask, holds, "");
    e->is_full = false;
    e->some = NULL;
    e->is_guarded = true;
    if (ins->op == SW_OP_CALL) /* lanes may end in it */
        sw_jit_tally_guarded(e, e->mask);
    if (is_pure(ins) && sw_jit_alu_supports(&e->ll, e->plan->fn, ins)) {
        emit_one(e);
    } else {
        LLVMBasicBlockRef some = sw_jit_block(e, "some");
        LLVMBasicBlockRef on = sw_jit_block(e, "on");
        LLVMBuildCondBr(B, sw_jit_any(e, e->mask), some, on);
        LLVMPositionBuilderAtEnd(B, some);
        emit_one(e);
        LLVMBuildBr(B, on);
        LLVMPositionBuilderAtEnd(B, on);
    }
    if (ins->op != SW_OP_CALL)
        sw_jit_tally_guarded(e, e->mask);
    e->mask = mask;
    e->is_full = was_full;
    e->some = were;
    e->is_guarded = false;
}

void
sw_jit_emit_ins(sw_jit_emit *e, const sw_ins *ins)
{
    e->ins = ins;
    e->path_mask = e->mask;
    if (!ins->guard) {
        emit_one(e);
        return;
    }
    if (e->shapes->regs[ins->guard].kind == SW_SHAPE_VARYING) {
        emit_guarded(e);
        return;
    }
    LLVMValueRef holds = sw_jit_read_reg(e, ins->guard).base;
    if (ins->guard_neg)
        holds = LLVMBuildNot(B, holds, "");
    LLVMBasicBlockRef yes = sw_jit_block(e, "yes");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    if (ins->op == SW_OP_CALL)
        sw_jit_tally_guarded_all(e, holds);
    LLVMBuildCondBr(B, holds, yes, on);
    LLVMPositionBuilderAtEnd(B, yes);
    emit_one(e);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    if (ins->op != SW_OP_CALL)
        sw_jit_tally_guarded_all(e, holds);
}
