/* SPDX-License-Identifier: Apache-2.0 */
/*
 * half.h - f16 and bf16, alone and packed in pairs: narrowing, widening and
 * arithmetic. Values are their bits (uint16_t; pairs uint32_t, first low).
 *
 * f32 has more than twice the digits of either format, so one operation in
 * f32 rounded again is that operation rounded once; fma goes through f64 and
 * rounding to odd. NaN results are 0x7fff. fp8 formats are in fp8.h.
 */
#ifndef SW_SEM_HALF_H
#define SW_SEM_HALF_H
#include "sem/float.h"

enum { SEM_OOB_NAN = 0x7ff7 };

/* ---- widening: exact; NaN becomes the canonical one ---- */

static inline float
sem_f32_of_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t x = (uint32_t)(h & 0x7fff) << 13;
    uint32_t finite = sem_bits_f32(sem_f32_bits(x) * 0x1p112f);
    uint32_t special = x > 0x0f800000 ? 0x7fffffff : 0x7f800000;
    return sem_f32_bits(x >= 0x0f800000
                            ? special | (special == 0x7fffffff ? 0 : sign)
                            : finite | sign);
}

/* The bits of the upper half, NaN payloads included. */
static inline float
sem_f32_of_bf16(uint16_t h)
{
    return sem_f32_bits((uint32_t)h << 16);
}

/* ---- narrowing; nearest even is open-coded, the rest in soft.h ---- */

static inline uint16_t
sem_f16_of_f32(float x)
{
    uint32_t u = sem_bits_f32(x), a = u & 0x7fffffff;
    uint32_t normal = (a + 0xfff + (a >> 13 & 1) - 0x38000000) >> 13;
    uint32_t tiny =
        sem_bits_f32(sem_f32_bits(a < 0x38800000 ? a : 0) + 0.5f) - 0x3f000000;
    uint32_t r = a < 0x38800000 ? tiny : a < 0x47800000 ? normal : 0x7c00;
    r |= u >> 16 & 0x8000;
    return (uint16_t)(a > 0x7f800000 ? 0x7fff : r);
}

static inline uint16_t
sem_bf16_of_f32(float x)
{
    uint32_t u = sem_bits_f32(x);
    uint32_t r = (u + 0x7fff + (u >> 16 & 1)) >> 16;
    return (uint16_t)((u & 0x7fffffff) > 0x7f800000 ? 0x7fff : r);
}

/* x to `fmt` in any direction, .satfinite and .relu; NaN as soft.h packs. */
static inline uint32_t
sem_narrow(sem_fmt fmt, double x, sw_fmode m)
{
    sem_soft v = sem_soft_unpack(SEM_FMT_F64, sem_bits_f64(x));
    if ((m & SW_FM_RELU) && v.neg && v.cls != SEM_NAN)
        v = (sem_soft){.cls = SEM_ZERO};
    uint32_t r = (uint32_t)sem_soft_pack(fmt, m & SW_FM_RND, v);
    int out = fmt == SEM_FMT_TF32 ? 13 : 0;
    uint32_t sign = 1u << (sem_fmt_fraction(fmt) + sem_fmt_exponent(fmt));
    uint32_t max = (uint32_t)sem_fmt_max(fmt);
    if ((m & SW_FM_SAT) && v.cls != SEM_NAN && (r >> out & (sign - 1)) > max)
        r = (max | (v.neg ? sign : 0)) << out;
    return r;
}

/* ---- modifiers ---- */

static inline uint16_t
sem_flush_f16(uint16_t h)
{
    return (uint16_t)(h & 0x7c00 ? h : h & 0x8000);
}

/* As sem_flush_product_f32, for f16. */
static inline float
sem_flush_tiny_f16(float r, double exact, sw_fmode m)
{
    return m & SW_FM_FTZ && sem_is_tiny(exact, 0x1p-14, 0x1p-12, 0)
               ? copysignf(0, r)
               : r;
}

static inline uint16_t
sem_canon_f16(uint16_t h)
{
    return (h & 0x7fff) > 0x7c00 ? 0x7fff : h;
}

static inline float
sem_in_f16(uint16_t h, sw_fmode m)
{
    return sem_f32_of_f16(m & SW_FM_FTZ ? sem_flush_f16(h) : h);
}

