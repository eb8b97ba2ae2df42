/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_host.h - the host's side of the math functions that CUDA
 * offers there too and the C library lacks. Plain formulas over libm.
 */
#ifndef SOFTWARP_MATH_HOST_H
#define SOFTWARP_MATH_HOST_H
#include "common.h"
#include <math.h>
#pragma clang system_header

#define __SW_HOST__ static __attribute__((host, unused)) inline

#define __SW_HOST_1(name, expr)                                                \
    __SW_HOST__ double name(double x)                                          \
    {                                                                          \
        return expr;                                                           \
    }                                                                          \
    __SW_HOST__ float name##f(float f)                                         \
    {                                                                          \
        double x = f;                                                          \
        return (float)(expr);                                                  \
    }                                                                          \
    __SW_HOST__ float name(float x)                                            \
    {                                                                          \
        return name##f(x);                                                     \
    }
__SW_HOST_1(rsqrt, 1.0 / ::sqrt(x))
__SW_HOST_1(rcbrt, 1.0 / ::cbrt(x))
__SW_HOST_1(sinpi, ::sin(::remainder(x, 2.0) * 3.14159265358979323846))
__SW_HOST_1(cospi, ::cos(::remainder(x, 2.0) * 3.14159265358979323846))
__SW_HOST_1(normcdf, 0.5 * ::erfc(x * -0.70710678118654752440))
#undef __SW_HOST_1
__SW_HOST__ void
sincospi(double x, double *s, double *c)
{
    *s = sinpi(x);
    *c = cospi(x);
}
__SW_HOST__ void
sincospif(float x, float *s, float *c)
{
    *s = sinpif(x);
    *c = cospif(x);
}
#define __SW_HOST_N(name, args_d, args_f, expr)                                \
    __SW_HOST__ double name args_d                                             \
    {                                                                          \
        return expr;                                                           \
    }                                                                          \
    __SW_HOST__ float name##f args_f                                           \
    {                                                                          \
        return (float)(expr);                                                  \
    }
__SW_HOST_N(rhypot, (double x, double y), (float x, float y),
            1.0 / ::hypot((double)x, (double)y))
__SW_HOST_N(norm3d, (double x, double y, double z), (float x, float y, float z),
            ::hypot(::hypot((double)x, (double)y), (double)z))
__SW_HOST_N(rnorm3d, (double x, double y, double z),
            (float x, float y, float z),
            1.0 / ::hypot(::hypot((double)x, (double)y), (double)z))
__SW_HOST_N(norm4d, (double x, double y, double z, double w),
            (float x, float y, float z, float w),
            ::hypot(::hypot((double)x, (double)y),
                    ::hypot((double)z, (double)w)))
#undef __SW_HOST_N
#undef __SW_HOST__

#endif
