/* SPDX-License-Identifier: Apache-2.0 */
/* nbody.h - what all bodies do to each: accelerations, directly summed. */
#ifndef BENCH_NBODY_H
#define BENCH_NBODY_H
#include "../bench.h"

enum { NBODY_BLOCK = 256 };
#define NBODY_SOFTENING 0.01f /* added to the square of the distance */

typedef struct nbody {
    size_t n;
    float *bodies; /* [n][4]: place and mass */
    double flops;
} nbody;

static inline nbody
nbody_create(void)
{
    nbody b = {bench_size(8192, 1024), NULL, 0};
    b.bodies = bench_numbers(4 * b.n, 1, 1 << 16);
    for (size_t i = 0; i < 4 * b.n; i++)
        b.bodies[i] /= 1 << 16;
    b.flops = 20.0 * (double)b.n * (double)b.n;
    return b;
}

/* got: [n][4], of which the fourth does not count. Of many bodies every 16th
 * is looked at. */
static inline bool
nbody_check(const nbody *b, const float *got)
{
    size_t step = bench_size(16, 1);
    for (size_t i = 0; i < b->n; i += step) {
        const float *p = b->bodies + 4 * i;
        double sum[3] = {0, 0, 0};
        for (size_t j = 0; j < b->n; j++) {
            const float *q = b->bodies + 4 * j;
            double d[3], r2 = (double)NBODY_SOFTENING;
            for (int k = 0; k < 3; k++) {
                d[k] = (double)q[k] - (double)p[k];
                r2 += d[k] * d[k];
            }
            double s = (double)q[3] / (r2 * sqrt(r2));
            for (int k = 0; k < 3; k++)
                sum[k] += d[k] * s;
        }
        float want[3] = {(float)sum[0], (float)sum[1], (float)sum[2]};
        if (!bench_close(got + 4 * i, want, 3, 1e-2))
            return false;
    }
    return true;
}
#endif
