/* SPDX-License-Identifier: Apache-2.0 */
/* fd3d.c - a stencil of 25 points, in OpenMP C: one nest of loops stands for
 * both kernels. */
#include "../problems/fd3d.h"

/* The six points at a distance of r along the axes. */
static inline float
around(const float *p, size_t r, size_t row, size_t plane)
{
    return p[r] + *(p - r) + p[r * row] + *(p - r * row) + p[r * plane] +
           *(p - r * plane);
}

static void
step(const fd3d *f, float *restrict out)
{
    enum { R = FD3D_RADIUS };
    const float w0 = f->weight[0], w1 = f->weight[1], w2 = f->weight[2];
    const float w3 = f->weight[3], w4 = f->weight[4];
    size_t row = f->row, plane = f->plane;
#pragma omp parallel for collapse(2)
    for (size_t z = R; z < f->z + R; z++)
        for (size_t y = R; y < f->y + R; y++) {
            const float *p = f->in + z * plane + y * row;
            float *q = out + z * plane + y * row;
#pragma omp simd
            for (size_t x = R; x < f->x + R; x++)
                q[x] = w0 * p[x] + w1 * around(p + x, 1, row, plane) +
                       w2 * around(p + x, 2, row, plane) +
                       w3 * around(p + x, 3, row, plane) +
                       w4 * around(p + x, 4, row, plane);
        }
}

static void
run(const char *name)
{
    fd3d f = fd3d_create();
    float *out = bench_alloc(f.all, sizeof *out);
    bench b =
        bench_start(name, 8.0 * (double)f.inside, 33.0 * (double)f.inside);
    while (bench_next(&b))
        step(&f, out);
    bench_end(&b, fd3d_check(&f, out));
}

static void
run_naive(void)
{
    run("fd3d_naive");
}

static void
run_tiled(void)
{
    run("fd3d_tiled");
}

BENCH_MAIN({"fd3d_naive", run_naive}, {"fd3d_tiled", run_tiled})
