/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.c - reads, or writes, all over an array, in OpenMP C. */
#include "../problems/sparse.h"

static void
run_gather(void)
{
    sparse s = sparse_create();
    float *out = bench_alloc(s.n, sizeof *out);
    bench b = bench_start("gather", 12.0 * (double)s.n, 0);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < s.n; i++)
            out[i] = s.in[s.index[i]];
    }
    bench_end(&b, sparse_check_gather(&s, out));
}

static void
run_scatter(void)
{
    sparse s = sparse_create();
    float *out = bench_alloc(s.n, sizeof *out);
    bench b = bench_start("scatter", 12.0 * (double)s.n, 0);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < s.n; i++)
            out[s.index[i]] = s.in[i];
    }
    bench_end(&b, sparse_check_scatter(&s, out));
}

BENCH_MAIN({"gather", run_gather}, {"scatter", run_scatter})