static inline uint16_t
sem_out_f16(float x, sw_fmode m)
{
    if (m & SW_FM_SAT)
        x = sem_sat_f32(x);
    uint16_t r = sem_f16_of_f32(x);
    if (m & SW_FM_FTZ)
        r = sem_flush_f16(r);
    if (m & SW_FM_RELU)
        r = r & 0x8000 ? 0 : r;
    return r;
}

static inline uint16_t
sem_out_bf16(float x, sw_fmode m)
{
    if (m & SW_FM_SAT)
        x = sem_sat_f32(x);
    uint16_t r = sem_bf16_of_f32(x);
    if (m & SW_FM_RELU)
        r = r & 0x8000 ? 0 : r;
    return r;
}

/* fma.oob: is a factor the NaN, of either sign, that a tensor's tiles have out
 * of bounds? The result is then 0. The PTX ISA does not say which NaN that is;
 * of all numbers of 16 bits it is this one to an H200, in f16 and in bf16. */
static inline bool
sem_is_oob(uint16_t a, uint16_t b, sw_fmode m)
{
    return m & SW_FM_OOB &&
           ((a & 0x7fff) == SEM_OOB_NAN || (b & 0x7fff) == SEM_OOB_NAN);
}

/* ---- f16 ---- */

static inline uint16_t
sem_add_f16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_out_f16(sem_in_f16(a, m) + sem_in_f16(b, m), m);
}

static inline uint16_t
sem_sub_f16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_out_f16(sem_in_f16(a, m) - sem_in_f16(b, m), m);
}

static inline uint16_t
sem_mul_f16(uint16_t a, uint16_t b, sw_fmode m)
{
    float p = sem_in_f16(a, m) * sem_in_f16(b, m);
    return sem_out_f16(sem_flush_tiny_f16(p, (double)p, m), m);
}

/* Products of f16 and bf16 are exact in f64. */
static inline uint16_t
sem_fma_f16(uint16_t a, uint16_t b, uint16_t c, sw_fmode m)
{
    double p = (double)sem_in_f16(a, m) * (double)sem_in_f16(b, m);
    double s = sem_sum_odd(p, (double)sem_in_f16(c, m));
    uint16_t r = sem_out_f16(sem_flush_tiny_f16(sem_round_odd_f32(s), s, m), m);
    return sem_is_oob(a, b, m) ? 0 : r;
}

static inline uint16_t
sem_abs_f16(uint16_t a, sw_fmode m)
{
    return sem_canon_f16(
        (uint16_t)((m & SW_FM_FTZ ? sem_flush_f16(a) : a) & 0x7fff));
}

static inline uint16_t
sem_neg_f16(uint16_t a, sw_fmode m)
{
    return sem_canon_f16(
        (uint16_t)((m & SW_FM_FTZ ? sem_flush_f16(a) : a) ^ 0x8000));
}

/* .xorsign.abs: the signs of NaN operands count too, so the f32 function is
 * given magnitudes and the sign comes after. */
static inline uint16_t
sem_pick_f16(uint16_t a, uint16_t b, bool max, sw_fmode m)
{
    uint16_t sign = (uint16_t)(m & SW_FM_XORSIGN ? (a ^ b) & 0x8000 : 0);
    uint16_t keep = m & SW_FM_XORSIGN ? 0x7fff : 0xffff;
    float r = sem_pick_f32(sem_in_f16(a & keep, m), sem_in_f16(b & keep, m),
                           max, m & SW_FM_NAN);
    return (uint16_t)(r != r ? 0x7fff : sem_f16_of_f32(r) | sign);
}

static inline uint16_t
sem_min_f16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_pick_f16(a, b, false, m);
}

static inline uint16_t
sem_max_f16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_pick_f16(a, b, true, m);
}

/* ---- bf16: subnormals are always kept ---- */

static inline uint16_t
sem_add_bf16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_out_bf16(sem_f32_of_bf16(a) + sem_f32_of_bf16(b), m);
}

static inline uint16_t
sem_sub_bf16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_out_bf16(sem_f32_of_bf16(a) - sem_f32_of_bf16(b), m);
}

