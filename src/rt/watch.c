/* SPDX-License-Identifier: Apache-2.0 */
/* watch.c - see watch.h. */
#include "rt/watch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/settings.h"
#include "mem/mem.h"
#include "rt/calls.h"
#include "rt/compute.h"
#include "rt/device_clock.h"
#include "rt/guard.h"

enum { MOST = 8 };

_Static_assert((int)SW_MEMORY_DEVICE == (int)SW_MEM_DEVICE &&
                   (int)SW_MEMORY_HOST == (int)SW_MEM_HOST &&
                   (int)SW_MEMORY_MANAGED == (int)SW_MEM_MANAGED &&
                   (int)SW_MEMORY_REGISTERED == (int)SW_MEM_REGISTERED &&
                   (int)SW_MEMORY_MODULE == (int)SW_MEM_MODULE &&
                   (int)SW_MEMORY_HEAP == (int)SW_MEM_HEAP &&
                   (int)SW_MEMORY_INTERNAL == (int)SW_MEM_INTERNAL,
               "events have the kinds of mem.h");

uint32_t sw_rt_memory_events;

static struct {
    sw_watcher each[MOST];
    uint32_t count;
    const sw_instrument *instruments[MOST];
    sw_instruments code; /* these */
} all;                   /* set before the first call */

struct sw_rt_watched {
    sw_watch_launch launch;
    void *states[MOST]; /* what launch_begin returned */
    uint32_t count;     /* of these */
    uint32_t sample;
    const sw_observer *observer;
    sw_several *several; /* or NULL */
};

/* ---- memory ---- */

static sw_memory_event
event_of_range(sw_memory_event_kind kind, const sw_mem_range *r)
{
    return (sw_memory_event){.kind = kind,
                             .range = {.addr = r->base,
                                       .bytes = r->bytes,
                                       .kind = (sw_memory_kind)r->kind,
                                       .device = r->device,
                                       .serial = r->serial}};
}

void
sw_rt_tell(sw_memory_event event)
{
    event.thread = (uint32_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < all.count; i++)
        if (all.each[i].memory_events & event.kind)
            all.each[i].memory(all.each[i].arg, &event);
}

static void
on_memory(void *arg, bool is_free, const sw_mem_range *range)
{
    sw_memory_event_kind kind = is_free ? SW_MEV_FREE : SW_MEV_ALLOC;
    (void)arg;
    if (sw_rt_tells(kind))
        sw_rt_tell(event_of_range(kind, range));
}

void
sw_rt_tell_range(sw_memory_event_kind kind, uint64_t addr, uint64_t stream)
{
    sw_mem_range range;
    if (!sw_rt_tells(kind) || !sw_mem_find(addr, &range))
        return;
    sw_memory_event e = event_of_range(kind, &range);
    e.stream = stream;
    sw_rt_tell(e);
}

static void
tell_compute(sw_memory_event e, const sw_rt_compute *c)
{
    e.kind = SW_MEV_COMPUTE;
    for (size_t i = 0; i < c->access_count && sw_rt_tells(e.kind); i++) {
        const sw_rt_access *a = &c->accesses[i];
        e.compute = (sw_mev_compute){c->name,  a->addr, a->width,
                                     a->pitch, a->rows, a->writes};
        sw_rt_tell(e);
    }
}

void
sw_rt_tell_work(uint64_t op, uint64_t stream, const sw_rt_work *w)
{
    sw_memory_event e = {.op = op, .stream = stream};
    switch (w->kind) {
    case SW_RT_COPY:
        e.kind = SW_MEV_COPY;
        e.copy = (sw_mev_copy){
            w->copy.dst,       w->copy.src,       w->copy.dst_pitch,
            w->copy.dst_slice, w->copy.src_pitch, w->copy.src_slice,
            w->copy.width,     w->copy.height,    w->copy.depth};
        break;
    case SW_RT_FILL:
        e.kind = SW_MEV_FILL;
        e.fill = (sw_mev_fill){w->fill.dst,   w->fill.pitch,     w->fill.slice,
                               w->fill.width, w->fill.height,    w->fill.depth,
                               w->fill.value, w->fill.elem_bytes};
        break;
    case SW_RT_WRITE_VALUE:
    case SW_RT_WAIT_VALUE:
        e.kind = SW_MEV_WORD;
        e.word.addr = w->value.addr;
        e.word.value = w->value.value;
        e.word.bytes = w->value.bytes;
        e.word.is_wait = w->kind == SW_RT_WAIT_VALUE;
        break;
    case SW_RT_COMPUTE:
        tell_compute(e, w->host.arg);
        return;
    default:
        return;
    }
    if (sw_rt_tells(e.kind))
        sw_rt_tell(e);
}

