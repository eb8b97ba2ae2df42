/* SPDX-License-Identifier: Apache-2.0 */
/* cvt.c - conversions as sem/cvt.h and sem/eval.c have them; see
 * alu/private.h. */
#include "jit/alu/private.h"

static bool
is_int(sw_type t)
{
    return sw_type_kind(t) == SW_KIND_SINT || sw_type_kind(t) == SW_KIND_UINT;
}

static bool
is_signed(sw_type t)
{
    return sw_type_kind(t) == SW_KIND_SINT;
}

/* An integer of `type` in its register: 8 bits fill 16. */
static V
to_register(const sw_alu *e, sw_type type, V v)
{
    if (sw_type_bits(type) > 8)
        return v;
    return is_signed(type) ? v_sext(e, v, 16) : v_zext(e, v, 16);
}

/* ---- integer to integer ---- */

/* x of `from` clamped to the range of `to`, where that is the smaller. */
static V
clamp_int(const sw_alu *e, V x, sw_type from, sw_type to)
{
    unsigned n = sw_type_bits(from), m = sw_type_bits(to);
    unsigned digits = m - is_signed(to);
    uint64_t max = UINT64_MAX >> (64 - digits);
    if (!is_signed(from))
        return digits < n ? v_call2(e, "llvm.umin", x, v_k(e, x, max)) : x;
    if (!is_signed(to))
        x = v_call2(e, "llvm.smax", x, v_k(e, x, 0));
    else if (m < n)
        x = v_call2(e, "llvm.smax", x, v_k(e, x, ~max));
    return digits < n - 1 ? v_call2(e, "llvm.smin", x, v_k(e, x, max)) : x;
}

static V
int_of_int(const sw_alu *e, V a, sw_type to, sw_type from)
{
    unsigned n = sw_type_bits(from), m = sw_type_bits(to);
    V x = v_resize(e, a, n);
    if (e->m & SW_FM_SAT)
        x = clamp_int(e, x, from, to);
    if (m > n)
        x = is_signed(from) ? v_sext(e, x, m) : v_zext(e, x, m);
    return to_register(e, to, m < n ? v_trunc(e, x, m) : x);
}

/* ---- float to integer ---- */

static V
integral(const sw_alu *e, V x)
{
    switch (e->m & SW_FM_RND) {
    case SW_RND_RZI:
    case SW_RND_RZ:
        return v_call1(e, "llvm.trunc", x);
    case SW_RND_RMI:
    case SW_RND_RM:
        return v_call1(e, "llvm.floor", x);
    case SW_RND_RPI:
    case SW_RND_RP:
        return v_call1(e, "llvm.ceil", x);
    default:
        return v_call1(e, "llvm.rint", x);
    }
}

/* A source of any float type as f32, or f64 if it is one. */
static V
number(const sw_alu *e, sw_type type, V a)
{
    switch (type) {
    case SW_T_F64:
        return v_f64(e, a);
    case SW_T_F32:
        return alu_in_f32(e, v_f32(e, a));
    case SW_T_F16:
        return alu_in_f16(e, a, e->m);
    default:
        return alu_f32_of_bf16(e, a);
    }
}

/* x, truncated and clamped to 32 or 64 bits; NaN: 0. The saturating intrinsics
 * of LLVM would go lane by lane; what its conversions give out of range is not
 * used. */
static V
clamped(const sw_alu *e, V x, unsigned bits, bool sign)
{
    LLVMTypeRef type = v_int_type(e, bits);
    double top = bits == 32 ? 0x1p32 : 0x1p64;
    uint64_t max = UINT64_MAX >> (64 - bits) >> sign;
    V r = v_cast(e, sign ? LLVMFPToSI : LLVMFPToUI, x, type);
    if (sign)
        top /= 2;
    r = v_sel(e, v_fcmpk(e, LLVMRealOGE, x, top), v_k(e, r, max), r);
    if (!sign)
        return v_sel(e, v_fcmpk(e, LLVMRealULT, x, 0), v_k(e, r, 0), r);
    r = v_sel(e, v_fcmpk(e, LLVMRealOLT, x, -top), v_k(e, r, ~max), r);
    return v_sel(e, v_is_nan(e, x), v_k(e, r, 0), r);
}

