/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sfu.h - the special-function unit, bit for bit as on an H200: the machine
 * instructions behind the approximate functions of PTX, which approx.h makes
 * of them. Total, stateless.
 *
 * The unit interpolates: the leading bits of the operand's fraction choose a
 * row (c0, c1, c2), the 17 bits below them are x, and the value is
 *
 *     c0 + c1 * x + c2 * square(x)
 *
 * without rounding, then truncated. The squarer leaves out every partial
 * product below column 19: square() is that sum in units of 2^19. Values fit
 * 53 bits and coefficients are integers, so that arithmetic in double is
 * exact; its loops vectorise. Subnormal operands and results are zeros of
 * their sign; every NaN result is sem_nan_f32().
 */
#ifndef SW_SEM_SFU_H
#define SW_SEM_SFU_H
#include "sem/float.h"

typedef struct sem_sfu_128 {
    double c0[128], c1[128], c2[128];
} sem_sfu_128;
typedef struct sem_sfu_64 {
    double c0[64], c1[64], c2[64];
} sem_sfu_64;

extern const sem_sfu_128 sem_sfu_rcp, sem_sfu_rsq, sem_sfu_sqrt;
extern const sem_sfu_64 sem_sfu_ex2, sem_sfu_lg2, sem_sfu_sin, sem_sfu_tanh;
extern const int32_t sem_sfu_tanh_shift[11], sem_sfu_tanh_row[11];

/* x * x / 2^19 of 0 <= x < 2^17, as the truncated squarer gives it. A bit of
 * the upper seven, high, and one of the lower ten meet in column b + j + 11,
 * kept from 19 on. */
static inline int32_t
sem_sfu_square(int32_t x)
{
    int32_t high = x >> 10, low = x & 1023, s = 2 * high * high;
    s += -(high & 1) & low >> 8;
    s += -(high >> 1 & 1) & low >> 7;
    s += -(high >> 2 & 1) & low >> 6;
    s += -(high >> 3 & 1) & low >> 5;
    s += -(high >> 4 & 1) & low >> 4;
    s += -(high >> 5 & 1) & low >> 3;
    s += -(high >> 6 & 1) & low >> 2;
    return s;
}

/* The index has the width of the table's numbers, or gcc would not vectorise.
 */
#define SEM_SFU_VALUE(table, row, x)                                           \
    sem_sfu_value((table).c0, (table).c1, (table).c2, row, x)

static inline double
sem_sfu_value(const double *c0, const double *c1, const double *c2, int32_t row,
              int32_t x)
{
    int64_t i = row;
    return c0[i] + c1[i] * (double)x + c2[i] * (double)sem_sfu_square(x);
}

/* The leading 24 bits of a positive number. */
static inline float
sem_sfu_leading24(double v)
{
    return (float)sem_f64_bits(sem_bits_f64(v) & ~UINT64_C(0x1fffffff));
}

static inline float
sem_sfu_signed(float magnitude, uint32_t sign_of)
{
    return sem_f32_bits(sem_bits_f32(magnitude) | (sign_of & 0x80000000u));
}

/* MUFU.RCP */
static inline float
sem_sfu_rcp_f32(float a)
{
    uint32_t u = sem_bits_f32(a), e = u >> 23 & 255;
    int32_t m = (int32_t)(u & 0x7fffff), row = m >> 16, x = (m & 0xffff) * 2;
    uint32_t v =
        (uint32_t)(int32_t)(SEM_SFU_VALUE(sem_sfu_rcp, row, x) * 0x1p-17);
    uint32_t r = v - 0x800000u + ((253u - e) << 23);
    r = e >= 253 && r - 0x800000u >= 0x800000u ? 0 : r;
    r = e == 0 ? 0x7f800000u : r;
    r = (u & 0x80000000u) | r;
    return a != a ? sem_nan_f32() : sem_f32_bits(r);
}

