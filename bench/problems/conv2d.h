/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.h - a filter of 7 x 7 over an image of four floats a pixel; outside
 * the image its edge goes on. */
#ifndef BENCH_CONV2D_H
#define BENCH_CONV2D_H
#include "../bench.h"

enum { CONV2D_RADIUS = 3, CONV2D_SIDE = 7, CONV2D_BLOCK = 16 };

typedef struct conv2d {
    size_t n;                                /* pixels on a side */
    float *in;                               /* [n][n][4], whole numbers */
    float weight[CONV2D_SIDE * CONV2D_SIDE]; /* of 64: nothing is rounded */
} conv2d;

static inline conv2d
conv2d_create(void)
{
    conv2d c;
    c.n = bench_size(1024, 64);
    c.in = bench_numbers(4 * c.n * c.n, 1, 256);
    for (uint32_t i = 0; i < CONV2D_SIDE * CONV2D_SIDE; i++)
        c.weight[i] = (float)(bench_hash(i) % 8) / 64;
    return c;
}

static inline size_t
conv2d_clamp(size_t at, int by, size_t n)
{
    ptrdiff_t i = (ptrdiff_t)at + by;
    return i < 0 ? 0 : i >= (ptrdiff_t)n ? n - 1 : (size_t)i;
}

static inline bool
conv2d_check(const conv2d *c, const float *got)
{
    float *want = (float *)bench_alloc(4 * c->n * c->n, sizeof *want);
    for (size_t y = 0; y < c->n; y++)
        for (size_t x = 0; x < c->n; x++)
            for (int i = 0; i < CONV2D_SIDE * CONV2D_SIDE; i++) {
                int dy = i / CONV2D_SIDE - CONV2D_RADIUS;
                int dx = i % CONV2D_SIDE - CONV2D_RADIUS;
                const float *p = c->in + 4 * (conv2d_clamp(y, dy, c->n) * c->n +
                                              conv2d_clamp(x, dx, c->n));
                for (size_t k = 0; k < 4; k++)
                    want[4 * (y * c->n + x) + k] += c->weight[i] * p[k];
            }
    return bench_same(got, want, 4 * c->n * c->n, sizeof *want);
}
#endif
