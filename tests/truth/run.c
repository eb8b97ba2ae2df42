/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - see run.h. */
#include "truth/run.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "exec/exec.h"
#include "front/ptx/ptx.h"
#include "jit/jit.h"
#include "jit/tier/variant.h"
#include "mem/mem.h"
#include "opt/pipeline.h"
#include "sem/texture.h"

static sw_module *module;
static sw_texture texture;

static bool
place(sw_sym *sym)
{
    if (sym->fn || sym->space == SW_SPACE_REG) {
        sym->address = (uint64_t)(uintptr_t)sym;
        return true;
    }
    if (sym->space != SW_SPACE_GLOBAL && sym->space != SW_SPACE_CONST)
        return true;
    uint64_t bytes = sym->bytes ? sym->bytes : 1;
    if (sw_mem_alloc(SW_MEM_MODULE, 0, bytes, sym->align ? sym->align : 1, sym,
                     &sym->address) != SW_OK)
        return false;
    memset((void *)(uintptr_t)sym->address, 0, bytes);
    if (sym->init_bytes)
        memcpy((void *)(uintptr_t)sym->address, sym->init, sym->init_bytes);
    return true;
}

bool
truth_load(void)
{
    static const char path[] = "tests/data/registers/truth.ptx";
    size_t bytes = 0;
    char *text = NULL;
    sw_diag diag;
    sw_diag_init(&diag);
    bool ok = sw_file_read(path, &text, &bytes) == SW_OK &&
              (module = sw_ptx_parse(path, text, bytes, &diag)) &&
              sw_ir_link(&module, 1, &diag) == SW_OK &&
              sw_ir_verify(module, &diag) == SW_OK;
    for (uint32_t i = 0; ok && i < module->sym_count; i++)
        ok = place(module->syms[i]);
    if (ok) {
        sw_opt_unit unit = {.module = module};
        sw_opt_run(SW_STAGE_LOAD, &unit);
    } else {
        printf("cannot load %s\n", path);
    }
    sw_diag_finish(&diag);
    sw_free(text);
    return ok;
}

static const sw_texture *
find_texture(void *arg, uint64_t handle)
{
    (void)arg;
    return handle == TRUTH_TEXTURE ? &texture : NULL;
}

static void
describe_texture(void)
{
    texture = (sw_texture){.linear = true,
                           .geom = SW_GEOM_1D,
                           .layers = 1,
                           .level_count = 1,
                           .bits = {32},
                           .channel = SW_CHANNEL_FLOAT};
    texture.level[0] = (sw_texture_level){.address = truth_texture_address(),
                                          .width = 1 << 26,
                                          .height = 1,
                                          .depth = 1,
                                          .pitch = 4ull << 26};
}

/* ---- a launch ---- */

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_done;
    sw_status status;
} waiting;

static void
done(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    waiting *w = arg;
    (void)stats;
    pthread_mutex_lock(&w->lock);
    if (fault->status != SW_OK)
        printf("%s\n", fault->text);
    w->status = fault->status;
    w->is_done = true;
    pthread_cond_signal(&w->wake);
    pthread_mutex_unlock(&w->lock);
}

static sw_status
submit(sw_launch *launch)
{
    waiting w = {.is_done = false};
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.wake, NULL);
    launch->done = done;
    launch->arg = &w;
    sw_status status = sw_exec_submit(launch);
    if (status == SW_OK) {
        pthread_mutex_lock(&w.lock);
        while (!w.is_done)
            pthread_cond_wait(&w.wake, &w.lock);
        pthread_mutex_unlock(&w.lock);
        status = w.status;
    }
    pthread_cond_destroy(&w.wake);
    pthread_mutex_destroy(&w.lock);
    return status;
}

static sw_program *
make_program(const sw_backend *backend, const sw_fn *fn, uint32_t events)
{
    sw_diag diag;
    sw_program *program = NULL;
    sw_diag_init(&diag);
    if (sw_program_create(backend, fn, events, &diag, &program) != SW_OK)
        program = NULL;
    sw_diag_finish(&diag);
    return program;
}

/* Fills in the launch; params has room for the kernel's. */
static sw_launch
prepare(const truth_case *c, sw_program *program, const sw_fn *fn,
        const sw_device_info *device, uint8_t params[64])
{
    static sw_env env = {.clock_khz = 1980000,
                         .stack_bytes = 1024,
                         .heap_bytes = 1 << 20,
                         .texture = find_texture};
    describe_texture();
    env.sm_count = device->sm_count;
    for (uint32_t i = 0; i < c->arg_count; i++)
        memcpy(params + fn->params[i].sym->address, &c->args[i].bits,
               c->args[i].bytes);
    sw_launch launch = {
        .program = program, .params = params, .env = &env, .grid_id = 1};
    memcpy(launch.grid, c->grid, sizeof launch.grid);
    memcpy(launch.block, c->block, sizeof launch.block);
    return launch;
}

