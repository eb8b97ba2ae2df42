/* SPDX-License-Identifier: Apache-2.0 */
/* command.c - see command.h. */
#include "api/opencl/command.h"

#include "api/opencl/event.h"
#include "api/opencl/memory.h"
#include "rt/device_clock.h"

cl_int
sw_ocl_command_begin(sw_ocl_command *c, cl_command_queue queue,
                     cl_command_type type, cl_uint count, const cl_event *list,
                     cl_event *event)
{
    GET(cl_command_queue, q, queue, SW_OCL_QUEUE, CL_INVALID_COMMAND_QUEUE);
    REQUIRE((count != 0) == (list != NULL), CL_INVALID_EVENT_WAIT_LIST);
    for (cl_uint i = 0; i < count; i++) {
        GET(cl_event, e, list[i], SW_OCL_EVENT, CL_INVALID_EVENT_WAIT_LIST);
        REQUIRE(e->context == q->context, CL_INVALID_CONTEXT);
    }
    *c = (sw_ocl_command){
        .queue = q, .type = type, .count = count, .list = list, .event = event};
    if (event && (q->flags & CL_QUEUE_PROFILING_ENABLE))
        c->queued_ns = sw_rt_host_ns();
    return sw_rt_context_error(q->rt) == SW_OK ? CL_SUCCESS
                                               : CL_OUT_OF_RESOURCES;
}

cl_int
sw_ocl_command_buffer(const sw_ocl_command *c, cl_mem handle, cl_mem *out)
{
    *out = sw_ocl_get_buffer(handle);
    REQUIRE(*out, CL_INVALID_MEM_OBJECT);
    return (*out)->context == c->queue->context ? CL_SUCCESS
                                                : CL_INVALID_CONTEXT;
}

/* The operations of the wait list; `few` if they fit there, else allocated. */
static sw_rt_op **
gather(const sw_ocl_command *c, sw_rt_op **few)
{
    sw_rt_op **ops =
        c->count <= SW_OCL_FEW_EVENTS ? few : sw_alloc(c->count * sizeof *ops);
    for (cl_uint i = 0; i < c->count; i++)
        ops[i] = c->list[i]->op;
    return ops;
}

/* What follows once the operation that ends the command is there: its event,
 * waiting for it. Takes the references. */
static cl_int
conclude(const sw_ocl_command *c, sw_rt_op *first, sw_rt_op *op, bool blocking)
{
    cl_int result = CL_SUCCESS;
    if (blocking)
        result = sw_status_opencl(sw_rt_op_wait(op));
    if (!c->event) {
        sw_rt_op_unref(first);
        sw_rt_op_unref(op);
        return result;
    }
    cl_event e = sw_ocl_event_create(c->queue->context, c->queue, c->type, op);
    if (!e) {
        sw_rt_op_unref(first);
        sw_rt_op_unref(op);
        return CL_OUT_OF_HOST_MEMORY;
    }
    e->first = first;
    e->queued_ns = c->queued_ns;
    e->submitted_ns = c->queued_ns;
    *c->event = e;
    return result;
}

static cl_int
submit_one(const sw_ocl_command *c, const sw_rt_work *work, bool blocking,
           sw_rt_op *const *ops)
{
    sw_rt_op *op = NULL;
    bool wants = c->event || blocking;
    sw_status status = sw_rt_stream_submit_after(c->queue->stream, work, ops,
                                                 c->count, wants ? &op : NULL);
    if (status != SW_OK) {
        sw_rt_op_unref(op);
        return sw_status_opencl(status);
    }
    return wants ? conclude(c, NULL, op, blocking) : CL_SUCCESS;
}

cl_int
sw_ocl_command_submit(const sw_ocl_command *c, const sw_rt_work *work,
                      bool blocking)
{
    sw_rt_op *few[SW_OCL_FEW_EVENTS] = {NULL};
    sw_rt_op **ops = gather(c, few);
    cl_int result = submit_one(c, work, blocking, ops);
    if (ops != few)
        sw_free(ops);
    return result;
}

