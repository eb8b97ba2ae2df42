/* SPDX-License-Identifier: Apache-2.0 */
/*
 * soft.h - floating point as integers: exact values of any format, rounded
 * once in any direction. The slow path of every other header here, and what
 * their fast paths are tested against.
 *
 * A value is sign, exponent and a 128-bit significand; the lowest bit of the
 * significand may be sticky ("something below was not zero"). Total, no
 * state. Does NOT flush subnormals, saturate or choose NaNs: callers do.
 */
#ifndef SW_SEM_SOFT_H
#define SW_SEM_SOFT_H
#include <string.h>

#include "ir/ir.h"

__extension__ typedef unsigned __int128 sw_u128;
__extension__ typedef __int128 sw_s128;

typedef enum {
    SEM_FMT_F64,
    SEM_FMT_F32,
    SEM_FMT_TF32, /* an f32 whose lower 13 bits are zero */
    SEM_FMT_F16,
    SEM_FMT_BF16,
    SEM_FMT_E4M3, /* no infinity; one NaN a sign */
    SEM_FMT_E5M2
} sem_fmt;

typedef enum { SEM_ZERO, SEM_FINITE, SEM_INF, SEM_NAN } sem_class;

typedef struct {
    sem_class cls;
    bool neg;
    int exp;     /* value = sig * 2^exp */
    sw_u128 sig; /* FINITE: not zero */
} sem_soft;

static inline uint32_t
sem_bits_f32(float x)
{
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline float
sem_f32_bits(uint32_t u)
{
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}

static inline uint64_t
sem_bits_f64(double x)
{
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}

static inline double
sem_f64_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}

/* Digits of the stored fraction. */
static inline int
sem_fmt_fraction(sem_fmt fmt)
{
    switch (fmt) {
    case SEM_FMT_F64:
        return 52;
    case SEM_FMT_F32:
        return 23;
    case SEM_FMT_TF32:
    case SEM_FMT_F16:
        return 10;
    case SEM_FMT_BF16:
        return 7;
    case SEM_FMT_E4M3:
        return 3;
    default:
        return 2;
    }
}

static inline int
sem_fmt_exponent(sem_fmt fmt)
{
    switch (fmt) {
    case SEM_FMT_F64:
        return 11;
    case SEM_FMT_F32:
    case SEM_FMT_TF32:
    case SEM_FMT_BF16:
        return 8;
    case SEM_FMT_E4M3:
        return 4;
    default:
        return 5;
    }
}

/* The largest finite magnitude's bits. */
static inline uint64_t
sem_fmt_max(sem_fmt fmt)
{
    if (fmt == SEM_FMT_E4M3)
        return 0x7e;
    int f = sem_fmt_fraction(fmt), e = sem_fmt_exponent(fmt);
    return ((UINT64_C(1) << (f + e)) - 1) - (UINT64_C(1) << f);
}

static inline int
sem_clz128(sw_u128 v)
{
    uint64_t hi = (uint64_t)(v >> 64), lo = (uint64_t)v;
    return hi ? __builtin_clzll(hi) : lo ? 64 + __builtin_clzll(lo) : 128;
}

/* v >> n, the lowest bit of the result set if any bit was lost. */
static inline sw_u128
sem_shr_sticky(sw_u128 v, int n)
{
    if (n <= 0)
        return v;
    if (n > 127)
        return v != 0;
    return v >> n | ((v & (((sw_u128)1 << n) - 1)) != 0);
}

/* tf32 is given and returned in its fp32 place (fraction at bit 13). */
static inline sem_soft
sem_soft_unpack(sem_fmt fmt, uint64_t bits)
{
    if (fmt == SEM_FMT_TF32)
        bits >>= 13;
    int f = sem_fmt_fraction(fmt), e = sem_fmt_exponent(fmt);
    int bias = (1 << (e - 1)) - 1;
    uint64_t frac = bits & ((UINT64_C(1) << f) - 1);
    int ex = (int)(bits >> f) & ((1 << e) - 1);
    sem_soft r = {SEM_FINITE, bits >> (f + e) & 1, 0, 0};
    if (fmt == SEM_FMT_E4M3) {
        if (ex == 15 && frac == 7)
            r.cls = SEM_NAN;
    } else if (ex == (1 << e) - 1) {
        r.cls = frac ? SEM_NAN : SEM_INF;
    }
    if (!ex && !frac)
        r.cls = SEM_ZERO;
    r.sig = ex ? frac | UINT64_C(1) << f : frac;
    r.exp = (ex ? ex : 1) - bias - f;
    return r;
}

