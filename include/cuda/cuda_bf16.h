/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_bf16.h - __nv_bfloat16 and its pairs: types, conversions, arithmetic,
 * comparisons and functions (the arithmetic is in softwarp/half_ops.h).
 */
#ifndef __CUDA_BF16_H__
#define __CUDA_BF16_H__
#define __CUDA_BF16_TYPES_EXIST__
#ifndef __cplusplus /* C has the bits only */
typedef struct {
    unsigned short x;
} __nv_bfloat16_raw;
typedef struct {
    unsigned short x, y;
} __nv_bfloat162_raw;
#else

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#pragma GCC system_header
#include "softwarp/half_convert.h"

#ifdef __CUDA_NO_BFLOAT16_OPERATORS__
#define __SW_H_NO_OPERATORS
#endif
#define __SW_H       __nv_bfloat16
#define __SW_H2      __nv_bfloat162
#define __SW_H_OTHER __half
#define __SW_H_RAW   __nv_bfloat16_raw
#define __SW_H2_RAW  __nv_bfloat162_raw
#define __SW_H_PTX   "bf16"
#define __SW_H_FN(x) __sw_bf16_##x
#define __SW_H_ONE   0x3f80u
#define __SW_H_NAN   0x7fffu
#define __SW_H_INF   0x7f80u
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __SW_H_ARITH 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __SW_H_FMA 1
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define __SW_H_ATOM1 1
#define __SW_H_ATOM2 1
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define __SW_H_TANH 1
#endif
#include "softwarp/half_ops.h"
#undef __SW_H_TANH
#undef __SW_H_NO_OPERATORS

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* ---- half ---- */
__SW_HD_MEMBER__ __nv_bfloat16::__nv_bfloat16(__half f)
    : __nv_bfloat16((float)f)
{
}
__SW_HD_MEMBER__ __half::__half(__nv_bfloat16 f) : __half((float)f)
{
}

/* ---- float and double ---- */
#define __SW_ROUNDED(suffix, how)                                              \
    __SW_HD__ __nv_bfloat16 __float2bfloat16_##suffix(float x)                 \
    {                                                                          \
        return __sw_bf16_bits(__sw_narrow16(x, 7, 127, 0x7f80u, how));         \
    }
__SW_ROUNDED(rz, __SW_RZ)
__SW_ROUNDED(ru, __SW_RU)
__SW_ROUNDED(rd, __SW_RD)
#undef __SW_ROUNDED
__SW_HD__ __nv_bfloat16
__float2bfloat16_rn(float x)
{
    return __sw_bf16_bits(__sw_bf16_narrow(x));
}
__SW_HD__ __nv_bfloat16
__float2bfloat16(float x)
{
    return __float2bfloat16_rn(x);
}
__SW_HD__ __nv_bfloat16
__double2bfloat16(double x)
{
    return __sw_bf16_bits(__sw_bf16_of_double(x));
}
__SW_HD__ float
__bfloat162float(__nv_bfloat16 h)
{
    return __sw_bf16_widen(h.__x);
}
__SW_HD__ __nv_bfloat162
__float2bfloat162_rn(float x)
{
    __nv_bfloat16 h = __float2bfloat16_rn(x);
    return __nv_bfloat162(h, h);
}
__SW_HD__ __nv_bfloat162
__floats2bfloat162_rn(float x, float y)
{
    return __nv_bfloat162(__float2bfloat16_rn(x), __float2bfloat16_rn(y));
}
__SW_HD__ __nv_bfloat162
__float22bfloat162_rn(float2 v)
{
    return __floats2bfloat162_rn(v.x, v.y);
}
__SW_HD__ float2
__bfloat1622float2(__nv_bfloat162 v)
{
    float2 r;
    r.x = __bfloat162float(v.x);
    r.y = __bfloat162float(v.y);
    return r;
}
__SW_HD__ float
__low2float(__nv_bfloat162 v)
{
    return __bfloat162float(v.x);
}
__SW_HD__ float
__high2float(__nv_bfloat162 v)
{
    return __bfloat162float(v.y);
}

/* ---- halves of pairs ---- */
__SW_HD__ __nv_bfloat162
__halves2bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
__SW_HD__ __nv_bfloat162
make_bfloat162(__nv_bfloat16 a, __nv_bfloat16 b)
{
    return __nv_bfloat162(a, b);
}
__SW_HD__ __nv_bfloat162
__bfloat162bfloat162(__nv_bfloat16 a)
{
    return __nv_bfloat162(a, a);
}
__SW_HD__ __nv_bfloat16
__low2bfloat16(__nv_bfloat162 v)
{
    return v.x;
}
__SW_HD__ __nv_bfloat16
__high2bfloat16(__nv_bfloat162 v)
{
    return v.y;
}
__SW_HD__ __nv_bfloat162
__low2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.x, v.x);
}
__SW_HD__ __nv_bfloat162
__high2bfloat162(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.y);
}
__SW_HD__ __nv_bfloat162
__lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.x, b.x);
}
__SW_HD__ __nv_bfloat162
__highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b)
{
    return __nv_bfloat162(a.y, b.y);
}
__SW_HD__ __nv_bfloat162
__lowhigh2highlow(__nv_bfloat162 v)
{
    return __nv_bfloat162(v.y, v.x);
}

