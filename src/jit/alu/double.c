/* SPDX-License-Identifier: Apache-2.0 */
/*
 * double.c - f64 arithmetic as sem/float.h has it; see alu/private.h.
 *
 * A NaN operand comes out with its sign and payload, quiet, and of none the
 * device makes one with a sign. The host does the same, but of several operands
 * prefers another one than the device does, and LLVM makes one without a sign
 * where it knows the operands. So all that is put in by hand (keep_nan). Few
 * programs have any: many lanes first ask whether the result is one somewhere.
 */
#include "jit/alu/private.h"

/* r, or x if that is a NaN: quiet, but for .nan of abs and neg. */
static V
keep_nan(const sw_alu *e, V x, V r)
{
    V quiet = v_bits64(e, x);
    if (e->ll->nans == SW_JIT_NANS_LEFT)
        return r;
    if (!(e->m & SW_FM_NAN) || e->ins->op == SW_OP_SUB)
        quiet = v_ork(e, quiet, UINT64_C(1) << 51);
    V is_nan = v_is_nan(e, x);
    return v_f64(e, v_sel(e, is_nan, quiet, v_bits64(e, r)));
}

/* Lanes [first, first + count). */
static V
part_of(const sw_alu *e, V x, unsigned first, unsigned count)
{
    V from[ALU_MAX_LANES];
    LLVMTypeRef type = LLVMInt32TypeInContext(e->ll->context);
    for (unsigned i = 0; i < count; i++)
        from[i] = LLVMConstInt(type, first + i, 0);
    return LLVMBuildShuffleVector(e->b, x, LLVMGetPoison(LLVMTypeOf(x)),
                                  LLVMConstVector(from, count), "");
}

/* i1: r has a NaN. A comparison of two numbers sees it in either. */
static V
has_nan(const sw_alu *e, V r)
{
    unsigned half = e->lanes / 2;
    V nan = LLVMBuildFCmp(e->b, LLVMRealUNO, part_of(e, r, 0, half),
                          part_of(e, r, half, half), "");
    LLVMTypeRef bits = LLVMIntTypeInContext(e->ll->context, half);
    nan = LLVMBuildBitCast(e->b, nan, bits, "");
    return LLVMBuildICmp(e->b, LLVMIntNE, nan, LLVMConstNull(bits), "");
}

/* What r is if it may be a NaN; of the operands by rising rank, or of none. */
static V
device_nan(const sw_alu *e, V r, const V *x, unsigned count)
{
    V u = v_bits64(e, r);
    V made = v_k(e, u, UINT64_C(0xfff8) << 48);
    r = v_f64(e, v_sel(e, v_is_nan(e, r), made, u));
    for (unsigned i = 0; i < count; i++)
        r = keep_nan(e, x[i], r);
    return r;
}

/* The same; r is a NaN where one of the operands is. */
static V
keep_nans(const sw_alu *e, V r, const V *x, unsigned count)
{
    if (e->ll->nans == SW_JIT_NANS_LEFT)
        return r;
    if (!e->b || e->lanes == 1 || e->ll->nans == SW_JIT_NANS_KEPT)
        return device_nan(e, r, x, count);
    LLVMBasicBlockRef from[2] = {LLVMGetInsertBlock(e->b)};
    V function = LLVMGetBasicBlockParent(from[0]);
    LLVMBasicBlockRef fix =
        LLVMAppendBasicBlockInContext(e->ll->context, function, "nan");
    LLVMBasicBlockRef on =
        LLVMAppendBasicBlockInContext(e->ll->context, function, "on");
    sw_jit_alu_likely(e->ll, LLVMBuildCondBr(e->b, has_nan(e, r), fix, on),
                      false);
    LLVMPositionBuilderAtEnd(e->b, fix);
    V values[2] = {r, device_nan(e, r, x, count)};
    from[1] = fix;
    LLVMBuildBr(e->b, on);
    LLVMPositionBuilderAtEnd(e->b, on);
    V phi = LLVMBuildPhi(e->b, LLVMTypeOf(r), "");
    LLVMAddIncoming(phi, values, from, 2);
    return phi;
}

