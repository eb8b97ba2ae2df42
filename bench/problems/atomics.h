/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomics.h - one atomic addition a thread, with four patterns of conflict:
 * each its own counter, all the same, a counter a warp, a counter a block.
 * What the counter held before is kept, or not.
 */
#ifndef BENCH_ATOMICS_H
#define BENCH_ATOMICS_H
#include "../bench.h"

enum { ATOMICS_BLOCK = 256, ATOMICS_WARP = 32 };

typedef struct atomics {
    size_t n;      /* threads */
    size_t shared; /* threads that share a counter */
} atomics;

static inline atomics
atomics_create(size_t shared)
{
    atomics a = {bench_size(1 << 22, 1 << 16), shared};
    if (shared == 0)
        a.shared = a.n;
    return a;
}

/* All counters are at `times` for each thread; the old values of the last time,
 * if there are any, are the numbers of a row, each once. */
static inline bool
atomics_check(const atomics *a, const unsigned *counters, const unsigned *old,
              int times)
{
    unsigned each = (unsigned)a->shared * (unsigned)times;
    char *seen = (char *)bench_alloc(a->n, 1);
    for (size_t i = 0; i < a->n / a->shared; i++)
        if (counters[i] != each) {
            fprintf(stderr, "bench: counter %zu is %u, not %u\n", i,
                    counters[i], each);
            return false;
        }
    for (size_t i = 0; old && i < a->n; i++) {
        unsigned first = each - (unsigned)a->shared;
        if (old[i] < first || old[i] >= each ||
            seen[i / a->shared * a->shared + old[i] - first]++) {
            fprintf(stderr, "bench: thread %zu saw %u\n", i, old[i]);
            return false;
        }
    }
    return true;
}
#endif