/* MUFU.RSQ. A power of four, whose value would fall just below, is exact. */
static inline float
sem_sfu_rsq_f32(float a)
{
    uint32_t u = sem_bits_f32(a), e = u >> 23 & 255;
    int32_t row = (int32_t)(u >> 17 & 127), x = (int32_t)(u & 0x1ffff);
    double value = SEM_SFU_VALUE(sem_sfu_rsq, row, x);
    uint32_t v = (uint32_t)(int32_t)(value * 0x1p-17);
    v += (u & 0xffffff) == 0x800000;
    uint32_t r = v - 0x800000u + ((126u + 64u - ((e + 1) >> 1)) << 23);
    r = a < 0 || a != a ? 0x7fffffffu : r;
    r = e == 255 && a > 0 ? 0 : r;
    r = e == 0 ? (u & 0x80000000u) | 0x7f800000u : r;
    return sem_f32_bits(r);
}

/* MUFU.SQRT */
static inline float
sem_sfu_sqrt_f32(float a)
{
    uint32_t u = sem_bits_f32(a), e = u >> 23 & 255;
    int32_t row = (int32_t)(u >> 17 & 127), x = (int32_t)(u & 0x1ffff);
    double value = SEM_SFU_VALUE(sem_sfu_sqrt, row, x);
    uint32_t v = (uint32_t)(int32_t)(value * 0x1p-18);
    uint32_t r = v - 0x800000u + ((e + 127) >> 1 << 23);
    r = e == 255 ? 0x7f800000u : r;
    r = a < 0 || a != a ? 0x7fffffffu : r;
    r = e == 0 ? u & 0x80000000u : r;
    return sem_f32_bits(r);
}

/* MUFU.LG2. The logarithm of the fraction has 36 bits; a negative sum is
 * complemented, not negated. */
static inline float
sem_sfu_lg2_f32(float a)
{
    uint32_t u = sem_bits_f32(a), e = u >> 23 & 255;
    int32_t row = (int32_t)(u >> 17 & 63), x = (int32_t)(u & 0x1ffff);
    double value = SEM_SFU_VALUE(sem_sfu_lg2, row, x) * 0.25;
    /* To the integer below: the fraction is 0, 1/4, 1/2 or 3/4. */
    value = (value - 0.375 + 0x1p52) - 0x1p52;
    double sum = (double)((int32_t)e - 127) * 0x1p36 + value;
    double size = sum < 0 ? -1 - sum : sum;
    float r = sem_sfu_leading24(size) * 0x1p-36f;
    r = sum < 0 ? -r : r;
    r = u == 0x3f800000u ? 0 : r;
    r = e == 255 ? INFINITY : r;
    r = e == 0 ? -INFINITY : r;
    return (a < 0 && e) || a != a ? sem_nan_f32() : r;
}

/* MUFU.EX2. 23 bits of the operand's fraction count; a negative operand is
 * complemented, not negated, unless it is an integer. */
static inline float
sem_sfu_ex2_f32(float a)
{
    /* What overflows or vanishes becomes 0, by a mask as in sem_sfu_turn. */
    uint32_t u = sem_bits_f32(a) & 0x7fffffff;
    u &= (uint32_t) - (u < 0x43700000);
    int32_t t = (int32_t)(sem_f32_bits(u) * 0x1p23f);
    t = a < 0 ? (t & 0x7fffff ? ~t : -t) : t;
    int32_t n = t >> 23, row = t >> 17 & 63, x = t & 0x1ffff;
    double value = SEM_SFU_VALUE(sem_sfu_ex2, row, x);
    int32_t r = (int32_t)(value * 0x1p-17) - 0x800000;
    r = (int32_t)((uint32_t)r + (uint32_t)(n + 127) * 0x800000);
    r = n < -126 || a <= -240 ? 0 : r;
    r = a >= 128 ? 0x7f800000 : r;
    return a != a ? sem_nan_f32() : sem_f32_bits((uint32_t)r);
}

/* The sine of 0 <= t < 2^23 units of a quarter turn. */
static inline float
sem_sfu_quarter(int32_t t)
{
    int32_t row = t >> 17, x = t & 0x1ffff;
    return sem_sfu_leading24(SEM_SFU_VALUE(sem_sfu_sin, row, x)) * 0x1p-37f;
}

