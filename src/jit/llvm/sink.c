/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sink.c - after the passes: what is worked out for all lanes and used
 * only where accesses hardly ever go. An address of 64 bits is mostly a pointer
 * plus an index, which is what an access takes; the sum is for the interpreter,
 * which is asked if a test fails, maybe for each field of a structure. LLVM
 * moves what one block uses to where it is used, but makes no copies.
 */
#include "exec/engine.h"
#include "jit/emit/build.h"
#include "jit/llvm/passes.h"
#include "jit/tune.h"

#define B e->ll.builder

enum { ROOM = 64 }; /* blocks that use a value, at most */

static bool
is_moved(LLVMValueRef ins)
{
    if (LLVMGetTypeKind(LLVMTypeOf(ins)) != LLVMVectorTypeKind ||
        LLVMGetVectorSize(LLVMTypeOf(ins)) < SW_WARP_LANES)
        return false;
    switch (LLVMGetInstructionOpcode(ins)) {
    case LLVMSExt:
    case LLVMZExt:
    case LLVMShl:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
        return true;
    default:
        return false;
    }
}

/* The only block that goes to this one, or NULL. */
static LLVMBasicBlockRef
only_way_to(LLVMBasicBlockRef block)
{
    LLVMBasicBlockRef only = NULL;
    for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (!LLVMIsATerminatorInst(user) ||
            (only && only != LLVMGetInstructionParent(user)))
            return NULL;
        only = LLVMGetInstructionParent(user);
    }
    return only;
}

/* The branch hardly ever goes to this block. */
static bool
is_unlikely(const sw_jit_emit *e, LLVMValueRef branch, LLVMBasicBlockRef block)
{
    unsigned kind = LLVMGetMDKindIDInContext(e->ll.context, "prof", 4);
    LLVMValueRef node = LLVMGetMetadata(branch, kind), weight[3];
    if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) || !node ||
        LLVMGetMDNodeNumOperands(node) != 3 ||
        LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
        return false;
    LLVMGetMDNodeOperands(node, weight);
    unsigned to = LLVMGetSuccessor(branch, 0) == block ? 0 : 1;
    return LLVMIsAConstantInt(weight[1]) && LLVMIsAConstantInt(weight[2]) &&
           LLVMConstIntGetZExtValue(weight[1 + to]) <
               LLVMConstIntGetZExtValue(weight[2 - to]);
}

/* Whether copies in block `to` are executed less often than `ins`: hardly ever,
 * or only on one of the ways from it, with no loop between. */
static bool
is_rarer(const sw_jit_emit *e, LLVMValueRef ins, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef home = LLVMGetInstructionParent(ins), from = to;
    for (uint32_t i = 0; i < sw_jit_tune.sink_way; i++) {
        LLVMBasicBlockRef before = only_way_to(from);
        if (!before)
            return false;
        if (before == home ||
            is_unlikely(e, LLVMGetBasicBlockTerminator(before), from))
            return true;
        from = before;
    }
    return false;
}

/* The blocks that use it; 0: not all of them are rarer, or they are many. */
static unsigned
find_blocks(const sw_jit_emit *e, LLVMValueRef ins,
            LLVMBasicBlockRef blocks[ROOM])
{
    unsigned count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(ins); use;
         use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMBasicBlockRef at = LLVMGetInstructionParent(user);
        unsigned i = 0;
        while (i < count && blocks[i] != at)
            i++;
        if (i < count)
            continue;
        if (LLVMIsAPHINode(user) || count == sw_jit_tune.sink_blocks ||
            at == LLVMGetInstructionParent(ins) || !is_rarer(e, ins, at))
            return 0;
        blocks[count++] = at;
    }
    return count;
}

static void
copy_to(const sw_jit_emit *e, LLVMValueRef ins, LLVMBasicBlockRef block)
{
    LLVMValueRef copy = LLVMInstructionClone(ins);
    LLVMPositionBuilderBefore(B, sw_jit_first_behind_phis(block));
    LLVMInsertIntoBuilder(B, copy);
    for (LLVMUseRef use = LLVMGetFirstUse(ins), next; use; use = next) {
        LLVMValueRef user = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (LLVMGetInstructionParent(user) != block)
            continue;
        sw_jit_set_operands(user, ins, copy);
        next = LLVMGetFirstUse(ins); /* the list is another now */
    }
}

static void
sink(const sw_jit_emit *e, LLVMValueRef ins)
{
    LLVMBasicBlockRef blocks[ROOM];
    unsigned count = is_moved(ins) ? find_blocks(e, ins, blocks) : 0;
    for (unsigned i = 0; i < count; i++)
        copy_to(e, ins, blocks[i]);
    if (count)
        LLVMInstructionEraseFromParent(ins);
}

void
sw_jit_sink_rare(const sw_jit_emit *e)
{
    for (LLVMValueRef fn = LLVMGetFirstFunction(e->ll.module); fn;
         fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(fn); block;
             block = LLVMGetPreviousBasicBlock(block))
            for (LLVMValueRef ins = LLVMGetLastInstruction(block), before; ins;
                 ins = before) {
                before = LLVMGetPreviousInstruction(ins);
                sink(e, ins);
            }
}
