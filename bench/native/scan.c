/* SPDX-License-Identifier: Apache-2.0 */
/* scan.c - sums of all beginnings, in OpenMP C: each thread adds up its part,
 * then scans it from the sum of the parts before. Stands for all kernels. */
#include <omp.h>

#include "../problems/scan.h"

enum { THREADS_MAX = 1024 };

static void
scan_all(unsigned *restrict out, const unsigned *restrict in, size_t n,
         bool inclusive)
{
    static unsigned sums[THREADS_MAX];
#pragma omp parallel num_threads(                                              \
    omp_get_max_threads() < THREADS_MAX ? omp_get_max_threads() : THREADS_MAX)
    {
        size_t t = (size_t)omp_get_thread_num();
        size_t threads = (size_t)omp_get_num_threads();
        size_t first = n * t / threads, end = n * (t + 1) / threads;
        unsigned sum = 0;
        for (size_t i = first; i < end; i++)
            sum += in[i];
        sums[t] = sum;
#pragma omp barrier
        sum = 0;
        for (size_t i = 0; i < t; i++)
            sum += sums[i];
        for (size_t i = first; i < end; i++) {
            unsigned v = in[i];
            out[i] = inclusive ? sum + v : sum;
            sum += v;
        }
    }
}

static void
run(const char *name, bool inclusive)
{
    scan s = scan_create();
    unsigned *out = bench_alloc(s.n, sizeof *out);
    bench b = bench_start(name, 8.0 * (double)s.n, (double)s.n);
    while (bench_next(&b))
        scan_all(out, s.in, s.n, inclusive);
    bench_end(&b, scan_check(&s, out, inclusive));
}

static void
run_hillis(void)
{
    run("scan_hillis", true);
}

static void
run_blelloch(void)
{
    run("scan_blelloch", false);
}

static void
run_lookback(void)
{
    run("scan_lookback", true);
}

BENCH_MAIN({"scan_hillis", run_hillis}, {"scan_blelloch", run_blelloch},
           {"scan_lookback", run_lookback})
