/* SPDX-License-Identifier: Apache-2.0 */
/* bitonic.c - a sorting network, in OpenMP C: chunks that fit the second cache
 * are sorted, and later merged, without leaving it. */
#include "../problems/sort.h"

enum { CHUNK = 1 << 15 }; /* keys */

/* Keys `step` apart are put in order, up or down. */
static void
order(uint32_t *restrict a, uint32_t *restrict b, size_t step, bool up)
{
    for (size_t i = 0; i < step; i++) {
        uint32_t x = a[i], y = b[i];
        uint32_t low = x < y ? x : y, high = x < y ? y : x;
        a[i] = up ? low : high;
        b[i] = up ? high : low;
    }
}

typedef uint32_t vector __attribute__((vector_size(64)));
enum { LANES = 16 };

/* The steps below LANES, for n keys from `first`: partners are lanes of one
 * vector. */
static void
merge_lanes(uint32_t *keys, size_t first, size_t n, size_t run, size_t step)
{
    const vector lane = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
    for (size_t i = first; i < first + n; i += LANES) {
        vector v, down = (lane + (uint32_t)i) & (uint32_t)run;
        memcpy(&v, keys + i, sizeof v);
        for (uint32_t s = (uint32_t)step; s > 0; s /= 2) {
            vector other = __builtin_shuffle(v, lane ^ s);
            vector up = (vector)(((lane & s) == 0) == (down == 0));
            vector keep = (vector)(v < other) ^ ~up;
            v = (v & keep) | (other & ~keep);
        }
        memcpy(keys + i, &v, sizeof v);
    }
}

/* The steps of runs of `run` keys from `step` down, for n keys from `first`. */
static void
merge(uint32_t *keys, size_t first, size_t n, size_t run, size_t step)
{
    for (; step >= LANES; step /= 2)
        for (size_t i = first; i < first + n; i += 2 * step)
            order(keys + i, keys + i + step, step, (i & run) == 0);
    merge_lanes(keys, first, n, run, step);
}

static void
sort_all(uint32_t *keys, size_t n)
{
    size_t chunk = n < CHUNK ? n : CHUNK;
#pragma omp parallel for
    for (size_t i = 0; i < n; i += chunk)
        for (size_t run = 2; run <= chunk; run *= 2)
            merge(keys, i, chunk, run, run / 2);
    for (size_t run = 2 * chunk; run <= n; run *= 2) {
        for (size_t step = run / 2; step >= chunk; step /= 2) {
#pragma omp parallel for
            for (size_t i = 0; i < n / 2; i += chunk) {
                size_t at = i / step * 2 * step + i % step;
                order(keys + at, keys + at + step, chunk, (at & run) == 0);
            }
        }
#pragma omp parallel for
        for (size_t i = 0; i < n; i += chunk)
            merge(keys, i, chunk, run, chunk / 2);
    }
}

static void
run(void)
{
    sort s = sort_create(bench_size(1 << 20, 1 << 14));
    uint32_t *keys = bench_alloc(s.n, sizeof *keys);
    bench b = bench_start("bitonic", 8.0 * (double)s.n, 0);
    while (bench_next(&b)) {
        memcpy(keys, s.keys, s.n * sizeof *keys);
        bench_go(&b);
        sort_all(keys, s.n);
    }
    bench_end(&b, sort_check(&s, keys));
}

BENCH_MAIN({"bitonic", run})
