/* SPDX-License-Identifier: Apache-2.0 */
/* executable.c - PTX loaded for a device, and what is known of its kernels. */
#include <string.h>

#include "api/opencl/compiler.h"
#include "api/opencl/program.h"

/* One argument of PTX that says nothing of it but its place. */
static sw_cl_argument
plain_argument(uint32_t offset, uint32_t bytes)
{
    return (sw_cl_argument){.name = "",
                            .type_name = "",
                            .address = CL_KERNEL_ARG_ADDRESS_PRIVATE,
                            .access = CL_KERNEL_ARG_ACCESS_NONE,
                            .kind = SW_CL_ARG_VALUE,
                            .offset = offset,
                            .size = bytes,
                            .alignment = 16};
}

static sw_cl_kernel
plain_kernel(sw_arena *arena, sw_fn *fn)
{
    sw_cl_kernel k = {.name = fn->name, .attributes = ""};
    k.argument_count = fn->param_count;
    k.arguments = sw_arena_alloc(arena, fn->param_count * sizeof *k.arguments);
    for (uint32_t i = 0; i < fn->param_count; i++) {
        const sw_sym *s = fn->params[i].sym;
        k.arguments[i] =
            plain_argument((uint32_t)s->address, (uint32_t)s->bytes);
    }
    memcpy(k.required_size, fn->reqntid, sizeof k.required_size);
    return k;
}

/* Of PTX that another compiler has made. */
static void
plain_facts(sw_ocl_built *b)
{
    size_t n = 0;
    while (sw_rt_module_entry(b->module, n))
        n++;
    sw_arena *arena = sw_arena_create();
    b->facts = (sw_cl_program_facts){
        .arena = arena, .uniform_groups = true, .count = n};
    b->facts.kernels = sw_arena_alloc(arena, n * sizeof *b->facts.kernels);
    for (size_t i = 0; i < n; i++)
        b->facts.kernels[i] =
            plain_kernel(arena, sw_rt_module_entry(b->module, i));
}

/* As NVIDIA's compiler says it (-cl-nv-verbose). */
static void
say_registers(const sw_ocl_built *b, cl_device_id device, sw_buf *log)
{
    unsigned cc = device->device->info->cc;
    for (size_t i = 0; i < b->facts.count; i++) {
        sw_rt_kernel *k;
        const char *name = b->facts.kernels[i].name;
        if (sw_rt_module_kernel(b->module, name, &k) != SW_OK ||
            sw_rt_kernel_prepare(k) != SW_OK)
            continue;
        sw_buf_printf(log,
                      "ptxas info    : Compiling entry function '%s' for "
                      "'sm_%u'\nptxas info    : Used %u registers, %u bytes "
                      "smem, %u bytes cmem[0]\n",
                      name, cc, sw_rt_kernel_regs(k),
                      k->info->static_shared_bytes,
                      sw_rt_kernel_param_bytes(k));
    }
}

cl_int
sw_ocl_program_load(const struct _cl_program *p, cl_uint i, sw_ocl_built *b,
                    sw_buf *log)
{
    int at = sw_ocl_device_index(p->context, p->devices[i]);
    sw_diag diag;
    sw_diag_init(&diag);
    sw_status status =
        sw_rt_module_load(p->context->rt[at], b->binary, b->binary_bytes,
                          SW_OCL_SOURCE_NAME, &diag, &b->module);
    sw_diag_print(&diag, log);
    sw_diag_finish(&diag);
    if (status != SW_OK) {
        b->module = NULL;
        return CL_BUILD_PROGRAM_FAILURE;
    }
    const sw_ocl_compiler *c = sw_ocl_get_compiler();
    const sw_str text = {b->binary, b->binary_bytes};
    b->has_facts = true;
    if (!c || c->read_facts(text, &b->facts) != SW_OK)
        plain_facts(b);
    if (b->facts.verbose)
        say_registers(b, p->devices[i], log);
    return CL_SUCCESS;
}
