/* SPDX-License-Identifier: Apache-2.0 */
/*
 * float.h - f32 and f64 arithmetic: rounding in all four directions, .ftz,
 * .sat, NaNs as the device makes them.
 *
 * Every function is total and takes the modifiers as an argument (sw_fmode).
 * With a constant mode the modifiers fold away and a loop over lanes
 * vectorises: mode 0 is round to nearest even without modifiers. Which NaN
 * comes out is decided here, in sem_nan_f32 and sem_canon*_f64, and nowhere
 * else. Assumes the host in its default floating-point state (nearest,
 * subnormals kept); changes no state. Approximate instructions are in
 * approx.h.
 */
#ifndef SW_SEM_FLOAT_H
#define SW_SEM_FLOAT_H
#include <float.h>
#include <math.h>

#include "sem/soft.h"

/*
 * The modifiers of an instruction in one number: rounding (an sw_rnd; RN
 * written as NONE) in bits 0..3, the SW_F_ flags below .uni from bit 4, .oob,
 * `sub` of the ops whose meaning it changes, the table of lop3 on top.
 */
typedef uint32_t sw_fmode;
enum {
    SW_FM_RND = 15,
    SW_FM_FTZ = SW_F_FTZ << 4,
    SW_FM_SAT = SW_F_SAT << 4,
    SW_FM_APPROX = SW_F_APPROX << 4,
    SW_FM_FULL = SW_F_FULL << 4,
    SW_FM_NAN = SW_F_NAN << 4,
    SW_FM_XORSIGN = SW_F_XORSIGN << 4,
    SW_FM_RELU = SW_F_RELU << 4,
    SW_FM_FLAGS = 0x7f0,
    SW_FM_OOB = SW_F_OOB << 4,
    SW_FM_SUB_SHIFT = 16,
    SW_FM_SUB = 15 << SW_FM_SUB_SHIFT,
    SW_FM_IMM_SHIFT = 24
};

static inline sw_fmode
sw_sem_mode(const sw_ins *ins)
{
    sw_fmode rnd = ins->rnd == SW_RND_RN ? SW_RND_NONE : ins->rnd;
    sw_fmode imm = ins->op == SW_OP_LOP3 ? (sw_fmode)(ins->imm & 255) : 0;
    return rnd | (((sw_fmode)ins->flags << 4) & (SW_FM_FLAGS | SW_FM_OOB)) |
           (((sw_fmode)ins->sub << SW_FM_SUB_SHIFT) & SW_FM_SUB) |
           imm << SW_FM_IMM_SHIFT;
}

static inline sw_fmode
sem_without(sw_fmode m, sw_fmode flags)
{
    return m & ~flags;
}

/* Towards zero, down or up: not the nearest. */
static inline bool
sem_is_directed(sw_fmode m)
{
    unsigned r = m & SW_FM_RND;
    return r == SW_RND_RZ || r == SW_RND_RM || r == SW_RND_RP;
}

/* ---- NaN, flushing, saturation ---- */

/* Every NaN that f32 arithmetic produces. */
static inline float
sem_nan_f32(void)
{
    return sem_f32_bits(0x7fffffff);
}

static inline float
sem_canon_f32(float r)
{
    return r != r ? sem_nan_f32() : r;
}

/* The NaN of f64 arithmetic on numbers. */
static inline double
sem_nan_f64(void)
{
    return sem_f64_bits(UINT64_C(0xfff8000000000000));
}

/* f64 arithmetic on NaNs keeps sign and payload and sets the quiet bit; of
 * several, the second operand's wins, then the third's, then the first's. */
static inline double
sem_quiet_f64(double x)
{
    return sem_f64_bits(sem_bits_f64(x) | UINT64_C(0x0008000000000000));
}

static inline double
sem_canon1_f64(double r, double a)
{
    double nan = a != a ? sem_quiet_f64(a) : sem_nan_f64();
    return r != r ? nan : r;
}

static inline double
sem_canon2_f64(double r, double a, double b)
{
    return sem_canon1_f64(r, b != b ? b : a);
}

static inline double
sem_canon3_f64(double r, double a, double b, double c)
{
    return sem_canon2_f64(r, c != c ? c : a, b);
}

/* .ftz: subnormal to zero of the same sign. */
static inline float
sem_flush_f32(float x)
{
    return sem_f32_bits(fabsf(x) < FLT_MIN ? sem_bits_f32(x) & 0x80000000u
                                           : sem_bits_f32(x));
}

static inline float
sem_in_f32(float x, sw_fmode m)
{
    return m & SW_FM_FTZ ? sem_flush_f32(x) : x;
}