static cl_int
submit_several(const sw_ocl_command *c, const sw_rt_work *works, size_t count,
               bool blocking, sw_rt_op *const *ops)
{
    sw_rt_stream *stream = c->queue->stream;
    sw_rt_op **made = sw_alloc(count * sizeof *made);
    sw_status status = SW_OK;
    size_t n = 0;
    for (; n < count && status == SW_OK; n++)
        status = sw_rt_stream_submit_after(stream, &works[n], ops, c->count,
                                           &made[n]);
    sw_rt_op *last = sw_rt_stream_mark(stream, made, n, false);
    for (size_t i = 1; i < n; i++)
        sw_rt_op_unref(made[i]);
    sw_rt_op *first = made[0];
    sw_free(made);
    if (status != SW_OK) {
        sw_rt_op_unref(first);
        sw_rt_op_unref(last);
        return sw_status_opencl(status);
    }
    return conclude(c, first, last, blocking);
}

cl_int
sw_ocl_command_submit_all(const sw_ocl_command *c, const sw_rt_work *works,
                          size_t count, bool blocking)
{
    if (count == 0)
        return sw_ocl_command_mark(c, false);
    if (count == 1)
        return sw_ocl_command_submit(c, works, blocking);
    sw_rt_op *few[SW_OCL_FEW_EVENTS] = {NULL};
    sw_rt_op **ops = gather(c, few);
    cl_int result = submit_several(c, works, count, blocking, ops);
    if (ops != few)
        sw_free(ops);
    return result;
}

cl_int
sw_ocl_command_mark(const sw_ocl_command *c, bool is_barrier)
{
    sw_rt_op *few[SW_OCL_FEW_EVENTS] = {NULL};
    sw_rt_op **ops = gather(c, few);
    sw_rt_op *op =
        sw_rt_stream_mark(c->queue->stream, ops, c->count, is_barrier);
    if (ops != few)
        sw_free(ops);
    return conclude(c, NULL, op, false);
}

typedef struct {
    void (*fn)(void *arg);
    void *arg;
} call;

static void
on_call(void *arg)
{
    call *c = arg;
    bool was = sw_ocl_is_callback;
    sw_ocl_is_callback = true;
    c->fn(c->arg);
    sw_ocl_is_callback = was;
}

static void
on_last_call(void *handle, int status, void *arg)
{
    (void)handle;
    (void)status;
    on_call(arg);
    sw_free(arg);
}

static sw_rt_work
last_call(void (*fn)(void *), void *arg)
{
    call *c = sw_alloc(sizeof *c);
    *c = (call){fn, arg};
    return (sw_rt_work){.kind = SW_RT_CALLBACK,
                        .callback = {.fn = on_last_call, .arg = c}};
}

cl_int
sw_ocl_command_call(const sw_ocl_command *c, void (*fn)(void *), void *arg)
{
    sw_rt_work work = last_call(fn, arg);
    return sw_ocl_command_submit(c, &work, false);
}

cl_int
sw_ocl_command_call_if_sound(const sw_ocl_command *c, void (*fn)(void *),
                             void (*release)(void *), void *arg)
{
    sw_rt_op *few[SW_OCL_FEW_EVENTS] = {NULL}, *op;
    sw_rt_op **ops = gather(c, few);
    sw_rt_work work = {.kind = SW_RT_HOST, .host = {fn, arg}};
    sw_rt_stream *stream = c->queue->stream;
    sw_status status =
        sw_rt_stream_submit_after(stream, &work, ops, c->count, &op);
    if (ops != few)
        sw_free(ops);
    work = last_call(release, arg);
    sw_rt_op_unref(sw_rt_op_submit(stream, false, &work, &op, 1, &status));
    return conclude(c, NULL, op, false);
}
