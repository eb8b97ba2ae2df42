/* SPDX-License-Identifier: Apache-2.0 */
/* bilinear.c - an image turned, in OpenMP C. */
#include "../problems/bilinear.h"

static inline int
clamp(int i, int last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

static void
turn(const bilinear *b, unsigned char *restrict out)
{
    float half = (float)b->n / 2;
    int n = (int)b->n;
#pragma omp parallel for
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            float dx = (float)x + 0.5f - half, dy = (float)y + 0.5f - half;
            float sx = BILINEAR_COS * dx - BILINEAR_SIN * dy + half - 0.5f;
            float sy = BILINEAR_SIN * dx + BILINEAR_COS * dy + half - 0.5f;
            float fx = sx - floorf(sx), fy = sy - floorf(sy);
            int x0 = clamp((int)floorf(sx), n - 1);
            int x1 = clamp((int)floorf(sx) + 1, n - 1);
            int y0 = clamp((int)floorf(sy), n - 1);
            int y1 = clamp((int)floorf(sy) + 1, n - 1);
            for (int k = 0; k < 4; k++) {
                float a = b->in[4 * (y0 * n + x0) + k];
                float c = b->in[4 * (y0 * n + x1) + k];
                float d = b->in[4 * (y1 * n + x0) + k];
                float e = b->in[4 * (y1 * n + x1) + k];
                float top = a + (c - a) * fx, low = d + (e - d) * fx;
                out[4 * (y * n + x) + k] =
                    (unsigned char)(top + (low - top) * fy + 0.5f);
            }
        }
}

static void
run(void)
{
    bilinear i = bilinear_create();
    unsigned char *out = bench_alloc(4 * i.n * i.n, 1);
    bench b = bench_start("img_bilinear", 8.0 * (double)(i.n * i.n), 0);
    while (bench_next(&b))
        turn(&i, out);
    bench_end(&b, bilinear_check(&i, out));
}

BENCH_MAIN({"img_bilinear", run})
