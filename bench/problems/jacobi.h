/* SPDX-License-Identifier: Apache-2.0 */
/* jacobi.h - sweeps over a plane: each point becomes the mean of its four
 * neighbours; the edge stays. */
#ifndef BENCH_JACOBI_H
#define BENCH_JACOBI_H
#include "../bench.h"

enum { JACOBI_SWEEPS = 10, JACOBI_BLOCK_X = 32, JACOBI_BLOCK_Y = 8 };

typedef struct jacobi {
    size_t n;  /* points on a side, with the edge */
    float *in; /* [n][n] */
} jacobi;

static inline jacobi
jacobi_create(void)
{
    jacobi j = {bench_size(2048, 128), NULL};
    j.in = bench_numbers(j.n * j.n, 1, 16);
    return j;
}

/* Sums in the order left, right, above, below; a quarter is exact. Compilers
 * must not fold it into a multiply-add, and there is none. */
static inline bool
jacobi_check(const jacobi *j, const float *got)
{
    size_t n = j->n;
    float *from = (float *)bench_alloc(n * n, sizeof *from);
    float *to = (float *)bench_alloc(n * n, sizeof *to);
    memcpy(from, j->in, n * n * sizeof *from);
    memcpy(to, j->in, n * n * sizeof *to);
    for (int s = 0; s < JACOBI_SWEEPS; s++) {
        for (size_t y = 1; y < n - 1; y++)
            for (size_t x = 1; x < n - 1; x++) {
                const float *p = from + y * n + x;
                to[y * n + x] = 0.25f * (p[-1] + p[1] + *(p - n) + p[n]);
            }
        float *t = from;
        from = to;
        to = t;
    }
    return bench_same(got, from, n * n, sizeof *got);
}
#endif
