/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_time_test.c - compiling takes about as long for each of many loads as
 * for each of few, and so does looking for twins for each of many branches.
 * Nothing is run.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "jit/plan/decide.h"
#include "jit/tune.h"
#include "jit_request.h"

/* Sums of so many products of a row of a tile with its elements, as unrolled
 * loops make them: no store between. */
static void
write_kernel(sw_buf *out, unsigned loads)
{
    sw_buf_printf(
        out, KERNEL_HEAD
        ".shared .align 4 .b8 s[32768];\n"
        ".visible .entry k() {\n.reg .b32 %%r<4>; .reg .f32 %%f<4>;\n"
        "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s;\n"
        "mad.lo.u32 %%r3, %%r1, 4, %%r2; mov.f32 %%f1, 0f00000000;\n");
    for (unsigned i = 0; i < loads; i++)
        sw_buf_printf(out,
                      "ld.shared.f32 %%f2, [%%r3+%u];\n"
                      "fma.rn.f32 %%f1, %%f2, %%f2, %%f1;\n",
                      4 * i);
    sw_buf_printf(out, "st.shared.f32 [%%r3], %%f1;\nret;\n}\n");
}

static double
seconds_of(unsigned loads)
{
    const uint32_t ntid[3] = {32, 1, 1};
    jit_kernel k;
    sw_buf text;
    sw_buf_init(&text);
    write_kernel(&text, loads);
    jit_kernel_create(&k, text.p, "x86-64-v3", ntid, 32768);
    sw_jit_result result;
    clock_t start = clock(); /* of the process: others may run too */
    sw_jit_compile(&k.request, &result);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(result.object != NULL);
    sw_jit_free(&result);
    jit_kernel_destroy(&k);
    sw_buf_finish(&text);
    return took;
}

/* The shortest of some measurements: what else runs makes single ones longer.
 */
enum { TRIES = 4 };

CASE(many_loads_take_as_long_as_few)
{
    sw_jit_tune.partition_whole = 1000000; /* it is not cut */
    double few = seconds_of(175), many = seconds_of(1400);
    for (int i = 1; i < TRIES && many >= 24 * few; i++)
        many = fmin(many, seconds_of(1400));
    if (many >= 24 * few)
        printf("%g s, %g s\n", few, many);
    CHECK(many < 24 * few);
}

/* Branches over a store, each at a bound of its own. */
static void
write_bounds(sw_buf *out, unsigned branches)
{
    sw_buf_printf(out,
                  KERNEL_HEAD
                  ".shared .align 4 .b8 s[128];\n"
                  ".visible .entry k(.param .u32 n) {\n.reg .b32 %%r<7>; "
                  ".reg .pred %%p<%u>;\n"
                  "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x;\n"
                  "mov.u32 %%r3, %%ntid.x; mad.lo.u32 %%r4, %%r2, %%r3, "
                  "%%r1;\nld.param.u32 %%r5, [n]; mov.u32 %%r6, s;\n",
                  branches);
    for (unsigned i = 0; i < branches; i++)
        sw_buf_printf(out,
                      "setp.lt.u32 %%p%u, %%r4, %%r5; @%%p%u bra L%u;\n"
                      "st.shared.u32 [%%r6], %%r5;\nL%u:\n",
                      i, i, i, i);
    sw_buf_printf(out, "ret;\n}\n");
}

/* Of looking for twins so many times. */
static double
seconds_of_twins(unsigned branches, unsigned times)
{
    const uint32_t ntid[3] = {32, 1, 1};
    jit_kernel k;
    sw_buf text;
    sw_buf_init(&text);
    write_bounds(&text, branches);
    jit_kernel_create(&k, text.p, "x86-64-v3", ntid, 128);
    const sw_fn *fn = k.request.kernel;
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_liveness *live = sw_liveness_create(fn, cfg);
    sw_jit_plan plan = {.fn = fn, .cfg = cfg, .live = live, .rq = &k.request};
    plan.shapes = sw_shapes_create(fn, cfg, live, &k.request.map);
    plan.agrees = sw_alloc(cfg->count * sizeof *plan.agrees);
    plan.has_twin = sw_alloc(cfg->count * sizeof *plan.has_twin);
    CHECK(cfg->reachable > branches);
    sw_jit_find_twins(&plan); /* memory comes to hand */
    clock_t start = clock();
    for (unsigned i = 0; i < times; i++)
        sw_jit_find_twins(&plan);
    double took = (double)(clock() - start) / CLOCKS_PER_SEC;
    sw_free(plan.has_twin);
    sw_free(plan.agrees);
    sw_shapes_destroy(plan.shapes);
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);
    jit_kernel_destroy(&k);
    sw_buf_finish(&text);
    return took;
}

CASE(twins_of_many_branches_are_found_as_fast_as_of_few)
{
    double few = seconds_of_twins(400, 20), many = seconds_of_twins(8000, 1);
    for (int i = 1; i < TRIES && many >= 6 * few; i++)
        many = fmin(many, seconds_of_twins(8000, 1));
    if (many >= 6 * few)
        printf("%g s, %g s\n", few, many);
    CHECK(many < 6 * few);
}
