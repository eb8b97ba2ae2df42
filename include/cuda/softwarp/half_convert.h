/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/half_convert.h - numbers to and from the 16 bits of half and
 * bfloat16, in every rounding, for both sides. Used by cuda_fp16.h,
 * cuda_bf16.h and cuda_fp8.h.
 */
#ifndef SOFTWARP_HALF_CONVERT_H
#define SOFTWARP_HALF_CONVERT_H
#ifdef __CUDA__
#include "arith.h"
#endif
#include "common.h"
#pragma GCC system_header

#ifdef __CUDA__
#define __SW_HD_MEMBER__ __attribute__((host, device, always_inline)) inline
#else
#define __SW_HD_MEMBER__ inline
#endif

/* How to round: to nearest even, to zero, up, down. */
enum __sw_round { __SW_RN, __SW_RZ, __SW_RU, __SW_RD };

/* A finite nonzero double as a number of `mant` explicit mantissa bits and
 * exponent field from `bias`, rounded once, with subnormals; the exponent
 * field may come out as large as it likes. */
__SW_HD__ unsigned
__sw_narrow_bits(double x, int mant, int bias, __sw_round how)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    bool neg = b >> 63;
    int e = (int)((b >> 52) & 2047);
    unsigned long long m = b & 0xfffffffffffffull;
    if (e == 0)
        e = 1;
    else
        m |= 1ull << 52;
    int field = e - 1023 + bias; /* of the result, if normal */
    int drop = 52 - mant;
    if (field < 1) {
        drop += 1 - field;
        field = 1;
    }
    if (drop > 60) {
        drop = 60;
        m = m != 0;
    }
    unsigned long long kept = m >> drop, lost = m & ((1ull << drop) - 1);
    unsigned long long half = 1ull << (drop - 1);
    bool up = how == __SW_RN   ? lost > half || (lost == half && (kept & 1))
              : how == __SW_RZ ? false
                               : lost != 0 && (how == __SW_RU) != neg;
    kept += up;
    return (unsigned)kept + ((unsigned)(field - 1) << mant);
}
/* The same with a sign, infinities and NaN; `top` is the exponent field of
 * infinity, shifted. */
__SW_HD__ unsigned short
__sw_narrow16(double x, int mant, int bias, unsigned top, __sw_round how)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned sign = (unsigned)(b >> 63) << 15;
    if (x != x)
        return 0x7fff;
    if ((b << 1) == 0)
        return (unsigned short)sign;
    if ((b << 1) == 0xffe0000000000000ull)
        return (unsigned short)(sign | top);
    unsigned r = __sw_narrow_bits(x, mant, bias, how);
    if (r >= top) {
        bool away = how == __SW_RN || (how == __SW_RU && !sign) ||
                    (how == __SW_RD && sign);
        r = away ? top : top - 1;
    }
    return (unsigned short)(sign | r);
}

