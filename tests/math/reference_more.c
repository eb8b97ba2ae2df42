/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_more.c - true values of what the C library or MPFR lacks, put
 * together from what they have. The intermediate steps have 320 bits.
 */
#include <math.h>

#include "numbers.h"

enum { WIDE = 320 };
static const long double PI = 3.14159265358979323846264338327950288L;
static const long double ROOT_2 = 1.41421356237309504880168872420969808L;
static const long double ROOT_PI = 1.77245385090551602729816748334114518L;

numbers *
numbers_of(const math_args *a)
{
    static _Thread_local numbers n;
    static _Thread_local bool ready;
    if (!ready) {
        mpfr_inits2(64, n.x, n.y, n.z, n.w, (mpfr_ptr)0);
        for (int i = 0; i < 5; i++)
            mpfr_init2(n.t[i], WIDE);
        ready = true;
    }
    mpfr_set_d(n.x, a->v[0], MPFR_RNDN);
    mpfr_set_d(n.y, a->v[1], MPFR_RNDN);
    mpfr_set_d(n.z, a->v[2], MPFR_RNDN);
    mpfr_set_d(n.w, a->v[3], MPFR_RNDN);
    return &n;
}

/* ---- roots and lengths ---- */

/* 1 / 0 keeps the sign of the zero. */
EXACT(rsqrt)
{
    (void)mode;
    mpfr_ptr x = numbers_of(a)->x;
    if (!mpfr_zero_p(x))
        return mpfr_rec_sqrt(r, x, MPFR_RNDZ) != 0;
    mpfr_set_inf(r, mpfr_signbit(x) ? -1 : 1);
    return false;
}
FAST_1(rsqrt, 1 / sqrt(x), 1 / sqrtl(x))
EXACT(rcbrt)
{
    (void)mode;
    numbers *n = numbers_of(a);
    bool inexact = mpfr_cbrt(n->t[0], n->x, MPFR_RNDZ) != 0;
    return (mpfr_ui_div(r, 1, n->t[0], MPFR_RNDZ) != 0) | inexact;
}
FAST_1(rcbrt, 1 / cbrt(x), 1 / cbrtl(x))

/* Whether a length is infinite, or the sum of `count` squares. */
static bool
squares(mpfr_ptr sum, const math_args *a, int count, bool *inexact)
{
    numbers *n = numbers_of(a);
    mpfr_ptr v[] = {n->x, n->y, n->z, n->w};
    bool infinite = false;
    *inexact = false;
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < count; i++) {
        infinite |= mpfr_inf_p(v[i]) != 0;
        *inexact |= mpfr_fma(sum, v[i], v[i], sum, MPFR_RNDZ) != 0;
    }
    return infinite;
}
static bool
length(mpfr_ptr r, const math_args *a, int count)
{
    mpfr_ptr sum = numbers_of(a)->t[0];
    bool inexact;
    if (!squares(sum, a, count, &inexact))
        return (mpfr_sqrt(r, sum, MPFR_RNDZ) != 0) | inexact;
    mpfr_set_inf(r, 1);
    return false;
}
static bool
inverse_length(mpfr_ptr r, const math_args *a, int count)
{
    mpfr_ptr sum = numbers_of(a)->t[0];
    bool inexact;
    if (!squares(sum, a, count, &inexact))
        return (mpfr_rec_sqrt(r, sum, MPFR_RNDZ) != 0) | inexact;
    mpfr_set_zero(r, 1);
    return false;
}
static double
sum_of(const math_args *a, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) {
        if (isinf(a->v[i]))
            return INFINITY;
        sum += a->v[i] * a->v[i];
    }
    return sum;
}
static long double
sum_ofl(const math_args *a, int count)
{
    long double sum = 0;
    for (int i = 0; i < count; i++) {
        if (isinf(a->v[i]))
            return INFINITY;
        sum += (long double)a->v[i] * a->v[i];
    }
    return sum;
}
#define LENGTH(name, count)                                                    \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        return length(r, a, count);                                            \
    }                                                                          \
    FAST_1(name, sqrt(sum_of(a, count)), sqrtl(sum_ofl(a, count)))
