/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approx.h - the approximate functions (rcp, rsqrt, sqrt, sin, cos, lg2, ex2,
 * tanh, div.approx, div.full) and the IEEE forms of the same ops.
 *
 * Special cases, flushing and range reduction are the device's; results are
 * correctly rounded or within an ulp or two of it, not yet the device's bits.
 * Polynomials in f64, so that loops over lanes vectorise. One function per
 * instruction: a better one replaces it alone.
 */
#ifndef SW_SEM_APPROX_H
#define SW_SEM_APPROX_H
#include "sem/half.h"

/* ---- functions on f64, good to some 1e-11 relative ---- */

/* 2^x for -1100 < x < 1100. */
static inline double
sem_exp2(double x)
{
    double n = __builtin_rint(x), t = (x - n) * 0x1.62e42fefa39efp-1;
    double p = 1.0 / 362880;
    p = p * t + 1.0 / 40320;
    p = p * t + 1.0 / 5040;
    p = p * t + 1.0 / 720;
    p = p * t + 1.0 / 120;
    p = p * t + 1.0 / 24;
    p = p * t + 1.0 / 6;
    p = p * t + 0.5;
    p = p * t + 1.0;
    p = p * t + 1.0;
    /* 2^n in two factors; n + 0x1.8p52 holds n in its low bits. */
    double half = __builtin_floor(n * 0.5), rest = n - half;
    double a = sem_f64_bits((sem_bits_f64(half + 0x1.8p52) + 1023) << 52);
    double b = sem_f64_bits((sem_bits_f64(rest + 0x1.8p52) + 1023) << 52);
    return p * a * b;
}

/* log2 of a positive normal number. */
static inline double
sem_log2(double x)
{
    uint64_t u = sem_bits_f64(x);
    uint64_t e = (u - UINT64_C(0x3fe6a09e667f3bcd)) >> 52 & 0xfff;
    /* e is the exponent, modulo 2^12, of x over the root of 1/2. */
    double m = sem_f64_bits(u - (e << 52));
    double n = sem_f64_bits((e ^ 0x800) | UINT64_C(0x4330000000000000)) -
               (0x1p52 + 0x800);
    double s = (m - 1) / (m + 1), z = s * s;
    double p = 1.0 / 17;
    p = p * z + 1.0 / 15;
    p = p * z + 1.0 / 13;
    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    p = p * z + 1.0;
    return n + s * p * 0x1.71547652b82fep+1; /* 2 / ln 2 */
}

/* Sine and cosine of t turns, |t| < 2^51; quarter adds quarter turns. */
static inline double
sem_sin_turns(double t, unsigned quarter)
{
    double q = __builtin_rint(t * 4), r = (t * 4 - q) * 0x1.921fb54442d18p+0;
    uint64_t k = sem_bits_f64(q + 0x1.8p52) + quarter;
    double z = r * r;
    double s = -1.0 / 39916800;
    s = s * z + 1.0 / 362880;
    s = s * z - 1.0 / 5040;
    s = s * z + 1.0 / 120;
    s = s * z - 1.0 / 6;
    s = s * z * r + r;
    double c = 1.0 / 479001600;
    c = c * z - 1.0 / 3628800;
    c = c * z + 1.0 / 40320;
    c = c * z - 1.0 / 720;
    c = c * z + 1.0 / 24;
    c = c * z - 0.5;
    c = c * z + 1.0;
    double v = k & 1 ? c : s;
    return k & 2 ? -v : v;
}

/* ---- f32 ---- */

/* rcp.approx(.ftz): subnormal operands count unless .ftz. */
static inline float
sem_rcp_approx_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    return sem_out_f32(1.0f / a, m);
}

static inline float
sem_rcp_f32(float a, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_rcp_approx_f32(a, m);
    return sem_div_ieee_f32(1.0f, a, m);
}

/* "-0.0 -> -Inf, negative -> NaN, +Inf -> +0.0". */
static inline float
sem_rsqrt_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    float r = (float)(1.0 / __builtin_sqrt((double)a));
    return sem_out_f32(r, m);
}

static inline float
sem_sqrt_approx_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    return sem_out_f32(__builtin_sqrtf(a), m);
}

static inline float
sem_sqrt_f32(float a, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_sqrt_approx_f32(a, m);
    return sem_sqrt_ieee_f32(a, m);
}

/* The device multiplies by an f32 1/(2 pi), rounding towards zero, and looks
 * up the sine of the turns. Zero keeps its sign; infinity gives NaN. */
static inline double
sem_turns_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    float t = sem_mul_f32(a, 0x1.45f306p-3f, SW_RND_RZ | (m & SW_FM_FTZ));
    return (double)t;
}

static inline float
sem_sin_f32(float a, sw_fmode m)
{
    double t = sem_turns_f32(a, m);
    double whole = fabs(t) < 0x1p40 ? t : 0; /* integral: no fraction */
    double r = sem_sin_turns(whole, 0);
    r = t == 0 ? t : r;
    r = fabs(t) <= FLT_MAX ? r : sem_nan_f64();
    return sem_out_f32((float)r, m);
}

