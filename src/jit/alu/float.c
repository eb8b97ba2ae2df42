/* SPDX-License-Identifier: Apache-2.0 */
/* float.c - f32 arithmetic as sem/float.h has it; see alu/private.h. */
#include "jit/alu/private.h"

/* ---- modifiers ---- */

static V
sign_of(const sw_alu *e, V x)
{
    return v_andk(e, v_bits32(e, x), 0x80000000u);
}

static bool
never_subnormal(const sw_alu *e, V x)
{
    for (unsigned i = 0; x && i < sizeof e->normal / sizeof *e->normal; i++)
        if (e->normal[i] == x)
            return true;
    return false;
}

V
alu_flush_f32(const sw_alu *e, V x)
{
    if (never_subnormal(e, x))
        return x;
    V u = v_bits32(e, x);
    V tiny = v_icmpk(e, LLVMIntEQ, v_andk(e, u, 0x7f800000), 0);
    return v_f32(e, v_sel(e, tiny, sign_of(e, x), u));
}

V
alu_in_f32(const sw_alu *e, V x)
{
    return e->m & SW_FM_FTZ ? alu_flush_f32(e, x) : x;
}

/* x, which the processor flushes: LLVM would not. */
static V
hidden(const sw_alu *e, V x)
{
    return e->b && e->ll->may_be_known ? sw_jit_alu_hide(e->ll, x) : x;
}

V
alu_operand_f32(const sw_alu *e, V x)
{
    return e->ll->flushes ? hidden(e, x) : alu_in_f32(e, x);
}

/* The same of operations. True: their results are to be flushed as well. */
static bool
flush_operands(const sw_alu *e, V *x, unsigned count, sw_fmode m)
{
    if (!(m & SW_FM_FTZ))
        return false;
    for (unsigned i = 0; i < count; i++)
        x[i] = e->ll->flushes ? hidden(e, x[i]) : alu_flush_f32(e, x[i]);
    return !e->ll->flushes;
}

/* NaN becomes 0. */
V
alu_sat(const sw_alu *e, V x)
{
    V r = v_sel(e, v_fcmpk(e, LLVMRealOGT, x, 0), x, v_fk(e, x, 0));
    return v_sel(e, v_fcmpk(e, LLVMRealOLT, r, 1), r, v_fk(e, r, 1));
}

V
alu_canon_f32(const sw_alu *e, V x)
{
    V nan = v_int(e, 32, 0x7fffffff);
    return v_f32(e, v_sel(e, v_is_nan(e, x), nan, v_bits32(e, x)));
}

/* r, but zero of its sign where the exact result was below FLT_MIN: size, in
 * f32 or f64, is below it if and only if that was. */
static V
flush_tiny(const sw_alu *e, V r, V size)
{
    V tiny = v_fcmpk(e, LLVMRealOLT, v_fabs(e, size), 0x1p-126);
    return v_f32(e, v_sel(e, tiny, sign_of(e, r), v_bits32(e, r)));
}

/* ---- directions ---- */

V
alu_rounded(const sw_alu *e, int what, bool f64, unsigned rnd, const V *x)
{
    static const char *const names[][2] = {
        [ALU_ADD] = {"llvm.x86.avx512.add.ps.512",
                     "llvm.x86.avx512.add.pd.512"},
        [ALU_SUB] = {"llvm.x86.avx512.sub.ps.512",
                     "llvm.x86.avx512.sub.pd.512"},
        [ALU_MUL] = {"llvm.x86.avx512.mul.ps.512",
                     "llvm.x86.avx512.mul.pd.512"},
        [ALU_DIV] = {"llvm.x86.avx512.div.ps.512",
                     "llvm.x86.avx512.div.pd.512"},
        [ALU_FMA] = {"llvm.x86.avx512.vfmadd.ps.512",
                     "llvm.x86.avx512.vfmadd.pd.512"},
        [ALU_SQRT] = {"llvm.x86.avx512.sqrt.ps.512",
                      "llvm.x86.avx512.sqrt.pd.512"},
    };
    int mode = rnd == SW_RND_RM ? 9 : rnd == SW_RND_RP ? 10 : 11;
    unsigned count = what == ALU_FMA ? 3 : what == ALU_SQRT ? 1 : 2;
    return v_x86(e, names[what][f64], f64 ? 8 : 16, x, count, mode);
}