#define INVERSE_LENGTH(name, count)                                            \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        return inverse_length(r, a, count);                                    \
    }                                                                          \
    FAST_1(name, 1 / sqrt(sum_of(a, count)), 1 / sqrtl(sum_ofl(a, count)))
LENGTH(norm3d, 3)
LENGTH(norm4d, 4)
INVERSE_LENGTH(rhypot, 2)
INVERSE_LENGTH(rnorm3d, 3)
INVERSE_LENGTH(rnorm4d, 4)

/* ---- sine and cosine of x pi ---- */
EXACT_1(sinpi, mpfr_sinpi)
EXACT_1(cospi, mpfr_cospi)
/* x to the nearest multiple of 1/2 is exact, and its sign that of x. */
static long double
sinpi_of(long double x)
{
    long double k = rintl(2 * x), r = x - k / 2;
    int quadrant = (int)fmodl(k, 4);
    if (r == 0 && quadrant % 2 == 0)
        return copysignl(0, x);
    long double y = quadrant % 2 ? cosl(r * PI) : sinl(r * PI);
    return (quadrant & 3) >= 2 ? -y : y;
}
static long double
cospi_of(long double x)
{
    long double k = rintl(2 * x), r = x - k / 2;
    int quadrant = (int)fmodl(k, 4) + 1;
    if (r == 0 && quadrant % 2 == 0)
        return 0;
    long double y = quadrant % 2 ? cosl(r * PI) : sinl(r * PI);
    return (quadrant & 3) >= 2 ? -y : y;
}
FAST_1(sinpi, (double)sinpi_of(x), sinpi_of(x))
FAST_1(cospi, (double)cospi_of(x), cospi_of(x))

/* ---- error functions ---- */

