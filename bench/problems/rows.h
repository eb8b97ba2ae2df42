/* SPDX-License-Identifier: Apache-2.0 */
/* rows.h - launches in a row of a few blocks that each take microseconds, as
 * the steps of a simulation do: each thread goes on with its number. */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H
#include "../bench.h"

#ifdef __CUDACC__
#define ROWS_FN static __host__ __device__ inline
#else
#define ROWS_FN static inline
#endif

enum { ROWS_BLOCK = 256, ROWS_LAUNCHES = 100, ROWS_ROUNDS = 256 };

ROWS_FN uint32_t
rows_round(uint32_t x)
{
    return (x ^ x >> 15) * 0x2c1b3c6du;
}

/* What one launch makes of a number. */
ROWS_FN uint32_t
rows_step(uint32_t x)
{
    for (int i = 0; i < ROWS_ROUNDS; i++)
        x = rows_round(x);
    return x;
}

typedef struct rows {
    uint32_t *first; /* numbers before the first launch */
    size_t n;
} rows;

static rows
rows_create(unsigned blocks)
{
    rows r = {NULL, (size_t)blocks * ROWS_BLOCK};
    r.first = (uint32_t *)bench_alloc(r.n, sizeof *r.first);
    for (size_t i = 0; i < r.n; i++)
        r.first[i] = (uint32_t)i;
    return r;
}

/* Of a few of the threads. */
static bool
rows_check(const rows *r, const uint32_t *got)
{
    bool ok = true;
    for (size_t i = 0; i < r->n; i += 61) {
        uint32_t x = r->first[i];
        for (int k = 0; k < ROWS_LAUNCHES; k++)
            x = rows_step(x);
        ok &= got[i] == x;
    }
    return ok;
}

#endif
