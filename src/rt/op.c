/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op.c - see op.h: an operation from its making to its end.
 */
#include "rt/op.h"

#include <string.h>

#include "rt/activity.h"
#include "rt/complain.h"
#include "rt/compute.h"
#include "rt/device_launch.h"
#include "rt/guard.h"
#include "rt/host.h"
#include "rt/host_stack.h"
#include "rt/memory.h"
#include "rt/module.h"
#include "rt/watch.h"
#include "rt/work.h"

struct sw_rt_ops sw_rt_ops = {.lock = PTHREAD_MUTEX_INITIALIZER,
                              .change = PTHREAD_COND_INITIALIZER};

void
sw_rt_ops_lock(void)
{
    pthread_mutex_lock(&sw_rt_ops.lock);
}

void
sw_rt_ops_unlock(void)
{
    pthread_mutex_unlock(&sw_rt_ops.lock);
}

static void
tell(const sw_rt_op *op, sw_memory_event e)
{
    e.op = op->number;
    e.stream = op->stream;
    e.context = (uint32_t)op->context->id;
    sw_rt_tell(e);
}

void
sw_rt_op_tell_phase(const sw_rt_op *op, sw_memory_event_kind kind,
                    sw_status status, sw_rt_work_kind work)
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
void
sw_rt_op_tell_known(const sw_rt_op *op)
{
    if (op && sw_rt_device_clock_is_on())
        sw_rt_device_clock_known(&op->clock);
    if (op && sw_rt_tells(SW_MEV_HOST_AFTER))
        tell(op, (sw_memory_event){.kind = SW_MEV_HOST_AFTER});
}

/* What this thread executes now: what it queues meanwhile comes after it. */
static _Thread_local uint64_t running_op;

