/* SPDX-License-Identifier: Apache-2.0 */
/* half.c - f16 and bf16, alone and in pairs, as sem/half.h has them; see
 * alu/private.h. Pairs are twice the lanes. */
#include "sem/half.h"
#include "jit/alu/private.h"

static bool
is_bf16(const sw_alu *e)
{
    return e->ins->type == SW_T_BF16 || e->ins->type == SW_T_BF16X2;
}

/* ---- widening and narrowing ---- */

V
alu_f32_of_f16(const sw_alu *e, V h)
{
    if (e->ll->has_f16c) {
        V x = v_cast(e, LLVMFPExt, v_cast(e, LLVMBitCast, h, v_f16_type(e)),
                     v_f32_type(e));
        /* Or LLVM compares halves instead, one by one. */
        return v_call1(e, "llvm.arithmetic.fence", x);
    }
    V u = v_zext(e, h, 32);
    V sign = v_shlk(e, v_andk(e, u, 0x8000), 16);
    V x = v_shlk(e, v_andk(e, u, 0x7fff), 13);
    V finite = v_bits32(e, v_fmulk(e, v_f32(e, x), 0x1p112));
    V special = v_icmpk(e, LLVMIntUGE, x, 0x0f800000);
    V nan = v_icmpk(e, LLVMIntUGT, x, 0x0f800000);
    V high = v_ork(e, x, 0x7f800000); /* of a NaN: with its payload */
    high = v_sel(e, nan, v_ork(e, high, 0x400000), high);
    return v_f32(e, v_or(e, sign, v_sel(e, special, high, finite)));
}

V
alu_f32_of_bf16(const sw_alu *e, V h)
{
    return v_f32(e, v_shlk(e, v_zext(e, h, 32), 16));
}

V
alu_f16_of_f32(const sw_alu *e, V x)
{
    if (e->ll->has_f16c)
        return v_cast(e, LLVMBitCast, v_cast(e, LLVMFPTrunc, x, v_f16_type(e)),
                      v_int_type(e, 16));
    V u = v_bits32(e, x), a = v_andk(e, u, 0x7fffffff);
    V odd = v_andk(e, v_lshrk(e, a, 13), 1);
    V normal = v_lshrk(e, v_addk(e, v_add(e, a, odd), 0xfff - 0x38000000u), 13);
    V small = v_icmpk(e, LLVMIntULT, a, 0x38800000);
    V fraction = v_f32(e, v_sel(e, small, a, v_k(e, a, 0)));
    V tiny = v_addk(e, v_bits32(e, v_fadd(e, fraction, v_fk(e, x, 0.5))),
                    0 - UINT64_C(0x3f000000));
    V finite = v_icmpk(e, LLVMIntULT, a, 0x47800000);
    V r = v_sel(e, small, tiny, v_sel(e, finite, normal, v_k(e, a, 0x7c00)));
    r = v_or(e, r, v_andk(e, v_lshrk(e, u, 16), 0x8000));
    r = v_sel(e, v_icmpk(e, LLVMIntUGT, a, 0x7f800000), v_k(e, r, 0x7fff), r);
    return v_trunc(e, r, 16);
}

/* NaNs come out exact: the sum would carry out of a large one. */
V
alu_bf16_of_f32(const sw_alu *e, V x)
{
    V u = v_bits32(e, x);
    V odd = v_andk(e, v_lshrk(e, u, 16), 1);
    V r = v_lshrk(e, v_add(e, v_addk(e, u, 0x7fff), odd), 16);
    r = v_sel(e, v_is_nan(e, x), v_k(e, r, 0x7fff), r);
    return v_trunc(e, r, 16);
}

/* ---- modifiers ---- */

V
alu_flush_f16(const sw_alu *e, V h)
{
    V tiny = v_icmpk(e, LLVMIntEQ, v_andk(e, h, 0x7c00), 0);
    return v_sel(e, tiny, v_andk(e, h, 0x8000), h);
}

V
alu_in_f16(const sw_alu *e, V h, sw_fmode m)
{
    return alu_f32_of_f16(e, m & SW_FM_FTZ ? alu_flush_f16(e, h) : h);
}

/* .relu before rounding: the sign of a NaN is not known afterwards. */
static V
clamp(const sw_alu *e, V x, sw_fmode m)
{
    if (m & SW_FM_SAT)
        x = alu_sat(e, x);
    if (m & SW_FM_RELU)
        x = v_sel(e, v_fcmpk(e, LLVMRealOLE, x, 0), v_fk(e, x, 0), x);
    return x;
}

V
alu_out_f16(const sw_alu *e, V x, sw_fmode m)
{
    V r = alu_f16_of_f32(e, clamp(e, x, m));
    return m & SW_FM_FTZ ? alu_flush_f16(e, r) : r;
}

V
alu_out_bf16(const sw_alu *e, V x, sw_fmode m)
{
    return alu_bf16_of_f32(e, clamp(e, x, m));
}

static V
in(const sw_alu *e, V h)
{
    return is_bf16(e) ? alu_f32_of_bf16(e, h) : alu_in_f16(e, h, e->m);
}

static V
out(const sw_alu *e, V x)
{
    return is_bf16(e) ? alu_out_bf16(e, x, e->m) : alu_out_f16(e, x, e->m);
}

