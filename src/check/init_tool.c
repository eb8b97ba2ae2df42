/* SPDX-License-Identifier: Apache-2.0 */
/* init_tool.c - the init tool: which memory of the process is undefined, and
 * copies of it. See init.h. */
#include <string.h>

#include "check/init.h"
#include "check/tool.h"

/* What the calling thread has allocated last: a call that has returned says
 * what for. */
static _Thread_local sw_mev_range last_alloc;

/* ---- launches ---- */

static void *
launch_begin(void *arg, const sw_check_launch *launch,
             const sw_observer **observer)
{
    init_launch *l = sw_alloc(sizeof *l);
    l->tool = arg;
    l->launch = launch->launch;
    l->stack = launch->stack;
    l->sites = sw_alloc((launch->launch->ins_count + 1) * sizeof *l->sites);
    l->observer = sw_init_callbacks;
    l->observer.arg = l;
    sw_init_find_locals(l);
    pthread_mutex_init(&l->lock, NULL);
    *observer = &l->observer;
    return l;
}

static void
launch_end(void *arg, void *launch, const sw_watch_end *end)
{
    (void)arg;
    (void)end;
    init_launch *l = launch;
    sw_init_forget_blocks(l);
    sw_vec_finish(&l->locals);
    sw_free(l->sites);
    sw_free(l);
}

/* Nobody sees what a launch writes: whatever it was, it counts as written. */
static void
launch_missed(void *arg)
{
    init_tool *t = arg;
    sw_vec live;
    sw_allocations_list(t->allocations, &live);
    for (size_t i = 0; i < live.count; i++) {
        const sw_allocation *a = sw_vec_at(&live, i);
        sw_init_memory_set(t->memory, a->range.addr, a->range.bytes, true);
    }
    sw_vec_finish(&live);
}

/* ---- copies ---- */

/* Memory whose undefined bits are kept: the host writes it by calls only. */
static bool
is_tracked(init_tool *t, uint64_t addr)
{
    sw_allocation a;
    return sw_allocations_find(t->allocations, addr, &a) &&
           (a.range.kind == SW_MEMORY_DEVICE ||
            a.range.kind == SW_MEMORY_MODULE || a.range.kind == SW_MEMORY_HEAP);
}

/* Returns how many bytes of the row are raw. */
static uint64_t
check_row(init_tool *t, uint64_t addr, uint64_t bytes, sw_stack_id stack)
{
    uint64_t raw = 0, run, end = addr + bytes;
    sw_init_origin origin;
    while (addr < end &&
           sw_init_memory_next(t->memory, &addr, end, &origin, &run)) {
        if (!origin)
            raw += run;
        else if (!sw_init_is_silent(t, origin))
            sw_init_copied_out(t, origin, stack);
        addr += run;
    }
    return raw;
}

static void
copy(init_tool *t, const sw_memory_event *e)
{
    const sw_mev_copy *c = &e->copy;
    sw_stack_id stack = sw_queued_by(t->queued, e->op);
    bool to_device = is_tracked(t, c->dst);
    bool from_device = is_tracked(t, c->src);
    uint64_t raw = 0, all = c->width * c->height * c->depth;
    for (uint64_t z = 0; z < c->depth; z++)
        for (uint64_t y = 0; y < c->height; y++) {
            uint64_t to = c->dst + z * c->dst_slice + y * c->dst_pitch;
            uint64_t from = c->src + z * c->src_slice + y * c->src_pitch;
            if (!to_device && from_device)
                raw += check_row(t, from, c->width, stack);
            else if (to_device && from_device)
                sw_init_memory_copy(t->memory, to, from, c->width);
            else if (to_device)
                sw_init_memory_set(t->memory, to, c->width, true);
        }
    if (all && raw == all)
        sw_init_read_raw(t, c->src, all, NULL, stack);
}

static void
fill(init_tool *t, const sw_mev_fill *f)
{
    for (uint64_t z = 0; z < f->depth; z++)
        for (uint64_t y = 0; y < f->height; y++)
            sw_init_memory_set(t->memory, f->dst + z * f->slice + y * f->pitch,
                               f->width * f->elem_bytes, true);
}

