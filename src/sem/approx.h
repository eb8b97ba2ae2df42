/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approx.h - the approximate functions (rcp, rsqrt, sqrt, sin, cos, lg2, ex2,
 * tanh, div.approx, div.full) and the IEEE forms of the same ops.
 *
 * Results are those of an H200, every bit: sfu.h has its special-function
 * unit, and here is what the device's assembler puts around it, which scales
 * subnormal operands and results that the unit would flush. Digests of all
 * 2^32 operands of the 15 forms on f32 are in tests/data/h200_approx.csv;
 * bench/approx_check computes ours.
 */
#ifndef SW_SEM_APPROX_H
#define SW_SEM_APPROX_H
#include "sem/half.h"
#include "sem/sfu.h"

/* ---- f32 ---- */

/* A factor for operands that the unit would flush: 2^24 for subnormals. */
static inline float
sem_scale_subnormal(float a)
{
    return fabsf(a) < FLT_MIN ? 0x1p24f : 1.0f;
}

static inline float
sem_rcp_approx_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_rcp_f32(a);
    float s = fabsf(a) > 0x1p126f ? 0.25f : sem_scale_subnormal(a);
    return sem_canon_f32(sem_sfu_rcp_f32(a * s) * s);
}

static inline float
sem_rcp_f32(float a, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_rcp_approx_f32(a, m);
    return sem_div_ieee_f32(1.0f, a, m);
}

static inline float
sem_rsqrt_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_rsq_f32(a);
    float r = sem_sfu_rsq_f32(a * sem_scale_subnormal(a));
    return r * (fabsf(a) < FLT_MIN ? 0x1p12f : 1.0f);
}

static inline float
sem_sqrt_approx_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_sqrt_f32(a);
    float r = sem_sfu_sqrt_f32(a * sem_scale_subnormal(a));
    return r * (fabsf(a) < FLT_MIN ? 0x1p-12f : 1.0f);
}

static inline float
sem_sqrt_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FULL)
        return sem_rcp_approx_f32(sem_rsqrt_f32(a, m), m);
    if (m & SW_FM_APPROX)
        return sem_sqrt_approx_f32(a, m);
    return sem_sqrt_ieee_f32(a, m);
}

/* The operand in turns, rounded towards zero to f32; 1/(2 pi) is an f32. A
 * subnormal result is of no account to sine and cosine. */
static inline float
sem_turns_f32(float a)
{
    double t = (double)a * 0x1.45f306p-3;
    return (float)sem_f64_bits(sem_bits_f64(t) & ~UINT64_C(0x1fffffff));
}

static inline float
sem_sin_f32(float a, sw_fmode m)
{
    (void)m;
    return sem_sfu_sin_f32(sem_turns_f32(a));
}

static inline float
sem_cos_f32(float a, sw_fmode m)
{
    (void)m;
    return sem_sfu_cos_f32(sem_turns_f32(a));
}

static inline float
sem_lg2_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_lg2_f32(a);
    float r = sem_sfu_lg2_f32(a * sem_scale_subnormal(a));
    return r - (fabsf(a) < FLT_MIN ? 24.0f : 0.0f);
}

/* Results that the unit would flush come by way of their root. */
static inline float
sem_ex2_f32(float a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_ex2_f32(a);
    bool tiny = a < -126.0f;
    float r = sem_sfu_ex2_f32(a * (tiny ? 0.5f : 1.0f));
    return r * (tiny ? r : 1.0f);
}

static inline float
sem_tanh_f32(float a, sw_fmode m)
{
    (void)m;
    return sem_sfu_tanh_f32(a);
}

/* The reciprocal of |b| > 2^126 is flushed: the quotient is 0, or NaN if a is
 * infinite. */
static inline float
sem_div_approx_f32(float a, float b, sw_fmode m)
{
    if (!(m & SW_FM_FTZ)) {
        float s = sem_scale_subnormal(b);
        a *= s;
        b *= s;
    }
    return sem_mul_f32(a, sem_sfu_rcp_f32(b), m);
}

/* div.full scales large divisors too. */
static inline float
sem_div_full_f32(float a, float b, sw_fmode m)
{
    bool large = fabsf(b) > 0x1p126f;
    a = large ? sem_mul_f32(a, 0.25f, m) : a;
    b = large ? b * 0.25f : b;
    return sem_div_approx_f32(a, b, m);
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

static inline double
sem_rcp_f64(double a, sw_fmode m)
{
    if (m & SW_FM_APPROX)
        return sem_sfu_rcp_f64(a);
    return sem_div_f64(1.0, a, m);
}

/* One step of Newton's method from the unit's seed. */
static inline double
sem_rsqrt_step_f64(double a)
{
    double y = sem_sfu_rsq_f64(a);
    double e = __builtin_fma(a, -(y * y), 1.0);
    return __builtin_fma(__builtin_fma(e, 0.375, 0.5), y * e, y);
}

static inline double
sem_rsqrt_f64(double a, sw_fmode m)
{
    if (m & SW_FM_FTZ)
        return sem_sfu_rsq_f64(a);
    if (a == 0)
        return copysign((double)INFINITY, a);
    if (a != a)
        return sem_quiet_f64(a);
    if (a < 0)
        return sem_nan_f64();
    if (a > DBL_MAX)
        return 0;
    if (a < DBL_MIN)
        return sem_rsqrt_step_f64(a * 0x1p54) * 0x1p27;
    return sem_rsqrt_step_f64(a);
}

/* ---- f16, bf16: the unit's result on f32, truncated ---- */

static inline uint16_t
sem_truncate_f16(float x)
{
    uint32_t u = sem_bits_f32(x), a = u & 0x7fffffff;
    uint32_t tiny = (uint32_t)(sem_f32_bits(a < 0x38800000 ? a : 0) * 0x1p24f);
    uint32_t r = a < 0x38800000   ? tiny
                 : a < 0x47800000 ? (a - 0x38000000) >> 13
                                  : 0x7c00;
    r |= u >> 16 & 0x8000;
    return (uint16_t)(a > 0x7f800000 ? 0x7fff : r);
}

static inline uint16_t
sem_truncate_bf16(float x)
{
    return (uint16_t)(sem_bits_f32(x) >> 16);
}

static inline uint16_t
sem_ex2_f16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_truncate_f16(sem_sfu_ex2_f32(sem_f32_of_f16(a)));
}

static inline uint16_t
sem_tanh_f16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_truncate_f16(sem_sfu_tanh_f32(sem_f32_of_f16(a)));
}

static inline uint16_t
sem_ex2_bf16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_truncate_bf16(sem_sfu_ex2_f32(sem_f32_of_bf16(a)));
}

static inline uint16_t
sem_tanh_bf16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_truncate_bf16(sem_sfu_tanh_f32(sem_f32_of_bf16(a)));
}

SEM_PAIR1(ex2, f16)
SEM_PAIR1(tanh, f16)
SEM_PAIR1(ex2, bf16)
SEM_PAIR1(tanh, bf16)

#endif