/* As sem_flush_tiny_f16. */
static V
flush_tiny(const sw_alu *e, V x)
{
    if (is_bf16(e) || !(e->m & SW_FM_FTZ))
        return x;
    V tiny = v_fcmpk(e, LLVMRealOLT, v_fabs(e, x), 0x1.ffep-15);
    V u = v_bits32(e, x);
    return v_f32(e, v_sel(e, tiny, v_andk(e, u, 0x80000000u), u));
}

/* ---- arithmetic ---- */

/* a * b + c rounded to odd: the roundings to both sides tell whether it was
 * exact. Where it overflows or is subnormal f32 still has more digits. */
static V
fma_odd(const sw_alu *e, const V *x)
{
    if (!e->ll->has_avx512) {
        if (!is_bf16(e)) /* f32 has all of the product */
            return alu_sum_odd(e, false, v_fmul(e, x[0], x[1]), x[2]);
        V p = v_fmul(e, v_wide(e, x[0]), v_wide(e, x[1]));
        return alu_round_odd_f32(e, alu_sum_odd(e, true, p, v_wide(e, x[2])));
    }
    V below = alu_rounded(e, ALU_FMA, false, SW_RND_RM, x);
    V above = alu_rounded(e, ALU_FMA, false, SW_RND_RP, x);
    V zero = v_bits32(e, alu_rounded(e, ALU_FMA, false, SW_RND_RZ, x));
    V inexact = v_fcmp(e, LLVMRealONE, below, above);
    return v_f32(e, v_sel(e, inexact, v_ork(e, zero, 1), zero));
}

/* Integers in the order of the numbers; its own inverse. */
static V
order(const sw_alu *e, V h)
{
    return v_xor(e, h, v_lshrk(e, v_ashrk(e, h, 15), 1));
}

static V
is_nan(const sw_alu *e, V h)
{
    return v_icmpk(e, LLVMIntUGT, v_andk(e, h, 0x7fff),
                   is_bf16(e) ? 0x7f80 : 0x7c00);
}

/* min and max as integers; see sem_pick_f16. */
static V
pick(const sw_alu *e, V a, V b, bool max)
{
    V sign = v_andk(e, v_xor(e, a, b), 0x8000);
    if (e->m & SW_FM_XORSIGN) {
        a = v_andk(e, a, 0x7fff);
        b = v_andk(e, b, 0x7fff);
    }
    if ((e->m & SW_FM_FTZ) && !is_bf16(e)) {
        a = alu_flush_f16(e, a);
        b = alu_flush_f16(e, b);
    }
    V a_nan = is_nan(e, a), b_nan = is_nan(e, b);
    V r = order(e, v_call2(e, max ? "llvm.smax" : "llvm.smin", order(e, a),
                           order(e, b)));
    r = v_sel(e, a_nan, b, v_sel(e, b_nan, a, r));
    if (e->m & SW_FM_XORSIGN)
        r = v_or(e, r, sign);
    V nan = e->m & SW_FM_NAN ? v_or(e, a_nan, b_nan) : v_and(e, a_nan, b_nan);
    return v_sel(e, nan, v_k(e, r, 0x7fff), r);
}

/* abs and neg: a NaN becomes canonical. */
static V
change_sign(const sw_alu *e, V a, bool neg)
{
    if ((e->m & SW_FM_FTZ) && !is_bf16(e))
        a = alu_flush_f16(e, a);
    V r = neg ? v_xork(e, a, 0x8000) : v_andk(e, a, 0x7fff);
    return v_sel(e, is_nan(e, a), v_k(e, a, 0x7fff), r);
}

/* As sem_is_oob, for one factor. */
static V
is_oob(const sw_alu *e, V h)
{
    return v_icmpk(e, LLVMIntEQ, v_andk(e, h, 0x7fff), SEM_OOB_NAN);
}

static bool
arithmetic(const sw_alu *e, const V *s, V *d)
{
    V x[3];
    for (unsigned i = 0; i < e->ins->nsrc; i++)
        x[i] = in(e, s[i]);
    switch (e->ins->op) {
    case SW_OP_ADD:
        *d = out(e, v_fadd(e, x[0], x[1]));
        return true;
    case SW_OP_SUB:
        *d = out(e, v_fsub(e, x[0], x[1]));
        return true;
    case SW_OP_MUL:
        *d = out(e, flush_tiny(e, v_fmul(e, x[0], x[1])));
        return true;
    case SW_OP_FMA:
        *d = out(e, flush_tiny(e, fma_odd(e, x)));
        if (e->m & SW_FM_OOB)
            *d = v_sel(e, v_or(e, is_oob(e, s[0]), is_oob(e, s[1])),
                       v_k(e, *d, 0), *d);
        return true;
    case SW_OP_MIN:
    case SW_OP_MAX:
        *d = pick(e, s[0], s[1], e->ins->op == SW_OP_MAX);
        return true;
    case SW_OP_ABS:
    case SW_OP_NEG:
        *d = change_sign(e, s[0], e->ins->op == SW_OP_NEG);
        return true;
    default:
        return alu_approx_half(e, s, d);
    }
}

bool
alu_half(const sw_alu *e, const V *s, V *d)
{
    if (sw_type_kind(e->ins->type) != SW_KIND_PACKED)
        return arithmetic(e, s, d);
    sw_alu half = alu_halves(e);
    V part[3];
    for (unsigned i = 0; i < e->ins->nsrc; i++)
        part[i] = alu_split(&half, s[i], 16);
    if (!arithmetic(&half, part, d))
        return false;
    *d = alu_merge(e, *d, 32);
    return true;
}