/* NaN: the top bit of 64-bit results and of f64 sources, else 0. */
static V
int_of_float(const sw_alu *e, V a, sw_type to, sw_type from)
{
    unsigned bits = sw_type_bits(to), rnd = e->m & SW_FM_RND;
    bool is_cut = from == SW_T_F32 && (rnd == SW_RND_RZI || rnd == SW_RND_RZ ||
                                       rnd == SW_RND_RNI || rnd == SW_RND_RN);
    V x = is_cut ? v_f32(e, a) : number(e, from, a), whole = x;
    if (rnd != SW_RND_RZI && rnd != SW_RND_RZ)
        whole = integral(e, x);
    V r = clamped(e, whole, bits > 32 ? 64 : 32, bits < 32 || is_signed(to));
    if (bits < 32)
        r = v_trunc(e, clamp_int(e, r, SW_T_S32, to), bits);
    if (bits == 64 || from == SW_T_F64)
        r = v_sel(e, v_is_nan(e, x), v_k(e, r, UINT64_C(1) << (bits - 1)), r);
    return to_register(e, to, r);
}

/* ---- narrowing in any direction ---- */

typedef struct {
    unsigned fraction, exponent; /* digits */
    uint32_t max, inf, nan;
} format;

static const format format_f16 = {10, 5, 0x7bff, 0x7c00, 0x7fff};
static const format format_bf16 = {7, 8, 0x7f7f, 0x7f80, 0x7fff};
static const format format_tf32 = {10, 8, 0x3fbff, 0x3fc00, 0x3ffff};
static const format format_e4m3 = {3, 4, 0x7e, 0x7f, 0x7f};
static const format format_e5m2 = {2, 5, 0x7b, 0x7c, 0x7f};

/* What a magnitude q with remainder rest gains by rounding; see
 * sem_rounds_up. */
static V
round_up(const sw_alu *e, unsigned rnd, V neg, V q, V rest, V half)
{
    V some = v_icmpk(e, LLVMIntNE, rest, 0), odd;
    switch (rnd) {
    case SW_RND_RZ:
        return v_k(e, q, 0);
    case SW_RND_RM:
        return v_zext(e, v_and(e, neg, some), 32);
    case SW_RND_RP:
        return v_zext(e, v_and(e, v_not(e, neg), some), 32);
    case SW_RND_RNA:
        return v_zext(e, v_icmp(e, LLVMIntUGE, rest, half), 32);
    default: /* above half, or half and odd */
        odd = v_andk(e, q, 1);
        return v_zext(e, v_icmp(e, LLVMIntUGT, v_add(e, rest, odd), half), 32);
    }
}

/* Finite magnitudes: a, the bits of an f32, to f. */
static V
narrow_finite(const sw_alu *e, const format *f, unsigned rnd, V a, V neg)
{
    uint32_t lowest = 129 - (1u << (f->exponent - 1)); /* f32's exponent */
    V ex = v_lshrk(e, a, 23), sig = v_andk(e, a, 0x7fffff);
    sig = v_sel(e, v_icmpk(e, LLVMIntEQ, ex, 0), sig, v_ork(e, sig, 0x800000));
    ex = v_call2(e, "llvm.umax", ex, v_k(e, ex, 1));
    V at = v_call2(e, "llvm.umax", ex, v_k(e, ex, lowest));
    V drop = v_addk(e, v_sub(e, at, ex), 23 - f->fraction);
    drop = v_call2(e, "llvm.umin", drop, v_k(e, drop, 25));
    V one = v_k(e, drop, 1), unit = v_shl(e, one, drop);
    V q = v_lshr(e, sig, drop), half = v_lshrk(e, unit, 1);
    V rest = v_and(e, sig, v_addk(e, unit, UINT64_MAX));
    q = v_add(e, q, round_up(e, rnd, neg, q, rest, half));
    V base = v_shlk(e, v_addk(e, at, 0 - (uint64_t)lowest), f->fraction);
    return v_add(e, base, q);
}

