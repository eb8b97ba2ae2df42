/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approx.c - the approximate functions as sem/approx.h and sem/sfu.h have
 * them, in 32-bit integers; see alu/private.h.
 *
 * The unit's value c0 + c1 * x + c2 * square(x) has up to 42 bits. x is taken
 * in parts of 9 and 8 bits (xh, xl), so that no partial sum leaves 32:
 *
 *     fine = c1 * xl + c2 * square(x) + the lower bits of c0
 *     mid  = c1 * xh + (fine >> 8)
 *     the value >> 16 = (c0 >> 16) + (mid >> 8)
 *
 * and the 16 bits below are the low bytes of mid and fine. Coefficients are
 * words of 32 bits in private constants of the module, loaded lane by lane;
 * with AVX-512 they are words of 16 bits, found by permuting registers for 32
 * lanes at once (alu/rows.c).
 */
#include <stdio.h>

#include "jit/alu/private.h"
#include "sem/sfu.h"

enum { MAX_ROWS = 128 };

typedef alu_table table;

static const table table_rcp = {
    "rcp", 128, sem_sfu_rcp.c0, sem_sfu_rcp.c1, sem_sfu_rcp.c2, true};
static const table table_rsq = {
    "rsq", 128, sem_sfu_rsq.c0, sem_sfu_rsq.c1, sem_sfu_rsq.c2, true};
static const table table_sqrt = {
    "sqrt", 128, sem_sfu_sqrt.c0, sem_sfu_sqrt.c1, sem_sfu_sqrt.c2, false};
static const table table_ex2 = {
    "ex2", 64, sem_sfu_ex2.c0, sem_sfu_ex2.c1, sem_sfu_ex2.c2, false};
static const table table_lg2 = {
    "lg2", 64, sem_sfu_lg2.c0, sem_sfu_lg2.c1, sem_sfu_lg2.c2, false};
static const table table_sin = {
    "sin", 64, sem_sfu_sin.c0, sem_sfu_sin.c1, sem_sfu_sin.c2, false};

/* ---- tables ---- */

/* Word `part` of the rows of a table. */
static void
words_of(const table *t, unsigned part, uint32_t *words)
{
    for (unsigned i = 0; i < t->rows; i++) {
        int64_t c0 = (int64_t)t->c0[i];
        uint32_t c1 = (uint32_t)(int32_t)t->c1[i];
        uint32_t c2 = (uint32_t)(int32_t)t->c2[i];
        words[i] = part == 0   ? (uint32_t)(c0 >> 16)
                   : part == 1 ? c1 << 14 | (c2 & 0x3fff)
                               : (uint32_t)c0 & 0xffff;
    }
}

/* Constants as an array in the module, made once. */
static V
global_array(const sw_alu *e, const char *name, V array)
{
    V global = LLVMGetNamedGlobal(e->ll->module, name);
    if (!global) {
        global = LLVMAddGlobal(e->ll->module, LLVMTypeOf(array), name);
        LLVMSetInitializer(global, array);
        LLVMSetGlobalConstant(global, true);
        LLVMSetLinkage(global, LLVMPrivateLinkage);
        LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
        LLVMSetAlignment(global, 64);
    }
    return global;
}

/* array[row] in every lane; elements of type `type`. */
static V
gather(const sw_alu *e, V array, LLVMTypeRef type, V row)
{
    V r = e->lanes > 1 ? LLVMGetPoison(LLVMVectorType(type, e->lanes)) : NULL;
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ll->context);
    V wide = v_zext(e, row, 64);
    for (unsigned i = 0; i < e->lanes; i++) {
        V lane = LLVMConstInt(i32, i, false);
        V at = r ? LLVMBuildExtractElement(e->b, wide, lane, "") : wide;
        V place = LLVMBuildInBoundsGEP2(e->b, type, array, &at, 1, "");
        V got = LLVMBuildLoad2(e->b, type, place, "");
        if (!r)
            return got;
        r = LLVMBuildInsertElement(e->b, r, got, lane, "");
    }
    return r;
}

