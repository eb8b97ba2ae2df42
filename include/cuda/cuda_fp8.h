/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_fp8.h - the 8-bit formats e4m3 and e5m2 as types to store and convert;
 * they have no arithmetic of their own. Conversions are done in software on
 * both sides.
 */
#ifndef SOFTWARP_CUDA_FP8_H
#define SOFTWARP_CUDA_FP8_H
#define __CUDA_FP8_H__
#define __CUDA_FP8_TYPES_EXIST__
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#pragma clang system_header

typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned __nv_fp8x4_storage_t;
typedef enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE } __nv_saturation_t;
typedef enum __nv_fp8_interpretation_t {
    __NV_E4M3,
    __NV_E5M2
} __nv_fp8_interpretation_t;

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
        return (__nv_fp8_storage_t)(e4m3 ? 0x7f : 0x7f);
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
    return __nv_cvt_double_to_fp8((double)x, saturate, kind);
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

#define __SW_FP8(name, kind)                                                   \
    struct __nv_fp8_##name {                                                   \
        __nv_fp8_storage_t __x;                                                \
        __nv_fp8_##name() = default;                                           \
        __SW_HD_MEMBER__ explicit __nv_fp8_##name(float f)                     \
            : __x(__nv_cvt_float_to_fp8(f, __NV_SATFINITE, kind))              \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit __nv_fp8_##name(double f)                    \
            : __x(__nv_cvt_double_to_fp8(f, __NV_SATFINITE, kind))             \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit __nv_fp8_##name(__half f)                    \
            : __x(__nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, kind))       \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit __nv_fp8_##name(__nv_bfloat16 f)             \
            : __x(__nv_cvt_float_to_fp8((float)f, __NV_SATFINITE, kind))       \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator float() const                       \
        {                                                                      \
            return __sw_half_widen(__nv_cvt_fp8_to_halfraw(__x, kind).x);      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator double() const                      \
        {                                                                      \
            return (float)*this;                                               \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator __half() const                      \
        {                                                                      \
            return __nv_cvt_fp8_to_halfraw(__x, kind);                         \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator __nv_bfloat16() const               \
        {                                                                      \
            return __nv_bfloat16((float)*this);                                \
        }                                                                      \
    };
__SW_FP8(e4m3, __NV_E4M3)
__SW_FP8(e5m2, __NV_E5M2)
#undef __SW_FP8

#endif
