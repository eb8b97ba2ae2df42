/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_exact.h - the math functions that have one right answer:
 * rounding, scaling, taking apart, minima and maxima; and min, max and the
 * classification helpers for both sides.
 */
#ifndef SOFTWARP_MATH_EXACT_H
#define SOFTWARP_MATH_EXACT_H
#include "arith.h"
#include "common.h"
#include "math_decls.h"
#pragma GCC system_header

#define __SW_BUILTIN_1(name)                                                   \
    __SW_DEV__ float name##f(float x)                                          \
    {                                                                          \
        return __builtin_##name##f(x);                                         \
    }                                                                          \
    __SW_DEV__ double name(double x)                                           \
    {                                                                          \
        return __builtin_##name(x);                                            \
    }
#define __SW_BUILTIN_2(name)                                                   \
    __SW_DEV__ float name##f(float x, float y)                                 \
    {                                                                          \
        return __builtin_##name##f(x, y);                                      \
    }                                                                          \
    __SW_DEV__ double name(double x, double y)                                 \
    {                                                                          \
        return __builtin_##name(x, y);                                         \
    }
__SW_BUILTIN_1(ceil)
__SW_BUILTIN_1(fabs)
__SW_BUILTIN_1(floor)
__SW_BUILTIN_1(trunc)
__SW_BUILTIN_1(rint)
__SW_BUILTIN_1(nearbyint)
__SW_BUILTIN_2(copysign)
__SW_BUILTIN_2(fmax)
__SW_BUILTIN_2(fmin)
#undef __SW_BUILTIN_1
#undef __SW_BUILTIN_2

/* Approximate if the compiler was told -prec-sqrt=false. */
__SW_DEV__ float
sqrtf(float x)
{
#ifdef __SOFTWARP_APPROX_SQRT__
    return __sw_ftz() ? __nvvm_sqrt_approx_ftz_f(x) : __nvvm_sqrt_approx_f(x);
#else
    return __builtin_sqrtf(x);
#endif
}
__SW_DEV__ double
sqrt(double x)
{
    return __builtin_sqrt(x);
}

