/* SPDX-License-Identifier: Apache-2.0 */
/* event.c - events: of commands, and the program's own. */
#include "api/opencl/event.h"

#include "api/opencl/info.h"

static bool
destroy(void *object)
{
    cl_event e = object;
    if (!e->queue && e->user_status > CL_COMPLETE)
        sw_rt_op_complete_as(e->op, SW_E_WAIT_LIST); /* it never comes */
    sw_rt_op_unref(e->first);
    sw_rt_op_unref(e->op);
    sw_ocl_unhold(e->queue);
    sw_ocl_unhold(e->context);
    return true;
}

cl_event
sw_ocl_event_create(cl_context context, cl_command_queue queue,
                    cl_command_type type, sw_rt_op *op)
{
    cl_event e = sw_ocl_new(SW_OCL_EVENT, sizeof *e, destroy);
    if (!e)
        return NULL;
    e->context = context;
    e->queue = queue;
    e->type = type;
    e->op = op;
    sw_ocl_hold(context);
    if (queue)
        sw_ocl_hold(queue);
    return e;
}

cl_int
sw_ocl_event_status(cl_event e)
{
    if (!e->queue)
        return __atomic_load_n(&e->user_status, __ATOMIC_ACQUIRE);
    sw_status status = sw_rt_op_query(e->op);
    if (status != SW_E_NOT_READY)
        return sw_status_opencl(status);
    sw_rt_op_times times = sw_rt_op_get_times(e->first ? e->first : e->op);
    return times.start_ns   ? CL_RUNNING
           : times.is_ready ? CL_SUBMITTED
                            : CL_QUEUED;
}

cl_event
clCreateUserEvent(cl_context context, cl_int *errcode_ret)
{
    cl_context c = sw_ocl_get(context, SW_OCL_CONTEXT);
    sw_ocl_set_error(errcode_ret, c ? CL_SUCCESS : CL_INVALID_CONTEXT);
    if (!c)
        return NULL;
    sw_rt_work work = {.kind = SW_RT_CALLER};
    sw_status status;
    sw_rt_op *op =
        sw_rt_op_submit(c->rt[0]->legacy, false, &work, NULL, 0, &status);
    cl_event e = sw_ocl_event_create(c, NULL, CL_COMMAND_USER, op);
    if (!e) {
        sw_rt_op_complete(op);
        sw_rt_op_unref(op);
        sw_ocl_set_error(errcode_ret, CL_OUT_OF_HOST_MEMORY);
        return NULL;
    }
    e->user_status = CL_SUBMITTED;
    return e;
}

