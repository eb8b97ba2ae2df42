/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alu.h - inside the compiler: pure instructions as LLVM code.
 *
 * Every value is an integer as wide as its register: iN for a uniform one,
 * <32 x iN> for one that differs between lanes; predicates are i1 or
 * <32 x i1>. Floating-point instructions cast inside.
 *
 * NaNs. A device makes one NaN of each type (sem/float.h); the host's
 * arithmetic makes others. To test for it after each instruction would cost
 * more than the instruction, so a result may be *raw*: right but for which NaN
 * it is. A raw value may go to where no bit of a NaN is seen; elsewhere the
 * caller makes it exact first (sw_jit_alu_exact). Values of f64 are never raw:
 * which NaN they are depends on the operands.
 *
 * Assumes the host's default floating-point state, but for `flushes`. Emits
 * straight-line code without calls to other objects. Functions that hold it
 * should have the attribute "prefer-vector-width"="512" if has_avx512.
 *
 * Does NOT know guards, masks, memory or control flow.
 */
#ifndef SW_JIT_ALU_H
#define SW_JIT_ALU_H
#include <llvm-c/Core.h>

#include "ir/ir.h"

/* The attribute "denormal-fp-math" of functions for processors that flush: LLVM
 * is not to work out what they would. */
#define SW_JIT_DENORMALS "dynamic,dynamic"

/* What emits into one function. The caller owns the parts. */
/* How f64 arithmetic comes by the NaN that a device prefers: by a test of each
 * result, which is mostly none; not at all, somebody sees to it; or always,
 * without a test. */
typedef enum {
    SW_JIT_NANS_TESTED,
    SW_JIT_NANS_LEFT,
    SW_JIT_NANS_KEPT
} sw_jit_nans;

typedef struct {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef builder;
    bool has_fma, has_f16c, has_avx2;
    bool has_avx512; /* F, BW, DQ and VL */
    sw_jit_nans nans;
    bool flushes;      /* the processor takes subnormal operands for zeros, and
                          makes zeros of subnormal results (FTZ and DAZ) */
    bool may_be_known; /* ... but an operand of this instruction may be a number
                          that LLVM knows, so that it may work out what comes
                          of it, and flush nothing */
    unsigned normal; /* bits: sources of f32 that are known not to be subnormal,
                        which .ftz need not flush */
} sw_jit_llvm;

/* Fills has_*: cpu and features are what the target machine is created with
 * (LLVM's names; features "+a,-b", may be NULL). The code must not be run
 * where they are missing. */
void sw_jit_alu_detect(sw_jit_llvm *ll, const char *cpu, const char *features);

/* x in so many lanes. */
LLVMValueRef sw_jit_alu_splat(const sw_jit_llvm *ll, LLVMValueRef x,
                              unsigned lanes);

/* A conditional branch mostly goes its first way, or its second. */
void sw_jit_alu_likely(const sw_jit_llvm *ll, LLVMValueRef branch, bool likely);

/*
 * Emits a pure instruction. The builder may be left in another block.
 * src[0..nsrc) and dst[0..ndst): all scalars (lanes 1) or all vectors (lanes
 * 32) of the operands' register classes; what `negated` says of a predicate
 * source has been applied. dst[i] of a sink is computed or left NULL. Results
 * are raw where sw_jit_alu_is_raw says so. False, with nothing emitted: no
 * native form; the caller calls the interpreter's function instead.
 */
bool sw_jit_alu(const sw_jit_llvm *ll, const sw_fn *fn, const sw_ins *ins,
                unsigned lanes, const LLVMValueRef *src, LLVMValueRef *dst);
/* Would sw_jit_alu emit it? */
bool sw_jit_alu_supports(const sw_jit_llvm *ll, const sw_fn *fn,
                         const sw_ins *ins);
/* x, an integer, an f32 or a vector of them, but before sw_jit_alu_finish LLVM
 * does not know that it is that. */
LLVMValueRef sw_jit_alu_hide(const sw_jit_llvm *ll, LLVMValueRef x);
/* Once LLVM's passes are done with a module whose code flushes, before machine
 * code is made of it. */
void sw_jit_alu_finish(const sw_jit_llvm *ll);
/* Is its code right where the processor flushes? Code is then only made of
 * such instructions. */
bool sw_jit_alu_may_flush(const sw_jit_llvm *ll, const sw_ins *ins);
/* The results may be raw. Only if sw_jit_alu_supports. False for mov, selp and
 * slct, whose result is raw if a source is. */
bool sw_jit_alu_is_raw(const sw_fn *fn, const sw_ins *ins);
/* Source i may be raw: which NaN it is does not change the results, or (mov,
 * selp, slct) the results are then raw too. */
bool sw_jit_alu_takes_raw(const sw_fn *fn, const sw_ins *ins, unsigned i);
/* A raw value of a floating-point type made exact. */
LLVMValueRef sw_jit_alu_exact(const sw_jit_llvm *ll, sw_type type,
                              unsigned lanes, LLVMValueRef value);

#endif
