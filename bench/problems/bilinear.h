/* SPDX-License-Identifier: Apache-2.0 */
/* bilinear.h - an image of four bytes a pixel, turned and a little enlarged,
 * each pixel mixed from four; outside the image its edge goes on. */
#ifndef BENCH_BILINEAR_H
#define BENCH_BILINEAR_H
#include "../bench.h"

enum { BILINEAR_BLOCK = 16 };
#define BILINEAR_COS 0.8f /* of the turn times the scale */
#define BILINEAR_SIN 0.3f

typedef struct bilinear {
    size_t n;          /* pixels on a side */
    unsigned char *in; /* [n][n][4] */
} bilinear;

static inline bilinear
bilinear_create(void)
{
    bilinear b = {bench_size(1024, 128), NULL};
    b.in = (unsigned char *)bench_alloc(4 * b.n * b.n, 1);
    for (size_t i = 0; i < 4 * b.n * b.n; i++)
        b.in[i] = (unsigned char)bench_hash((uint32_t)i);
    return b;
}

static inline float
bilinear_texel(const bilinear *b, float x, float y, size_t k)
{
    float last = (float)(b->n - 1);
    x = x < 0 ? 0 : x > last ? last : x;
    y = y < 0 ? 0 : y > last ? last : y;
    return b->in[4 * ((size_t)y * b->n + (size_t)x) + k];
}

/* Within 2 of 255: devices mix with weights of 8 bits. */
static inline bool
bilinear_check(const bilinear *b, const unsigned char *got)
{
    float half = (float)b->n / 2;
    for (size_t i = 0; i < b->n * b->n; i++) {
        float dx = (float)(i % b->n) + 0.5f - half;
        float dy = (float)(i / b->n) + 0.5f - half;
        float sx = BILINEAR_COS * dx - BILINEAR_SIN * dy + half - 0.5f;
        float sy = BILINEAR_SIN * dx + BILINEAR_COS * dy + half - 0.5f;
        float x = floorf(sx), y = floorf(sy), fx = sx - x, fy = sy - y;
        for (size_t k = 0; k < 4; k++) {
            float top = bilinear_texel(b, x, y, k) * (1 - fx) +
                        bilinear_texel(b, x + 1, y, k) * fx;
            float low = bilinear_texel(b, x, y + 1, k) * (1 - fx) +
                        bilinear_texel(b, x + 1, y + 1, k) * fx;
            float want = top * (1 - fy) + low * fy;
            if (!(fabsf((float)got[4 * i + k] - want) <= 2)) {
                fprintf(stderr, "bench: pixel %zu is %d, not %g\n", i,
                        got[4 * i + k], (double)want);
                return false;
            }
        }
    }
    return true;
}
#endif
