/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_frame_test.c - a kernel whose code would need more stack than a fiber
 * has room for is not compiled, and the reason says so. Nothing is run.
 */
#include "jit_request.h"

/* So many values of 256 bytes that all live at once: they are read in one order
 * and written in the other. */
static void
write_kernel(sw_buf *out, unsigned values)
{
    sw_buf_printf(out,
                  KERNEL_HEAD ".shared .align 8 .b8 s[65536];\n"
                              ".visible .entry k() {\n.reg .b32 %%r<4>;\n"
                              ".reg .b64 %%d<%u>;\n"
                              "mov.u32 %%r1, %%tid.x; mov.u32 %%r2, s;\n"
                              "mad.lo.u32 %%r3, %%r1, 8, %%r2;\n",
                  values);
    for (unsigned i = 0; i < values; i++)
        sw_buf_printf(out, "ld.relaxed.cta.shared.u64 %%d%u, [%%r3+%u];\n", i,
                      8 * i);
    for (unsigned i = values; i-- > 0;)
        sw_buf_printf(out, "st.relaxed.cta.shared.u64 [%%r3+%u], %%d%u;\n",
                      8 * i, i);
    sw_buf_printf(out, "ret;\n}\n");
}

static void
compile_kernel(unsigned values, sw_jit_result *result)
{
    const uint32_t ntid[3] = {32, 1, 1};
    jit_kernel k;
    sw_buf text;
    sw_buf_init(&text);
    write_kernel(&text, values);
    /* Few, large registers. */
    jit_kernel_create(&k, text.p, "x86-64-v4", ntid, 0);
    sw_jit_compile(&k.request, result);
    jit_kernel_destroy(&k);
    sw_buf_finish(&text);
}

CASE(a_frame_that_fits)
{
    sw_jit_result r;
    compile_kernel(100, &r);
    CHECK(r.object && !r.message);
    sw_jit_free(&r);
}

CASE(a_frame_that_does_not)
{
    sw_jit_result r;
    compile_kernel(SW_JIT_FRAME_MAX / 256 + 100, &r);
    CHECK(!r.object && r.message &&
          strstr(r.message, "stack frame size") != NULL);
    sw_jit_free(&r);
}