static V
look_up(const sw_alu *e, const table *t, unsigned part, V row)
{
    uint32_t words[MAX_ROWS];
    if (!e->b)
        return NULL;
    words_of(t, part, words);
    LLVMTypeRef i32 = LLVMInt32TypeInContext(e->ll->context);
    V element[MAX_ROWS];
    for (unsigned i = 0; i < t->rows; i++)
        element[i] = LLVMConstInt(i32, words[i], false);
    char name[32];
    snprintf(name, sizeof name, "softwarp.%s%u", t->name, part);
    V array = global_array(e, name, LLVMConstArray2(i32, element, t->rows));
    return gather(e, array, i32, row);
}

/* ---- the unit ---- */

/* As sem_sfu_square; vectors in 16 bits, which the sum does not leave. */
static V
square(const sw_alu *e, V x)
{
    unsigned n = e->lanes > 1 ? 16 : 32;
    V high = v_resize(e, v_lshrk(e, x, 10), n);
    V low = v_resize(e, v_andk(e, x, 1023), n);
    V sum = v_shlk(e, v_mul(e, high, high), 1);
    for (unsigned j = 0; j < 7; j++) {
        V bit = v_icmpk(e, LLVMIntNE, v_andk(e, high, 1u << j), 0);
        V more = v_add(e, sum, v_lshrk(e, low, 8 - j));
        sum = v_sel(e, bit, more, sum);
    }
    return v_resize(e, sum, 32);
}

/* The value without its lower 16 bits; *low, if wanted: those. */
static V
value(const sw_alu *e, const table *t, V row, V x, V *low)
{
    V high = NULL, ignored;
    low = low ? low : &ignored;
    *low = NULL;
    if (e->lanes % 32 == 0 && e->ll->has_avx512) {
        alu_value_by_rows(e, t, row, x, &high, low);
        return high;
    }
    V c12 = look_up(e, t, 1, row);
    V c1 = t->c1_negative ? v_ashrk(e, c12, 14) : v_lshrk(e, c12, 14);
    V c2 = v_ashrk(e, v_shlk(e, c12, 18), 18);
    V fine = v_mul(e, c1, v_andk(e, x, 255));
    fine = v_add(e, fine, v_mul(e, c2, square(e, x)));
    fine = v_add(e, fine, look_up(e, t, 2, row));
    V mid = v_add(e, v_mul(e, c1, v_lshrk(e, x, 8)), v_ashrk(e, fine, 8));
    *low = v_or(e, v_shlk(e, v_andk(e, mid, 255), 8), v_andk(e, fine, 255));
    return v_add(e, look_up(e, t, 0, row), v_ashrk(e, mid, 8));
}

/* The leading 24 bits of high * 2^shift + low, not negative: truncated by an
 * instruction that rounds so, or in f64. */
static V
leading24(const sw_alu *e, V high, unsigned shift, V low)
{
    double unit = (double)(1u << shift);
    if (e->lanes > 1 && e->ll->has_avx512) {
        V x[3] = {v_x86(e, "llvm.x86.avx512.sitofp.round", 16, &high, 1, 11),
                  v_f32_const(e, unit),
                  v_cast(e, LLVMSIToFP, low, v_f32_type(e))};
        return alu_rounded(e, ALU_FMA, false, SW_RND_RZ, x);
    }
    V v = v_fmulk(e, v_cast(e, LLVMSIToFP, high, v_f64_type(e)), unit);
    v = v_fadd(e, v, v_cast(e, LLVMSIToFP, low, v_f64_type(e)));
    v = v_andk(e, v_bits64(e, v), ~UINT64_C(0x1fffffff));
    return v_narrow(e, v_f64(e, v));
}

static V
field(const sw_alu *e, V u, unsigned at, unsigned bits)
{
    return v_andk(e, v_lshrk(e, u, at), (1u << bits) - 1);
}

static V
nan_or(const sw_alu *e, V a, V bits)
{
    return v_sel(e, v_is_nan(e, a), v_k(e, bits, 0x7fffffff), bits);
}

static V
sfu_rcp(const sw_alu *e, V a)
{
    V u = v_bits32(e, a), ex = field(e, u, 23, 8);
    V x = v_shlk(e, v_andk(e, u, 0xffff), 1);
    V v = value(e, &table_rcp, field(e, u, 16, 7), x, NULL);
    V r = v_addk(e, v_lshrk(e, v, 1), UINT64_C(252) << 23);
    r = v_sub(e, r, v_shlk(e, ex, 23));
    /* Below the normal numbers. */
    V small = v_icmpk(e, LLVMIntUGT, v_andk(e, u, 0x7fffffff), 0x7e800000);
    r = v_sel(e, small, v_k(e, r, 0), r);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), v_k(e, r, 0x7f800000), r);
    r = v_or(e, r, v_andk(e, u, 0x80000000u));
    return v_f32(e, nan_or(e, a, r));
}