V
alu_sum_odd(const sw_alu *e, bool f64, V x, V y)
{
    V s = v_fadd(e, x, y);
    V t = v_fsub(e, s, x);
    V err = v_fadd(e, v_fsub(e, x, v_fsub(e, s, t)), v_fsub(e, y, t));
    V u = f64 ? v_bits64(e, s) : v_bits32(e, s);
    V signs = v_xor(e, f64 ? v_bits64(e, err) : v_bits32(e, err), u);
    V inexact = v_fcmpk(e, LLVMRealOGT, v_fabs(e, err), 0);
    V odd = v_ork(e, v_sub(e, u, v_lshrk(e, signs, f64 ? 63 : 31)), 1);
    V r = v_sel(e, inexact, odd, u);
    return f64 ? v_f64(e, r) : v_f32(e, r);
}

/* As sem_round_f32: exact or odd f64 to f32. */
V
alu_round_f32(const sw_alu *e, V x, unsigned rnd)
{
    V r = v_narrow(e, x), u = v_bits32(e, r), back = v_wide(e, r);
    V less = v_addk(e, u, UINT64_MAX), more = v_addk(e, u, 1);
    if (rnd == SW_RND_RZ) {
        V over = v_fcmp(e, LLVMRealOGT, v_fabs(e, back), v_fabs(e, x));
        return v_f32(e, v_sel(e, over, less, u));
    }
    V neg = v_icmpk(e, LLVMIntSLT, u, 0), off, next;
    if (rnd == SW_RND_RM) {
        off = v_fcmp(e, LLVMRealOGT, back, x);
        next =
            v_sel(e, v_icmpk(e, LLVMIntEQ, u, 0), v_k(e, u, 0x80000001u), less);
        next = v_sel(e, neg, more, next);
    } else {
        off = v_fcmp(e, LLVMRealOLT, back, x);
        next =
            v_sel(e, v_icmpk(e, LLVMIntEQ, u, 0x80000000u), v_k(e, u, 1), less);
        next = v_sel(e, neg, next, more);
    }
    return v_f32(e, v_sel(e, off, next, u));
}

/* As sem_round_odd_f32. */
V
alu_round_odd_f32(const sw_alu *e, V x)
{
    V z = v_bits32(e, alu_round_f32(e, x, SW_RND_RZ));
    V inexact = v_fcmp(e, LLVMRealONE, v_wide(e, v_f32(e, z)), x);
    return v_f32(e, v_sel(e, inexact, v_ork(e, z, 1), z));
}

/* ---- arithmetic ---- */

static unsigned
direction(sw_fmode m)
{
    return sem_is_directed(m) ? m & SW_FM_RND : SW_RND_NONE;
}

static V
saturate(const sw_alu *e, V r, sw_fmode m)
{
    return m & SW_FM_SAT ? alu_sat(e, r) : r;
}

/* sums of f32 are exact where they are subnormal. */
static V
add_f32(const sw_alu *e, V a, V b)
{
    unsigned rnd = direction(e->m);
    V x[2] = {a, b}, r;
    bool by_hand = flush_operands(e, x, 2, e->m);
    if (!rnd) {
        r = v_fadd(e, x[0], x[1]);
    } else if (e->ll->has_avx512) {
        r = alu_rounded(e, ALU_ADD, false, rnd, x);
    } else {
        V sum = alu_sum_odd(e, true, v_wide(e, x[0]), v_wide(e, x[1]));
        r = alu_round_f32(e, sum, rnd);
        if (rnd == SW_RND_RM) {
            V either = v_or(e, v_bits32(e, x[0]), v_bits32(e, x[1]));
            V minus = v_and(e, v_fcmpk(e, LLVMRealOEQ, sum, 0),
                            v_icmpk(e, LLVMIntSLT, either, 0));
            r = v_sel(e, minus, v_fk(e, r, -0.0), r);
        }
    }
    if (by_hand)
        r = alu_flush_f32(e, r);
    return saturate(e, r, e->m);
}