/* .sat: to [+0, 1], NaN to +0. */
static inline float
sem_sat_f32(float x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

static inline double
sem_sat_f64(double x)
{
    return x > 0 ? (x < 1 ? x : 1) : 0;
}

/* .relu: negative to +0, NaN canonical. */
static inline float
sem_out_f32(float r, sw_fmode m)
{
    r = sem_canon_f32(r);
    if (m & SW_FM_FTZ)
        r = sem_flush_f32(r);
    if (m & SW_FM_SAT)
        r = sem_sat_f32(r);
    if (m & SW_FM_RELU)
        r = r <= 0 ? 0 : r;
    return r;
}

static inline double
sem_out_f64(double r, sw_fmode m)
{
    return m & SW_FM_SAT ? sem_sat_f64(r) : r;
}

/* .ftz flushes what was below the normal numbers before rounding, even if it
 * rounds up to one. exact: exact, or rounded to odd. */
static inline float
sem_flush_tiny_f32(float r, double exact, sw_fmode m)
{
    return m & SW_FM_FTZ && fabs(exact) < (double)FLT_MIN ? copysignf(0, r) : r;
}

/* Products and sums with them are flushed if they are below the normal numbers
 * after rounding to the digits that normal numbers have. That is so below
 * least * (1 - half), half being half a digit; away from zero up to least * (1
 * - 2 * half). exact: as above, of the sign of the result. */
static inline bool
sem_is_tiny(double exact, double least, double half, sw_fmode m)
{
    unsigned rnd = m & SW_FM_RND;
    bool neg = exact < 0, away = rnd == (neg ? SW_RND_RM : SW_RND_RP);
    double size = fabs(exact);
    if (away)
        return size <= least * (1 - 2 * half);
    return size < (sem_is_directed(m) ? least : least * (1 - half));
}

static inline float
sem_flush_product_f32(float r, double exact, sw_fmode m)
{
    return m & SW_FM_FTZ && sem_is_tiny(exact, (double)FLT_MIN, 0x1p-25, m)
               ? copysignf(0, r)
               : r;
}

/* ---- error-free helpers ---- */

/* What x + y lost: (x + y rounded) + error is exact, for finite sums. */
static inline double
sem_sum_error(double x, double y, double sum)
{
    double t = sum - x;
    return (x - (sum - t)) + (y - t);
}

/* x + y rounded to odd: exact, or the neighbour whose last bit is 1. What
 * comes of rounding it once more to 51 digits or less is x + y rounded once,
 * in any direction. Magnitudes of f32 products: no overflow, no underflow. */
static inline double
sem_sum_odd(double x, double y)
{
    double s = x + y;
    double e = sem_sum_error(x, y, s);
    uint64_t u = sem_bits_f64(s);
    /* The true sum lies towards zero of s iff the error's sign differs. */
    uint64_t inward = (sem_bits_f64(e) ^ u) >> 63;
    bool inexact = fabs(e) > 0; /* false for the NaN of infinite sums */
    uint64_t odd = (u - inward) | 1;
    return sem_f64_bits(inexact ? odd : u);
}

/* x to f32 in direction m. x is exact or rounded to odd. */
static inline float
sem_round_f32(double x, sw_fmode m)
{
    float r = (float)x;
    unsigned rnd = m & SW_FM_RND;
    uint32_t u = sem_bits_f32(r);
    double d = r;
    bool neg = u >> 31;
    /* One step inwards (infinity: to the largest number) or outwards. */
    if (rnd == SW_RND_RZ)
        u -= fabs(d) > fabs(x);
    if (rnd == SW_RND_RM)
        u = d > x ? (neg ? u + 1 : u ? u - 1 : 0x80000001u) : u;
    if (rnd == SW_RND_RP)
        u = d < x ? (!neg ? u + 1 : u != 0x80000000u ? u - 1 : 1) : u;
    return sem_f32_bits(u);
}

/* x to f32 rounded to odd, for a second rounding to 22 digits or less. */
static inline float
sem_round_odd_f32(double x)
{
    float r = (float)x;
    uint32_t u = sem_bits_f32(r);
    u -= fabs((double)r) > fabs(x); /* truncated */
    return sem_f32_bits((double)sem_f32_bits(u) != x && x == x ? u | 1 : u);
}

/* ---- f32 ---- */

static inline float
sem_add_f32(float a, float b, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    float r = a + b;
    if (sem_is_directed(m)) {
        double x = sem_sum_odd((double)a, (double)b);
        r = sem_round_f32(x, m);
        /* Exact zero of opposite signs: -0 downwards. */
        if ((m & SW_FM_RND) == SW_RND_RM)
            r = x == 0 && (sem_bits_f32(a) | sem_bits_f32(b)) >> 31 ? -0.0f : r;
    }
    return sem_out_f32(r, m);
}

static inline float
sem_sub_f32(float a, float b, sw_fmode m)
{
    return sem_add_f32(a, -b, m);
}

static inline float
sem_mul_f32(float a, float b, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    float r = a * b;
    if (sem_is_directed(m))
        r = sem_round_f32((double)a * (double)b, m);
    r = sem_flush_product_f32(r, (double)a * (double)b, m);
    return sem_out_f32(r, m);
}

/* a * b + c rounded once to nearest, without the host's help. */
static inline float
sem_fma_odd_f32(float a, float b, float c)
{
    return (float)sem_sum_odd((double)a * (double)b, (double)c);
}

static inline float
sem_fma_f32(float a, float b, float c, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    c = sem_in_f32(c, m);
    float r;
    if (sem_is_directed(m)) {
        double p = (double)a * (double)b;
        double x = sem_sum_odd(p, (double)c);
        r = sem_round_f32(x, m);
        if ((m & SW_FM_RND) == SW_RND_RM)
            r = x == 0 && (sem_bits_f64(p) >> 63 | sem_bits_f32(c) >> 31)
                    ? -0.0f
                    : r;
    } else {
#ifdef __FMA__
        r = __builtin_fmaf(a, b, c);
#else
        r = sem_fma_odd_f32(a, b, c);
#endif
    }
    if (m & SW_FM_FTZ)
        r = sem_flush_product_f32(
            r, sem_sum_odd((double)a * (double)b, (double)c), m);
    return sem_out_f32(r, m);
}

/* mad.f32 as capability 1.x has it. PTX ISA, "mad", notes on sm_1x: "computes
 * the product of a and b at double precision, and then the mantissa is
 * truncated to 23 bits, but the exponent is preserved ... The exception is when
 * c = +/-0.0, mad.f32 is identical to the result computed using separate mul
 * and add". */
static inline float
sem_mad_f32(float a, float b, float c, sw_fmode m)
{
    sw_fmode plain = sem_without(m, SW_FM_SAT);
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    c = sem_in_f32(c, m);
    uint64_t product = sem_bits_f64((double)a * (double)b);
    double p = sem_f64_bits(product & ~UINT64_C(0x1fffffff));
    double sum = sem_sum_odd(p, (double)c);
    float r = sem_flush_product_f32((float)sum, sum, m);
    float apart = sem_mul_f32(a, b, plain) + c;
    return sem_out_f32(c == 0 ? apart : r, m);
}

/* IEEE division. The f64 quotient of f32 numbers is never mistaken for an f32
 * number or the middle of two: those are at least 2^-49 away. */
static inline float
sem_div_ieee_f32(float a, float b, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    float r = a / b;
    if (sem_is_directed(m))
        r = sem_round_f32((double)a / (double)b, m);
    r = sem_flush_tiny_f32(r, (double)a / (double)b, m);
    return sem_out_f32(r, m);
}

static inline float
sem_sqrt_ieee_f32(float a, sw_fmode m)
{
    a = sem_in_f32(a, m);
    float r = __builtin_sqrtf(a);
    if (sem_is_directed(m))
        r = sem_round_f32(__builtin_sqrt((double)a), m);
    return sem_out_f32(r, m);
}

/* Arithmetic on the sign: NaNs become canonical, or (.nan) stay. */
static inline float
sem_abs_f32(float a, sw_fmode m)
{
    return m & SW_FM_NAN && a != a ? a : sem_canon_f32(fabsf(sem_in_f32(a, m)));
}

static inline float
sem_neg_f32(float a, sw_fmode m)
{
    return m & SW_FM_NAN && a != a ? a : sem_canon_f32(-sem_in_f32(a, m));
}

/* "copysign: copies the sign bit of a into the value of b." */
static inline float
sem_copysign_f32(float a, float b)
{
    return sem_f32_bits((sem_bits_f32(a) & 0x80000000u) |
                        (sem_bits_f32(b) & 0x7fffffffu));
}

/* Signed integers in the order of the numbers, -0 below +0. */
static inline int32_t
sem_order_f32(float x)
{
    int32_t i = (int32_t)sem_bits_f32(x);
    return i ^ (int32_t)((uint32_t)(i >> 31) >> 1);
}

/* min, max: the number if one is NaN, unless .NaN; +0 above -0; .xorsign.abs
 * takes magnitudes and gives the product of the signs. */
static inline float
sem_pick_f32(float a, float b, bool max, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    uint32_t sign = (sem_bits_f32(a) ^ sem_bits_f32(b)) & 0x80000000u;
    if (m & SW_FM_XORSIGN) {
        a = fabsf(a);
        b = fabsf(b);
    }
    bool less = sem_order_f32(a) < sem_order_f32(b);
    float r = less != max ? a : b;
    r = a != a ? b : r;
    r = b != b ? a : r;
    if (m & SW_FM_NAN)
        r = a != a || b != b ? sem_nan_f32() : r;
    r = sem_canon_f32(r);
    if (m & SW_FM_XORSIGN)
        r = r != r ? r : sem_f32_bits(sem_bits_f32(r) | sign);
    return r;
}

static inline float
sem_min_f32(float a, float b, sw_fmode m)
{
    return sem_pick_f32(a, b, false, m);
}

static inline float
sem_max_f32(float a, float b, sw_fmode m)
{
    return sem_pick_f32(a, b, true, m);
}

/* ---- f64 ---- */

enum { SEM_SOFT_ADD, SEM_SOFT_MUL, SEM_SOFT_FMA, SEM_SOFT_DIV, SEM_SOFT_SQRT };

/* Directed rounding, in integers. */
static inline double
sem_directed_f64(int what, double a, double b, double c, sw_fmode m)
{
    unsigned rnd = m & SW_FM_RND;
    sem_soft x = sem_soft_unpack(SEM_FMT_F64, sem_bits_f64(a));
    sem_soft y = sem_soft_unpack(SEM_FMT_F64, sem_bits_f64(b));
    sem_soft z = sem_soft_unpack(SEM_FMT_F64, sem_bits_f64(c));
    sem_soft r = what == SEM_SOFT_ADD   ? sem_soft_add(x, y, rnd)
                 : what == SEM_SOFT_MUL ? sem_soft_mul(x, y)
                 : what == SEM_SOFT_DIV ? sem_soft_div(x, y)
                 : what == SEM_SOFT_FMA
                     ? sem_soft_add(sem_soft_mul(x, y), z, rnd)
                     : sem_soft_sqrt(x);
    return sem_f64_bits(sem_soft_pack(SEM_FMT_F64, rnd, r));
}

static inline double
sem_add_f64(double a, double b, sw_fmode m)
{
    double r =
        sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_ADD, a, b, 0, m) : a + b;
    return sem_out_f64(sem_canon2_f64(r, a, b), m);
}

