/* SPDX-License-Identifier: Apache-2.0 */
/* activity.c - see activity.h: who did what when, as records. */
#include "rt/activity.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/settings.h"
#include "model/model.h"
#include "rt/calls.h"
#include "rt/compute.h"
#include "rt/device_clock.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/textlog.h"

struct sw_rt_activity {
    sw_rt_work_kind kind;
    const sw_rt_context *context;
    sw_rt_launch launch; /* LAUNCH: without parameters */
    sw_rt_counted *counted;
    const sw_times *forecast; /* LAUNCH: or NULL */
    bool is_placed;
    union {
        sw_record_launch launch;
        sw_record_copy copy;
        sw_record_fill fill;
    } record;
};

bool sw_rt_activity_on;

static struct {
    pthread_mutex_t lock; /* of all that follows */
    const char *name;     /* of the file; NULL: none is wanted */
    sw_rt_lines *lines;   /* or NULL */
    bool has_begun, has_ended, has_devices;
    bool paused;    /* atomic, without the lock */
    sw_map *groups; /* kernel and shape -> group * */
    uint64_t launches;
} all = {.lock = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP};

/* Launches of one kernel and shape. */
typedef struct {
    uint32_t number, launches;
    sw_map *rows; /* index -> sw_record_row *; what is not written yet */
    sw_arena *arena;
} group;

/* ---- the file ---- */

/* What operations and calls write is made before the lock is taken: threads
 * that launch and workers that end launches come here all the time. */
static void
write_text_locked(const sw_buf *text)
{
    if (all.lines && !all.has_ended)
        sw_rt_lines_add(all.lines, text->p, text->n);
}

static void
write_locked(sw_record_kind kind, const void *record)
{
    sw_buf text;
    sw_buf_init(&text);
    sw_record_print(kind, record, &text);
    write_text_locked(&text);
    sw_buf_finish(&text);
}

/* The command line, its parts separated by blanks. */
static void
read_command(sw_buf *out)
{
    char *text;
    size_t bytes;
    if (sw_file_read("/proc/self/cmdline", &text, &bytes) != SW_OK)
        return;
    for (size_t i = 0; i + 1 < bytes; i++)
        if (!text[i])
            text[i] = ' ';
    sw_buf_add(out, text, bytes ? bytes - 1 : 0);
    sw_free(text);
}

static void
write_process_locked(void)
{
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    char folder[PATH_MAX];
    if (!getcwd(folder, sizeof folder))
        folder[0] = 0;
    sw_buf command;
    sw_buf_init(&command);
    read_command(&command);
    sw_record_process r = {
        .pid = (uint64_t)getpid(),
        .begin_ns = sw_rt_host_ns(),
        .on_device_clock = sw_rt_device_clock_is_on(),
        .wall_ns = (uint64_t)wall.tv_sec * 1000000000 + (uint64_t)wall.tv_nsec,
        .command = command.p,
        .folder = folder,
    };
    write_locked(SW_RECORD_KIND_PROCESS, &r);
    sw_buf_finish(&command);
}

/* The file is made when there is something to write: programs that only load
 * the library leave none. */
static void
begin_locked(void)
{
    if (all.has_begun)
        return;
    all.has_begun = true;
    if (!all.name)
        return;
    all.lines = sw_rt_lines_open(all.name);
    if (!all.lines)
        return;
    sw_rt_lines_add(all.lines, SW_RECORD_FIRST_LINE,
                    strlen(SW_RECORD_FIRST_LINE));
    write_process_locked();
}

void
sw_rt_activity_source(const char *name, const char *text)
{
    if (!sw_rt_activity_on)
        return;
    sw_record_source r = {name, text};
    pthread_mutex_lock(&all.lock);
    begin_locked();
    write_locked(SW_RECORD_KIND_SOURCE, &r);
    pthread_mutex_unlock(&all.lock);
}

static void
write_devices_locked(void)
{
    if (all.has_devices || !sw_rt_is_initialized())
        return;
    all.has_devices = true;
    for (int i = 0; i < sw_rt_device_count(); i++) {
        sw_record_device r = {(uint32_t)i, sw_rt_device_at(i)->info->name};
        write_locked(SW_RECORD_KIND_DEVICE, &r);
    }
}

