/* SPDX-License-Identifier: Apache-2.0 */
/* second_api.c - another API's library on the engine, as small as can be; for
 * api/engine. */
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/stream.h"

uint64_t second_alloc(uint64_t bytes);
bool second_knows(uint64_t addr, uint64_t *bytes);
int second_fill(uint64_t addr, uint32_t value);

static sw_rt_context *
context(void)
{
    static sw_rt_context *primary;
    if (!primary && sw_rt_init() == SW_OK)
        primary = sw_rt_primary_retain(sw_rt_device_at(0));
    return primary;
}

uint64_t
second_alloc(uint64_t bytes)
{
    uint64_t addr = 0;
    if (context())
        sw_rt_memory_alloc(context(), SW_MEM_DEVICE, bytes, 256, 0, &addr);
    return addr;
}

bool
second_knows(uint64_t addr, uint64_t *bytes)
{
    sw_mem_range range;
    bool found = sw_rt_memory_find(addr, &range) != NULL;
    *bytes = found ? range.bytes : 0;
    return found;
}

/* By a kernel of 64 blocks of 32 threads, waiting for it: the status. */
int
second_fill(uint64_t addr, uint32_t value)
{
    static const char text[] =
        ".version 6.4\n.target sm_60\n.address_size 64\n"
        ".visible .entry second_fill(.param .u64 p, .param .u32 v) {\n"
        "  .reg .u64 %d<3>; .reg .u32 %r<5>;\n"
        "  ld.param.u64 %d1, [p]; ld.param.u32 %r1, [v];\n"
        "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
        "  mad.lo.u32 %r2, %r2, %r3, %r4; mul.wide.u32 %d2, %r2, 4;\n"
        "  add.u64 %d1, %d1, %d2; st.global.u32 [%d1], %r1; ret; }\n";
    static sw_rt_module *module;
    struct {
        uint64_t p;
        uint32_t value, rest;
    } params = {addr, value, 0};
    sw_rt_work work = {
        .kind = SW_RT_LAUNCH,
        .launch = {.grid = {64, 1, 1}, .block = {32, 1, 1}, .params = &params}};
    bool is_configuration;
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status = SW_OK;
    if (!module)
        status = sw_rt_module_load(context(), text, sizeof text, "second",
                                   &diag, &module);
    sw_diag_finish(&diag);
    if (status == SW_OK)
        status =
            sw_rt_module_kernel(module, "second_fill", &work.launch.kernel);
    if (status == SW_OK)
        status = sw_rt_launch_check(&work.launch, context(), &is_configuration);
    if (status != SW_OK)
        return (int)status;
    sw_rt_stream *stream = sw_rt_stream_create(context(), true, 0);
    status = sw_rt_stream_submit(stream, &work);
    if (status == SW_OK)
        status = sw_rt_stream_wait(stream);
    sw_rt_stream_destroy(stream);
    return (int)status;
}