sw_op_kind
sw_rt_op_kind(sw_rt_work_kind kind)
{
    static const sw_op_kind kinds[] = {
        [SW_RT_EMPTY] = SW_OP_KIND_EMPTY,
        [SW_RT_LAUNCH] = SW_OP_KIND_LAUNCH,
        [SW_RT_COPY] = SW_OP_KIND_COPY,
        [SW_RT_FILL] = SW_OP_KIND_FILL,
        [SW_RT_HOST] = SW_OP_KIND_HOST,
        [SW_RT_BLOCKING] = SW_OP_KIND_HOST,
        [SW_RT_COMPUTE] = SW_OP_KIND_COMPUTE,
        [SW_RT_CALLBACK] = SW_OP_KIND_HOST,
        [SW_RT_FREE_MEMORY] = SW_OP_KIND_FREE,
        [SW_RT_WRITE_VALUE] = SW_OP_KIND_WORD,
        [SW_RT_WAIT_VALUE] = SW_OP_KIND_WORD,
        [SW_RT_CALLER] = SW_OP_KIND_OTHER,
    };
    return kinds[kind];
}

void
sw_rt_tell_stream(const sw_rt_stream *s, sw_mev_handle what)
{
    if (sw_rt_tells(SW_MEV_STREAM))
        sw_rt_tell((sw_memory_event){.kind = SW_MEV_STREAM,
                                     .stream = s->id,
                                     .context = (uint32_t)s->context->id,
                                     .handle = {what, s, !s->is_non_blocking}});
}

void
sw_rt_tell_event(const sw_rt_event *event, uint64_t op, uint64_t stream,
                 sw_mev_handle what)
{
    if (sw_rt_tells(SW_MEV_EVENT))
        sw_rt_tell((sw_memory_event){.kind = SW_MEV_EVENT,
                                     .op = op,
                                     .stream = stream,
                                     .context = (uint32_t)event->context->id,
                                     .handle = {what, event, false}});
}

/* ---- launches ---- */

bool
sw_rt_watch_is_on(void)
{
    return all.count != 0;
}

sw_rt_watched *
sw_rt_watched_begin(const sw_watch_launch *launch)
{
    sw_rt_watched *w = sw_alloc(sizeof *w);
    const sw_observer *found[MOST];
    uint32_t n = 0;
    w->launch = *launch;
    w->count = all.count;
    w->sample = 0;
    for (uint32_t i = 0; i < all.count; i++) {
        const sw_watcher *one = &all.each[i];
        const sw_observer *observer = NULL;
        uint32_t sample = 1;
        if (one->launch_begin)
            w->states[i] =
                one->launch_begin(one->arg, &w->launch, &observer, &sample);
        if (!observer)
            continue;
        found[n++] = observer;
        if (!w->sample || sample < w->sample)
            w->sample = sample;
    }
    if (n == 1)
        w->observer = found[0];
    if (n > 1) {
        w->several = sw_several_create(found, n);
        w->observer = sw_several_observer(w->several);
    }
    return w;
}

const sw_observer *
sw_rt_watched_observer(const sw_rt_watched *watched, uint32_t *sample)
{
    *sample =
        watched->sample && watched->launch.is_sampled_ok ? watched->sample : 1;
    return watched->observer;
}

const sw_instruments *
sw_rt_watch_instruments(void)
{
    return all.code.count ? &all.code : NULL;
}

void *
sw_rt_watched_state(const sw_rt_watched *watched,
                    void *(*launch_begin)(void *, const sw_watch_launch *,
                                          const sw_observer **, uint32_t *))
{
    for (uint32_t i = 0; watched && i < watched->count; i++)
        if (all.each[i].launch_begin == launch_begin)
            return watched->states[i];
    return NULL;
}