/* As sem_narrow: x, an f32, to f's bits in a 32-bit integer. */
static V
narrow(const sw_alu *e, const format *f, V x, sw_fmode m)
{
    unsigned rnd = m & SW_FM_RND;
    if (m & SW_FM_RELU)
        x = v_sel(e, v_fcmpk(e, LLVMRealOLE, x, 0), v_fk(e, x, 0), x);
    V u = v_bits32(e, x), a = v_andk(e, u, 0x7fffffff);
    V neg = v_icmpk(e, LLVMIntSLT, u, 0);
    V r = narrow_finite(e, f, rnd, a, neg);
    V over = v_icmpk(e, LLVMIntUGT, r, f->max), max = v_k(e, r, f->max);
    V beyond = v_k(e, r, f->inf), inf = beyond;
    if (rnd == SW_RND_RZ)
        beyond = max;
    if (rnd == SW_RND_RM)
        beyond = v_sel(e, neg, inf, max);
    if (rnd == SW_RND_RP)
        beyond = v_sel(e, neg, max, inf);
    if (m & SW_FM_SAT)
        beyond = inf = max;
    r = v_sel(e, over, beyond, r);
    r = v_sel(e, v_icmpk(e, LLVMIntEQ, a, 0x7f800000), inf, r);
    V sign = v_k(e, r, UINT64_C(1) << (f->fraction + f->exponent));
    r = v_or(e, r, v_sel(e, neg, sign, v_k(e, r, 0)));
    return v_sel(e, v_icmpk(e, LLVMIntUGT, a, 0x7f800000), v_k(e, r, f->nan),
                 r);
}

/* ---- integer to float ---- */

/* A 64-bit integer as f64, rounded to odd. */
static V
odd_of_u64(const sw_alu *e, V a)
{
    V lost = v_icmpk(e, LLVMIntNE, v_andk(e, a, 0x7ff), 0);
    V high = v_or(e, v_lshrk(e, a, 11), v_zext(e, lost, 64));
    V large = v_icmpk(e, LLVMIntUGE, a, UINT64_C(1) << 53);
    V x = v_cast(e, LLVMUIToFP, v_sel(e, large, high, a), v_f64_type(e));
    return v_sel(e, large, v_fmulk(e, x, 0x1p11), x);
}

static V
odd_of_int(const sw_alu *e, V a, sw_type from)
{
    unsigned bits = sw_type_bits(from);
    bool sign = is_signed(from);
    a = v_resize(e, a, bits);
    if (bits < 64)
        return v_cast(e, sign ? LLVMSIToFP : LLVMUIToFP, a, v_f64_type(e));
    if (!sign)
        return odd_of_u64(e, a);
    V neg = v_icmpk(e, LLVMIntSLT, a, 0);
    V x = odd_of_u64(e, v_sel(e, neg, v_neg(e, a), a));
    V top = v_shlk(e, v_zext(e, neg, 64), 63);
    return v_f64(e, v_or(e, v_bits64(e, x), top));
}

/* f64 from 64 bits in a direction: where there is an instruction. */
static bool
f64_directed(const sw_alu *e, V a, bool sign, V *d)
{
    static const int modes[SW_RND_COUNT] = {
        [SW_RND_RM] = 9, [SW_RND_RP] = 10, [SW_RND_RZ] = 11};
    if (!e->ll->has_avx512)
        return false;
    *d = v_x86(e,
               sign ? "llvm.x86.avx512.sitofp.round"
                    : "llvm.x86.avx512.uitofp.round",
               8, &a, 1, modes[e->m & SW_FM_RND]);
    return true;
}

