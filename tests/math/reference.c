/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference.c - true values of what the C library and MPFR both have.
 */
#include "reference.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "numbers.h"

#define LIBM_1(name)                                                           \
    EXACT_1(name, mpfr_##name) FAST_1(name, name(x), name##l(x))
#define LIBM_2(name)                                                           \
    EXACT_2(name, mpfr_##name) FAST_2(name, name(x, y), name##l(x, y))

LIBM_1(sqrt)
LIBM_1(cbrt)
LIBM_1(exp)
LIBM_1(exp2)
LIBM_1(exp10)
LIBM_1(expm1)
LIBM_1(log)
LIBM_1(log2)
LIBM_1(log10)
LIBM_1(log1p)
LIBM_1(sin)
LIBM_1(cos)
LIBM_1(tan)
LIBM_1(asin)
LIBM_1(acos)
LIBM_1(atan)
LIBM_1(sinh)
LIBM_1(cosh)
LIBM_1(tanh)
LIBM_1(asinh)
LIBM_1(acosh)
LIBM_1(atanh)
LIBM_1(erf)
LIBM_1(erfc)
LIBM_1(j0)
LIBM_1(y0)
LIBM_1(y1)
LIBM_2(hypot)
LIBM_2(atan2)
LIBM_2(pow)
LIBM_2(fmod)
LIBM_2(remainder)
EXACT_2(fmax, mpfr_max)
EXACT_2(fmin, mpfr_min)
FAST_2(fmax, fmax(x, y), fmaxl(x, y))
FAST_2(fmin, fmin(x, y), fminl(x, y))
EXACT_1(tgamma, mpfr_gamma)
FAST_1(tgamma, tgamma(x), tgammal(x))
EXACT_2(fdim, mpfr_dim)
FAST_2(fdim, fdim(x, y), fdiml(x, y))

EXACT(lgamma)
{
    (void)mode;
    int sign;
    return mpfr_lgamma(r, &sign, numbers_of(a)->x, MPFR_RNDZ) != 0;
}
static double
lgamma_of(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}
static long double
lgamma_ofl(long double x)
{
    int sign;
    return lgammal_r(x, &sign);
}
FAST_1(lgamma, lgamma_of(x), lgamma_ofl(x))

/* Odd, as CUDA has it, up to its end. */
EXACT(j1)
{
    (void)mode;
    mpfr_ptr x = numbers_of(a)->x;
    if (!mpfr_inf_p(x))
        return mpfr_j1(r, x, MPFR_RNDZ) != 0;
    mpfr_set_zero(r, mpfr_sgn(x));
    return false;
}
FAST_1(j1, isinf(x) ? copysign(0, x) : j1(x),
       isinf(x) ? copysignl(0, x) : j1l(x))
EXACT(jn)
{
    (void)mode;
    numbers *n = numbers_of(a);
    long order = (long)a->v[1];
    if (!mpfr_inf_p(n->x))
        return mpfr_jn(r, order, n->x, MPFR_RNDZ) != 0;
    mpfr_set_zero(r, order & 1 ? mpfr_sgn(n->x) : 1);
    return false;
}
EXACT(yn)
{
    (void)mode;
    numbers *n = numbers_of(a);
    return mpfr_yn(r, (long)a->v[1], n->x, MPFR_RNDZ) != 0;
}
FAST_2(jn, x == 0 || isinf(x) ? (double)NAN : jn((int)y, x),
       x == 0 || isinf(x) ? (long double)NAN : jnl((int)y, x))
FAST_2(yn, yn((int)y, x), ynl((int)y, x))

/* ---- rounding and taking apart: r has room for every bit ---- */
#define WHOLE(name, function, in_double, in_long)                              \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        function(r, numbers_of(a)->x);                                         \
        return false;                                                          \
    }                                                                          \
    FAST_1(name, in_double, in_long)
WHOLE(trunc, mpfr_trunc, trunc(x), truncl(x))
WHOLE(ceil, mpfr_ceil, ceil(x), ceill(x))
WHOLE(floor, mpfr_floor, floor(x), floorl(x))
WHOLE(round, mpfr_round, round(x), roundl(x))
WHOLE(rint, mpfr_roundeven, rint(x), rintl(x))
WHOLE(nearbyint, mpfr_roundeven, rint(x), rintl(x))

/* An integer out of range is undefined. */
static bool
to_integer(mpfr_ptr r)
{
    if (!mpfr_fits_slong_p(r, MPFR_RNDN))
        mpfr_set_nan(r);
    return false;
}
static double
as_integer(double x)
{
    return x >= -0x1p63 && x < 0x1p63 ? x : (double)NAN;
}
EXACT(lrint)
{
    (void)mode;
    mpfr_roundeven(r, numbers_of(a)->x);
    return to_integer(r);
}
EXACT(lround)
{
    (void)mode;
    mpfr_round(r, numbers_of(a)->x);
    return to_integer(r);
}
FAST_1(lrint, as_integer(rint(x)), as_integer(rint((double)x)))
FAST_1(lround, as_integer(round(x)), as_integer(round((double)x)))

EXACT_1(modf_fraction, mpfr_frac)
FAST_1(modf_fraction, isinf(x) ? copysign(0, x) : copysign(x - trunc(x), x),
       isinf(x) ? copysignl(0, x) : copysignl(x - truncl(x), x))

static bool
frexp_of(mpfr_ptr r, const math_args *a, long *exponent)
{
    *exponent = 0;
    mpfr_exp_t e = 0;
    mpfr_frexp(&e, r, numbers_of(a)->x, MPFR_RNDZ);
    *exponent = e;
    return false;
}
EXACT(frexp_fraction)
{
    (void)mode;
    long e;
    return frexp_of(r, a, &e);
}
/* Unspecified of what is not finite. */
EXACT(frexp_exponent)
{
    (void)mode;
    long e;
    frexp_of(r, a, &e);
    if (mpfr_number_p(r))
        mpfr_set_si(r, e, MPFR_RNDZ);
    else
        mpfr_set_nan(r);
    return false;
}
static double
fraction_of(double x)
{
    int e;
    return frexp(x, &e);
}
static double
exponent_of(double x)
{
    int e;
    frexp(x, &e);
    return isfinite(x) ? e : (double)NAN;
}
FAST_1(frexp_fraction, fraction_of(x), fraction_of((double)x))
FAST_1(frexp_exponent, exponent_of(x), exponent_of((double)x))

EXACT(logb)
{
    (void)mode;
    mpfr_ptr x = numbers_of(a)->x;
    if (mpfr_regular_p(x))
        mpfr_set_si(r, mpfr_get_exp(x) - 1, MPFR_RNDZ);
    else if (mpfr_zero_p(x))
        mpfr_set_inf(r, -1);
    else
        mpfr_abs(r, x, MPFR_RNDZ);
    return false;
}
FAST_1(logb, logb(x), logbl(x))
/* What CUDA's manual says of 0, NaN and infinities. */
EXACT(ilogb)
{
    mpfr_ptr x = numbers_of(a)->x;
    if (mpfr_regular_p(x))
        return exact_logb(r, a, mode);
    mpfr_set_si(r, mpfr_inf_p(x) ? INT_MAX : INT_MIN, MPFR_RNDZ);
    return false;
}
static double
ilogb_of(double x)
{
    return isinf(x) ? INT_MAX : isnan(x) || x == 0 ? INT_MIN : logb(x);
}
FAST_1(ilogb, ilogb_of(x), ilogb_of((double)x))

static long
integer_of(double y, double limit)
{
    return (long)fmax(fmin(y, limit), -limit - 1);
}
#define SCALED(name, limit)                                                    \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        mpfr_mul_2si(r, numbers_of(a)->x, integer_of(a->v[1], limit),          \
                     MPFR_RNDZ);                                               \
        return false;                                                          \
    }                                                                          \
    FAST_2(name, ldexp(x, (int)integer_of(y, 9999)),                           \
           ldexpl(x, (int)integer_of((double)y, 9999)))
