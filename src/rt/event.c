/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event.c - see stream.h: events, marks in streams.
 */
#include "rt/op.h"
#include "rt/share.h"
#include "rt/watch.h"

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
    sw_rt_ops_lock();
    sw_rt_op_unref_locked(event->op);
    sw_rt_ops_unlock();
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
    sw_rt_op *op = sw_rt_op_create(stream, &work, work.kind);
    op->clock.is_event = true;
    sw_rt_op_ref(op);
    bool ready = sw_rt_stream_append(stream, op, NULL, 0);
    sw_rt_tell_event(event, op->number, stream->id, SW_HANDLE_RECORDED);
    sw_rt_ops_lock();
    sw_rt_op_unref_locked(event->op);
    event->op = op;
    sw_rt_ops_unlock();
    if (ready)
        sw_rt_op_start_list(op);
}

void
sw_rt_event_set_op(sw_rt_event *event, sw_rt_op *op)
{
    sw_rt_op_ref(op);
    sw_rt_ops_lock();
    sw_rt_op_unref_locked(event->op);
    event->op = op;
    sw_rt_ops_unlock();
}

sw_rt_op *
sw_rt_event_get_op(sw_rt_event *event)
{
    sw_rt_ops_lock();
    sw_rt_op *op = event->op;
    if (op)
        sw_rt_op_ref(op);
    sw_rt_ops_unlock();
    return op;
}

void
sw_rt_stream_wait_event(sw_rt_stream *stream, sw_rt_event *event)
{
    if (event->shared) {
        sw_rt_shared_event_hold(event->shared, stream);
        return;
    }
    sw_rt_ops_lock();
    sw_rt_op *on = event->op;
    bool pending =
        on && (!sw_rt_op_is_done(on) || sw_rt_tells(SW_MEV_OP_AFTER));
    if (on)
        sw_rt_op_ref(on);
    sw_rt_ops_unlock();
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
    sw_rt_ops_lock();
    sw_rt_op *op = event->op;
    bool busy = false;
    sw_status status = SW_OK;
    if (op) {
        sw_rt_op_ref(op);
        busy = !sw_rt_op_is_done_now_locked(op);
        if (!busy)
            sw_rt_op_tell_known(op);
        status = op->status;
        sw_rt_op_unref_locked(op);
    }
    sw_rt_ops_unlock();
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
    sw_rt_ops_lock();
    sw_rt_op *op = event->op;
    sw_status status = SW_OK;
    if (op) {
        sw_rt_op_ref(op);
        sw_rt_op_wait_locked(op, false);
        sw_rt_op_tell_known(op);
        status = op->status;
        sw_rt_op_unref_locked(op);
    }
    sw_rt_ops_unlock();
    sw_rt_print_flush();
    return status;
}

sw_status
sw_rt_event_elapsed(sw_rt_event *start_event, sw_rt_event *end, float *ms)
{
    if (start_event->no_timing || end->no_timing)
        return SW_E_INVALID_HANDLE;
    sw_rt_ops_lock();
    sw_rt_op *a = start_event->op, *b = end->op;
    sw_status status = !a || !b ? SW_E_INVALID_HANDLE
                       : !sw_rt_op_is_done(a) || !sw_rt_op_is_done(b)
                           ? SW_E_NOT_READY
                       : a->status != SW_OK ? a->status
                                            : b->status;
    bool is_on = sw_rt_device_clock_is_on();
    if (status == SW_OK)
        *ms = (float)((double)(is_on ? (int64_t)(b->clock.end - a->clock.end)
                                     : (int64_t)(b->time_ns - a->time_ns)) *
                      1e-6);
    sw_rt_ops_unlock();
    return status;
}
