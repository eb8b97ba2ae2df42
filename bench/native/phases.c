/* SPDX-License-Identifier: Apache-2.0 */
/* phases.c - rows multiplied by themselves from their ends, in OpenMP C: one
 * loop stands for all kernels. */
#include "../problems/phases.h"

static void
run(const char *name)
{
    phases p = phases_create();
    float *out = bench_alloc(p.groups * PHASES_ROW, sizeof *out);
    bench b = bench_start(name, 4.0 * (double)p.n, 2.0 * (double)p.n);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t g = 0; g < p.groups; g++) {
            float sum[PHASES_ROW] = {0};
            for (size_t k = 0; k < PHASES_GROUP; k++) {
                const float *row = p.in + (g * PHASES_GROUP + k) * PHASES_ROW;
                for (size_t i = 0; i < PHASES_ROW; i++)
                    sum[i] += row[i] * row[PHASES_ROW - 1 - i];
            }
            memcpy(out + g * PHASES_ROW, sum, sizeof sum);
        }
    }
    bench_end(&b, phases_check(&p, out));
}

static void
run_sync(void)
{
    run("phases_sync");
}

static void
run_object(void)
{
    run("phases_object");
}

static void
run_mbar(void)
{
    run("phases_mbar");
}

static void
run_queue(void)
{
    run("phases_queue");
}

BENCH_MAIN({"phases_sync", run_sync}, {"phases_object", run_object},
           {"phases_mbar", run_mbar}, {"phases_queue", run_queue})