static bool
float_of_int(const sw_alu *e, V a, sw_type to, sw_type from, V *d)
{
    bool directed = sem_is_directed(e->m), sign = is_signed(from);
    bool sat = e->m & SW_FM_SAT;
    LLVMOpcode plain = sign ? LLVMSIToFP : LLVMUIToFP;
    V x, v = v_resize(e, a, sw_type_bits(from));
    switch (to) {
    case SW_T_F64:
        if (directed && sw_type_bits(from) == 64) {
            if (!f64_directed(e, a, sign, &x))
                return false;
        } else {
            x = v_cast(e, plain, v, v_f64_type(e));
        }
        *d = v_bits64(e, sat ? alu_sat(e, x) : x);
        return true;
    case SW_T_F32:
        x = directed
                ? alu_round_f32(e, odd_of_int(e, a, from), e->m & SW_FM_RND)
                : v_cast(e, plain, v, v_f32_type(e));
        *d = v_bits32(e, sat ? alu_sat(e, x) : x);
        return true;
    default:
        break;
    }
    x = alu_round_odd_f32(e, odd_of_int(e, a, from));
    if (sat)
        x = alu_sat(e, x);
    if (directed) {
        const format *f = to == SW_T_F16 ? &format_f16 : &format_bf16;
        *d = v_trunc(e, narrow(e, f, x, e->m & SW_FM_RND), 16);
    } else {
        *d = to == SW_T_F16 ? alu_f16_of_f32(e, x) : alu_bf16_of_f32(e, x);
    }
    return true;
}

/* ---- float to float ---- */

/* sem_out_f32, but for which NaN. */
static V
out_f32(const sw_alu *e, V x, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        x = alu_flush_f32(e, x);
    if (m & SW_FM_SAT)
        x = alu_sat(e, x);
    if (m & SW_FM_RELU)
        x = v_sel(e, v_fcmpk(e, LLVMRealOLE, x, 0), v_fk(e, x, 0), x);
    return x;
}

static V
narrow_f64(const sw_alu *e, V x)
{
    return sem_is_directed(e->m) ? alu_round_f32(e, x, e->m & SW_FM_RND)
                                 : v_narrow(e, x);
}

static V
f32_of(const sw_alu *e, V a, sw_type from)
{
    V x;
    switch (from) {
    case SW_T_F64:
        x = v_f64(e, a);
        if (e->m & SW_FM_FTZ) { /* see sem_flush_product_f32 */
            V scaled = narrow_f64(e, v_fmulk(e, x, 0x1p64)), u = v_bits64(e, x);
            V tiny = v_fcmpk(e, LLVMRealOLT, v_fabs(e, scaled), 0x1p-62);
            V sign = v_andk(e, u, UINT64_C(1) << 63);
            x = v_f64(e, v_sel(e, tiny, sign, u));
        }
        x = narrow_f64(e, x);
        break;
    case SW_T_F32:
        if (!e->m)
            return v_f32(e, a);
        x = number(e, from, a);
        if (e->m & SW_FM_RND)
            x = integral(e, x);
        break;
    case SW_T_F16:
        x = alu_f32_of_f16(e, a);
        break;
    default:
        x = alu_f32_of_bf16(e, a);
    }
    return out_f32(e, x, e->m);
}

/* Sign and payload of NaNs stay, as the host has it too. */
static V
f64_of(const sw_alu *e, V a, sw_type from)
{
    V x = from == SW_T_F64    ? v_f64(e, a)
          : from == SW_T_F32  ? number(e, from, a)
          : from == SW_T_BF16 ? alu_f32_of_bf16(e, a)
                              : alu_f32_of_f16(e, a);
    if (from != SW_T_F64) {
        if (from == SW_T_F32 && e->m & SW_FM_FTZ)
            x = alu_canon_f32(e, x);
        x = v_wide(e, x);
    } else if (e->m) {
        V r = e->m & SW_FM_RND ? integral(e, x) : x;
        V quiet = v_ork(e, v_bits64(e, x), UINT64_C(1) << 51);
        x = v_f64(e, v_sel(e, v_is_nan(e, x), quiet, v_bits64(e, r)));
    }
    return e->m & SW_FM_SAT ? alu_sat(e, x) : x;
}

