/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - kernels of module.h: made ready, checked, handed to the engine. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"
#include "device/launch.h"
#include "device/occupancy.h"
#include "exec/engine.h"
#include "jit/jit.h"
#include "rt/module.h"
#include "rt/watch.h"

uint64_t
sw_rt_grid_id(void)
{
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

void
sw_rt_log_diag(const sw_diag *diag, sw_level level)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_diag_print(diag, &text);
    if (text.n && text.p[text.n - 1] == '\n')
        text.p[--text.n] = 0;
    if (text.n)
        sw_log(level, "%s", text.p);
    sw_buf_finish(&text);
}

/* SOFTWARP_ENGINE: interp; jit and auto (the default) are the compiling one's
 * business. */
static const sw_backend *
back_end(void)
{
    return sw_setting_is(SW_SETTING_ENGINE, "interp") ? &sw_backend_interp
                                                      : &sw_backend_jit;
}

static sw_status
prepare_locked(sw_rt_kernel *k)
{
    if (k->tried)
        return k->status;
    k->tried = true;
    sw_diag diag;
    sw_diag_init(&diag);
    sw_program *program = NULL;
    k->status = sw_program_create(back_end(), k->fn, 0, &diag, &program);
    if (k->status == SW_OK) {
        k->info = sw_program_get_info(program);
        __atomic_store_n(&k->program, program, __ATOMIC_RELEASE);
    } else {
        sw_rt_log_diag(&diag, SW_LOG_ERROR);
    }
    sw_diag_finish(&diag);
    return k->status;
}

static sw_status
check_capability(sw_rt_kernel *k)
{
    const sw_device_info *device = k->module->context->device->info;
    if (k->info->since <= device->cc)
        return SW_OK;
    if (!k->capability_said) {
        k->capability_said = true;
        char place[512] = "";
        sw_buf ins;
        sw_buf_init(&ins);
        if (k->info->since_ins) {
            sw_ir_print_ins(k->info->since_fn, k->info->since_ins, &ins);
            sw_ins_place(k->info->since_fn, k->info->since_ins, place,
                         sizeof place);
        }
        sw_log(SW_LOG_ERROR,
               "kernel %s needs compute capability %u.%u, %s has %u.%u: %s at "
               "%s",
               k->fn->name, k->info->since / 10, k->info->since % 10,
               device->name, device->cc / 10, device->cc % 10,
               ins.p ? ins.p : "", place);
        sw_buf_finish(&ins);
    }
    return SW_E_NO_BINARY_FOR_GPU;
}

sw_status
sw_rt_kernel_prepare(sw_rt_kernel *k)
{
    sw_status status = SW_OK;
    if (!__atomic_load_n(&k->program, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&k->module->lock);
        status = prepare_locked(k);
        pthread_mutex_unlock(&k->module->lock);
    }
    return status == SW_OK ? check_capability(k) : status;
}

bool
sw_rt_kernel_param(const sw_rt_kernel *k, uint32_t i, uint32_t *offset,
                   uint32_t *bytes)
{
    if (i >= k->fn->param_count || !k->fn->params[i].sym)
        return false;
    const sw_sym *s = k->fn->params[i].sym;
    *offset = (uint32_t)s->address;
    *bytes = (uint32_t)s->bytes;
    return true;
}

static uint32_t
product(const uint32_t v[3])
{
    return v[0] ? v[0] * (v[1] ? v[1] : 1) * (v[2] ? v[2] : 1) : 0;
}

uint32_t
sw_rt_kernel_max_threads(const sw_rt_kernel *k)
{
    uint32_t most = k->module->context->device->limits->max_threads_block;
    uint32_t n = product(k->fn->reqntid);
    if (!n)
        n = product(k->fn->maxntid);
    return n && n < most ? n : most;
}

/* What is live at once, kept to what a compiler would be held to by the launch
 * bounds: fewer registers than this are not enough. */
static uint32_t
least_regs(const sw_rt_kernel *k)
{
    const sw_cc_limits *l = k->module->context->device->limits;
    uint32_t regs = k->info->max_live_regs + 2;
    uint32_t most = l->max_regs_thread;
    uint32_t bound = product(k->fn->reqntid);
    if (!bound)
        bound = product(k->fn->maxntid);
    if (bound && l->regs_block_max / bound < most)
        most = l->regs_block_max / bound;
    if (k->fn->maxnreg && k->fn->maxnreg < most)
        most = k->fn->maxnreg;
    if (regs > most)
        regs = most;
    return regs ? regs : 1;
}

