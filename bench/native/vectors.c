/* SPDX-License-Identifier: Apache-2.0 */
/* vectors.c - long vectors, in OpenMP C. */
#include "../problems/vectors.h"

static void
run_vecadd(void)
{
    vectors v = vectors_create();
    float *z = bench_alloc(v.n, sizeof *z);
    bench b = bench_start("vecadd", 12.0 * (double)v.n, (double)v.n);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < v.n; i++)
            z[i] = v.x[i] + v.y[i];
    }
    bench_end(&b, vectors_check_add(&v, z));
}

static void
run_saxpy(void)
{
    vectors v = vectors_create();
    float *y = bench_alloc(v.n, sizeof *y);
    memcpy(y, v.y, v.n * sizeof *y);
    bench b = bench_start("saxpy", 12.0 * (double)v.n, 2.0 * (double)v.n);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < v.n; i++)
            y[i] = SAXPY_A * v.x[i] + y[i];
    }
    bench_end(&b, vectors_check_saxpy(&v, y, b.runs));
}

/* A memcpy by each thread: compilers make one of the loop. */
static void
run_copy(void)
{
    vectors v = vectors_create();
    float *y = bench_alloc(v.n, sizeof *y);
    bench b = bench_start("copy", 8.0 * (double)v.n, 0);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < v.n; i++)
            y[i] = v.x[i];
    }
    bench_end(&b, bench_same(y, v.x, v.n, sizeof *y));
}

BENCH_MAIN({"vecadd", run_vecadd}, {"saxpy", run_saxpy}, {"copy", run_copy})
