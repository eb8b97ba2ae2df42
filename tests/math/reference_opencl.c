/* SPDX-License-Identifier: Apache-2.0 */
/* reference_opencl.c - true values of what only OpenCL C has. */
#include <math.h>
#include <stdlib.h>

#include "numbers.h"

static const long double PI = 3.14159265358979323846264338327950288L;

EXACT_1(acospi, mpfr_acospi)
EXACT_1(asinpi, mpfr_asinpi)
EXACT_1(atanpi, mpfr_atanpi)
EXACT_1(tanpi, mpfr_tanpi)
EXACT_2(atan2pi, mpfr_atan2pi)
FAST_1(acospi, acos(x) / (double)PI, acosl(x) / PI)
FAST_1(asinpi, asin(x) / (double)PI, asinl(x) / PI)
FAST_1(atanpi, atan(x) / (double)PI, atanl(x) / PI)
FAST_2(atan2pi, atan2(x, y) / (double)PI, atan2l(x, y) / PI)

/* Of what x leaves by 1, and far from where it is 0 or infinite. */
static long double
tanpi_of(long double x)
{
    long double rest = x - rintl(x), most = 0.5L - fabsl(rest);
    if (!(fabsl(rest) > 0 && most > 0))
        return (long double)NAN;
    return fabsl(rest) < 0.25L ? tanl(PI * rest)
                               : copysignl(1 / tanl(PI * most), rest);
}
FAST_1(tanpi, (double)tanpi_of((long double)x), tanpi_of(x))

/* The power whose limits are none (OpenCL C 3.0, 6.15.2). */
static bool
is_no_power(double x, double y)
{
    return x < 0 || isnan(x) || isnan(y) || (y == 0 && (x == 0 || isinf(x))) ||
           (x == 1 && isinf(y));
}
EXACT(powr)
{
    (void)mode;
    numbers *n = numbers_of(a);
    if (is_no_power(a->v[0], a->v[1])) {
        mpfr_set_nan(r);
        return false;
    }
    mpfr_abs(n->x, n->x, MPFR_RNDN);
    return mpfr_pow(r, n->x, n->y, MPFR_RNDZ) != 0;
}
FAST_2(powr, is_no_power(x, y) ? (double)NAN : pow(fabs(x), y),
       is_no_power((double)x, (double)y) ? (long double)NAN : powl(fabsl(x), y))

/* As the kernels convert their second number. */
static int
integer_of(double y)
{
    return (int)fmax(fmin(y, 0x1p31 - 1), -0x1p31);
}
EXACT(pown)
{
    (void)mode;
    return mpfr_pow_si(r, numbers_of(a)->x, integer_of(a->v[1]), MPFR_RNDZ) !=
           0;
}
FAST_2(pown, pow(x, integer_of(y)), powl(x, integer_of((double)y)))

EXACT(rootn)
{
    (void)mode;
    int n = integer_of(a->v[1]);
    if (n)
        return mpfr_rootn_si(r, numbers_of(a)->x, n, MPFR_RNDZ) != 0;
    mpfr_set_nan(r);
    return false;
}
/* 1 / n is rounded; by how much the rest changes the power. */
static long double
root_of(long double x, int n)
{
    long double by = (long double)n, y = 1 / by, a = fabsl(x);
    if (n == 0 || !(a > 0) || isinf(a) || (x < 0 && n % 2 == 0))
        return (long double)NAN; /* for MPFR */
    long double r = powl(a, y) * (1 + fmal(-y, by, 1) / by * logl(a));
    return copysignl(r, x);
}
FAST_2(rootn, (double)root_of((long double)x, integer_of(y)),
       root_of(x, integer_of((double)y)))

/* Seven bits of the quotient, and its sign. */
EXACT(quotient_7)
{
    (void)mode;
    numbers *n = numbers_of(a);
    long q = 0;
    mpfr_remquo(r, &q, n->x, n->y, MPFR_RNDZ);
    bool negative = mpfr_signbit(n->x) != mpfr_signbit(n->y);
    if (!mpfr_nan_p(r))
        mpfr_set_si(r, negative ? -(labs(q) & 127) : labs(q) & 127, MPFR_RNDZ);
    return false;
}
/* Of what x leaves by 128 y: that is a small multiple of y and a remainder. */
static double
quotient_7_of(double x, double y)
{
    double unit = fabs(y) * 128, rest = isinf(unit) ? x : fmod(x, unit);
    double r = remainder(rest, y);
    if (isnan(r))
        return r;
    long q = labs(lrint((rest - r) / y)) & 127;
    return signbit(x) != signbit(y) ? -(double)q : (double)q;
}
FAST_2(quotient_7, quotient_7_of(x, y), quotient_7_of((double)x, (double)y))

/* Nothing is said of NaN. */
EXACT(ilogb_number)
{
    if (!isnan(a->v[0]))
        return exact_ilogb(r, a, mode);
    mpfr_set_nan(r);
    return false;
}
FAST_1(ilogb_number, isnan(x) ? (double)NAN : fast_f32_ilogb(a, got),
       isnan(x) ? (long double)NAN : fast_f64_ilogb(a, got))
