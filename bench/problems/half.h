/* SPDX-License-Identifier: Apache-2.0 */
/* half.h - y = a x + y in half precision. */
#ifndef BENCH_HALF_H
#define BENCH_HALF_H
#include "../bench.h"

enum { HALF_BLOCK = 256, HALF_A = 2 };

typedef struct half_vectors {
    size_t n;
    uint16_t *x, *y; /* by their bits */
} half_vectors;

/* The half that is a whole number from 0 to 2048, exactly. */
static inline uint16_t
half_of(unsigned v)
{
    unsigned exponent = 0;
    if (v == 0)
        return 0;
    while (v >> exponent > 1)
        exponent++;
    unsigned fraction = (v << 11 >> exponent) & 0x7ff;
    return (uint16_t)((exponent + 15) << 10 | fraction >> 1);
}

/* So small that every result is exact. */
static inline half_vectors
half_create(void)
{
    half_vectors h = {bench_size(1 << 24, 1 << 17), NULL, NULL};
    h.x = (uint16_t *)bench_alloc(h.n, sizeof *h.x);
    h.y = (uint16_t *)bench_alloc(h.n, sizeof *h.y);
    for (size_t i = 0; i < h.n; i++) {
        h.x[i] = half_of(bench_hash((uint32_t)i) % 16);
        h.y[i] = half_of(bench_hash((uint32_t)i ^ 0x55555555u) % 512);
    }
    return h;
}

/* One axpy from the y above. */
static inline bool
half_check(const half_vectors *h, const uint16_t *got)
{
    uint16_t *want = (uint16_t *)bench_alloc(h->n, sizeof *want);
    for (size_t i = 0; i < h->n; i++)
        want[i] = half_of(HALF_A * (bench_hash((uint32_t)i) % 16) +
                          bench_hash((uint32_t)i ^ 0x55555555u) % 512);
    return bench_same(got, want, h->n, sizeof *want);
}
#endif
