/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.c - which arguments are measured: combinations of special values,
 * then random ones, many of them where functions are hard: at the ends of
 * their ranges, close to multiples of 1/2 and of pi/2, at every magnitude.
 */
#include "accuracy.h"

#include <math.h>
#include <string.h>

/* Random numbers of an argument: a sequence that its number begins. */
typedef struct {
    uint64_t state;
} source;

static uint64_t
next(source *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
static unsigned
below(source *s, unsigned n)
{
    return (unsigned)(next(s) % n);
}
static double
fraction(source *s) /* in [0, 1) */
{
    return (double)(next(s) >> 11) * 0x1p-53;
}
static double
sign(source *s)
{
    return next(s) >> 63 ? -1 : 1;
}

/* Of a type's limits: least, least normal, largest. */
static double
limit(math_type type, int which)
{
    static const double of[][3] = {
        [f32] = {0x1p-149, 0x1p-126, 0x1.fffffep127},
        [f64] = {0x1p-1074, 0x1p-1022, 0x1.fffffffffffffp1023}};
    return of[type][which];
}
static double
from_bits(math_type type, uint64_t bits)
{
    return math_value(type, type == f32 ? bits >> 32 : bits);
}

enum { SPECIALS = 48 };
static double
special(math_type type, unsigned i)
{
    static const double of[] = {0.0,
                                0.25,
                                0.5,
                                0.75,
                                1,
                                1.5,
                                2,
                                2.5,
                                3,
                                4,
                                5,
                                7,
                                8,
                                10,
                                23,
                                64,
                                128,
                                1024,
                                0x1p31,
                                0x1.000002p0,
                                0x1.fffffep-1,
                                0x1.921fb6p1};
    double x;
    unsigned k = i / 2;
    if (k == SPECIALS / 2 - 1)
        return i % 2 ? -INFINITY : (double)NAN;
    if (k == SPECIALS / 2 - 2)
        return i % 2 ? INFINITY : -limit(type, 2);
    if (k < sizeof of / sizeof *of)
        x = of[k];
    else
        x = limit(type, (int)(k % 3));
    return i % 2 ? -x : x;
}

static double
any(const math_function *f, source *s)
{
    double low = f->low, high = f->high, x;
    double most = fmax(fabs(low), fabs(high));
    switch (below(s, 8)) {
    case 0:
        return from_bits(f->type, next(s));
    case 1:
    case 2:
        return low + (high - low) * fraction(s);
    case 3: /* at every magnitude down from the largest */
        x = most * exp2(-50 * fraction(s));
        return low < 0 ? sign(s) * x : x;
    case 4: { /* close to multiples of pi/2 */
        double k = floor(exp2(25 * fraction(s)));
        x = k * 0x1.921fb54442d18p0;
        return sign(s) * x * (1 + ((double)below(s, 9) - 4) * 0x1p-53);
    }
    case 5: /* close to multiples of 1/2 */
        x = floor(low + (high - low) * fraction(s)) + below(s, 2) * 0.5;
        return x + sign(s) * exp2(-52 * fraction(s)) * below(s, 2);
    case 6: /* close to 1, and to the ends */
        x = below(s, 2) ? sign(s) : below(s, 2) ? low : high;
        return x + sign(s) * fraction(s) * exp2(-52 * fraction(s));
    default: /* of either sign and any size */
        x = exp2(120 * fraction(s) - 60) * (1 + fraction(s));
        return sign(s) * x;
    }
}

/* The second of two: of its own, near the first, or of about its size. */
static double
related(const math_function *f, source *s, double x)
{
    switch (below(s, 4)) {
    case 0:
        return any(f, s);
    case 1:
        return sign(s) * x * (1 + (double)below(s, 9) * 0x1p-24);
    case 2:
        return sign(s) * x * (1 + (double)below(s, 9) * 0x1p-52);
    default:
        return sign(s) * x * exp2(60 * fraction(s) - 30);
    }
}

static void
random_arguments(const math_function *f, uint64_t i, double *v)
{
    source s = {i};
    next(&s);
    v[0] = any(f, &s);
    for (int k = 1; k < f->arguments; k++)
        v[k] = related(f, &s, v[0]);
    int most = f->type == f32 ? 300 : 2200;
    switch (f->shape) {
    case POWER: /* a result that is neither 0 nor infinite, mostly */
        if (below(&s, 8)) {
            v[0] = fabs(v[0]);
            v[1] = (fraction(&s) * 2 - 1) * (f->type == f32 ? 155 : 1080) /
                   log2(v[0]);
            if (below(&s, 8) == 0) {
                v[0] *= sign(&s);
                v[1] = round(v[1]);
            }
        }
        break;
    case SCALE:
        v[1] = below(&s, 16) ? (double)below(&s, (unsigned)(2 * most)) - most
                             : (double)(int32_t)next(&s);
        break;
    case ORDER:
        v[1] = below(&s, 129);
        break;
    case CANCEL: /* a sum that nearly vanishes, or the size of the product */
        if (below(&s, 2))
            v[2] = -v[0] * v[1];
        if (below(&s, 2))
            v[2] *= 1 + sign(&s) * exp2(-54 * fraction(&s));
        break;
    case ALONE:
    case PAIR:
        break;
    }
}

void
math_argument(const math_function *f, uint64_t i, math_args *a)
{
    *a = (math_args){0};
    uint64_t combinations = 1;
    for (int k = 0; k < f->arguments && k < 2; k++)
        combinations *= SPECIALS;
    if (i < combinations) {
        a->v[0] = special(f->type, (unsigned)(i % SPECIALS));
        for (int k = 1; k < f->arguments; k++)
            a->v[k] = special(f->type, (unsigned)((i / SPECIALS) * (unsigned)k *
                                                  7 % SPECIALS));
        if (f->shape == ORDER)
            a->v[1] = (double)(i / SPECIALS);
        if (f->shape == SCALE)
            a->v[1] = (double)(i / SPECIALS) * 91 - 2200;
    } else {
        random_arguments(f, i, a->v);
    }
    if (f->type == f32)
        for (int k = 0; k < f->arguments; k++)
            a->v[k] = (float)a->v[k];
}