/* What an H200's driver says of kernels for which its assembler needs fewer. */
enum { LEAST_REGS = 16 };

uint32_t
sw_rt_kernel_regs(sw_rt_kernel *k)
{
    uint32_t regs = __atomic_load_n(&k->regs, __ATOMIC_RELAXED);
    if (!regs) {
        const sw_cc_limits *l = k->module->context->device->limits;
        regs = (uint32_t)(uintptr_t)sw_map_get(k->module->machine_regs,
                                               sw_str_of(k->fn->name));
        if (!regs)
            regs = sw_rt_registers(k->fn, l, 0).registers;
        if (!regs) /* too large to be looked at */
            regs = least_regs(k);
        if (regs < LEAST_REGS)
            regs = LEAST_REGS;
        __atomic_store_n(&k->regs, regs, __ATOMIC_RELAXED);
    }
    return regs;
}

uint32_t
sw_rt_kernel_fit_threads(sw_rt_kernel *k)
{
    const sw_cc_limits *l = k->module->context->device->limits;
    /* What .reqntid says is not among the bounds (H200). */
    uint32_t n = product(k->fn->maxntid);
    if (!n || n > l->max_threads_block)
        n = l->max_threads_block;
    uint32_t fit = sw_occ_most_threads(l, sw_rt_kernel_regs(k));
    return fit && fit < n ? fit : n;
}

/* Percent for shared memory; what says nothing of it asks the older setting
 * (none, shared memory, cache, equal parts) of the kernel, else of the
 * context, of which the newer devices know no
 * more (as an H100 does with CUDA 13). */
static int32_t
carveout(const sw_rt_kernel *k, const sw_cc_limits *limits)
{
    static const int percents[] = {-1, 100, 0, 50};
    int config =
        k->cache_config ? k->cache_config : k->module->context->cache_config;
    int percent = k->carveout >= 0 ? k->carveout : percents[config];
    if (limits->cc < 70 || percent < 0)
        return 0; /* as much as is needed */
    return percent ? percent : -1;
}

sw_occ_kernel
sw_rt_kernel_occ(sw_rt_kernel *k, uint32_t threads, uint64_t dynamic)
{
    const sw_cc_limits *limits = k->module->context->device->limits;
    uint32_t fixed = k->info->static_shared_bytes;
    uint32_t usual =
        limits->smem_block > fixed ? limits->smem_block - fixed : 0;
    return (sw_occ_kernel){
        .carveout = carveout(k, limits),
        .is_bounded = true,
        .dynamic_bound =
            k->max_dynamic_shared > usual ? k->max_dynamic_shared : usual,
        .threads = threads,
        .regs = sw_rt_kernel_regs(k),
        .static_smem = fixed,
        .dynamic_smem = dynamic < UINT32_MAX ? (uint32_t)dynamic : UINT32_MAX,
    };
}

/* The blocks of its clusters: the launch's, else the kernel's (from the text,
 * else from its attributes); false: it has none. */
static bool
clusters_of(const sw_rt_launch *l, uint32_t out[3])
{
    const sw_rt_kernel *k = l->kernel;
    const uint32_t *from[] = {l->cluster, k->fn->reqnctapercluster, k->cluster};
    for (int i = 0; i < 3; i++) {
        memcpy(out, from[i], 3 * sizeof *out);
        if (out[0] || out[1] || out[2])
            return true;
    }
    return false;
}