/* The operand's turns in units of 2^-25, whole turns dropped, truncated. */
static inline int32_t
sem_sfu_turn(float a)
{
    /* From 2^25 on all is integral and becomes 0, by a mask: gcc would make a
     * branch of a condition. */
    uint32_t u = sem_bits_f32(a) & 0x7fffffff;
    float size = sem_f32_bits(u & (uint32_t) - (u < 0x4c000000));
    int32_t whole = (int32_t)size;
    return (int32_t)((size - (float)whole) * 0x1p25f);
}

/* MUFU.SIN of turns. */
static inline float
sem_sfu_sin_f32(float a)
{
    uint32_t u = sem_bits_f32(a);
    int32_t t = sem_sfu_turn(a), low = t & 0x7fffff;
    float r = sem_sfu_quarter(t >> 23 & 1 ? low ^ 0x7fffff : low);
    r = sem_sfu_signed(r, u ^ (uint32_t)t << 7);
    return fabsf(a) <= FLT_MAX ? r : sem_nan_f32();
}

/* MUFU.COS of turns. */
static inline float
sem_sfu_cos_f32(float a)
{
    int32_t t = sem_sfu_turn(a), low = t & 0x7fffff;
    float r = sem_sfu_quarter(t >> 23 & 1 ? low : low ^ 0x7fffff);
    r = sem_sfu_signed(r, (uint32_t)(t + 0x800000) << 7);
    return fabsf(a) <= FLT_MAX ? r : sem_nan_f32();
}

/* MUFU.TANH: itself below 2^-8, 1 from 8 on. */
static inline float
sem_sfu_tanh_f32(float a)
{
    uint32_t u = sem_bits_f32(a);
    int32_t e = (int32_t)(u >> 23 & 255) - 119, m = (int32_t)(u & 0x7fffff);
    int32_t b = e < 0 ? 0 : e > 10 ? 10 : e;
    m >>= sem_sfu_tanh_shift[b];
    int32_t row = sem_sfu_tanh_row[b] + (m >> 17), x = m & 0x1ffff;
    double value = SEM_SFU_VALUE(sem_sfu_tanh, row, x);
    float r = sem_sfu_leading24(value) * 0x1p-39f;
    r = e > 10 ? 1 : r;
    r = sem_sfu_signed(r, u);
    r = e < 0 ? a : r;
    return a != a ? sem_nan_f32() : r;
}

/* MUFU.RCP64H: the upper words of operand and result; lower ones are not
 * read, and zero. The same table, less truncated. */
static inline double
sem_sfu_rcp_f64(double a)
{
    uint32_t u = (uint32_t)(sem_bits_f64(a) >> 32), e = u >> 20 & 2047;
    int32_t m = (int32_t)(u & 0xfffff), row = m >> 13, x = (m & 0x1fff) << 4;
    uint32_t v =
        (uint32_t)(int32_t)(SEM_SFU_VALUE(sem_sfu_rcp, row, x) * 0x1p-20);
    uint32_t r = v - 0x100000u + ((2045u - e) << 20);
    r = e >= 2045 && r - 0x100000u >= 0x100000u ? 0 : r;
    r = e == 0 ? 0x7ff00000u : r;
    r = (u & 0x80000000u) | r;
    r = e == 2047 && m ? 0x7fffffffu : r;
    return sem_f64_bits((uint64_t)r << 32);
}

/* MUFU.RSQ64H */
static inline double
sem_sfu_rsq_f64(double a)
{
    uint32_t u = (uint32_t)(sem_bits_f64(a) >> 32), e = u >> 20 & 2047;
    int32_t row = (int32_t)(u >> 14 & 127), x = (int32_t)(u & 0x3fff) << 3;
    uint32_t v =
        (uint32_t)(int32_t)(SEM_SFU_VALUE(sem_sfu_rsq, row, x) * 0x1p-20);
    v += (u & 0x1fffff) == 0x100000;
    uint32_t r = v - 0x100000u + ((1022u + 512u - ((e + 1) >> 1)) << 20);
    r = u >> 31 || (e == 2047 && u & 0xfffff) ? 0x7fffffffu : r;
    r = u == 0x7ff00000u ? 0 : r;
    r = e == 0 ? (u & 0x80000000u) | 0x7ff00000u : r;
    return sem_f64_bits((uint64_t)r << 32);
}

#endif
