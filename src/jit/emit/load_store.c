/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_store.c - ld and st: from the instruction to one of the ways of
 * access_ways.h; and loads of a kernel's parameters, which need none.
 */
#include "jit/emit/access_ways.h"
#include "jit/emit/instruction.h"

#define B e->ll.builder

static void
load_lanes(sw_jit_emit *e, const sw_jit_access *a)
{
    if (a->vec > 1) {
        sw_jit_counter_lanes(e, a);
        for (unsigned k = 0; k < a->vec; k++)
            sw_jit_write_loaded(e, a, k, sw_jit_gather(e, a, k));
        return;
    }
    sw_jit_write_loaded(e, a, 0, sw_jit_load_lanes(e, a));
}

/* The elements of a kernel's parameter at a place that all lanes have. */
static void
load_shared_param(sw_jit_emit *e, const sw_jit_access *a, LLVMValueRef at)
{
    const sw_ins *ins = e->at.ins;
    for (unsigned k = 0; k < ins->vec; k++) {
        if (ins->opnd[k].kind != SW_OPND_REG)
            continue;
        sw_class cls = e->plan->fn->regs[ins->opnd[k].reg].cls;
        LLVMValueRef p = sw_jit_at(e, at, sw_jit_i64(e, k * a->elem));
        LLVMValueRef x = LLVMBuildLoad2(B, sw_jit_elem_type(e, a), p, "");
        sw_jit_set_align(x, 1);
        sw_jit_mark_constant(e, x);
        sw_jit_value v = sw_jit_uniform(cls, sw_jit_extend(e, a, x, cls, 1));
        sw_jit_write(e, ins->opnd[k].reg, &v, 0);
    }
}

/* A kernel's parameter at a known place. */
static bool
load_param(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    const sw_opnd *o = sw_ins_src(ins, 0);
    if (ins->space != SW_SPACE_PARAM || !e->plan->fn->is_entry ||
        o->kind == SW_OPND_REG || sw_type_bits((sw_type)ins->type) > 64)
        return false;
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    uint64_t at = (o->kind == SW_OPND_SYM ? o->sym->address : 0) + o->imm +
                  (uint64_t)ins->offset;
    if (at > e->plan->fn->param_bytes || a.unit > e->plan->fn->param_bytes - at)
        return false;
    load_shared_param(e, &a, sw_jit_at(e, sw_jit_params(e), sw_jit_i64(e, at)));
    return true;
}

/* i1: all of it lies in the parameters; *from: where, if that is the same for
 * all lanes. */
static LLVMValueRef
test_param(sw_jit_emit *e, sw_jit_access *a, LLVMValueRef *from)
{
    if (a->address.shape.kind != SW_SHAPE_UNIFORM) {
        sw_jit_prepare_lanes(e, a);
        return a->ok;
    }
    LLVMValueRef at = LLVMBuildIntCast2(B, a->address.base, e->t.i64, 0, "");
    at = LLVMBuildAdd(B, at, sw_jit_i64(e, (uint64_t)a->offset), "");
    *from = sw_jit_at(e, sw_jit_params(e), at);
    LLVMValueRef most = sw_jit_i64(e, e->plan->fn->param_bytes - a->unit);
    return LLVMBuildAnd(B, LLVMBuildICmp(B, LLVMIntULE, at, most, ""),
                        sw_jit_is_aligned(e, at, a->unit), "");
}

/* One at a place that an index tells: an array's, a structure's. */
static bool
load_param_at(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    unsigned bits = sw_type_bits((sw_type)ins->type);
    if (ins->space != SW_SPACE_PARAM || !e->plan->fn->is_entry ||
        sw_ins_src(ins, 0)->kind != SW_OPND_REG || sw_ins_is_whole(ins) ||
        bits < 8 || bits > 64)
        return false;
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    if (a.unit > e->plan->fn->param_bytes)
        return false;
    LLVMBasicBlockRef fast = sw_jit_block(e, "fast");
    LLVMBasicBlockRef slow = sw_jit_block(e, "slow");
    LLVMBasicBlockRef done = sw_jit_block(e, "done");
    LLVMValueRef from = NULL, ok = test_param(e, &a, &from);
    sw_jit_likely(e, LLVMBuildCondBr(B, ok, fast, slow), true);
    LLVMPositionBuilderAtEnd(B, slow);
    sw_jit_emit_rare_step(e);
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, fast);
    if (from)
        load_shared_param(e, &a, from);
    for (unsigned k = 0; k < a.vec && !from; k++)
        sw_jit_write_loaded(e, &a, k, sw_jit_gather(e, &a, k));
    LLVMBuildBr(B, done);
    LLVMPositionBuilderAtEnd(B, done);
    return true;
}

void
sw_jit_emit_load(sw_jit_emit *e)
{
    if (load_param(e) || load_param_at(e))
        return;
    if (e->at.own_lane) {
        sw_jit_own_load(e);
        return;
    }
    if (sw_jit_is_unusual(e->at.ins)) {
        sw_jit_emit_step(e);
        return;
    }
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    if (e->plan->has_local_rows && e->at.ins->space == SW_SPACE_LOCAL) {
        if (sw_jit_has_one_offset(&a) || !sw_jit_move_outlined(e, &a))
            sw_jit_load_local(e, &a);
        return;
    }
    bool is_by = sw_jit_is_by_groups(e, &a);
    if (!is_by)
        sw_jit_forget_rows(e, &a);
    if (is_by || !sw_jit_load_chunk(e, &a))
        sw_jit_move_data(e, &a, sw_jit_load_groups, load_lanes);
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 0, "");
}

void
sw_jit_emit_store(sw_jit_emit *e)
{
    if (e->at.own_lane) {
        sw_jit_own_store(e);
        return;
    }
    if (sw_jit_is_unusual(e->at.ins)) {
        sw_jit_emit_step(e);
        return;
    }
    sw_jit_access a;
    sw_jit_open_access(e, &a);
    if (e->plan->has_local_rows && e->at.ins->space == SW_SPACE_LOCAL) {
        if (sw_jit_has_one_offset(&a) || !sw_jit_move_outlined(e, &a))
            sw_jit_store_local(e, &a);
        return;
    }
    if (a.is_volatile)
        LLVMBuildFence(B, LLVMAtomicOrderingRelease, 0, "");
    sw_jit_rows rows;
    LLVMValueRef are_rows = sw_jit_recall_rows(e, &a, &rows);
    LLVMBasicBlockRef apart, join;
    if (are_rows) {
        join = sw_jit_two_ways(e, are_rows, &apart);
        sw_jit_store_in_rows(e, &a, &rows);
        LLVMBuildBr(B, join);
        LLVMPositionBuilderAtEnd(B, apart);
    }
    sw_jit_move_data(e, &a, sw_jit_store_groups, sw_jit_store_lanes);
    if (are_rows) {
        LLVMBuildBr(B, join);
        LLVMPositionBuilderAtEnd(B, join);
    }
}
