/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/half_ops.h - the arithmetic that half and bfloat16 have in common.
 * Included once by cuda_fp16.h and once by cuda_bf16.h, hence no guard, with
 *
 *   __SW_H, __SW_H2, __SW_H_RAW, __SW_H2_RAW   the types to define
 *   __SW_H_OTHER   what __SW_H is the other time
 *   __SW_H_PTX     "f16" or "bf16"
 *   __SW_H_FN(x)   a private name for this type
 *   __SW_H_ARITH   1: add, sub and mul are instructions here
 *   __SW_H_FMA     1: fma, min, max, neg and abs are instructions here
 *   __SW_H_SHORT   1: a quotient may be rounded to float before: twice the
 *                  digits and two more
 *   __SW_H_ONE, __SW_H_NAN, __SW_H_INF         bit patterns
 *   __SW_H_FN(widen)(bits), __SW_H_FN(narrow)(float)  to and from float,
 *   __SW_H_FN(narrow_exact)(double)            from a double, rounded once
 *
 * Without the instruction the result is computed in double and rounded once:
 * the same bits.
 */
struct __SW_H_RAW {
    unsigned short x;
};
struct __SW_H2_RAW {
    unsigned short x, y;
};

struct __SW_H_OTHER;
struct __SW_H {
    unsigned short __x;

    __SW_H() = default;
    __SW_HD_MEMBER__ constexpr __SW_H(const __SW_H_RAW &r) : __x(r.x)
    {
    }
    __SW_HD_MEMBER__ operator __SW_H_RAW() const
    {
        __SW_H_RAW r;
        r.x = __x;
        return r;
    }
    /* What makes copies of volatile numbers possible, by way of the bits. */
    __SW_HD_MEMBER__ operator __SW_H_RAW() const volatile
    {
        __SW_H_RAW r;
        r.x = __x;
        return r;
    }
    __SW_HD_MEMBER__ __SW_H &operator=(const __SW_H_RAW &r)
    {
        __x = r.x;
        return *this;
    }
    __SW_HD_MEMBER__ volatile __SW_H &
    operator=(const __SW_H_RAW &r) volatile
    {
        __x = r.x;
        return *this;
    }
    __SW_HD_MEMBER__ __SW_H(float f) : __x(__SW_H_FN(narrow)(f))
    {
    }
    __SW_HD_MEMBER__ __SW_H(double f) : __x(__SW_H_FN(of_double)(f))
    {
    }
    __SW_HD_MEMBER__ explicit __SW_H(__SW_H_OTHER f); /* in cuda_bf16.h */
    __SW_HD_MEMBER__ operator float() const
    {
        return __SW_H_FN(widen)(__x);
    }
    __SW_HD_MEMBER__ operator bool() const
    {
        return (__x & 0x7fffu) != 0;
    }
#define __SW_H_INTEGER(T)                                                      \
    __SW_HD_MEMBER__ __SW_H(T i) : __x(__SW_H_FN(narrow_exact)((double)i))     \
    {                                                                          \
    }                                                                          \
    __SW_HD_MEMBER__ operator T() const                                        \
    {                                                                          \
        return (T)__SW_H_FN(widen)(__x);                                       \
    }
/* The nearest there is, 0 of NaN. */
#define __SW_H_BYTE(T, least, most)                                            \
    __SW_HD_MEMBER__ __SW_H(T i) : __x(__SW_H_FN(narrow_exact)((double)i))     \
    {                                                                          \
    }                                                                          \
    __SW_HD_MEMBER__ operator T() const                                        \
    {                                                                          \
        float x = __SW_H_FN(widen)(__x);                                       \
        return (T)(int)(x != x ? 0 : x < least ? least : x > most ? most : x); \
    }
    __SW_H_BYTE(signed char, -128, 127)
    __SW_H_BYTE(char, -128, 127)
    __SW_H_BYTE(unsigned char, 0, 255)
    __SW_H_INTEGER(short)
    __SW_H_INTEGER(unsigned short)
    __SW_H_INTEGER(int)
    __SW_H_INTEGER(unsigned)
    __SW_H_INTEGER(long)
    __SW_H_INTEGER(unsigned long)
    __SW_H_INTEGER(long long)
    __SW_H_INTEGER(unsigned long long)
#undef __SW_H_INTEGER
#undef __SW_H_BYTE
};