static V
sfu_rsq(const sw_alu *e, V a)
{
    V u = v_bits32(e, a), ex = field(e, u, 23, 8);
    V v = value(e, &table_rsq, field(e, u, 17, 7), v_andk(e, u, 0x1ffff), NULL);
    V four = v_icmpk(e, LLVMIntEQ, v_andk(e, u, 0xffffff), 0x800000);
    v = v_add(e, v_lshrk(e, v, 1), v_zext(e, four, 32));
    V half = v_lshrk(e, v_addk(e, ex, 1), 1);
    V r = v_add(e, v_addk(e, v, 0 - UINT64_C(0x800000)),
                v_shlk(e, v_sub(e, v_k(e, half, 190), half), 23));
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, u, 0x7f800000), v_k(e, r, 0), r);
    V bad = v_fcmpk(e, LLVMRealULT, a, 0);
    r = v_sel(e, bad, v_k(e, r, 0x7fffffff), r);
    V inf = v_ork(e, v_andk(e, u, 0x80000000u), 0x7f800000);
    return v_f32(e, v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), inf, r));
}

static V
sfu_sqrt(const sw_alu *e, V a)
{
    V u = v_bits32(e, a), ex = field(e, u, 23, 8);
    V v =
        value(e, &table_sqrt, field(e, u, 17, 7), v_andk(e, u, 0x1ffff), NULL);
    v = v_lshrk(e, v, 2);
    V half = v_lshrk(e, v_addk(e, ex, 127), 1);
    V r = v_add(e, v_addk(e, v, 0 - UINT64_C(0x800000)), v_shlk(e, half, 23));
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 255), v_k(e, r, 0x7f800000), r);
    r = v_sel(e, v_fcmpk(e, LLVMRealULT, a, 0), v_k(e, r, 0x7fffffff), r);
    V zero = v_andk(e, u, 0x80000000u);
    return v_f32(e, v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), zero, r));
}

/* The logarithm in units of 2^-36; a negative one is complemented. */
static V
sfu_lg2(const sw_alu *e, V a)
{
    V u = v_bits32(e, a), ex = field(e, u, 23, 8), low;
    V v = value(e, &table_lg2, field(e, u, 17, 6), v_andk(e, u, 0x1ffff), &low);
    V whole = v_shlk(e, v_addk(e, ex, 0 - UINT64_C(127)), 22);
    V high = v_add(e, v, whole), minus = v_ashrk(e, high, 31);
    V l14 = v_xor(e, v_lshrk(e, low, 2), v_lshrk(e, minus, 18));
    V size = leading24(e, v_xor(e, high, minus), 14, l14);
    V r = v_bits32(e, v_fmulk(e, size, 0x1p-36));
    r = v_or(e, r, v_andk(e, minus, 0x80000000u));
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, u, 0x3f800000), v_k(e, r, 0), r);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 255), v_k(e, r, 0x7f800000), r);
    V none = v_icmpk(e, LLVMIntEQ, ex, 0);
    V bad = v_fcmpk(e, LLVMRealULT, a, 0);
    r = v_sel(e, bad, v_k(e, r, 0x7fffffff), r);
    r = v_sel(e, none, v_k(e, r, 0xff800000u), r);
    return v_f32(e, r);
}

/* Clamped so that the sums below give infinity, or what is flushed. The lower
 * part of a negative number is complemented. What depends on the operand alone
 * is kept off the way to the result, which others wait for. */
