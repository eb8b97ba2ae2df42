/* SPDX-License-Identifier: Apache-2.0 */
/*
 * outline.c - what is large and needs nothing but its operands is a
 * function of the module, made once, however often a kernel has it.
 */
#include <string.h>

#include "jit/emit/build.h"

#define B e->ll.builder

enum { FASTCC = 8, MOST_ARGS = 8 };

static void
add_flag(const sw_jit_emit *e, LLVMValueRef fn, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(e->ll.context, kind, 0));
}

/* What `body` changes of where we are is as before when it is done. */
static void
fill(sw_jit_emit *e, LLVMValueRef fn, sw_jit_outline_body *body,
     const void *data)
{
    sw_jit_function f = e->f;
    sw_jit_mask mask = e->mask;
    sw_jit_instruction at = e->at;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(B);
    LLVMMetadataRef line = LLVMGetCurrentDebugLocation2(B);
    LLVMValueRef args[MOST_ARGS];
    LLVMGetParams(fn, args);
    LLVMSetCurrentDebugLocation2(B, NULL);
    e->f.function = fn;
    e->at.is_outlined = true;
    e->f.top = e->f.entry = sw_jit_block(e, "entry");
    LLVMPositionBuilderAtEnd(B, e->f.entry);
    LLVMBuildRet(B, body(e, args, data));
    e->f.function = f.function;
    e->f.top = f.top;
    e->f.entry = f.entry;
    e->f.ctx_slot = f.ctx_slot;
    sw_jit_mask_restore(e, &mask);
    e->at = at;
    LLVMPositionBuilderAtEnd(B, block);
    LLVMSetCurrentDebugLocation2(B, line);
}

LLVMValueRef
sw_jit_outlined(sw_jit_emit *e, const char *name, LLVMTypeRef result,
                LLVMValueRef *args, unsigned count, bool is_pure,
                sw_jit_outline_body *body, const void *data)
{
    LLVMTypeRef types[MOST_ARGS];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMTypeRef type = LLVMFunctionType(result, types, count, 0);
    LLVMValueRef fn = LLVMGetNamedFunction(e->ll.module, name);
    if (!fn) {
        fn = LLVMAddFunction(e->ll.module, name, type);
        LLVMSetLinkage(fn, LLVMInternalLinkage);
        LLVMSetFunctionCallConv(fn, FASTCC);
        add_flag(e, fn, "noinline");
        add_flag(e, fn, "willreturn");
        if (is_pure)
            add_flag(e, fn, "memory"); /* 0: it has nothing to do with any */
        fill(e, fn, body, data);
    }
    LLVMValueRef call = LLVMBuildCall2(B, type, fn, args, count, "");
    LLVMSetInstructionCallConv(call, FASTCC);
    return call;
}
