/* SPDX-License-Identifier: Apache-2.0 */
/* sort.h - keys to be sorted, wholly (bitonic) or by one digit (radix). */
#ifndef BENCH_SORT_H
#define BENCH_SORT_H
#include "../bench.h"

enum {
    BITONIC_BLOCK = 256,
    RADIX_BLOCK = 256,
    RADIX_ITEMS = 16, /* keys a thread */
    RADIX_DIGITS = 256
};

typedef struct sort {
    size_t n;
    uint32_t *keys;
} sort;

static inline sort
sort_create(size_t n)
{
    sort s = {n, NULL};
    s.keys = (uint32_t *)bench_alloc(n, sizeof *s.keys);
    for (size_t i = 0; i < n; i++)
        s.keys[i] = bench_hash((uint32_t)i);
    return s;
}

/* Ascending, and the same keys: the hashes of two sets have equal sums. */
static inline bool
sort_check(const sort *s, const uint32_t *got)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += (uint64_t)bench_hash(s->keys[i]) * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < s->n; i++) {
        sum -= (uint64_t)bench_hash(got[i]) * 0x9e3779b97f4a7c15u;
        if (i > 0 && got[i - 1] > got[i]) {
            fprintf(stderr, "bench: key %zu of %zu is too small\n", i, s->n);
            return false;
        }
    }
    if (sum != 0)
        fprintf(stderr, "bench: these are other keys\n");
    return sum == 0;
}

/* By the lowest digit, keys of one digit in their order. */
static inline bool
sort_check_pass(const sort *s, const uint32_t *got)
{
    size_t at[RADIX_DIGITS + 1] = {0};
    uint32_t *want = (uint32_t *)bench_alloc(s->n, sizeof *want);
    for (size_t i = 0; i < s->n; i++)
        at[s->keys[i] % RADIX_DIGITS + 1]++;
    for (size_t d = 0; d < RADIX_DIGITS; d++)
        at[d + 1] += at[d];
    for (size_t i = 0; i < s->n; i++)
        want[at[s->keys[i] % RADIX_DIGITS]++] = s->keys[i];
    return bench_same(got, want, s->n, sizeof *want);
}
#endif