static sw_counters *
make_counters(const truth_case *c, const sw_program *program,
              const sw_device_info *device, uint32_t regs, uint32_t sample,
              bool caches)
{
    const sw_program_info *info = sw_program_get_info(program);
    sw_count_launch about = {.kernel = c->kernel,
                             .device = device,
                             .static_shared_bytes = info->static_shared_bytes,
                             .regs = regs,
                             .ins_count = info->ins_count,
                             .sample = sample,
                             .caches = caches};
    memcpy(about.grid, c->grid, sizeof about.grid);
    memcpy(about.block, c->block, sizeof about.block);
    return sw_counters_create(&about);
}

static const sw_fn *
find_kernel(const truth_case *c)
{
    const sw_sym *sym = sw_module_find(module, c->kernel);
    if (sym && sym->fn && sym->fn->param_count == c->arg_count)
        return sym->fn;
    printf("%s: no kernel %s of %u arguments\n", c->name, c->kernel,
           c->arg_count);
    return NULL;
}

/* Runs the case with these programs; NULL: it failed. `plain` and `sample` as
 * in sw_launch. */
static sw_counters *
count_with(const truth_case *c, const sw_device_info *device,
           sw_program *program, sw_program *plain, uint32_t regs,
           uint32_t sample, bool caches)
{
    uint8_t params[64] = {0};
    sw_launch launch = prepare(c, program, find_kernel(c), device, params);
    sw_counters *counters =
        make_counters(c, program, device, regs, sample, caches);
    launch.observer = sw_counters_observer(counters);
    launch.plain = plain;
    launch.sample = sample;
    if (submit(&launch) == SW_OK) {
        sw_counters_finish(counters);
        return counters;
    }
    sw_counters_destroy(counters);
    return NULL;
}

sw_counters *
truth_run(const truth_case *c, const sw_device_info *device, uint32_t regs,
          uint32_t sample)
{
    const sw_fn *fn = find_kernel(c);
    sw_program *program =
        fn ? make_program(&sw_backend_interp, fn, SW_COUNTERS_EVENTS) : NULL;
    sw_program *plain =
        fn && sample > 1 ? make_program(&sw_backend_jit, fn, 0) : NULL;
    sw_counters *counters = NULL;
    if (program && (plain || sample < 2))
        counters =
            count_with(c, device, program, plain, regs, sample, sample < 2);
    sw_program_destroy(program);
    sw_program_destroy(plain);
    return counters;
}

sw_counters *
truth_count(const truth_case *c, const sw_device_info *device, bool compiled)
{
    const sw_fn *fn = find_kernel(c);
    sw_program *program =
        fn ? make_program(compiled ? &sw_backend_jit : &sw_backend_interp, fn,
                          SW_COUNTERS_EVENTS)
           : NULL;
    sw_counters *counters =
        program ? count_with(c, device, program, NULL, 32, 1, false) : NULL;
    if (counters && compiled &&
        atomic_load(&sw_variant_find(program, c->block, false)->state) !=
            SW_VARIANT_READY) {
        printf("%s: is not compiled\n", c->name);
        sw_counters_destroy(counters);
        counters = NULL;
    }
    sw_program_destroy(program);
    return counters;
}

bool
truth_observe(const truth_case *c, const sw_device_info *device,
              uint32_t events, uint32_t sample, truth_make *make, void *arg)
{
    const sw_fn *fn = find_kernel(c);
    sw_program *program = fn ? make_program(&sw_backend_jit, fn, events) : NULL;
    sw_program *plain =
        program && sample > 1 ? make_program(&sw_backend_jit, fn, 0) : NULL;
    bool ok = program && (plain || sample < 2);
    if (ok) {
        uint8_t params[64] = {0};
        sw_launch launch = prepare(c, program, fn, device, params);
        launch.observer = make(arg, fn, sw_program_get_info(program));
        launch.plain = plain;
        launch.sample = sample;
        ok = submit(&launch) == SW_OK;
    }
    sw_program_destroy(program);
    sw_program_destroy(plain);
    return ok;
}

static double
processor_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* One run; false: it failed. */
static bool
run_as(const truth_case *c, const sw_device_info *device, sw_program *program,
       truth_how how)
{
    uint8_t params[64] = {0};
    if (how != TRUTH_PLAIN) {
        sw_counters *counters =
            count_with(c, device, program, NULL, 32, 1, how == TRUTH_CACHES);
        sw_counters_destroy(counters);
        return counters != NULL;
    }
    sw_launch launch = prepare(c, program, find_kernel(c), device, params);
    return submit(&launch) == SW_OK;
}

double
truth_cost(const truth_case *c, const sw_device_info *device, truth_how how,
           bool compiled)
{
    const sw_fn *fn = find_kernel(c);
    sw_program *program =
        fn ? make_program(compiled ? &sw_backend_jit : &sw_backend_interp, fn,
                          how == TRUTH_PLAIN ? 0 : SW_COUNTERS_EVENTS)
           : NULL;
    bool ok = program && (!compiled || run_as(c, device, program, how));
    double start = processor_seconds();
    ok = ok && run_as(c, device, program, how);
    double seconds = processor_seconds() - start;
    sw_program_destroy(program);
    return ok ? seconds : -1;
}
