/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_engine.c - runs the kernels of ptx_runner.c on the engine itself: front
 * end, linker, verifier, exec, interpreter (with SOFTWARP_ENGINE=jit compiled
 * code); no API, no runtime.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "exec/exec.h"
#include "front/ptx/ptx.h"
#include "jit/jit.h"
#include "mem/mem.h"
#include "opt/numerics.h"
#include "opt/pipeline.h"
#include "ptx_runner.h"

enum { DEVICE = 0, MAX_VARIABLES = 256 };

static sw_module *module;
static uint64_t variables[MAX_VARIABLES];
static unsigned variable_count;

static void
print(void *arg, const char *text, size_t bytes)
{
    (void)arg;
    runner_print(text, bytes);
}

static sw_env env = {.clock_khz = 1000000,
                     .sm_count = 4,
                     .members_checked = true,
                     .device = DEVICE,
                     .stack_bytes = 4096,
                     .heap_bytes = 8 << 20,
                     .print = print};

static bool
is_ok(sw_status status, const char *what)
{
    if (status != SW_OK)
        runner_error("%s: CUDA_ERROR_%s", what, sw_status_name(status));
    return status == SW_OK;
}

bool
device_is_ours(void)
{
    return true;
}

bool
device_alloc(size_t bytes, uint64_t *address)
{
    return is_ok(sw_mem_alloc(SW_MEM_DEVICE, DEVICE, bytes, 256, NULL, address),
                 "alloc");
}

void
device_free(uint64_t address)
{
    is_ok(sw_mem_free(address), "free");
}

bool
device_copy_in(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return true;
}

bool
device_copy_out(void *to, uint64_t from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return true;
}

/* ---- loading: what the runtime does, for one module ---- */

/* What an assembler makes of it, with the floating point of SOFTWARP_NUMERICS
 * or of the devices of today. */
static sw_status
assemble(sw_diag *diag)
{
    const char *name = getenv("SOFTWARP_NUMERICS");
    unsigned rules = SW_NUM_NONE;
    if (name && !sw_numerics_find(name, &rules))
        return SW_E_INVALID_DEVICE;
    sw_opt_unit unit = {.module = module, .numerics = rules, .diag = diag};
    sw_opt_run(SW_STAGE_LOAD, &unit);
    return SW_OK;
}

static sw_status
place(sw_sym *sym)
{
    if (sym->fn || sym->space == SW_SPACE_REG) {
        sym->address = (uint64_t)(uintptr_t)sym;
        return SW_OK;
    }
    if (sym->linkage == SW_LINK_EXTERN ||
        (sym->space != SW_SPACE_GLOBAL && sym->space != SW_SPACE_CONST))
        return SW_OK;
    if (variable_count == MAX_VARIABLES)
        return SW_E_NOMEM;
    uint64_t bytes = sym->bytes ? sym->bytes : 1;
    sw_status status =
        sw_mem_alloc(SW_MEM_MODULE, DEVICE, bytes, sym->align ? sym->align : 1,
                     sym, &sym->address);
    if (status != SW_OK)
        return status;
    variables[variable_count++] = sym->address;
    memset((void *)(uintptr_t)sym->address, 0, bytes);
    if (sym->init_bytes)
        memcpy((void *)(uintptr_t)sym->address, sym->init, sym->init_bytes);
    return SW_OK;
}

static void
relocate(const sw_sym *sym)
{
    for (uint32_t i = 0; i < sym->reloc_count; i++) {
        const sw_reloc *r = &sym->relocs[i];
        const sw_sym *to = sw_sym_resolve(r->sym);
        uint64_t v = ((to ? to->address : 0) + (uint64_t)r->addend) >> r->shift;
        memcpy((void *)(uintptr_t)(sym->address + r->offset), &v, r->bytes);
    }
}

