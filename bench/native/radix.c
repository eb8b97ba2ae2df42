/* SPDX-License-Identifier: Apache-2.0 */
/* radix.c - one pass of a radix sort, in OpenMP C: each thread counts the
 * digits of its part, and moves its keys behind those of the threads before. */
#include <omp.h>

#include "../problems/sort.h"

enum { THREADS_MAX = 256 };

static void
pass(uint32_t *restrict out, const uint32_t *restrict keys, size_t n)
{
    static size_t at[THREADS_MAX][RADIX_DIGITS];
#pragma omp parallel num_threads(                                              \
    omp_get_max_threads() < THREADS_MAX ? omp_get_max_threads() : THREADS_MAX)
    {
        size_t t = (size_t)omp_get_thread_num();
        size_t threads = (size_t)omp_get_num_threads();
        size_t first = n * t / threads, end = n * (t + 1) / threads;
        memset(at[t], 0, sizeof at[t]);
        for (size_t i = first; i < end; i++)
            at[t][keys[i] % RADIX_DIGITS]++;
#pragma omp barrier
#pragma omp single
        for (size_t d = 0, sum = 0; d < RADIX_DIGITS; d++)
            for (size_t i = 0; i < threads; i++) {
                size_t count = at[i][d];
                at[i][d] = sum;
                sum += count;
            }
        for (size_t i = first; i < end; i++)
            out[at[t][keys[i] % RADIX_DIGITS]++] = keys[i];
    }
}

static void
run(void)
{
    sort s = sort_create(bench_size(1 << 22, 1 << 17));
    uint32_t *out = bench_alloc(s.n, sizeof *out);
    bench b = bench_start("radix_pass", 8.0 * (double)s.n, 0);
    while (bench_next(&b))
        pass(out, s.keys, s.n);
    bench_end(&b, sort_check_pass(&s, out));
}

BENCH_MAIN({"radix_pass", run})
