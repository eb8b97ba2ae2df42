/* SPDX-License-Identifier: Apache-2.0 */
/* nbody.c - in OpenMP C. */
#include "../problems/nbody.h"

static void
run(void)
{
    nbody n = nbody_create();
    float *out = bench_alloc(4 * n.n, sizeof *out);
    bench b = bench_start("nbody", 32.0 * (double)n.n, n.flops);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < n.n; i++) {
            const float *me = n.bodies + 4 * i;
            float ax = 0, ay = 0, az = 0;
            for (size_t j = 0; j < n.n; j++) {
                const float *p = n.bodies + 4 * j;
                float dx = p[0] - me[0], dy = p[1] - me[1], dz = p[2] - me[2];
                float r2 = dx * dx + dy * dy + dz * dz + NBODY_SOFTENING;
                float inverse = 1 / sqrtf(r2);
                float s = p[3] * inverse * inverse * inverse;
                ax += dx * s;
                ay += dy * s;
                az += dz * s;
            }
            out[4 * i] = ax;
            out[4 * i + 1] = ay;
            out[4 * i + 2] = az;
        }
    }
    bench_end(&b, nbody_check(&n, out));
}

BENCH_MAIN({"nbody", run})
