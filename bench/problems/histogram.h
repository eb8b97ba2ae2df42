/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.h - how often each value occurs among many bytes. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H
#include "../bench.h"

enum { HISTOGRAM_BLOCK = 256, HISTOGRAM_BINS = 256, HISTOGRAM_BLOCKS = 256 };

typedef struct histogram {
    size_t n; /* bytes */
    unsigned char *in;
} histogram;

/* Not evenly: the lower values oftener. */
static inline histogram
histogram_create(void)
{
    histogram h = {bench_size(1 << 24, 1 << 20), NULL};
    h.in = (unsigned char *)bench_alloc(h.n, 1);
    for (size_t i = 0; i < h.n; i++) {
        uint32_t x = bench_hash((uint32_t)i);
        h.in[i] = (unsigned char)((x & 255) * (x >> 8 & 255) >> 8);
    }
    return h;
}

static inline bool
histogram_check(const histogram *h, const unsigned *got)
{
    unsigned want[HISTOGRAM_BINS] = {0};
    for (size_t i = 0; i < h->n; i++)
        want[h->in[i]]++;
    return bench_same(got, want, HISTOGRAM_BINS, sizeof *want);
}
#endif
