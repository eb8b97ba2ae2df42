/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jit_frame_test.c - a kernel whose code would need more stack than a fiber
 * has room for is not compiled, and the reason says so. Nothing is run.
 */
#include "check.h"
#include "interp/interp.h"
#include "jit/abi.h"
#include "kernel.h"

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
        sw_buf_printf(out, "ld.volatile.shared.u64 %%d%u, [%%r3+%u];\n", i,
                      8 * i);
    for (unsigned i = values; i-- > 0;)
        sw_buf_printf(out, "st.volatile.shared.u64 [%%r3+%u], %%d%u;\n", 8 * i,
                      i);
    sw_buf_printf(out, "ret;\n}\n");
}

static uint32_t
offset_of(void *arg, sw_sym *sym)
{
    return sw_program_shared_offset(arg, sym);
}

static void
compile_kernel(unsigned values, sw_jit_result *result)
{
    kernel k;
    sw_buf text;
    sw_buf_init(&text);
    write_kernel(&text, values);
    CHECK(kernel_create(&k, text.p, 0));
    const sw_fn *fn = k.program->kernel;
    uint32_t *homes = sw_alloc(fn->reg_count * sizeof *homes);
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_interp_place_registers(fn, cfg, homes);
    sw_cfg_destroy(cfg);
    sw_jit_request request = {.kernel = fn,
                              .homes = homes,
                              .shared_offset = offset_of,
                              .arg = k.program,
                              .cpu = "x86-64-v4"}; /* few, large registers */
    sw_lane_map_init(&request.map, (uint32_t[]){32, 1, 1}, 32);
    sw_jit_compile(&request, result);
    sw_free(homes);
    kernel_destroy(&k);
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
