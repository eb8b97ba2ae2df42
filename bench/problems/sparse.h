/* SPDX-License-Identifier: Apache-2.0 */
/* sparse.h - an array read, or written, in the order of a permutation. */
#ifndef BENCH_SPARSE_H
#define BENCH_SPARSE_H
#include "../bench.h"

enum { SPARSE_BLOCK = 256 };

typedef struct sparse {
    size_t n;
    unsigned *index; /* each number below n once */
    float *in;
} sparse;

static inline sparse
sparse_create(void)
{
    sparse s = {bench_size(1 << 22, 1 << 16), NULL, NULL};
    s.index = (unsigned *)bench_alloc(s.n, sizeof *s.index);
    for (size_t i = 0; i < s.n; i++) {
        size_t j = bench_hash((uint32_t)i) % (i + 1);
        s.index[i] = s.index[j];
        s.index[j] = (unsigned)i;
    }
    s.in = bench_numbers(s.n, 1, 1 << 20);
    return s;
}

static inline bool
sparse_check_gather(const sparse *s, const float *got)
{
    float *want = (float *)bench_alloc(s->n, sizeof *want);
    for (size_t i = 0; i < s->n; i++)
        want[i] = s->in[s->index[i]];
    return bench_same(got, want, s->n, sizeof *want);
}

static inline bool
sparse_check_scatter(const sparse *s, const float *got)
{
    float *want = (float *)bench_alloc(s->n, sizeof *want);
    for (size_t i = 0; i < s->n; i++)
        want[s->index[i]] = s->in[i];
    return bench_same(got, want, s->n, sizeof *want);
}
#endif
