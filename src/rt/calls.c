/* SPDX-License-Identifier: Apache-2.0 */
/* calls.c - see calls.h. */
#include "rt/calls.h"

#include <unistd.h>

#include "base/base.h"
#include "rt/device_clock.h"

/* Two of each observer of the process (watch.c refuses more than eight), and
 * the profile's. */
enum { MAX_OBSERVERS = 24 };

static struct {
    sw_rt_call_observer observers[MAX_OBSERVERS];
    uint32_t count;            /* atomic */
    uint64_t last_correlation; /* atomic */
} all;

static _Thread_local struct {
    uint32_t depth, thread;
    uint64_t correlation;
} mine;

void
sw_rt_calls_observe(const sw_rt_call_observer *observer)
{
    SW_ASSERT(all.count < MAX_OBSERVERS);
    all.observers[all.count] = *observer;
    __atomic_store_n(&all.count, all.count + 1, __ATOMIC_RELEASE);
}

static void (*describe)(const sw_rt_call *call, sw_buf *out);

void
sw_rt_calls_described_by(void (*fn)(const sw_rt_call *call, sw_buf *out))
{
    describe = fn;
}

void
sw_rt_call_describe(const sw_rt_call *call, sw_buf *out)
{
    if (describe)
        describe(call, out);
    else
        sw_buf_printf(out, "%s(...)", call->entry->name);
}

bool
sw_rt_calls_are_observed(void)
{
    return __atomic_load_n(&all.count, __ATOMIC_ACQUIRE) != 0;
}

uint64_t
sw_rt_calls_current(void)
{
    return mine.depth ? mine.correlation : 0;
}

void
sw_rt_call_begin(sw_rt_call *call)
{
    uint32_t count = __atomic_load_n(&all.count, __ATOMIC_ACQUIRE);
    call->depth = mine.depth++;
    if (!call->depth) {
        if (!mine.thread)
            mine.thread = (uint32_t)gettid();
        mine.correlation =
            __atomic_add_fetch(&all.last_correlation, 1, __ATOMIC_RELAXED);
    }
    call->thread = mine.thread;
    call->correlation = mine.correlation;
    call->result = call->end_ns = 0;
    call->is_seen = false;
    for (uint32_t i = 0; i < count; i++)
        call->is_seen |= !call->depth || all.observers[i].inner;
    if (!call->is_seen)
        return;
    call->begin_ns = sw_rt_host_ns();
    for (uint32_t i = 0; i < count; i++) {
        const sw_rt_call_observer *o = &all.observers[i];
        if (o->begin && (!call->depth || o->inner))
            o->begin(o->arg, call);
    }
}

void
sw_rt_call_end(sw_rt_call *call)
{
    uint32_t count = __atomic_load_n(&all.count, __ATOMIC_ACQUIRE);
    mine.depth = call->depth;
    if (!call->is_seen)
        return;
    call->end_ns = sw_rt_host_ns();
    for (uint32_t i = 0; i < count; i++) {
        const sw_rt_call_observer *o = &all.observers[i];
        if (o->end && (!call->depth || o->inner))
            o->end(o->arg, call);
    }
}
