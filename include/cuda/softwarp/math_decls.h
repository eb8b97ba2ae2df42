/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_decls.h - declares the device side of the math functions and
 * puts them into namespace std. Must come before <cmath>: the constexpr
 * functions in there are for both sides unless a device function of the same
 * signature is known, and theirs end in calls to the host's libm.
 */
#ifndef SOFTWARP_MATH_DECLS_H
#define SOFTWARP_MATH_DECLS_H
#include "common.h"
#pragma GCC system_header

#define __SW_DECL__ static __attribute__((device, unused)) inline

template <typename T> struct __sw_if_integer {
};
#define __SW_INTEGER(T)                                                        \
    template <> struct __sw_if_integer<T> {                                    \
        typedef double type;                                                   \
    };
__SW_INTEGER(bool)
__SW_INTEGER(char)
__SW_INTEGER(signed char)
__SW_INTEGER(unsigned char)
__SW_INTEGER(short)
__SW_INTEGER(unsigned short)
__SW_INTEGER(int)
__SW_INTEGER(unsigned)
__SW_INTEGER(long)
__SW_INTEGER(unsigned long)
__SW_INTEGER(long long)
__SW_INTEGER(unsigned long long)
#undef __SW_INTEGER

/* Functions of one and two numbers that <cmath> has too. */
#define __SW_STD_1(X)                                                          \
    X(acos)                                                                    \
    X(acosh)                                                                   \
    X(asin)                                                                    \
    X(asinh)                                                                   \
    X(atan)                                                                    \
    X(atanh)                                                                   \
    X(cbrt)                                                                    \
    X(ceil)                                                                    \
    X(cos)                                                                     \
    X(cosh)                                                                    \
    X(erf)                                                                     \
    X(erfc)                                                                    \
    X(exp)                                                                     \
    X(exp2)                                                                    \
    X(expm1)                                                                   \
    X(fabs)                                                                    \
    X(floor)                                                                   \
    X(lgamma)                                                                  \
    X(log)                                                                     \
    X(log10)                                                                   \
    X(log1p)                                                                   \
    X(log2)                                                                    \
    X(logb)                                                                    \
    X(nearbyint)                                                               \
    X(rint)                                                                    \
    X(round)                                                                   \
    X(sin)                                                                     \
    X(sinh)                                                                    \
    X(sqrt)                                                                    \
    X(tan)                                                                     \
    X(tanh)                                                                    \
    X(tgamma)                                                                  \
    X(trunc)
#define __SW_STD_2(X)                                                          \
    X(atan2)                                                                   \
    X(copysign)                                                                \
    X(fdim)                                                                    \
    X(fmax)                                                                    \
    X(fmin)                                                                    \
    X(fmod)                                                                    \
    X(hypot)                                                                   \
    X(nextafter)                                                               \
    X(pow)                                                                     \
    X(remainder)
/* The same, that only CUDA has. */
#define __SW_CUDA_1(X)                                                         \
    X(cospi)                                                                   \
    X(cyl_bessel_i0)                                                           \
    X(cyl_bessel_i1)                                                           \
    X(erfcinv)                                                                 \
    X(erfcx)                                                                   \
    X(erfinv)                                                                  \
    X(exp10)                                                                   \
    X(j0)                                                                      \
    X(j1)                                                                      \
    X(normcdf)                                                                 \
    X(normcdfinv)                                                              \
    X(rcbrt)                                                                   \
    X(rsqrt)                                                                   \
    X(sinpi)                                                                   \
    X(y0)                                                                      \
    X(y1)
#define __SW_CUDA_2(X) X(rhypot)

#define __SW_DECLARE_1(name)                                                   \
    __SW_DECL__ float name##f(float);                                          \
    __SW_DECL__ double name(double);                                           \
    __SW_DEV__ float name(float x)                                             \
    {                                                                          \
        return name##f(x);                                                     \
    }                                                                          \
    template <typename T>                                                      \
    __SW_DEV__ typename __sw_if_integer<T>::type name(T x)                     \
    {                                                                          \
        return name((double)x);                                                \
    }
#define __SW_DECLARE_2(name)                                                   \
    __SW_DECL__ float name##f(float, float);                                   \
    __SW_DECL__ double name(double, double);                                   \
    __SW_DEV__ float name(float x, float y)                                    \
    {                                                                          \
        return name##f(x, y);                                                  \
    }
__SW_STD_1(__SW_DECLARE_1)
__SW_STD_2(__SW_DECLARE_2)
__SW_CUDA_1(__SW_DECLARE_1)
__SW_CUDA_2(__SW_DECLARE_2)
#undef __SW_DECLARE_1
#undef __SW_DECLARE_2

