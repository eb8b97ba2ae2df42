/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_tool.c - the host tool: calls that fail unseen, objects used after
 * their end, memory that the program changes or frees while the device may use
 * it. See host.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "check/host.h"
#include "check/result_use.h"
#include "check/tool.h"

/* The operation that the calling thread has queued last, and whether in the
 * call that it is in. */
static _Thread_local uint64_t last_op;

/* What the calling thread learns by its call of now. It counts when the call
 * returns: what is freed is held against what was known before. */
enum { LEARNT = 64 };
static _Thread_local sw_memory_event learnt[LEARNT];
static _Thread_local uint32_t learnt_count;

static void
learn(host_tool *t)
{
    for (uint32_t i = 0; i < learnt_count; i++)
        sw_order_event(t->order, &learnt[i]);
    learnt_count = 0;
}

void
sw_host_report(host_tool *t, const sw_find_report *report, sw_stack_id stack,
               const char *label)
{
    sw_findings *set = t->check->findings;
    sw_buf text;
    sw_buf_init(&text);
    sw_stack_print(stack, &text);
    sw_find_report r = *report;
    r.key = text.p ? text.p : "";
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        if (text.n)
            sw_findings_detail(set, f, label, "%s", text.p);
        sw_findings_end(set);
    }
    sw_buf_finish(&text);
}

/* ---- failing calls ---- */

/* A call that failed, whose result the program does not look at. */
typedef struct {
    uint32_t thread;
    bool is_runtime;
    const char *text; /* owned */
    sw_stack_id stack;
} failed_call;

static bool
returns_status(const char *name)
{
    static const char *const others[] = {
        "cudaGetErrorString",  "cudaGetErrorName",      "cudaGetLastError",
        "cudaPeekAtLastError", "cudaCreateChannelDesc", "cuGetErrorString",
        "cuGetErrorName"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i]) == 0)
            return false;
    return strncmp(name, "cu", 2) == 0;
}

/* Not an error, or one of a kernel's fault: that has its own finding. */
static bool
is_no_news(uint32_t status)
{
    return status == 0 || status == SW_E_NOT_READY || status > 999 ||
           status == 4 /* the runtime ends */ ||
           (status >= 700 && status < 720);
}

/* "cudaGetLastError() ..." is how a program asks for what has failed before. */
static void
forget_failed(host_tool *t, uint32_t thread)
{
    pthread_mutex_lock(&t->lock);
    for (size_t i = t->failed.count; i-- > 0;) {
        failed_call *f = sw_vec_at(&t->failed, i);
        if (f->thread != thread || !f->is_runtime)
            continue;
        sw_free((char *)(uintptr_t)f->text);
        sw_vec_remove(&t->failed, i);
    }
    pthread_mutex_unlock(&t->lock);
}

static void
note_failed(host_tool *t, const sw_watch_call *call)
{
    void *frames[SW_STACK_FRAMES];
    sw_stack_id stack = sw_stack_take();
    size_t count = sw_stack_frames(stack, frames, SW_STACK_FRAMES);
    if (sw_check_result_is_used(frames, count))
        return;
    sw_buf text;
    sw_buf_init(&text);
    call->describe(call->raw, &text);
    pthread_mutex_lock(&t->lock);
    *(failed_call *)sw_vec_push(&t->failed) =
        (failed_call){call->thread, call->is_runtime, sw_strdup(text.p), stack};
    pthread_mutex_unlock(&t->lock);
    sw_buf_finish(&text);
}

static void
report_failed(host_tool *t)
{
    for (size_t i = 0; i < t->failed.count; i++) {
        const failed_call *f = sw_vec_at(&t->failed, i);
        sw_find_report r = {.kind = SW_FIND_HOST_UNCHECKED, .message = f->text};
        sw_host_report(t, &r, f->stack, "called at");
    }
    t->failed.count = 0;
}

/* ---- objects ---- */