/* Some kernels count their grids in clusters. */
static void
grid_of(const sw_rt_launch *l, uint32_t out[3])
{
    const sw_fn *fn = l->kernel->fn;
    for (int i = 0; i < 3; i++) {
        uint64_t n = l->grid[i];
        if (fn->blocks_are_clusters && fn->reqnctapercluster[i])
            n *= fn->reqnctapercluster[i];
        out[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
    }
}

static sw_launch_shape
shape_of(const sw_rt_launch *l)
{
    const sw_rt_kernel *k = l->kernel;
    const sw_cc_limits *limits = k->module->context->device->limits;
    sw_launch_shape s = {
        .kernel = k->fn->name,
        .static_smem = k->info->static_shared_bytes,
        .dynamic_smem = l->shared_bytes,
        .is_bounded = k->has_max_dynamic,
        .max_dynamic_smem = k->max_dynamic_shared,
        .local_bytes = k->info->frame_bytes,
        .param_bytes = k->info->param_bytes,
        .cooperative = l->cooperative,
        .max_cluster = k->fn->maxclusterrank,
        .needs_cluster = k->fn->explicit_cluster,
        .nonportable_cluster = k->nonportable_cluster,
    };
    for (int i = 0; i < 3; i++) {
        s.block[i] = l->block[i];
        /* Otherwise a device only counts threads, as for .maxntid (H200). */
        s.own_block[i] = k->fn->blocks_are_clusters ? k->fn->reqntid[i] : 0;
        s.own_cluster[i] = k->fn->reqnctapercluster[0]
                               ? k->fn->reqnctapercluster[i]
                               : k->cluster[i];
        s.preferred_cluster[i] = l->preferred_cluster[i];
    }
    grid_of(l, s.grid);
    (void)clusters_of(l, s.cluster);
    if (product(k->fn->maxntid) || product(k->fn->reqntid))
        s.max_threads = sw_rt_kernel_max_threads(k);
    /* An estimate of registers is no ground to refuse a launch by a hair. */
    uint32_t regs = least_regs(k);
    s.regs = regs - regs / 4;
    uint64_t threads = product(l->block);
    if (threads * s.regs > limits->regs_block_max / 2 &&
        threads > sw_occ_most_threads(limits, s.regs)) {
        regs = sw_rt_kernel_regs(l->kernel); /* what the program is told */
        s.regs = regs < s.regs ? regs : s.regs;
    }
    return s;
}

sw_status
sw_rt_launch_check(const sw_rt_launch *l, sw_rt_context *context,
                   bool *is_configuration)
{
    *is_configuration = false;
    sw_status status = sw_rt_kernel_prepare(l->kernel);
    if (status != SW_OK)
        return status;
    sw_launch_shape shape = shape_of(l);
    const sw_device_info *device = context->device->info;
    status = sw_device_check_launch(device, &shape, NULL);
    if (status == SW_OK)
        return SW_OK;
    sw_diag diag;
    sw_diag_init(&diag);
    sw_device_check_launch(device, &shape, &diag);
    sw_rt_log_diag(&diag, SW_LOG_WARN);
    sw_diag_finish(&diag);
    *is_configuration =
        status == SW_E_INVAL && sw_launch_is_configuration(device, &shape);
    return status;
}

sw_status
sw_rt_launch_clusters(const sw_rt_launch *l, sw_rt_context *context,
                      uint32_t *blocks)
{
    *blocks = 0;
    sw_status status = sw_rt_kernel_prepare(l->kernel);
    if (status != SW_OK)
        return status;
    sw_launch_shape shape = shape_of(l);
    status = sw_device_check_cluster(context->device->info, &shape, NULL);
    if (status == SW_OK)
        *blocks = shape.cluster[0] * shape.cluster[1] * shape.cluster[2];
    return status;
}

/* ---- observers ---- */

static sw_rt_observed *
find_observed(sw_rt_kernel *k, uint32_t events)
{
    sw_rt_observed *o = __atomic_load_n(&k->observed, __ATOMIC_ACQUIRE);
    while (o && o->events != events)
        o = o->next;
    return o;
}

/* With events, or, without, with the code of observers. */
static sw_status
create_observed(const sw_rt_kernel *k, uint32_t events, sw_diag *diag,
                sw_program **out)
{
    if (events)
        return sw_program_create(back_end(), k->fn, events, diag, out);
    return sw_program_create_instrumented(back_end(), k->fn,
                                          sw_rt_watch_instruments(), diag, out);
}

/* The kernel with these events, or, without, with the code of observers; NULL
 * if that cannot be, which is then said. */
static sw_program *
observed_program(sw_rt_kernel *k, uint32_t events)
{
    sw_rt_observed *o = find_observed(k, events);
    if (o)
        return o->program;
    pthread_mutex_lock(&k->module->lock);
    o = find_observed(k, events);
    if (!o) {
        sw_diag diag;
        sw_diag_init(&diag);
        o = sw_alloc(sizeof *o);
        o->events = events;
        o->next = k->observed;
        if (create_observed(k, events, &diag, &o->program) != SW_OK) {
            o->program = NULL;
            sw_rt_log_diag(&diag, SW_LOG_ERROR);
        }
        sw_diag_finish(&diag);
        __atomic_store_n(&k->observed, o, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&k->module->lock);
    return o->program;
}

static uint32_t
shared_offset(const void *program, const sw_sym *sym)
{
    return sw_program_shared_offset(program, (sw_sym *)(uintptr_t)sym);
}

static uint64_t
number_of(sw_rt_kernel *k)
{
    static uint64_t last;
    uint64_t number = __atomic_load_n(&k->number, __ATOMIC_RELAXED);
    if (number)
        return number;
    uint64_t next = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
    return __atomic_compare_exchange_n(&k->number, &number, next, false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED)
               ? next
               : number;
}

static void
watch_launch(sw_rt_launch *l, sw_rt_context *context, sw_launch *out)
{
    sw_rt_kernel *k = l->kernel;
    sw_watch_launch w = {
        .fn = k->fn,
        .kernel = number_of(k),
        .device = context->device->info,
        .grid_id = out->grid_id,
        .op = l->op,
        .stream = l->stream,
        .grid = {out->grid[0], out->grid[1], out->grid[2]},
        .block = {l->block[0], l->block[1], l->block[2]},
        .cluster = {out->cluster[0], out->cluster[1], out->cluster[2]},
        .static_shared_bytes = k->info->static_shared_bytes,
        .dynamic_shared_bytes = l->shared_bytes,
        .regs = sw_rt_kernel_regs(k),
        .ins_count = k->info->ins_count,
        .params = l->params,
        .shared_offset = shared_offset,
        .program = k->program,
        .is_cooperative = l->cooperative,
        .is_recorded = l->is_recorded,
        .is_sampled_ok = !l->cooperative && !out->cluster[0]};
    l->watched = sw_rt_watched_begin(&w);
    uint32_t sample;
    const sw_observer *observer = sw_rt_watched_observer(l->watched, &sample);
    sw_program *program = NULL;
    if (observer || sw_rt_watch_instruments())
        program = observed_program(k, observer ? observer->events : 0);
    if (!program)
        return;
    out->program = program;
    out->observer = observer;
    l->is_instrumented = !observer;
    if (!observer)
        return;
    if (sample > 1) {
        out->plain = l->kernel->program;
        out->sample = sample;
    }
}

sw_status
sw_rt_launch_prepare(sw_rt_launch *l, sw_rt_context *context, uint64_t grid_id,
                     sw_launch *out)
{
    *out = (sw_launch){
        .program = l->kernel->program,
        .block = {l->block[0], l->block[1], l->block[2]},
        .dynamic_shared_bytes = l->shared_bytes,
        .params = l->params,
        .cooperative = l->cooperative,
        .env = &context->env,
        .grid_id = grid_id,
        .environment = l->environment,
    };
    grid_of(l, out->grid);
    out->is_explicit_cluster = clusters_of(l, out->cluster);
    l->watched = NULL;
    l->is_instrumented = false;
    if (sw_rt_watch_is_on())
        watch_launch(l, context, out);
    return SW_OK;
}

static bool
stats_are_on(void)
{
    static int on = -1; /* a race sets it twice to the same */
    if (__atomic_load_n(&on, __ATOMIC_RELAXED) < 0) {
        __atomic_store_n(&on, sw_setting_is(SW_SETTING_STATS, "1"),
                         __ATOMIC_RELAXED);
    }
    return __atomic_load_n(&on, __ATOMIC_RELAXED);
}

void
sw_rt_launch_ended(const sw_rt_launch *l, const sw_fault *fault,
                   const sw_grid_stats *stats, sw_watch_time *time,
                   const struct sw_times **forecast)
{
    if (l->watched) {
        sw_watch_time unused;
        sw_watch_end end = {.time = time ? time : &unused,
                            .forecast = forecast,
                            .has_started = stats != NULL,
                            .is_instrumented = l->is_instrumented,
                            .status = fault ? fault->status : SW_OK,
                            .fault =
                                fault && fault->text[0] ? fault->text : NULL};
        if (stats) {
            end.start_ns = stats->start_ns;
            end.end_ns = stats->end_ns;
        }
        sw_rt_watched_end(l->watched, &end);
    }
    if (stats_are_on() && stats)
        fprintf(stderr,
                "softwarp: stats: kernel %s lane-instructions %llu time_ns "
                "%llu\n",
                l->kernel->fn->name, (unsigned long long)stats->lane_ins,
                (unsigned long long)(stats->end_ns - stats->start_ns));
}
