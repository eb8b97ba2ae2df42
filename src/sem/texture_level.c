/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_level.c - the level of detail that derivatives ask for, with the few
 * digits that a texture unit has. Each step was read off what an H200 computed
 * for 281,000 derivatives in one and two dimensions, and reproduces all of
 * them: the digits of the numbers from where the level changes along sweeps,
 * the formulas from sweeps of one derivative against another.
 */
#include "sem/sem.h"
#include "sem/texture.h"

/* Numbers have 9 binary digits after the first: x without what is beyond. */
static double
cut(double x)
{
    return sem_f64_bits(sem_bits_f64(x) & ~((UINT64_C(1) << 43) - 1));
}

/* The last of the digits of x, a positive number. */
static double
last_digit(double x)
{
    uint64_t exponent = sem_bits_f64(x) >> 52 & 0x7ff;
    return sem_f64_bits((exponent - 9) << 52);
}

/* x * factor / 64 to the nearest multiple of x's last digit. */
static double
times(double x, unsigned factor)
{
    if (!(x > 0))
        return 0;
    double digit = last_digit(x);
    return __builtin_floor(x / digit * factor / 64 + 0.5) * digit;
}

/* A sum; of the smaller term one digit more than the larger one's counts. */
static double
add(double a, double b)
{
    double large = fabs(a) < fabs(b) ? b : a, small = fabs(a) < fabs(b) ? a : b;
    if (large == 0)
        return 0;
    double digit = last_digit(fabs(large)) / 2;
    return cut(large + __builtin_trunc(small / digit) * digit);
}

/* A derivative in texels; NaN is 0, and infinity large. A size is added up
 * from its powers of two, of which each counts to eighths of the derivative's
 * last digit; what is left is rounded up. Of the size ten digits count, too. */
static double
in_texels(float derivative, uint32_t size)
{
    double x = derivative == derivative ? (double)derivative : 0;
    x = cut(fabs(x) < 0x1p64 ? x : x < 0 ? -0x1p64 : 0x1p64);
    if (x == 0)
        return 0;
    double digit = last_digit(fabs(x));
    unsigned top = 31 - (unsigned)__builtin_clz(size | 1), sum = 7;
    unsigned eighths = (unsigned)(fabs(x) / digit) << 3;
    for (unsigned i = 0; i <= top && i < 10; i++)
        sum += size >> (top - i) & 1 ? eighths >> i : 0;
    double r = cut((double)(sum >> 3) * digit * (double)(1u << top));
    return x < 0 ? -r : r;
}

static double
larger(double a, double b)
{
    return a > b ? a : b;
}

/* About the length of (u, v): the larger part and 11/32 of the other. */
static double
edge(double u, double v)
{
    u = fabs(u);
    v = fabs(v);
    return larger(u, v) + cut(times(u < v ? u : v, 88)) / 4;
}

/* 11/16 of about the length of a sum of the two edges. */
static double
diagonal(const double x[2], const double y[2], double sign)
{
    double u = fabs(add(x[0], sign * y[0])), v = fabs(add(x[1], sign * y[1]));
    return cut(times(larger(u, v), 88)) / 2 + times(u < v ? u : v, 121) / 8;
}

int32_t
sw_sem_texture_grad_level(const float ddx[2], const float ddy[2],
                          const uint32_t size[2])
{
    static const uint8_t more[256] = {
#include "sem/texture_log2.def"
    };
    double x[2], y[2];
    for (int i = 0; i < 2; i++) {
        x[i] = in_texels(ddx[i], size[i]);
        y[i] = in_texels(ddy[i], size[i]);
    }
    double length = larger(larger(edge(x[0], x[1]), edge(y[0], y[1])),
                           larger(diagonal(x, y, 1), diagonal(x, y, -1)));
    uint64_t bits = sem_bits_f64(length);
    unsigned digits = bits >> 44 & 255;
    return ((int32_t)(bits >> 52) - 1023) * 256 + (int32_t)digits +
           more[digits];
}