static V
sfu_ex2(const sw_alu *e, V a)
{
    V x = v_sel(e, v_fcmpk(e, LLVMRealOLT, a, 128), a, v_fk(e, a, 128));
    x = v_sel(e, v_fcmpk(e, LLVMRealOGT, x, -127), x, v_fk(e, a, -127));
    V part = v_fcmp(e, LLVMRealUNE, x, v_call1(e, "llvm.trunc", x));
    V t = v_cast(e, LLVMFPToSI, v_fmulk(e, x, 0x1p23), v_int_type(e, 32));
    t = v_add(e, t, v_sel(e, part, v_ashrk(e, t, 31), v_k(e, t, 0)));
    V v = value(e, &table_ex2, field(e, t, 17, 6), v_andk(e, t, 0x1ffff), NULL);
    V r = v_addk(e, v_lshrk(e, v, 1), UINT64_C(126) << 23);
    r = v_add(e, r, v_andk(e, t, 0xff800000u));
    r = v_sel(e, v_fcmpk(e, LLVMRealOLT, a, -126), v_k(e, r, 0), r);
    return v_f32(e, nan_or(e, a, r));
}

/* Sine and cosine of turns. */
static V
sfu_turns(const sw_alu *e, V a, bool cosine)
{
    V u = v_bits32(e, a), size = v_andk(e, u, 0x7fffffff);
    V fits = v_icmpk(e, LLVMIntULT, size, 0x4c000000);
    V x = v_f32(e, v_sel(e, fits, size, v_k(e, u, 0)));
    V part = v_fsub(e, x, v_call1(e, "llvm.trunc", x));
    V t = v_cast(e, LLVMFPToSI, v_fmulk(e, part, 0x1p25), v_int_type(e, 32));
    V low = v_andk(e, t, 0x7fffff), back = v_xork(e, low, 0x7fffff), l16;
    V second = v_icmpk(e, LLVMIntNE, v_andk(e, t, 0x800000), 0);
    V at = cosine ? v_sel(e, second, low, back) : v_sel(e, second, back, low);
    V v =
        value(e, &table_sin, v_lshrk(e, at, 17), v_andk(e, at, 0x1ffff), &l16);
    V r = v_bits32(e, v_fmulk(e, leading24(e, v, 16, l16), 0x1p-37));
    V sign = cosine ? v_addk(e, t, 0x800000) : t;
    sign = v_shlk(e, sign, 7);
    if (!cosine)
        sign = v_xor(e, sign, u);
    r = v_or(e, r, v_andk(e, sign, 0x80000000u));
    V finite = v_icmpk(e, LLVMIntULT, size, 0x7f800000);
    return v_f32(e, v_sel(e, finite, r, v_k(e, r, 0x7fffffff)));
}

/* Its coefficients are too long for 32 bits: doubles from memory. */
static V
tanh_coefficient(const sw_alu *e, unsigned part, const double *c, V row)
{
    if (!e->b)
        return NULL;
    LLVMTypeRef f64 = LLVMDoubleTypeInContext(e->ll->context);
    V element[64];
    for (unsigned i = 0; i < 64; i++)
        element[i] = LLVMConstReal(f64, c[i]);
    char name[32];
    snprintf(name, sizeof name, "softwarp.tanh%u", part);
    V array = global_array(e, name, LLVMConstArray2(f64, element, 64));
    return gather(e, array, f64, row);
}

/* A small table by selects: the last i with b >= i. */
static V
pick_small(const sw_alu *e, V b, const int32_t *values, unsigned count)
{
    V r = v_k(e, b, (uint64_t)values[0]);
    for (unsigned i = 1; i < count; i++)
        if (values[i] != values[i - 1])
            r = v_sel(e, v_icmpk(e, LLVMIntSGE, b, i),
                      v_k(e, b, (uint64_t)values[i]), r);
    return r;
}

static V
sfu_tanh(const sw_alu *e, V a)
{
    V u = v_bits32(e, a), m = v_andk(e, u, 0x7fffff);
    V ex = v_addk(e, field(e, u, 23, 8), 0 - UINT64_C(119));
    V b = v_call2(e, "llvm.smax", ex, v_k(e, ex, 0));
    b = v_call2(e, "llvm.smin", b, v_k(e, b, 10));
    m = v_lshr(e, m, pick_small(e, b, sem_sfu_tanh_shift, 11));
    V row = v_add(e, pick_small(e, b, sem_sfu_tanh_row, 11), v_lshrk(e, m, 17));
    V x = v_andk(e, m, 0x1ffff);
    V c0 = tanh_coefficient(e, 0, sem_sfu_tanh.c0, row);
    V c1 = tanh_coefficient(e, 1, sem_sfu_tanh.c1, row);
    V c2 = tanh_coefficient(e, 2, sem_sfu_tanh.c2, row);
    V fx = v_cast(e, LLVMSIToFP, x, v_f64_type(e));
    V sq = v_cast(e, LLVMSIToFP, square(e, x), v_f64_type(e));
    V v = v_fadd(e, v_fadd(e, c0, v_fmul(e, c1, fx)), v_fmul(e, c2, sq));
    v = v_andk(e, v_bits64(e, v), ~UINT64_C(0x1fffffff));
    V r = v_bits32(e, v_fmulk(e, v_narrow(e, v_f64(e, v)), 0x1p-39));
    r = v_sel(e, v_icmpk(e, LLVMIntSGT, ex, 10), v_k(e, r, 0x3f800000), r);
    r = v_or(e, r, v_andk(e, u, 0x80000000u));
    r = v_sel(e, v_icmpk(e, LLVMIntSLT, ex, 0), u, r);
    return v_f32(e, nan_or(e, a, r));
}

