/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp6.h - the 6-bit formats e2m3 and e3m2 as types to store and
 * convert: neither infinities nor NaNs, what is too large becomes the largest.
 */
#ifndef __CUDA_FP6_H__
#define __CUDA_FP6_H__
#define __CUDA_FP6_TYPES_EXIST__
#include "cuda_fp8.h"
#pragma GCC system_header

typedef unsigned char __nv_fp6_storage_t;
typedef unsigned short __nv_fp6x2_storage_t;
typedef unsigned __nv_fp6x4_storage_t;
typedef enum __nv_fp6_interpretation_t { __NV_E2M3, __NV_E3M2 } __nv_fp6_interpretation_t;

#ifdef __cplusplus /* C has the bits only */

/* Its largest number is 7.5. */
__SW_HD__ unsigned
__sw_to_e2m3(double x)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned r = 0x1f;
    if ((b << 1) == 0)
        r = 0;
    else if ((b << 1) < 0xffe0000000000000ull)
        r = __sw_narrow_bits(x, 3, 1, __SW_RN);
    else if (x != x)
        return 0x1f; /* of either sign */
    return (r > 0x1f ? 0x1f : r) | (unsigned)(b >> 63) << 5;
}
__SW_HD__ float
__sw_from_e2m3(unsigned x)
{
    /* as a half, whose bias is greater: times a power of two, exact */
    unsigned m = x & 0x1f;
    float f = __sw_half_widen((unsigned short)(m << 7)) * 16384.0f;
    return (x & 0x20) != 0 ? -f : f;
}
/* Its largest number is 28. */
__SW_HD__ unsigned
__sw_to_e3m2(double x)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned r = 0x1f;
    if ((b << 1) == 0)
        r = 0;
    else if ((b << 1) < 0xffe0000000000000ull)
        r = __sw_narrow_bits(x, 2, 3, __SW_RN);
    else if (x != x)
        return 0x1f; /* of either sign */
    return (r > 0x1f ? 0x1f : r) | (unsigned)(b >> 63) << 5;
}
__SW_HD__ float
__sw_from_e3m2(unsigned x)
{
    /* as a half, whose bias is greater: times a power of two, exact */
    unsigned m = x & 0x1f;
    float f = __sw_half_widen((unsigned short)(m << 8)) * 4096.0f;
    return (x & 0x20) != 0 ? -f : f;
}

/* Rounding is to the nearest, the only way there is. */
__SW_HD__ __nv_fp6_storage_t
__nv_cvt_double_to_fp6(double x, __nv_fp6_interpretation_t kind,
                      enum cudaRoundMode)
{
    return (__nv_fp6_storage_t)(kind == __NV_E2M3 ? __sw_to_e2m3(x) : __sw_to_e3m2(x));
}
__SW_HD__ __nv_fp6x2_storage_t
__nv_cvt_double2_to_fp6x2(double2 v, __nv_fp6_interpretation_t kind,
                         enum cudaRoundMode rounding)
{
    unsigned lo = __nv_cvt_double_to_fp6(v.x, kind, rounding);
    unsigned hi = __nv_cvt_double_to_fp6(v.y, kind, rounding);
    return (__nv_fp6x2_storage_t)(hi << 8 | lo);
}
#define __SW_CVT(from, T, widen)                                               \
    __SW_HD__ __nv_fp6_storage_t __nv_cvt_##from##_to_fp6(                     \
        T x, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding)      \
    {                                                                          \
        return __nv_cvt_double_to_fp6(widen, kind, rounding);                  \
    }
#define __SW_CVT2(from, T, widen)                                              \
    __SW_HD__ __nv_fp6x2_storage_t __nv_cvt_##from##_to_fp6x2(                 \
        T v, __nv_fp6_interpretation_t kind, enum cudaRoundMode rounding)      \
    {                                                                          \
        return __nv_cvt_double2_to_fp6x2(make_double2(widen(v.x), widen(v.y)), \
                                        kind, rounding);                       \
    }
__SW_CVT(float, float, (double)x)
__SW_CVT(halfraw, __half_raw, __sw_half_widen(x.x))
__SW_CVT(bfloat16raw, __nv_bfloat16_raw, __sw_bf16_widen(x.x))
__SW_CVT2(float2, float2, (double))
__SW_CVT2(halfraw2, __half2_raw, __sw_half_widen)
__SW_CVT2(bfloat16raw2, __nv_bfloat162_raw, __sw_bf16_widen)
#undef __SW_CVT
#undef __SW_CVT2

__SW_HD__ __half_raw
__nv_cvt_fp6_to_halfraw(__nv_fp6_storage_t x, __nv_fp6_interpretation_t kind)
{
    __half_raw r;
    r.x = __sw_half_narrow(kind == __NV_E2M3 ? __sw_from_e2m3(x) : __sw_from_e3m2(x));
    return r;
}
__SW_HD__ __half2_raw
__nv_cvt_fp6x2_to_halfraw2(__nv_fp6x2_storage_t x,
                          __nv_fp6_interpretation_t kind)
{
    __half2_raw r;
    r.x = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x & 0xff), kind).x;
    r.y = __nv_cvt_fp6_to_halfraw((__nv_fp6_storage_t)(x >> 8), kind).x;
    return r;
}

__SW_SMALL_FLOAT(fp6, e2m3, 6, 8)
__SW_SMALL_FLOAT(fp6, e3m2, 6, 8)

#endif
#endif
