/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stream.c - see stream.h: streams as pointers to their last operations, and
 * what a new operation of a stream has to wait for.
 */
#include "rt/op.h"

#include "rt/activity.h"
#include "rt/copy.h"
#include "rt/watch.h"

enum {
    FEW_OPEN = 16
}; /* operations of an unordered stream that are just kept */

/* Adds what a new operation of the stream has to wait for. A failure of that
 * concerns only those whose wait list has it. */
static void
follow_locked(sw_rt_op *op, sw_rt_stream *stream)
{
    sw_rt_context *context = stream->context;
    sw_rt_op_depend_locked(op, stream->tail, false);
    if (stream->is_legacy) {
        for (sw_rt_stream *s = context->streams; s; s = s->next)
            if (!s->is_non_blocking)
                sw_rt_op_depend_locked(op, s->tail, false);
        for (size_t i = 0; i < context->orphans.count; i++)
            sw_rt_op_depend_locked(
                op, *(sw_rt_op **)sw_vec_at(&context->orphans, i), false);
    } else if (!stream->is_non_blocking) {
        sw_rt_op_depend_locked(op, context->legacy->tail, false);
    }
}

static void
set_tail_locked(sw_rt_stream *stream, sw_rt_op *op)
{
    sw_rt_op_unref_locked(stream->tail);
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
            if (sw_rt_op_is_done(o)) {
                sw_rt_op_unref_locked(o);
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

sw_rt_op *
sw_rt_op_submit(sw_rt_stream *stream, bool after_stream, const sw_rt_work *work,
                sw_rt_op *const *deps, size_t count, sw_status *status)
{
    sw_rt_op *op = sw_rt_op_create(stream, work, work->kind);
    sw_rt_op_ref(op);
    sw_rt_ops_lock();
    if (after_stream)
        follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        sw_rt_op_depend_locked(op, deps[i], true);
    bool ready = sw_rt_op_release_locked(op);
    sw_rt_ops_unlock();
    *status = ready ? sw_rt_op_start_list(op) : SW_OK;
    return op;
}

void
sw_rt_op_submit_at_start(sw_rt_op *on, const sw_rt_work *work)
{
    sw_rt_op *op = sw_rt_op_create(on->context->legacy, work, work->kind);
    sw_rt_ops_lock();
    sw_rt_op_follow_locked(op, on);
    bool ready = sw_rt_op_release_locked(op);
    sw_rt_ops_unlock();
    if (ready)
        sw_rt_op_start_list(op);
}

/* Appends the operation; the caller keeps no reference but the running one. */
bool
sw_rt_stream_append(sw_rt_stream *stream, sw_rt_op *op,
                    sw_rt_op *const *wait_list, size_t count)
{
    sw_rt_ops_lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        sw_rt_op_depend_locked(op, wait_list[i], true);
    set_last_locked(stream, op);
    bool ready = sw_rt_op_release_locked(op);
    sw_rt_ops_unlock();
    return ready;
}

sw_status
sw_rt_stream_submit(sw_rt_stream *stream, const sw_rt_work *work)
{
    sw_rt_op *op = sw_rt_op_create(stream, work, work->kind);
    return sw_rt_stream_append(stream, op, NULL, 0) ? sw_rt_op_start_list(op)
                                                    : SW_OK;
}

sw_status
sw_rt_stream_submit_after(sw_rt_stream *stream, const sw_rt_work *work,
                          sw_rt_op *const *wait_list, size_t count,
                          sw_rt_op **out)
{
    sw_rt_op *op = sw_rt_op_create(stream, work, work->kind);
    if (out) {
        sw_rt_op_ref(op);
        *out = op;
    }
    return sw_rt_stream_append(stream, op, wait_list, count)
               ? sw_rt_op_start_list(op)
               : SW_OK;
}

sw_rt_op *
sw_rt_stream_mark(sw_rt_stream *stream, sw_rt_op *const *wait_list,
                  size_t count, bool is_barrier)
{
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_op *op = sw_rt_op_create(stream, &work, work.kind);
    sw_rt_op_ref(op);
    sw_rt_ops_lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        sw_rt_op_depend_locked(op, wait_list[i], true);
    for (size_t i = 0; count == 0 && i < stream->open.count; i++)
        sw_rt_op_depend_locked(op, *(sw_rt_op **)sw_vec_at(&stream->open, i),
                               false);
    if (is_barrier)
        set_tail_locked(stream, op);
    else
        set_last_locked(stream, op);
    bool ready = sw_rt_op_release_locked(op);
    sw_rt_ops_unlock();
    if (ready)
        sw_rt_op_start_list(op);
    return op;
}

void
sw_rt_stream_join(sw_rt_stream *stream, sw_rt_op *const *deps, size_t count)
{
    sw_rt_work work = {.kind = SW_RT_EMPTY};
    sw_rt_op *op = sw_rt_op_create(stream, &work, work.kind);
    sw_rt_ops_lock();
    follow_locked(op, stream);
    for (size_t i = 0; i < count; i++)
        sw_rt_op_depend_locked(op, deps[i], true);
    set_tail_locked(stream, op);
    bool ready = sw_rt_op_release_locked(op);
    sw_rt_ops_unlock();
    if (ready)
        sw_rt_op_start_list(op);
}

sw_status
sw_rt_stream_run(sw_rt_stream *stream, const sw_rt_work *work)
{
    sw_rt_work caller = *work;
    caller.kind = SW_RT_CALLER;
    sw_rt_op *op = sw_rt_op_create(stream, &caller, work->kind);
    sw_rt_activity *activity =
        sw_rt_activity_on
            ? sw_rt_activity_queued(stream->context, stream, work, true)
            : NULL;
    sw_rt_op_ref(op);
    if (!sw_rt_stream_append(stream, op, NULL, 0)) {
        sw_rt_ops_lock();
        sw_rt_op_wait_locked(op, true);
        sw_rt_ops_unlock();
    }
    sw_status error = sw_rt_context_error(stream->context);
    if (error == SW_OK && op->failed != SW_OK) {
        error = op->failed;
        op->spreads = true; /* nobody else looks before it is finished */
    }
    sw_rt_activity_started(activity);
    sw_rt_op_tell_phase(op, SW_MEV_OP_STARTED, error, work->kind);
    if (error == SW_OK && sw_rt_memory_events)
        sw_rt_tell_work(op->number, op->stream, work);
    if (error == SW_OK && sw_rt_device_clock_is_on())
        sw_rt_device_clock_copies(&op->clock, op->context->device, work);
    if (error == SW_OK && work->kind == SW_RT_COPY)
        sw_rt_copy_execute(&work->copy);
    else if (error == SW_OK && work->kind == SW_RT_FILL)
        sw_rt_fill_execute(&work->fill);
    sw_rt_op_end_activity(op, activity, error, NULL);
    sw_rt_op_finish(op, error);
    sw_rt_op_tell_known(op);
    sw_rt_op_unref(op);
    sw_rt_print_flush();
    return error;
}

/* ---- streams ---- */

static uint64_t last_id; /* under the lock */

sw_rt_stream *
sw_rt_stream_create(sw_rt_context *context, bool non_blocking, int priority)
{
    sw_rt_stream *s = sw_rt_object_new(SW_RT_STREAM, sizeof *s);
    s->context = context;
    s->is_non_blocking = non_blocking;
    s->priority = priority;
    s->sync_policy = 1;
    sw_rt_ops_lock();
    s->id = ++last_id;
    if (!context->legacy) {
        context->legacy = s;
        s->is_legacy = true;
    } else {
        s->next = context->streams;
        if (s->next)
            s->next->prev = s;
        context->streams = s;
    }
    sw_rt_ops_unlock();
    if (!s->is_legacy)
        sw_rt_tell_stream(s, SW_HANDLE_CREATED);
    return s;
}

sw_rt_stream *
sw_rt_stream_create_unordered(sw_rt_context *context, int priority)
{
    sw_rt_stream *s = sw_rt_stream_create(context, true, priority);
    sw_rt_ops_lock();
    s->is_unordered = true;
    sw_vec_init(&s->open, sizeof(sw_rt_op *));
    sw_rt_ops_unlock();
    return s;
}

void
sw_rt_stream_destroy(sw_rt_stream *s)
{
    sw_rt_context *context = s->context;
    sw_rt_tell_stream(s, SW_HANDLE_DESTROYED);
    sw_rt_ops_lock();
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
        if (sw_rt_op_is_done(op)) {
            sw_rt_op_unref_locked(op);
            sw_vec_remove(&context->orphans, i);
        }
    }
    if (s->tail && !sw_rt_op_is_done(s->tail))
        *(sw_rt_op **)sw_vec_push(&context->orphans) = s->tail;
    else
        sw_rt_op_unref_locked(s->tail);
    for (size_t i = 0; i < s->open.count; i++) {
        sw_rt_op *op = *(sw_rt_op **)sw_vec_at(&s->open, i);
        if (sw_rt_op_is_done(op))
            sw_rt_op_unref_locked(op);
        else
            *(sw_rt_op **)sw_vec_push(&context->orphans) = op;
    }
    if (s->is_unordered)
        sw_vec_finish(&s->open);
    sw_rt_ops_unlock();
    sw_rt_object_free(s);
}

bool
sw_rt_context_submit_last(sw_rt_context *context, const sw_rt_work *work)
{
    sw_vec ops;
    sw_vec_init(&ops, sizeof(sw_rt_op *));
    sw_rt_ops_lock();
    sw_rt_context_collect_locked(context, false, &ops);
    sw_rt_ops_unlock();
    bool is_busy = false;
    for (size_t i = 0; i < ops.count; i++)
        is_busy |= !sw_rt_op_is_done(*(sw_rt_op **)sw_vec_at(&ops, i));
    sw_status status;
    if (is_busy)
        sw_rt_op_unref(sw_rt_op_submit(context->legacy, false, work, ops.data,
                                       ops.count, &status));
    sw_rt_ops_lock();
    for (size_t i = 0; i < ops.count; i++)
        sw_rt_op_unref_locked(*(sw_rt_op **)sw_vec_at(&ops, i));
    sw_rt_ops_unlock();
    sw_vec_finish(&ops);
    return is_busy;
}
