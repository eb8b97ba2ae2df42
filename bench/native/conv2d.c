/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.c - a filter of 7 x 7, in OpenMP C; stands for both kernels. */
#include "../problems/conv2d.h"

enum { R = CONV2D_RADIUS, SIDE = CONV2D_SIDE };

typedef float vector __attribute__((vector_size(64)));
enum { LANES = 16, CHUNK = 128 /* floats */ };

/* The sum for one number, near the left or right edge. */
static float
filter_one(const conv2d *c, size_t x, size_t y, size_t k)
{
    float sum = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            sum += c->weight[j * SIDE + i] *
                   c->in[4 * (conv2d_clamp(y, j - R, c->n) * c->n +
                              conv2d_clamp(x, i - R, c->n)) +
                         k];
    return sum;
}

/* Row y of the result: as many sums at a time as registers hold. */
static void
filter_row(const conv2d *c, float *restrict out, size_t y)
{
    size_t n = c->n, first = 4 * R, end = 4 * (n - R);
    for (; first + CHUNK <= end; first += CHUNK) {
        vector sum[CHUNK / LANES] = {{0}};
        for (int j = 0; j < SIDE; j++) {
            const float *p =
                c->in + 4 * n * conv2d_clamp(y, j - R, n) + first - 4 * R;
            for (int i = 0; i < SIDE; i++)
                for (int x = 0; x < CHUNK / LANES; x++) {
                    vector v;
                    memcpy(&v, p + 4 * i + LANES * x, sizeof v);
                    sum[x] += c->weight[j * SIDE + i] * v;
                }
        }
        memcpy(out + first, sum, sizeof sum);
    }
    for (size_t x = 0; x < 4 * n; x++)
        if (x < 4 * R || x >= first)
            out[x] = filter_one(c, x / 4, y, x % 4);
}

static void
run(const char *name)
{
    conv2d c = conv2d_create();
    double pixels = (double)(c.n * c.n);
    float *out = bench_alloc(4 * c.n * c.n, sizeof *out);
    bench b = bench_start(name, 32 * pixels, 8.0 * SIDE * SIDE * pixels);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t y = 0; y < c.n; y++)
            filter_row(&c, out + 4 * c.n * y, y);
    }
    bench_end(&b, conv2d_check(&c, out));
}

static void
run_buf(void)
{
    run("conv2d_buf");
}

static void
run_image(void)
{
    run("conv2d_image");
}

BENCH_MAIN({"conv2d_buf", run_buf}, {"conv2d_image", run_image})
