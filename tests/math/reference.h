/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.h - the true values of each function (accuracy.h says what the two
 * kinds are): exact_NAME by MPFR, fast_f32_NAME and fast_f64_NAME by the C
 * library in a wider type.
 */
#ifndef TESTS_MATH_REFERENCE_H
#define TESTS_MATH_REFERENCE_H
#include "accuracy.h"

#define MATH_REFERENCES(REF)                                                   \
    REF(acos)                                                                  \
    REF(acosh)                                                                 \
    REF(acospi)                                                                \
    REF(add)                                                                   \
    REF(asin)                                                                  \
    REF(asinh)                                                                 \
    REF(asinpi)                                                                \
    REF(atan)                                                                  \
    REF(atan2)                                                                 \
    REF(atan2pi)                                                               \
    REF(atanh)                                                                 \
    REF(atanpi)                                                                \
    REF(cbrt)                                                                  \
    REF(ceil)                                                                  \
    REF(cos)                                                                   \
    REF(cosh)                                                                  \
    REF(cospi)                                                                 \
    REF(cyl_bessel_i0)                                                         \
    REF(cyl_bessel_i1)                                                         \
    REF(div)                                                                   \
    REF(erf)                                                                   \
    REF(erfc)                                                                  \
    REF(erfcinv)                                                               \
    REF(erfcx)                                                                 \
    REF(erfinv)                                                                \
    REF(exp)                                                                   \
    REF(exp10)                                                                 \
    REF(exp2)                                                                  \
    REF(expm1)                                                                 \
    REF(fdim)                                                                  \
    REF(fdividef)                                                              \
    REF(floor)                                                                 \
    REF(fma)                                                                   \
    REF(fmax)                                                                  \
    REF(fmin)                                                                  \
    REF(fmod)                                                                  \
    REF(frexp_exponent)                                                        \
    REF(frexp_fraction)                                                        \
    REF(hypot)                                                                 \
    REF(ilogb)                                                                 \
    REF(ilogb_number)                                                          \
    REF(j0)                                                                    \
    REF(j1)                                                                    \
    REF(jn)                                                                    \
    REF(ldexp)                                                                 \
    REF(lgamma)                                                                \
    REF(log)                                                                   \
    REF(log10)                                                                 \
    REF(log1p)                                                                 \
    REF(log2)                                                                  \
    REF(logb)                                                                  \
    REF(lrint)                                                                 \
    REF(lround)                                                                \
    REF(modf_fraction)                                                         \
    REF(mul)                                                                   \
    REF(nearbyint)                                                             \
    REF(norm3d)                                                                \
    REF(norm4d)                                                                \
    REF(normcdf)                                                               \
    REF(normcdfinv)                                                            \
    REF(pow)                                                                   \
    REF(pown)                                                                  \
    REF(powr)                                                                  \
    REF(quotient)                                                              \
    REF(quotient_7)                                                            \
    REF(rcbrt)                                                                 \
    REF(rcp)                                                                   \
    REF(remainder)                                                             \
    REF(rhypot)                                                                \
    REF(rint)                                                                  \
    REF(rnorm3d)                                                               \
    REF(rnorm4d)                                                               \
    REF(rootn)                                                                 \
    REF(round)                                                                 \
    REF(rsqrt)                                                                 \
    REF(scalbln)                                                               \
    REF(scalbn)                                                                \
    REF(sin)                                                                   \
    REF(sinh)                                                                  \
    REF(sinpi)                                                                 \
    REF(sqrt)                                                                  \
    REF(sub)                                                                   \
    REF(tan)                                                                   \
    REF(tanh)                                                                  \
    REF(tanpi)                                                                 \
    REF(tgamma)                                                                \
    REF(trunc)                                                                 \
    REF(y0)                                                                    \
    REF(y1)                                                                    \
    REF(yn)

#define MATH_DECLARE(name)                                                     \
    bool exact_##name(mpfr_ptr r, const math_args *a, math_mode mode);         \
    double fast_f32_##name(const math_args *a, double got);                    \
    long double fast_f64_##name(const math_args *a, double got);
MATH_REFERENCES(MATH_DECLARE)
#undef MATH_DECLARE

#endif
