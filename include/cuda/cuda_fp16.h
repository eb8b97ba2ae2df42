/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp16.h - half and half2: types, conversions, arithmetic, comparisons
 * and functions (the arithmetic itself is in softwarp/half_ops.h).
 */
#ifndef __CUDA_FP16_H__
#define __CUDA_FP16_H__
#define __CUDA_FP16_TYPES_EXIST__
#ifndef __cplusplus /* C has the bits only */
typedef struct {
    unsigned short x;
} __half_raw;
typedef struct {
    unsigned short x, y;
} __half2_raw;
#else

#include "cuda_runtime.h"
#pragma GCC system_header
#include "softwarp/half_convert.h"

#ifdef __CUDA_NO_HALF_OPERATORS__
#define __SW_H_NO_OPERATORS
#endif
#define __SW_H       __half
#define __SW_H2      __half2
#define __SW_H_OTHER __nv_bfloat16
#define __SW_H_RAW   __half_raw
#define __SW_H2_RAW  __half2_raw
#define __SW_H_PTX   "f16"
#define __SW_H_FN(x) __sw_half_##x
#define __SW_H_ONE   0x3c00u
#define __SW_H_NAN   0x7fffu
#define __SW_H_INF   0x7c00u
#define __SW_H_SHORT 1
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 530
#define __SW_H_ARITH 1
#define __SW_H_FMA   1
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600
#define __SW_H_ATOM2 1
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define __SW_H_ATOM1 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
#define __SW_H_TANH 1
#endif
#include "softwarp/half_ops.h"
#undef __SW_H_TANH
#undef __SW_H_NO_OPERATORS

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;

/* ---- float and double ---- */
#ifdef __CUDA_ARCH__
#define __SW_ROUNDED_BITS(x, ptx, how)                                         \
    unsigned short r;                                                          \
    __asm__("cvt." ptx ".f16.f64 %0, %1;" : "=h"(r) : "d"((double)(x)));       \
    return __sw_half_bits(r);
#else
#define __SW_ROUNDED_BITS(x, ptx, how)                                         \
    return __sw_half_bits(__sw_narrow16((double)(x), 10, 15, 0x7c00u, how));
#endif
#ifdef __CUDA_ARCH__
#define __SW_ROUNDED(suffix, ptx, how)                                         \
    __SW_HD__ __half __float2half_##suffix(float x)                            \
    {                                                                          \
        unsigned short r;                                                      \
        __asm__("cvt." ptx ".f16.f32 %0, %1;" : "=h"(r) : "f"(x));             \
        return __sw_half_bits(r);                                              \
    }
#else
#define __SW_ROUNDED(suffix, ptx, how)                                         \
    __SW_HD__ __half __float2half_##suffix(float x)                            \
    {                                                                          \
        __SW_ROUNDED_BITS(x, ptx, how)                                         \
    }
#endif
__SW_ROUNDED(rz, "rz", __SW_RZ)
__SW_ROUNDED(ru, "rp", __SW_RU)
__SW_ROUNDED(rd, "rm", __SW_RD)
#undef __SW_ROUNDED
__SW_HD__ __half
__float2half_rn(float x)
{
    return __sw_half_bits(__sw_half_narrow(x));
}
__SW_HD__ __half
__float2half(float x)
{
    return __float2half_rn(x);
}
__SW_HD__ __half
__double2half(double x)
{
    return __sw_half_of(x);
}
__SW_HD__ float
__half2float(__half h)
{
    return __sw_half_widen(h.__x);
}
__SW_HD__ __half2
__float2half2_rn(float x)
{
    __half h = __float2half_rn(x);
    return __half2(h, h);
}
__SW_HD__ __half2
__floats2half2_rn(float x, float y)
{
    return __half2(__float2half_rn(x), __float2half_rn(y));
}
__SW_HD__ __half2
__float22half2_rn(float2 v)
{
    return __floats2half2_rn(v.x, v.y);
}
__SW_HD__ float2
__half22float2(__half2 v)
{
    float2 r;
    r.x = __half2float(v.x);
    r.y = __half2float(v.y);
    return r;
}
__SW_HD__ float
__low2float(__half2 v)
{
    return __half2float(v.x);
}
__SW_HD__ float
__high2float(__half2 v)
{
    return __half2float(v.y);
}

