/* SPDX-License-Identifier: Apache-2.0 */
/* rank.c - C := C + A * A^T in OpenMP C. */
#include "../problems/rank.h"

static void
run(void)
{
    rank r = rank_create();
    size_t n = r.n;
    const float *a = r.a;
    float *c = bench_alloc(n * n, sizeof *c);
    bench b = bench_start("rank_in_memory", rank_bytes(&r), rank_flops(&r));
    while (bench_next(&b)) {
        memcpy(c, r.before, n * n * sizeof *c);
        bench_go(&b);
#pragma omp parallel for
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) {
                float sum = c[i * n + j];
                for (size_t k = 0; k < n; k++)
                    sum += a[i * n + k] * a[j * n + k];
                c[i * n + j] = sum;
            }
    }
    bench_end(&b, rank_check(&r, c));
}

BENCH_MAIN({"rank_in_memory", run})
