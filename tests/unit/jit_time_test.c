/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_time_test.c - compiling takes about as long for each of many loads as
 * for each of few. Nothing is run.
 */
#include <stdlib.h>
#include <time.h>

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

CASE(many_loads_take_as_long_as_few)
{
    setenv("SOFTWARP_JIT_PART", "100000", 1); /* not cut */
    double few = seconds_of(175), many = seconds_of(1400);
    if (many >= 24 * few)
        printf("%g s, %g s\n", few, many);
    CHECK(many < 24 * few);
}
