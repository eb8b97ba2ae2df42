/* SPDX-License-Identifier: Apache-2.0 */
/*
 * leak_tool.c - the leak tool: allocations, streams and events that live when
 * the process ends. Variables of modules and registered memory are not the
 * program's allocations; nor is what Python's packages made, which keep pools
 * and modules until the end.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>

#include "check/memory.h"
#include "check/tool.h"

typedef struct {
    const void *handle;
    bool is_stream;
    sw_stack_id created;
} object;

typedef struct {
    sw_check *check;
    sw_allocations *allocations;
    pthread_mutex_t lock; /* of objects */
    sw_vec objects;       /* object, those that live */
    bool has_fault;       /* a launch did: nothing can be released any more */
} leak_tool;

static void
note_handle(leak_tool *t, const sw_memory_event *e)
{
    pthread_mutex_lock(&t->lock);
    if (e->handle.what == SW_HANDLE_CREATED)
        *(object *)sw_vec_push(&t->objects) = (object){
            e->handle.handle, e->kind == SW_MEV_STREAM, sw_stack_take()};
    for (size_t i = 0;
         e->handle.what == SW_HANDLE_DESTROYED && i < t->objects.count; i++) {
        const object *o = sw_vec_at(&t->objects, i);
        if (o->handle != e->handle.handle ||
            o->is_stream != (e->kind == SW_MEV_STREAM))
            continue;
        sw_vec_remove(&t->objects, i);
        break;
    }
    pthread_mutex_unlock(&t->lock);
}

static void
memory(void *tool, const sw_memory_event *e)
{
    leak_tool *t = tool;
    if (e->kind == SW_MEV_STREAM || e->kind == SW_MEV_EVENT)
        note_handle(t, e);
    else
        sw_allocations_event(t->allocations, e);
}

/* One finding for each place that made it. */
static void
report(leak_tool *t, sw_find_kind kind, const char *what, uint64_t bytes,
       sw_stack_id made)
{
    sw_buf stack, message;
    if (sw_stack_has_python(made))
        return;
    sw_buf_init(&stack);
    sw_buf_init(&message);
    sw_stack_print(made, &stack);
    sw_buf_printf(&message, "%s is never released", what);
    if (bytes) {
        message.n = 0;
        sw_buf_printf(&message, "%" PRIu64 " bytes of %s are never freed",
                      bytes, what);
    }
    sw_buf key;
    sw_buf_init(&key);
    sw_buf_printf(&key, "%s\n%s", what, stack.n ? stack.p : "");
    sw_find_report r = {.kind = kind, .key = key.p, .message = message.p};
    sw_finding *f = sw_findings_begin(t->check->findings, &r);
    if (f) {
        if (stack.n)
            sw_findings_detail(t->check->findings, f, "made at", "%s", stack.p);
        sw_findings_end(t->check->findings);
    }
    sw_buf_finish(&stack);
    sw_buf_finish(&message);
    sw_buf_finish(&key);
}

static void
finish(void *tool)
{
    leak_tool *t = tool;
    static const char *const names[] = {[SW_MEMORY_DEVICE] = "device memory",
                                        [SW_MEMORY_HOST] = "pinned host memory",
                                        [SW_MEMORY_MANAGED] = "managed memory",
                                        [SW_MEMORY_HEAP] =
                                            "memory from malloc in a kernel",
                                        [SW_MEMORY_INTERNAL] = NULL};
    sw_vec live;
    if (t->has_fault)
        return;
    sw_allocations_list(t->allocations, &live);
    for (size_t i = 0; i < live.count; i++) {
        const sw_allocation *a = sw_vec_at(&live, i);
        if (a->is_retired || !names[a->range.kind])
            continue;
        report(t,
               a->range.kind == SW_MEMORY_HEAP ? SW_FIND_HEAP_LEAK
                                               : SW_FIND_LEAK,
               names[a->range.kind], a->range.bytes, a->allocated);
    }
    sw_vec_finish(&live);
    for (size_t i = 0; i < t->objects.count; i++) {
        const object *o = sw_vec_at(&t->objects, i);
        report(t, SW_FIND_LEAK, o->is_stream ? "a stream" : "an event", 0,
               o->created);
    }
}

static void *
launch_begin(void *tool, const sw_check_launch *launch,
             const sw_observer **observer)
{
    (void)tool;
    (void)launch;
    (void)observer;
    return NULL;
}

static void
launch_end(void *tool, void *launch, const sw_watch_end *end)
{
    leak_tool *t = tool;
    (void)launch;
    if (end->status != SW_OK)
        t->has_fault = true;
}

/* A computation of a library has failed the context, or a fault has that no
 * launch tells of. */
static void
call(void *tool, const sw_watch_call *c)
{
    enum { /* as cuda.h has them: those that last */
           ILLEGAL_ADDRESS = 700,
           LAUNCH_TIMEOUT = 702,
           ASSERTION = 710,
           FIRST_OF_EXCEPTIONS = 714, /* of the stack, instructions, ... */
           LAST_OF_EXCEPTIONS = 719
    };
    leak_tool *t = tool;
    if (c->result == ILLEGAL_ADDRESS || c->result == LAUNCH_TIMEOUT ||
        c->result == ASSERTION ||
        (c->result >= FIRST_OF_EXCEPTIONS && c->result <= LAST_OF_EXCEPTIONS))
        t->has_fault = true;
}

static void *
open_tool(sw_check *check)
{
    leak_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    t->allocations = sw_allocations_create();
    pthread_mutex_init(&t->lock, NULL);
    sw_vec_init(&t->objects, sizeof(object));
    return t;
}

const sw_check_tool_fns sw_check_tool_leak = {
    .id = SW_CHECK_LEAK,
    .memory_events = SW_MEV_ALLOC | SW_MEV_FREE | SW_MEV_RETIRE | SW_MEV_REUSE |
                     SW_MEV_STREAM | SW_MEV_EVENT,
    .open = open_tool,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
    .memory = memory,
    .call = call,
    .finish = finish};