/* ---- rows of instructions ---- */

static sw_str
bytes_of(const void *p, size_t n)
{
    return (sw_str){p, n};
}

static group *
group_of_key_locked(sw_str key)
{
    if (!all.groups)
        all.groups = sw_map_create();
    group *g = sw_map_get(all.groups, key);
    if (!g) {
        g = sw_alloc(sizeof *g);
        g->number = (uint32_t)sw_map_count(all.groups) + 1;
        g->rows = sw_map_create();
        g->arena = sw_arena_create();
        sw_map_set(all.groups, key, g);
    }
    return g;
}

static group *
group_of_locked(const sw_rt_launch *l)
{
    struct {
        const sw_fn *fn;
        const char *kernel; /* fn may be another one's later */
        uint32_t grid[3], block[3], shared, padding;
    } key = {
        .fn = l->kernel->fn,
        .kernel = l->kernel->fn->name,
        .shared = l->shared_bytes,
    };
    memcpy(key.grid, l->grid, sizeof key.grid);
    memcpy(key.block, l->block, sizeof key.block);
    return group_of_key_locked(bytes_of(&key, sizeof key));
}

/* Of a library's computation. */
static group *
group_of_name_locked(const char *name)
{
    return group_of_key_locked(sw_str_of(name));
}

static void
write_rows_locked(group *g)
{
    size_t it = 0;
    sw_str key;
    void *value;
    while (sw_map_next(g->rows, &it, &key, &value))
        write_locked(SW_RECORD_KIND_ROW, value);
    sw_map_destroy(g->rows);
    sw_arena_destroy(g->arena);
    g->rows = sw_map_create();
    g->arena = sw_arena_create();
}

static sw_record_row *
row_of_locked(group *g, const sw_count_row *row)
{
    sw_record_row *r = sw_map_get(g->rows, bytes_of(&row->index, 4));
    if (r)
        return r;
    r = sw_arena_alloc(g->arena, sizeof *r);
    sw_buf text;
    sw_buf_init(&text);
    sw_ir_print_ins(row->fn, row->ins, &text);
    *r = (sw_record_row){
        .group = g->number,
        .index = row->index,
        .ptx_line = row->ins->line,
        .source_line = row->line,
        .cls = row->cls,
        .function = sw_arena_str(g->arena, sw_str_of(row->fn->name)),
        .source = sw_arena_str(g->arena, sw_str_of(row->file ? row->file : "")),
        .text = sw_arena_str(g->arena, bytes_of(text.p, text.n)),
        .counts = sw_arena_alloc(g->arena, sizeof(sw_counts)),
    };
    sw_buf_finish(&text);
    sw_map_set(g->rows, bytes_of(&row->index, 4), r);
    return r;
}

/* The first launch's rows are written at once, later ones' sums at the end:
 * a program that is killed has the first, and one with many launches does not
 * fill the disk. */
static void
add_rows_locked(group *g, const sw_rt_counted *counted)
{
    const sw_counters *counters = sw_rt_counted_get(counted);
    size_t count;
    const sw_count_row *rows = sw_counters_rows(counters, &count);
    double scale = sw_counters_scale(counters);
    for (size_t i = 0; i < count; i++) {
        sw_record_row *r = row_of_locked(g, &rows[i]);
        sw_counts_add((sw_counts *)(uintptr_t)r->counts, &rows[i].n);
        /* Launches of one shape have one scale, but for the last blocks. */
        r->scale = (r->scale * r->launches + scale) / (r->launches + 1);
        double camping = sw_rt_counted_camping(counted, rows[i].index);
        r->camping = camping > r->camping ? camping : r->camping;
        r->launches++;
    }
    if (!g->launches++)
        write_rows_locked(g);
}

static void
end_(void)
{
    pthread_mutex_lock(&all.lock);
    size_t it = 0;
    sw_str key;
    void *g;
    while (all.groups && sw_map_next(all.groups, &it, &key, &g))
        write_rows_locked(g);
    all.has_ended = true;
    sw_rt_lines_close(all.lines);
    all.lines = NULL;
    pthread_mutex_unlock(&all.lock);
    sw_rt_textlog_end();
}

