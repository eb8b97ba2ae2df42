/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - see stream.h: the graph of unfinished operations, under one lock
 * for the process, and streams and events as pointers into it. The file is
 * long because all of it works on operations under that one lock.
 */
#include "rt/stream.h"

#include <string.h>

#include "rt/activity.h"
#include "rt/complain.h"
#include "rt/copy.h"
#include "rt/device_launch.h"
#include "rt/guard.h"
#include "rt/host.h"
#include "rt/host_stack.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/share.h"
#include "rt/watch.h"
#include "rt/work.h"

enum {
    INLINE_PARAMS = 512,
    INLINE_NEXT = 4,
    FEW_OPEN = 16 /* operations of an unordered stream that are just kept */
};

struct sw_rt_op {
    uint32_t refs;    /* atomic */
    uint32_t pending; /* operations it still waits for, plus one until all
                         are known; lock */
    uint32_t next_count, next_capacity;
    sw_rt_op **next; /* who waits for it; lock */
    sw_rt_op *next_inline[INLINE_NEXT];
    sw_rt_op *link; /* list of ready ones; list of free ones */
    sw_rt_context *context;
    uint64_t stream; /* its id */
    uint64_t number; /* in the process; 0: nobody observes */
    bool done;       /* atomic */
    bool awaited;    /* somebody sleeps until it is done; lock */
    bool is_ready;   /* CALLER: all it waited for is done; lock */
    sw_status status;
    sw_status failed;         /* of what it waited for; or SW_OK. lock */
    bool spreads;             /* its failure is theirs who wait for it; lock */
    uint64_t time_ns;         /* when it was done */
    sw_rt_activity *activity; /* or NULL */
    sw_rt_device_queue *device_queue; /* what its grid launches, or NULL */
    sw_rt_work work;
    void *params; /* inline_params or allocated */
    _Alignas(16) unsigned char inline_params[INLINE_PARAMS];
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    sw_rt_op *free;
    uint64_t last_id, last_grid, last_op;
    size_t unfinished; /* operations */
    bool awaits_quiet; /* somebody sleeps until there are none */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER};

static void
lock(void)
{
    pthread_mutex_lock(&all.lock);
}

static void
unlock(void)
{
    pthread_mutex_unlock(&all.lock);
}

/* ---- what observers hear (exec/memory_event.h) ---- */

static void
tell(const sw_rt_op *op, sw_memory_event e)
{
    e.op = op->number;
    e.stream = op->stream;
    e.context = (uint32_t)op->context->id;
    sw_rt_tell(e);
}

static void
tell_phase(const sw_rt_op *op, sw_memory_event_kind kind, sw_status status,
           sw_rt_work_kind work)
{
    if (!sw_rt_tells(kind))
        return;
    sw_memory_event e = {.kind = kind,
                         .work = {.kind = sw_rt_op_kind(work),
                                  .is_blocking = op->work.kind == SW_RT_CALLER,
                                  .status = status}};
    tell(op, e);
}

/* This thread knows that the operation is done. */
static void
tell_known(const sw_rt_op *op)
{
    if (op && sw_rt_tells(SW_MEV_HOST_AFTER))
        tell(op, (sw_memory_event){.kind = SW_MEV_HOST_AFTER});
}

/* ---- operations ---- */

/* does: what work is, or what the caller does who executes it. */
static sw_rt_op *
op_create(sw_rt_stream *stream, const sw_rt_work *work, sw_rt_work_kind does)
{
    lock();
    sw_rt_op *op = all.free;
    if (op)
        all.free = op->link;
    all.unfinished++;
    unlock();
    if (!op)
        op = sw_alloc(sizeof *op);
    else
        memset(op, 0, offsetof(sw_rt_op, inline_params));
    op->refs = 1;
    op->pending = 1;
    op->next = op->next_inline;
    op->next_capacity = INLINE_NEXT;
    op->context = stream->context;
    op->stream = stream->id;
    op->work = *work;
    if (sw_rt_watch_is_on()) {
        op->number = __atomic_add_fetch(&all.last_op, 1, __ATOMIC_RELAXED);
        sw_rt_guard_count(&all.unfinished);
        tell_phase(op, SW_MEV_OP_QUEUED, SW_OK, does);
    }
    if (sw_rt_activity_on)
        op->activity =
            sw_rt_activity_queued(stream->context, stream, work, false);
    if (work->kind == SW_RT_LAUNCH) {
        size_t bytes = sw_rt_kernel_param_bytes(work->launch.kernel);
        op->params =
            bytes <= INLINE_PARAMS ? op->inline_params : sw_alloc(bytes);
        if (bytes)
            memcpy(op->params, work->launch.params, bytes);
        op->work.launch.params = op->params;
        op->work.launch.is_recorded = op->activity != NULL;
        op->work.launch.host_stack = sw_rt_host_stack();
    }
    return op;
}

