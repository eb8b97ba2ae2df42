/* SPDX-License-Identifier: Apache-2.0 */
/*
 * step.c - an instruction that has no native form: the interpreter's function
 * executes it, on the registers in the frame.
 */
#include "jit/emit/exits.h"

#define B e->ll.builder

static void
fetch_slot(sw_jit_emit *e, sw_reg reg, LLVMValueRef lane)
{
    sw_class cls = e->plan->fn->regs[reg].cls;
    sw_jit_value v = sw_jit_varying(cls, sw_jit_fetch_lanes(e, reg));
    if (e->shapes->regs[reg].kind != SW_SHAPE_VARYING)
        v = sw_jit_uniform(cls, LLVMBuildExtractElement(B, v.base, lane, ""));
    sw_jit_write(e, reg, &v, 0);
}

bool
sw_jit_is_pure(const sw_ins *ins)
{
    return sw_op_get_info((sw_op)ins->op)->effects == SW_FX_PURE;
}

void
sw_jit_exit_if_lanes_ended(sw_jit_emit *e, LLVMValueRef left, LLVMValueRef bits)
{
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMValueRef same = LLVMBuildICmp(B, LLVMIntEQ, left, bits, "");
    sw_jit_likely(e, LLVMBuildCondBr(B, same, on, out), true);
    LLVMPositionBuilderAtEnd(B, out);
    sw_jit_count_back(e, e->at.index + 1);
    LLVMValueRef others = LLVMBuildAnd(B, sw_jit_mask_bits(e, e->mask.path),
                                       LLVMBuildNot(B, bits, ""), "");
    sw_jit_emit_side_exit(e, e->at.index + 1, LLVMBuildOr(B, left, others, ""));
    LLVMPositionBuilderAtEnd(B, on);
}

static void
emit_step(sw_jit_emit *e, sw_jit_helper helper)
{
    const sw_ins *ins = e->at.ins;
    const sw_call *call = ins->op == SW_OP_CALL ? ins->aux : NULL;
    uint32_t number = sw_jit_store_sources(e);
    LLVMValueRef bits = sw_jit_is_pure(ins)
                            ? LLVMConstAllOnes(e->t.bits)
                            : sw_jit_mask_bits(e, e->mask.lanes);
    LLVMValueRef lane = sw_jit_first_of(e, bits);
    LLVMValueRef args[2] = {sw_jit_i32(e, number), sw_jit_mask_memory(e, bits)};
    sw_jit_call(e, helper, e->t.nothing, args, 2);
    for (unsigned i = 0; i < ins->ndst; i++)
        if (ins->opnd[i].kind == SW_OPND_REG)
            fetch_slot(e, ins->opnd[i].reg, lane);
    for (uint32_t i = 0; call && i < call->ret_count; i++)
        if (call->rets[i].kind == SW_OPND_REG)
            fetch_slot(e, call->rets[i].reg, lane);
    sw_jit_keep_sources(e);
    if (call)
        sw_jit_exit_if_lanes_ended(
            e, LLVMBuildLoad2(B, e->t.bits, e->f.mask_slot, ""), bits);
}

void
sw_jit_emit_step(sw_jit_emit *e)
{
    emit_step(e, SW_JIT_STEP);
}

void
sw_jit_emit_rare_step(sw_jit_emit *e)
{
    emit_step(e, SW_JIT_RARE_STEP);
}
