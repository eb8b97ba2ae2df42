/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rounds.h - a ring of values, each of which becomes a mean of itself and its
 * neighbours in each round; all of it by one block.
 */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H
#include "../bench.h"

#ifdef __CUDACC__
#define ROUNDS_BOTH __host__ __device__
#else
#define ROUNDS_BOTH
#endif

enum { ROUNDS_VALUES = 1024 };

static inline int
rounds_count(void)
{
    return (int)bench_size(50000, 300);
}

ROUNDS_BOTH static inline float
rounds_mean(float before, float own, float behind)
{
    return 0.25f * (before + behind) + 0.5f * own;
}

static inline void
rounds_fill(float *x)
{
    for (int i = 0; i < ROUNDS_VALUES; i++)
        x[i] = (float)(i % 37);
}

/* A round, from one array to the other. */
static inline void
rounds_step(const float *from, float *to)
{
    enum { LAST = ROUNDS_VALUES - 1 };
    to[0] = rounds_mean(from[LAST], from[0], from[1]);
    for (int i = 1; i < LAST; i++)
        to[i] = rounds_mean(from[i - 1], from[i], from[i + 1]);
    to[LAST] = rounds_mean(from[LAST - 1], from[LAST], from[0]);
}

static inline bool
rounds_check(const float *x)
{
    static float y[2][ROUNDS_VALUES];
    int n = rounds_count();
    rounds_fill(y[0]);
    for (int r = 0; r < n; r++)
        rounds_step(y[r % 2], y[(r + 1) % 2]);
    return memcmp(x, y[n % 2], sizeof y[0]) == 0;
}

#endif
