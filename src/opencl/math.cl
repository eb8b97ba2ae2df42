/* SPDX-License-Identifier: Apache-2.0 */
/*
 * math.cl - the math functions of float, double and half (OpenCL C 3.0,
 * 6.15.2). What CUDA has too is the same code (cuda.cu); the rest is made of
 * that and stays within the errors that OpenCL allows. Those of halves compute
 * with floats.
 */
#include "library.clh"

#define FROM_FLOAT_1(name)                                                     \
    PURE half name(half x)                                                     \
    {                                                                          \
        return (half)name((float)x);                                           \
    }
#define FROM_FLOAT_2(name)                                                     \
    PURE half name(half x, half y)                                             \
    {                                                                          \
        return (half)name((float)x, (float)y);                                 \
    }
#define ALL_1(name)                                                            \
    VECTORS_1(name, half, half)                                                \
    VECTORS_1(name, float, float)                                              \
    VECTORS_1(name, double, double)
#define ALL_2(name)                                                            \
    VECTORS_2(name, half, half, half)                                          \
    VECTORS_2(name, float, float, float)                                       \
    VECTORS_2(name, double, double, double)
#define ALL_3(name)                                                            \
    VECTORS_3(name, half, half, half, half)                                    \
    VECTORS_3(name, float, float, float, float)                                \
    VECTORS_3(name, double, double, double, double)

/* ---- CUDA's ---- */

#define MATH_1(name)                                                           \
    float __sw_##name##_f(float) __attribute__((const));                       \
    double __sw_##name##_d(double) __attribute__((const));                     \
    PURE float name(float x)                                                   \
    {                                                                          \
        return __sw_##name##_f(x);                                             \
    }                                                                          \
    PURE double name(double x)                                                 \
    {                                                                          \
        return __sw_##name##_d(x);                                             \
    }
#define MATH_2(name)                                                           \
    float __sw_##name##_f(float, float) __attribute__((const));                \
    double __sw_##name##_d(double, double) __attribute__((const));             \
    PURE float name(float x, float y)                                          \
    {                                                                          \
        return __sw_##name##_f(x, y);                                          \
    }                                                                          \
    PURE double name(double x, double y)                                       \
    {                                                                          \
        return __sw_##name##_d(x, y);                                          \
    }
#include "math.def"
#undef MATH_1
#undef MATH_2
#define MATH_1(name)                                                           \
    FROM_FLOAT_1(name)                                                         \
    ALL_1(name)
#define MATH_2(name)                                                           \
    HALF_2_##name(name)                                                        \
    ALL_2(name)
#define HALF_2_atan2     FROM_FLOAT_2
#define HALF_2_fdim      FROM_FLOAT_2
#define HALF_2_fmod      FROM_FLOAT_2
#define HALF_2_hypot     FROM_FLOAT_2
#define HALF_2_pow       FROM_FLOAT_2
#define HALF_2_remainder FROM_FLOAT_2
#define HALF_2_nextafter(name)                                                 \
    PURE half name(half x, half y)                                             \
    {                                                                          \
        if (IS_NAN(x) || IS_NAN(y))                                              \
            return x + y;                                                      \
        if (x == y)                                                            \
            return y;                                                          \
        short bits = as_short(x);                                              \
        if (x == 0)                                                            \
            return as_half((short)(y > 0 ? 1 : 0x8001));                       \
        return as_half((short)(bits + ((x < y) == (bits >= 0) ? 1 : -1)));     \
    }
#include "math.def"

/* ---- of single instructions ---- */

#define DIRECT_1(name, builtin)                                                \
    PURE float name(float x)                                                   \
    {                                                                          \
        return builtin##f(x);                                                  \
    }                                                                          \
    PURE double name(double x)                                                 \
    {                                                                          \
        return builtin(x);                                                     \
    }                                                                          \
    FROM_FLOAT_1(name)                                                         \
    ALL_1(name)
DIRECT_1(ceil, __builtin_ceil)
DIRECT_1(fabs, __builtin_fabs)
DIRECT_1(floor, __builtin_floor)
DIRECT_1(rint, __builtin_rint)
DIRECT_1(sqrt, __builtin_sqrt)
DIRECT_1(trunc, __builtin_trunc)