void
sw_rt_watched_end(sw_rt_watched *watched, const sw_watch_end *end)
{
    for (uint32_t i = 0; i < watched->count; i++)
        if (all.each[i].launch_end)
            all.each[i].launch_end(all.each[i].arg, watched->states[i], end);
    sw_several_destroy(watched->several);
    sw_free(watched);
}

/* ---- calls ---- */

static void
describe_call(const void *raw, sw_buf *out)
{
    sw_rt_call_describe(raw, out);
}

static void
on_call_begin(void *arg, const sw_rt_call *call)
{
    const sw_watcher *watcher = arg;
    (void)call;
    watcher->call_begins(watcher->arg);
}

static void
on_call(void *arg, const sw_rt_call *call)
{
    const sw_watcher *watcher = arg;
    sw_watch_call c = {.name = call->entry->name,
                       .is_runtime = call->entry->runtime != 0,
                       .ints = call->ints,
                       .stack = call->stack,
                       .result = (uint32_t)call->result,
                       .thread = call->thread,
                       .describe = describe_call,
                       .raw = call};
    watcher->call(watcher->arg, &c);
}

static bool
on_host_access(uint64_t addr, uint64_t pc, bool is_write)
{
    bool is_wrong = false;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.each[i].host_access)
            is_wrong |=
                all.each[i].host_access(all.each[i].arg, addr, pc, is_write);
    return is_wrong;
}

static void
on_host_closes(sw_watch_close_fn *close)
{
    for (uint32_t i = 0; i < all.count; i++)
        if (all.each[i].host_closes)
            all.each[i].host_closes(all.each[i].arg, close);
}

/* ---- who observes ---- */

/* Workers may still run: what they tell from now on nobody hears. */
static void
finish_all(void)
{
    sw_rt_memory_events = 0;
    for (uint32_t i = 0; i < all.count; i++)
        if (all.each[i].finish)
            all.each[i].finish(all.each[i].arg);
}

void
sw_rt_watch_add(const sw_watcher *watcher)
{
    SW_ASSERT(all.count < MOST);
    if (!all.count)
        atexit(finish_all);
    all.each[all.count++] = *watcher;
    if (watcher->memory)
        sw_rt_memory_events |= watcher->memory_events;
    else
        all.each[all.count - 1].memory_events = 0;
    if (watcher->instrument) {
        all.code.each = all.instruments;
        all.instruments[all.code.count++] = watcher->instrument;
    }
    if (watcher->call)
        sw_rt_calls_observe(&(sw_rt_call_observer){
            .begin = watcher->call_begins ? on_call_begin : NULL,
            .end = on_call,
            .arg = &all.each[all.count - 1]});
    if (watcher->copy_time)
        sw_rt_device_clock_start(watcher);
    if (watcher->host_access)
        sw_rt_guard_start(on_host_access, on_host_closes);
    if (sw_rt_tells(SW_MEV_ALLOC | SW_MEV_FREE))
        sw_mem_watch(on_memory, NULL);
}

static bool
open_one(const char *text, size_t length)
{
    const char *colon = memchr(text, ':', length);
    size_t name = colon ? (size_t)(colon - text) : length;
    const sw_watch_entry *entry = sw_watch_find(text, name);
    sw_watcher watcher = {0};
    if (!entry) {
        fprintf(stderr, "softwarp: error: there is no observer '%.*s'\n",
                (int)name, text);
        return false;
    }
    sw_buf options;
    sw_buf_init(&options);
    if (colon)
        sw_buf_add(&options, colon + 1, length - name - 1);
    bool ok = all.count < MOST;
    if (ok)
        ok = entry->open(options.p ? options.p : "", &watcher);
    else
        fprintf(stderr, "softwarp: error: more than %d observers\n", MOST);
    sw_buf_finish(&options);
    if (ok)
        sw_rt_watch_add(&watcher);
    return ok;
}

void
sw_rt_watch_load(void)
{
    const char *list = sw_setting(SW_SETTING_OBSERVE);
    while (list && *list) {
        size_t n = strcspn(list, ";");
        if (n && !open_one(list, n))
            sw_log(SW_LOG_ERROR, "SOFTWARP_OBSERVE: '%.*s' does not observe",
                   (int)n, list);
        list += n + (list[n] == ';');
    }
}