/* Two results, or an integer among the arguments or results: float form,
 * double form, overload. */
#define __SW_DECLARE(name, R, Rd, args_f, args_d, pass)                        \
    __SW_DECL__ R name##f args_f;                                              \
    __SW_DECL__ Rd name args_d;                                                \
    __SW_DEV__ R name args_f                                                   \
    {                                                                          \
        return name##f pass;                                                   \
    }
__SW_DECLARE(fma, float, double, (float x, float y, float z),
             (double x, double y, double z), (x, y, z))
__SW_DECLARE(frexp, float, double, (float x, int *e), (double x, int *e),
             (x, e))
__SW_DECLARE(ldexp, float, double, (float x, int e), (double x, int e), (x, e))
__SW_DECLARE(scalbn, float, double, (float x, int e), (double x, int e), (x, e))
__SW_DECLARE(scalbln, float, double, (float x, long e), (double x, long e),
             (x, e))
__SW_DECLARE(modf, float, double, (float x, float *i), (double x, double *i),
             (x, i))
__SW_DECLARE(remquo, float, double, (float x, float y, int *q),
             (double x, double y, int *q), (x, y, q))
__SW_DECLARE(ilogb, int, int, (float x), (double x), (x))
__SW_DECLARE(lrint, long, long, (float x), (double x), (x))
__SW_DECLARE(lround, long, long, (float x), (double x), (x))
__SW_DECLARE(llrint, long long, long long, (float x), (double x), (x))
__SW_DECLARE(llround, long long, long long, (float x), (double x), (x))
__SW_DECLARE(sincos, void, void, (float x, float *s, float *c),
             (double x, double *s, double *c), (x, s, c))
__SW_DECLARE(sincospi, void, void, (float x, float *s, float *c),
             (double x, double *s, double *c), (x, s, c))
__SW_DECLARE(norm3d, float, double, (float x, float y, float z),
             (double x, double y, double z), (x, y, z))
__SW_DECLARE(rnorm3d, float, double, (float x, float y, float z),
             (double x, double y, double z), (x, y, z))
__SW_DECLARE(norm4d, float, double, (float x, float y, float z, float w),
             (double x, double y, double z, double w), (x, y, z, w))
__SW_DECLARE(rnorm4d, float, double, (float x, float y, float z, float w),
             (double x, double y, double z, double w), (x, y, z, w))
__SW_DECLARE(norm, float, double, (int n, const float *p),
             (int n, const double *p), (n, p))
__SW_DECLARE(rnorm, float, double, (int n, const float *p),
             (int n, const double *p), (n, p))
__SW_DECLARE(jn, float, double, (int n, float x), (int n, double x), (n, x))
__SW_DECLARE(yn, float, double, (int n, float x), (int n, double x), (n, x))
#undef __SW_DECLARE
__SW_DECL__ float nanf(const char *tag);
__SW_DECL__ double nan(const char *tag);

__SW_DEV__ int
abs(int x)
{
    return x < 0 ? -x : x;
}
__SW_DEV__ long
abs(long x)
{
    return x < 0 ? -x : x;
}
__SW_DEV__ long long
abs(long long x)
{
    return x < 0 ? -x : x;
}
__SW_DEV__ long
labs(long x)
{
    return x < 0 ? -x : x;
}
__SW_DEV__ long long
llabs(long long x)
{
    return x < 0 ? -x : x;
}
__SW_DEV__ float
abs(float x)
{
    return __builtin_fabsf(x);
}
__SW_DEV__ double
abs(double x)
{
    return __builtin_fabs(x);
}

namespace std
{
#define __SW_USING(name) using ::name;
#define __SW_USING_F(name)                                                     \
    using ::name;                                                              \
    using ::name##f;
__SW_STD_1(__SW_USING_F)
__SW_STD_2(__SW_USING_F)
__SW_USING_F(fma)
__SW_USING_F(frexp)
__SW_USING_F(ldexp)
__SW_USING_F(scalbn)
__SW_USING_F(scalbln)
__SW_USING_F(modf)
__SW_USING_F(remquo)
__SW_USING_F(ilogb)
__SW_USING_F(lrint)
__SW_USING_F(lround)
__SW_USING_F(llrint)
__SW_USING_F(llround)
__SW_USING_F(nan)
__SW_USING(abs)
__SW_USING(labs)
__SW_USING(llabs)
#undef __SW_USING
#undef __SW_USING_F
} // namespace std

#undef __SW_STD_1
#undef __SW_STD_2
#undef __SW_CUDA_1
#undef __SW_CUDA_2
#undef __SW_DECL__

#ifndef __CUDACC_RTC__
#include <math.h>
#include <stdlib.h>
#endif

#endif
