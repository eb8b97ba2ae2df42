/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cvt.h - conversions between numbers: sem_cvt_<to>_<from>.
 *
 * PTX ISA 9.7.9 "cvt". Integers travel as bits of the register's width;
 * 8-bit sources are read from the low byte, 8-bit results fill a 16-bit
 * register, extended by their sign. Float to integer clamps to the range of
 * the destination; integer to integer clamps with .sat only. fp8 pairs are in
 * fp8.h, other packed forms in eval.c.
 */
#ifndef SW_SEM_CVT_H
#define SW_SEM_CVT_H
#include "sem/fp8.h"
#include "sem/int.h"

/* ---- reading integers at their width ---- */

static inline uint8_t
sem_read_u8(uint16_t a)
{
    return (uint8_t)a;
}

static inline int8_t
sem_read_s8(uint16_t a)
{
    return (int8_t)(uint8_t)a;
}

static inline uint16_t
sem_read_u16(uint16_t a)
{
    return a;
}

static inline int16_t
sem_read_s16(uint16_t a)
{
    return (int16_t)a;
}

static inline uint32_t
sem_read_u32(uint32_t a)
{
    return a;
}

static inline int32_t
sem_read_s32(uint32_t a)
{
    return (int32_t)a;
}

static inline uint64_t
sem_read_u64(uint64_t a)
{
    return a;
}

static inline int64_t
sem_read_s64(uint64_t a)
{
    return (int64_t)a;
}

/* ---- integer to integer ---- */

/* x, an int64_t or (wide) a uint64_t, clamped to [min, max]. */
static inline uint64_t
sem_clamp_int(uint64_t x, bool wide, int64_t min, uint64_t max)
{
    bool neg = !wide && (int64_t)x < 0;
    if (neg)
        return (int64_t)x < min ? (uint64_t)min : x;
    return x > max ? max : x;
}

/* d: name of the result; D its register, N its type; s, A of the source. */
#define SEM_CVT_INT(d, D, N, min, max, s, A)                                   \
    static inline D sem_cvt_##d##_##s(A a, sw_fmode m)                         \
    {                                                                          \
        if (m & SW_FM_SAT)                                                     \
            return (D)(N)sem_clamp_int((uint64_t)sem_read_##s(a),              \
                                       sizeof(A) == 8 && #s[0] == 'u', min,    \
                                       max);                                   \
        return (D)(N)sem_read_##s(a);                                          \
    }
#define SEM_CVT_INTS(d, D, N, min, max)                                        \
    SEM_CVT_INT(d, D, N, min, max, u8, uint16_t)                               \
    SEM_CVT_INT(d, D, N, min, max, s8, uint16_t)                               \
    SEM_CVT_INT(d, D, N, min, max, u16, uint16_t)                              \
    SEM_CVT_INT(d, D, N, min, max, s16, uint16_t)                              \
    SEM_CVT_INT(d, D, N, min, max, u32, uint32_t)                              \
    SEM_CVT_INT(d, D, N, min, max, s32, uint32_t)                              \
    SEM_CVT_INT(d, D, N, min, max, u64, uint64_t)                              \
    SEM_CVT_INT(d, D, N, min, max, s64, uint64_t)

SEM_CVT_INTS(u8, uint16_t, uint8_t, 0, UINT8_MAX)
SEM_CVT_INTS(s8, uint16_t, int8_t, INT8_MIN, INT8_MAX)
SEM_CVT_INTS(u16, uint16_t, uint16_t, 0, UINT16_MAX)
SEM_CVT_INTS(s16, uint16_t, int16_t, INT16_MIN, INT16_MAX)
SEM_CVT_INTS(u32, uint32_t, uint32_t, 0, UINT32_MAX)
SEM_CVT_INTS(s32, uint32_t, int32_t, INT32_MIN, INT32_MAX)
SEM_CVT_INTS(u64, uint64_t, uint64_t, 0, UINT64_MAX)
SEM_CVT_INTS(s64, uint64_t, int64_t, INT64_MIN, INT64_MAX)

/* ---- rounding to an integral number ---- */