typedef enum {
#define OBJECT(ID, text, leaks) OBJECT_##ID,
#include "check/objects.def"
    OBJECT_COUNT
} object_kind;

static const struct {
    const char *text;
    bool leaks;
} object_kinds[] = {
#define OBJECT(ID, text, leaks) {text, leaks},
#include "check/objects.def"
};

typedef enum { CREATES, DESTROYS, USES } object_effect;

static const struct {
    const char *call;
    object_kind kind;
    object_effect effect;
    unsigned argument;
} object_calls[] = {
#define CREATE(call, ID, at)  {#call, OBJECT_##ID, CREATES, at},
#define DESTROY(call, ID, at) {#call, OBJECT_##ID, DESTROYS, at},
#define USE(call, ID, at)     {#call, OBJECT_##ID, USES, at},
#include "check/objects.def"
};

typedef struct {
    uint64_t handle;
    object_kind kind;
    bool is_dead;
    sw_stack_id made, ended;
} object;

static uint64_t
argument_of(const sw_watch_call *call, unsigned i)
{
    return i < 6 ? call->ints[i] : call->stack[i - 6];
}

static object *
find_object_locked(host_tool *t, object_kind kind, uint64_t handle)
{
    for (size_t i = 0; i < t->objects.count; i++) {
        object *o = sw_vec_at(&t->objects, i);
        if (o->kind == kind && o->handle == handle)
            return o;
    }
    return NULL;
}

static void
report_dead(host_tool *t, const sw_watch_call *call, const object *o)
{
    char message[200];
    sw_findings *set = t->check->findings;
    snprintf(message, sizeof message,
             "%s: the %s 0x%" PRIx64 " has been destroyed before", call->name,
             object_kinds[o->kind].text, o->handle);
    sw_buf text, ended;
    sw_buf_init(&text);
    sw_buf_init(&ended);
    sw_stack_print(sw_stack_take(), &text);
    sw_stack_print(o->ended, &ended);
    sw_find_report r = {
        .kind = SW_FIND_HOST_HANDLE, .message = message, .key = text.p};
    sw_finding *f = sw_findings_begin(set, &r);
    if (f) {
        sw_findings_detail(set, f, "called at", "%s", text.p ? text.p : "");
        sw_findings_detail(set, f, "destroyed at", "%s",
                           ended.p ? ended.p : "");
        sw_findings_end(set);
    }
    sw_buf_finish(&text);
    sw_buf_finish(&ended);
}

/* A use or an end of an object that is no more: true. */
static bool
check_object(host_tool *t, const sw_watch_call *call, object_kind kind,
             object_effect effect, uint64_t handle)
{
    object dead = {0};
    pthread_mutex_lock(&t->lock);
    object *o = find_object_locked(t, kind, handle);
    if (o && o->is_dead)
        dead = *o;
    if (effect == DESTROYS && call->result == 0 && !(o && o->is_dead)) {
        if (!o) {
            o = sw_vec_push(&t->objects);
            *o = (object){.handle = handle, .kind = kind};
        }
        o->is_dead = true;
        o->ended = sw_stack_take();
    }
    pthread_mutex_unlock(&t->lock);
    if (dead.is_dead)
        report_dead(t, call, &dead);
    return dead.is_dead;
}

static void
make_object(host_tool *t, const sw_watch_call *call, object_kind kind,
            uint64_t pointer)
{
    uint64_t handle;
    if (call->result || !pointer)
        return;
    memcpy(&handle, (const void *)(uintptr_t)pointer, sizeof handle);
    pthread_mutex_lock(&t->lock);
    object *o = find_object_locked(t, kind, handle);
    if (!o)
        o = sw_vec_push(&t->objects);
    *o = (object){.handle = handle, .kind = kind, .made = sw_stack_take()};
    pthread_mutex_unlock(&t->lock);
}

