/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divide.c - quotients and remainders of different dividends and one
 * divisor, which in kernels is mostly a power of two (the size of a tile, the
 * distance in a network): then they are shifts and masks. Which it is, is seen
 * at run time.
 */
#include "jit/emit/instruction.h"

#define B e->ll.builder

static bool
suits(const sw_jit_emit *e, const sw_ins *ins)
{
    sw_type type = (sw_type)ins->type;
    sw_kind kind = sw_type_kind(type);
    unsigned bits = sw_type_bits(type);
    return (ins->op == SW_OP_DIV || ins->op == SW_OP_REM) &&
           (kind == SW_KIND_SINT || kind == SW_KIND_UINT) &&
           (bits == 32 || bits == 64) && ins->opnd[0].kind == SW_OPND_REG &&
           sw_ins_src(ins, 1)->kind != SW_OPND_IMM &&
           sw_shapes_source(e->shapes, ins, 0).kind != SW_SHAPE_UNIFORM &&
           sw_shapes_source(e->shapes, ins, 1).kind == SW_SHAPE_UNIFORM;
}

/* i1: x is one. Negative numbers are none. */
static LLVMValueRef
is_power_of_two(sw_jit_emit *e, LLVMValueRef x, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef zero = LLVMConstNull(type);
    LLVMValueRef less = LLVMBuildSub(B, x, LLVMConstInt(type, 1, 0), "");
    LLVMValueRef one_bit =
        LLVMBuildICmp(B, LLVMIntEQ, LLVMBuildAnd(B, x, less, ""), zero, "");
    return LLVMBuildAnd(
        B, one_bit,
        LLVMBuildICmp(B, is_signed ? LLVMIntSGT : LLVMIntNE, x, zero, ""), "");
}

/* By a power of two; quotients are rounded to zero. */
static LLVMValueRef
shift(sw_jit_emit *e, bool is_signed, LLVMValueRef x, LLVMValueRef divisor)
{
    LLVMTypeRef type = LLVMTypeOf(divisor);
    LLVMValueRef args[2] = {divisor, LLVMConstInt(e->t.i1, 1, 0)};
    LLVMValueRef by = sw_jit_intrinsic(e, "llvm.cttz", &type, 1, args, 2);
    LLVMValueRef below = LLVMBuildSub(B, divisor, LLVMConstInt(type, 1, 0), "");
    by = sw_jit_splat(e, by, e->lanes);
    below = sw_jit_splat(e, below, e->lanes);
    if (is_signed) {
        unsigned width = LLVMGetIntTypeWidth(type);
        LLVMValueRef sign =
            sw_jit_splat(e, LLVMConstInt(type, width - 1, 0), e->lanes);
        sign = LLVMBuildAShr(B, x, sign, "");
        LLVMValueRef up =
            LLVMBuildAdd(B, x, LLVMBuildAnd(B, sign, below, ""), "");
        if (e->at.ins->op == SW_OP_DIV)
            return LLVMBuildAShr(B, up, by, "");
        return LLVMBuildSub(
            B, x, LLVMBuildAnd(B, up, LLVMBuildNot(B, below, ""), ""), "");
    }
    return e->at.ins->op == SW_OP_DIV ? LLVMBuildLShr(B, x, by, "")
                                      : LLVMBuildAnd(B, x, below, "");
}

bool
sw_jit_emit_divide(sw_jit_emit *e)
{
    const sw_ins *ins = e->at.ins;
    if (!suits(e, ins))
        return false;
    bool is_signed = sw_type_kind((sw_type)ins->type) == SW_KIND_SINT;
    sw_jit_value x = sw_jit_read_exact(e, ins, 0);
    sw_jit_value y = sw_jit_read_exact(e, ins, 1);
    LLVMValueRef lanes = sw_jit_lanes(e, &x);
    LLVMBasicBlockRef power = sw_jit_block(e, "power");
    LLVMBasicBlockRef other = sw_jit_block(e, "other");
    LLVMBasicBlockRef join = sw_jit_block(e, "join");
    LLVMBuildCondBr(B, is_power_of_two(e, y.base, is_signed), power, other);
    LLVMPositionBuilderAtEnd(B, power);
    LLVMValueRef shifted = shift(e, is_signed, lanes, y.base);
    LLVMBuildBr(B, join);
    LLVMPositionBuilderAtEnd(B, other);
    LLVMValueRef src[2] = {lanes, sw_jit_lanes(e, &y)}, dst[1] = {0};
    bool did = sw_jit_alu(&e->ll, e->plan->fn, ins, e->lanes, src, dst);
    SW_ASSERT(did);
    sw_jit_write_either(e, join, power, shifted, dst[0]);
    return true;
}