/* Does a magnitude with remainder `rest` of `half` (the weight of half a unit)
 * round away from zero? rnd: RN (or NONE), RZ, RM, RP, RNA and the RNI..RPI. */
static inline bool
sem_rounds_up(unsigned rnd, bool neg, bool odd, sw_u128 rest, sw_u128 half)
{
    switch (rnd) {
    case SW_RND_RZ:
    case SW_RND_RZI:
        return false;
    case SW_RND_RM:
    case SW_RND_RMI:
        return neg && rest;
    case SW_RND_RP:
    case SW_RND_RPI:
        return !neg && rest;
    case SW_RND_RNA:
        return rest >= half;
    default:
        return rest > half || (rest == half && odd);
    }
}

/*
 * The bits of `fmt` nearest to sig * 2^exp in direction rnd; overflow gives
 * infinity or the largest finite number by IEEE 754 (E4M3, which has no
 * infinity: 0x7f). NAN gives the all-ones pattern without sign (0x7fffffff and
 * its like; f64 0x7ff8...).
 */
static inline uint64_t
sem_soft_pack(sem_fmt fmt, unsigned rnd, sem_soft v)
{
    int f = sem_fmt_fraction(fmt), e = sem_fmt_exponent(fmt);
    int bias = (1 << (e - 1)) - 1, out = fmt == SEM_FMT_TF32 ? 13 : 0;
    uint64_t sign = (uint64_t)v.neg << (f + e);
    uint64_t inf = fmt == SEM_FMT_E4M3
                       ? 0x7f
                       : ((UINT64_C(1) << e) - 1) << f; /* or its stand-in */
    if (v.cls == SEM_NAN)
        return fmt == SEM_FMT_F64    ? UINT64_C(0x7ff8000000000000)
               : fmt == SEM_FMT_TF32 ? 0x7fffffff
                                     : (UINT64_C(1) << (f + e)) - 1;
    if (v.cls == SEM_INF)
        return (sign | inf) << out;
    if (v.cls == SEM_ZERO || !v.sig)
        return sign << out;
    int top = 127 - sem_clz128(v.sig); /* of the leading one */
    int ulp = v.exp + top - f;         /* exponent of the last place */
    ulp = ulp > 1 - bias - f ? ulp : 1 - bias - f;
    int drop = ulp - v.exp;
    uint64_t q;
    if (drop <= 0) {
        q = (uint64_t)(v.sig << -drop);
    } else {
        sw_u128 sig = v.sig;
        if (drop > 126) {
            sig = sem_shr_sticky(sig, drop - 126);
            drop = 126;
        }
        sw_u128 half = (sw_u128)1 << (drop - 1);
        sw_u128 rest = sig & (half * 2 - 1);
        q = (uint64_t)(sig >> drop);
        q += sem_rounds_up(rnd, v.neg, q & 1, rest, half);
    }
    /* A carry into the exponent field is what is wanted. */
    int64_t field = ulp + bias + f; /* 1: subnormal or lowest binade */
    uint64_t bits =
        field > 1 << e ? UINT64_MAX >> 1 : ((uint64_t)(field - 1) << f) + q;
    if (bits > sem_fmt_max(fmt)) {
        bool away = rnd == SW_RND_RM   ? v.neg
                    : rnd == SW_RND_RP ? !v.neg
                                       : rnd != SW_RND_RZ;
        bits = away ? inf : sem_fmt_max(fmt);
    }
    return (sign | bits) << out;
}

