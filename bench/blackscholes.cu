/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* blackscholes.cu - option prices: logarithms, exponentials and roots. */
#include "device.h"
#include "problems/blackscholes.h"

/* The normal distribution by a polynomial (Abramowitz and Stegun 26.2.17). */
__device__ float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabsf(d));
    float p = k * (0.319381530f +
                   k * (-0.356563782f +
                        k * (1.781477937f +
                             k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.39894228f * expf(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}

__global__ void blackscholes_kernel(int n, const float *price,
                                    const float *strike, const float *years,
                                    float *call, float *put)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = price[i], x = strike[i], t = years[i];
    float v = BLACKSCHOLES_VOLATILITY * sqrtf(t);
    float d1 = (logf(s / x) + BLACKSCHOLES_RATE * t) / v + 0.5f * v;
    float n1 = normal(d1), n2 = normal(d1 - v);
    float later = x * expf(-BLACKSCHOLES_RATE * t);
    call[i] = s * n1 - later * n2;
    put[i] = later * (1 - n2) - s * (1 - n1);
}

static void run(void)
{
    blackscholes o = blackscholes_create();
    device_array<float> price(o.price, o.n), strike(o.strike, o.n);
    device_array<float> years(o.years, o.n), call(o.n), put(o.n);
    bench b = bench_start("blackscholes", 20.0 * o.n, 0);
    while (bench_next(&b)) {
        blackscholes_kernel<<<o.n / BLACKSCHOLES_BLOCK, BLACKSCHOLES_BLOCK>>>(
            (int)o.n, price, strike, years, call, put);
        device_wait();
    }
    bench_end(&b, blackscholes_check(&o, call.get(), put.get()));
}

BENCH_MAIN({"blackscholes", run})
