/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/small_floats.h - the types that cuda_fp8.h, cuda_fp6.h and
 * cuda_fp4.h have for each of their formats: one number, two, and four.
 *
 *   __SW_SMALL_FLOAT(fp8, e4m3, bits, apart)
 *
 * defines __nv_fp8_e4m3, __nv_fp8x2_e4m3 and __nv_fp8x4_e4m3 by means of
 * unsigned __sw_to_e4m3(double), which rounds, and float
 * __sw_from_e4m3(unsigned), which is exact. In a vector the numbers of `bits`
 * bits are `apart` bits apart, the first one lowest.
 */
#ifndef SOFTWARP_SMALL_FLOATS_H
#define SOFTWARP_SMALL_FLOATS_H
#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#pragma GCC system_header

/* Of the floats only a double that is no number keeps digits of it. */
template <class __F>
__SW_HD__ double
__sw_wide(__F x)
{
    return (double)x;
}
__SW_HD__ double
__sw_wide(float x)
{
    return x == x ? (double)x
                  : __builtin_bit_cast(double, 0x7ffc000000000000ull);
}

#define __SW_SMALL_OF(T, __F)                                                  \
    __SW_HD_MEMBER__ explicit T(__F f)                                         \
        : __x((decltype(__x))__sw_bits(__sw_wide(f)))                          \
    {                                                                          \
    }
#define __SW_SMALL_TO(__F)                                                     \
    __SW_HD_MEMBER__ explicit operator __F() const                             \
    {                                                                          \
        return (__F)__sw_float();                                              \
    }
/* Integers of 8 and 16 bits: the nearest there is, 0 of no number. */
#define __SW_SMALL_CUT(__F, lo, hi)                                            \
    __SW_HD_MEMBER__ explicit operator __F() const                             \
    {                                                                          \
        float x = __sw_float();                                                \
        return (__F)(x != x ? 0 : x < lo ? lo : x > hi ? hi : x);              \
    }

#define __SW_SMALL_FLOAT(family, format, bits, apart)                          \
    __SW_SMALL_1(__nv_##family##_##format, __nv_##family##_storage_t, format)  \
    __SW_SMALL_2(__nv_##family##x2_##format, __nv_##family##x2_storage_t,      \
                 format, (1u << bits) - 1, apart)                              \
    __SW_SMALL_4(__nv_##family##x4_##format, __nv_##family##x4_storage_t,      \
                 format, (1u << bits) - 1, apart)

#define __SW_SMALL_1(T, storage, format)                                       \
    struct T {                                                                 \
        storage __x;                                                           \
        T() = default;                                                         \
        static __SW_HD_MEMBER__ unsigned __sw_bits(double x)                   \
        {                                                                      \
            return __sw_to_##format(x);                                        \
        }                                                                      \
        __SW_HD_MEMBER__ float __sw_float() const                              \
        {                                                                      \
            return __sw_from_##format(__x);                                    \
        }                                                                      \
        __SW_SMALL_OF(T, double)                                               \
        __SW_SMALL_OF(T, float)                                                \
        __SW_SMALL_OF(T, short)                                                \
        __SW_SMALL_OF(T, unsigned short)                                       \
        __SW_SMALL_OF(T, int)                                                  \
        __SW_SMALL_OF(T, unsigned)                                             \
        __SW_SMALL_OF(T, long)                                                 \
        __SW_SMALL_OF(T, unsigned long)                                        \
        __SW_SMALL_OF(T, long long)                                            \
        __SW_SMALL_OF(T, unsigned long long)                                   \
        __SW_HD_MEMBER__ explicit T(__half f)                                  \
            : __x((storage)__sw_bits(__sw_wide((float)f)))                     \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(__nv_bfloat16 f)                           \
            : __x((storage)__sw_bits(__sw_wide((float)f)))                     \
        {                                                                      \
        }                                                                      \
        __SW_SMALL_TO(float)                                                   \
        __SW_SMALL_TO(double)                                                  \
        __SW_SMALL_TO(__half)                                                  \
        __SW_SMALL_TO(__nv_bfloat16)                                           \
        __SW_SMALL_TO(bool)                                                    \
        __SW_SMALL_CUT(char, -128, 127)                                        \
        __SW_SMALL_CUT(signed char, -128, 127)                                 \
        __SW_SMALL_CUT(unsigned char, 0, 255)                                  \
        __SW_SMALL_CUT(short, -32768, 32767)                                   \
        __SW_SMALL_CUT(unsigned short, 0, 65535)                               \
        __SW_SMALL_TO(int)                                                     \
        __SW_SMALL_TO(unsigned)                                                \
        __SW_SMALL_TO(long)                                                    \
        __SW_SMALL_TO(unsigned long)                                           \
        __SW_SMALL_TO(long long)                                               \
        __SW_SMALL_TO(unsigned long long)                                      \
    };

#define __SW_SMALL_2(T, storage, format, mask, apart)                          \
    struct T {                                                                 \
        storage __x;                                                           \
        T() = default;                                                         \
        __SW_HD_MEMBER__ explicit T(double2 v)                                 \
            : __x((storage)(__sw_to_##format(v.x) | __sw_to_##format(v.y)      \
                                                        << apart))             \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(float2 v)                                  \
            : T(make_double2(__sw_wide(v.x), __sw_wide(v.y)))                  \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(__half2 v)                                 \
            : T(make_double2(__sw_wide((float)v.x), __sw_wide((float)v.y)))    \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(__nv_bfloat162 v)                          \
            : T(make_double2(__sw_wide((float)v.x), __sw_wide((float)v.y)))    \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator float2() const                      \
        {                                                                      \
            return make_float2(__sw_from_##format(__x & (mask)),               \
                               __sw_from_##format(__x >> apart & (mask)));     \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator __half2() const                     \
        {                                                                      \
            return __float22half2_rn((float2) * this);                         \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator __nv_bfloat162() const              \
        {                                                                      \
            return __float22bfloat162_rn((float2) * this);                     \
        }                                                                      \
    };

#define __SW_SMALL_4(T, storage, format, mask, apart)                          \
    struct T {                                                                 \
        storage __x;                                                           \
        T() = default;                                                         \
        __SW_HD_MEMBER__ explicit T(double4 v)                                 \
            : __x((storage)(__sw_to_##format(v.x) |                            \
                            __sw_to_##format(v.y) << apart |                   \
                            __sw_to_##format(v.z) << 2 * apart |               \
                            __sw_to_##format(v.w) << 3 * apart))               \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(float4 v)                                  \
            : T(make_double4(__sw_wide(v.x), __sw_wide(v.y), __sw_wide(v.z),   \
                             __sw_wide(v.w)))                                  \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(__half2 lo, __half2 hi)                    \
            : T(make_double4(__sw_wide((float)lo.x), __sw_wide((float)lo.y),   \
                             __sw_wide((float)hi.x), __sw_wide((float)hi.y)))  \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit T(__nv_bfloat162 lo, __nv_bfloat162 hi)      \
            : T(make_double4(__sw_wide((float)lo.x), __sw_wide((float)lo.y),   \
                             __sw_wide((float)hi.x), __sw_wide((float)hi.y)))  \
        {                                                                      \
        }                                                                      \
        __SW_HD_MEMBER__ explicit operator float4() const                      \
        {                                                                      \
            return make_float4(__sw_from_##format(__x & (mask)),               \
                               __sw_from_##format(__x >> apart & (mask)),      \
                               __sw_from_##format(__x >> 2 * apart & (mask)),  \
                               __sw_from_##format(__x >> 3 * apart & (mask))); \
        }                                                                      \
    };

#endif
