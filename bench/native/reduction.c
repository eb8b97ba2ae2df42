/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.c - an array added up, in OpenMP C: one loop stands for all
 * kernels. */
#include "../problems/reduction.h"

static void
run(const char *name)
{
    reduction r = reduction_create();
    float sum = 0;
    bench b = bench_start(name, 4.0 * (double)r.n, (double)r.n);
    while (bench_next(&b)) {
        sum = 0;
#pragma omp parallel for simd reduction(+ : sum)
        for (size_t i = 0; i < r.n; i++)
            sum += r.in[i];
    }
    bench_end(&b, reduction_check(&r, &sum, 1));
}

static void
run_interleaved(void)
{
    run("red_interleaved");
}

static void
run_coalesced(void)
{
    run("red_coalesced");
}

static void
run_divergent(void)
{
    run("red_divergent");
}

static void
run_sequential(void)
{
    run("red_sequential");
}

static void
run_volatile(void)
{
    run("red_volatile");
}

static void
run_shuffle(void)
{
    run("red_shuffle");
}

BENCH_MAIN({"red_interleaved", run_interleaved},
           {"red_coalesced", run_coalesced}, {"red_divergent", run_divergent},
           {"red_sequential", run_sequential}, {"red_volatile", run_volatile},
           {"red_shuffle", run_shuffle})