struct __attribute__((aligned(4))) __SW_H2 {
    __SW_H x, y;

    __SW_H2() = default;
    __SW_HD_MEMBER__ __SW_H2(const __SW_H &a, const __SW_H &b) : x(a), y(b)
    {
    }
    __SW_HD_MEMBER__ __SW_H2(const __SW_H2_RAW &r)
    {
        x.__x = r.x;
        y.__x = r.y;
    }
    __SW_HD_MEMBER__ operator __SW_H2_RAW() const
    {
        __SW_H2_RAW r;
        r.x = x.__x;
        r.y = y.__x;
        return r;
    }
};

__SW_HD__ __SW_H
__SW_H_FN(bits)(unsigned x)
{
    __SW_H_RAW r;
    r.x = (unsigned short)x;
    return r;
}
__SW_HD__ unsigned
__SW_H_FN(word)(__SW_H2 v)
{
    return __builtin_bit_cast(unsigned, v);
}
__SW_HD__ __SW_H2
__SW_H_FN(pair)(unsigned w)
{
    return __builtin_bit_cast(__SW_H2, w);
}
__SW_HD__ __SW_H
__SW_H_FN(of)(double f)
{
    return __SW_H_FN(bits)(__SW_H_FN(narrow_exact)(f));
}

/* ---- arithmetic: `op` on one and on two, by instruction or by number.
 * Products without .rn become part of sums without it, where the PTX is loaded,
 * as with nvcc. ---- */
#ifdef __SOFTWARP_NO_FMAD
#define __SW_H_OPEN ".rn"
#else
#define __SW_H_OPEN
#endif
#define __SW_H_ASM2(op, suffix)                                                \
    unsigned short r;                                                          \
    __asm__(op "." __SW_H_PTX " %0, %1, %2;"                                   \
            : "=h"(r)                                                          \
            : "h"(a.__x), "h"(b.__x));                                         \
    return __SW_H_FN(bits)(r);
#define __SW_H_ASM2X2(op)                                                      \
    unsigned r;                                                                \
    __asm__(op "." __SW_H_PTX "x2 %0, %1, %2;"                                 \
            : "=r"(r)                                                          \
            : "r"(__SW_H_FN(word)(a)), "r"(__SW_H_FN(word)(b)));               \
    return __SW_H_FN(pair)(r);

#if __SW_H_ARITH
#define __SW_H_BINARY(name, name2, op, expr)                                   \
    __SW_HD__ __SW_H name(__SW_H a, __SW_H b){                                 \
        __SW_H_ASM2(op, )} __SW_HD__ __SW_H2 name2(__SW_H2 a, __SW_H2 b)       \
    {                                                                          \
        __SW_H_ASM2X2(op)                                                      \
    }
#else
#define __SW_H_BINARY(name, name2, op, expr)                                   \
    __SW_HD__ __SW_H name(__SW_H ah, __SW_H bh)                                \
    {                                                                          \
        double a = (float)ah, b = (float)bh;                                   \
        return __SW_H_FN(of)(expr);                                            \
    }                                                                          \
    __SW_HD__ __SW_H2 name2(__SW_H2 a, __SW_H2 b)                              \
    {                                                                          \
        return __SW_H2(name(a.x, b.x), name(a.y, b.y));                        \
    }
#endif
__SW_H_BINARY(__hadd, __hadd2, "add" __SW_H_OPEN, a + b)
__SW_H_BINARY(__hsub, __hsub2, "sub" __SW_H_OPEN, a - b)
__SW_H_BINARY(__hmul, __hmul2, "mul" __SW_H_OPEN, a *b)
__SW_H_BINARY(__hadd_rn, __hadd2_rn, "add.rn", a + b)
__SW_H_BINARY(__hsub_rn, __hsub2_rn, "sub.rn", a - b)
__SW_H_BINARY(__hmul_rn, __hmul2_rn, "mul.rn", a *b)
#undef __SW_H_BINARY
#undef __SW_H_OPEN