/* ---- f32: what the assembler puts around the unit ---- */

static V
is_subnormal(const sw_alu *e, V a)
{
    return v_fcmpk(e, LLVMRealOLT, v_fabs(e, a), 0x1p-126);
}

/* a * (c ? x : y) */
static V
scale(const sw_alu *e, V a, V c, double x, double y)
{
    return v_fmul(e, a, v_sel(e, c, v_fk(e, a, x), v_fk(e, a, y)));
}

static V
rcp_approx(const sw_alu *e, V a)
{
    if (e->m & SW_FM_FTZ)
        return sfu_rcp(e, a);
    V large = v_fcmpk(e, LLVMRealOGT, v_fabs(e, a), 0x1p126);
    V s = v_sel(e, is_subnormal(e, a), v_fk(e, a, 0x1p24), v_fk(e, a, 1));
    s = v_sel(e, large, v_fk(e, a, 0.25), s);
    return v_fmul(e, sfu_rcp(e, v_fmul(e, a, s)), s);
}

/* f of an operand that is not subnormal, its result scaled. */
static V
around(const sw_alu *e, V (*f)(const sw_alu *, V), V a, double back)
{
    if (e->m & SW_FM_FTZ)
        return f(e, a);
    V tiny = is_subnormal(e, a);
    return scale(e, f(e, scale(e, a, tiny, 0x1p24, 1)), tiny, back, 1);
}

static V
lg2_approx(const sw_alu *e, V a)
{
    if (e->m & SW_FM_FTZ)
        return sfu_lg2(e, a);
    V tiny = is_subnormal(e, a);
    V r = sfu_lg2(e, scale(e, a, tiny, 0x1p24, 1));
    return v_fsub(e, r, v_sel(e, tiny, v_fk(e, a, 24), v_fk(e, a, 0)));
}

static V
ex2_approx(const sw_alu *e, V a)
{
    if (e->m & SW_FM_FTZ)
        return sfu_ex2(e, a);
    V tiny = v_fcmpk(e, LLVMRealOLT, a, -126);
    V r = sfu_ex2(e, scale(e, a, tiny, 0.5, 1));
    return v_fmul(e, r, v_sel(e, tiny, r, v_fk(e, r, 1)));
}

static V
turns(const sw_alu *e, V a)
{
    if (e->lanes > 1 && e->ll->has_avx512)
        return alu_rounded(e, ALU_MUL, false, SW_RND_RZ,
                           (V[]){a, v_fk(e, a, 0x1.45f306p-3)});
    V t = v_fmulk(e, v_wide(e, a), 0x1.45f306p-3);
    t = v_andk(e, v_bits64(e, t), ~UINT64_C(0x1fffffff));
    return v_narrow(e, v_f64(e, t));
}

static V
div_approx(const sw_alu *e, V a, V b)
{
    if (!(e->m & SW_FM_FTZ)) {
        V tiny = is_subnormal(e, b);
        a = scale(e, a, tiny, 0x1p24, 1);
        b = scale(e, b, tiny, 0x1p24, 1);
    }
    return alu_mul_f32(e, a, sfu_rcp(e, b), e->m);
}

static V
div_full(const sw_alu *e, V a, V b)
{
    V large = v_fcmpk(e, LLVMRealOGT, v_fabs(e, b), 0x1p126);
    a = v_sel(e, large, alu_mul_f32(e, a, v_fk(e, a, 0.25), e->m), a);
    return div_approx(e, a, scale(e, b, large, 0.25, 1));
}

