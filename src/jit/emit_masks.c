/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_masks.c - masks, after the passes and before there is machine code of
 * them: what LLVM 19 makes badly, or not at all, is said in other words.
 */
#include "jit/emit.h"

#define B e->ll.builder

static void
replace(LLVMValueRef ins, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(ins, by);
    LLVMInstructionEraseFromParent(ins);
}

/* ---- with AVX-512 ---- */

/* Whether it chooses between masks, one of them constant, by one bit. */
static bool
chooses_masks(const sw_jit_emit *e, LLVMValueRef ins)
{
    return LLVMIsASelectInst(ins) && LLVMTypeOf(ins) == e->mask_type &&
           LLVMTypeOf(LLVMGetOperand(ins, 0)) == e->i1 &&
           (LLVMIsConstant(LLVMGetOperand(ins, 1)) ||
            LLVMIsConstant(LLVMGetOperand(ins, 2)));
}

/* The choice of `ins` made between integers. LLVM's combiner turns a choice of
 * parts of a mask of more than 64 lanes into an `or` of them, that into the
 * choice, and so on for ever; of integers it does not. Such choices are what
 * passes leave of branches. */
static void
choose_bits(const sw_jit_emit *e, LLVMValueRef ins)
{
    LLVMPositionBuilderBefore(B, ins);
    LLVMValueRef yes = sw_jit_mask_bits(e, LLVMGetOperand(ins, 1));
    LLVMValueRef no = sw_jit_mask_bits(e, LLVMGetOperand(ins, 2));
    LLVMValueRef bits = LLVMBuildSelect(B, LLVMGetOperand(ins, 0), yes, no, "");
    replace(ins, LLVMBuildBitCast(B, bits, LLVMTypeOf(ins), ""));
}

/* ---- without ---- */

/* Lanes of a type that is a mask whose bits are whole bytes; or 0. */
static unsigned
mask_lanes(const sw_jit_emit *e, LLVMTypeRef type)
{
    unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                         LLVMGetElementType(type) == e->i1
                     ? LLVMGetVectorSize(type)
                     : 0;
    return n % 8 ? 0 : n;
}

/* The mask whose bits are those of the integer: each byte in eight lanes, of
 * which each looks at one bit. LLVM would fetch them bit by bit. */
static LLVMValueRef
mask_of_bits(const sw_jit_emit *e, LLVMValueRef bits, unsigned lanes)
{
    LLVMTypeRef i8 = LLVMInt8TypeInContext(e->ll.context);
    int from[SW_LANES_MAX];
    int64_t own[SW_LANES_MAX];
    for (unsigned i = 0; i < lanes; i++) {
        from[i] = (int)(i / 8);
        own[i] = INT64_C(1) << i % 8;
    }
    LLVMValueRef bytes =
        LLVMBuildBitCast(B, bits, LLVMVectorType(i8, lanes / 8), "");
    LLVMValueRef bit = sw_jit_const_lanes(i8, own, lanes);
    bytes = LLVMBuildAnd(B, sw_jit_shuffle(e, bytes, from, lanes), bit, "");
    return LLVMBuildICmp(B, LLVMIntEQ, bytes, bit, "");
}

/* Masks that are made of integers, or move to and from memory. */
static void
spell_out(const sw_jit_emit *e, LLVMValueRef ins)
{
    unsigned lanes = mask_lanes(e, LLVMTypeOf(ins));
    LLVMPositionBuilderBefore(B, ins);
    if (lanes && LLVMIsABitCastInst(ins)) {
        LLVMValueRef bits = LLVMGetOperand(ins, 0);
        if (LLVMGetTypeKind(LLVMTypeOf(bits)) == LLVMIntegerTypeKind)
            replace(ins, mask_of_bits(e, bits, lanes));
    } else if (lanes && LLVMIsALoadInst(ins)) {
        LLVMTypeRef type = LLVMIntTypeInContext(e->ll.context, lanes);
        LLVMValueRef bits = LLVMBuildLoad2(B, type, LLVMGetOperand(ins, 0), "");
        LLVMSetAlignment(bits, LLVMGetAlignment(ins));
        replace(ins, mask_of_bits(e, bits, lanes));
    } else if (LLVMIsAStoreInst(ins)) {
        LLVMValueRef mask = LLVMGetOperand(ins, 0);
        lanes = mask_lanes(e, LLVMTypeOf(mask));
        if (!lanes)
            return;
        LLVMTypeRef type = LLVMIntTypeInContext(e->ll.context, lanes);
        LLVMSetOperand(ins, 0, LLVMBuildBitCast(B, mask, type, ""));
    }
}

void
sw_jit_spell_masks(const sw_jit_emit *e)
{
    if (e->ll.has_avx512 && e->lanes <= 64)
        return;
    for (LLVMValueRef fn = LLVMGetFirstFunction(e->ll.module); fn;
         fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef ins = LLVMGetFirstInstruction(block), next; ins;
                 ins = next) {
                next = LLVMGetNextInstruction(ins);
                if (!e->ll.has_avx512)
                    spell_out(e, ins);
                else if (chooses_masks(e, ins))
                    choose_bits(e, ins);
            }
}