__SW_HD__ __SW_H
__hfma(__SW_H a, __SW_H b, __SW_H c)
{
#if __SW_H_FMA
    unsigned short r;
    __asm__("fma.rn." __SW_H_PTX " %0, %1, %2, %3;"
            : "=h"(r)
            : "h"(a.__x), "h"(b.__x), "h"(c.__x));
    return __SW_H_FN(bits)(r);
#else
    return __SW_H_FN(of)(
        __builtin_fma((double)(float)a, (double)(float)b, (double)(float)c));
#endif
}
__SW_HD__ __SW_H2
__hfma2(__SW_H2 a, __SW_H2 b, __SW_H2 c)
{
#if __SW_H_FMA
    unsigned r;
    __asm__("fma.rn." __SW_H_PTX "x2 %0, %1, %2, %3;"
            : "=r"(r)
            : "r"(__SW_H_FN(word)(a)), "r"(__SW_H_FN(word)(b)),
              "r"(__SW_H_FN(word)(c)));
    return __SW_H_FN(pair)(r);
#else
    return __SW_H2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
#endif
}
__SW_HD__ __SW_H
__hdiv(__SW_H a, __SW_H b)
{
#if __SW_H_SHORT && defined(__CUDA_ARCH__)
    float r;
    __asm__("div.rn.f32 %0, %1, %2;" : "=f"(r) : "f"((float)a), "f"((float)b));
    return __SW_H(r);
#else
    return __SW_H_FN(of)((double)(float)a / (double)(float)b);
#endif
}
__SW_HD__ __SW_H2
__h2div(__SW_H2 a, __SW_H2 b)
{
    return __SW_H2(__hdiv(a.x, b.x), __hdiv(a.y, b.y));
}
/* Of NaN a device's instructions make theirs. */
__SW_HD__ __SW_H
__sw_signed(__SW_H a, unsigned bits)
{
#ifdef __CUDA_ARCH__
    bits = (a.__x & 0x7fffu) > __SW_H_INF ? __SW_H_NAN : bits;
#endif
    return __SW_H_FN(bits)((unsigned short)bits);
}
__SW_HD__ __SW_H
__hneg(__SW_H a)
{
    return __sw_signed(a, a.__x ^ 0x8000u);
}
__SW_HD__ __SW_H
__habs(__SW_H a)
{
    return __sw_signed(a, a.__x & 0x7fffu);
}
__SW_HD__ __SW_H2
__hneg2(__SW_H2 a)
{
    return __SW_H2(__hneg(a.x), __hneg(a.y));
}
__SW_HD__ __SW_H2
__habs2(__SW_H2 a)
{
    return __SW_H2(__habs(a.x), __habs(a.y));
}

