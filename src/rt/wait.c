/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait.c - see stream.h: waiting for operations, streams and contexts. Who
 * waits does short work itself.
 */
#include "rt/op.h"
#include "rt/watch.h"

/* The grid is of the stream that somebody waits for, or ahead of it there. */
static bool
is_of_stream(void *arg, const sw_launch *launch)
{
    const sw_rt_op *awaited = arg;
    return launch->done == sw_rt_op_on_grid_done &&
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
    sw_rt_ops_unlock();
    bool did = sw_exec_help(is_of_stream, op);
    sw_rt_ops_lock();
    return did;
}

/* Or what a worker would have to be woken for. */
static bool
help_job_locked(sw_rt_op *op)
{
    sw_rt_ops_unlock();
    bool did = sw_exec_help_job(job_is_of_stream, op);
    sw_rt_ops_lock();
    return did;
}

/* For those that ask again and again; the caller holds a reference. */
bool
sw_rt_op_is_done_now_locked(sw_rt_op *op)
{
    return sw_rt_op_is_done(op) || (help_locked(op) && sw_rt_op_is_done(op));
}

/* Sleeps until the operation is done; if `or_ready`, until one of kind CALLER
 * can be executed. */
void
sw_rt_op_wait_locked(sw_rt_op *op, bool or_ready)
{
    while (!sw_rt_op_is_done(op) && !(or_ready && op->is_ready)) {
        if (help_locked(op) || help_job_locked(op))
            continue;
        if (sw_rt_op_is_done(op) || (or_ready && op->is_ready))
            break;
        op->awaited = true;
        pthread_cond_wait(&sw_rt_ops.change, &sw_rt_ops.lock);
    }
}

void
sw_rt_stream_quiet(void (*fn)(void *arg), void *arg)
{
    sw_rt_ops_lock();
    while (sw_rt_ops.unfinished) {
        sw_rt_ops.awaits_quiet = true;
        pthread_cond_wait(&sw_rt_ops.change, &sw_rt_ops.lock);
    }
    sw_rt_ops.awaits_quiet = false;
    fn(arg);
    sw_rt_ops_unlock();
}

static sw_status
wait_ops(sw_rt_context *context, sw_rt_op **ops, size_t count)
{
    sw_rt_ops_lock();
    for (size_t i = 0; i < count; i++) {
        sw_rt_op_wait_locked(ops[i], false);
        sw_rt_op_tell_known(ops[i]);
        sw_rt_op_unref_locked(ops[i]);
    }
    sw_rt_ops_unlock();
    sw_rt_print_flush();
    return sw_rt_context_error(context);
}

sw_status
sw_rt_op_query(sw_rt_op *op)
{
    sw_rt_ops_lock();
    bool busy = !sw_rt_op_is_done_now_locked(op);
    sw_status status = op->status;
    sw_rt_op_tell_known(busy ? NULL : op);
    sw_rt_ops_unlock();
    if (!busy)
        sw_rt_print_flush();
    return busy ? SW_E_NOT_READY : status;
}

sw_rt_op_times
sw_rt_op_get_times(sw_rt_op *op)
{
    sw_rt_op_times times = {
        .start_ns = __atomic_load_n(&op->start_ns, __ATOMIC_RELAXED)};
    sw_rt_ops_lock();
    times.is_ready = op->pending == 0;
    if (sw_rt_op_is_done(op)) {
        times.start_ns = op->start_ns;
        times.end_ns = op->time_ns;
        if (sw_rt_device_clock_is_on()) {
            times.start_ns = op->clock.start;
            times.end_ns = op->clock.end;
        }
    }
    sw_rt_ops_unlock();
    return times;
}

sw_status
sw_rt_op_wait(sw_rt_op *op)
{
    sw_rt_ops_lock();
    sw_rt_op_wait_locked(op, false);
    sw_status status = op->status;
    sw_rt_op_tell_known(op);
    sw_rt_ops_unlock();
    sw_rt_print_flush();
    return status;
}

/* The unfinished operations of an unordered stream. */
static void
collect_open_locked(const sw_rt_stream *s, sw_vec *ops)
{
    for (size_t i = 0; i < s->open.count; i++) {
        sw_rt_op *op = *(sw_rt_op **)sw_vec_at(&s->open, i);
        if (!sw_rt_op_is_done(op))
            *(sw_rt_op **)sw_vec_push(ops) = op;
    }
}

void
sw_rt_context_collect_locked(sw_rt_context *context, bool blocking_only,
                             sw_vec *ops)
{
    sw_rt_op *legacy = context->legacy ? context->legacy->tail : NULL;
    bool done_too = sw_rt_tells(SW_MEV_HOST_AFTER);
    if (legacy && (done_too || !sw_rt_op_is_done(legacy)))
        *(sw_rt_op **)sw_vec_push(ops) = legacy;
    for (sw_rt_stream *s = context->streams; s; s = s->next)
        if (s->tail && (done_too || !sw_rt_op_is_done(s->tail)) &&
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
    sw_rt_ops_lock();
    sw_rt_context_collect_locked(context, blocking_only, &ops);
    sw_rt_ops_unlock();
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
    sw_rt_ops_lock();
    collect_open_locked(stream, &ops);
    if (stream->tail)
        *(sw_rt_op **)sw_vec_push(&ops) = stream->tail;
    for (size_t i = 0; i < ops.count; i++)
        sw_rt_op_ref(*(sw_rt_op **)sw_vec_at(&ops, i));
    sw_rt_ops_unlock();
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
    sw_rt_ops_lock();
    sw_rt_op *op = stream->tail;
    if (op)
        sw_rt_op_ref(op);
    sw_rt_ops_unlock();
    return wait_ops(stream->context, &op, op ? 1 : 0);
}

sw_status
sw_rt_stream_query(sw_rt_stream *stream)
{
    sw_status error = sw_rt_context_error(stream->context);
    if (error != SW_OK)
        return error;
    bool busy = false;
    sw_rt_ops_lock();
    sw_rt_op *tail = stream->tail;
    if (tail) {
        sw_rt_op_ref(tail);
        busy = !sw_rt_op_is_done_now_locked(tail);
        sw_rt_op_unref_locked(tail);
    }
    if (stream->is_legacy)
        for (sw_rt_stream *s = stream->context->streams; s; s = s->next)
            busy |=
                !s->is_non_blocking && s->tail && !sw_rt_op_is_done(s->tail);
    for (size_t i = 0; i < stream->open.count; i++)
        busy |= !sw_rt_op_is_done(*(sw_rt_op **)sw_vec_at(&stream->open, i));
    if (!busy &&
        (sw_rt_tells(SW_MEV_HOST_AFTER) || sw_rt_device_clock_is_on())) {
        sw_rt_op_tell_known(stream->tail);
        for (sw_rt_stream *s = stream->is_legacy ? stream->context->streams
                                                 : NULL;
             s; s = s->next)
            sw_rt_op_tell_known(s->is_non_blocking ? NULL : s->tail);
    }
    sw_rt_ops_unlock();
    if (!busy)
        sw_rt_print_flush();
    return busy ? SW_E_NOT_READY : sw_rt_context_error(stream->context);
}