cl_int
clSetUserEventStatus(cl_event event, cl_int execution_status)
{
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    REQUIRE(!e->queue, CL_INVALID_EVENT);
    REQUIRE(execution_status <= CL_COMPLETE, CL_INVALID_VALUE);
    int before = CL_SUBMITTED;
    bool first =
        __atomic_compare_exchange_n(&e->user_status, &before, execution_status,
                                    false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    REQUIRE(first, CL_INVALID_OPERATION);
    sw_rt_op_complete_as(e->op, execution_status < 0 ? SW_E_WAIT_LIST : SW_OK);
    return CL_SUCCESS;
}

cl_int
clRetainEvent(cl_event event)
{
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    sw_ocl_retain(e);
    return CL_SUCCESS;
}

cl_int
clReleaseEvent(cl_event event)
{
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    return sw_ocl_release(e) ? CL_SUCCESS : CL_INVALID_EVENT;
}

cl_int
clWaitForEvents(cl_uint num_events, const cl_event *event_list)
{
    REQUIRE(num_events && event_list, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_events; i++) {
        GET(cl_event, e, event_list[i], SW_OCL_EVENT, CL_INVALID_EVENT);
        REQUIRE(e->context == event_list[0]->context, CL_INVALID_CONTEXT);
    }
    bool failed = false;
    for (cl_uint i = 0; i < num_events; i++) {
        sw_rt_op_wait(event_list[i]->op);
        failed |= sw_ocl_event_status(event_list[i]) < 0;
    }
    return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

cl_int
clGetEventInfo(cl_event event, cl_event_info param_name,
               size_t param_value_size, void *param_value,
               size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    switch (param_name) {
    case CL_EVENT_COMMAND_QUEUE:
        ANSWER(&ask, cl_command_queue, e->queue);
    case CL_EVENT_CONTEXT:
        ANSWER(&ask, cl_context, e->context);
    case CL_EVENT_COMMAND_TYPE:
        ANSWER(&ask, cl_command_type, e->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        ANSWER(&ask, cl_int, sw_ocl_event_status(e));
    case CL_EVENT_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(e));
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clGetEventProfilingInfo(cl_event event, cl_profiling_info param_name,
                        size_t param_value_size, void *param_value,
                        size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    REQUIRE(param_name >= CL_PROFILING_COMMAND_QUEUED &&
                param_name <= CL_PROFILING_COMMAND_COMPLETE,
            CL_INVALID_VALUE);
    REQUIRE(e->queue && (e->queue->flags & CL_QUEUE_PROFILING_ENABLE),
            CL_PROFILING_INFO_NOT_AVAILABLE);
    REQUIRE(sw_ocl_event_status(e) == CL_COMPLETE,
            CL_PROFILING_INFO_NOT_AVAILABLE);
    uint64_t end = sw_rt_op_get_times(e->op).end_ns;
    uint64_t start = sw_rt_op_get_times(e->first ? e->first : e->op).start_ns;
    if (start < e->submitted_ns) /* it ran while it was being submitted */
        start = e->submitted_ns;
    if (end < start)
        end = start;
    switch (param_name) {
    case CL_PROFILING_COMMAND_QUEUED:
        ANSWER(&ask, cl_ulong, e->queued_ns);
    case CL_PROFILING_COMMAND_SUBMIT:
        ANSWER(&ask, cl_ulong, e->submitted_ns);
    case CL_PROFILING_COMMAND_START:
        ANSWER(&ask, cl_ulong, start);
    default: /* END; COMPLETE: no kernel enqueues others */
        ANSWER(&ask, cl_ulong, end);
    }
}

/* ---- callbacks ---- */

_Thread_local bool sw_ocl_is_callback;

typedef struct {
    cl_event event; /* held */
    cl_int type;
    void(CL_CALLBACK *notify)(cl_event, cl_int, void *);
    void *arg;
} callback;

static void
on_status(void *handle, int status, void *arg)
{
    callback *c = arg;
    (void)handle;
    (void)status;
    cl_int now = sw_ocl_event_status(c->event);
    bool was = sw_ocl_is_callback;
    sw_ocl_is_callback = true;
    c->notify(c->event, now < 0 ? now : c->type, c->arg);
    sw_ocl_unhold(c->event);
    sw_ocl_is_callback = was;
    sw_free(c);
}

/* A user event counts as submitted from the beginning, a command as soon as it
 * is queued. */
cl_int
clSetEventCallback(cl_event event, cl_int command_exec_callback_type,
                   void(CL_CALLBACK *pfn_notify)(cl_event, cl_int, void *),
                   void *user_data)
{
    GET(cl_event, e, event, SW_OCL_EVENT, CL_INVALID_EVENT);
    cl_int type = command_exec_callback_type;
    REQUIRE(pfn_notify && type >= CL_COMPLETE && type <= CL_SUBMITTED,
            CL_INVALID_VALUE);
    callback *c = sw_alloc(sizeof *c);
    *c = (callback){e, type, pfn_notify, user_data};
    sw_ocl_hold(e);
    sw_rt_stream *stream = e->context->rt[0]->legacy;
    sw_rt_work work = {.kind = SW_RT_CALLBACK,
                       .callback = {.fn = on_status, .arg = c}};
    if (e->queue && type == CL_RUNNING) {
        sw_rt_op_submit_at_start(e->first ? e->first : e->op, &work);
        return CL_SUCCESS;
    }
    sw_rt_op *after = type != CL_SUBMITTED ? e->op : NULL;
    sw_status status;
    sw_rt_op_unref(sw_rt_op_submit(stream, false, &work, &after, 1, &status));
    return CL_SUCCESS;
}