__SW_DEV__ float
fmaf(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
__SW_DEV__ double
fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
__SW_DEV__ float
fdimf(float x, float y)
{
    return x <= y ? 0.0f : __fsub_rn(x, y);
}
__SW_DEV__ double
fdim(double x, double y)
{
    return x <= y ? 0.0 : __dsub_rn(x, y);
}

/* Half away from zero. */
__SW_DEV__ float
roundf(float x)
{
    return __builtin_truncf(__fadd_rz(x, __builtin_copysignf(0.5f, x)));
}
__SW_DEV__ double
round(double x)
{
    return __builtin_trunc(__dadd_rz(x, __builtin_copysign(0.5, x)));
}
__SW_DEV__ long long
llrintf(float x)
{
    return __float2ll_rn(x);
}
__SW_DEV__ long long
llrint(double x)
{
    return __double2ll_rn(x);
}
__SW_DEV__ long long
llroundf(float x)
{
    return __float2ll_rz(roundf(x));
}
__SW_DEV__ long long
llround(double x)
{
    return __double2ll_rz(round(x));
}
__SW_DEV__ long
lrintf(float x)
{
    return (long)__float2ll_rn(x);
}
__SW_DEV__ long
lrint(double x)
{
    return (long)__double2ll_rn(x);
}
__SW_DEV__ long
lroundf(float x)
{
    return (long)llroundf(x);
}
__SW_DEV__ long
lround(double x)
{
    return (long)llround(x);
}

__SW_DEV__ float
modff(float x, float *whole)
{
    float t = __builtin_truncf(x);
    *whole = t;
    return __builtin_copysignf(t == x ? 0.0f : __fsub_rn(x, t), x);
}
__SW_DEV__ double
modf(double x, double *whole)
{
    double t = __builtin_trunc(x);
    *whole = t;
    return __builtin_copysign(t == x ? 0.0 : __dsub_rn(x, t), x);
}

/* Two steps: one rounding at most, even into the subnormals, because the
 * exact step comes first. */
__SW_DEV__ float
ldexpf(float x, int e)
{
    e = e < -278 ? -278 : e > 278 ? 278 : e;
    if (e > -101 && e < 101)
        return __fmul_rn(x, __int_as_float((e + 127) << 23));
    int quarter = (e + 508) >> 2; /* of the biased exponent */
    float f = __int_as_float(quarter << 23);
    float first = __int_as_float((e + 508 - 3 * quarter) << 23);
    return __fmul_rn(__fmul_rn(__fmul_rn(__fmul_rn(x, first), f), f), f);
}
__SW_DEV__ double
ldexp(double x, int e)
{
    e = e < -2200 ? -2200 : e > 2200 ? 2200 : e;
    if (e > -1000 && e < 1000)
        return __dmul_rn(x, __longlong_as_double((long long)(e + 1023) << 52));
    int quarter = (e + 4092) >> 2;
    double f = __longlong_as_double((long long)quarter << 52);
    double first =
        __longlong_as_double((long long)(e + 4092 - 3 * quarter) << 52);
    return __dmul_rn(__dmul_rn(__dmul_rn(__dmul_rn(x, first), f), f), f);
}
__SW_DEV__ float
scalbnf(float x, int e)
{
    return ldexpf(x, e);
}
__SW_DEV__ double
scalbn(double x, int e)
{
    return ldexp(x, e);
}
__SW_DEV__ float
scalblnf(float x, long e)
{
    return ldexpf(x, e < -9999 ? -9999 : e > 9999 ? 9999 : (int)e);
}
__SW_DEV__ double
scalbln(double x, long e)
{
    return ldexp(x, e < -9999 ? -9999 : e > 9999 ? 9999 : (int)e);
}
__SW_DEV__ float
frexpf(float x, int *e)
{
    float a = __builtin_fabsf(x);
    bool tiny = a < 0x1p-126f;
    float v = tiny ? __fmul_rn(x, 0x1p+24f) : x;
    int bits = __float_as_int(v);
    int biased = (bits >> 23) & 255;
    if (a == 0.0f || biased == 255) {
        *e = 0;
        return __fadd_rn(v, v);
    }
    *e = biased - (tiny ? 150 : 126);
    return __int_as_float((bits & (int)0x807fffffu) | 0x3f000000);
}
__SW_DEV__ double
frexp(double x, int *e)
{
    double a = __builtin_fabs(x);
    bool tiny = a < 0x1p-1022;
    double v = tiny ? __dmul_rn(x, 0x1p+54) : x;
    long long bits = __double_as_longlong(v);
    int biased = (int)((bits >> 52) & 2047);
    if (a == 0.0 || biased == 2047) {
        *e = 0;
        return __dadd_rn(v, v);
    }
    *e = biased - (tiny ? 1076 : 1022);
    return __longlong_as_double((bits & (long long)0x800fffffffffffffull) |
                                0x3fe0000000000000ll);
}
__SW_DEV__ int
ilogbf(float x)
{
    unsigned a = __float_as_uint(x) & 0x7fffffffu;
    if (a < 0x00800000u)
        return a == 0 ? (int)0x80000000u : -118 - __builtin_clz(a);
    if (a >= 0x7f800000u)
        return a == 0x7f800000u ? 0x7fffffff : (int)0x80000000u;
    return (int)(a >> 23) - 127;
}
__SW_DEV__ int
ilogb(double x)
{
    __sw_u64 a = (__sw_u64)__double_as_longlong(x) & 0x7fffffffffffffffull;
    if (a < 0x0010000000000000ull)
        return a == 0 ? (int)0x80000000u : -1011 - __builtin_clzll(a);
    if (a >= 0x7ff0000000000000ull)
        return a == 0x7ff0000000000000ull ? 0x7fffffff : (int)0x80000000u;
    return (int)(a >> 52) - 1023;
}
__SW_DEV__ float
logbf(float x)
{
    float a = __builtin_fabsf(x);
    if (x == 0.0f)
        return -__builtin_inff();
    return a < __builtin_inff() ? (float)ilogbf(x) : __fmul_rn(x, x);
}
__SW_DEV__ double
logb(double x)
{
    double a = __builtin_fabs(x);
    if (x == 0.0)
        return -__builtin_inf();
    return a < __builtin_inf() ? (double)ilogb(x) : __dmul_rn(x, x);
}
__SW_DEV__ float
nextafterf(float x, float y)
{
    if (x != x || y != y)
        return __fadd_rn(x, y);
    if (x == y)
        return y;
    if (x == 0.0f)
        return __builtin_copysignf(__int_as_float(1), y);
    return __int_as_float(__float_as_int(x) + ((x < y) == (x > 0.0f) ? 1 : -1));
}
__SW_DEV__ double
nextafter(double x, double y)
{
    if (x != x || y != y)
        return __dadd_rn(x, y);
    if (x == y)
        return y;
    if (x == 0.0)
        return __builtin_copysign(__longlong_as_double(1), y);
    return __longlong_as_double(__double_as_longlong(x) +
                                ((x < y) == (x > 0.0) ? 1 : -1));
}
__SW_DEV__ float
nanf(const char *)
{
    return __int_as_float(0x7fffffff);
}
__SW_DEV__ double
nan(const char *)
{
    return __longlong_as_double(0x7fffffffffffffffll);
}

/* ---- classification under the C library's internal names ---- */
__SW_DEV__ int
__isnanf(float x)
{
    return x != x;
}
__SW_DEV__ int
__isnan(double x)
{
    return x != x;
}
__SW_DEV__ int
__isinff(float x)
{
    return __builtin_fabsf(x) == __builtin_inff();
}
__SW_DEV__ int
__isinf(double x)
{
    return __builtin_fabs(x) == __builtin_inf();
}
__SW_DEV__ int
__finitef(float x)
{
    return __builtin_fabsf(x) < __builtin_inff();
}
__SW_DEV__ int
__finite(double x)
{
    return __builtin_fabs(x) < __builtin_inf();
}
__SW_DEV__ int
__signbitf(float x)
{
    return (int)(__float_as_uint(x) >> 31);
}
__SW_DEV__ int
__signbitd(double x)
{
    return (int)((__sw_u64)__double_as_longlong(x) >> 63);
}

/* ---- min and max, for both sides; a mixed pair takes the common type ---- */
#define __SW_MINMAX(T, A, B)                                                   \
    __SW_HD__ T min(A a, B b)                                                  \
    {                                                                          \
        return (T)b < (T)a ? (T)b : (T)a;                                      \
    }                                                                          \
    __SW_HD__ T max(A a, B b)                                                  \
    {                                                                          \
        return (T)a < (T)b ? (T)b : (T)a;                                      \
    }
#define __SW_MINMAX_INT(S, U)                                                  \
    __SW_MINMAX(S, S, S)                                                       \
    __SW_MINMAX(U, U, U)                                                       \
    __SW_MINMAX(U, S, U)                                                       \
    __SW_MINMAX(U, U, S)
__SW_MINMAX_INT(int, unsigned)
__SW_MINMAX_INT(long, unsigned long)
__SW_MINMAX_INT(long long, unsigned long long)
#undef __SW_MINMAX_INT
#undef __SW_MINMAX
/* Of floating-point numbers: a NaN loses, as in fmin and fmax. */
#define __SW_MINMAX(T, A, B, f)                                                \
    __SW_HD__ T min(A a, B b)                                                  \
    {                                                                          \
        return __builtin_fmin##f(a, b);                                        \
    }                                                                          \
    __SW_HD__ T max(A a, B b)                                                  \
    {                                                                          \
        return __builtin_fmax##f(a, b);                                        \
    }
__SW_MINMAX(float, float, float, f)
__SW_MINMAX(double, double, double, )
__SW_MINMAX(double, float, double, )
__SW_MINMAX(double, double, float, )
#undef __SW_MINMAX
#define __SW_NAMED(name, T)                                                    \
    __SW_HD__ T name##min(T a, T b)                                            \
    {                                                                          \
        return min(a, b);                                                      \
    }                                                                          \
    __SW_HD__ T name##max(T a, T b)                                            \
    {                                                                          \
        return max(a, b);                                                      \
    }
__SW_NAMED(u, unsigned)
__SW_NAMED(ll, long long)
__SW_NAMED(ull, unsigned long long)
#undef __SW_NAMED

#endif