/* True: the call has a finding. */
static bool
check_objects(host_tool *t, const sw_watch_call *call)
{
    bool is_wrong = false;
    for (size_t i = 0; i < sizeof object_calls / sizeof *object_calls; i++) {
        if (strcmp(object_calls[i].call, call->name) != 0)
            continue;
        uint64_t value = argument_of(call, object_calls[i].argument);
        if (object_calls[i].effect == CREATES)
            make_object(t, call, object_calls[i].kind, value);
        else if (value > 2) /* the default streams */
            is_wrong |= check_object(t, call, object_calls[i].kind,
                                     object_calls[i].effect, value);
    }
    return is_wrong;
}

static void
report_leaks(host_tool *t)
{
    for (size_t i = 0; i < t->objects.count; i++) {
        const object *o = sw_vec_at(&t->objects, i);
        char message[64];
        if (o->is_dead || !object_kinds[o->kind].leaks || !o->made ||
            sw_stack_has_python(o->made))
            continue;
        snprintf(message, sizeof message, "a %s is never released",
                 object_kinds[o->kind].text);
        sw_find_report r = {.kind = SW_FIND_LEAK, .message = message};
        sw_host_report(t, &r, o->made, "made at");
    }
}

/* ---- the process ---- */

static void
call(void *tool, const sw_watch_call *c)
{
    host_tool *t = tool;
    bool asks = strcmp(c->name, "cudaGetLastError") == 0 ||
                strcmp(c->name, "cudaPeekAtLastError") == 0;
    if (asks && c->result != 0)
        forget_failed(t, c->thread);
    bool is_wrong = check_objects(t, c);
    if (!is_wrong && returns_status(c->name) && !is_no_news(c->result))
        note_failed(t, c);
    learn(t);
    sw_host_after_call(t, c, last_op);
    last_op = 0;
}

static void
memory(void *tool, const sw_memory_event *e)
{
    host_tool *t = tool;
    if (e->kind == SW_MEV_HOST_AFTER) {
        if (learnt_count == LEARNT)
            learn(t);
        learnt[learnt_count++] = *e;
        return;
    }
    sw_order_event(t->order, e);
    if (e->kind == SW_MEV_OP_QUEUED)
        last_op = e->op;
    sw_host_memory(t, e);
}

static bool
host_access(void *tool, uint64_t addr, uint64_t pc, bool is_write)
{
    sw_host_touched(tool, addr, pc, is_write);
    return false;
}

static void
finish(void *tool)
{
    host_tool *t = tool;
    sw_host_finish(t);
    report_failed(t);
    if (t->check->has_tool[SW_CHECK_LEAK])
        report_leaks(t);
}

static void *
open_tool(sw_check *check)
{
    host_tool *t = sw_alloc(sizeof *t);
    t->check = check;
    t->allocations = sw_allocations_create();
    t->order = sw_order_create();
    pthread_mutex_init(&t->lock, NULL);
    sw_vec_init(&t->failed, sizeof(failed_call));
    sw_vec_init(&t->objects, sizeof(object));
    sw_vec_init(&t->touches, sizeof(host_touch));
    sw_vec_init(&t->sources, sizeof(host_source));
    t->queued = sw_queued_create();
    t->names = sw_map_create();
    sw_vec_init(&t->frees, sizeof(host_free));
    return t;
}

const sw_check_tool_fns sw_check_tool_host = {
    .id = SW_CHECK_HOST,
    .memory_events = SW_ORDER_EVENTS | SW_MEV_ALLOC | SW_MEV_FREE |
                     SW_MEV_RETIRE | SW_MEV_REUSE | SW_MEV_COPY |
                     SW_MEV_COMPUTE | SW_MEV_OP_STARTED,
    .open = open_tool,
    .launch_begin = sw_host_launch_begin,
    .launch_end = sw_host_launch_end,
    .memory = memory,
    .call = call,
    .host_access = host_access,
    .host_closes = sw_host_closes,
    .finish = finish};
