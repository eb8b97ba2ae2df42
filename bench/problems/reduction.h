/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.h - the sum of an array, left as a partial sum of each thread or
 * block; the host adds those up. */
#ifndef BENCH_REDUCTION_H
#define BENCH_REDUCTION_H
#include "../bench.h"

enum { REDUCTION_BLOCK = 256, REDUCTION_RUN = 256 };

typedef struct reduction {
    size_t n;
    float *in;
    size_t parts; /* n / REDUCTION_RUN or n / REDUCTION_BLOCK, which agree */
} reduction;

static inline reduction
reduction_create(void)
{
    reduction r = {bench_size(1 << 22, 1 << 18), NULL, 0};
    r.in = bench_numbers(r.n, 1, 4);
    r.parts = r.n / REDUCTION_BLOCK;
    return r;
}

/* Whole numbers with a sum below 2^24: nothing is rounded in any order. */
static inline bool
reduction_check(const reduction *r, const float *parts, size_t n)
{
    double want = 0, got = 0;
    for (size_t i = 0; i < r->n; i++)
        want += (double)r->in[i];
    for (size_t i = 0; i < n; i++)
        got += (double)parts[i];
    if (got != want)
        fprintf(stderr, "bench: the sum is %g, not %g\n", got, want);
    return got == want;
}
#endif
