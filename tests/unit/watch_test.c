/* SPDX-License-Identifier: Apache-2.0 */
/* watch_test.c - what observers of a process hear of memory and of the order of
 * work: enough to know what happened before what. */
#include "rt/watch.h"

#include "check.h"
#include "rt/memory.h"

enum { MOST = 256 };

static struct {
    sw_memory_event at[MOST];
    uint32_t count;
} seen;

static void
hear(void *arg, const sw_memory_event *e)
{
    (void)arg;
    uint32_t i = __atomic_fetch_add(&seen.count, 1, __ATOMIC_RELAXED);
    if (i < MOST)
        seen.at[i] = *e;
}

static sw_rt_context *
open_context(void)
{
    static bool is_open;
    if (!is_open) {
        sw_rt_watch_add(
            &(sw_watcher){.memory_events = SW_MEV_ALL, .memory = hear});
        is_open = true;
        CHECK_EQ(sw_rt_init(), SW_OK);
    }
    return sw_rt_primary_retain(sw_rt_device_at(0));
}

static const sw_memory_event *
find(sw_memory_event_kind kind, uint32_t from)
{
    for (uint32_t i = from; i < seen.count && i < MOST; i++)
        if (seen.at[i].kind == kind)
            return &seen.at[i];
    return NULL;
}

/* `before` comes before `after`, by OP_AFTER events. */
static bool
is_before(uint64_t before, uint64_t after, int depth)
{
    for (uint32_t i = 0; depth && i < seen.count && i < MOST; i++) {
        const sw_memory_event *e = &seen.at[i];
        if (e->kind == SW_MEV_OP_AFTER && e->op == after &&
            (e->other == before || is_before(before, e->other, depth - 1)))
            return true;
    }
    return false;
}

CASE(allocations_come_and_go)
{
    sw_rt_context *context = open_context();
    uint64_t addr = 0;
    seen.count = 0;
    CHECK_EQ(sw_rt_memory_alloc(context, SW_MEM_DEVICE, 1000, 0, 0, &addr),
             SW_OK);
    const sw_memory_event *e = find(SW_MEV_ALLOC, 0);
    CHECK(e);
    CHECK_EQ(e->range.addr, addr);
    CHECK_EQ(e->range.bytes, 1000);
    CHECK_EQ(e->range.kind, SW_MEMORY_DEVICE);
    CHECK(!find(SW_MEV_FREE, 0));
    uint64_t serial = e->range.serial;
    CHECK_EQ(sw_rt_memory_free(addr, false), SW_OK);
    e = find(SW_MEV_FREE, 0);
    CHECK(e);
    CHECK_EQ(e->range.addr, addr);
    CHECK_EQ(e->range.serial, serial);
    CHECK_EQ(sw_rt_primary_release(sw_rt_device_at(0)), SW_OK);
}

CASE(work_of_two_streams_is_ordered_by_an_event)
{
    sw_rt_context *context = open_context();
    uint64_t addr = 0;
    static char host[64] = "a";
    CHECK_EQ(sw_rt_memory_alloc(context, SW_MEM_DEVICE, 64, 0, 0, &addr),
             SW_OK);
    sw_rt_stream *a = sw_rt_stream_create(context, true, 0);
    sw_rt_stream *b = sw_rt_stream_create(context, true, 0);
    sw_rt_event *event = sw_rt_event_create(context, 0, false, false, NULL);
    sw_rt_work copy = {.kind = SW_RT_COPY,
                       .copy = {.dst = addr,
                                .src = (uint64_t)(uintptr_t)host,
                                .width = 64,
                                .height = 1,
                                .depth = 1}};
    sw_rt_work fill = {.kind = SW_RT_FILL,
                       .fill = {.dst = addr,
                                .width = 64,
                                .height = 1,
                                .depth = 1,
                                .elem_bytes = 1}};
    seen.count = 0;
    CHECK_EQ(sw_rt_stream_submit(a, &copy), SW_OK);
    sw_rt_event_record(event, a);
    sw_rt_stream_wait_event(b, event);
    CHECK_EQ(sw_rt_stream_submit(b, &fill), SW_OK);
    CHECK_EQ(sw_rt_stream_wait(b), SW_OK);
    CHECK(seen.count <= MOST);

    const sw_memory_event *copied = find(SW_MEV_COPY, 0);
    const sw_memory_event *filled = find(SW_MEV_FILL, 0);
    CHECK(copied && filled);
    CHECK_EQ(copied->copy.dst, addr);
    CHECK_EQ(copied->copy.src, (uint64_t)(uintptr_t)host);
    CHECK_EQ(copied->copy.width, 64);
    CHECK_EQ(copied->stream, a->id);
    CHECK_EQ(filled->stream, b->id);
    CHECK(is_before(copied->op, filled->op, 8));
    CHECK(!is_before(filled->op, copied->op, 8));
    /* Both were queued before they started, by this thread, which then knows
     * that the second one has ended. */
    uint32_t known = 0, queued = 0;
    for (uint32_t i = 0; i < seen.count; i++) {
        const sw_memory_event *e = &seen.at[i];
        queued += e->kind == SW_MEV_OP_QUEUED &&
                  (e->op == copied->op || e->op == filled->op);
        known += e->kind == SW_MEV_HOST_AFTER && e->op == filled->op;
        CHECK(e->kind != SW_MEV_OP_STARTED || e->op != copied->op ||
              queued >= 1);
    }
    CHECK_EQ(queued, 2);
    CHECK_EQ(known, 1);
    sw_rt_event_destroy(event);
    sw_rt_stream_destroy(a);
    sw_rt_stream_destroy(b);
    CHECK_EQ(sw_rt_memory_free(addr, false), SW_OK);
    CHECK_EQ(sw_rt_primary_release(sw_rt_device_at(0)), SW_OK);
}