/* What it writes is written. Of what it reads it may leave out parts, such as a
 * triangle of a matrix; that all of it is raw is an error. */
static void
compute(init_tool *t, const sw_memory_event *e)
{
    const sw_mev_compute *c = &e->compute;
    uint64_t raw = 0, all = c->width * c->rows;
    if (!is_tracked(t, c->addr))
        return;
    for (uint64_t row = 0; row < c->rows; row++) {
        uint64_t addr = c->addr + row * c->pitch, end = addr + c->width, run;
        sw_init_origin origin;
        if (c->writes)
            sw_init_memory_set(t->memory, addr, c->width, true);
        while (!c->writes && addr < end &&
               sw_init_memory_next(t->memory, &addr, end, &origin, &run)) {
            raw += origin ? 0 : run;
            addr += run;
        }
    }
    if (all && raw == all)
        sw_init_read_raw(t, c->addr, all, c->name,
                         sw_queued_by(t->queued, e->op));
}

/* ---- the process ---- */

static void
memory(void *tool, const sw_memory_event *e)
{
    init_tool *t = tool;
    switch (e->kind) {
    case SW_MEV_ALLOC:
    case SW_MEV_REUSE:
        sw_allocations_event(t->allocations, e);
        last_alloc = e->range;
        if (e->range.kind == SW_MEMORY_DEVICE)
            sw_init_memory_set(t->memory, e->range.addr, e->range.bytes, false);
        break;
    case SW_MEV_FREE:
        sw_init_memory_set(t->memory, e->range.addr, e->range.bytes, true);
        sw_allocations_event(t->allocations, e);
        break;
    case SW_MEV_COPY:
        copy(t, e);
        break;
    case SW_MEV_FILL:
        fill(t, &e->fill);
        break;
    case SW_MEV_COMPUTE:
        compute(t, e);
        break;
    case SW_MEV_WORD:
        if (!e->word.is_wait)
            sw_init_memory_set(t->memory, e->word.addr, e->word.bytes, true);
        break;
    case SW_MEV_OP_QUEUED:
        sw_queued_event(t->queued, e);
        break;
    default:
        break;
    }
}

static bool
has_prefix(const char *name, const char *const *prefixes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

/* Arrays are written by surfaces too; memory of other processes and of other
 * addresses by what is not seen here. Both count as written. */
static void
call(void *tool, const sw_watch_call *c)
{
    static const char *const arrays[] = {
        "cudaMallocArray", "cudaMalloc3DArray", "cudaMallocMipmappedArray",
        "cuArrayCreate",   "cuArray3DCreate",   "cuMipmappedArrayCreate"};
    static const char *const foreign[] = {"cuMemMap",
                                          "cudaIpcOpenMemHandle",
                                          "cuIpcOpenMemHandle",
                                          "cudaExternalMemoryGet",
                                          "cuExternalMemoryGet",
                                          "cudaMemPoolImportPointer",
                                          "cuMemPoolImportPointer"};
    init_tool *t = tool;
    bool is_array = has_prefix(c->name, arrays, sizeof arrays / sizeof *arrays);
    if (!is_array &&
        !has_prefix(c->name, foreign, sizeof foreign / sizeof *foreign))
        return;
    sw_init_memory_set(t->memory, last_alloc.addr, last_alloc.bytes, true);
    if (strcmp(c->name, "cuMemMap") == 0)
        sw_init_memory_set(t->memory, c->ints[0], c->ints[1], true);
}

static void *
open_tool(sw_check *check)
{
    init_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    t->allocations = sw_allocations_create();
    t->memory = sw_init_memory_create();
    pthread_mutex_init(&t->lock, NULL);
    sw_vec_init(&t->origins, sizeof(init_origin *));
    t->queued = sw_queued_create();
    return t;
}

const sw_check_tool_fns sw_check_tool_init = {
    .id = SW_CHECK_INIT,
    .memory_events = SW_MEV_ALLOC | SW_MEV_FREE | SW_MEV_REUSE | SW_MEV_COPY |
                     SW_MEV_FILL | SW_MEV_COMPUTE | SW_MEV_WORD |
                     SW_MEV_OP_QUEUED,
    .open = open_tool,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .launch_missed = launch_missed,
    .memory = memory,
    .call = call};
