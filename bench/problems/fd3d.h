/* SPDX-License-Identifier: Apache-2.0 */
/* fd3d.h - one step of a finite-difference scheme of radius 4 in space: each
 * point from 25 along the axes. The volume has a margin of 4 on all sides. */
#ifndef BENCH_FD3D_H
#define BENCH_FD3D_H
#include "../bench.h"

enum { FD3D_RADIUS = 4, FD3D_BLOCK_X = 32, FD3D_BLOCK_Y = 8 };

typedef struct fd3d {
    size_t x, y, z;     /* without the margins */
    size_t row, plane;  /* elements, with them */
    size_t all, inside; /* elements */
    float *in;          /* [z + 8][y + 8][x + 8] */
    /* Powers of 2, and the input small whole numbers: nothing is rounded. */
    float weight[FD3D_RADIUS + 1];
} fd3d;

static inline fd3d
fd3d_create(void)
{
    fd3d f = {bench_size(256, 64),
              bench_size(256, 32),
              bench_size(128, 16),
              0,
              0,
              0,
              0,
              NULL,
              {0.5f, 0.25f, 0.125f, 0.0625f, 0.03125f}};
    f.row = f.x + 2 * FD3D_RADIUS;
    f.plane = f.row * (f.y + 2 * FD3D_RADIUS);
    f.all = f.plane * (f.z + 2 * FD3D_RADIUS);
    f.inside = f.x * f.y * f.z;
    f.in = bench_numbers(f.all, 1, 16);
    return f;
}

/* Only inside: what stands in the margins of `got` does not count. */
static inline bool
fd3d_check(const fd3d *f, const float *got)
{
    float *g = (float *)bench_alloc(f->inside, sizeof *g);
    float *want = (float *)bench_alloc(f->inside, sizeof *want);
    size_t m = 0;
    for (size_t z = 0; z < f->z; z++)
        for (size_t y = 0; y < f->y; y++)
            for (size_t x = 0; x < f->x; x++, m++) {
                size_t at = (z + FD3D_RADIUS) * f->plane +
                            (y + FD3D_RADIUS) * f->row + x + FD3D_RADIUS;
                const float *p = f->in + at;
                float sum = f->weight[0] * *p;
                for (size_t r = 1; r <= FD3D_RADIUS; r++)
                    sum += f->weight[r] * (p[r] + *(p - r) + p[r * f->row] +
                                           *(p - r * f->row) + p[r * f->plane] +
                                           *(p - r * f->plane));
                g[m] = got[at];
                want[m] = sum;
            }
    return bench_same(g, want, m, sizeof *g);
}
#endif
