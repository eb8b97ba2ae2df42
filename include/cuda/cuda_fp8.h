/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp8.h - the 8-bit formats e4m3 and e5m2, and e8m0 of scale factors, as
 * types to store and convert; they have no arithmetic of their own. Conversions
 * are done in software on both sides.
 */
#ifndef __CUDA_FP8_H__
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#pragma GCC system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t {
    __NV_E4M3,
    __NV_E5M2
} __nv_fp8_interpretation_t;

#ifdef __cplusplus /* C has the bits only */
#include "softwarp/small_floats.h"

/* e4m3 has no infinity and one NaN, 0x7f; its largest number is 448. e5m2 is
 * half's upper byte; its largest number is 57344. */
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_double_to_fp8(double x, __nv_saturation_t saturate,
                       __nv_fp8_interpretation_t kind)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x);
    unsigned sign = (unsigned)(b >> 63) << 7;
    bool e4m3 = kind == __NV_E4M3;
    unsigned most = e4m3 ? 0x7eu : 0x7bu;
    if (x != x)
        return (__nv_fp8_storage_t)(sign | (e4m3 ? 0x7fu : 0x7eu | (b >> 50 & 3)));
    if ((b << 1) == 0)
        return (__nv_fp8_storage_t)sign;
    unsigned r = most + 1;
    if ((b << 1) != 0xffe0000000000000ull) {
        r = e4m3 ? __sw_narrow_bits(x, 3, 7, __SW_RN)
                 : __sw_narrow_bits(x, 2, 15, __SW_RN);
        r = r > most ? most + 1 : r;
    }
    if (r > most)
        r = saturate == __NV_SATFINITE ? most : e4m3 ? 0x7f : 0x7c;
    return (__nv_fp8_storage_t)(sign | r);
}
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float x, __nv_saturation_t saturate,
                      __nv_fp8_interpretation_t kind)
{
    return x == x ? __nv_cvt_double_to_fp8((double)x, saturate, kind)
                  : (__nv_fp8_storage_t)0x7f;
}
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_halfraw_to_fp8(__half_raw x, __nv_saturation_t saturate,
                        __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__sw_half_widen(x.x), saturate, kind);
}
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                            __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float_to_fp8(__sw_bf16_widen(x.x), saturate, kind);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_float2_to_fp8x2(float2 v, __nv_saturation_t saturate,
                         __nv_fp8_interpretation_t kind)
{
    unsigned lo = __nv_cvt_float_to_fp8(v.x, saturate, kind);
    unsigned hi = __nv_cvt_float_to_fp8(v.y, saturate, kind);
    return (__nv_fp8x2_storage_t)(hi << 8 | lo);
}
/* Every 8-bit number is a half. */
__SW_HD__ __half_raw
__nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x, __nv_fp8_interpretation_t kind)
{
    __half_raw r;
    unsigned m = x & 0x7fu, sign = (x & 0x80u) << 8;
    if (kind == __NV_E5M2) {
        r.x = (unsigned short)(m > 0x7c ? 0x7fff : sign | m << 8);
    } else if (m == 0x7f) {
        r.x = 0x7fff;
    } else {
        /* the exponent's bias grows by 8: a product with 2**8, exact */
        float f = __sw_half_widen((unsigned short)(m << 7)) * 256.0f;
        r.x = (unsigned short)(sign | __sw_half_narrow(f));
    }
    return r;
}
__SW_HD__ __half2_raw
__nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t x,
                           __nv_fp8_interpretation_t kind)
{
    __half2_raw r;
    r.x = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x;
    r.y = __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)(x >> 8), kind).x;
    return r;
}
/* Not documented, but programs have found them. */
__SW_HD__ float
__internal_halfraw_to_float(__half_raw x)
{
    return __sw_half_widen(x.x);
}
__SW_HD__ float2
__internal_halfraw2_to_float2(__half2_raw v)
{
    return make_float2(__sw_half_widen(v.x), __sw_half_widen(v.y));
}