/* r, but zero of its sign where what was made of operands 2^64 times as large,
 * and so rounded to all digits, is below 2^64 * FLT_MIN. */
static V
flush_scaled(const sw_alu *e, V r, V scaled)
{
    V tiny = v_fcmpk(e, LLVMRealOLT, v_fabs(e, scaled), 0x1p-62);
    return v_f32(e, v_sel(e, tiny, sign_of(e, r), v_bits32(e, r)));
}

/* r = a * b, operands flushed, flushed as sem_flush_product_f32 does. */
static V
flush_product(const sw_alu *e, V r, const V *x, unsigned rnd)
{
    V scaled[2] = {v_fmulk(e, x[0], 0x1p64), x[1]}, s;
    if (!rnd)
        s = v_fmul(e, scaled[0], scaled[1]);
    else if (e->ll->has_avx512)
        s = alu_rounded(e, ALU_MUL, false, rnd, scaled);
    else
        s = alu_round_f32(
            e, v_fmul(e, v_wide(e, scaled[0]), v_wide(e, scaled[1])), rnd);
    return flush_scaled(e, r, s);
}

V
alu_mul_f32(const sw_alu *e, V a, V b, sw_fmode m)
{
    unsigned rnd = direction(m);
    V x[2] = {a, b}, r;
    bool by_hand = flush_operands(e, x, 2, m);
    if (!rnd)
        r = v_fmul(e, x[0], x[1]);
    else if (e->ll->has_avx512)
        r = alu_rounded(e, ALU_MUL, false, rnd, x);
    else
        r = alu_round_f32(e, v_fmul(e, v_wide(e, x[0]), v_wide(e, x[1])), rnd);
    if (by_hand)
        r = flush_product(e, r, x, rnd);
    return saturate(e, r, m);
}

static V
fma_by_f64(const sw_alu *e, const V *x, unsigned rnd)
{
    V p = v_fmul(e, v_wide(e, x[0]), v_wide(e, x[1]));
    V c = v_wide(e, x[2]), sum = alu_sum_odd(e, true, p, c), r;
    if (rnd)
        r = alu_round_f32(e, sum, rnd);
    else
        r = v_narrow(e, sum);
    if (rnd == SW_RND_RM) {
        V either = v_or(e, v_bits64(e, p), v_bits64(e, c));
        V minus = v_and(e, v_fcmpk(e, LLVMRealOEQ, sum, 0),
                        v_icmpk(e, LLVMIntSLT, either, 0));
        r = v_sel(e, minus, v_fk(e, r, -0.0), r);
    }
    return r;
}

static bool
has_fma(const sw_alu *e)
{
    return e->ll->has_fma || e->ll->has_avx512;
}

static V
fma_f32(const sw_alu *e, const V *x, unsigned rnd)
{
    if (rnd && e->ll->has_avx512)
        return alu_rounded(e, ALU_FMA, false, rnd, x);
    if (rnd || !has_fma(e))
        return fma_by_f64(e, x, rnd);
    return v_call3(e, "llvm.fma", x[0], x[1], x[2]);
}

V
alu_fma_f32(const sw_alu *e, V a, V b, V c, sw_fmode m)
{
    unsigned rnd = direction(m);
    V x[3] = {a, b, c}, r;
    bool by_hand = (m & SW_FM_FTZ) && !has_fma(e);
    for (unsigned i = 0; i < 3 && by_hand; i++)
        x[i] = alu_flush_f32(e, x[i]);
    if (!by_hand)
        by_hand = flush_operands(e, x, 3, m);
    r = fma_f32(e, x, rnd);
    if (by_hand) {
        bool by = v_is_const(x[1]); /* that is done already */
        V scaled[3] = {v_fmulk(e, x[by], 0x1p64), x[!by],
                       v_fmulk(e, x[2], 0x1p64)};
        r = flush_scaled(e, r, fma_f32(e, scaled, rnd));
    }
    return saturate(e, r, m);
}

