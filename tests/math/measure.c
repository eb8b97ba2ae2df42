/* SPDX-License-Identifier: Apache-2.0 */
/* measure.c - the distance between a result and the true value. */
#include "accuracy.h"

#include <limits.h>
#include <math.h>
#include <string.h>

enum { PRECISION = 128 };

double
math_value(math_type type, uint64_t bits)
{
    if (type == i64)
        return (double)(int64_t)bits;
    if (type == f64) {
        double d;
        memcpy(&d, &bits, sizeof d);
        return d;
    }
    uint32_t low = (uint32_t)bits;
    float f;
    memcpy(&f, &low, sizeof f);
    return f;
}

/* How many numbers of the format lie between 0 and x; ends in infinity. */
static int64_t
ordinal(math_type type, double x)
{
    int64_t n;
    if (type == f32) { /* infinity among them */
        float f = (float)fabs(x);
        int32_t bits;
        memcpy(&bits, &f, sizeof bits);
        n = bits;
    } else {
        double a = fabs(x);
        memcpy(&n, &a, sizeof n);
    }
    return signbit(x) ? -n : n;
}

/* The exponent of the last digit of numbers below 2**exponent. */
static int
ulp_exponent(math_type type, long exponent)
{
    int least = type == f32 ? -149 : -1074;
    int digits = type == f32 ? 24 : 53;
    return exponent < least + digits ? least : (int)exponent - digits;
}

/* What stands for infinity, and for all beyond, when distances are told. */
static int
infinite_exponent(math_type type)
{
    return type == f32 ? 128 : 1024;
}
static long double
as_finite(math_type type, long double x)
{
    long double most = ldexpl(1, infinite_exponent(type));
    return fabsl(x) > most ? copysignl(most, x) : x;
}

static const mpfr_rnd_t roundings[] = {[NEAREST] = MPFR_RNDN,
                                       [TO_ZERO] = MPFR_RNDZ,
                                       [UP] = MPFR_RNDU,
                                       [DOWN] = MPFR_RNDD};

/* The true value, of which a digit too many says that it goes on, so that it
 * can still be rounded any way. */
static void
true_value(mpfr_ptr r, const math_function *f, const math_args *a)
{
    bool inexact = f->exact(r, a, f->mode);
    if (!inexact || !mpfr_regular_p(r) || mpfr_min_prec(r) == PRECISION)
        return;
    if (mpfr_sgn(r) > 0)
        mpfr_nextabove(r);
    else
        mpfr_nextbelow(r);
}

typedef struct {
    double error, ulps;
    bool wrong;
} distance;

static distance
distance_exact(const math_function *f, const math_zone *zone,
               const math_args *a, uint64_t bits)
{
    static _Thread_local mpfr_t r, t;
    static _Thread_local bool ready;
    if (!ready) {
        mpfr_init2(r, PRECISION);
        mpfr_init2(t, PRECISION + 64);
        ready = true;
    }
    distance d = {0};
    true_value(r, f, a);
    if (f->result == i64) {
        if (!mpfr_number_p(r))
            return d; /* nothing is said of these */
        mpfr_set_si(t, (long)bits, MPFR_RNDN);
        mpfr_sub(t, t, r, MPFR_RNDN);
        d.error = d.ulps = fabs(mpfr_get_d(t, MPFR_RNDN));
        return d;
    }
    double got = math_value(f->result, bits);
    if (mpfr_nan_p(r) || isnan(got)) {
        d.wrong = !(mpfr_nan_p(r) && isnan(got));
        return d;
    }
    double want = f->result == f32 ? mpfr_get_flt(r, roundings[f->mode])
                                   : mpfr_get_d(r, roundings[f->mode]);
    /* a zero has its sign from the limit; an error has none */
    d.wrong = got == 0 && want == 0 && signbit(got) != signbit(want);
    if (mpfr_inf_p(r)) {
        d.error = d.ulps =
            fabs((double)(ordinal(f->result, got) - ordinal(f->result, want)));
        d.wrong = d.error != 0;
        return d;
    }
    int most = infinite_exponent(f->result);
    if (mpfr_regular_p(r) && mpfr_get_exp(r) > most)
        mpfr_set_si_2exp(r, mpfr_sgn(r), most, MPFR_RNDN);
    mpfr_set_ld(t, as_finite(f->result, got), MPFR_RNDN);
    mpfr_sub(t, t, r, MPFR_RNDN);
    mpfr_abs(t, t, MPFR_RNDN);
    if (zone->unit == ULP) {
        d.error =
            fabs((double)(ordinal(f->result, got) - ordinal(f->result, want)));
        if (zone->allowance)
            d.error = fmax(d.error - zone->allowance(a), 0);
    } else if (zone->unit == ABSOLUTE) {
        d.error = got == want ? 0 : fabs(got - want);
    } else {
        mpfr_t q;
        mpfr_init2(q, 64);
        mpfr_div(q, t, r, MPFR_RNDN);
        d.error = mpfr_zero_p(t) ? 0 : fabs(mpfr_get_d(q, MPFR_RNDN));
        mpfr_clear(q);
    }
    long exponent = mpfr_regular_p(r) ? mpfr_get_exp(r) : LONG_MIN;
    exponent = exponent > most ? most : exponent;
    mpfr_mul_2si(t, t, -ulp_exponent(f->result, exponent), MPFR_RNDN);
    d.ulps = mpfr_get_d(t, MPFR_RNDN);
    return d;
}

