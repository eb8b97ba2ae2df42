/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ftz.c - what LLVM knows while it compiles code for a processor that
 * flushes; see alu/alu.h. It works out what is made of known numbers as if
 * nothing was flushed ("denormal-fp-math" is for scalars, and for its passes),
 * so it is not to know them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "jit/alu/private.h"

#define HIDDEN "softwarp.hidden."

static void
add_flags(const sw_jit_llvm *ll, V fn)
{
    static const char *const names[] = {"nounwind", "willreturn", "memory",
                                        "speculatable"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind =
            LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAddAttributeAtIndex(fn,
                                (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(ll->context, kind, 0));
    }
}

V
sw_jit_alu_hide(const sw_jit_llvm *ll, V x)
{
    char name[48];
    LLVMTypeRef type = LLVMTypeOf(x), element = type;
    unsigned lanes = 0;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        lanes = LLVMGetVectorSize(type);
        element = LLVMGetElementType(type);
    }
    bool is_float = LLVMGetTypeKind(element) == LLVMFloatTypeKind;
    snprintf(name, sizeof name, HIDDEN "%s%u.%u", is_float ? "f" : "i",
             is_float ? 32 : LLVMGetIntTypeWidth(element), lanes);
    LLVMTypeRef fn_type = LLVMFunctionType(type, &type, 1, false);
    V fn = LLVMGetNamedFunction(ll->module, name);
    if (!fn) {
        fn = LLVMAddFunction(ll->module, name, fn_type);
        add_flags(ll, fn);
    }
    return LLVMBuildCall2(ll->builder, fn_type, fn, &x, 1, "");
}

static const char *
callee_of(V ins)
{
    size_t n;
    V fn = LLVMIsACallInst(ins) ? LLVMGetCalledValue(ins) : NULL;
    return fn && LLVMIsAFunction(fn) ? LLVMGetValueName2(fn, &n) : "";
}

static bool
is_of_floats(V ins)
{
    switch (LLVMGetInstructionOpcode(ins)) {
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMFCmp:
        return true;
    default:
        return strncmp(callee_of(ins), "llvm.fma.", 9) == 0;
    }
}

/* By which an operation changes nothing, if it does not flush. (A fused one
 * becomes a sum or a product then.) */
static bool
is_neutral(V ins, V x)
{
    LLVMBool loses;
    LLVMOpcode op = LLVMGetInstructionOpcode(ins);
    if (LLVMGetTypeKind(LLVMTypeOf(x)) == LLVMVectorTypeKind)
        x = LLVMGetAggregateElement(x, 0); /* of all, if it is one */
    if (!LLVMIsAConstantFP(x))
        return false;
    double number = fabs(LLVMConstRealGetDouble(x, &loses));
    return op == LLVMFAdd || op == LLVMFSub   ? number == 0
           : op == LLVMFMul || op == LLVMFDiv ? number == 1
                                              : false;
}

/* An operand that comes from memory instead, or -1. */
static int
find_hidden(V ins)
{
    unsigned count = LLVMIsACallInst(ins) ? LLVMGetNumArgOperands(ins)
                                          : (unsigned)LLVMGetNumOperands(ins);
    unsigned known = 0;
    for (unsigned i = 0; i < count; i++) {
        V x = LLVMGetOperand(ins, i);
        if (!LLVMIsConstant(x))
            continue;
        known++;
        if (is_neutral(ins, x))
            return (int)i;
    }
    return known == count ? 0 : -1;
}

static void
keep_unknown(const sw_jit_llvm *ll, V ins)
{
    int at = is_of_floats(ins) ? find_hidden(ins) : -1;
    if (at < 0)
        return;
    V x = LLVMGetOperand(ins, (unsigned)at);
    V place = LLVMAddGlobal(ll->module, LLVMTypeOf(x), "softwarp.known");
    LLVMSetInitializer(place, x);
    LLVMSetGlobalConstant(place, true);
    LLVMSetLinkage(place, LLVMPrivateLinkage);
    LLVMPositionBuilderBefore(ll->builder, ins);
    V load = LLVMBuildLoad2(ll->builder, LLVMTypeOf(x), place, "");
    LLVMSetVolatile(load, true);
    LLVMSetOperand(ins, (unsigned)at, load);
}

static void
for_each(const sw_jit_llvm *ll, void (*f)(const sw_jit_llvm *, V))
{
    for (V fn = LLVMGetFirstFunction(ll->module); fn;
         fn = LLVMGetNextFunction(fn))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(fn); block;
             block = LLVMGetNextBasicBlock(block))
            for (V ins = LLVMGetFirstInstruction(block), next; ins;
                 ins = next) {
                next = LLVMGetNextInstruction(ins);
                f(ll, ins);
            }
}

static void
show(const sw_jit_llvm *ll, V ins)
{
    (void)ll;
    if (strncmp(callee_of(ins), HIDDEN, strlen(HIDDEN)) != 0)
        return;
    LLVMReplaceAllUsesWith(ins, LLVMGetOperand(ins, 0));
    LLVMInstructionEraseFromParent(ins);
}

void
sw_jit_alu_finish(const sw_jit_llvm *ll)
{
    if (!ll->flushes)
        return;
    for_each(ll, show);
    for_each(ll, keep_unknown);
}
