/* SPDX-License-Identifier: Apache-2.0 */
/* vectors.h - sums and copies of two long vectors. */
#ifndef BENCH_VECTORS_H
#define BENCH_VECTORS_H
#include "../bench.h"

enum { VECTORS_BLOCK = 256, SAXPY_A = 3 };

typedef struct vectors {
    size_t n;
    float *x, *y;
} vectors;

static inline vectors
vectors_create(void)
{
    vectors v = {bench_size(1 << 24, 1 << 16), NULL, NULL};
    v.x = bench_numbers(v.n, 1, 64);
    v.y = bench_numbers(v.n, 2, 64);
    return v;
}

static inline bool
vectors_check_add(const vectors *v, const float *got)
{
    float *want = (float *)bench_alloc(v->n, sizeof *want);
    for (size_t i = 0; i < v->n; i++)
        want[i] = v->x[i] + v->y[i];
    return bench_same(got, want, v->n, sizeof *want);
}

/* y = a x + y so many times. Whole numbers: nothing is rounded. */
static inline bool
vectors_check_saxpy(const vectors *v, const float *got, int times)
{
    float *want = (float *)bench_alloc(v->n, sizeof *want);
    for (size_t i = 0; i < v->n; i++)
        want[i] = (float)(SAXPY_A * times) * v->x[i] + v->y[i];
    return bench_same(got, want, v->n, sizeof *want);
}
#endif