static inline double
sem_integral_f64(double x, sw_fmode m)
{
    switch (m & SW_FM_RND) {
    case SW_RND_RZI:
    case SW_RND_RZ:
        return __builtin_trunc(x);
    case SW_RND_RMI:
    case SW_RND_RM:
        return __builtin_floor(x);
    case SW_RND_RPI:
    case SW_RND_RP:
        return __builtin_ceil(x);
    default:
        return __builtin_rint(x);
    }
}

static inline float
sem_integral_f32(float x, sw_fmode m)
{
    switch (m & SW_FM_RND) {
    case SW_RND_RZI:
    case SW_RND_RZ:
        return __builtin_truncf(x);
    case SW_RND_RMI:
    case SW_RND_RM:
        return __builtin_floorf(x);
    case SW_RND_RPI:
    case SW_RND_RP:
        return __builtin_ceilf(x);
    default:
        return __builtin_rintf(x);
    }
}

/* ---- float to integer ---- */

/* Integral x, clamped to [min, max] within 2^51, as an integer. The sum's low
 * bits are the integer, without the host's conversions. */
static inline uint32_t
sem_small_of_f64(double x, double min, double max)
{
    x = x > min ? x : min; /* NaN: min */
    x = x < max ? x : max;
    return (uint32_t)sem_bits_f64(x + 0x1.8p52);
}

/* nan: what NaN becomes. */
static inline uint32_t
sem_int_of_f64(double x, double min, double max, double nan, sw_fmode m)
{
    x = sem_integral_f64(x, m);
    return sem_small_of_f64(x == x ? x : nan, min, max);
}

/* 64 bits: NaN is 2^63. */
static inline uint64_t
sem_s64_of_f64(double x, sw_fmode m)
{
    x = sem_integral_f64(x, m);
    if (!(x < 0x1p63))
        return x != x ? UINT64_C(1) << 63 : (uint64_t)INT64_MAX;
    return x < -0x1p63 ? UINT64_C(1) << 63 : (uint64_t)(int64_t)x;
}

static inline uint64_t
sem_u64_of_f64(double x, sw_fmode m)
{
    x = sem_integral_f64(x, m);
    if (!(x < 0x1p64))
        return x != x ? UINT64_C(1) << 63 : UINT64_MAX;
    return x > 0 ? (uint64_t)x : 0;
}

/* Declares the eight conversions to integers of a type that `wide` turns into
 * f64 without error. NaN becomes 0; from f64 (top = 1) the top bit. */
#define SEM_CVT_TO_INTS(s, A, wide, top)                                       \
    static inline uint16_t sem_cvt_u8_##s(A a, sw_fmode m)                     \
    {                                                                          \
        return (uint8_t)sem_int_of_f64(wide(a, m), 0, UINT8_MAX,               \
                                       (top) * (double)0x80, m);               \
    }                                                                          \
    static inline uint16_t sem_cvt_s8_##s(A a, sw_fmode m)                     \
    {                                                                          \
        return (uint16_t)sem_int_of_f64(wide(a, m), INT8_MIN, INT8_MAX,        \
                                        (top) * (double)INT8_MIN, m);          \
    }                                                                          \
    static inline uint16_t sem_cvt_u16_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return (uint16_t)sem_int_of_f64(wide(a, m), 0, UINT16_MAX,             \
                                        (top) * (double)0x8000, m);            \
    }                                                                          \
    static inline uint16_t sem_cvt_s16_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return (uint16_t)sem_int_of_f64(wide(a, m), INT16_MIN, INT16_MAX,      \
                                        (top) * (double)INT16_MIN, m);         \
    }                                                                          \
    static inline uint32_t sem_cvt_u32_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return sem_int_of_f64(wide(a, m), 0, UINT32_MAX,                       \
                              (top) * (double)0x80000000, m);                  \
    }                                                                          \
    static inline uint32_t sem_cvt_s32_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return sem_int_of_f64(wide(a, m), INT32_MIN, INT32_MAX,                \
                              (top) * (double)INT32_MIN, m);                   \
    }                                                                          \
    static inline uint64_t sem_cvt_u64_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return sem_u64_of_f64(wide(a, m), m);                                  \
    }                                                                          \
    static inline uint64_t sem_cvt_s64_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return sem_s64_of_f64(wide(a, m), m);                                  \
    }