/* The parent's file is not the child's: it begins one of its own, if its name
 * is another. */
static void
on_fork(void)
{
    bool has_own = all.name && strstr(all.name, "%p");
    sw_rt_activity_on &= has_own;
    all.has_ended = !has_own;
    all.has_begun = all.has_devices = false;
    all.lines = NULL;
    all.groups = NULL;
    all.launches = 0;
    sw_rt_textlog_forget();
    pthread_mutex_init(&all.lock, NULL);
}

/* ---- calls ---- */

/* Not written by a program's author: what compilers put in, what our own
 * libraries ask each other. */
static bool
is_hidden(const char *name)
{
    return strcmp(name, "cuGetExportTable") == 0 ||
           (strncmp(name, "__cuda", 6) == 0 &&
            strncmp(name, "__cudaLaunchKernel", 18) != 0);
}

/* As source spells it: without leading underscores and endings that a header
 * adds. */
static void
plain_name(const char *name, char *out, size_t bytes)
{
    static const char *const endings[] = {"_ptsz", "_ptds", "_v2", "_v3"};
    name += strspn(name, "_");
    size_t n = strnlen(name, bytes - 1);
    memcpy(out, name, n);
    out[n] = 0;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t m = strlen(endings[i]);
        n = strlen(out);
        if (n > m && strcmp(out + n - m, endings[i]) == 0)
            out[n - m] = 0;
    }
}

void
sw_rt_activity_pause(bool pause)
{
    __atomic_store_n(&all.paused, pause, __ATOMIC_RELAXED);
}

static bool
is_paused(void)
{
    return __atomic_load_n(&all.paused, __ATOMIC_RELAXED);
}

static void
on_call_end(void *arg, const sw_rt_call *call)
{
    (void)arg;
    if (!sw_rt_activity_on || is_paused() || is_hidden(call->entry->name))
        return;
    char name[128];
    plain_name(call->entry->name, name, sizeof name);
    sw_record_call r = {
        .correlation = call->correlation,
        .thread = call->thread,
        .is_driver = strncmp(name, "cuda", 4) != 0,
        .result = (uint32_t)call->result,
        .begin_ns = call->begin_ns,
        .end_ns = call->end_ns,
        .name = name,
    };
    sw_buf text;
    sw_buf_init(&text);
    sw_record_print(SW_RECORD_KIND_CALL, &r, &text);
    pthread_mutex_lock(&all.lock);
    begin_locked();
    write_devices_locked();
    write_text_locked(&text);
    pthread_mutex_unlock(&all.lock);
    sw_buf_finish(&text);
    sw_rt_textlog_call(&r);
}

/* ---- operations ---- */

static sw_place
place_of(uint64_t addr)
{
    sw_mem_range range;
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    if (a && a->is_array)
        return SW_PLACE_ARRAY;
    if (!sw_mem_find(addr, &range))
        return SW_PLACE_PAGEABLE;
    switch (range.kind) {
    case SW_MEM_HOST:
    case SW_MEM_REGISTERED:
        return SW_PLACE_PINNED;
    case SW_MEM_MANAGED:
        return SW_PLACE_MANAGED;
    default:
        return SW_PLACE_DEVICE;
    }
}

static void
describe_launch(const sw_rt_launch *l, sw_record_launch *r)
{
    const sw_program_info *info = l->kernel->info;
    r->grid_x = l->grid[0];
    r->grid_y = l->grid[1];
    r->grid_z = l->grid[2];
    r->block_x = l->block[0];
    r->block_y = l->block[1];
    r->block_z = l->block[2];
    r->dynamic_shared_bytes = l->shared_bytes;
    r->static_shared_bytes = info->static_shared_bytes;
    r->local_bytes = info->frame_bytes;
    r->regs = sw_rt_kernel_regs(l->kernel);
    r->kernel = l->kernel->fn->name;
}

/* A library's computation is a launch of one thread in a profile. */
static void
describe_compute(const sw_rt_compute *c, sw_record_launch *r)
{
    r->grid_x = r->grid_y = r->grid_z = 1;
    r->block_x = r->block_y = r->block_z = 1;
    r->kernel = c->name;
}