__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_double2_to_fp8x2(double2 v, __nv_saturation_t saturate,
                          __nv_fp8_interpretation_t kind)
{
    unsigned lo = __nv_cvt_double_to_fp8(v.x, saturate, kind);
    unsigned hi = __nv_cvt_double_to_fp8(v.y, saturate, kind);
    return (__nv_fp8x2_storage_t)(hi << 8 | lo);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_halfraw2_to_fp8x2(__half2_raw v, __nv_saturation_t saturate,
                           __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(
        make_float2(__sw_half_widen(v.x), __sw_half_widen(v.y)), saturate,
        kind);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_bfloat16raw2_to_fp8x2(__nv_bfloat162_raw v,
                               __nv_saturation_t saturate,
                               __nv_fp8_interpretation_t kind)
{
    return __nv_cvt_float2_to_fp8x2(
        make_float2(__sw_bf16_widen(v.x), __sw_bf16_widen(v.y)), saturate,
        kind);
}

/* e8m0: x is 2**(x - 127), 0xff is NaN. It has neither sign nor zero: signs are
 * dropped, what is less than its least number becomes that. */
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_double_to_e8m0(double x, __nv_saturation_t saturate,
                        enum cudaRoundMode rounding)
{
    unsigned long long b = __builtin_bit_cast(unsigned long long, x) << 1;
    if (x != x)
        return 0xff;
    int e = (int)(b >> 53) - 1023 + 127;
    if (rounding == cudaRoundPosInf && b << 11 != 0)
        e++;
    int most = saturate == __NV_SATFINITE ? 0xfe : 0xff;
    return (__nv_fp8_storage_t)(e < 0 ? 0 : e > most ? most : e);
}
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_float_to_e8m0(float x, __nv_saturation_t saturate,
                       enum cudaRoundMode rounding)
{
    return __nv_cvt_double_to_e8m0((double)x, saturate, rounding);
}
__SW_HD__ __nv_fp8_storage_t
__nv_cvt_bfloat16raw_to_e8m0(__nv_bfloat16_raw x, __nv_saturation_t saturate,
                             enum cudaRoundMode rounding)
{
    return __nv_cvt_float_to_e8m0(__sw_bf16_widen(x.x), saturate, rounding);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_double2_to_e8m0x2(double2 v, __nv_saturation_t saturate,
                           enum cudaRoundMode rounding)
{
    unsigned lo = __nv_cvt_double_to_e8m0(v.x, saturate, rounding);
    unsigned hi = __nv_cvt_double_to_e8m0(v.y, saturate, rounding);
    return (__nv_fp8x2_storage_t)(hi << 8 | lo);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_float2_to_e8m0x2(float2 v, __nv_saturation_t saturate,
                          enum cudaRoundMode rounding)
{
    return __nv_cvt_double2_to_e8m0x2(make_double2(v.x, v.y), saturate,
                                      rounding);
}
__SW_HD__ __nv_fp8x2_storage_t
__nv_cvt_bfloat162raw_to_e8m0x2(__nv_bfloat162_raw v,
                                __nv_saturation_t saturate,
                                enum cudaRoundMode rounding)
{
    return __nv_cvt_float2_to_e8m0x2(
        make_float2(__sw_bf16_widen(v.x), __sw_bf16_widen(v.y)), saturate,
        rounding);
}
__SW_HD__ __nv_bfloat16_raw
__nv_cvt_e8m0_to_bf16raw(__nv_fp8_storage_t x)
{
    __nv_bfloat16_raw r;
    /* the least is a subnormal number of bfloat16's */
    r.x = (unsigned short)(x == 0xff ? 0x7fff : x == 0 ? 0x40 : x << 7);
    return r;
}
__SW_HD__ __nv_bfloat162_raw
__nv_cvt_e8m0x2_to_bf162raw(__nv_fp8x2_storage_t x)
{
    __nv_bfloat162_raw r;
    r.x = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x;
    r.y = __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)(x >> 8)).x;
    return r;
}

/* What the types below are made of. */
#define __SW_FP8(name, kind)                                                   \
    __SW_HD__ unsigned __sw_to_##name(double x)                                \
    {                                                                          \
        return __nv_cvt_double_to_fp8(x, __NV_SATFINITE, kind);                \
    }                                                                          \
    __SW_HD__ float __sw_from_##name(unsigned x)                               \
    {                                                                          \
        return __sw_half_widen(                                                \
            __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)x, kind).x);           \
    }                                                                          \
    __SW_SMALL_FLOAT(fp8, name, 8, 8)
__SW_FP8(e4m3, __NV_E4M3)
__SW_FP8(e5m2, __NV_E5M2)
#undef __SW_FP8

__SW_HD__ unsigned
__sw_to_e8m0(double x)
{
    return __nv_cvt_double_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf);
}
__SW_HD__ float
__sw_from_e8m0(unsigned x)
{
    return __sw_bf16_widen(
        __nv_cvt_e8m0_to_bf16raw((__nv_fp8_storage_t)x).x);
}
__SW_SMALL_FLOAT(fp8, e8m0, 8, 8)

#endif
#endif
