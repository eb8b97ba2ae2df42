/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.c - arrays of structures, and sums along runs, in OpenMP C. */
#include "../problems/layouts.h"

static void
run_particles(void)
{
    layouts l = layouts_create(true);
    particle *all = bench_alloc(l.n, sizeof *all);
    memcpy(all, l.v, l.n * sizeof *all);
    bench b = bench_start("particles", 2.0 * sizeof *all * (double)l.n,
                          3.0 * (double)l.n);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < l.n; i++) {
            all[i].x += all[i].vx;
            all[i].y += all[i].vy;
            all[i].z += all[i].vz;
        }
    }
    bench_end(&b, layouts_check_particles(&l, all, b.runs));
}

static void
run_runs(void)
{
    layouts l = layouts_create(false);
    float *out = bench_alloc(l.n, sizeof *out);
    bench b = bench_start("runs", 8.0 * (double)l.n, (double)l.n);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < l.n; i += LAYOUTS_RUN) {
            float sum = 0;
            for (size_t k = i; k < i + LAYOUTS_RUN; k++)
                out[k] = sum += l.v[k];
        }
    }
    bench_end(&b, layouts_check_sums(&l, out));
}

BENCH_MAIN({"particles", run_particles}, {"runs", run_runs})
