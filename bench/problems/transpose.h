/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.h - a square matrix, copied or transposed. */
#ifndef BENCH_TRANSPOSE_H
#define BENCH_TRANSPOSE_H
#include "../bench.h"

/* A block of TILE x ROWS threads does a tile of TILE x TILE elements. */
enum { TRANSPOSE_TILE = 32, TRANSPOSE_ROWS = 8 };

typedef struct transpose {
    size_t n;  /* rows and columns */
    float *in; /* [n][n] */
} transpose;

static inline transpose
transpose_create(void)
{
    transpose t = {bench_size(2048, 128), NULL};
    t.in = (float *)bench_alloc(t.n * t.n, sizeof *t.in);
    for (size_t i = 0; i < t.n * t.n; i++)
        t.in[i] = (float)i;
    return t;
}

static inline bool
transpose_check(const transpose *t, const float *got)
{
    float *want = (float *)bench_alloc(t->n * t->n, sizeof *want);
    for (size_t y = 0; y < t->n; y++)
        for (size_t x = 0; x < t->n; x++)
            want[x * t->n + y] = t->in[y * t->n + x];
    return bench_same(got, want, t->n * t->n, sizeof *want);
}
#endif