/* As sem_mad_f32. */
static V
mad_f32(const sw_alu *e, V a, V b, V c)
{
    sw_fmode plain = sem_without(e->m, SW_FM_SAT);
    V x[3] = {alu_in_f32(e, a), alu_in_f32(e, b), alu_in_f32(e, c)};
    V p = v_bits64(e, v_fmul(e, v_wide(e, x[0]), v_wide(e, x[1])));
    p = v_f64(e, v_andk(e, p, ~UINT64_C(0x1fffffff)));
    V sum = alu_sum_odd(e, true, p, v_wide(e, x[2]));
    V r = v_narrow(e, sum);
    if (e->m & SW_FM_FTZ) {
        V tiny =
            v_fcmpk(e, LLVMRealOLT, v_fabs(e, sum), 0x1p-126 * (1 - 0x1p-25));
        r = v_f32(e, v_sel(e, tiny, sign_of(e, r), v_bits32(e, r)));
    }
    V apart = v_fadd(e, alu_mul_f32(e, x[0], x[1], plain), x[2]);
    r = v_sel(e, v_fcmpk(e, LLVMRealOEQ, x[2], 0), apart, r);
    return saturate(e, r, e->m);
}

static V
div_f32(const sw_alu *e, V a, V b)
{
    unsigned rnd = direction(e->m);
    V x[2] = {alu_in_f32(e, a), alu_in_f32(e, b)}, r, wide = NULL;
    bool ftz = e->m & SW_FM_FTZ, native = e->ll->has_avx512;
    if ((rnd || ftz) && !native)
        wide = v_fdiv(e, v_wide(e, x[0]), v_wide(e, x[1]));
    if (!rnd)
        r = v_fdiv(e, x[0], x[1]);
    else
        r = native ? alu_rounded(e, ALU_DIV, false, rnd, x)
                   : alu_round_f32(e, wide, rnd);
    if (ftz)
        r = flush_tiny(
            e, r, native ? alu_rounded(e, ALU_DIV, false, SW_RND_RZ, x) : wide);
    return r;
}

static V
sqrt_f32(const sw_alu *e, V a)
{
    unsigned rnd = direction(e->m);
    a = alu_in_f32(e, a);
    if (!rnd)
        return v_call1(e, "llvm.sqrt", a);
    if (e->ll->has_avx512)
        return alu_rounded(e, ALU_SQRT, false, rnd, &a);
    return alu_round_f32(e, v_call1(e, "llvm.sqrt", v_wide(e, a)), rnd);
}

/* min and max; see sem_pick_f32. The host's comparison takes -0 and +0 for
 * equal: there `or` gives the lower, `and` the higher. */
V
alu_pick_f32(const sw_alu *e, V a, V b, bool max, sw_fmode m)
{
    bool ftz = m & SW_FM_FTZ, late = e->ll->flushes;
    bool are_normal = never_subnormal(e, a) && never_subnormal(e, b);
    if (ftz && !late) {
        a = alu_flush_f32(e, a);
        b = alu_flush_f32(e, b);
    }
    V sign = NULL;
    if (m & SW_FM_XORSIGN) {
        sign = v_andk(e, v_xor(e, v_bits32(e, a), v_bits32(e, b)), 0x80000000u);
        a = v_fabs(e, a);
        b = v_fabs(e, b);
    }
    V r = v_sel(e, v_fcmp(e, max ? LLVMRealOGT : LLVMRealOLT, a, b), a, b);
    V both = v_bin(e, max ? LLVMAnd : LLVMOr, v_bits32(e, a), v_bits32(e, b));
    r = v_sel(e, v_fcmp(e, LLVMRealOEQ, a, b), v_f32(e, both), r);
    r = v_sel(e, v_is_nan(e, b), a, r);
    if (ftz && late &&
        !are_normal) /* subnormals were taken for equal to zero */
        r = alu_flush_f32(e, r);
    if (sign)
        r = v_f32(e, v_or(e, v_bits32(e, r), sign));
    if (m & SW_FM_NAN) {
        V nan = v_fcmp(e, LLVMRealUNO, a, b);
        r = v_f32(e, v_sel(e, nan, v_int(e, 32, 0x7fffffff), v_bits32(e, r)));
    }
    return r;
}