static inline double
sem_sub_f64(double a, double b, sw_fmode m)
{
    double r = sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_ADD, a, -b, 0, m)
                                  : a - b;
    bool first = m & SW_FM_NAN;
    return sem_out_f64(sem_canon2_f64(r, first ? b : a, first ? a : b), m);
}

static inline double
sem_mul_f64(double a, double b, sw_fmode m)
{
    double r =
        sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_MUL, a, b, 0, m) : a * b;
    return sem_out_f64(sem_canon2_f64(r, a, b), m);
}

static inline double
sem_fma_f64(double a, double b, double c, sw_fmode m)
{
    double r = sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_FMA, a, b, c, m)
                                  : __builtin_fma(a, b, c);
    return sem_out_f64(sem_canon3_f64(r, a, b, c), m);
}

static inline double
sem_div_f64(double a, double b, sw_fmode m)
{
    double r =
        sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_DIV, a, b, 0, m) : a / b;
    return sem_out_f64(sem_canon2_f64(r, b, a), m);
}

static inline double
sem_sqrt_f64(double a, sw_fmode m)
{
    double r = sem_is_directed(m) ? sem_directed_f64(SEM_SOFT_SQRT, a, 0, 0, m)
                                  : __builtin_sqrt(a);
    return sem_out_f64(sem_canon1_f64(r, a), m);
}

