/* SPDX-License-Identifier: Apache-2.0 */
/* blackscholes.c - in OpenMP C, with the functions of the C library. */
#include "../problems/blackscholes.h"

/* As in blackscholes.cu. */
static inline float
normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p =
        k * (0.319381530f +
             k * (-0.356563782f +
                  k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

static void
run(void)
{
    blackscholes o = blackscholes_create();
    float *call = bench_alloc(o.n, sizeof *call);
    float *put = bench_alloc(o.n, sizeof *put);
    bench b = bench_start("blackscholes", 20.0 * (double)o.n, 0);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < o.n; i++) {
            float s = o.price[i], x = o.strike[i], t = o.years[i];
            float v = BLACKSCHOLES_VOLATILITY * sqrtf(t);
            float d1 = (logf(s / x) + BLACKSCHOLES_RATE * t) / v + 0.5f * v;
            float n1 = normal(d1), n2 = normal(d1 - v);
            float later = x * expf(-BLACKSCHOLES_RATE * t);
            call[i] = s * n1 - later * n2;
            put[i] = later * (1 - n2) - s * (1 - n1);
        }
    }
    bench_end(&b, blackscholes_check(&o, call, put));
}

BENCH_MAIN({"blackscholes", run})
