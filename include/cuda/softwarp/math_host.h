/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_host.h - the host's side of the math functions that CUDA
 * offers there too and a C library may lack. Plain formulas over libm.
 *
 * C23 has some of these names, so the C library of one system declares them
 * and that of another does not. Hence each is what <math.h> would declare, a
 * function of C that throws nothing: a second declaration, before or after, is
 * then one of the same function. All programs use the definitions below, so
 * results are the same with any C library. Hidden ones, which take no other
 * library's place.
 */
#ifndef SOFTWARP_MATH_HOST_H
#define SOFTWARP_MATH_HOST_H
#include "common.h"
#include <math.h>
#pragma GCC system_header

#define __SW_HOST__   inline __attribute__((host, visibility("hidden")))
#define __SW_HOST_C__ extern "C" __SW_HOST__

#define __SW_HOST_1(name, expr)                                                \
    __SW_HOST_C__ double name(double x) noexcept                               \
    {                                                                          \
        return expr;                                                           \
    }                                                                          \
    __SW_HOST_C__ float name##f(float f) noexcept                              \
    {                                                                          \
        double x = f;                                                          \
        return (float)(expr);                                                  \
    }                                                                          \
    __SW_HOST__ float name(float x) noexcept                                   \
    {                                                                          \
        return name##f(x);                                                     \
    }
__SW_HOST_1(rsqrt, 1.0 / ::sqrt(x))
__SW_HOST_1(rcbrt, 1.0 / ::cbrt(x))
__SW_HOST_1(sinpi, ::sin(::remainder(x, 2.0) * 3.14159265358979323846))
__SW_HOST_1(cospi, ::cos(::remainder(x, 2.0) * 3.14159265358979323846))
__SW_HOST_1(normcdf, 0.5 * ::erfc(x * -0.70710678118654752440))
#undef __SW_HOST_1
__SW_HOST_C__ void
sincospi(double x, double *s, double *c) noexcept
{
    *s = sinpi(x);
    *c = cospi(x);
}
__SW_HOST_C__ void
sincospif(float x, float *s, float *c) noexcept
{
    *s = sinpif(x);
    *c = cospif(x);
}
__SW_HOST__ void
sincospi(float x, float *s, float *c) noexcept
{
    sincospif(x, s, c);
}
/* Of several numbers: double form, float form, overload. */
#define __SW_HOST_N(name, args_d, args_f, pass, expr)                          \
    __SW_HOST_C__ double name args_d noexcept                                  \
    {                                                                          \
        return expr;                                                           \
    }                                                                          \
    __SW_HOST_C__ float name##f args_f noexcept                                \
    {                                                                          \
        return (float)(expr);                                                  \
    }                                                                          \
    __SW_HOST__ float name args_f noexcept                                     \
    {                                                                          \
        return name##f pass;                                                   \
    }
__SW_HOST_N(rhypot, (double x, double y), (float x, float y), (x, y),
            1.0 / ::hypot((double)x, (double)y))
__SW_HOST_N(norm3d, (double x, double y, double z), (float x, float y, float z),
            (x, y, z), ::hypot(::hypot((double)x, (double)y), (double)z))
__SW_HOST_N(rnorm3d, (double x, double y, double z),
            (float x, float y, float z), (x, y, z),
            1.0 / ::hypot(::hypot((double)x, (double)y), (double)z))
__SW_HOST_N(norm4d, (double x, double y, double z, double w),
            (float x, float y, float z, float w), (x, y, z, w),
            ::hypot(::hypot((double)x, (double)y),
                    ::hypot((double)z, (double)w)))
#undef __SW_HOST_N
#undef __SW_HOST__
#undef __SW_HOST_C__

#endif