#define DIRECT_2(name, builtin)                                                \
    PURE float name(float x, float y)                                          \
    {                                                                          \
        return builtin##f(x, y);                                               \
    }                                                                          \
    PURE double name(double x, double y)                                       \
    {                                                                          \
        return builtin(x, y);                                                  \
    }                                                                          \
    FROM_FLOAT_2(name)                                                         \
    ALL_2(name)
DIRECT_2(copysign, __builtin_copysign)
DIRECT_2(fmax, __builtin_fmax)
DIRECT_2(fmin, __builtin_fmin)
/* The second may be one number for all elements. */
#define MORE_OF(n, name, T)                                                    \
    PURE T##n name(T##n x, T y)                                                \
    {                                                                          \
        return name(x, (T##n)y);                                               \
    }
#define BY_SCALAR(name)                                                        \
    WIDTHS(MORE_OF, name, half)                                                \
    WIDTHS(MORE_OF, name, float)                                               \
    WIDTHS(MORE_OF, name, double)
BY_SCALAR(fmax)
BY_SCALAR(fmin)

PURE float
fma(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
PURE double
fma(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
/* The product of two halves is exact as a float, and so is its sum with a
 * third as a double; one rounding follows. */
PURE half
fma(half x, half y, half z)
{
    half r;
    __asm__("fma.rn.f16 %0, %1, %2, %3;"
            : "=h"(*(short *)&r)
            : "h"(as_short(x)), "h"(as_short(y)), "h"(as_short(z)));
    return r;
}
ALL_3(fma)
PURE float
mad(float x, float y, float z)
{
    return __builtin_fmaf(x, y, z);
}
PURE double
mad(double x, double y, double z)
{
    return __builtin_fma(x, y, z);
}
PURE half
mad(half x, half y, half z)
{
    return fma(x, y, z);
}
ALL_3(mad)

/* ---- made of others ---- */

#define COMPOSED_1(name, T, expression)                                        \
    PURE T name(T x)                                                           \
    {                                                                          \
        return expression;                                                     \
    }
#define COMPOSED_2(name, T, expression)                                        \
    PURE T name(T x, T y)                                                      \
    {                                                                          \
        return expression;                                                     \
    }
#define BOTH_1(name, expression)                                               \
    COMPOSED_1(name, float, expression)                                        \
    COMPOSED_1(name, double, expression)                                       \
    FROM_FLOAT_1(name)                                                         \
    ALL_1(name)
#define ONE_OVER_PI(x) ((x) * _Generic((x), float: M_1_PI_F, default: M_1_PI))
BOTH_1(acospi, ONE_OVER_PI(acos(x)))
BOTH_1(asinpi, ONE_OVER_PI(asin(x)))
BOTH_1(atanpi, ONE_OVER_PI(atan(x)))
BOTH_1(tanpi, sinpi(x) / cospi(x))
COMPOSED_2(atan2pi, float, ONE_OVER_PI(atan2(x, y)))
COMPOSED_2(atan2pi, double, ONE_OVER_PI(atan2(x, y)))
FROM_FLOAT_2(atan2pi)
ALL_2(atan2pi)

#define BY_MAGNITUDE(T)                                                        \
    PURE T maxmag(T x, T y)                                                    \
    {                                                                          \
        T a = fabs(x), b = fabs(y);                                            \
        return a > b ? x : b > a ? y : fmax(x, y);                             \
    }                                                                          \
    PURE T minmag(T x, T y)                                                    \
    {                                                                          \
        T a = fabs(x), b = fabs(y);                                            \
        return a < b ? x : b < a ? y : fmin(x, y);                             \
    }
BY_MAGNITUDE(half)
BY_MAGNITUDE(float)
BY_MAGNITUDE(double)
ALL_2(maxmag)
ALL_2(minmag)

PURE float
nan(uint code)
{
    return as_float(0x7fc00000 | (code & 0x3fffff));
}
PURE double
nan(ulong code)
{
    return as_double(0x7ff8000000000000 | (code & 0x7ffffffffffff));
}
PURE half
nan(ushort code)
{
    return as_half((ushort)(0x7e00 | (code & 0x1ff)));
}
VECTORS_1(nan, half, ushort)
VECTORS_1(nan, float, uint)
VECTORS_1(nan, double, ulong)

/* ---- powers ---- */

/* x is not negative, and what would be a limit only is none. */
#define POSITIVE_POWER(T)                                                      \
    PURE T powr(T x, T y)                                                      \
    {                                                                          \
        bool none = x < 0 || IS_NAN(x) || IS_NAN(y) ||                           \
                    (y == 0 && (x == 0 || IS_INFINITE(x))) ||                        \
                    (x == 1 && IS_INFINITE(y));                                      \
        return none ? (T)NAN : pow(fabs(x), y);                                \
    }
POSITIVE_POWER(float)
POSITIVE_POWER(double)
FROM_FLOAT_2(powr)
ALL_2(powr)

/* Integers of more than 24 bits are no floats. */
PURE float
pown(float x, int n)
{
    float y = (float)n;
    bool exact = n > -(1 << 24) && n < 1 << 24;
    return exact ? pow(x, y) : (float)pow((double)x, (double)n);
}
PURE double
pown(double x, int n)
{
    return pow(x, (double)n);
}
PURE half
pown(half x, int n)
{
    return (half)pown((float)x, n);
}

/* x to y + rest, where y is 1 / n, rounded: the power of y, and by how much the
 * rest changes it. */
#define ROOT(T)                                                                \
    PURE T rootn(T x, int n)                                                   \
    {                                                                          \
        T a = fabs(x), by = (T)n, y = 1 / by, rest = fma(-y, by, (T)1) / by;   \
        T r = pow(a, y);                                                       \
        if (a > 0 && !IS_INFINITE(a) && !IS_INFINITE(r) && r > 0)                          \
            r = fma(r, rest * log(a), r);                                      \
        if (n == 0 || ((n & 1) == 0 && x < 0))                                 \
            return (T)NAN;                                                     \
        return n & 1 ? copysign(r, x) : r;                                     \
    }
ROOT(float)
ROOT(double)
PURE half
rootn(half x, int n)
{
    return (half)rootn((float)x, n);
}

#define WITH_INTEGER(name)                                                     \
    VECTORS_2(name, half, half, int)                                           \
    VECTORS_2(name, float, float, int)                                         \
    VECTORS_2(name, double, double, int)
WITH_INTEGER(pown)
WITH_INTEGER(rootn)

/* ---- exponents ---- */

float __sw_ldexp_f(float, int) __attribute__((const));
double __sw_ldexp_d(double, int) __attribute__((const));
int __sw_ilogb_f(float) __attribute__((const));
int __sw_ilogb_d(double) __attribute__((const));

PURE float
ldexp(float x, int n)
{
    return __sw_ldexp_f(x, n);
}
PURE double
ldexp(double x, int n)
{
    return __sw_ldexp_d(x, n);
}
PURE half
ldexp(half x, int n)
{
    return (half)__sw_ldexp_f((float)x, n > 60 ? 60 : n < -60 ? -60 : n);
}
WITH_INTEGER(ldexp)
#define LDEXP_BY(n, T)                                                         \
    PURE T##n ldexp(T##n x, int e)                                             \
    {                                                                          \
        return ldexp(x, (int##n)e);                                            \
    }
WIDTHS(LDEXP_BY, half)
WIDTHS(LDEXP_BY, float)
WIDTHS(LDEXP_BY, double)

#define EXPONENT(T, call)                                                      \
    PURE int ilogb(T x)                                                        \
    {                                                                          \
        return IS_NAN(x) ? FP_ILOGBNAN                                          \
               : IS_INFINITE(x) ? INT_MAX                                            \
               : x == 0   ? FP_ILOGB0                                          \
                          : call(x);                                           \
    }
EXPONENT(half, __sw_ilogb_f)
EXPONENT(float, __sw_ilogb_f)
EXPONENT(double, __sw_ilogb_d)
VECTORS_1(ilogb, int, half)
VECTORS_1(ilogb, int, float)
VECTORS_1(ilogb, int, double)

/* ---- two results ---- */

float __sw_sincos_f(float, float *);
double __sw_sincos_d(double, double *);
float __sw_frexp_f(float, int *);
double __sw_frexp_d(double, int *);
float __sw_remquo_f(float, float, int *);
double __sw_remquo_d(double, double, int *);

static INLINE OVER float
sincos_of(float x, float *c)
{
    return __sw_sincos_f(x, c);
}
static INLINE OVER double
sincos_of(double x, double *c)
{
    return __sw_sincos_d(x, c);
}
static INLINE OVER half
sincos_of(half x, half *c)
{
    float y, s = __sw_sincos_f(x, &y);
    *c = (half)y;
    return (half)s;
}
/* The least number below 1 where rounding would make 1 of it. */
#define FRACTION(T, most)                                                      \
    static INLINE OVER T fract_of(T x, T *whole)                               \
    {                                                                          \
        T n = floor(x);                                                        \
        *whole = n;                                                            \
        if (IS_INFINITE(x) || x == 0)                                                \
            return copysign((T)0, x);                                          \
        return IS_NAN(x) ? x : fmin(x - n, (T)most);                            \
    }
FRACTION(half, 0x1.ffcp-1h)
FRACTION(float, 0x1.fffffep-1f)
FRACTION(double, 0x1.fffffffffffffp-1)
#define WHOLE(T)                                                               \
    static INLINE OVER T modf_of(T x, T *whole)                                \
    {                                                                          \
        T n = trunc(x);                                                        \
        *whole = n;                                                            \
        return copysign(IS_INFINITE(x) ? (T)0 : x - n, x);                           \
    }
WHOLE(half)
WHOLE(float)
WHOLE(double)
static INLINE OVER float
frexp_of(float x, int *e)
{
    return __sw_frexp_f(x, e);
}
static INLINE OVER double
frexp_of(double x, int *e)
{
    return __sw_frexp_d(x, e);
}
static INLINE OVER half
frexp_of(half x, int *e)
{
    return (half)__sw_frexp_f(x, e);
}
#define GAMMA(T)                                                               \
    static INLINE OVER T lgamma_r_of(T x, int *sign)                           \
    {                                                                          \
        *sign = x == 0   ? (copysign((T)1, x) < 0 ? -1 : 1)                               \
                : x >= 0 ? 1                                                   \
                : floor(x) == x || IS_NAN(x)                                    \
                    ? (IS_NAN(x) ? 1 : 0)                                       \
                    : fmod(floor(x), (T)2) == 0 ? 1 : -1;                      \
        return lgamma(x);                                                      \
    }
GAMMA(half)
GAMMA(float)
GAMMA(double)
static INLINE OVER float
remquo_of(float x, float y, int *q)
{
    return __sw_remquo_f(x, y, q);
}
static INLINE OVER double
remquo_of(double x, double y, int *q)
{
    return __sw_remquo_d(x, y, q);
}
static INLINE OVER half
remquo_of(half x, half y, int *q)
{
    return (half)__sw_remquo_f(x, y, q);
}

/* T f(T, space P *) and its vectors, for pointers of all kinds; those to
 * private memory have the generic ones' names. */
#define POINTER_FORMS(f, T, P)                                                 \
    SPACE_FORMS(f, T, P, __generic)                                            \
    SPACE_FORMS(f, T, P, global)                                               \
    SPACE_FORMS(f, T, P, local)
#define SPACE_FORMS(f, T, P, space)                                            \
    OVER T f(T x, space P *out)                                                \
    {                                                                          \
        P second;                                                              \
        T r = f##_of(x, &second);                                              \
        *out = second;                                                         \
        return r;                                                              \
    }                                                                          \
    WIDTHS(SPACE_VECTOR, f, T, P, space)
#define SPACE_VECTOR(n, f, T, P, space)                                        \
    OVER T##n f(T##n x, space P##n *out)                                       \
    {                                                                          \
        union {                                                                \
            T##n v;                                                            \
            T e[sizeof(T##n) / sizeof(T)];                                     \
        } from = {x}, r;                                                       \
        union {                                                                \
            P##n v;                                                            \
            P e[sizeof(P##n) / sizeof(P)];                                     \
        } second;                                                              \
        _Pragma("unroll") for (int i = 0; i < n; i++)                          \
            r.e[i] = f##_of(from.e[i], &second.e[i]);                          \
        *out = second.v;                                                       \
        return r.v;                                                            \
    }
#define FLOAT_POINTERS(f)                                                      \
    POINTER_FORMS(f, half, half)                                               \
    POINTER_FORMS(f, float, float)                                             \
    POINTER_FORMS(f, double, double)
FLOAT_POINTERS(sincos)
FLOAT_POINTERS(fract)
FLOAT_POINTERS(modf)
#define INT_POINTERS(f)                                                        \
    POINTER_FORMS(f, half, int)                                                \
    POINTER_FORMS(f, float, int)                                               \
    POINTER_FORMS(f, double, int)
INT_POINTERS(frexp)
INT_POINTERS(lgamma_r)

#define REMQUO_FORMS(T)                                                        \
    REMQUO(T, __generic)                                                       \
    REMQUO(T, global)                                                          \
    REMQUO(T, local)
#define REMQUO(T, space)                                                       \
    OVER T remquo(T x, T y, space int *out)                                    \
    {                                                                          \
        int q;                                                                 \
        T r = remquo_of(x, y, &q);                                             \
        *out = q;                                                              \
        return r;                                                              \
    }                                                                          \
    WIDTHS(REMQUO_VECTOR, T, space)
#define REMQUO_VECTOR(n, T, space)                                             \
    OVER T##n remquo(T##n x, T##n y, space int##n *out)                        \
    {                                                                          \
        union {                                                                \
            T##n v;                                                            \
            T e[sizeof(T##n) / sizeof(T)];                                     \
        } a = {x}, b = {y}, r;                                                 \
        union {                                                                \
            int##n v;                                                          \
            int e[sizeof(int##n) / sizeof(int)];                               \
        } q;                                                                   \
        _Pragma("unroll") for (int i = 0; i < n; i++)                          \
            r.e[i] = remquo_of(a.e[i], b.e[i], &q.e[i]);                       \
        *out = q.v;                                                            \
        return r.v;                                                            \
    }
REMQUO_FORMS(half)
REMQUO_FORMS(float)
REMQUO_FORMS(double)

/* ---- native_ and half_ ---- */

/* As NVIDIA's OpenCL programming guide 2.3 has them (B.2): those of reciprocals
 * and roots are correctly rounded. */

#define NATIVE_1(name)                                                         \
    float __sw_native_##name(float) __attribute__((const));                    \
    PURE float native_##name(float x)                                          \
    {                                                                          \
        return __sw_native_##name(x);                                          \
    }                                                                          \
    VECTORS_1(native_##name, float, float)
NATIVE_1(cos)
NATIVE_1(exp)
NATIVE_1(exp10)
NATIVE_1(log)
NATIVE_1(log10)
NATIVE_1(log2)
NATIVE_1(sin)
NATIVE_1(tan)
#define APPROXIMATE_1(name, instruction)                                       \
    PURE float native_##name(float x)                                          \
    {                                                                          \
        float r;                                                               \
        __asm__(instruction " %0, %1;" : "=f"(r) : "f"(x));                    \
        return r;                                                              \
    }                                                                          \
    VECTORS_1(native_##name, float, float)
APPROXIMATE_1(exp2, "ex2.approx.f32")
APPROXIMATE_1(recip, "rcp.rn.f32")
APPROXIMATE_1(rsqrt, "rsqrt.approx.f32")
APPROXIMATE_1(sqrt, "sqrt.rn.f32")
#define NATIVE_2(name)                                                         \
    float __sw_native_##name(float, float) __attribute__((const));             \
    PURE float native_##name(float x, float y)                                 \
    {                                                                          \
        return __sw_native_##name(x, y);                                       \
    }                                                                          \
    VECTORS_2(native_##name, float, float, float)
NATIVE_2(divide)
NATIVE_2(powr)

/* 8192 ulp would do. */
#define HALF_1(name, expression)                                               \
    PURE float half_##name(float x)                                            \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    VECTORS_1(half_##name, float, float)
HALF_1(cos, cos(x))
HALF_1(exp, exp(x))
HALF_1(exp10, exp10(x))
HALF_1(exp2, exp2(x))
HALF_1(log, log(x))
HALF_1(log10, log10(x))
HALF_1(log2, log2(x))
HALF_1(recip, 1 / x)
HALF_1(rsqrt, rsqrt(x))
HALF_1(sin, sin(x))
HALF_1(sqrt, sqrt(x))
HALF_1(tan, tan(x))
PURE float
half_divide(float x, float y)
{
    return x / y;
}
PURE float
half_powr(float x, float y)
{
    return powr(x, y);
}
VECTORS_2(half_divide, float, float, float)
VECTORS_2(half_powr, float, float, float)
