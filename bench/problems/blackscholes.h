/* SPDX-License-Identifier: Apache-2.0 */
/* blackscholes.h - prices of European options. */
#ifndef BENCH_BLACKSCHOLES_H
#define BENCH_BLACKSCHOLES_H
#include "../bench.h"

enum { BLACKSCHOLES_BLOCK = 256 };
#define BLACKSCHOLES_RATE       0.02f
#define BLACKSCHOLES_VOLATILITY 0.30f

typedef struct blackscholes {
    size_t n;
    float *price, *strike, *years;
} blackscholes;

static inline blackscholes
blackscholes_create(void)
{
    blackscholes b = {bench_size(1 << 22, 1 << 15), NULL, NULL, NULL};
    b.price = bench_numbers(b.n, 1, 2500);
    b.strike = bench_numbers(b.n, 2, 9900);
    b.years = bench_numbers(b.n, 3, 975);
    for (size_t i = 0; i < b.n; i++) {
        b.price[i] = 5 + b.price[i] / 100;
        b.strike[i] = 1 + b.strike[i] / 100;
        b.years[i] = 0.25f + b.years[i] / 100;
    }
    return b;
}

/* In double precision, with the error function of the C library. */
static inline bool
blackscholes_check(const blackscholes *b, const float *call, const float *put)
{
    size_t step = bench_size(8, 1), m = 0;
    float *got = (float *)bench_alloc(2 * b->n, sizeof *got);
    float *want = (float *)bench_alloc(2 * b->n, sizeof *want);
    for (size_t i = 0; i < b->n; i += step) {
        double s = (double)b->price[i], x = (double)b->strike[i];
        double t = (double)b->years[i], r = (double)BLACKSCHOLES_RATE;
        double v = (double)BLACKSCHOLES_VOLATILITY * sqrt(t);
        double d1 = (log(s / x) + r * t) / v + v / 2, d2 = d1 - v;
        double n1 = erfc(-d1 * sqrt(0.5)) / 2, n2 = erfc(-d2 * sqrt(0.5)) / 2;
        double c = s * n1 - x * exp(-r * t) * n2;
        got[m] = call[i];
        want[m++] = (float)c;
        got[m] = put[i];
        want[m++] = (float)(c - s + x * exp(-r * t));
    }
    return bench_close(got, want, m, 1e-3);
}
#endif