static inline float
sem_cos_f32(float a, sw_fmode m)
{
    double t = sem_turns_f32(a, m);
    double whole = fabs(t) < 0x1p40 ? t : 0;
    double r = sem_sin_turns(whole, 1);
    r = fabs(t) <= FLT_MAX ? r : sem_nan_f64();
    return sem_out_f32((float)r, m);
}

/* "+-0 -> -Inf, negative -> NaN". */
static inline float
sem_lg2_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    double x = (double)a;
    double r = sem_log2(x > 0 && x <= FLT_MAX ? x : 1);
    r = x > 0 ? (x <= FLT_MAX ? r : (double)INFINITY) : sem_nan_f64();
    r = x == 0 ? -(double)INFINITY : r;
    return sem_out_f32((float)r, m);
}

/* "-Inf -> +0, subnormal -> 1". */
static inline float
sem_ex2_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    double x = (double)a;
    x = x > -400 ? x : -400;
    x = x < 400 ? x : 400;
    float r = (float)sem_exp2(x);
    return sem_out_f32(a != a ? a : r, m);
}

/* (1 - e) / (1 + e), e = exp(-2|a|); its series where that cancels. */
static inline float
sem_tanh_f32(float a, sw_fmode m)
{
    double x = fabs((double)a), z = x * x;
    double e = sem_exp2(-(x < 40 ? x : 40) * 0x1.71547652b82fep+1);
    double big = (1 - e) / (1 + e);
    double p = 62.0 / 2835;
    p = p * z - 17.0 / 315;
    p = p * z + 2.0 / 15;
    p = p * z - 1.0 / 3;
    double small = x + x * z * p;
    double r = x < 0.0625 ? small : big;
    r = x == x ? r : x;
    return sem_out_f32(copysignf((float)r, a), sem_without(m, SW_FM_FTZ));
}

/* div.approx: a * (1 / b). "For |b| in (2^126, 2^128), if a is infinite the
 * result is NaN, else 0": the reciprocal is flushed. */
static inline float
sem_div_approx_f32(float a, float b, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    float r = sem_rcp_approx_f32(b, m | SW_FM_FTZ);
    /* Subnormal b, kept without .ftz: its reciprocal overflows f32 only. */
    double q =
        fabsf(b) < FLT_MIN ? (double)a / (double)b : (double)a * (double)r;
    return sem_out_f32((float)q, m);
}

/* div.full: as approx, with operands scaled so that all of b is fine. */
static inline float
sem_div_full_f32(float a, float b, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    float scale = fabsf(b) > 0x1p126f ? 0.25f : 1.0f;
    double q = (double)a * (double)scale / (double)(b * scale);
    return sem_out_f32((float)q, m);
}

static inline float
sem_div_f32(float a, float b, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_div_approx_f32(a, b, m);
    if (m & SW_FM_FULL)
        return sem_div_full_f32(a, b, m);
    return sem_div_ieee_f32(a, b, m);
}

/* ---- f64 ---- */

/* rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 read the upper word of the
 * operand and give a result whose lower word is zero; subnormals are flushed
 * on both sides. */
static inline double
sem_seed_in_f64(double a)
{
    uint64_t u = sem_bits_f64(a) & UINT64_C(0xffffffff00000000);
    bool tiny = !(u & UINT64_C(0x7ff0000000000000));
    return sem_f64_bits(tiny ? u & UINT64_C(1) << 63 : u);
}

static inline double
sem_seed_out_f64(double r)
{
    uint64_t u = sem_bits_f64(r);
    if (r != r)
        return sem_f64_bits(UINT64_C(0x7fffffff00000000));
    if (!(u & UINT64_C(0x7ff0000000000000)))
        return sem_f64_bits(u & UINT64_C(1) << 63);
    return sem_f64_bits(u & UINT64_C(0xffffffff00000000));
}

static inline double
sem_rcp_f64(double a, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_seed_out_f64(1.0 / sem_seed_in_f64(a));
    return sem_div_f64(1.0, a, m);
}

static inline double
sem_rsqrt_f64(double a, sw_fmode m)
{
    double x = m & SW_FM_FTZ ? sem_seed_in_f64(a) : a;
    double r = 1.0 / __builtin_sqrt(x);
    return m & SW_FM_FTZ ? sem_seed_out_f64(r) : sem_canon1_f64(r, a);
}

/* ---- f16, bf16 ---- */

static inline uint16_t
sem_ex2_f16(uint16_t a, sw_fmode m)
{
    return sem_f16_of_f32(sem_ex2_f32(sem_f32_of_f16(a), m));
}

static inline uint16_t
sem_tanh_f16(uint16_t a, sw_fmode m)
{
    return sem_f16_of_f32(sem_tanh_f32(sem_f32_of_f16(a), m));
}

/* ex2.approx.ftz.bf16: subnormal operands and results flushed. */
static inline uint16_t
sem_ex2_bf16(uint16_t a, sw_fmode m)
{
    return sem_bf16_of_f32(sem_ex2_f32(sem_f32_of_bf16(a), m));
}

static inline uint16_t
sem_tanh_bf16(uint16_t a, sw_fmode m)
{
    return sem_bf16_of_f32(sem_tanh_f32(sem_f32_of_bf16(a), m));
}

SEM_PAIR1(ex2, f16)
SEM_PAIR1(tanh, f16)
SEM_PAIR1(ex2, bf16)
SEM_PAIR1(tanh, bf16)

#endif