/* Of a NaN not even the sign changes; but it becomes quiet, unless .nan. */
static inline double
sem_abs_f64(double a, sw_fmode m)
{
    return m & SW_FM_NAN && a != a ? a : sem_canon1_f64(fabs(a), a);
}

static inline double
sem_neg_f64(double a, sw_fmode m)
{
    return m & SW_FM_NAN && a != a ? a : sem_canon1_f64(-a, a);
}

static inline double
sem_copysign_f64(double a, double b)
{
    return sem_f64_bits((sem_bits_f64(a) & UINT64_C(1) << 63) |
                        (sem_bits_f64(b) & UINT64_MAX >> 1));
}

static inline int64_t
sem_order_f64(double x)
{
    int64_t i = (int64_t)sem_bits_f64(x);
    return i ^ (int64_t)((uint64_t)(i >> 63) >> 1);
}

static inline double
sem_pick_f64(double a, double b, bool max)
{
    bool less = sem_order_f64(a) < sem_order_f64(b);
    double r = less != max ? a : b;
    r = a != a ? b : r;
    r = b != b ? a : r;
    return sem_canon2_f64(r, a, b);
}

static inline double
sem_min_f64(double a, double b)
{
    return sem_pick_f64(a, b, false);
}

static inline double
sem_max_f64(double a, double b)
{
    return sem_pick_f64(a, b, true);
}

#endif