/* ---- bits ---- */
__SW_HD__ short
__bfloat16_as_short(__nv_bfloat16 h)
{
    return (short)h.__x;
}
__SW_HD__ unsigned short
__bfloat16_as_ushort(__nv_bfloat16 h)
{
    return h.__x;
}
__SW_HD__ __nv_bfloat16
__short_as_bfloat16(short x)
{
    return __sw_bf16_bits((unsigned short)x);
}
__SW_HD__ __nv_bfloat16
__ushort_as_bfloat16(unsigned short x)
{
    return __sw_bf16_bits(x);
}

/* ---- integers ---- */
/* As a double that is rounded to the same. */
template <class T> __SW_HD__ double __sw_bf16_wide(T x)
{
    const bool is_signed = (T)-1 < (T)0;
    const long long far = 1ll << 53;
    if (sizeof(T) < 8 ||
        (is_signed ? (long long)x <= far && (long long)x >= -far
                   : (unsigned long long)x <= (unsigned long long)far))
        return (double)x;
    const T low = (T)0x1fff;
    return (double)((x & ~low) | (x & low ? (T)0x1000 : (T)0));
}
#define __SW_FROM_ROUNDED(name, T, suffix, how)                                \
    __SW_HD__ __nv_bfloat16 __##name##2bfloat16_##suffix(T x)                  \
    {                                                                          \
        return __sw_bf16_bits(__sw_narrow16(__sw_bf16_wide(x), 7, 127,          \
                                             0x7f80u, how));                   \
    }
#define __SW_FROM(name, T)                                                     \
    __SW_FROM_ROUNDED(name, T, rn, __SW_RN)                                    \
    __SW_FROM_ROUNDED(name, T, rz, __SW_RZ)                                    \
    __SW_FROM_ROUNDED(name, T, ru, __SW_RU)                                    \
    __SW_FROM_ROUNDED(name, T, rd, __SW_RD)
__SW_FROM(short, short)
__SW_FROM(ushort, unsigned short)
__SW_FROM(int, int)
__SW_FROM(uint, unsigned)
__SW_FROM(ll, long long)
__SW_FROM(ull, unsigned long long)
#undef __SW_FROM
#undef __SW_FROM_ROUNDED
/* Out of range: the nearest number; NaN: 0 (64 bits: the top bit). Only
 * rounding to zero is for both sides. */
#ifdef __CUDA__
#define __SW_NARROW(name, T, suffix, least, most)                              \
    __SW_DEV__ T __sw_float2##name##_##suffix(float x)                         \
    {                                                                          \
        int i = __float2int_##suffix(x);                                       \
        return (T)(i < (least) ? (least) : i > (most) ? (most) : i);           \
    }
#define __SW_NARROW_ALL(name, T, least, most)                                  \
    __SW_NARROW(name, T, rn, least, most)                                      \
    __SW_NARROW(name, T, ru, least, most)                                      \
    __SW_NARROW(name, T, rd, least, most)
__SW_NARROW_ALL(short, short, -32768, 32767)
__SW_NARROW_ALL(ushort, unsigned short, 0, 65535)
#undef __SW_NARROW_ALL
#undef __SW_NARROW
#define __SW_TO(name, T, suffix, convert)                                      \
    __SW_DEV__ T __bfloat162##name##_##suffix(__nv_bfloat16 h)                 \
    {                                                                          \
        return (T)convert##_##suffix(__bfloat162float(h));                     \
    }
#else
#define __SW_TO(name, T, suffix, convert)
#endif
#define __SW_TO_ZERO(name, T)                                                  \
    __SW_HD__ T __bfloat162##name##_rz(__nv_bfloat16 h)                        \
    {                                                                          \
        return __sw_integer_of<T>(__bfloat162float(h));                        \
    }
#define __SW_TO_ALL(name, T, convert)                                          \
    __SW_TO(name, T, rn, convert)                                              \
    __SW_TO_ZERO(name, T)                                                      \
    __SW_TO(name, T, ru, convert)                                              \
    __SW_TO(name, T, rd, convert)
__SW_TO_ALL(int, int, __float2int)
__SW_TO_ALL(uint, unsigned, __float2uint)
__SW_TO_ALL(ll, long long, __float2ll)
__SW_TO_ALL(ull, unsigned long long, __float2ull)
__SW_TO_ALL(short, short, __sw_float2short)
__SW_TO_ALL(ushort, unsigned short, __sw_float2ushort)
__SW_TO_ZERO(char, signed char)
__SW_TO_ZERO(uchar, unsigned char)
#undef __SW_TO_ALL
#undef __SW_TO_ZERO
#undef __SW_TO

#endif
#endif
