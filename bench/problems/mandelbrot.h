/* SPDX-License-Identifier: Apache-2.0 */
/* mandelbrot.h - how long the points of an image stay bounded. */
#ifndef BENCH_MANDELBROT_H
#define BENCH_MANDELBROT_H
#include "../bench.h"

enum { MANDELBROT_LIMIT = 256, MANDELBROT_BLOCK = 16 };
#define MANDELBROT_LEFT -2.0f
#define MANDELBROT_TOP  -1.5f
#define MANDELBROT_SIDE 3.0f

typedef struct mandelbrot {
    size_t n; /* pixels on a side */
    int *want;
    double flops;
} mandelbrot;

/* Every multiply-add is written as one, so that all compilers round alike. */
static inline int
mandelbrot_count(float cr, float ci)
{
    float zr = 0, zi = 0;
    int i = 0;
    for (; i < MANDELBROT_LIMIT && fmaf(zr, zr, zi * zi) <= 4; i++) {
        float next = fmaf(zr, zr, fmaf(-zi, zi, cr));
        zi = fmaf(2 * zr, zi, ci);
        zr = next;
    }
    return i;
}

static inline mandelbrot
mandelbrot_create(void)
{
    mandelbrot m = {bench_size(1024, 128), NULL, 0};
    float step = MANDELBROT_SIDE / (float)m.n;
    m.want = (int *)bench_alloc(m.n * m.n, sizeof *m.want);
    for (size_t y = 0; y < m.n; y++)
        for (size_t x = 0; x < m.n; x++) {
            int *count = m.want + y * m.n + x;
            *count = mandelbrot_count(fmaf((float)x, step, MANDELBROT_LEFT),
                                      fmaf((float)y, step, MANDELBROT_TOP));
            m.flops += 10.0 * *count;
        }
    return m;
}

static inline bool
mandelbrot_check(const mandelbrot *m, const int *got)
{
    return bench_same(got, m->want, m->n * m->n, sizeof *got);
}
#endif