static inline double
sem_wide_f32(float a, sw_fmode m)
{
    return (double)sem_in_f32(a, m);
}

static inline double
sem_wide_f64(double a, sw_fmode m)
{
    (void)m;
    return a;
}

static inline double
sem_wide_f16(uint16_t a, sw_fmode m)
{
    return (double)sem_in_f16(a, m);
}

static inline double
sem_wide_bf16(uint16_t a, sw_fmode m)
{
    (void)m;
    return (double)sem_f32_of_bf16(a);
}

SEM_CVT_TO_INTS(f32, float, sem_wide_f32, 0)
SEM_CVT_TO_INTS(f64, double, sem_wide_f64, 1)
SEM_CVT_TO_INTS(f16, uint16_t, sem_wide_f16, 0)
SEM_CVT_TO_INTS(bf16, uint16_t, sem_wide_bf16, 0)

/* ---- integer to float ---- */

/* Through integers: 64-bit sources in all directions but nearest. */
static inline uint64_t
sem_soft_of_int(sem_fmt fmt, uint64_t a, bool sign, sw_fmode m)
{
    bool neg = sign && a >> 63;
    sem_soft v = sem_soft_of_u64(neg ? 0 - a : a, neg);
    return sem_soft_pack(fmt, m & SW_FM_RND, v);
}

/* Up to 32 bits: exact in f64. */
static inline float
sem_f32_of_small(double x, sw_fmode m)
{
    float r = sem_is_directed(m) ? sem_round_f32(x, m) : (float)x;
    return m & SW_FM_SAT ? sem_sat_f32(r) : r;
}

static inline uint16_t
sem_f16_of_small(double x, sw_fmode m)
{
    if (m & SW_FM_SAT)
        x = sem_sat_f64(x);
    if (sem_is_directed(m))
        return (uint16_t)sem_narrow(SEM_FMT_F16, x, m & SW_FM_RND);
    return sem_f16_of_f32(sem_round_odd_f32(x));
}

static inline uint16_t
sem_bf16_of_small(double x, sw_fmode m)
{
    if (m & SW_FM_SAT)
        x = sem_sat_f64(x);
    if (sem_is_directed(m))
        return (uint16_t)sem_narrow(SEM_FMT_BF16, x, m & SW_FM_RND);
    return sem_bf16_of_f32(sem_round_odd_f32(x));
}