static bool
is_launch(sw_rt_work_kind kind)
{
    return kind == SW_RT_LAUNCH || kind == SW_RT_COMPUTE;
}

sw_rt_activity *
sw_rt_activity_queued(const sw_rt_context *context, const sw_rt_stream *stream,
                      const sw_rt_work *work, bool is_blocking)
{
    if (work->kind != SW_RT_LAUNCH && work->kind != SW_RT_COPY &&
        work->kind != SW_RT_FILL && work->kind != SW_RT_COMPUTE)
        return NULL;
    if (is_paused())
        return NULL;
    sw_rt_activity *a = sw_alloc(sizeof *a);
    a->kind = work->kind;
    a->context = context;
    /* ORDER: every record of an operation begins with the same fields. */
    sw_record_fill *common = &a->record.fill;
    common->correlation = sw_rt_calls_current();
    common->device = (uint32_t)context->device->ordinal;
    common->context = context->id;
    common->stream = stream && !stream->is_legacy ? stream->id : 0;
    common->queued_ns = sw_rt_host_ns();
    sw_rt_textlog_queued(common->correlation);
    if (work->kind == SW_RT_LAUNCH) {
        a->launch = work->launch;
        describe_launch(&work->launch, &a->record.launch);
    } else if (work->kind == SW_RT_COMPUTE) {
        describe_compute(work->host.arg, &a->record.launch);
    } else if (work->kind == SW_RT_COPY) {
        const sw_rt_copy *c = &work->copy;
        a->record.copy.from = place_of(c->src);
        a->record.copy.to = place_of(c->dst);
        a->record.copy.is_blocking = is_blocking;
        a->record.copy.bytes = (uint64_t)c->width * c->height * c->depth;
    } else {
        const sw_rt_fill *f = &work->fill;
        a->record.fill.to = place_of(f->dst);
        a->record.fill.bytes =
            (uint64_t)f->width * f->elem_bytes * f->height * f->depth;
    }
    return a;
}
_Static_assert(offsetof(sw_record_launch, end_ns) ==
                       offsetof(sw_record_fill, end_ns) &&
                   offsetof(sw_record_copy, end_ns) ==
                       offsetof(sw_record_fill, end_ns),
               "sw_rt_activity_queued relies on it");

void
sw_rt_activity_started(sw_rt_activity *a)
{
    if (a)
        a->record.fill.begin_ns = sw_time_ns();
}

void
sw_rt_activity_launched(sw_rt_activity *a, const sw_rt_launch *launch)
{
    if (!a)
        return;
    a->counted = sw_rt_counted_of(launch);
    a->record.fill.begin_ns = sw_time_ns();
}

const struct sw_times **
sw_rt_activity_forecast(sw_rt_activity *a)
{
    return a ? &a->forecast : NULL;
}

void
sw_rt_activity_placed(sw_rt_activity *a, uint64_t start_ns, uint64_t end_ns)
{
    a->is_placed = true;
    a->record.fill.begin_ns = start_ns;
    a->record.fill.end_ns = end_ns;
}

/* The group of the launch, which is numbered. */
static group *
number_launch(sw_rt_activity *a)
{
    sw_record_launch *r = &a->record.launch;
    pthread_mutex_lock(&all.lock);
    group *g = a->kind == SW_RT_COMPUTE ? group_of_name_locked(r->kernel)
                                        : group_of_locked(&a->launch);
    r->launch = ++all.launches;
    r->group = g->number;
    pthread_mutex_unlock(&all.lock);
    return g;
}

static void
print_counters(const sw_rt_activity *a, const sw_counters *counters,
               sw_buf *text)
{
    sw_record_counts n = {
        .launch = a->record.launch.launch,
        .sample = sw_counters_launch(counters)->sample,
        .caches = sw_counters_launch(counters)->caches,
        .scale = sw_counters_scale(counters),
        .counts = sw_counters_total(counters),
    };
    sw_record_print(SW_RECORD_KIND_COUNTS, &n, text);
}

