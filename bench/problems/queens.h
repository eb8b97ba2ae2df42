/* SPDX-License-Identifier: Apache-2.0 */
/* queens.h - for each of many boards in how many ways queens can be added to
 * the two that stand on it: by a function that calls itself. */
#ifndef BENCH_QUEENS_H
#define BENCH_QUEENS_H
#include "../bench.h"

#ifdef __CUDACC__
#define QUEENS_FN static __host__ __device__
#else
#define QUEENS_FN static
#endif

enum { QUEENS = 8, QUEENS_BLOCK = 128 };

/* Columns that are taken, and those that diagonals take in the next row. */
QUEENS_FN int
queens_add(unsigned columns, unsigned left, unsigned right)
{
    unsigned all = (1u << QUEENS) - 1, places = all & ~(columns | left | right);
    int count = columns == all;
    while (places) {
        unsigned place = places & (0u - places);
        places ^= place;
        count += queens_add(columns | place, (left | place) << 1,
                            (right | place) >> 1);
    }
    return count;
}

/* Board number i. */
QUEENS_FN int
queens_of(unsigned i)
{
    unsigned a = 1u << i % QUEENS, b = 1u << i / QUEENS % QUEENS;
    return a == b ? 0 : queens_add(a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1);
}

static inline size_t
queens_boards(void)
{
    return bench_size(1 << 16, 1 << 9);
}

static inline bool
queens_check(const int *got)
{
    int *want = (int *)bench_alloc(queens_boards(), sizeof *want);
    for (size_t i = 0; i < queens_boards(); i++)
        want[i] = queens_of((unsigned)i);
    return bench_same(got, want, queens_boards(), sizeof *want);
}
#endif