bool
alu_approx_f32(const sw_alu *e, const V *s, V *d)
{
    bool approx = e->m & SW_FM_APPROX;
    V a = v_f32(e, s[0]), r;
    switch (e->ins->op) {
    case SW_OP_RCP:
        r = approx ? rcp_approx(e, a) : NULL;
        break;
    case SW_OP_SQRT:
        r = e->m & SW_FM_FULL ? rcp_approx(e, around(e, sfu_rsq, a, 0x1p12))
            : approx          ? around(e, sfu_sqrt, a, 0x1p-12)
                              : NULL;
        approx |= (e->m & SW_FM_FULL) != 0;
        break;
    case SW_OP_DIV:
        r = approx              ? div_approx(e, a, v_f32(e, s[1]))
            : e->m & SW_FM_FULL ? div_full(e, a, v_f32(e, s[1]))
                                : NULL;
        approx |= (e->m & SW_FM_FULL) != 0;
        break;
    default:
        approx = true;
        switch (e->ins->op) {
        case SW_OP_RSQRT:
            r = around(e, sfu_rsq, a, 0x1p12);
            break;
        case SW_OP_SIN:
            r = sfu_turns(e, turns(e, a), false);
            break;
        case SW_OP_COS:
            r = sfu_turns(e, turns(e, a), true);
            break;
        case SW_OP_LG2:
            r = lg2_approx(e, a);
            break;
        case SW_OP_EX2:
            r = ex2_approx(e, a);
            break;
        case SW_OP_TANH:
            r = sfu_tanh(e, a);
            break;
        default:
            return false;
        }
    }
    if (approx)
        *d = v_bits32(e, r);
    return approx;
}

/* ---- f16, bf16: truncated ---- */

static V
truncate_f16(const sw_alu *e, V x)
{
    V u = v_bits32(e, x), a = v_andk(e, u, 0x7fffffff);
    V small = v_icmpk(e, LLVMIntULT, a, 0x38800000);
    V fraction = v_f32(e, v_sel(e, small, a, v_k(e, a, 0)));
    V tiny =
        v_cast(e, LLVMFPToSI, v_fmulk(e, fraction, 0x1p24), v_int_type(e, 32));
    V normal = v_lshrk(e, v_addk(e, a, 0 - UINT64_C(0x38000000)), 13);
    V finite = v_icmpk(e, LLVMIntULT, a, 0x47800000);
    V r = v_sel(e, small, tiny, v_sel(e, finite, normal, v_k(e, a, 0x7c00)));
    r = v_or(e, r, v_andk(e, v_lshrk(e, u, 16), 0x8000));
    r = v_sel(e, v_icmpk(e, LLVMIntUGT, a, 0x7f800000), v_k(e, r, 0x7fff), r);
    return v_trunc(e, r, 16);
}

bool
alu_approx_half(const sw_alu *e, const V *s, V *d)
{
    bool bf16 = e->ins->type == SW_T_BF16 || e->ins->type == SW_T_BF16X2;
    V x = bf16 ? alu_f32_of_bf16(e, *s) : alu_f32_of_f16(e, *s);
    if (e->ins->op == SW_OP_EX2)
        x = sfu_ex2(e, x);
    else if (e->ins->op == SW_OP_TANH)
        x = sfu_tanh(e, x);
    else
        return false;
    *d = bf16 ? v_trunc(e, v_lshrk(e, v_bits32(e, x), 16), 16)
              : truncate_f16(e, x);
    return true;
}

/* ---- f64: upper words in, upper words out ---- */

