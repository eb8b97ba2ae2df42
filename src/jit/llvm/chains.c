/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chains.c - long rows of loads, after the passes and before there is
 * machine code of them. For each load LLVM's combiner looks at all others
 * behind the same store or call, and does so several times: of an unrolled
 * product of matrices, where there are thousands, that took most of the time.
 * A fence for the compiler alone, of which no instruction is made, ends a row.
 */
#include "jit/llvm/passes.h"
#include "jit/tune.h"

#define B e->ll.builder

/* Vector registers that it loads, if it is a load. */
static unsigned
loaded(const sw_jit_emit *e, LLVMValueRef ins)
{
    unsigned register_bits = e->k.has_avx2 ? 256 : 128;
    if (!LLVMIsALoadInst(ins))
        return 0;
    LLVMTypeRef type = LLVMTypeOf(ins);
    unsigned count = 1;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        count = LLVMGetVectorSize(type);
        type = LLVMGetElementType(type);
    }
    unsigned bits = LLVMGetTypeKind(type) == LLVMIntegerTypeKind
                        ? LLVMGetIntTypeWidth(type)
                        : 64;
    return (count * bits + register_bits - 1) / register_bits;
}

static void
cut_block(const sw_jit_emit *e, LLVMBasicBlockRef block)
{
    unsigned row = 0;
    for (LLVMValueRef ins = LLVMGetFirstInstruction(block); ins;
         ins = LLVMGetNextInstruction(ins)) {
        unsigned n = loaded(e, ins);
        if (LLVMIsAStoreInst(ins) || LLVMIsAFenceInst(ins))
            row = 0;
        if (n && row + n > sw_jit_tune.load_chain && row) {
            LLVMPositionBuilderBefore(B, ins);
            LLVMBuildFence(B, LLVMAtomicOrderingAcquire, 1, "");
            row = 0;
        }
        row += n;
    }
}

void
sw_jit_cut_chains(const sw_jit_emit *e)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(e->ll.module); fn;
         fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
             block = LLVMGetNextBasicBlock(block))
            cut_block(e, block);
}
