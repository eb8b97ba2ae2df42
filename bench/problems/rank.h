/* SPDX-License-Identifier: Apache-2.0 */
/* rank.h - C := C + A * A^T, of whole numbers: nothing is rounded. */
#ifndef BENCH_RANK_H
#define BENCH_RANK_H
#include "../bench.h"

enum { RANK_X = 32, RANK_Y = 8 };

typedef struct rank {
    size_t n;
    float *a, *before; /* n x n */
} rank;

static inline rank
rank_create(void)
{
    rank r = {bench_size(512, 64), NULL, NULL};
    r.a = bench_numbers(r.n * r.n, 1, 8);
    r.before = bench_numbers(r.n * r.n, 2, 100);
    return r;
}

static inline double
rank_bytes(const rank *r)
{
    return 12.0 * (double)(r->n * r->n);
}

static inline double
rank_flops(const rank *r)
{
    return 2.0 * (double)(r->n * r->n) * (double)r->n;
}

/* c: after one update of r->before. */
static inline bool
rank_check(const rank *r, const float *c)
{
    float *want = (float *)bench_alloc(r->n * r->n, sizeof *want);
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++) {
            float sum = r->before[i * r->n + j];
            for (size_t k = 0; k < r->n; k++)
                sum += r->a[i * r->n + k] * r->a[j * r->n + k];
            want[i * r->n + j] = sum;
        }
    return bench_same(c, want, r->n * r->n, sizeof *want);
}
#endif
