/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/simd.h - the __vXxx2 and __vXxx4 intrinsics on two shorts or four
 * bytes in a word, and the fused minimum and maximum families. Written as
 * loops over the parts, which the compiler unrolls.
 */
#ifndef SOFTWARP_SIMD_H
#define SOFTWARP_SIMD_H
#include "common.h"
#pragma GCC system_header

/* The part of a word at bit `at`, as a signed or an unsigned number. */
#define __SW_PART_s(x, at, bits) ((int)((x) << (32 - bits - at)) >> (32 - bits))
#define __SW_PART_u(x, at, bits)                                               \
    ((int)(((x) >> at) & (0xffffffffu >> (32 - bits))))
#define __SW_LOW(x, bits) ((unsigned)(x) & (0xffffffffu >> (32 - bits)))
#define __SW_MAX_s(bits)  ((1 << (bits - 1)) - 1)
#define __SW_MAX_u(bits)  ((1 << bits) - 1)
#define __SW_CLIP_s(x, bits)                                                   \
    __sw_clip(x, -__SW_MAX_s(bits) - 1, __SW_MAX_s(bits))
#define __SW_CLIP_u(x, bits) __sw_clip(x, 0, __SW_MAX_u(bits))

__SW_DEV__ int
__sw_clip(int x, int lo, int hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

/* One function of one, two or three words: `expr` of the parts a, b. Templates,
 * as a program may have a function of that name: nvcc's are only declared. */
#define __SW_V1(name, bits, sign, expr)                                        \
    template <int = 0> __SW_DEV__ unsigned name(unsigned x)                    \
    {                                                                          \
        unsigned r = 0;                                                        \
        for (int at = 0; at < 32; at += bits) {                                \
            int a = __SW_PART_##sign(x, at, bits);                             \
            r |= __SW_LOW(expr, bits) << at;                                   \
        }                                                                      \
        return r;                                                              \
    }
#define __SW_V2(name, bits, sign, expr)                                        \
    template <int = 0> __SW_DEV__ unsigned name(unsigned x, unsigned y)        \
    {                                                                          \
        unsigned r = 0;                                                        \
        for (int at = 0; at < 32; at += bits) {                                \
            int a = __SW_PART_##sign(x, at, bits);                             \
            int b = __SW_PART_##sign(y, at, bits);                             \
            r |= __SW_LOW(expr, bits) << at;                                   \
        }                                                                      \
        return r;                                                              \
    }
#define __SW_VSUM(name, bits, sign, expr)                                      \
    template <int = 0> __SW_DEV__ unsigned name(unsigned x, unsigned y)        \
    {                                                                          \
        unsigned r = 0;                                                        \
        for (int at = 0; at < 32; at += bits) {                                \
            int a = __SW_PART_##sign(x, at, bits);                             \
            int b = __SW_PART_##sign(y, at, bits);                             \
            r += (unsigned)(expr);                                             \
        }                                                                      \
        return r;                                                              \
    }
#define __SW_VCMP(n, bits, name, sign, op)                                     \
    __SW_V2(__vcmp##name##n, bits, sign, a op b ? -1 : 0)                      \
    __SW_V2(__vset##name##n, bits, sign, a op b ? 1 : 0)
#define __SW_VALL(n, bits)                                                     \
    __SW_V1(__vabs##n, bits, s, a < 0 ? -a : a)                                \
    __SW_V1(__vabsss##n, bits, s, __SW_CLIP_s(a < 0 ? -a : a, bits))           \
    __SW_V1(__vneg##n, bits, s, -a)                                            \
    __SW_V1(__vnegss##n, bits, s, __SW_CLIP_s(-a, bits))                       \
    __SW_V2(__vadd##n, bits, u, a + b)                                         \
    __SW_V2(__vaddss##n, bits, s, __SW_CLIP_s(a + b, bits))                    \
    __SW_V2(__vaddus##n, bits, u, __SW_CLIP_u(a + b, bits))                    \
    __SW_V2(__vsub##n, bits, u, a - b)                                         \
    __SW_V2(__vsubss##n, bits, s, __SW_CLIP_s(a - b, bits))                    \
    __SW_V2(__vsubus##n, bits, u, __SW_CLIP_u(a - b, bits))                    \
    __SW_V2(__vabsdiffs##n, bits, s, a < b ? b - a : a - b)                    \
    __SW_V2(__vabsdiffu##n, bits, u, a < b ? b - a : a - b)                    \
    __SW_V2(__vavgs##n, bits, s, (a + b + ((a + b) >= 0 ? 1 : 0)) >> 1)        \
    __SW_V2(__vavgu##n, bits, u, (a + b + 1) >> 1)                             \
    __SW_V2(__vhaddu##n, bits, u, (a + b) >> 1)                                \
    __SW_V2(__vmaxs##n, bits, s, a > b ? a : b)                                \
    __SW_V2(__vmaxu##n, bits, u, a > b ? a : b)                                \
    __SW_V2(__vmins##n, bits, s, a < b ? a : b)                                \
    __SW_V2(__vminu##n, bits, u, a < b ? a : b)                                \
    __SW_VSUM(__vsads##n, bits, s, a < b ? b - a : a - b)                      \
    __SW_VSUM(__vsadu##n, bits, u, a < b ? b - a : a - b)                      \
    __SW_VCMP(n, bits, eq, u, ==)                                              \
    __SW_VCMP(n, bits, ne, u, !=)                                              \
    __SW_VCMP(n, bits, ges, s, >=)                                             \
    __SW_VCMP(n, bits, geu, u, >=)                                             \
    __SW_VCMP(n, bits, gts, s, >)                                              \
    __SW_VCMP(n, bits, gtu, u, >)                                              \
    __SW_VCMP(n, bits, les, s, <=)                                             \
    __SW_VCMP(n, bits, leu, u, <=)                                             \
    __SW_VCMP(n, bits, lts, s, <)                                              \
    __SW_VCMP(n, bits, ltu, u, <)
__SW_VALL(2, 16)
__SW_VALL(4, 8)
#undef __SW_VALL
#undef __SW_VCMP
#undef __SW_VSUM

/* ---- fused minima and maxima: of a + b and c, of three, clamped at 0 ---- */
#define __SW_DPX(s, T)                                                         \
    __SW_DEV__ T __vimax_##s(T a, T b)                                         \
    {                                                                          \
        return a > b ? a : b;                                                  \
    }                                                                          \
    __SW_DEV__ T __vimin_##s(T a, T b)                                         \
    {                                                                          \
        return a < b ? a : b;                                                  \
    }                                                                          \
    __SW_DEV__ T __vimax3_##s(T a, T b, T c)                                   \
    {                                                                          \
        return __vimax_##s(__vimax_##s(a, b), c);                              \
    }                                                                          \
    __SW_DEV__ T __vimin3_##s(T a, T b, T c)                                   \
    {                                                                          \
        return __vimin_##s(__vimin_##s(a, b), c);                              \
    }                                                                          \
    __SW_DEV__ T __viaddmax_##s(T a, T b, T c)                                 \
    {                                                                          \
        return __vimax_##s((T)((unsigned)a + (unsigned)b), c);                 \
    }                                                                          \
    __SW_DEV__ T __viaddmin_##s(T a, T b, T c)                                 \
    {                                                                          \
        return __vimin_##s((T)((unsigned)a + (unsigned)b), c);                 \
    }                                                                          \
    __SW_DEV__ T __vibmax_##s(T a, T b, bool *first)                           \
    {                                                                          \
        *first = a >= b;                                                       \
        return a >= b ? a : b;                                                 \
    }                                                                          \
    __SW_DEV__ T __vibmin_##s(T a, T b, bool *first)                           \
    {                                                                          \
        *first = a <= b;                                                       \
        return a <= b ? a : b;                                                 \
    }
__SW_DPX(s32, int)
__SW_DPX(u32, unsigned)
#undef __SW_DPX
/* Of each half; which of the two it was. */
#define __SW_DPX2(s, T)                                                        \
    __SW_DEV__ unsigned __vibmax_##s##x2(unsigned a, unsigned b, bool *high,   \
                                         bool *low)                            \
    {                                                                          \
        *high = (T)(a >> 16) >= (T)(b >> 16);                                  \
        *low = (T)a >= (T)b;                                                   \
        return (*high ? a : b) & 0xffff0000u | (*low ? a : b) & 0xffffu;       \
    }                                                                          \
    __SW_DEV__ unsigned __vibmin_##s##x2(unsigned a, unsigned b, bool *high,   \
                                         bool *low)                            \
    {                                                                          \
        *high = (T)(a >> 16) <= (T)(b >> 16);                                  \
        *low = (T)a <= (T)b;                                                   \
        return (*high ? a : b) & 0xffff0000u | (*low ? a : b) & 0xffffu;       \
    }
__SW_DPX2(s16, short)
__SW_DPX2(u16, unsigned short)
#undef __SW_DPX2
__SW_DEV__ int
__vimax_s32_relu(int a, int b)
{
    return __vimax3_s32(a, b, 0);
}
__SW_DEV__ int
__vimin_s32_relu(int a, int b)
{
    return __vimax_s32(__vimin_s32(a, b), 0);
}
__SW_DEV__ int
__vimax3_s32_relu(int a, int b, int c)
{
    return __vimax_s32(__vimax3_s32(a, b, c), 0);
}
__SW_DEV__ int
__vimin3_s32_relu(int a, int b, int c)
{
    return __vimax_s32(__vimin3_s32(a, b, c), 0);
}
__SW_DEV__ int
__viaddmax_s32_relu(int a, int b, int c)
{
    return __vimax_s32(__viaddmax_s32(a, b, c), 0);
}
__SW_DEV__ int
__viaddmin_s32_relu(int a, int b, int c)
{
    return __vimax_s32(__viaddmin_s32(a, b, c), 0);
}

/* The same on two shorts; `relu` is the clamp of the relu forms. */
#define __SW_DPX2(s, sign, suffix, relu)                                       \
    __SW_V2(__vimax_##s##16x2##suffix, 16, sign, relu(a > b ? a : b))          \
    __SW_V2(__vimin_##s##16x2##suffix, 16, sign, relu(a < b ? a : b))          \
    __SW_DEV__ unsigned __vimax3_##s##16x2##suffix(unsigned a, unsigned b,     \
                                                   unsigned c)                 \
    {                                                                          \
        return __vimax_##s##16x2##suffix(__vmax##sign##2(a, b), c);            \
    }                                                                          \
    __SW_DEV__ unsigned __vimin3_##s##16x2##suffix(unsigned a, unsigned b,     \
                                                   unsigned c)                 \
    {                                                                          \
        return __vimin_##s##16x2##suffix(__vmin##sign##2(a, b), c);            \
    }                                                                          \
    __SW_DEV__ unsigned __viaddmax_##s##16x2##suffix(unsigned a, unsigned b,   \
                                                     unsigned c)               \
    {                                                                          \
        return __vimax_##s##16x2##suffix(__vadd2(a, b), c);                    \
    }                                                                          \
    __SW_DEV__ unsigned __viaddmin_##s##16x2##suffix(unsigned a, unsigned b,   \
                                                     unsigned c)               \
    {                                                                          \
        return __vimin_##s##16x2##suffix(__vadd2(a, b), c);                    \
    }
#define __SW_SAME(x) (x)
#define __SW_RELU(x) ((x) < 0 ? 0 : (x))
__SW_DPX2(s, s, , __SW_SAME)
__SW_DPX2(u, u, , __SW_SAME)
__SW_DPX2(s, s, _relu, __SW_RELU)
#undef __SW_DPX2
#undef __SW_SAME
#undef __SW_RELU
#undef __SW_V1
#undef __SW_V2
#endif
