/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi.c - sweeps over a plane, in OpenMP C. */
#include "../problems/jacobi.h"

static void
sweep(float *restrict to, const float *restrict from, size_t n)
{
#pragma omp parallel for
    for (size_t y = 1; y < n - 1; y++) {
        const float *p = from + y * n;
        for (size_t x = 1; x < n - 1; x++)
            to[y * n + x] =
                0.25f * (p[x - 1] + p[x + 1] + *(p + x - n) + p[x + n]);
    }
}

static void
run(void)
{
    jacobi j = jacobi_create();
    size_t all = j.n * j.n;
    float *plane[2] = {bench_alloc(all, sizeof(float)),
                       bench_alloc(all, sizeof(float))};
    memcpy(plane[1], j.in, all * sizeof(float));
    bench b = bench_start("jacobi", 8.0 * (double)all * JACOBI_SWEEPS,
                          4.0 * (double)all * JACOBI_SWEEPS);
    while (bench_next(&b)) {
        memcpy(plane[0], j.in, all * sizeof(float));
        bench_go(&b);
        for (int s = 0; s < JACOBI_SWEEPS; s++)
            sweep(plane[~s & 1], plane[s & 1], j.n);
    }
    bench_end(&b, jacobi_check(&j, plane[JACOBI_SWEEPS % 2]));
}

BENCH_MAIN({"jacobi", run})
