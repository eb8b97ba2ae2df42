/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.h - for each of many numbers the eight of a list that are nearest to
 * it, as distances in order. */
#ifndef BENCH_NEAREST_H
#define BENCH_NEAREST_H
#include "../bench.h"

enum { NEAREST = 8, NEAREST_BLOCK = 256 };

typedef struct nearest {
    size_t queries, items;
    float *query, *item;
} nearest;

static inline nearest
nearest_create(void)
{
    nearest x = {bench_size(1 << 14, 1 << 9), bench_size(1 << 10, 1 << 7), NULL,
                 NULL};
    x.query = bench_numbers(x.queries, 1, 1 << 20);
    x.item = bench_numbers(x.items, 2, 1 << 20);
    return x;
}

/* got: those of query q at got[k * queries + q]. */
static inline bool
nearest_check(const nearest *x, const float *got)
{
    float *want = (float *)bench_alloc(NEAREST * x->queries, sizeof *want);
    for (size_t q = 0; q < x->queries; q++) {
        size_t n = 0;
        float best[NEAREST + 1];
        for (size_t i = 0; i < x->items; i++) {
            float d = fabsf(x->item[i] - x->query[q]);
            size_t at = n;
            for (; at > 0 && best[at - 1] > d; at--)
                best[at] = best[at - 1];
            best[at] = d;
            n += n < NEAREST;
        }
        for (size_t k = 0; k < NEAREST; k++)
            want[k * x->queries + q] = best[k];
    }
    return bench_same(got, want, NEAREST * x->queries, sizeof *want);
}
#endif