static V
f16_of_f32(const sw_alu *e, V x)
{
    sw_fmode m = e->m;
    if ((m & SW_FM_SAT) && (m & SW_FM_SUB))
        return v_trunc(e, narrow(e, &format_f16, x, m), 16);
    if (m & SW_FM_SAT)
        x = alu_sat(e, x);
    m = sem_without(m, SW_FM_SAT | SW_FM_FTZ);
    return sem_is_directed(m) ? v_trunc(e, narrow(e, &format_f16, x, m), 16)
                              : alu_out_f16(e, x, m);
}

static V
bf16_of_f32(const sw_alu *e, V x)
{
    x = alu_in_f32(e, x);
    if ((e->m & SW_FM_SAT) || sem_is_directed(e->m))
        return v_trunc(e, narrow(e, &format_bf16, x, e->m), 16);
    return alu_out_bf16(e, x, e->m);
}

/* From f64; a NaN's sign and the top of its payload stay. */
static V
half_of_f64(const sw_alu *e, V a, bool f16)
{
    V x = v_f64(e, a);
    bool sat = e->m & SW_FM_SAT;
    sw_fmode m = f16 ? sem_without(e->m, SW_FM_SAT) : e->m;
    V value = f16 && sat ? alu_sat(e, x) : x;
    value = alu_round_odd_f32(e, value);
    V r = narrow(e, f16 ? &format_f16 : &format_bf16, value, m);
    if (f16 && sat)
        return v_trunc(e, r, 16);
    V high = v_trunc(e, v_lshrk(e, a, 32), 32);
    V sign = v_andk(e, v_lshrk(e, high, 16), 0x8000);
    V nan = f16 ? v_ork(e, v_andk(e, v_lshrk(e, high, 10), 0x3ff), 0x7e00)
                : v_ork(e, v_andk(e, v_lshrk(e, high, 13), 0x7f), 0x7fc0);
    r = v_sel(e, v_is_nan(e, x), v_or(e, nan, sign), r);
    return v_trunc(e, r, 16);
}

static bool
half_of(const sw_alu *e, V a, sw_type to, sw_type from, V *d)
{
    bool f16 = to == SW_T_F16;
    if (from == SW_T_F64) {
        *d = half_of_f64(e, a, f16);
    } else if (from == to) {
        V x = number(e, from, a);
        if (e->m & SW_FM_RND)
            x = integral(e, x);
        *d = f16 ? alu_out_f16(e, x, e->m) : alu_out_bf16(e, x, e->m);
    } else {
        V x = from == SW_T_F32   ? v_f32(e, a)
              : from == SW_T_F16 ? alu_f32_of_f16(e, a)
                                 : alu_f32_of_bf16(e, a);
        *d = f16 ? f16_of_f32(e, x) : bf16_of_f32(e, x);
    }
    return true;
}

static V
tf32_of(const sw_alu *e, V a)
{
    V x = v_f32(e, a), r = v_shlk(e, narrow(e, &format_tf32, x, e->m), 13);
    V nan = v_int(e, 32, 0x7fffe000);
    if ((e->m & SW_FM_RND) == SW_RND_RNA) {
        nan = v_andk(e, a, 0xffffe000);
        if (e->m & SW_FM_SAT)
            nan = v_addk(e, nan, 0 - UINT64_C(0x2000));
    }
    return v_sel(e, v_is_nan(e, x), nan, r);
}

/* ---- pairs ---- */

static const format *
pair_format(sw_type type)
{
    switch (type) {
    case SW_T_F16X2:
        return &format_f16;
    case SW_T_BF16X2:
        return &format_bf16;
    case SW_T_E4M3X2:
        return &format_e4m3;
    case SW_T_E5M2X2:
        return &format_e5m2;
    default:
        return NULL;
    }
}

