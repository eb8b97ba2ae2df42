/* SPDX-License-Identifier: Apache-2.0 */
/* control.c - branches, loops and straight code, in OpenMP C. */
#include "../problems/control.h"

typedef uint32_t (*function)(uint32_t);

/* Inlined into its callers, so that `work` is. */
__attribute__((always_inline)) static inline void
run(const char *name, size_t full, size_t small, double ops, function work)
{
    control c = control_create(full, small);
    uint32_t *in = control_input(&c), *out = bench_alloc(c.n, sizeof *out);
    bench b = bench_start(name, 8.0 * (double)c.n, ops * (double)c.n);
    while (bench_next(&b)) {
#pragma omp parallel for simd
        for (size_t i = 0; i < c.n; i++)
            out[i] = work(in[i]);
    }
    bench_end(&b, control_check(&c, work, out));
}

static void
run_branches(void)
{
    run("branches", 1 << 20, 1 << 13, 0, control_branches);
}

static void
run_loops(void)
{
    run("divergent_loops", 1 << 20, 1 << 13, 0, control_loops);
}

static void
run_straight(void)
{
    run("straight_5000", 1 << 18, 1 << 12, CONTROL_STEPS * CONTROL_STEP_OPS,
        control_straight);
}

BENCH_MAIN({"branches", run_branches}, {"divergent_loops", run_loops},
           {"straight_5000", run_straight})