#define SEM_CVT_OF_SMALL(s, A)                                                 \
    static inline float sem_cvt_f32_##s(A a, sw_fmode m)                       \
    {                                                                          \
        if (!m)                                                                \
            return (float)sem_read_##s(a);                                     \
        return sem_f32_of_small((double)sem_read_##s(a), m);                   \
    }                                                                          \
    static inline double sem_cvt_f64_##s(A a, sw_fmode m)                      \
    {                                                                          \
        double r = (double)sem_read_##s(a);                                    \
        return m & SW_FM_SAT ? sem_sat_f64(r) : r;                             \
    }                                                                          \
    static inline uint16_t sem_cvt_f16_##s(A a, sw_fmode m)                    \
    {                                                                          \
        return sem_f16_of_small((double)sem_read_##s(a), m);                   \
    }                                                                          \
    static inline uint16_t sem_cvt_bf16_##s(A a, sw_fmode m)                   \
    {                                                                          \
        return sem_bf16_of_small((double)sem_read_##s(a), m);                  \
    }

SEM_CVT_OF_SMALL(u8, uint16_t)
SEM_CVT_OF_SMALL(s8, uint16_t)
SEM_CVT_OF_SMALL(u16, uint16_t)
SEM_CVT_OF_SMALL(s16, uint16_t)
SEM_CVT_OF_SMALL(u32, uint32_t)
SEM_CVT_OF_SMALL(s32, uint32_t)

#define SEM_CVT_OF_WIDE(s, sign)                                               \
    static inline float sem_cvt_f32_##s(uint64_t a, sw_fmode m)                \
    {                                                                          \
        float r = (float)sem_read_##s(a);                                      \
        if (sem_is_directed(m))                                                \
            r = sem_f32_bits(                                                  \
                (uint32_t)sem_soft_of_int(SEM_FMT_F32, a, sign, m));           \
        return m & SW_FM_SAT ? sem_sat_f32(r) : r;                             \
    }                                                                          \
    static inline double sem_cvt_f64_##s(uint64_t a, sw_fmode m)               \
    {                                                                          \
        double r = (double)sem_read_##s(a);                                    \
        if (sem_is_directed(m))                                                \
            r = sem_f64_bits(sem_soft_of_int(SEM_FMT_F64, a, sign, m));        \
        return m & SW_FM_SAT ? sem_sat_f64(r) : r;                             \
    }                                                                          \
    static inline uint16_t sem_cvt_f16_##s(uint64_t a, sw_fmode m)             \
    {                                                                          \
        uint16_t r = (uint16_t)sem_soft_of_int(SEM_FMT_F16, a, sign, m);       \
        return m & SW_FM_SAT ? sem_out_f16(sem_f32_of_f16(r), m) : r;          \
    }                                                                          \
    static inline uint16_t sem_cvt_bf16_##s(uint64_t a, sw_fmode m)            \
    {                                                                          \
        uint16_t r = (uint16_t)sem_soft_of_int(SEM_FMT_BF16, a, sign, m);      \
        return m & SW_FM_SAT ? sem_out_bf16(sem_f32_of_bf16(r), m) : r;        \
    }

SEM_CVT_OF_WIDE(u64, false)
SEM_CVT_OF_WIDE(s64, true)

/* ---- float to float ---- */

/* The same size: rounding to an integral number, .ftz, .sat, or nothing: then
 * a device moves f32 and f64 as they are, NaNs too (PTX ISA: canonical). */
static inline float
sem_cvt_f32_f32(float a, sw_fmode m)
{
    if (!m)
        return a;
    a = sem_in_f32(a, m);
    if (m & SW_FM_RND)
        a = sem_integral_f32(a, m);
    return sem_out_f32(a, m);
}

static inline double
sem_cvt_f64_f64(double a, sw_fmode m)
{
    if (!m)
        return a;
    double r = m & SW_FM_RND ? sem_integral_f64(a, m) : a;
    return sem_out_f64(sem_canon1_f64(r, a), m);
}

static inline uint16_t
sem_cvt_f16_f16(uint16_t a, sw_fmode m)
{
    float x = sem_in_f16(a, m);
    return sem_out_f16(m & SW_FM_RND ? sem_integral_f32(x, m) : x, m);
}

static inline uint16_t
sem_cvt_bf16_bf16(uint16_t a, sw_fmode m)
{
    float x = sem_f32_of_bf16(a);
    return sem_out_bf16(m & SW_FM_RND ? sem_integral_f32(x, m) : x, m);
}

/* NaNs keep sign and payload and become quiet; .ftz makes them canonical f32
 * NaNs first. */
static inline double
sem_f64_of_f32(float a)
{
    uint64_t u = sem_bits_f32(a);
    uint64_t nan =
        (u >> 31) << 63 | UINT64_C(0x7ff8000000000000) | (u & 0x7fffff) << 29;
    return a != a ? sem_f64_bits(nan) : (double)a;
}

static inline double
sem_cvt_f64_f32(float a, sw_fmode m)
{
    return sem_out_f64(
        sem_f64_of_f32(m & SW_FM_FTZ ? sem_canon_f32(sem_flush_f32(a)) : a), m);
}

/* A NaN of f64 keeps its sign and the top of its payload, and becomes quiet:
 * as f32, from which f16 and bf16 take their part. */
static inline uint32_t
sem_nan_of_f64(double a)
{
    uint64_t u = sem_bits_f64(a);
    return (uint32_t)(u >> 32 & 0x80000000u) | 0x7fc00000u |
           (uint32_t)(u >> 29 & 0x3fffff);
}

/* f64 sources are never flushed; .ftz is for the f32 result, as a product's. */
static inline float
sem_cvt_f32_f64(double a, sw_fmode m)
{
    float r = sem_is_directed(m) ? sem_round_f32(a, m) : (float)a;
    r = sem_out_f32(sem_flush_product_f32(r, a, m), m);
    return a != a && !(m & SW_FM_SAT) ? sem_f32_bits(sem_nan_of_f64(a)) : r;
}

static inline float
sem_cvt_f32_f16(uint16_t a, sw_fmode m)
{
    return sem_out_f32(sem_f32_of_f16(a), m);
}

static inline float
sem_cvt_f32_bf16(uint16_t a, sw_fmode m)
{
    float r = sem_f32_of_bf16(a); /* exact: directions do not matter */
    return sem_without(m, SW_FM_RND) ? sem_out_f32(r, m) : r;
}

static inline double
sem_cvt_f64_f16(uint16_t a, sw_fmode m)
{
    uint32_t nan =
        (uint32_t)(a & 0x8000) << 16 | 0x7f800000 | (uint32_t)(a & 0x3ff) << 13;
    bool is_nan = (a & 0x7fff) > 0x7c00;
    float x = is_nan ? sem_f32_bits(nan) : sem_f32_of_f16(a);
    return sem_out_f64(sem_f64_of_f32(x), m);
}

static inline double
sem_cvt_f64_bf16(uint16_t a, sw_fmode m)
{
    return sem_out_f64(sem_f64_of_f32(sem_f32_of_bf16(a)), m);
}

/* .sat is [0, 1]; with sub 1 it is .satfinite, to the largest finite number,
 * as always for bf16, tf32 and pairs. .ftz changes nothing here. */
static inline uint16_t
sem_cvt_f16_f32(float a, sw_fmode m)
{
    if ((m & SW_FM_SAT) && (m & SW_FM_SUB))
        return (uint16_t)sem_narrow(SEM_FMT_F16, (double)a, m);
    if (m & SW_FM_SAT)
        a = sem_sat_f32(a);
    if (sem_is_directed(m))
        return (uint16_t)sem_narrow(SEM_FMT_F16, (double)a,
                                    sem_without(m, SW_FM_SAT));
    return sem_out_f16(a, sem_without(m, SW_FM_FTZ));
}

/* .ftz flushes the source. */
static inline uint16_t
sem_cvt_bf16_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    m = sem_without(m, SW_FM_FTZ);
    if (m & SW_FM_SAT) /* .satfinite */
        return (uint16_t)sem_narrow(SEM_FMT_BF16, (double)a, m);
    if (sem_is_directed(m))
        return (uint16_t)sem_narrow(SEM_FMT_BF16, (double)a, m);
    return sem_out_bf16(a, m);
}

static inline uint16_t
sem_cvt_f16_f64(double a, sw_fmode m)
{
    uint32_t nan = sem_nan_of_f64(a);
    if (a != a && !(m & SW_FM_SAT))
        return (uint16_t)((nan >> 16 & 0x8000) | 0x7c00 | (nan >> 13 & 0x3ff));
    if (m & SW_FM_SAT)
        a = sem_sat_f64(a);
    return (uint16_t)sem_narrow(SEM_FMT_F16, a, sem_without(m, SW_FM_SAT));
}

static inline uint16_t
sem_cvt_bf16_f64(double a, sw_fmode m)
{
    if (a != a)
        return (uint16_t)(sem_nan_of_f64(a) >> 16);
    return (uint16_t)sem_narrow(SEM_FMT_BF16, a, m);
}

static inline uint16_t
sem_cvt_bf16_f16(uint16_t a, sw_fmode m)
{
    return sem_cvt_bf16_f32(sem_f32_of_f16(a), m);
}

static inline uint16_t
sem_cvt_f16_bf16(uint16_t a, sw_fmode m)
{
    return sem_cvt_f16_f32(sem_f32_of_bf16(a), m);
}

/* tf32 is an f32 with ten digits of fraction. NaN: 0x7fffe000; .rna, the
 * oldest form, just cuts it off, and takes one unit away for .satfinite. */
static inline uint32_t
sem_cvt_tf32_f32(float a, sw_fmode m)
{
    if (a != a && (m & SW_FM_RND) != SW_RND_RNA)
        return 0x7fffe000;
    if (a != a)
        return (sem_bits_f32(a) & 0xffffe000) - (m & SW_FM_SAT ? 0x2000 : 0);
    return sem_narrow(SEM_FMT_TF32, (double)a, m);
}

#endif