static V
pick(const sw_alu *e, V a, V b, bool max)
{
    V r = v_sel(e, v_fcmp(e, max ? LLVMRealOGT : LLVMRealOLT, a, b), a, b);
    V both = v_bin(e, max ? LLVMAnd : LLVMOr, v_bits64(e, a), v_bits64(e, b));
    r = v_sel(e, v_fcmp(e, LLVMRealOEQ, a, b), v_f64(e, both), r);
    V quiet = v_f64(e, v_ork(e, v_bits64(e, b), UINT64_C(1) << 51));
    V other = v_sel(e, v_is_nan(e, a), quiet, a);
    return v_sel(e, v_is_nan(e, b), other, r);
}

/* In a direction only where an instruction does it. */
static bool
operate(const sw_alu *e, int what, const V *x, V *d)
{
    static const LLVMOpcode plain[] = {[ALU_ADD] = LLVMFAdd,
                                       [ALU_SUB] = LLVMFSub,
                                       [ALU_MUL] = LLVMFMul,
                                       [ALU_DIV] = LLVMFDiv};
    if (sem_is_directed(e->m)) {
        *d = e->ll->has_avx512 ? alu_rounded(e, what, true, e->m & SW_FM_RND, x)
                               : NULL;
        return e->ll->has_avx512;
    }
    if (what == ALU_SQRT)
        *d = v_call1(e, "llvm.sqrt", x[0]);
    else if (what == ALU_FMA)
        *d = v_call3(e, "llvm.fma", x[0], x[1], x[2]);
    else
        *d = v_bin(e, plain[what], x[0], x[1]);
    return what != ALU_FMA || e->ll->has_fma;
}

static V
clear_sign(const sw_alu *e, V a)
{
    return v_f64(e, v_andk(e, v_bits64(e, a), UINT64_MAX >> 1));
}

static bool
arithmetic(const sw_alu *e, const V *x, V *d)
{
    switch (e->ins->op) {
    case SW_OP_ADD:
    case SW_OP_SUB:
    case SW_OP_MUL: {
        int what = e->ins->op == SW_OP_ADD   ? ALU_ADD
                   : e->ins->op == SW_OP_SUB ? ALU_SUB
                                             : ALU_MUL;
        if (!operate(e, what, x, d))
            return false;
        bool first = e->ins->op == SW_OP_SUB && e->m & SW_FM_NAN;
        *d = keep_nans(e, *d, (V[]){x[first ? 1 : 0], x[first ? 0 : 1]}, 2);
        return true;
    }
    case SW_OP_DIV:
        if (!operate(e, ALU_DIV, x, d))
            return false;
        *d = keep_nans(e, *d, (V[]){x[1], x[0]}, 2);
        return true;
    case SW_OP_RCP:
        return operate(e, ALU_DIV, (V[]){v_fk(e, x[0], 1), x[0]}, d);
    case SW_OP_SQRT:
        return operate(e, ALU_SQRT, x, d);
    case SW_OP_MAD:
    case SW_OP_FMA:
        if (!operate(e, ALU_FMA, x, d))
            return false;
        *d = keep_nans(e, *d, (V[]){x[0], x[2], x[1]}, 3);
        return true;
    case SW_OP_MIN:
    case SW_OP_MAX:
        *d = pick(e, x[0], x[1], e->ins->op == SW_OP_MAX);
        return true;
    case SW_OP_ABS:
        *d = keep_nan(e, x[0], clear_sign(e, x[0]));
        return true;
    case SW_OP_NEG:
        *d = v_f64(e, v_xork(e, v_bits64(e, x[0]), UINT64_C(1) << 63));
        *d = keep_nan(e, x[0], *d);
        return true;
    case SW_OP_COPYSIGN: {
        V sign = v_andk(e, v_bits64(e, x[0]), UINT64_C(1) << 63);
        *d = v_or(e, sign, v_bits64(e, clear_sign(e, x[1])));
        return true;
    }
    default:
        return false;
    }
}

bool
alu_f64(const sw_alu *e, const V *s, V *d)
{
    if (alu_approx_f64(e, s, d))
        return true;
    V x[3];
    for (unsigned i = 0; i < e->ins->nsrc; i++)
        x[i] = v_f64(e, s[i]);
    if (!arithmetic(e, x, d))
        return false;
    *d = v_bits64(e, *d);
    return true;
}