SCALED(ldexp, 0x1p31 - 1)
SCALED(scalbn, 0x1p31 - 1)
SCALED(scalbln, 0x1p40)

/* Three bits of the quotient, and its sign. */
EXACT(quotient)
{
    (void)mode;
    numbers *n = numbers_of(a);
    long q = 0;
    mpfr_remquo(r, &q, n->x, n->y, MPFR_RNDZ);
    bool negative = mpfr_signbit(n->x) != mpfr_signbit(n->y);
    if (!mpfr_nan_p(r))
        mpfr_set_si(r, negative ? -(labs(q) & 7) : labs(q) & 7, MPFR_RNDZ);
    return false;
}
static double
quotient_of(double x, double y)
{
    int q = 0;
    return isnan(remquo(x, y, &q)) ? (double)NAN : q < 0 ? -(-q & 7) : q & 7;
}
FAST_2(quotient, quotient_of(x, y), quotient_of((double)x, (double)y))

/* ---- arithmetic ---- */

/* The sign of a zero that is a difference depends on the rounding. */
#define SUM(name, call, in_double, in_long)                                    \
    EXACT(name)                                                                \
    {                                                                          \
        numbers *n = numbers_of(a);                                            \
        mpfr_rnd_t rnd = MPFR_RNDZ;                                            \
        bool inexact = call != 0;                                              \
        if (mode == DOWN && mpfr_zero_p(r)) {                                  \
            rnd = MPFR_RNDD;                                                   \
            call;                                                              \
        }                                                                      \
        return inexact;                                                        \
    }                                                                          \
    FAST_3(name, in_double, in_long)
/* An exact zero is for the other. */
#define NOT_0(real, sum) ((sum) == 0 ? (real)NAN : (sum))
SUM(add, mpfr_add(r, n->x, n->y, rnd), NOT_0(double, x + y),
    NOT_0(long double, x + y))
SUM(sub, mpfr_sub(r, n->x, n->y, rnd), NOT_0(double, x - y),
    NOT_0(long double, x - y))
SUM(fma, mpfr_fma(r, n->x, n->y, n->z, rnd), NOT_0(double, fma(x, y, z)),
    NOT_0(long double, fmal(x, y, z)))
EXACT_2(mul, mpfr_mul)
FAST_2(mul, x *y, x *y)
EXACT_2(div, mpfr_div)
FAST_2(div, x / y, x / y)
EXACT(rcp)
{
    (void)mode;
    return mpfr_ui_div(r, 1, numbers_of(a)->x, MPFR_RNDZ) != 0;
}
FAST_1(rcp, 1 / x, 1 / x)

/* The programming guide: "for 2^126 < |y| < 2^128 it delivers 0", and NaN
 * where x is infinite. */
static bool
divides_to_0(double y)
{
    return fabs(y) > 0x1p126 && fabs(y) < 0x1p128;
}
EXACT(fdividef)
{
    double x = a->v[0], y = a->v[1];
    if (!divides_to_0(y))
        return exact_div(r, a, mode);
    mpfr_set_d(r, x * copysign(0, y), MPFR_RNDZ);
    return false;
}
FAST_2(fdividef, divides_to_0(y) ? x *copysign(0, y) : x / y, x / y)