/* .nan of abs and neg: a, if that is a NaN. */
static void
keep_nan(const sw_alu *e, V a, V *d)
{
    if (e->m & SW_FM_NAN)
        *d =
            v_f32(e, v_sel(e, v_is_nan(e, a), v_bits32(e, a), v_bits32(e, *d)));
}

/* x: operands as numbers; what is subtracted with a mode, negated. */
static bool
arithmetic(const sw_alu *e, const V *x, V *d)
{
    switch (e->ins->op) {
    case SW_OP_ADD:
        *d = add_f32(e, x[0], x[1]);
        return true;
    case SW_OP_SUB:
        *d = e->m ? add_f32(e, x[0], x[1]) : v_fsub(e, x[0], x[1]);
        return true;
    case SW_OP_MUL:
        *d = alu_mul_f32(e, x[0], x[1], e->m);
        return true;
    case SW_OP_MAD:
        *d = mad_f32(e, x[0], x[1], x[2]);
        return true;
    case SW_OP_FMA:
        *d = alu_fma_f32(e, x[0], x[1], x[2], e->m);
        return true;
    case SW_OP_DIV:
        *d = div_f32(e, x[0], x[1]);
        return true;
    case SW_OP_RCP:
        *d = div_f32(e, v_fk(e, x[0], 1), x[0]);
        return true;
    case SW_OP_SQRT:
        *d = sqrt_f32(e, x[0]);
        return true;
    case SW_OP_ABS:
        *d = v_fabs(e, alu_in_f32(e, x[0]));
        keep_nan(e, x[0], d);
        return true;
    case SW_OP_NEG:
        *d = v_fneg32(e, alu_in_f32(e, x[0]));
        keep_nan(e, x[0], d);
        return true;
    case SW_OP_MIN:
    case SW_OP_MAX:
        *d = alu_pick_f32(e, x[0], x[1], e->ins->op == SW_OP_MAX, e->m);
        return true;
    case SW_OP_MIN3:
    case SW_OP_MAX3: {
        bool max = e->ins->op == SW_OP_MAX3;
        *d = alu_pick_f32(e, x[0], x[1], max, e->m);
        *d = alu_pick_f32(e, *d, x[2], max, e->m);
        return true;
    }
    case SW_OP_COPYSIGN:
        *d = v_f32(e, v_or(e, sign_of(e, x[0]),
                           v_andk(e, v_bits32(e, x[1]), 0x7fffffff)));
        return true;
    default:
        return false;
    }
}

bool
alu_float(const sw_alu *e, const V *s, V *d)
{
    sw_alu half = alu_halves(e);
    bool pair = e->ins->type == SW_T_F32X2;
    const sw_alu *use = pair ? &half : e;
    if (!pair && (alu_approx_f32(e, s, d)))
        return true;
    V x[3];
    sw_alu known = *use;
    for (unsigned i = 0; i < e->ins->nsrc; i++) {
        x[i] = v_f32(use, pair ? alu_split(use, s[i], 32) : s[i]);
        if (use->ins->op == SW_OP_SUB && i == 1 && use->m)
            x[i] = v_fneg32(use, x[i]);
        known.normal[i] = !pair && e->ll->normal >> i & 1 ? x[i] : NULL;
    }
    if (!arithmetic(&known, x, d))
        return false;
    *d = v_bits32(use, *d);
    if (pair)
        *d = alu_merge(e, *d, 64);
    return true;
}