/* One of a pair as f32; a: its bits, alone in 32. */
static V
unpacked(const sw_alu *e, sw_type type, V a)
{
    V x;
    switch (type) {
    case SW_T_F16X2:
        return alu_f32_of_f16(e, v_trunc(e, a, 16));
    case SW_T_BF16X2:
        return v_f32(e, v_shlk(e, a, 16));
    case SW_T_E5M2X2: /* the upper half of an f16 */
        return alu_f32_of_f16(e, v_trunc(e, v_shlk(e, a, 8), 16));
    default: /* in the place of an f16, whose exponents are 8 larger */
        x = v_or(e, v_shlk(e, v_andk(e, a, 0x80), 8),
                 v_shlk(e, v_andk(e, a, 0x7f), 7));
        x = v_fmulk(e, alu_f32_of_f16(e, v_trunc(e, x, 16)), 0x1p8);
        a = v_icmpk(e, LLVMIntEQ, v_andk(e, a, 0x7f), 0x7f);
        return v_f32(e, v_sel(e, a, v_int(e, 32, 0x7fffffff), v_bits32(e, x)));
    }
}

/* One of a pair from f32, alone in 32 bits. */
static V
packed(const sw_alu *e, sw_type type, V x)
{
    sw_fmode m = e->m;
    bool general =
        sem_is_directed(m) || (m & SW_FM_SAT) || (m & SW_FM_RND) == SW_RND_RNA;
    if (type == SW_T_F16X2 && !general)
        return v_zext(e, alu_out_f16(e, x, m & SW_FM_RELU), 32);
    if (type == SW_T_BF16X2 && !general)
        return v_zext(e, alu_out_bf16(e, x, m & SW_FM_RELU), 32);
    return narrow(e, pair_format(type), x, m);
}

static bool
pair_of(const sw_alu *e, const V *s, V *d)
{
    sw_type to = e->ins->type, from = e->ins->stype;
    unsigned bits = sw_type_bits(to) / 2;
    V hi, lo;
    if (e->ins->nsrc == 2) {
        hi = alu_in_f32(e, v_f32(e, s[0]));
        lo = alu_in_f32(e, v_f32(e, s[1]));
    } else {
        unsigned n = sw_type_bits(from) / 2;
        V a = v_resize(e, s[0], 32);
        hi = unpacked(e, from, v_andk(e, v_lshrk(e, a, n), (1u << n) - 1));
        lo = unpacked(e, from, v_andk(e, a, (1u << n) - 1));
    }
    V r = v_or(e, v_shlk(e, packed(e, to, hi), bits), packed(e, to, lo));
    *d = v_resize(e, r, 2 * bits);
    return true;
}

/* cvt.pack.sat: a above b above the low bits of c. */
static bool
pack_ints(const sw_alu *e, const V *s, V *d)
{
    unsigned bits = sw_type_bits(e->ins->type);
    sw_type from = e->ins->stype == SW_T_U32 ? SW_T_U32 : SW_T_S32;
    V r = bits < 16 ? v_shlk(e, s[2], 2 * bits) : v_int(e, 32, 0);
    for (unsigned i = 0; i < 2; i++) {
        V x = clamp_int(e, s[1 - i], from, e->ins->type);
        x = v_andk(e, x, (1u << bits) - 1);
        r = v_or(e, r, v_shlk(e, x, bits * i));
    }
    *d = r;
    return true;
}

bool
alu_cvt(const sw_alu *e, const V *s, V *d)
{
    sw_type to = e->ins->type, from = e->ins->stype;
    if (e->ins->op == SW_OP_CVT_PACK)
        return pack_ints(e, s, d);
    if (pair_format(to))
        return pair_of(e, s, d);
    if (is_int(to)) {
        *d = is_int(from) ? int_of_int(e, s[0], to, from)
                          : int_of_float(e, s[0], to, from);
        return true;
    }
    if (is_int(from))
        return float_of_int(e, s[0], to, from, d);
    switch (to) {
    case SW_T_F32:
        *d = v_bits32(e, f32_of(e, s[0], from));
        return true;
    case SW_T_F64:
        *d = v_bits64(e, f64_of(e, s[0], from));
        return true;
    case SW_T_F16:
    case SW_T_BF16:
        return half_of(e, s[0], to, from, d);
    case SW_T_TF32:
        *d = tf32_of(e, s[0]);
        return true;
    default:
        return false;
    }
}