static inline uint16_t
sem_mul_bf16(uint16_t a, uint16_t b, sw_fmode m)
{
    return sem_out_bf16(sem_f32_of_bf16(a) * sem_f32_of_bf16(b), m);
}

static inline uint16_t
sem_fma_bf16(uint16_t a, uint16_t b, uint16_t c, sw_fmode m)
{
    double p = (double)sem_f32_of_bf16(a) * (double)sem_f32_of_bf16(b);
    double s = sem_sum_odd(p, (double)sem_f32_of_bf16(c));
    uint16_t r = sem_out_bf16(sem_round_odd_f32(s), m);
    return sem_is_oob(a, b, m) ? 0 : r;
}

static inline uint16_t
sem_canon_bf16(uint16_t h)
{
    return (h & 0x7fff) > 0x7f80 ? 0x7fff : h;
}

static inline uint16_t
sem_abs_bf16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_canon_bf16((uint16_t)(a & 0x7fff));
}

static inline uint16_t
sem_neg_bf16(uint16_t a, sw_fmode m)
{
    (void)m;
    return sem_canon_bf16((uint16_t)(a ^ 0x8000));
}

static inline uint16_t
sem_min_bf16(uint16_t a, uint16_t b, sw_fmode m)
{
    float r = sem_min_f32(sem_f32_of_bf16(a), sem_f32_of_bf16(b),
                          sem_without(m, SW_FM_FTZ));
    return sem_bf16_of_f32(r);
}

static inline uint16_t
sem_max_bf16(uint16_t a, uint16_t b, sw_fmode m)
{
    float r = sem_max_f32(sem_f32_of_bf16(a), sem_f32_of_bf16(b),
                          sem_without(m, SW_FM_FTZ));
    return sem_bf16_of_f32(r);
}

/* ---- pairs ---- */

static inline uint16_t
sem_lo16(uint32_t v)
{
    return (uint16_t)v;
}

static inline uint16_t
sem_hi16(uint32_t v)
{
    return (uint16_t)(v >> 16);
}

static inline uint32_t
sem_pair16(uint16_t lo, uint16_t hi)
{
    return (uint32_t)hi << 16 | lo;
}

/* Declares sem_<op>_<type>x2 of one, two and three arguments. */
#define SEM_PAIR1(op, type)                                                    \
    static inline uint32_t sem_##op##_##type##x2(uint32_t a, sw_fmode m)       \
    {                                                                          \
        return sem_pair16(sem_##op##_##type(sem_lo16(a), m),                   \
                          sem_##op##_##type(sem_hi16(a), m));                  \
    }
#define SEM_PAIR2(op, type)                                                    \
    static inline uint32_t sem_##op##_##type##x2(uint32_t a, uint32_t b,       \
                                                 sw_fmode m)                   \
    {                                                                          \
        return sem_pair16(sem_##op##_##type(sem_lo16(a), sem_lo16(b), m),      \
                          sem_##op##_##type(sem_hi16(a), sem_hi16(b), m));     \
    }
#define SEM_PAIR3(op, type)                                                    \
    static inline uint32_t sem_##op##_##type##x2(uint32_t a, uint32_t b,       \
                                                 uint32_t c, sw_fmode m)       \
    {                                                                          \
        return sem_pair16(                                                     \
            sem_##op##_##type(sem_lo16(a), sem_lo16(b), sem_lo16(c), m),       \
            sem_##op##_##type(sem_hi16(a), sem_hi16(b), sem_hi16(c), m));      \
    }

SEM_PAIR2(add, f16)
SEM_PAIR2(sub, f16)
SEM_PAIR2(mul, f16)
SEM_PAIR3(fma, f16)
SEM_PAIR1(abs, f16)
SEM_PAIR1(neg, f16)
SEM_PAIR2(min, f16)
SEM_PAIR2(max, f16)
SEM_PAIR2(add, bf16)
SEM_PAIR2(sub, bf16)
SEM_PAIR2(mul, bf16)
SEM_PAIR3(fma, bf16)
SEM_PAIR1(abs, bf16)
SEM_PAIR1(neg, bf16)
SEM_PAIR2(min, bf16)
SEM_PAIR2(max, bf16)

#endif