/* does: what work is, or what the caller does who executes it. */
sw_rt_op *
sw_rt_op_create(sw_rt_stream *stream, const sw_rt_work *work,
                sw_rt_work_kind does)
{
    sw_rt_ops_lock();
    sw_rt_op *op = sw_rt_ops.free;
    if (op)
        sw_rt_ops.free = op->link;
    sw_rt_ops.unfinished++;
    sw_rt_ops_unlock();
    if (!op)
        op = sw_alloc(sizeof *op);
    else
        memset(op, 0, offsetof(sw_rt_op, inline_params));
    op->refs = 1;
    op->pending = 1;
    op->next = op->next_inline;
    op->next_capacity = SW_RT_OP_NEXT;
    op->context = stream->context;
    op->stream = stream->id;
    op->work = *work;
    if (work->kind == SW_RT_COMPUTE)
        sw_rt_compute_ref(work->host.arg);
    if (sw_rt_device_clock_is_on())
        sw_rt_device_clock_queued(&op->clock);
    if (sw_rt_watch_is_on()) {
        op->number =
            __atomic_add_fetch(&sw_rt_ops.last_op, 1, __ATOMIC_RELAXED);
        sw_rt_guard_count(&sw_rt_ops.active);
        sw_rt_op_tell_phase(op, SW_MEV_OP_QUEUED, SW_OK, does);
        if (running_op && sw_rt_tells(SW_MEV_OP_AFTER))
            tell(op, (sw_memory_event){.kind = SW_MEV_OP_AFTER,
                                       .other = running_op});
    }
    if (sw_rt_activity_on)
        op->activity =
            sw_rt_activity_queued(stream->context, stream, work, false);
    if (work->kind == SW_RT_LAUNCH) {
        size_t bytes = sw_rt_kernel_param_bytes(work->launch.kernel);
        op->params =
            bytes <= SW_RT_OP_PARAMS ? op->inline_params : sw_alloc(bytes);
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

void
sw_rt_op_unref_locked(sw_rt_op *op)
{
    if (!op || __atomic_sub_fetch(&op->refs, 1, __ATOMIC_ACQ_REL))
        return;
    if (op->work.kind == SW_RT_COMPUTE)
        sw_rt_compute_unref(op->work.host.arg);
    if (op->next != op->next_inline)
        sw_free(op->next);
    if (op->params && op->params != op->inline_params)
        sw_free(op->params);
    op->link = sw_rt_ops.free;
    sw_rt_ops.free = op;
}

void
sw_rt_op_unref(sw_rt_op *op)
{
    if (!op)
        return;
    sw_rt_ops_lock();
    sw_rt_op_unref_locked(op);
    sw_rt_ops_unlock();
}

bool
sw_rt_op_is_done(const sw_rt_op *op)
{
    return __atomic_load_n(&op->done, __ATOMIC_ACQUIRE);
}

void
sw_rt_op_depend_locked(sw_rt_op *op, sw_rt_op *on, bool shares_failure)
{
    if (on && on != op && sw_rt_tells(SW_MEV_OP_AFTER))
        tell(op,
             (sw_memory_event){.kind = SW_MEV_OP_AFTER, .other = on->number});
    if (!on || on == op)
        return;
    if (sw_rt_op_is_done(on)) {
        if (sw_rt_device_clock_is_on())
            sw_rt_device_clock_after_locked(&op->clock, &on->clock);
        if (on->spreads && shares_failure)
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
    on->next[on->next_count++] = (sw_rt_op_next){op, shares_failure};
    op->pending++;
}

/* The host may touch memory while nothing is under way: what callers execute
 * themselves is in a call, and what the program completes touches none. */
static bool
counts_as_active(const sw_rt_op *op)
{
    return op->work.kind != SW_RT_CALLER && op->work.kind != SW_RT_WAIT_VALUE;
}

static void
push_followers_locked(sw_rt_op *op, sw_rt_op **ready)
{
    while (op->followers) {
        sw_rt_op *f = op->followers;
        op->followers = f->link;
        if (!sw_rt_op_release_locked(f))
            continue;
        f->link = *ready;
        *ready = f;
    }
}

void
sw_rt_op_follow_locked(sw_rt_op *op, sw_rt_op *on)
{
    if (sw_rt_op_is_done(on) || (on->pending == 0 && on->failed == SW_OK))
        return;
    op->link = on->followers;
    on->followers = op;
    op->pending++;
}

/* What it waited for is done; once. */
static void
place_on_device_locked(sw_rt_op *op, sw_status status)
{
    sw_rt_op_clock *c = &op->clock;
    if (c->is_placed)
        return;
    c->is_placed = true;
    if (op->work.kind == SW_RT_LAUNCH || op->work.kind == SW_RT_COMPUTE)
        c->part = SW_RT_SMS;
    if (op->work.kind == SW_RT_COMPUTE)
        c->takes.ns = (double)(op->time_ns - op->start_ns);
    if (status != SW_OK)
        c->part = SW_RT_NO_PART;
    sw_rt_device_clock_place_locked(c, op->context->device);
}

/* Marks it done and adds those that become ready to *ready. The running
 * reference goes with it. */
static void
finish_locked(sw_rt_op *op, sw_status status, sw_rt_op **ready)
{
    sw_rt_op_tell_phase(op, SW_MEV_OP_ENDED, status, op->work.kind);
    op->status = status;
    if (!op->time_ns)
        op->time_ns = sw_time_ns();
    if (!op->start_ns)
        __atomic_store_n(&op->start_ns, op->time_ns, __ATOMIC_RELAXED);
    if (sw_rt_device_clock_is_on())
        place_on_device_locked(op, status);
    __atomic_store_n(&op->done, true, __ATOMIC_RELEASE);
    push_followers_locked(op, ready);
    if (--sw_rt_ops.unfinished == 0 && sw_rt_ops.awaits_quiet)
        op->awaited = true;
    if (op->awaited)
        pthread_cond_broadcast(&sw_rt_ops.change);
    for (uint32_t i = 0; i < op->next_count; i++) {
        sw_rt_op *n = op->next[i].op;
        if (sw_rt_device_clock_is_on())
            sw_rt_device_clock_after_locked(&n->clock, &op->clock);
        if (op->spreads && op->next[i].shares_failure)
            n->failed = SW_E_WAIT_LIST;
        if (!sw_rt_op_release_locked(n))
            continue;
        if (n->failed == SW_OK) /* they come behind it in the list */
            push_followers_locked(n, ready);
        n->link = *ready;
        *ready = n;
    }
    op->next_count = 0;
    if (counts_as_active(op))
        sw_rt_ops.active--;
    sw_rt_op_unref_locked(op);
}

void
sw_rt_op_finish(sw_rt_op *op, sw_status status)
{
    sw_rt_op *ready = NULL;
    sw_rt_context *context = op->context;
    sw_rt_ops_lock();
    finish_locked(op, status, &ready);
    sw_rt_ops_unlock();
    sw_status late = sw_rt_op_start_list(ready);
    if (late != SW_OK) /* nobody is there to be told */
        sw_rt_context_fail(context, late);
}

void
sw_rt_op_complete(sw_rt_op *op)
{
    if (running_op && sw_rt_tells(SW_MEV_OP_AFTER))
        tell(op,
             (sw_memory_event){.kind = SW_MEV_OP_AFTER, .other = running_op});
    sw_rt_op_finish(op, sw_rt_context_error(op->context));
}

void
sw_rt_op_complete_as(sw_rt_op *op, sw_status status)
{
    sw_rt_ops_lock();
    op->spreads = status != SW_OK;
    sw_rt_ops_unlock();
    sw_rt_op_finish(op, status);
}

/* The device's times, as far as they are known, are in the record. */
void
sw_rt_op_end_activity(sw_rt_op *op, sw_rt_activity *activity, sw_status status,
                      const sw_grid_stats *stats)
{
    if (activity && sw_rt_device_clock_is_on()) {
        sw_rt_ops_lock();
        if (!op->time_ns)
            op->time_ns = sw_time_ns();
        place_on_device_locked(op, status);
        sw_rt_ops_unlock();
        sw_rt_activity_placed(activity, op->clock.start, op->clock.end);
    }
    sw_rt_activity_ended(activity, status, stats);
}

static void
on_device_queue_done(void *arg, sw_status status)
{
    sw_rt_op_finish(arg, status);
}

void
sw_rt_op_on_grid_done(void *arg, const sw_fault *fault,
                      const sw_grid_stats *stats)
{
    sw_rt_op *op = arg;
    sw_status status = fault ? fault->status : SW_OK;
    if (status != SW_OK) {
        sw_rt_complain(fault, sw_rt_context_error(op->context) == SW_OK,
                       op->work.launch.host_stack);
        sw_rt_context_fail(op->context, status);
    }
    if (stats && stats->start_ns && !op->device_queue) {
        __atomic_store_n(&op->start_ns, stats->start_ns, __ATOMIC_RELAXED);
        op->time_ns = stats->end_ns;
    }
    sw_rt_launch_ended(&op->work.launch, fault, stats, &op->clock.takes,
                       sw_rt_activity_forecast(op->activity));
    sw_rt_op_end_activity(op, op->activity, status, stats);
    if (op->device_queue)
        sw_rt_device_queue_finish(op->device_queue, status,
                                  on_device_queue_done, op);
    else
        sw_rt_op_finish(op, status);
}

static void
do_work(sw_rt_op *op)
{
    __atomic_store_n(&op->start_ns, sw_time_ns(), __ATOMIC_RELAXED);
    sw_rt_activity_started(op->activity);
    sw_rt_op_tell_phase(op, SW_MEV_OP_STARTED, SW_OK, op->work.kind);
    if (sw_rt_memory_events && op->work.kind != SW_RT_WAIT_VALUE)
        sw_rt_tell_work(op->number, op->stream, &op->work);
    if (sw_rt_device_clock_is_on())
        sw_rt_device_clock_copies(&op->clock, op->context->device, &op->work);
    running_op = op->number;
    if (op->work.kind != SW_RT_FREE_MEMORY)
        sw_rt_work_execute(&op->work, op->context);
    else if (op->work.free.idle)
        sw_rt_pool_free(op->work.free.idle);
    else
        sw_rt_memory_release(op->work.free.addr);
    running_op = 0;
    if (sw_rt_memory_events && op->work.kind == SW_RT_WAIT_VALUE)
        sw_rt_tell_work(op->number, op->stream, &op->work);
    sw_rt_op_end_activity(op, op->activity, SW_OK, NULL);
}

/* On a worker, or on the host-function thread. */
static void
execute(void *arg)
{
    do_work(arg);
    sw_rt_op_finish(arg, SW_OK);
}

/* All it waits for is done; it may have finished when this returns. */
static sw_status
start(sw_rt_op *op)
{
    sw_status error = sw_rt_context_error(op->context);
    sw_rt_work_kind kind = op->work.kind;
    if (kind == SW_RT_CALLER) {
        sw_rt_ops_lock();
        op->is_ready = true;
        if (op->awaited)
            pthread_cond_broadcast(&sw_rt_ops.change);
        sw_rt_ops_unlock();
        return SW_OK;
    }
    if (error != SW_OK && kind != SW_RT_CALLBACK && kind != SW_RT_BLOCKING) {
        sw_rt_activity_ended(op->activity, error, NULL);
        sw_rt_op_finish(op, error);
        return SW_OK;
    }
    switch (kind) {
    case SW_RT_LAUNCH: {
        sw_launch launch;
        op->work.launch.op = op->number;
        op->work.launch.stream = op->stream;
        __atomic_store_n(&op->start_ns, sw_time_ns(), __ATOMIC_RELAXED);
        sw_rt_op_tell_phase(op, SW_MEV_OP_STARTED, SW_OK, kind);
        sw_status status = sw_rt_launch_prepare(&op->work.launch, op->context,
                                                sw_rt_grid_id(), &launch);
        op->device_queue =
            sw_rt_device_queue_create(op->work.launch.kernel, op->context);
        launch.owner = op->device_queue;
        launch.done = sw_rt_op_on_grid_done;
        launch.arg = op;
        if (status == SW_OK) {
            sw_rt_activity_launched(op->activity, &op->work.launch);
            status = sw_exec_submit(&launch);
        }
        if (status != SW_OK) {
            sw_fault fault = {.status = status};
            sw_rt_launch_ended(&op->work.launch, &fault, NULL, NULL, NULL);
            sw_rt_device_queue_destroy(op->device_queue);
            sw_rt_activity_ended(op->activity, status, NULL);
            sw_rt_op_finish(op, status);
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
sw_status
sw_rt_op_start_list(sw_rt_op *ready)
{
    sw_status first = SW_OK;
    while (ready) {
        sw_rt_op *op = ready;
        ready = op->link;
        op->link = NULL;
        if (is_skipped(op)) {
            sw_rt_activity_ended(op->activity, op->failed, NULL);
            sw_rt_ops_lock();
            op->spreads = true;
            finish_locked(op, op->failed, &ready);
            sw_rt_ops_unlock();
            continue;
        }
        if (sw_rt_work_is_quick(&op->work)) {
            sw_status error = sw_rt_context_error(op->context);
            if (op->work.kind == SW_RT_FREE_MEMORY ||
                (error == SW_OK && op->work.kind != SW_RT_EMPTY))
                do_work(op);
            else
                sw_rt_activity_ended(op->activity, error, NULL);
            sw_rt_ops_lock();
            finish_locked(op, error, &ready);
            sw_rt_ops_unlock();
            continue;
        }
        sw_status status = start(op);
        if (first == SW_OK)
            first = status;
    }
    return first;
}

/* Gives up one of what it waits for; true if it can start now. */
bool
sw_rt_op_release_locked(sw_rt_op *op)
{
    if (--op->pending)
        return false;
    if (counts_as_active(op))
        sw_rt_ops.active++;
    return true;
}