/* 2**n of a normal number. */
static double
power_of_2(int n)
{
    return math_value(f64, (uint64_t)(n + 1023) << 52);
}
/* n with 2**(n - 1) <= |x| < 2**n, x normal; less than any for others. */
static int
exponent_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 2047) - 1022;
}

/* The fast value, and how far off a result is from it, times 2**scale: the
 * differences of small doubles are no doubles. */
typedef struct {
    double value, off;
    int scale;
    bool above; /* the result, above the fast value */
} estimate;

static estimate
estimate_of(const math_function *f, const math_args *a, double got)
{
    estimate e = {0};
    if (f->type == f32) {
        e.value = f->fast_f32(a, got);
        double most = f->result == f32 ? 0x1p128 : INFINITY;
        double near = fabs(e.value) > most ? copysign(most, e.value) : e.value;
        double from = fabs(got) > most ? copysign(most, got) : got;
        e.off = fabs(from - near);
        e.above = from > near;
        return e;
    }
    long double r = f->fast_f64(a, got);
    e.value = (double)r;
    e.scale = fabs(e.value) < 0x1p-700 ? 200 : 0;
    e.above = got > r;
    r = fabsl(got - r);
    e.off = (double)(e.scale ? r * 0x1p200L : r);
    return e;
}

/* NaN: nothing is said of these. */
static bool
is_same_integer(const estimate *e, uint64_t bits)
{
    return isnan(e->value) || (int64_t)e->value == (int64_t)bits;
}
/* Whether that shows that this is no worse than `worst`. */
static bool
is_no_worse(const math_function *f, const math_zone *zone, const math_args *a,
            const estimate *e, double got, const math_worst *worst)
{
    double r = e->value;
    if (isnan(r) || isnan(got))
        return isnan(r) && isnan(got);
    bool same_sign = !signbit(got) == !signbit(r);
    if (r == 0 || isinf(r))
        return got == r && same_sign;
    int exponent = exponent_of(r);
    if (exponent > infinite_exponent(f->result))
        exponent = infinite_exponent(f->result);
    int last = ulp_exponent(f->result, exponent);
    double ulps = e->off * power_of_2(-last - e->scale);
    double margin = f->type == f32 ? 0x1p-16 : 0x1p-6;
    if (f->mode != NEAREST) { /* right if it lies on the right side */
        bool up = f->mode == UP;
        if (f->mode == TO_ZERO)
            up = r < 0;
        return ulps > margin && ulps < 1 - margin && e->above == up;
    }
    if (zone->unit == ABSOLUTE)
        return ulps < 0.5 - margin ||
               (ulps + 0.5) * power_of_2(last) <= worst->error;
    if (zone->unit == RELATIVE)
        return e->off <= worst->error * fabs(r);
    if (got == 0 && !same_sign)
        return false;
    if (zone->allowance)
        return ulps - zone->allowance(a) + margin < worst->error + 0.5;
    return ulps <= worst->ulps && ulps + margin < worst->error + 0.5;
}

static unsigned
zone_of(const math_function *f, const math_args *a)
{
    unsigned z = 0;
    while (f->zones[z].has && !f->zones[z].has(a))
        z++;
    return z;
}

void
math_merge(math_worst *into, const math_worst *more)
{
    into->count += more->count;
    into->exact += more->exact;
    bool first_wrong = more->wrong > 0 && into->wrong == 0;
    into->wrong += more->wrong;
    bool worse = more->error > into->error ||
                 (more->error == into->error && more->ulps > into->ulps);
    if (worse) {
        into->error = more->error;
        into->ulps = more->ulps;
    }
    if (first_wrong || (worse && into->wrong == 0))
        into->at = more->at;
}

void
math_measure(const math_function *f, const math_args *a, const uint64_t *got,
             unsigned devices, bool force, math_worst (*worst)[MATH_ZONES])
{
    unsigned z = zone_of(f, a);
    const math_zone *zone = &f->zones[z];
    if (!zone->where)
        return;
    estimate e = estimate_of(f, a, math_value(f->result, got[0]));
    for (unsigned k = 0; k < devices; k++) {
        math_worst *w = &worst[k][z];
        w->count++;
        double value = math_value(f->result, got[k]);
        if (!force && w->error >= 0) {
            if (got[k] != got[0])
                e = estimate_of(f, a, value);
            if (f->result == i64 ? is_same_integer(&e, got[k])
                                 : is_no_worse(f, zone, a, &e, value, w))
                continue;
        }
        distance d = distance_exact(f, zone, a, got[k]);
        math_worst here = {.exact = 1,
                           .wrong = d.wrong,
                           .error = d.error,
                           .ulps = d.ulps,
                           .at = *a};
        math_merge(w, &here);
    }
}
