/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.c - in OpenMP C: each thread counts into four sets of bins, so that
 * equal neighbours do not wait for each other, and adds them up. */
#include "../problems/histogram.h"

static void
count(unsigned *out, const unsigned char *in, size_t n)
{
    enum { BINS = HISTOGRAM_BINS, SETS = 4 };
    memset(out, 0, BINS * sizeof *out);
#pragma omp parallel reduction(+ : out[:BINS])
    {
        unsigned set[SETS][BINS] = {{0}};
#pragma omp for
        for (size_t i = 0; i < n; i += 8) {
            uint64_t eight;
            memcpy(&eight, in + i, 8);
            for (size_t j = 0; j < 8; j++)
                set[j % SETS][eight >> 8 * j & 255]++;
        }
        for (size_t i = 0; i < BINS; i++)
            for (size_t s = 0; s < SETS; s++)
                out[i] += set[s][i];
    }
}

static void
run(const char *name)
{
    histogram h = histogram_create();
    unsigned *out = bench_alloc(HISTOGRAM_BINS, sizeof *out);
    bench b = bench_start(name, (double)h.n, 0);
    while (bench_next(&b))
        count(out, h.in, h.n);
    bench_end(&b, histogram_check(&h, out));
}

static void
run_shared(void)
{
    run("histogram");
}

static void
run_global(void)
{
    run("histogram_global");
}

BENCH_MAIN({"histogram", run_shared}, {"histogram_global", run_global})