/* Exact zero sums are +0, but -0 when rounding down. */
static inline sem_soft
sem_soft_add(sem_soft a, sem_soft b, unsigned rnd)
{
    if (a.cls == SEM_NAN || b.cls == SEM_NAN ||
        (a.cls == SEM_INF && b.cls == SEM_INF && a.neg != b.neg))
        return (sem_soft){.cls = SEM_NAN};
    if (a.cls == SEM_INF || b.cls == SEM_INF)
        return a.cls == SEM_INF ? a : b;
    if (a.cls == SEM_ZERO && b.cls == SEM_ZERO)
        return (sem_soft){.cls = SEM_ZERO,
                          .neg = a.neg == b.neg ? a.neg : rnd == SW_RND_RM};
    if (a.cls == SEM_ZERO || b.cls == SEM_ZERO)
        return a.cls == SEM_ZERO ? b : a;
    /* Leading ones to bit 125; 106 digits of a product leave 20 spare. */
    int za = sem_clz128(a.sig) - 2, zb = sem_clz128(b.sig) - 2;
    a.sig = za >= 0 ? a.sig << za : sem_shr_sticky(a.sig, -za);
    b.sig = zb >= 0 ? b.sig << zb : sem_shr_sticky(b.sig, -zb);
    a.exp -= za;
    b.exp -= zb;
    if (a.exp < b.exp || (a.exp == b.exp && a.sig < b.sig)) {
        sem_soft t = a;
        a = b;
        b = t;
    }
    b.sig = sem_shr_sticky(b.sig, a.exp - b.exp);
    a.sig = a.neg == b.neg ? a.sig + b.sig : a.sig - b.sig;
    if (!a.sig)
        return (sem_soft){.cls = SEM_ZERO, .neg = rnd == SW_RND_RM};
    return a;
}

/* Exact for significands of up to 64 bits. */
static inline sem_soft
sem_soft_mul(sem_soft a, sem_soft b)
{
    bool neg = a.neg != b.neg;
    if (a.cls == SEM_NAN || b.cls == SEM_NAN ||
        (a.cls == SEM_INF && b.cls == SEM_ZERO) ||
        (a.cls == SEM_ZERO && b.cls == SEM_INF))
        return (sem_soft){.cls = SEM_NAN};
    if (a.cls == SEM_INF || b.cls == SEM_INF)
        return (sem_soft){.cls = SEM_INF, .neg = neg};
    if (a.cls == SEM_ZERO || b.cls == SEM_ZERO)
        return (sem_soft){.cls = SEM_ZERO, .neg = neg};
    return (sem_soft){SEM_FINITE, neg, a.exp + b.exp,
                      (sw_u128)(uint64_t)a.sig * (uint64_t)b.sig};
}

/* Significands of up to 64 bits; 62 or more digits and a sticky one. */
static inline sem_soft
sem_soft_div(sem_soft a, sem_soft b)
{
    bool neg = a.neg != b.neg;
    if (a.cls == SEM_NAN || b.cls == SEM_NAN ||
        (a.cls == b.cls && (a.cls == SEM_INF || a.cls == SEM_ZERO)))
        return (sem_soft){.cls = SEM_NAN};
    if (a.cls == SEM_INF || b.cls == SEM_ZERO)
        return (sem_soft){.cls = SEM_INF, .neg = neg};
    if (a.cls == SEM_ZERO || b.cls == SEM_INF)
        return (sem_soft){.cls = SEM_ZERO, .neg = neg};
    int za = sem_clz128(a.sig), zb = sem_clz128((uint64_t)b.sig) - 64;
    sw_u128 n = a.sig << za;
    uint64_t d = (uint64_t)b.sig << zb;
    return (sem_soft){SEM_FINITE, neg, (a.exp - za) - (b.exp - zb) - 1,
                      (n / d) << 1 | (n % d != 0)};
}

/* Significands of up to 64 bits. */
static inline sem_soft
sem_soft_sqrt(sem_soft a)
{
    if (a.cls == SEM_NAN || (a.neg && a.cls != SEM_ZERO))
        return (sem_soft){.cls = SEM_NAN};
    if (a.cls != SEM_FINITE)
        return a;
    int z = sem_clz128(a.sig);
    z -= (a.exp - z) & 1; /* the exponent becomes even */
    sw_u128 n = a.sig << z, root = 0;
    for (sw_u128 bit = (sw_u128)1 << 126; bit; bit >>= 2) {
        bool fits = n >= root + bit;
        n -= fits ? root + bit : 0;
        root = (root >> 1) + (fits ? bit : 0);
    }
    return (sem_soft){SEM_FINITE, false, (a.exp - z) / 2 - 1,
                      root << 1 | (n != 0)};
}

/* An integer's value. */
static inline sem_soft
sem_soft_of_u64(uint64_t a, bool neg)
{
    return (sem_soft){a ? SEM_FINITE : SEM_ZERO, neg, 0, a};
}

#endif