static void
print_time(const sw_rt_activity *a, sw_buf *text)
{
    const sw_times *t = a->forecast;
    sw_buf limiter, used, stalls, lines;
    sw_buf_init(&limiter);
    sw_buf_init(&used);
    sw_buf_init(&stalls);
    sw_buf_init(&lines);
    sw_model_put_limiter(t, &limiter);
    sw_model_put_used(t, &used);
    sw_model_put_stalls(t->stalls, &stalls);
    for (uint32_t i = 0; i < t->line_count; i++) {
        sw_buf_printf(&lines, "%s%u|", i ? "\n" : "", t->lines[i].line);
        sw_model_put_stalls(t->lines[i].stalls, &lines);
        sw_buf_printf(&lines, "|%s", t->lines[i].file);
    }
    sw_record_time r = {
        .launch = a->record.launch.launch,
        .ns = t->ns,
        .low_ns = t->low_ns,
        .high_ns = t->high_ns,
        .clocks = t->clocks,
        .occupancy = t->occupancy,
        .limiter = limiter.p,
        .used = used.p,
        .stalls = stalls.p,
        .lines = lines.p,
    };
    sw_record_print(SW_RECORD_KIND_TIME, &r, text);
    sw_buf_finish(&limiter);
    sw_buf_finish(&used);
    sw_buf_finish(&stalls);
    sw_buf_finish(&lines);
}

static void
write_operation(sw_rt_activity *a, const sw_counters *counters)
{
    static const sw_record_kind kinds[] = {
        [SW_RT_LAUNCH] = SW_RECORD_KIND_LAUNCH,
        [SW_RT_COMPUTE] = SW_RECORD_KIND_LAUNCH,
        [SW_RT_COPY] = SW_RECORD_KIND_COPY,
        [SW_RT_FILL] = SW_RECORD_KIND_FILL,
    };
    sw_buf text;
    sw_buf_init(&text);
    group *g = is_launch(a->kind) ? number_launch(a) : NULL;
    sw_record_print(kinds[a->kind], &a->record, &text);
    if (counters)
        print_counters(a, counters, &text);
    if (a->forecast)
        print_time(a, &text);
    pthread_mutex_lock(&all.lock);
    begin_locked();
    write_devices_locked();
    write_text_locked(&text);
    if (counters)
        add_rows_locked(g, a->counted);
    pthread_mutex_unlock(&all.lock);
    sw_buf_finish(&text);
}

void
sw_rt_activity_ended(sw_rt_activity *a, sw_status status,
                     const sw_grid_stats *stats)
{
    if (!a)
        return;
    if (!a->is_placed)
        a->record.fill.end_ns = sw_time_ns();
    if (!a->is_placed && stats && stats->end_ns) {
        a->record.fill.begin_ns = stats->start_ns;
        a->record.fill.end_ns = stats->end_ns;
    }
    if (!a->record.fill.begin_ns) /* it never started */
        a->record.fill.begin_ns = a->record.fill.end_ns;
    const sw_counters *counters =
        a->counted ? sw_rt_counted_get(a->counted) : NULL;
    if (is_launch(a->kind))
        a->record.launch.status = (uint32_t)status;
    if (sw_rt_activity_on && (is_launch(a->kind) || status == SW_OK))
        write_operation(a, counters);
    if (is_launch(a->kind))
        sw_rt_textlog_launch(&a->record.launch, counters);
    else if (a->kind == SW_RT_COPY)
        sw_rt_textlog_copy(&a->record.copy);
    else
        sw_rt_textlog_fill(&a->record.fill);
    sw_rt_counted_destroy(a->counted);
    sw_free(a);
}

/* ---- switching it on ---- */

void
sw_rt_activity_load(void)
{
    static const sw_rt_call_observer observer = {.end = on_call_end};
    all.name = sw_setting(SW_SETTING_PROFILE);
    all.paused = sw_setting_is(SW_SETTING_PROFILE_START, "0");
    bool log = sw_rt_textlog_load();
    if (!all.name && !log)
        return;
    sw_rt_counted_load();
    sw_rt_activity_on = true;
    sw_rt_calls_observe(&observer);
    pthread_atfork(NULL, NULL, on_fork);
    atexit(end_);
}
