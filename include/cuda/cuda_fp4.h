/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp4.h - the 4-bit format e2m1 as types to store and
 * convert: neither infinities nor NaNs, what is too large becomes the largest.
 */
#ifndef __CUDA_FP4_H__
#define __CUDA_FP4_H__
#define __CUDA_FP4_TYPES_EXIST__
#include "cuda_fp8.h"
#pragma GCC system_header

typedef unsigned char __nv_fp4_storage_t;
typedef unsigned char __nv_fp4x2_storage_t;
typedef unsigned short __nv_fp4x4_storage_t;
typedef enum __nv_fp4_interpretation_t { __NV_E2M1 } __nv_fp4_interpretation_t;

#ifdef __cplusplus /* C has the bits only */

/* Its largest number is 6. */
__SW_HD__ unsigned
__sw_to_e2m1(double x)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned r = 0x7;
    if ((b << 1) == 0)
        r = 0;
    else if ((b << 1) < 0xffe0000000000000ull)
        r = __sw_narrow_bits(x, 1, 1, __SW_RN);
    else if (x != x)
        return 0x7; /* of either sign */
    return (r > 0x7 ? 0x7 : r) | (unsigned)(b >> 63) << 3;
}
__SW_HD__ float
__sw_from_e2m1(unsigned x)
{
    /* as a half, whose bias is greater: times a power of two, exact */
    unsigned m = x & 0x7;
    float f = __sw_half_widen((unsigned short)(m << 9)) * 16384.0f;
    return (x & 0x8) != 0 ? -f : f;
}

/* Rounding is to the nearest, the only way there is. */
__SW_HD__ __nv_fp4_storage_t
__nv_cvt_double_to_fp4(double x, __nv_fp4_interpretation_t,
                      enum cudaRoundMode)
{
    return (__nv_fp4_storage_t)(__sw_to_e2m1(x));
}
__SW_HD__ __nv_fp4x2_storage_t
__nv_cvt_double2_to_fp4x2(double2 v, __nv_fp4_interpretation_t kind,
                         enum cudaRoundMode rounding)
{
    unsigned lo = __nv_cvt_double_to_fp4(v.x, kind, rounding);
    unsigned hi = __nv_cvt_double_to_fp4(v.y, kind, rounding);
    return (__nv_fp4x2_storage_t)(hi << 4 | lo);
}
#define __SW_CVT(from, T, widen)                                               \
    __SW_HD__ __nv_fp4_storage_t __nv_cvt_##from##_to_fp4(                     \
        T x, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding)      \
    {                                                                          \
        return __nv_cvt_double_to_fp4(widen, kind, rounding);                  \
    }
#define __SW_CVT2(from, T, widen)                                              \
    __SW_HD__ __nv_fp4x2_storage_t __nv_cvt_##from##_to_fp4x2(                 \
        T v, __nv_fp4_interpretation_t kind, enum cudaRoundMode rounding)      \
    {                                                                          \
        return __nv_cvt_double2_to_fp4x2(make_double2(widen(v.x), widen(v.y)), \
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
__nv_cvt_fp4_to_halfraw(__nv_fp4_storage_t x, __nv_fp4_interpretation_t)
{
    __half_raw r;
    r.x = __sw_half_narrow(__sw_from_e2m1(x));
    return r;
}
__SW_HD__ __half2_raw
__nv_cvt_fp4x2_to_halfraw2(__nv_fp4x2_storage_t x,
                          __nv_fp4_interpretation_t kind)
{
    __half2_raw r;
    r.x = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x & 0xf), kind).x;
    r.y = __nv_cvt_fp4_to_halfraw((__nv_fp4_storage_t)(x >> 4), kind).x;
    return r;
}

__SW_SMALL_FLOAT(fp4, e2m1, 4, 4)

#endif
#endif