static V
sfu_rcp_f64(const sw_alu *e, V a)
{
    V u = v_trunc(e, v_lshrk(e, a, 32), 32), ex = field(e, u, 20, 11);
    V x = v_shlk(e, v_andk(e, u, 0x1fff), 4), m = v_andk(e, u, 0xfffff);
    V v = value(e, &table_rcp, field(e, u, 13, 7), x, NULL);
    V r = v_addk(e, v_lshrk(e, v, 4), 0 - UINT64_C(0x100000));
    r = v_add(e, r, v_shlk(e, v_sub(e, v_k(e, ex, 2045), ex), 20));
    V out =
        v_icmpk(e, LLVMIntUGE, v_addk(e, r, 0 - UINT64_C(0x100000)), 0x100000);
    out = v_and(e, out, v_icmpk(e, LLVMIntUGE, ex, 2045));
    r = v_sel(e, out, v_k(e, r, 0), r);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), v_k(e, r, 0x7ff00000), r);
    r = v_or(e, r, v_andk(e, u, 0x80000000u));
    V nan =
        v_and(e, v_icmpk(e, LLVMIntEQ, ex, 2047), v_icmpk(e, LLVMIntNE, m, 0));
    r = v_sel(e, nan, v_k(e, r, 0x7fffffff), r);
    return v_shlk(e, v_zext(e, r, 64), 32);
}

static V
sfu_rsq_f64(const sw_alu *e, V a)
{
    V u = v_trunc(e, v_lshrk(e, a, 32), 32), ex = field(e, u, 20, 11);
    V x = v_shlk(e, v_andk(e, u, 0x3fff), 3);
    V v = value(e, &table_rsq, field(e, u, 14, 7), x, NULL);
    V four = v_icmpk(e, LLVMIntEQ, v_andk(e, u, 0x1fffff), 0x100000);
    v = v_add(e, v_lshrk(e, v, 4), v_zext(e, four, 32));
    V half = v_lshrk(e, v_addk(e, ex, 1), 1);
    V r = v_add(e, v_addk(e, v, 0 - UINT64_C(0x100000)),
                v_shlk(e, v_sub(e, v_k(e, half, 1534), half), 20));
    /* Above infinity as an unsigned number: NaN or negative. */
    V bad = v_icmpk(e, LLVMIntUGT, u, 0x7ff00000);
    r = v_sel(e, bad, v_k(e, r, 0x7fffffff), r);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, u, 0x7ff00000), v_k(e, r, 0), r);
    V inf = v_ork(e, v_andk(e, u, 0x80000000u), 0x7ff00000);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), inf, r);
    return v_shlk(e, v_zext(e, r, 64), 32);
}

/* As sem_rsqrt_f64: one step of Newton's method; FMA in f64 is needed. */
static V
rsqrt_f64(const sw_alu *e, V bits)
{
    V a = v_f64(e, bits);
    V tiny = v_fcmpk(e, LLVMRealOLT, v_fabs(e, a), 0x1p-1022);
    V x = scale(e, a, tiny, 0x1p54, 1);
    V y = v_f64(e, sfu_rsq_f64(e, v_bits64(e, x)));
    V yy = v_f64(e, v_xork(e, v_bits64(e, v_fmul(e, y, y)), UINT64_C(1) << 63));
    V err = v_call3(e, "llvm.fma", x, yy, v_fk(e, x, 1));
    V c = v_call3(e, "llvm.fma", err, v_fk(e, x, 0.375), v_fk(e, x, 0.5));
    V r = v_call3(e, "llvm.fma", c, v_fmul(e, y, err), y);
    r = v_bits64(e, scale(e, r, tiny, 0x1p27, 1));
    V inf = v_ork(e, v_andk(e, bits, UINT64_C(1) << 63),
                  UINT64_C(0x7ff0000000000000));
    r = v_sel(e, v_fcmpk(e, LLVMRealOEQ, a, INFINITY), v_k(e, r, 0), r);
    r = v_sel(e, v_fcmpk(e, LLVMRealOLT, a, 0),
              v_k(e, r, UINT64_C(0xfff8000000000000)), r);
    r = v_sel(e, v_fcmpk(e, LLVMRealOEQ, a, 0), inf, r);
    return v_sel(e, v_is_nan(e, a), v_ork(e, bits, UINT64_C(1) << 51), r);
}

bool
alu_approx_f64(const sw_alu *e, const V *s, V *d)
{
    if (e->ins->op == SW_OP_RCP && e->m & SW_FM_APPROX) {
        *d = sfu_rcp_f64(e, *s);
        return true;
    }
    if (e->ins->op != SW_OP_RSQRT)
        return false;
    if (e->m & SW_FM_FTZ)
        *d = sfu_rsq_f64(e, *s);
    else if (e->ll->has_fma)
        *d = rsqrt_f64(e, *s);
    return (e->m & SW_FM_FTZ) || e->ll->has_fma;
}