/* ---- comparisons ---- */
__SW_HD__ bool
__hisnan(__SW_H a)
{
    return (a.__x & 0x7fffu) > __SW_H_INF;
}
__SW_HD__ int
__hisinf(__SW_H a)
{
    return a.__x == __SW_H_INF ? 1 : a.__x == (__SW_H_INF | 0x8000u) ? -1 : 0;
}
__SW_HD__ __SW_H2
__hisnan2(__SW_H2 a)
{
    return __SW_H2(__SW_H_FN(bits)(__hisnan(a.x) ? __SW_H_ONE : 0),
                   __SW_H_FN(bits)(__hisnan(a.y) ? __SW_H_ONE : 0));
}
/* name, test of the floats a and b; the unordered form is true for NaN too. */
#define __SW_H_COMPARE_AS(name, test)                                          \
    __SW_HD__ bool __h##name(__SW_H ah, __SW_H bh)                             \
    {                                                                          \
        float a = ah, b = bh;                                                  \
        return test;                                                           \
    }                                                                          \
    __SW_HD__ __SW_H2 __h##name##2(__SW_H2 a, __SW_H2 b)                       \
    {                                                                          \
        return __SW_H2(__SW_H_FN(bits)(__h##name(a.x, b.x) ? __SW_H_ONE : 0),  \
                       __SW_H_FN(bits)(__h##name(a.y, b.y) ? __SW_H_ONE : 0)); \
    }                                                                          \
    __SW_HD__ bool __hb##name##2(__SW_H2 a, __SW_H2 b)                         \
    {                                                                          \
        return __h##name(a.x, b.x) && __h##name(a.y, b.y);                     \
    }                                                                          \
    __SW_HD__ unsigned __h##name##2_mask(__SW_H2 a, __SW_H2 b)                 \
    {                                                                          \
        return (__h##name(a.x, b.x) ? 0xffffu : 0) |                           \
               (__h##name(a.y, b.y) ? 0xffff0000u : 0);                        \
    }
#define __SW_H_COMPARE(name, test)                                             \
    __SW_H_COMPARE_AS(name, test)                                              \
    __SW_H_COMPARE_AS(name##u, a != a || b != b || test)
__SW_H_COMPARE(eq, a == b)
__SW_H_COMPARE(ne, (a < b || a > b))
__SW_H_COMPARE(lt, a < b)
__SW_H_COMPARE(le, a <= b)
__SW_H_COMPARE(gt, a > b)
__SW_H_COMPARE(ge, a >= b)
#undef __SW_H_COMPARE
#undef __SW_H_COMPARE_AS

/* Of two: a NaN loses; -0 is less than +0. */
__SW_HD__ __SW_H
__hmin(__SW_H a, __SW_H b)
{
    if (__hisnan(a))
        return __hisnan(b) ? __SW_H_FN(bits)(__SW_H_NAN) : b;
    if (__hisnan(b))
        return a;
    float fa = a, fb = b;
    return fa < fb || (fa == fb && (a.__x & 0x8000u)) ? a : b;
}
__SW_HD__ __SW_H
__hmax(__SW_H a, __SW_H b)
{
    if (__hisnan(a))
        return __hisnan(b) ? __SW_H_FN(bits)(__SW_H_NAN) : b;
    if (__hisnan(b))
        return a;
    float fa = a, fb = b;
    return fa > fb || (fa == fb && !(a.__x & 0x8000u)) ? a : b;
}
__SW_HD__ __SW_H
__hmin_nan(__SW_H a, __SW_H b)
{
    if (__hisnan(a) || __hisnan(b))
        return __SW_H_FN(bits)(__SW_H_NAN);
    return __hmin(a, b);
}
__SW_HD__ __SW_H
__hmax_nan(__SW_H a, __SW_H b)
{
    if (__hisnan(a) || __hisnan(b))
        return __SW_H_FN(bits)(__SW_H_NAN);
    return __hmax(a, b);
}

/* ---- forms built from those above ---- */

/* Clamped to [0, 1], NaN becoming 0; and not below 0. */
__SW_HD__ __SW_H
__SW_H_FN(sat)(__SW_H a)
{
    float f = a;
    return f > 0.0f ? (f > 1.0f ? __SW_H_FN(bits)(__SW_H_ONE) : a)
                    : __SW_H_FN(bits)(0);
}
__SW_HD__ __SW_H
__SW_H_FN(relu)(__SW_H a)
{
    float f = a;
    return f != f     ? __SW_H_FN(bits)(__SW_H_NAN)
           : f > 0.0f ? a
                      : __SW_H_FN(bits)(0);
}
__SW_HD__ __SW_H2
__SW_H_FN(sat2)(__SW_H2 a)
{
    return __SW_H2(__SW_H_FN(sat)(a.x), __SW_H_FN(sat)(a.y));
}
__SW_HD__ __SW_H2
__SW_H_FN(relu2)(__SW_H2 a)
{
    return __SW_H2(__SW_H_FN(relu)(a.x), __SW_H_FN(relu)(a.y));
}
#define __SW_H_FORMS(name)                                                     \
    __SW_HD__ __SW_H name##_sat(__SW_H a, __SW_H b)                            \
    {                                                                          \
        return __SW_H_FN(sat)(name(a, b));                                     \
    }                                                                          \
    __SW_HD__ __SW_H2 name##2_sat(__SW_H2 a, __SW_H2 b)                        \
    {                                                                          \
        return __SW_H_FN(sat2)(name##2(a, b));                                 \
    }
__SW_H_FORMS(__hadd)
__SW_H_FORMS(__hsub)
__SW_H_FORMS(__hmul)
#undef __SW_H_FORMS
__SW_HD__ __SW_H
__hfma_sat(__SW_H a, __SW_H b, __SW_H c)
{
    return __SW_H_FN(sat)(__hfma(a, b, c));
}
__SW_HD__ __SW_H
__hfma_relu(__SW_H a, __SW_H b, __SW_H c)
{
    return __SW_H_FN(relu)(__hfma(a, b, c));
}
__SW_HD__ __SW_H2
__hfma2_sat(__SW_H2 a, __SW_H2 b, __SW_H2 c)
{
    return __SW_H_FN(sat2)(__hfma2(a, b, c));
}
__SW_HD__ __SW_H2
__hfma2_relu(__SW_H2 a, __SW_H2 b, __SW_H2 c)
{
    return __SW_H_FN(relu2)(__hfma2(a, b, c));
}
/* Complex multiply-add: x the real and y the imaginary part. */
__SW_HD__ __SW_H2
__hcmadd(__SW_H2 a, __SW_H2 b, __SW_H2 c)
{
    __SW_H re = __hfma(a.x, b.x, c.x), im = __hfma(a.x, b.y, c.y);
    return __SW_H2(__hfma(__hneg(a.y), b.y, re), __hfma(a.y, b.x, im));
}
#define __SW_H_MINMAX2(name)                                                   \
    __SW_HD__ __SW_H2 name##2(__SW_H2 a, __SW_H2 b)                            \
    {                                                                          \
        return __SW_H2(name(a.x, b.x), name(a.y, b.y));                        \
    }                                                                          \
    __SW_HD__ __SW_H2 name##2_nan(__SW_H2 a, __SW_H2 b)                        \
    {                                                                          \
        return __SW_H2(name##_nan(a.x, b.x), name##_nan(a.y, b.y));            \
    }
__SW_H_MINMAX2(__hmin)
__SW_H_MINMAX2(__hmax)
#undef __SW_H_MINMAX2

/* ---- operators ---- */
#ifndef __SW_H_NO_OPERATORS
#define __SW_H_OPERATOR(op, name, name2)                                       \
    __SW_HD__ __SW_H operator op(const __SW_H &a, const __SW_H &b)             \
    {                                                                          \
        return name(a, b);                                                     \
    }                                                                          \
    __SW_HD__ __SW_H &operator op##=(__SW_H &a, const __SW_H &b)               \
    {                                                                          \
        return a = name(a, b);                                                 \
    }                                                                          \
    __SW_HD__ __SW_H2 operator op(const __SW_H2 &a, const __SW_H2 &b)          \
    {                                                                          \
        return name2(a, b);                                                    \
    }                                                                          \
    __SW_HD__ __SW_H2 &operator op##=(__SW_H2 &a, const __SW_H2 &b)            \
    {                                                                          \
        return a = name2(a, b);                                                \
    }
__SW_H_OPERATOR(+, __hadd, __hadd2)
__SW_H_OPERATOR(-, __hsub, __hsub2)
__SW_H_OPERATOR(*, __hmul, __hmul2)
__SW_H_OPERATOR(/, __hdiv, __h2div)
#undef __SW_H_OPERATOR
#define __SW_H_OPERATOR(op, name, all)                                         \
    __SW_HD__ bool operator op(const __SW_H &a, const __SW_H &b)               \
    {                                                                          \
        return name(a, b);                                                     \
    }                                                                          \
    __SW_HD__ bool operator op(const __SW_H2 &a, const __SW_H2 &b)             \
    {                                                                          \
        return all(a, b);                                                      \
    }
__SW_H_OPERATOR(==, __heq, __hbeq2)
__SW_H_OPERATOR(!=, __hneu, __hbneu2)
__SW_H_OPERATOR(<, __hlt, __hblt2)
__SW_H_OPERATOR(<=, __hle, __hble2)
__SW_H_OPERATOR(>, __hgt, __hbgt2)
__SW_H_OPERATOR(>=, __hge, __hbge2)
#undef __SW_H_OPERATOR
__SW_HD__ __SW_H
operator+(const __SW_H &a)
{
    return a;
}
__SW_HD__ __SW_H
operator-(const __SW_H &a)
{
    return __hneg(a);
}
__SW_HD__ __SW_H2
operator+(const __SW_H2 &a)
{
    return a;
}
__SW_HD__ __SW_H2
operator-(const __SW_H2 &a)
{
    return __hneg2(a);
}
#define __SW_H_STEP(op, name, name2)                                           \
    __SW_HD__ __SW_H &operator op(__SW_H &a)                                   \
    {                                                                          \
        return a = name(a, __SW_H_FN(bits)(__SW_H_ONE));                       \
    }                                                                          \
    __SW_HD__ __SW_H operator op(__SW_H &a, int)                               \
    {                                                                          \
        __SW_H old = a;                                                        \
        a = name(a, __SW_H_FN(bits)(__SW_H_ONE));                              \
        return old;                                                            \
    }                                                                          \
    __SW_HD__ __SW_H2 &operator op(__SW_H2 &a)                                 \
    {                                                                          \
        __SW_H one = __SW_H_FN(bits)(__SW_H_ONE);                              \
        return a = name2(a, __SW_H2(one, one));                                \
    }                                                                          \
    __SW_HD__ __SW_H2 operator op(__SW_H2 &a, int)                             \
    {                                                                          \
        __SW_H2 old = a;                                                       \
        op a;                                                                  \
        return old;                                                            \
    }
__SW_H_STEP(++, __hadd, __hadd2)
__SW_H_STEP(--, __hsub, __hsub2)
#undef __SW_H_STEP
#endif

#ifdef __CUDA__
/* ---- functions, through float ---- */
#define __SW_H_FUNCTION(name, expr)                                            \
    __SW_DEV__ __SW_H h##name(__SW_H h)                                        \
    {                                                                          \
        float x = h;                                                           \
        return __SW_H_FN(bits)(__SW_H_FN(seldom)(                              \
            __sw_of_##name, h.__x, __SW_H_FN(narrow)(expr)));                  \
    }                                                                          \
    __SW_DEV__ __SW_H2 h2##name(__SW_H2 h)                                     \
    {                                                                          \
        return __SW_H2(h##name(h.x), h##name(h.y));                            \
    }
__SW_H_FUNCTION(sqrt, __nvvm_sqrt_rn_f(x))
__SW_H_FUNCTION(rsqrt, rsqrtf(x))
__SW_H_FUNCTION(rcp, __frcp_rn(x))
__SW_H_FUNCTION(exp, __sw_expf(x))
__SW_H_FUNCTION(exp2, exp2f(x))
__SW_H_FUNCTION(exp10, __sw_exp10f(x))
__SW_H_FUNCTION(log, __sw_logf(x))
__SW_H_FUNCTION(log2, __sw_log2f(x))
__SW_H_FUNCTION(log10, __sw_log10f(x))
__SW_H_FUNCTION(sin, __sw_sinf(x))
__SW_H_FUNCTION(cos, __sw_cosf(x))
__SW_H_FUNCTION(tanh, __sw_tanhf(x))
__SW_H_FUNCTION(ceil, ceilf(x))
__SW_H_FUNCTION(floor, floorf(x))
__SW_H_FUNCTION(rint, rintf(x))
__SW_H_FUNCTION(trunc, truncf(x))
#undef __SW_H_FUNCTION
__SW_DEV__ __SW_H
htanh_approx(__SW_H h)
{
#if defined(__SW_H_TANH)
    unsigned short r;
    __asm__("tanh.approx." __SW_H_PTX " %0, %1;" : "=h"(r) : "h"(h.__x));
    return __SW_H_FN(bits)(r);
#else
    return __SW_H_FN(bits)(__SW_H_FN(narrow)(__sw_tanhf((float)h)));
#endif
}
__SW_DEV__ __SW_H2
h2tanh_approx(__SW_H2 h)
{
    return __SW_H2(htanh_approx(h.x), htanh_approx(h.y));
}

/* ---- moving data between lanes and through caches ---- */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
#define __SW_H_SHUFFLE(name, L)                                                \
    __SW_DEV__ __SW_H name##_sync(unsigned mask, __SW_H v, L lane,             \
                                  int width = 32)                              \
    {                                                                          \
        return __SW_H_FN(bits)(                                                \
            name##_sync(mask, (unsigned)v.__x, (unsigned)lane, width));        \
    }                                                                          \
    __SW_DEV__ __SW_H2 name##_sync(unsigned mask, __SW_H2 v, L lane,           \
                                   int width = 32)                             \
    {                                                                          \
        return __SW_H_FN(pair)(                                                \
            name##_sync(mask, __SW_H_FN(word)(v), (unsigned)lane, width));     \
    }                                                                          \
    __SW_DEV__ __SW_H name(__SW_H v, L lane, int width = 32)                   \
    {                                                                          \
        return name##_sync(__nvvm_activemask(), v, lane, width);               \
    }                                                                          \
    __SW_DEV__ __SW_H2 name(__SW_H2 v, L lane, int width = 32)                 \
    {                                                                          \
        return name##_sync(__nvvm_activemask(), v, lane, width);               \
    }
__SW_H_SHUFFLE(__shfl, int)
__SW_H_SHUFFLE(__shfl_up, unsigned)
__SW_H_SHUFFLE(__shfl_down, unsigned)
__SW_H_SHUFFLE(__shfl_xor, int)
#undef __SW_H_SHUFFLE
#endif
#define __SW_H_LOAD(name)                                                      \
    __SW_DEV__ __SW_H name(const __SW_H *p)                                    \
    {                                                                          \
        return __SW_H_FN(bits)(name((const unsigned short *)p));               \
    }                                                                          \
    __SW_DEV__ __SW_H2 name(const __SW_H2 *p)                                  \
    {                                                                          \
        return __SW_H_FN(pair)(name((const unsigned *)p));                     \
    }
__SW_H_LOAD(__ldg)
__SW_H_LOAD(__ldca)
__SW_H_LOAD(__ldcg)
__SW_H_LOAD(__ldcs)
__SW_H_LOAD(__ldlu)
__SW_H_LOAD(__ldcv)
#undef __SW_H_LOAD
#define __SW_H_STORE(name)                                                     \
    __SW_DEV__ void name(__SW_H *p, __SW_H v)                                  \
    {                                                                          \
        name((unsigned short *)p, v.__x);                                      \
    }                                                                          \
    __SW_DEV__ void name(__SW_H2 *p, __SW_H2 v)                                \
    {                                                                          \
        name((unsigned *)p, __SW_H_FN(word)(v));                               \
    }
__SW_H_STORE(__stwb)
__SW_H_STORE(__stcg)
__SW_H_STORE(__stcs)
__SW_H_STORE(__stwt)
#undef __SW_H_STORE

/* ---- atomic addition: an instruction, or compare-and-swap of the word ---- */
__SW_DEV__ __SW_H2
atomicAdd(__SW_H2 *p, __SW_H2 v)
{
#if __SW_H_ATOM2
    unsigned old;
    __asm__ volatile("atom.add.noftz." __SW_H_PTX "x2 %0, [%1], %2;"
                     : "=r"(old)
                     : "l"(p), "r"(__SW_H_FN(word)(v))
                     : "memory");
    return __SW_H_FN(pair)(old);
#else
    unsigned *w = (unsigned *)p, old = *w, seen;
    do {
        seen = old;
        old = atomicCAS(w, seen,
                        __SW_H_FN(word)(__hadd2(__SW_H_FN(pair)(seen), v)));
    } while (old != seen);
    return __SW_H_FN(pair)(old);
#endif
}
__SW_DEV__ __SW_H
atomicAdd(__SW_H *p, __SW_H v)
{
#if __SW_H_ATOM1
    unsigned short old;
    __asm__ volatile("atom.add.noftz." __SW_H_PTX " %0, [%1], %2;"
                     : "=h"(old)
                     : "l"(p), "h"(v.__x)
                     : "memory");
    return __SW_H_FN(bits)(old);
#else
    unsigned *w = (unsigned *)((size_t)p & ~(size_t)3);
    unsigned at = ((size_t)p & 2) ? 16 : 0;
    unsigned old = *w, seen;
    do {
        seen = old;
        __SW_H sum = __hadd(__SW_H_FN(bits)(seen >> at), v);
        old = atomicCAS(w, seen,
                        (seen & ~(0xffffu << at)) | (unsigned)sum.__x << at);
    } while (old != seen);
    return __SW_H_FN(bits)(old >> at);
#endif
}

#endif
#undef __SW_H_ASM2
#undef __SW_H_ASM2X2
#undef __SW_H
#undef __SW_H2
#undef __SW_H_RAW
#undef __SW_H2_RAW
#undef __SW_H_OTHER
#undef __SW_H_PTX
#undef __SW_H_FN
#undef __SW_H_ARITH
#undef __SW_H_FMA
#undef __SW_H_SHORT
#undef __SW_H_ATOM1
#undef __SW_H_ATOM2
#undef __SW_H_ONE
#undef __SW_H_NAN
#undef __SW_H_INF