/* exp(x * x) * erfc(x), from 10 on, by its asymptotic series. */
static long double
erfcx_far(long double x)
{
    long double s = 1 / (2 * x * x), term = 1, sum = 1;
    for (int k = 1; k < 60 && fabsl(term) > 0x1p-70L; k++) {
        term *= -(2 * k - 1) * s;
        sum += term;
    }
    return sum / (x * ROOT_PI);
}
EXACT(erfcx)
{
    (void)mode;
    numbers *n = numbers_of(a);
    mpfr_ptr s = n->t[0], term = n->t[1], sum = n->t[2];
    if (mpfr_inf_p(n->x)) {
        if (mpfr_signbit(n->x))
            mpfr_set_inf(r, 1);
        else
            mpfr_set_zero(r, 1);
        return false;
    }
    mpfr_sqr(s, n->x, MPFR_RNDN);
    if (mpfr_cmp_ui(n->x, 40) <= 0) {
        mpfr_exp(s, s, MPFR_RNDN);
        mpfr_erfc(sum, n->x, MPFR_RNDN);
        return mpfr_mul(r, s, sum, MPFR_RNDZ), true;
    }
    mpfr_mul_2ui(s, s, 1, MPFR_RNDN);
    mpfr_ui_div(s, 1, s, MPFR_RNDN);
    mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set_ui(sum, 1, MPFR_RNDN);
    for (long k = 1; mpfr_get_exp(term) > -200; k++) {
        mpfr_mul(term, term, s, MPFR_RNDN);
        mpfr_mul_si(term, term, -(2 * k - 1), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_const_pi(s, MPFR_RNDN);
    mpfr_sqrt(s, s, MPFR_RNDN);
    mpfr_mul(s, s, n->x, MPFR_RNDN);
    return mpfr_div(r, sum, s, MPFR_RNDZ), true;
}
FAST_F32(erfcx)
{
    (void)got;
    double x = a->v[0];
    return x < 10 ? exp(x * x) * erfc(x) : (double)erfcx_far(x);
}
__extension__ typedef __float128 quad;
FAST_F64(erfcx)
{
    (void)got;
    double x = a->v[0];
    if (!(x < 10))
        return erfcx_far(x);
    if (isinf(x))
        return INFINITY;
    quad s = (quad)x * x;
    long double h = (long double)s, l = (long double)(s - h);
    return expl(h) * (1 + l) * erfcl(x);
}

EXACT(normcdf)
{
    (void)mode;
    numbers *n = numbers_of(a);
    mpfr_ptr t = n->t[0];
    mpfr_set_ui(t, 2, MPFR_RNDN);
    mpfr_sqrt(t, t, MPFR_RNDN);
    mpfr_div(t, n->x, t, MPFR_RNDN);
    mpfr_neg(t, t, MPFR_RNDN);
    bool inexact = mpfr_erfc(r, t, MPFR_RNDZ) != 0;
    mpfr_div_2ui(r, r, 1, MPFR_RNDZ);
    return inexact;
}
FAST_F32(normcdf)
{
    (void)got;
    return erfc(a->v[0] * (double)(-1 / ROOT_2)) / 2;
}
FAST_F64(normcdf)
{
    (void)got;
    double x = a->v[0];
    if (!isfinite(x))
        return erfc(-x) / 2;
    /* 1 / sqrt(2) in two parts */
    quad t = x * (quad)(-0xb.504f333f9de6484p-4L) +
             x * (quad)(-0x5.97d89b3754abe9f1p-68L);
    long double h = (long double)t, l = (long double)(t - h);
    return (erfcl(h) - l * 2 / ROOT_PI * expl(-h * h)) / 2;
}

/* y >= 0 with erf(y) = p and erfc(y) = q, p + q = 1, both exact. */
static void
solve(mpfr_ptr y, mpfr_ptr p, mpfr_ptr q, numbers *n)
{
    mpfr_ptr f = n->t[3], u = n->t[4];
    long double want = mpfr_get_ld(q, MPFR_RNDN);
    bool near = mpfr_cmp_d(p, 0.5) <= 0;
    if (mpfr_cmp_d(p, 0x1p-20) < 0) {
        mpfr_set_ld(f, ROOT_PI / 2, MPFR_RNDN);
        mpfr_mul(y, p, f, MPFR_RNDN);
    } else {
        long double low = 0, high = 110;
        for (int i = 0; i < 80; i++) {
            long double middle = (low + high) / 2;
            if (erfcl(middle) > want)
                low = middle;
            else
                high = middle;
        }
        mpfr_set_ld(y, high, MPFR_RNDN);
    }
    for (int i = 0; i < 3; i++) { /* Halley: three times the digits */
        mpfr_sqr(u, y, MPFR_RNDN);
        mpfr_exp(u, u, MPFR_RNDN);
        if (near) {
            mpfr_erf(f, y, MPFR_RNDN);
            mpfr_sub(f, f, p, MPFR_RNDN);
        } else {
            mpfr_erfc(f, y, MPFR_RNDN);
            mpfr_sub(f, q, f, MPFR_RNDN);
        }
        mpfr_mul(u, u, f, MPFR_RNDN);
        mpfr_const_pi(f, MPFR_RNDN);
        mpfr_sqrt(f, f, MPFR_RNDN);
        mpfr_mul(u, u, f, MPFR_RNDN);
        mpfr_div_2ui(u, u, 1, MPFR_RNDN);
        mpfr_mul(f, u, y, MPFR_RNDN);
        mpfr_add_ui(f, f, 1, MPFR_RNDN);
        mpfr_div(u, u, f, MPFR_RNDN);
        mpfr_sub(y, y, u, MPFR_RNDN);
    }
}
/* The inverse of erfc at x, into t[0]. */
static void
erfc_inverse(mpfr_ptr x, numbers *n)
{
    mpfr_ptr y = n->t[0], p = n->t[1], q = n->t[2];
    if (mpfr_nan_p(x) || mpfr_cmp_ui(x, 0) < 0 || mpfr_cmp_ui(x, 2) > 0) {
        mpfr_set_nan(y);
    } else if (mpfr_zero_p(x) || mpfr_cmp_ui(x, 2) == 0) {
        mpfr_set_inf(y, mpfr_zero_p(x) ? 1 : -1);
    } else if (mpfr_cmp_ui(x, 1) == 0) {
        mpfr_set_zero(y, 1);
    } else {
        bool left = mpfr_cmp_ui(x, 1) > 0;
        if (left)
            mpfr_ui_sub(q, 2, x, MPFR_RNDN);
        else
            mpfr_set(q, x, MPFR_RNDN);
        mpfr_ui_sub(p, 1, q, MPFR_RNDN);
        solve(y, p, q, n);
        if (left)
            mpfr_neg(y, y, MPFR_RNDN);
    }
}
EXACT(erfcinv)
{
    (void)mode;
    numbers *n = numbers_of(a);
    erfc_inverse(n->x, n);
    return mpfr_set(r, n->t[0], MPFR_RNDZ) != 0;
}
EXACT(normcdfinv)
{
    (void)mode;
    numbers *n = numbers_of(a);
    mpfr_mul_2ui(n->x, n->x, 1, MPFR_RNDN);
    erfc_inverse(n->x, n);
    mpfr_set_ui(n->t[1], 2, MPFR_RNDN);
    mpfr_sqrt(n->t[1], n->t[1], MPFR_RNDN);
    if (!mpfr_zero_p(n->t[0]))
        mpfr_neg(n->t[0], n->t[0], MPFR_RNDN);
    return mpfr_mul(r, n->t[0], n->t[1], MPFR_RNDZ) != 0;
}
EXACT(erfinv)
{
    (void)mode;
    numbers *n = numbers_of(a);
    mpfr_ptr y = n->t[0], p = n->t[1], q = n->t[2];
    mpfr_abs(p, n->x, MPFR_RNDN);
    if (mpfr_nan_p(p) || mpfr_cmp_ui(p, 1) > 0) {
        mpfr_set_nan(r);
        return false;
    }
    if (mpfr_zero_p(p) || mpfr_cmp_ui(p, 1) == 0) {
        mpfr_set(r, n->x, MPFR_RNDN);
        if (!mpfr_zero_p(p))
            mpfr_set_inf(r, mpfr_signbit(n->x) ? -1 : 1);
        return false;
    }
    mpfr_ui_sub(q, 1, p, MPFR_RNDN);
    solve(y, p, q, n);
    mpfr_setsign(r, y, mpfr_signbit(n->x), MPFR_RNDZ);
    return true;
}
/* One step of Halley's from y, NaN if that is not near. */
static double
step(double y, double p, double q)
{
    double f = p <= 0.5 ? erf(y) - p : q - erfc(y);
    double u = f * exp(y * y) * (double)(ROOT_PI / 2);
    return fabs(u) <= 0.01 * y && fabs(u * y) < 0.01 ? y - u / (1 + u * y)
                                                     : NAN;
}
static long double
stepl(long double y, long double p, long double q)
{
    long double f = p <= 0.5 ? erfl(y) - p : q - erfcl(y);
    long double u = f * expl(y * y) * (ROOT_PI / 2);
    return fabsl(u) <= 0.001L * y && fabsl(u * y) < 0.001L ? y - u / (1 + u * y)
                                                           : NAN;
}
#define INVERSES(type, real, step, copysign, fabs)                             \
    static real type##_erfinv(real x, real got)                                \
    {                                                                          \
        real p = fabs(x);                                                      \
        if (x == 0 || !(p <= 1))                                               \
            return x == 0 ? x : (real)(x == x ? NAN : x);                      \
        if (p == 1)                                                            \
            return x * (real)INFINITY;                                         \
        return copysign(step(fabs(got), p, 1 - p), x);                         \
    }                                                                          \
    static real type##_erfcinv(real x, real got)                               \
    {                                                                          \
        if (!(x > 0 && x < 2) || x == 1)                                       \
            return x == 0   ? (real)INFINITY                                   \
                   : x == 1 ? 0                                                \
                   : x == 2 ? (real)-INFINITY                                  \
                            : (real)NAN;                                       \
        real q = x > 1 ? 2 - x : x;                                            \
        return copysign(step(fabs(got), 1 - q, q), 1 - x);                     \
    }
INVERSES(f32, double, step, copysign, fabs)
INVERSES(f64, long double, stepl, copysignl, fabsl)
FAST_F32(erfinv)
{
    return f32_erfinv(a->v[0], got);
}
FAST_F64(erfinv)
{
    return f64_erfinv(a->v[0], got);
}
FAST_F32(erfcinv)
{
    return f32_erfcinv(a->v[0], got);
}
FAST_F64(erfcinv)
{
    return f64_erfcinv(a->v[0], got);
}
FAST_F32(normcdfinv)
{
    double t = f32_erfcinv(2 * a->v[0], got / (double)ROOT_2);
    return t == 0 ? 0 : -t * (double)ROOT_2;
}
FAST_F64(normcdfinv)
{
    long double t = f64_erfcinv(2 * (long double)a->v[0], got / ROOT_2);
    return t == 0 ? 0 : -t * ROOT_2;
}

/* ---- modified Bessel functions of order 0 and 1 ---- */

/* Sum of (x/2)**(2k + order) / (k! (k + order)!): all terms positive. */
static bool
bessel_i(mpfr_ptr r, const math_args *a, unsigned long order)
{
    numbers *n = numbers_of(a);
    mpfr_ptr s = n->t[0], term = n->t[1], sum = n->t[2];
    int sign = order && mpfr_signbit(n->x) ? 1 : 0;
    if (!mpfr_regular_p(n->x)) {
        if (mpfr_zero_p(n->x) && !order)
            mpfr_set_ui(r, 1, MPFR_RNDZ);
        else
            mpfr_setsign(r, n->x, sign, MPFR_RNDZ);
        return false;
    }
    mpfr_abs(term, n->x, MPFR_RNDN);
    if (mpfr_cmp_ui(term, 800) > 0) { /* beyond any number; less than exp(x) */
        mpfr_set_inf(r, sign ? -1 : 1);
        return false;
    }
    mpfr_div_2ui(term, term, 1, MPFR_RNDN);
    mpfr_sqr(s, term, MPFR_RNDN);
    if (!order)
        mpfr_set_ui(term, 1, MPFR_RNDN);
    mpfr_set(sum, term, MPFR_RNDN);
    for (unsigned long k = 1; mpfr_get_exp(term) > mpfr_get_exp(sum) - WIDE;
         k++) {
        mpfr_mul(term, term, s, MPFR_RNDN);
        mpfr_div_ui(term, term, k * (k + order), MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
    }
    mpfr_setsign(r, sum, sign, MPFR_RNDZ);
    return true;
}
EXACT(cyl_bessel_i0)
{
    (void)mode;
    return bessel_i(r, a, 0);
}
EXACT(cyl_bessel_i1)
{
    (void)mode;
    return bessel_i(r, a, 1);
}
#define BESSEL_I(type, real, fabs, exp, sqrt, far)                             \
    static real type##_bessel_i(real x, int order)                             \
    {                                                                          \
        real ax = fabs(x), term = 1, sum = 1;                                  \
        if (!(ax < 1000))                                                      \
            return order ? x * (real)INFINITY : ax * (real)INFINITY;           \
        if (ax < far) {                                                        \
            real s = x * x / 4;                                                \
            for (int k = 1; k < 200 && term > 0x1p-70 * sum; k++) {            \
                term *= s / (real)(k * (k + order));                           \
                sum += term;                                                   \
            }                                                                  \
            return order ? sum * x / 2 : sum;                                  \
        }                                                                      \
        for (int k = 1; k < 200 && fabs(term) > 0x1p-70; k++) {                \
            term *= -(real)(4 * order - (2 * k - 1) * (2 * k - 1)) /           \
                    ((real)(8 * k) * ax);                                      \
            sum += term;                                                       \
        }                                                                      \
        sum *= exp(ax) / sqrt(2 * (real)PI * ax);                              \
        return order && x < 0 ? -sum : sum;                                    \
    }
BESSEL_I(f32, double, fabs, exp, sqrt, 22)
BESSEL_I(f64, long double, fabsl, expl, sqrtl, 26)
FAST_1(cyl_bessel_i0, f32_bessel_i(x, 0), f64_bessel_i(x, 0))
FAST_1(cyl_bessel_i1, f32_bessel_i(x, 1), f64_bessel_i(x, 1))