/* ---- halves of pairs ---- */
__SW_HD__ __half2
__halves2half2(__half a, __half b)
{
    return __half2(a, b);
}
__SW_HD__ __half2
make_half2(__half a, __half b)
{
    return __half2(a, b);
}
__SW_HD__ __half2
__half2half2(__half a)
{
    return __half2(a, a);
}
__SW_HD__ __half
__low2half(__half2 v)
{
    return v.x;
}
__SW_HD__ __half
__high2half(__half2 v)
{
    return v.y;
}
__SW_HD__ __half2
__low2half2(__half2 v)
{
    return __half2(v.x, v.x);
}
__SW_HD__ __half2
__high2half2(__half2 v)
{
    return __half2(v.y, v.y);
}
__SW_HD__ __half2
__lows2half2(__half2 a, __half2 b)
{
    return __half2(a.x, b.x);
}
__SW_HD__ __half2
__highs2half2(__half2 a, __half2 b)
{
    return __half2(a.y, b.y);
}
__SW_HD__ __half2
__lowhigh2highlow(__half2 v)
{
    return __half2(v.y, v.x);
}

/* ---- bits ---- */
__SW_HD__ short
__half_as_short(__half h)
{
    return (short)h.__x;
}
__SW_HD__ unsigned short
__half_as_ushort(__half h)
{
    return h.__x;
}
__SW_HD__ __half
__short_as_half(short x)
{
    return __sw_half_bits((unsigned short)x);
}
__SW_HD__ __half
__ushort_as_half(unsigned short x)
{
    return __sw_half_bits(x);
}

/* ---- integers ---- */
#define __SW_FROM_ROUNDED(name, T, suffix, ptx, how)                           \
    __SW_HD__ __half __##name##2half_##suffix(T x)                             \
    {                                                                          \
        __SW_ROUNDED_BITS(x, ptx, how)                                         \
    }
#define __SW_FROM(name, T)                                                     \
    __SW_FROM_ROUNDED(name, T, rn, "rn", __SW_RN)                              \
    __SW_FROM_ROUNDED(name, T, rz, "rz", __SW_RZ)                              \
    __SW_FROM_ROUNDED(name, T, ru, "rp", __SW_RU)                              \
    __SW_FROM_ROUNDED(name, T, rd, "rm", __SW_RD)
__SW_FROM(short, short)
__SW_FROM(ushort, unsigned short)
__SW_FROM(int, int)
__SW_FROM(uint, unsigned)
__SW_FROM(ll, long long)
__SW_FROM(ull, unsigned long long)
#undef __SW_FROM
#undef __SW_FROM_ROUNDED
#undef __SW_ROUNDED_BITS
/* Out of range: the nearest number; NaN: 0 (64 bits: the top bit). Only
 * rounding to zero is for both sides. */
#ifdef __CUDA__
#define __SW_TO_ROUNDED(name, T, suffix, ptx, c, R)                            \
    __SW_DEV__ T __half2##name##_##suffix(__half h)                            \
    {                                                                          \
        R r;                                                                   \
        __asm__("cvt." ptx ".f16 %0, %1;" : "=" c(r) : "h"(h.__x));            \
        return (T)r;                                                           \
    }
#else
#define __SW_TO_ROUNDED(name, T, suffix, ptx, c, R)
#endif
#ifdef __CUDA_ARCH__
#define __SW_TO_ZERO(name, T, ptx, c, R)                                       \
    __SW_HD__ T __half2##name##_rz(__half h)                                   \
    {                                                                          \
        R r;                                                                   \
        __asm__("cvt.rzi." ptx ".f16 %0, %1;" : "=" c(r) : "h"(h.__x));        \
        return (T)r;                                                           \
    }
#else
#define __SW_TO_ZERO(name, T, ptx, c, R)                                       \
    __SW_HD__ T __half2##name##_rz(__half h)                                   \
    {                                                                          \
        return __sw_integer_of<T>(__half2float(h));                            \
    }
#endif
#define __SW_TO(name, T, ptx, c, R)                                            \
    __SW_TO_ROUNDED(name, T, rn, "rni." ptx, c, R)                             \
    __SW_TO_ZERO(name, T, ptx, c, R)                                           \
    __SW_TO_ROUNDED(name, T, ru, "rpi." ptx, c, R)                             \
    __SW_TO_ROUNDED(name, T, rd, "rmi." ptx, c, R)
__SW_TO(short, short, "s16", "h", short)
__SW_TO(ushort, unsigned short, "u16", "h", unsigned short)
__SW_TO(int, int, "s32", "r", int)
__SW_TO(uint, unsigned, "u32", "r", unsigned)
__SW_TO(ll, long long, "s64", "l", long long)
__SW_TO(ull, unsigned long long, "u64", "l", unsigned long long)
__SW_HD__ signed char
__half2char_rz(__half h)
{
    short x = __half2short_rz(h);
    return (signed char)(x > 127 ? 127 : x < -128 ? -128 : x);
}
__SW_HD__ unsigned char
__half2uchar_rz(__half h)
{
    unsigned short x = __half2ushort_rz(h);
    return (unsigned char)(x > 255 ? 255 : x);
}
#undef __SW_TO
#undef __SW_TO_ROUNDED
#undef __SW_TO_ZERO

#endif
#endif