__SW_HD__ unsigned short
__sw_half_narrow_exact(double x)
{
#ifdef __CUDA_ARCH__
    unsigned short r;
    __asm__("cvt.rn.f16.f64 %0, %1;" : "=h"(r) : "d"(x));
    return r;
#else
    return __sw_narrow16(x, 10, 15, 0x7c00u, __SW_RN);
#endif
}
__SW_HD__ unsigned short
__sw_half_narrow(float x)
{
#ifdef __CUDA_ARCH__
    unsigned short r;
    __asm__("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(x));
    return r;
#else
    return __sw_half_narrow_exact(x);
#endif
}
__SW_HD__ float
__sw_half_widen(unsigned short h)
{
#ifdef __CUDA_ARCH__
    float r;
    __asm__("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
    return r;
#else
    unsigned sign = (unsigned)(h & 0x8000u) << 16, m = h & 0x7fffu;
    if (m >= 0x7c00u)
        return __builtin_bit_cast(float, m > 0x7c00u ? 0x7fffffffu
                                                     : sign | 0x7f800000u);
    /* the exponents' difference, as a product that also takes subnormals */
    float f = __builtin_bit_cast(float, m << 13) *
              5192296858534827628530496329220096.0f;
    return sign ? -f : f;
#endif
}
__SW_HD__ unsigned short
__sw_bf16_narrow(float x)
{
    unsigned b = __builtin_bit_cast(unsigned, x);
    if ((b & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff;
    return (unsigned short)((b + 0x7fffu + ((b >> 16) & 1)) >> 16);
}
__SW_HD__ unsigned short
__sw_bf16_narrow_exact(double x)
{
#ifdef __CUDA_ARCH__
    /* rounded to odd on the way, so that the second rounding is the only one */
    float f = __nvvm_d2f_rz(x);
    unsigned b = __builtin_bit_cast(unsigned, f);
    return __sw_bf16_narrow(
        __builtin_bit_cast(float, (double)f == x ? b : b | 1));
#else
    return __sw_narrow16(x, 7, 127, 0x7f80u, __SW_RN);
#endif
}
/* What becomes of a program's double; of NaN the upper digits. */
__SW_HD__ unsigned short
__sw_half_of_double(double x)
{
    return __sw_half_narrow_exact(x);
}
__SW_HD__ unsigned short
__sw_bf16_of_double(double x)
{
#ifdef __CUDA_ARCH__
    if (x != x)
        return (unsigned short)(__builtin_bit_cast(unsigned, (float)x) >> 16);
#endif
    return __sw_bf16_narrow_exact(x);
}

/* A float as an integer, toward zero. Out of range: the nearest number; NaN: 0
 * (64 bits: the top bit). */
template <class T>
__SW_HD__ T
__sw_integer_of(float x)
{
#ifdef __CUDA_ARCH__
    if (sizeof(T) == 4)
        return (T)-1 < (T)1 ? (T)__float2int_rz(x) : (T)__float2uint_rz(x);
    if (sizeof(T) == 8)
        return (T)-1 < (T)1 ? (T)__float2ll_rz(x) : (T)__float2ull_rz(x);
#endif
    const int bits = 8 * (int)sizeof(T);
    const bool is_signed = (T)-1 < (T)1;
    const double end = is_signed ? (double)(1ull << (bits - 1))
                                 : 2.0 * (double)(1ull << (bits - 1));
    const T least = is_signed ? (T)(1ull << (bits - 1)) : (T)0;
    if (x != x)
        return bits == 64 ? (T)(1ull << 63) : (T)0;
    if ((double)x >= end)
        return (T)~least & (T)(~0ull >> (64 - bits));
    if ((double)x <= (is_signed ? -end : 0.0))
        return least;
    return (T)x;
}

/* Functions of half_ops.h by name. What a device's give is the value rounded to
 * nearest, but for these numbers. */
enum __sw_half_function {
    __sw_of_sqrt, __sw_of_rsqrt, __sw_of_rcp, __sw_of_exp, __sw_of_exp2,
    __sw_of_exp10, __sw_of_log, __sw_of_log2, __sw_of_log10, __sw_of_sin,
    __sw_of_cos, __sw_of_tanh, __sw_of_ceil, __sw_of_floor, __sw_of_rint,
    __sw_of_trunc
};
__SW_HD__ unsigned short
__sw_half_seldom(__sw_half_function f, unsigned short x, unsigned short r)
{
    switch ((unsigned)f << 16 | x) {
#define __SW_SELDOM(name, from, to)                                            \
    case (unsigned)__sw_of_##name << 16 | from:                                \
        return to;
        __SW_SELDOM(exp, 0x1f79, 0x3c07)
        __SW_SELDOM(exp, 0x25cf, 0x3c17)
        __SW_SELDOM(exp2, 0x9bf2, 0x3bfb)
        __SW_SELDOM(exp2, 0xa86d, 0x3bd0)
        __SW_SELDOM(exp10, 0x9766, 0x3bf7)
        __SW_SELDOM(exp10, 0x9972, 0x3bf4)
        __SW_SELDOM(log, 0x1935, 0xc5f9)
        __SW_SELDOM(log, 0x1d78, 0xc53b)
        __SW_SELDOM(log10, 0x338f, 0xb903)
        __SW_SELDOM(log10, 0x33f8, 0xb8d5)
        __SW_SELDOM(log10, 0x57e1, 0x4033)
        __SW_SELDOM(log10, 0x719d, 0x440f)
        __SW_SELDOM(sin, 0x32b3, 0x32a7)
        __SW_SELDOM(sin, 0x5cb0, 0xbbff)
        __SW_SELDOM(sin, 0xb2b3, 0xb2a7)
        __SW_SELDOM(sin, 0xdcb0, 0x3bff)
        __SW_SELDOM(cos, 0x2b7c, 0x3bfd)
        __SW_SELDOM(cos, 0xab7c, 0x3bfd)
#undef __SW_SELDOM
    default:
        return r;
    }
}
__SW_HD__ unsigned short
__sw_bf16_seldom(__sw_half_function f, unsigned short x, unsigned short r)
{
    return f == __sw_of_exp10 && x == 0xbc95 ? 0x3f75 : r;
}
__SW_HD__ float
__sw_bf16_widen(unsigned short h)
{
    return __builtin_bit_cast(float, (unsigned)h << 16);
}

#endif