void
sw_rt_op_ref(sw_rt_op *op)
{
    __atomic_add_fetch(&op->refs, 1, __ATOMIC_RELAXED);
}

static void
unref_locked(sw_rt_op *op)
{
    if (!op || __atomic_sub_fetch(&op->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (op->next != op->next_inline)
        sw_free(op->next);
    if (op->params && op->params != op->inline_params)
        sw_free(op->params);
    op->link = all.free;
    all.free = op;
}

void
sw_rt_op_unref(sw_rt_op *op)
{
    if (!op)
        return;
    lock();
    unref_locked(op);
    unlock();
}

static bool
is_done(const sw_rt_op *op)
{
    return __atomic_load_n(&op->done, __ATOMIC_ACQUIRE);
}

static void
depend_locked(sw_rt_op *op, sw_rt_op *on)
{
    if (on && on != op && sw_rt_tells(SW_MEV_OP_AFTER))
        tell(op,
             (sw_memory_event){.kind = SW_MEV_OP_AFTER, .other = on->number});
    if (!on || on == op)
        return;
    if (is_done(on)) {
        if (on->spreads)
            op->failed = SW_E_WAIT_LIST;
        return;
    }
    if (on->next_count == on->next_capacity) {
        uint32_t capacity = on->next_capacity * 4;
        if (on->next == on->next_inline) {
            on->next = sw_alloc(capacity * sizeof *on->next);
            memcpy(on->next, on->next_inline, sizeof on->next_inline);
        } else {
            on->next = sw_realloc(on->next, capacity * sizeof *on->next);
        }
        on->next_capacity = capacity;
    }
    on->next[on->next_count++] = op;
    op->pending++;
}

/* Marks it done and adds those that become ready to *ready. The running
 * reference goes with it. */
static void
finish_locked(sw_rt_op *op, sw_status status, sw_rt_op **ready)
{
    tell_phase(op, SW_MEV_OP_ENDED, status, op->work.kind);
    op->status = status;
    op->time_ns = sw_time_ns();
    __atomic_store_n(&op->done, true, __ATOMIC_RELEASE);
    if (--all.unfinished == 0 && all.awaits_quiet)
        op->awaited = true;
    if (op->awaited)
        pthread_cond_broadcast(&all.change);
    for (uint32_t i = 0; i < op->next_count; i++) {
        sw_rt_op *n = op->next[i];
        if (op->spreads)
            n->failed = SW_E_WAIT_LIST;
        if (--n->pending == 0) {
            n->link = *ready;
            *ready = n;
        }
    }
    op->next_count = 0;
    unref_locked(op);
}

static sw_status start_list(sw_rt_op *ready);

static void
op_finish(sw_rt_op *op, sw_status status)
{
    sw_rt_op *ready = NULL;
    sw_rt_context *context = op->context;
    lock();
    finish_locked(op, status, &ready);
    unlock();
    sw_status late = start_list(ready);
    if (late != SW_OK) /* nobody is there to be told */
        sw_rt_context_fail(context, late);
}

void
sw_rt_op_complete(sw_rt_op *op)
{
    op_finish(op, sw_rt_context_error(op->context));
}

void
sw_rt_op_complete_as(sw_rt_op *op, sw_status status)
{
    lock();
    op->spreads = status != SW_OK;
    unlock();
    op_finish(op, status);
}

static void
on_device_queue_done(void *arg, sw_status status)
{
    op_finish(arg, status);
}

static void
on_grid_done(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    sw_rt_op *op = arg;
    sw_status status = fault ? fault->status : SW_OK;
    if (status != SW_OK) {
        sw_rt_complain(fault, sw_rt_context_error(op->context) == SW_OK,
                       op->work.launch.host_stack);
        sw_rt_context_fail(op->context, status);
    }
    sw_rt_launch_ended(&op->work.launch, fault, stats);
    sw_rt_activity_ended(op->activity, status, stats);
    if (op->device_queue)
        sw_rt_device_queue_finish(op->device_queue, status,
                                  on_device_queue_done, op);
    else
        op_finish(op, status);
}

uint64_t
sw_rt_grid_id(void)
{
    return __atomic_add_fetch(&all.last_grid, 1, __ATOMIC_RELAXED);
}

static void
do_work(sw_rt_op *op)
{
    sw_rt_activity_started(op->activity);
    tell_phase(op, SW_MEV_OP_STARTED, SW_OK, op->work.kind);
    if (sw_rt_memory_events && op->work.kind != SW_RT_WAIT_VALUE)
        sw_rt_tell_work(op->number, op->stream, &op->work);
    if (op->work.kind != SW_RT_FREE_MEMORY)
        sw_rt_work_execute(&op->work, op->context);
    else if (op->work.free.idle)
        sw_rt_pool_free(op->work.free.idle);
    else
        sw_rt_memory_release(op->work.free.addr);
    if (sw_rt_memory_events && op->work.kind == SW_RT_WAIT_VALUE)
        sw_rt_tell_work(op->number, op->stream, &op->work);
    sw_rt_activity_ended(op->activity, SW_OK, NULL);
}

/* On a worker, or on the host-function thread. */
static void
execute(void *arg)
{
    do_work(arg);
    op_finish(arg, SW_OK);
}

/* All it waits for is done; it may have finished when this returns. */
static sw_status
start(sw_rt_op *op)
{
    sw_status error = sw_rt_context_error(op->context);
    sw_rt_work_kind kind = op->work.kind;
    if (kind == SW_RT_CALLER) {
        lock();
        op->is_ready = true;
        if (op->awaited)
            pthread_cond_broadcast(&all.change);
        unlock();
        return SW_OK;
    }
    if (error != SW_OK && kind != SW_RT_CALLBACK && kind != SW_RT_BLOCKING) {
        sw_rt_activity_ended(op->activity, error, NULL);
        op_finish(op, error);
        return SW_OK;
    }
    switch (kind) {
    case SW_RT_LAUNCH: {
        sw_launch launch;
        op->work.launch.op = op->number;
        op->work.launch.stream = op->stream;
        tell_phase(op, SW_MEV_OP_STARTED, SW_OK, kind);
        sw_status status = sw_rt_launch_prepare(&op->work.launch, op->context,
                                                sw_rt_grid_id(), &launch);
        op->device_queue =
            sw_rt_device_queue_create(op->work.launch.kernel, op->context);
        launch.owner = op->device_queue;
        launch.done = on_grid_done;
        launch.arg = op;
        if (status == SW_OK) {
            sw_rt_activity_launched(op->activity, &op->work.launch);
            status = sw_exec_submit(&launch);
        }
        if (status != SW_OK) {
            sw_fault fault = {.status = status};
            sw_rt_launch_ended(&op->work.launch, &fault, NULL);
            sw_rt_device_queue_destroy(op->device_queue);
            sw_rt_activity_ended(op->activity, status, NULL);
            op_finish(op, status);
        }
        return status;
    }
    case SW_RT_HOST:
    case SW_RT_CALLBACK:
        sw_rt_host_post(execute, op);
        return SW_OK;
    case SW_RT_BLOCKING:
    case SW_RT_WAIT_VALUE:
        sw_rt_host_post_blocking(execute, op);
        return SW_OK;
    default:
        sw_exec_post(execute, op);
        return SW_OK;
    }
}

/* Not executed if something that it waited for has failed. */
static bool
is_skipped(const sw_rt_op *op)
{
    sw_rt_work_kind kind = op->work.kind;
    return op->failed != SW_OK && kind != SW_RT_CALLBACK &&
           kind != SW_RT_BLOCKING && kind != SW_RT_FREE_MEMORY &&
           kind != SW_RT_CALLER;
}

/* Starts them all. Quick operations finish at once and make others ready; a
 * loop, not recursion: such chains may be long. */
static sw_status
start_list(sw_rt_op *ready)
{
    sw_status first = SW_OK;
    while (ready) {
        sw_rt_op *op = ready;
        ready = op->link;
        op->link = NULL;
        if (is_skipped(op)) {
            sw_rt_activity_ended(op->activity, op->failed, NULL);
            lock();
            op->spreads = true;
            finish_locked(op, op->failed, &ready);
            unlock();
            continue;
        }
        if (sw_rt_work_is_quick(&op->work)) {
            sw_status error = sw_rt_context_error(op->context);
            if (op->work.kind == SW_RT_FREE_MEMORY ||
                (error == SW_OK && op->work.kind != SW_RT_EMPTY))
                do_work(op);
            else
                sw_rt_activity_ended(op->activity, error, NULL);
            lock();
            finish_locked(op, error, &ready);
            unlock();
            continue;
        }
        sw_status status = start(op);
        if (first == SW_OK)
            first = status;
    }
    return first;
}

/* Adds what a new operation of the stream has to wait for. */
static void
follow_locked(sw_rt_op *op, sw_rt_stream *stream)
{
    sw_rt_context *context = stream->context;
    depend_locked(op, stream->tail);
    if (stream->is_legacy) {
        for (sw_rt_stream *s = context->streams; s; s = s->next)
            if (!s->is_non_blocking)
                depend_locked(op, s->tail);
        for (size_t i = 0; i < context->orphans.count; i++)
            depend_locked(op, *(sw_rt_op **)sw_vec_at(&context->orphans, i));
    } else if (!stream->is_non_blocking) {
        depend_locked(op, context->legacy->tail);
    }
}

static void
set_tail_locked(sw_rt_stream *stream, sw_rt_op *op)
{
    unref_locked(stream->tail);
    sw_rt_op_ref(op);
    stream->tail = op;
}

/* Keeps the operation of an unordered stream until it is done. */
static void
keep_open_locked(sw_rt_stream *stream, sw_rt_op *op)
{
    sw_vec *open = &stream->open;
    if (open->count >= stream->open_limit) {
        for (size_t i = open->count; i-- > 0;) {
            sw_rt_op *o = *(sw_rt_op **)sw_vec_at(open, i);
            if (is_done(o)) {
                unref_locked(o);
                sw_vec_remove(open, i);
            }
        }
        stream->open_limit = 2 * open->count + FEW_OPEN;
    }
    sw_rt_op_ref(op);
    *(sw_rt_op **)sw_vec_push(open) = op;
}

/* It is the stream's last, or one of its unordered ones. */
static void
set_last_locked(sw_rt_stream *stream, sw_rt_op *op)
{
    if (stream->is_unordered)
        keep_open_locked(stream, op);
    else
        set_tail_locked(stream, op);
}

/* Gives up the hold that op_create made; true if it can start now. */
static bool
release_locked(sw_rt_op *op)
{
    return --op->pending == 0;
}

sw_rt_op *
sw_rt_op_submit(sw_rt_stream *stream, bool after_stream, const sw_rt_work *work,
                sw_rt_op *const *deps, size_t count, sw_status *status)
{
    sw_rt_op *op = op_create(stream, work, work->kind);
    sw_rt_op_ref(op);
    lock();
    if (after_stream)
        follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        depend_locked(op, deps[i]);
    bool ready = release_locked(op);
    unlock();
    *status = ready ? start_list(op) : SW_OK;
    return op;
}

/* Appends the operation; the caller keeps no reference but the running one. */
static bool
append(sw_rt_stream *stream, sw_rt_op *op, sw_rt_op *const *wait_list,
       size_t count)
{
    lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        depend_locked(op, wait_list[i]);
    set_last_locked(stream, op);
    bool ready = release_locked(op);
    unlock();
    return ready;
}

sw_status
sw_rt_stream_submit(sw_rt_stream *stream, const sw_rt_work *work)
{
    sw_rt_op *op = op_create(stream, work, work->kind);
    return append(stream, op, NULL, 0) ? start_list(op) : SW_OK;
}

sw_status
sw_rt_stream_submit_after(sw_rt_stream *stream, const sw_rt_work *work,
                          sw_rt_op *const *wait_list, size_t count,
                          sw_rt_op **out)
{
    sw_rt_op *op = op_create(stream, work, work->kind);
    if (out) {
        sw_rt_op_ref(op);
        *out = op;
    }
    return append(stream, op, wait_list, count) ? start_list(op) : SW_OK;
}

sw_rt_op *
sw_rt_stream_mark(sw_rt_stream *stream, sw_rt_op *const *wait_list,
                  size_t count, bool is_barrier)
{
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_op *op = op_create(stream, &work, work.kind);
    sw_rt_op_ref(op);
    lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        depend_locked(op, wait_list[i]);
    for (size_t i = 0; count == 0 && i < stream->open.count; i++)
        depend_locked(op, *(sw_rt_op **)sw_vec_at(&stream->open, i));
    if (is_barrier)
        set_tail_locked(stream, op);
    else
        set_last_locked(stream, op);
    bool ready = release_locked(op);
    unlock();
    if (ready)
        start_list(op);
    return op;
}

void
sw_rt_stream_join(sw_rt_stream *stream, sw_rt_op *const *deps, size_t count)
{
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_op *op = op_create(stream, &work, work.kind);
    lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        depend_locked(op, deps[i]);
    set_tail_locked(stream, op);
    bool ready = release_locked(op);
    unlock();
    if (ready)
        start_list(op);
}

/* The grid is of the stream that somebody waits for, or ahead of it there. */
static bool
is_of_stream(void *arg, const sw_launch *launch)
{
    const sw_rt_op *awaited = arg;
    return launch->done == on_grid_done &&
           ((const sw_rt_op *)launch->arg)->stream == awaited->stream;
}

static bool
job_is_of_stream(void *arg, const void *job_arg)
{
    return ((const sw_rt_op *)job_arg)->stream == ((sw_rt_op *)arg)->stream;
}

/* Unless what is ahead is short, and this thread does it itself. */
static bool
help_locked(sw_rt_op *op)
{
    unlock();
    bool did = sw_exec_help(is_of_stream, op);
    lock();
    return did;
}

/* Or what a worker would have to be woken for. */
static bool
help_job_locked(sw_rt_op *op)
{
    unlock();
    bool did = sw_exec_help_job(job_is_of_stream, op);
    lock();
    return did;
}

/* For those that ask again and again; the caller holds a reference. */
static bool
is_done_now_locked(sw_rt_op *op)
{
    return is_done(op) || (help_locked(op) && is_done(op));
}

/* Sleeps until the operation is done; if `or_ready`, until one of kind CALLER
 * can be executed. */
static void
wait_locked(sw_rt_op *op, bool or_ready)
{
    while (!is_done(op) && !(or_ready && op->is_ready)) {
        if (help_locked(op) || help_job_locked(op))
            continue;
        if (is_done(op) || (or_ready && op->is_ready))
            break;
        op->awaited = true;
        pthread_cond_wait(&all.change, &all.lock);
    }
}

void
sw_rt_stream_quiet(void (*fn)(void *arg), void *arg)
{
    lock();
    while (all.unfinished) {
        all.awaits_quiet = true;
        pthread_cond_wait(&all.change, &all.lock);
    }
    all.awaits_quiet = false;
    fn(arg);
    unlock();
}

sw_status
sw_rt_stream_run(sw_rt_stream *stream, const sw_rt_work *work)
{
    sw_rt_work caller = *work;
    caller.kind = SW_RT_CALLER;
    sw_rt_op *op = op_create(stream, &caller, work->kind);
    sw_rt_activity *activity =
        sw_rt_activity_on
            ? sw_rt_activity_queued(stream->context, stream, work, true)
            : NULL;
    sw_rt_op_ref(op);
    if (!append(stream, op, NULL, 0)) {
        lock();
        wait_locked(op, true);
        unlock();
    }
    sw_status error = sw_rt_context_error(stream->context);
    if (error == SW_OK && op->failed != SW_OK) {
        error = op->failed;
        op->spreads = true; /* nobody else looks before it is finished */
    }
    sw_rt_activity_started(activity);
    tell_phase(op, SW_MEV_OP_STARTED, error, work->kind);
    if (error == SW_OK && sw_rt_memory_events)
        sw_rt_tell_work(op->number, op->stream, work);
    if (error == SW_OK && work->kind == SW_RT_COPY)
        sw_rt_copy_execute(&work->copy);
    else if (error == SW_OK && work->kind == SW_RT_FILL)
        sw_rt_fill_execute(&work->fill);
    sw_rt_activity_ended(activity, error, NULL);
    op_finish(op, error);
    tell_known(op);
    sw_rt_op_unref(op);
    sw_rt_print_flush();
    return error;
}

static sw_status
wait_ops(sw_rt_context *context, sw_rt_op **ops, size_t count)
{
    lock();
    for (size_t i = 0; i < count; i++) {
        wait_locked(ops[i], false);
        tell_known(ops[i]);
        unref_locked(ops[i]);
    }
    unlock();
    sw_rt_print_flush();
    return sw_rt_context_error(context);
}

sw_status
sw_rt_op_query(sw_rt_op *op)
{
    lock();
    bool busy = !is_done_now_locked(op);
    sw_status status = op->status;
    tell_known(busy ? NULL : op);
    unlock();
    if (!busy)
        sw_rt_print_flush();
    return busy ? SW_E_NOT_READY : status;
}

sw_status
sw_rt_op_wait(sw_rt_op *op)
{
    lock();
    wait_locked(op, false);
    sw_status status = op->status;
    tell_known(op);
    unlock();
    sw_rt_print_flush();
    return status;
}

/* The unfinished operations of an unordered stream. */
static void
collect_open_locked(const sw_rt_stream *s, sw_vec *ops)
{
    for (size_t i = 0; i < s->open.count; i++) {
        sw_rt_op *op = *(sw_rt_op **)sw_vec_at(&s->open, i);
        if (!is_done(op))
            *(sw_rt_op **)sw_vec_push(ops) = op;
    }
}

/* References to the last operations of the context's streams. */
static void
collect_locked(sw_rt_context *context, bool blocking_only, sw_vec *ops)
{
    sw_rt_op *legacy = context->legacy ? context->legacy->tail : NULL;
    bool done_too = sw_rt_tells(SW_MEV_HOST_AFTER);
    if (legacy && (done_too || !is_done(legacy)))
        *(sw_rt_op **)sw_vec_push(ops) = legacy;
    for (sw_rt_stream *s = context->streams; s; s = s->next)
        if (s->tail && (done_too || !is_done(s->tail)) &&
            !(blocking_only && s->is_non_blocking))
            *(sw_rt_op **)sw_vec_push(ops) = s->tail;
    for (sw_rt_stream *s = context->streams; s; s = s->next)
        if (!blocking_only)
            collect_open_locked(s, ops);
    for (size_t i = 0; i < context->orphans.count; i++)
        *(sw_rt_op **)sw_vec_push(ops) =
            *(sw_rt_op **)sw_vec_at(&context->orphans, i);
    for (size_t i = 0; i < ops->count; i++)
        sw_rt_op_ref(*(sw_rt_op **)sw_vec_at(ops, i));
}

static sw_status
wait_many(sw_rt_context *context, bool blocking_only)
{
    sw_vec ops;
    sw_vec_init(&ops, sizeof(sw_rt_op *));
    lock();
    collect_locked(context, blocking_only, &ops);
    unlock();
    sw_status status = wait_ops(context, ops.data, ops.count);
    sw_vec_finish(&ops);
    return status;
}

sw_status
sw_rt_context_wait(sw_rt_context *context)
{
    return wait_many(context, false);
}

static sw_status
wait_unordered(sw_rt_stream *stream)
{
    sw_vec ops;
    sw_vec_init(&ops, sizeof(sw_rt_op *));
    lock();
    collect_open_locked(stream, &ops);
    if (stream->tail)
        *(sw_rt_op **)sw_vec_push(&ops) = stream->tail;
    for (size_t i = 0; i < ops.count; i++)
        sw_rt_op_ref(*(sw_rt_op **)sw_vec_at(&ops, i));
    unlock();
    sw_status status = wait_ops(stream->context, ops.data, ops.count);
    sw_vec_finish(&ops);
    return status;
}

sw_status
sw_rt_stream_wait(sw_rt_stream *stream)
{
    if (stream->is_legacy)
        return wait_many(stream->context, true);
    if (stream->is_unordered)
        return wait_unordered(stream);
    lock();
    sw_rt_op *op = stream->tail;
    if (op)
        sw_rt_op_ref(op);
    unlock();
    return wait_ops(stream->context, &op, op ? 1 : 0);
}

sw_status
sw_rt_stream_query(sw_rt_stream *stream)
{
    sw_status error = sw_rt_context_error(stream->context);
    if (error != SW_OK)
        return error;
    bool busy = false;
    lock();
    sw_rt_op *tail = stream->tail;
    if (tail) {
        sw_rt_op_ref(tail);
        busy = !is_done_now_locked(tail);
        unref_locked(tail);
    }
    if (stream->is_legacy)
        for (sw_rt_stream *s = stream->context->streams; s; s = s->next)
            busy |= !s->is_non_blocking && s->tail && !is_done(s->tail);
    for (size_t i = 0; i < stream->open.count; i++)
        busy |= !is_done(*(sw_rt_op **)sw_vec_at(&stream->open, i));
    if (!busy && sw_rt_tells(SW_MEV_HOST_AFTER)) {
        tell_known(stream->tail);
        for (sw_rt_stream *s = stream->is_legacy ? stream->context->streams
                                                 : NULL;
             s; s = s->next)
            tell_known(s->is_non_blocking ? NULL : s->tail);
    }
    unlock();
    if (!busy)
        sw_rt_print_flush();
    return busy ? SW_E_NOT_READY : sw_rt_context_error(stream->context);
}

/* ---- streams ---- */

sw_rt_stream *
sw_rt_stream_create(sw_rt_context *context, bool non_blocking, int priority)
{
    sw_rt_stream *s = sw_rt_object_new(SW_RT_STREAM, sizeof *s);
    s->context = context;
    s->is_non_blocking = non_blocking;
    s->priority = priority;
    s->sync_policy = 1;
    lock();
    s->id = ++all.last_id;
    if (!context->legacy) {
        context->legacy = s;
        s->is_legacy = true;
    } else {
        s->next = context->streams;
        if (s->next)
            s->next->prev = s;
        context->streams = s;
    }
    unlock();
    if (!s->is_legacy)
        sw_rt_tell_stream(s, SW_HANDLE_CREATED);
    return s;
}

sw_rt_stream *
sw_rt_stream_create_unordered(sw_rt_context *context, int priority)
{
    sw_rt_stream *s = sw_rt_stream_create(context, true, priority);
    lock();
    s->is_unordered = true;
    sw_vec_init(&s->open, sizeof(sw_rt_op *));
    unlock();
    return s;
}

void
sw_rt_stream_destroy(sw_rt_stream *s)
{
    sw_rt_context *context = s->context;
    sw_rt_tell_stream(s, SW_HANDLE_DESTROYED);
    lock();
    if (s->is_legacy) {
        context->legacy = NULL;
    } else {
        if (s->prev)
            s->prev->next = s->next;
        else
            context->streams = s->next;
        if (s->next)
            s->next->prev = s->prev;
    }
    for (size_t i = context->orphans.count; i-- > 0;) {
        sw_rt_op *op = *(sw_rt_op **)sw_vec_at(&context->orphans, i);
        if (is_done(op)) {
            unref_locked(op);
            sw_vec_remove(&context->orphans, i);
        }
    }
    if (s->tail && !is_done(s->tail))
        *(sw_rt_op **)sw_vec_push(&context->orphans) = s->tail;
    else
        unref_locked(s->tail);
    for (size_t i = 0; i < s->open.count; i++) {
        sw_rt_op *op = *(sw_rt_op **)sw_vec_at(&s->open, i);
        if (is_done(op))
            unref_locked(op);
        else
            *(sw_rt_op **)sw_vec_push(&context->orphans) = op;
    }
    if (s->is_unordered)
        sw_vec_finish(&s->open);
    unlock();
    sw_rt_object_free(s);
}

/* ---- events ---- */

sw_rt_event *
sw_rt_event_create(sw_rt_context *context, uint32_t flags, bool no_timing,
                   bool blocking, sw_rt_shared_event *shared)
{
    sw_rt_event *e = sw_rt_object_new(SW_RT_EVENT, sizeof *e);
    e->context = context;
    e->flags = flags;
    e->no_timing = no_timing;
    e->blocking = blocking;
    e->shared = shared;
    sw_rt_tell_event(e, 0, 0, SW_HANDLE_CREATED);
    return e;
}

void
sw_rt_event_destroy(sw_rt_event *event)
{
    sw_rt_tell_event(event, 0, 0, SW_HANDLE_DESTROYED);
    sw_rt_shared_event_unref(event->shared);
    lock();
    unref_locked(event->op);
    unlock();
    sw_rt_object_free(event);
}

void
sw_rt_event_record(sw_rt_event *event, sw_rt_stream *stream)
{
    if (event->shared) {
        sw_rt_shared_event_record(event->shared, stream);
        return;
    }
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_op *op = op_create(stream, &work, work.kind);
    sw_rt_op_ref(op);
    bool ready = append(stream, op, NULL, 0);
    sw_rt_tell_event(event, op->number, stream->id, SW_HANDLE_RECORDED);
    lock();
    unref_locked(event->op);
    event->op = op;
    unlock();
    if (ready)
        start_list(op);
}

void
sw_rt_event_set_op(sw_rt_event *event, sw_rt_op *op)
{
    sw_rt_op_ref(op);
    lock();
    unref_locked(event->op);
    event->op = op;
    unlock();
}

sw_rt_op *
sw_rt_event_get_op(sw_rt_event *event)
{
    lock();
    sw_rt_op *op = event->op;
    if (op)
        sw_rt_op_ref(op);
    unlock();
    return op;
}

void
sw_rt_stream_wait_event(sw_rt_stream *stream, sw_rt_event *event)
{
    if (event->shared) {
        sw_rt_shared_event_hold(event->shared, stream);
        return;
    }
    lock();
    sw_rt_op *on = event->op;
    bool pending = on && (!is_done(on) || sw_rt_tells(SW_MEV_OP_AFTER));
    if (on)
        sw_rt_op_ref(on);
    unlock();
    sw_rt_tell_event(event, on ? on->number : 0, stream->id, SW_HANDLE_AWAITED);
    if (pending)
        sw_rt_stream_join(stream, &on, 1);
    sw_rt_op_unref(on);
}

sw_status
sw_rt_event_query(sw_rt_event *event)
{
    if (event->shared)
        return sw_rt_shared_event_is_done(event->shared) ? SW_OK
                                                         : SW_E_NOT_READY;
    lock();
    sw_rt_op *op = event->op;
    bool busy = false;
    sw_status status = SW_OK;
    if (op) {
        sw_rt_op_ref(op);
        busy = !is_done_now_locked(op);
        if (!busy)
            tell_known(op);
        status = op->status;
        unref_locked(op);
    }
    unlock();
    if (!busy)
        sw_rt_print_flush();
    return busy ? SW_E_NOT_READY : status;
}

sw_status
sw_rt_event_wait(sw_rt_event *event)
{
    if (event->shared) {
        sw_rt_shared_event_wait(event->shared);
        sw_rt_print_flush();
        return sw_rt_context_error(event->context);
    }
    lock();
    sw_rt_op *op = event->op;
    sw_status status = SW_OK;
    if (op) {
        sw_rt_op_ref(op);
        wait_locked(op, false);
        tell_known(op);
        status = op->status;
        unref_locked(op);
    }
    unlock();
    sw_rt_print_flush();
    return status;
}

sw_status
sw_rt_event_elapsed(sw_rt_event *start_event, sw_rt_event *end, float *ms)
{
    if (start_event->no_timing || end->no_timing)
        return SW_E_INVALID_HANDLE;
    lock();
    sw_rt_op *a = start_event->op, *b = end->op;
    sw_status status = !a || !b                     ? SW_E_INVALID_HANDLE
                       : !is_done(a) || !is_done(b) ? SW_E_NOT_READY
                       : a->status != SW_OK         ? a->status
                                                    : b->status;
    if (status == SW_OK)
        *ms = (float)((double)(int64_t)(b->time_ns - a->time_ns) * 1e-6);
    unlock();
    return status;
}
