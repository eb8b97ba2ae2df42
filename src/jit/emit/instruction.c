/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction.c - one instruction: which way it is compiled, under which lanes
 * if it has a guard; and those that need no file of their own: special
 * registers, addresses, calls, fences, arithmetic by way of jit/alu.
 */
#include <string.h>

#include "exec/exec.h"
#include "jit/emit/instruction.h"
#include "sem/lanes.h"

#define B e->ll.builder

static void
emit_call(sw_jit_emit *e)
{
    LLVMBasicBlockRef on = sw_jit_emit_compiled_call(e);
    sw_jit_emit_step(e);
    if (on) {
        LLVMBuildBr(B, on);
        LLVMPositionBuilderAtEnd(B, on);
    }
}

/* See sw_engine_envreg: halves of the workspace, the launch's environment, or
 * 0. */
static LLVMValueRef
environment_register(sw_jit_emit *e, uint64_t index)
{
    LLVMValueRef x = sw_jit_i64(e, 0);
    if (index >= 9 + SW_ENVIRONMENT_WORDS)
        return sw_jit_i32(e, 0);
    if (index >= 3) {
        bool is_word = index >= 9;
        uint64_t at = is_word
                          ? offsetof(sw_environment, words) + (index - 9) * 4
                          : index % 3 * 8;
        x = sw_jit_block_field(e, offsetof(sw_jit_blk, environment), e->t.ptr);
        x = LLVMBuildLoad2(B, is_word ? e->t.i32 : e->t.i64,
                           sw_jit_at(e, x, sw_jit_i64(e, at)), "");
        sw_jit_mark_constant(e, x);
        if (is_word)
            return x;
    } else if (index == 1 || index == 2) {
        x = sw_jit_block_field(e, offsetof(sw_jit_blk, workspace), e->t.i64);
    }
    if (index == 1 || (index >= 6 && index < 9))
        x = LLVMBuildLShr(B, x, sw_jit_i64(e, 32), "");
    return LLVMBuildTrunc(B, x, e->t.i32, "");
}

/* ---- special registers and addresses ---- */

static bool
emit_sreg(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    unsigned k = ins->sub;
    sw_jit_value v;
    if (ins->opnd[0].kind != SW_OPND_REG)
        return true;
    if (k <= SW_SREG_TID_Z && !e->shapes->map.is_regular[k]) {
        LLVMValueRef p = sw_jit_field(
            e, offsetof(sw_jit_ctx, tid) + k * sizeof(void *), e->t.ptr, true);
        LLVMTypeRef lanes = LLVMVectorType(e->t.i32, 32);
        LLVMValueRef load = LLVMBuildLoad2(B, lanes, p, "");
        SW_ASSERT(sw_jit_warps_of(e) == 1);
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
                ? sw_jit_field(e, offsetof(sw_jit_ctx, tid0) + part, e->t.i32,
                               true)
            : k <= SW_SREG_NTID_Z
                ? sw_jit_field(e, offsetof(sw_jit_ctx, ntid) + part, e->t.i32,
                               true)
            : k == SW_SREG_CTAID_X && e->f.ctaid_x ? e->f.ctaid_x
            : k <= SW_SREG_CTAID_Z
                ? sw_jit_block_field(e, offsetof(sw_jit_blk, ctaid) + part,
                                     e->t.i32)
                : sw_jit_block_field(e, offsetof(sw_jit_blk, nctaid) + part,
                                     e->t.i32));
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
                           sw_jit_const_lanes(e->t.i32, n, e->lanes));
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
    const sw_ins *ins = e->at.ins;
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
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
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
    const sw_ins *ins = e->at.ins;
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
            sw_jit_field(e, offsetof(sw_jit_ctx, shared), e->t.i64, true);
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
    const sw_ins *ins = e->at.ins;
    sw_rule_use use;
    LLVMValueRef src[16], dst[8] = {0};
    if (ins->op == SW_OP_ADDR && emit_addr(e))
        return;
    if (ins->op == SW_OP_CVTA && emit_cvta(e))
        return;
    if (ins->op == SW_OP_SETP && sw_jit_emit_fused_compare(e))
        return;
    sw_shape shape = sw_shapes_result(e->shapes, ins, &use);
    if (use.rule != SW_RULE_NONE && use.rule != SW_RULE_BASES &&
        ins->op != SW_OP_CVTA &&
        (shape.kind == SW_SHAPE_AFFINE || shape.kind == SW_SHAPE_EXTENDED ||
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
        e->ll.normal = sw_jit_never_subnormal_sources(e->plan, ins);
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
    bool total =
        e->at.ins->order == SW_ORDER_SC && e->at.ins->scope != SW_SCOPE_CTA;
    LLVMBuildFence(B,
                   total ? LLVMAtomicOrderingSequentiallyConsistent
                         : LLVMAtomicOrderingAcquireRelease,
                   0, "");
}

static void
emit_sleep(sw_jit_emit *e)
{
    LLVMValueRef args[3] = {
        sw_jit_i32(e, e->at.index),
        sw_jit_mask_memory(e, sw_jit_mask_bits(e, e->mask.lanes)),
        sw_jit_sleep_reason(e)};
    sw_jit_call(e, SW_JIT_SPIN, e->t.i32, args, 3);
}

static void
emit_one(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
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
        if (sw_jit_is_pure(ins))
            emit_pure(e);
        else
            sw_jit_emit_step(e);
    }
}

/* Under a varying guard: only with the lanes for which it holds. */
static void
emit_guarded(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    sw_jit_mask before =
        sw_jit_mask_guard(e, sw_jit_mask_of(e, ins->guard, ins->guard_neg));
    if (ins->op == SW_OP_CALL) /* lanes may end in it */
        sw_jit_counter_guarded(e, e->mask.lanes);
    if (sw_jit_is_pure(ins) && sw_jit_alu_supports(&e->ll, e->plan->fn, ins)) {
        emit_one(e);
    } else {
        LLVMBasicBlockRef some = sw_jit_block(e, "some");
        LLVMBasicBlockRef on = sw_jit_block(e, "on");
        LLVMBuildCondBr(B, sw_jit_any(e, e->mask.lanes), some, on);
        LLVMPositionBuilderAtEnd(B, some);
        emit_one(e);
        LLVMBuildBr(B, on);
        LLVMPositionBuilderAtEnd(B, on);
    }
    if (ins->op != SW_OP_CALL)
        sw_jit_counter_guarded(e, e->mask.lanes);
    sw_jit_mask_restore(e, &before);
}

void
sw_jit_emit_ins(sw_jit_emit *e, const sw_ins *ins)
{
    e->at.ins = ins;
    sw_jit_mask_begin_path(e);
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
        sw_jit_counter_guarded_all(e, holds);
    LLVMBuildCondBr(B, holds, yes, on);
    LLVMPositionBuilderAtEnd(B, yes);
    emit_one(e);
    LLVMBuildBr(B, on);
    LLVMPositionBuilderAtEnd(B, on);
    if (ins->op != SW_OP_CALL)
        sw_jit_counter_guarded_all(e, holds);
}
