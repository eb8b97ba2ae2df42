/* SPDX-License-Identifier: Apache-2.0 */
/* scan.h - the sums of all beginnings of an array. */
#ifndef BENCH_SCAN_H
#define BENCH_SCAN_H
#include "../bench.h"

enum { SCAN_BLOCK = 256 };

typedef struct scan {
    size_t n;
    unsigned *in;
} scan;

static inline scan
scan_create(void)
{
    scan s = {bench_size(1 << 22, 1 << 16), NULL};
    s.in = (unsigned *)bench_alloc(s.n, sizeof *s.in);
    for (size_t i = 0; i < s.n; i++)
        s.in[i] = bench_hash((uint32_t)i) % 1000;
    return s;
}

/* Each with its own element, or without. */
static inline bool
scan_check(const scan *s, const unsigned *got, bool inclusive)
{
    unsigned *want = (unsigned *)bench_alloc(s->n, sizeof *want), sum = 0;
    for (size_t i = 0; i < s->n; i++) {
        want[i] = inclusive ? sum + s->in[i] : sum;
        sum += s->in[i];
    }
    return bench_same(got, want, s->n, sizeof *want);
}
#endif