bool
device_load(const char *name, const char *text, size_t bytes)
{
    sw_diag diag;
    sw_buf said;
    sw_diag_init(&diag);
    sw_buf_init(&said);
    module = sw_ptx_parse(name, text, bytes, &diag);
    sw_status status = module ? SW_OK : SW_E_INVALID_PTX;
    if (status == SW_OK)
        status = sw_ir_link(&module, 1, &diag);
    if (status == SW_OK)
        status = sw_ir_verify(module, &diag);
    if (status == SW_OK)
        status = assemble(&diag);
    for (uint32_t i = 0; status == SW_OK && i < module->sym_count; i++)
        status = place(module->syms[i]);
    for (uint32_t i = 0; status == SW_OK && i < module->sym_count; i++)
        if (module->syms[i]->reloc_count)
            relocate(module->syms[i]);
    sw_diag_print(&diag, &said);
    if (said.n)
        runner_error("%.*s", (int)said.n - 1, said.p);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    return is_ok(status, "load");
}

void
device_unload(void)
{
    while (variable_count)
        sw_mem_free(variables[--variable_count]);
    sw_module_destroy(module);
    module = NULL;
}

/* ---- launching ---- */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_done;
    sw_fault fault;
} wait_for;

static void
done(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    wait_for *w = arg;
    (void)stats;
    pthread_mutex_lock(&w->lock);
    w->fault = *fault;
    w->is_done = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

static bool
run_program(const device_launch *l, const sw_fn *fn, sw_program *program)
{
    static uint64_t grid_id;
    uint8_t *params = sw_alloc(fn->param_bytes + 1);
    wait_for w = {.lock = PTHREAD_MUTEX_INITIALIZER,
                  .wake = PTHREAD_COND_INITIALIZER};
    for (uint32_t i = 0; i < fn->param_count; i++) {
        const sw_sym *formal = fn->params[i].sym;
        size_t n = l->arg_bytes[i];
        memcpy(params + formal->address, l->args[i],
               n < formal->bytes ? n : formal->bytes);
    }
    sw_launch launch = {.program = program,
                        .dynamic_shared_bytes = l->shared,
                        .params = params,
                        .cooperative = l->cooperative,
                        .env = &env,
                        .grid_id = ++grid_id,
                        .done = done,
                        .arg = &w};
    memcpy(launch.grid, l->grid, sizeof launch.grid);
    memcpy(launch.block, l->block, sizeof launch.block);
    memcpy(launch.cluster, l->cluster, sizeof launch.cluster);
    launch.is_explicit_cluster = launch.cluster[0] != 0;
    sw_status status = sw_exec_submit(&launch);
    if (status == SW_OK) {
        pthread_mutex_lock(&w.lock);
        while (!w.is_done)
            pthread_cond_wait(&w.wake, &w.lock);
        pthread_mutex_unlock(&w.lock);
        status = w.fault.status;
        if (status != SW_OK)
            runner_error("%s", w.fault.text);
    }
    sw_free(params);
    return is_ok(status, "run");
}

bool
device_run(const device_launch *l)
{
    const sw_sym *sym = sw_module_find(module, l->kernel);
    sw_program *program = NULL;
    sw_diag diag;
    sw_buf said;
    if (!sym || !sym->fn || !sym->fn->is_entry) {
        runner_error("'%s' is no kernel", l->kernel);
        return false;
    }
    if (sym->fn->param_count != l->arg_count) {
        runner_error("'%s' takes %u arguments, not %u", l->kernel,
                     sym->fn->param_count, l->arg_count);
        return false;
    }
    sw_diag_init(&diag);
    sw_buf_init(&said);
    const char *engine = getenv("SOFTWARP_ENGINE");
    bool compiled = engine && strcmp(engine, "jit") == 0;
    sw_status status =
        sw_program_create(compiled ? &sw_backend_jit : &sw_backend_interp,
                          sym->fn, 0, &diag, &program);
    sw_diag_print(&diag, &said);
    if (said.n)
        runner_error("%.*s", (int)said.n - 1, said.p);
    sw_buf_finish(&said);
    sw_diag_finish(&diag);
    bool ok = is_ok(status, "load") && run_program(l, sym->fn, program);
    sw_program_destroy(program);
    return ok;
}
