/* SPDX-License-Identifier: Apache-2.0 */
/*
 * masks.c - masks, after the passes and before there is machine code of
 * them: what LLVM 19 makes badly, or not at all, is said in other words.
 */
#include "jit/emit/build.h"
#include "jit/llvm/passes.h"

#define B e->ll.builder

static void
replace(LLVMValueRef ins, LLVMValueRef by)
{
    LLVMReplaceAllUsesWith(ins, by);
    LLVMInstructionEraseFromParent(ins);
}

/* Lanes of a type that is a mask whose bits are whole bytes; or 0. */
static unsigned
mask_lanes(const sw_jit_emit *e, LLVMTypeRef type)
{
    unsigned n = LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
                         LLVMGetElementType(type) == e->t.i1
                     ? LLVMGetVectorSize(type)
                     : 0;
    return n % 8 ? 0 : n;
}

/* ---- with AVX-512 ---- */

/* Whether it chooses between masks, one of them constant, by one bit. */
static bool
chooses_masks(const sw_jit_emit *e, LLVMValueRef ins)
{
    return LLVMIsASelectInst(ins) && LLVMTypeOf(ins) == e->t.mask_type &&
           LLVMTypeOf(LLVMGetOperand(ins, 0)) == e->t.i1 &&
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

/* Whether LLVM may make the mask of an integer's bits, in the block where it is
 * used: of a bit cast, in other words. */
static bool
may_be_bits(LLVMValueRef x, LLVMBasicBlockRef block, int depth)
{
    if (LLVMIsAArgument(x))
        return true;
    if (!LLVMIsAInstruction(x) || LLVMGetInstructionParent(x) != block)
        return false;
    if (!depth || LLVMIsALoadInst(x) || LLVMIsASelectInst(x) ||
        LLVMIsABitCastInst(x) || LLVMIsAFreezeInst(x))
        return true;
    switch (LLVMGetInstructionOpcode(x)) {
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor:
        return may_be_bits(LLVMGetOperand(x, 0), block, depth - 1) &&
               may_be_bits(LLVMGetOperand(x, 1), block, depth - 1);
    default:
        return false;
    }
}

/* Two masks, each made of bits, whose combination LLVM might as well make of
 * these, and does: then again of the masks, and so on for ever, as both are
 * there already (mended in LLVM 20, by its change 123386). */
static bool
combines_bits(const sw_jit_emit *e, LLVMValueRef ins)
{
    enum { DEPTH = 6 };
    if (!mask_lanes(e, LLVMTypeOf(ins)) ||
        !(LLVMIsABinaryOperator(ins) &&
          (LLVMGetInstructionOpcode(ins) == LLVMOr ||
           LLVMGetInstructionOpcode(ins) == LLVMXor)))
        return false;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(ins);
    return may_be_bits(LLVMGetOperand(ins, 0), block, DEPTH) &&
           may_be_bits(LLVMGetOperand(ins, 1), block, DEPTH);
}

/* A mask as it is, by an instruction that LLVM does not see through. */
static LLVMValueRef
hide(sw_jit_emit *e, LLVMValueRef mask)
{
    enum { MOST = 64 };
    static const char *const adds[] = {
        [1] = "llvm.x86.avx512.kadd.b",
        [2] = "llvm.x86.avx512.kadd.w",
        [4] = "llvm.x86.avx512.kadd.d",
        [8] = "llvm.x86.avx512.kadd.q",
    };
    LLVMValueRef x[SW_LANES_MAX / MOST];
    unsigned lanes = mask_lanes(e, LLVMTypeOf(mask));
    unsigned each = lanes < MOST ? lanes : MOST;
    for (unsigned i = 0; i < lanes / each; i++) {
        LLVMValueRef part = sw_jit_elements(e, mask, i * each, each);
        LLVMValueRef args[2] = {part, LLVMConstNull(LLVMTypeOf(part))};
        x[i] = sw_jit_intrinsic(e, adds[each / 8], NULL, 0, args, 2);
    }
    return sw_jit_concatenate_all(e, x, lanes / each, each);
}

static void
hide_one(sw_jit_emit *e, LLVMValueRef ins)
{
    LLVMPositionBuilderBefore(B, ins);
    LLVMSetOperand(ins, 0, hide(e, LLVMGetOperand(ins, 0)));
}

/* ---- without ---- */

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

/* Masks of more lanes than a vector has bytes. Within a block LLVM cuts them to
 * vectors; from block to block it hands on each lane in a register of its own.
 * There they are vectors of bytes here, below zero where the mask is set. */
static bool
is_wide_mask(const sw_jit_emit *e, LLVMValueRef x)
{
    return mask_lanes(e, LLVMTypeOf(x)) > (e->k.has_avx2 ? 32 : 16);
}

static LLVMTypeRef
bytes_type(const sw_jit_emit *e, LLVMTypeRef mask)
{
    return LLVMVectorType(e->t.i8, LLVMGetVectorSize(mask));
}

static LLVMValueRef
mask_of_bytes(const sw_jit_emit *e, LLVMValueRef bytes)
{
    return LLVMBuildICmp(B, LLVMIntSLT, bytes, LLVMConstNull(LLVMTypeOf(bytes)),
                         "");
}

static void
replace_phi(const sw_jit_emit *e, LLVMValueRef phi)
{
    LLVMTypeRef type = bytes_type(e, LLVMTypeOf(phi));
    LLVMPositionBuilderBefore(B, phi);
    LLVMValueRef bytes = LLVMBuildPhi(B, type, "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
        LLVMPositionBuilderBefore(B, LLVMGetBasicBlockTerminator(from));
        LLVMValueRef x =
            LLVMBuildSExt(B, LLVMGetIncomingValue(phi, i), type, "");
        LLVMAddIncoming(bytes, &x, &from, 1);
    }
    LLVMPositionBuilderBefore(
        B, sw_jit_first_behind_phis(LLVMGetInstructionParent(phi)));
    replace(phi, mask_of_bytes(e, bytes));
}

/* A user of the value in another block; NULL: there is none. */
static LLVMValueRef
far_user(LLVMValueRef x)
{
    for (LLVMUseRef use = LLVMGetFirstUse(x); use; use = LLVMGetNextUse(use))
        if (LLVMGetInstructionParent(LLVMGetUser(use)) !=
            LLVMGetInstructionParent(x))
            return LLVMGetUser(use);
    return NULL;
}

/* Other blocks get the mask's bytes. */
static void
hand_on_bytes(const sw_jit_emit *e, LLVMValueRef mask)
{
    LLVMValueRef user = far_user(mask), bytes = NULL;
    if (!user)
        return;
    if (LLVMIsAICmpInst(mask) && LLVMGetICmpPredicate(mask) == LLVMIntSLT &&
        LLVMTypeOf(LLVMGetOperand(mask, 0)) ==
            bytes_type(e, LLVMTypeOf(mask)) &&
        LLVMIsNull(LLVMGetOperand(mask, 1)))
        bytes = LLVMGetOperand(mask, 0);
    if (!bytes) {
        LLVMPositionBuilderBefore(B, LLVMGetNextInstruction(mask));
        bytes = LLVMBuildSExt(B, mask, bytes_type(e, LLVMTypeOf(mask)), "");
    }
    for (; user; user = far_user(mask)) {
        LLVMPositionBuilderBefore(B, user);
        sw_jit_set_operands(user, mask, mask_of_bytes(e, bytes));
    }
}

/* Calls `change` for the instructions whose results are wide masks, phis or
 * not. */
static void
each_wide_mask(const sw_jit_emit *e, LLVMValueRef fn, bool is_phi,
               void (*change)(const sw_jit_emit *e, LLVMValueRef ins))
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef ins = LLVMGetFirstInstruction(block), next; ins;
             ins = next) {
            next = LLVMGetNextInstruction(ins);
            if (is_wide_mask(e, ins) && !!LLVMIsAPHINode(ins) == is_phi)
                change(e, ins);
        }
}

/* Masks that are made of integers, or move to and from memory. */
static void
expand(const sw_jit_emit *e, LLVMValueRef ins)
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
sw_jit_expand_masks(sw_jit_emit *e)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(e->ll.module); fn;
         fn = LLVMGetNextFunction(fn)) {
        if (!e->ll.has_avx512) {
            each_wide_mask(e, fn, true, replace_phi);
            each_wide_mask(e, fn, false, hand_on_bytes);
        }
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
             block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef ins = LLVMGetFirstInstruction(block), next; ins;
                 ins = next) {
                next = LLVMGetNextInstruction(ins);
                if (!e->ll.has_avx512)
                    expand(e, ins);
                else if (e->lanes > 64 && chooses_masks(e, ins))
                    choose_bits(e, ins);
                else if (combines_bits(e, ins))
                    hide_one(e, ins);
            }
    }
}
