/* SPDX-License-Identifier: Apache-2.0 */
/* queue.c - command queues: streams of rt. Queues on the device there are
 * none. */
#include "api/opencl/command.h"
#include "api/opencl/info.h"

static const cl_command_queue_properties on_host =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties on_device =
    CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

static bool
destroy(void *object)
{
    cl_command_queue q = object;
    sw_rt_stream_destroy(q->stream);
    sw_free(q->properties);
    sw_ocl_unhold(q->context);
    return true;
}

static cl_int
read_properties(const cl_queue_properties *p, cl_command_queue_properties *out)
{
    bool has_size = false;
    *out = 0;
    for (; p && *p; p += 2) {
        switch (*p) {
        case CL_QUEUE_PROPERTIES:
            *out = p[1];
            break;
        case CL_QUEUE_SIZE:
            has_size = true;
            break;
        default:
            return CL_INVALID_VALUE;
        }
    }
    REQUIRE(!(*out & ~(on_host | on_device)), CL_INVALID_VALUE);
    REQUIRE(!has_size || (*out & CL_QUEUE_ON_DEVICE), CL_INVALID_VALUE);
    return *out & on_device ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

static cl_int
create(cl_context context, cl_device_id device,
       const cl_queue_properties *properties, cl_command_queue *out)
{
    cl_command_queue_properties flags;
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(sw_ocl_get(device, SW_OCL_DEVICE), CL_INVALID_DEVICE);
    int index = sw_ocl_device_index(c, device);
    REQUIRE(index >= 0, CL_INVALID_DEVICE);
    TRY(read_properties(properties, &flags));
    cl_command_queue q = sw_ocl_new(SW_OCL_QUEUE, sizeof *q, destroy);
    REQUIRE(q, CL_OUT_OF_HOST_MEMORY);
    q->context = c;
    q->device = device;
    q->index = (cl_uint)index;
    q->rt = c->rt[index];
    q->flags = flags;
    q->stream = flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
                    ? sw_rt_stream_create_unordered(q->rt, 0)
                    : sw_rt_stream_create(q->rt, true, 0);
    q->properties = sw_ocl_copy_list(properties, &q->property_count);
    sw_ocl_hold(c);
    *out = q;
    return CL_SUCCESS;
}

cl_command_queue
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties,
                                   cl_int *errcode_ret)
{
    cl_command_queue q = NULL;
    sw_ocl_set_error(errcode_ret, create(context, device, properties, &q));
    return q;
}

cl_command_queue
clCreateCommandQueueWithPropertiesKHR(cl_context context, cl_device_id device,
                                      const cl_queue_properties_khr *properties,
                                      cl_int *errcode_ret)
{
    return clCreateCommandQueueWithProperties(context, device, properties,
                                              errcode_ret);
}

cl_command_queue
clCreateCommandQueue(cl_context context, cl_device_id device,
                     cl_command_queue_properties properties,
                     cl_int *errcode_ret)
{
    const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, properties, 0};
    cl_command_queue q = NULL;
    cl_int result = properties & ~on_host ? CL_INVALID_VALUE : CL_SUCCESS;
    if (!sw_ocl_get(context, SW_OCL_CONTEXT))
        result = CL_INVALID_CONTEXT;
    else if (!sw_ocl_get(device, SW_OCL_DEVICE))
        result = CL_INVALID_DEVICE;
    if (result == CL_SUCCESS)
        result = create(context, device, list, &q);
    if (q) { /* they were not given as a list */
        sw_free(q->properties);
        q->properties = NULL;
        q->property_count = 0;
    }
    sw_ocl_set_error(errcode_ret, result);
    return q;
}

/* Only the times can be switched: the order of what is queued cannot. */
cl_int
clSetCommandQueueProperty(cl_command_queue command_queue,
                          cl_command_queue_properties properties,
                          cl_bool enable,
                          cl_command_queue_properties *old_properties)
{
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    REQUIRE(!(properties & ~on_host), CL_INVALID_VALUE);
    REQUIRE(!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
            CL_INVALID_OPERATION);
    cl_command_queue_properties old =
        enable ? __atomic_fetch_or(&q->flags, properties, __ATOMIC_RELAXED)
               : __atomic_fetch_and(&q->flags, ~properties, __ATOMIC_RELAXED);
    if (old_properties)
        *old_properties = old;
    return CL_SUCCESS;
}

cl_int
clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                               cl_command_queue command_queue)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(sw_ocl_get(device, SW_OCL_DEVICE) &&
                sw_ocl_device_index(c, device) >= 0,
            CL_INVALID_DEVICE);
    (void)command_queue; /* none can be one: there are no queues on devices */
    return CL_INVALID_OPERATION;
}

cl_int
clRetainCommandQueue(cl_command_queue command_queue)
{
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    sw_ocl_retain(q);
    return CL_SUCCESS;
}

cl_int
clReleaseCommandQueue(cl_command_queue command_queue)
{
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    return sw_ocl_release(q) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

cl_int
clGetCommandQueueInfo(cl_command_queue command_queue,
                      cl_command_queue_info param_name, size_t param_value_size,
                      void *param_value, size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        ANSWER(&ask, cl_context, q->context);
    case CL_QUEUE_DEVICE:
        ANSWER(&ask, cl_device_id, q->device);
    case CL_QUEUE_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(q));
    case CL_QUEUE_PROPERTIES:
        ANSWER(&ask, cl_command_queue_properties, q->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return sw_ocl_answer(&ask, q->properties,
                             q->property_count * sizeof *q->properties);
    case CL_QUEUE_SIZE: /* of queues on the device */
        return CL_INVALID_COMMAND_QUEUE;
    case CL_QUEUE_DEVICE_DEFAULT:
        ANSWER(&ask, cl_command_queue, NULL);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clFlush(cl_command_queue command_queue)
{
    return sw_ocl_get(command_queue, SW_OCL_QUEUE) ? CL_SUCCESS
                                                   : CL_INVALID_COMMAND_QUEUE;
}

cl_int
clFinish(cl_command_queue command_queue)
{
    GET(cl_command_queue, q, command_queue, SW_OCL_QUEUE,
        CL_INVALID_COMMAND_QUEUE);
    return sw_rt_stream_wait(q->stream) == SW_OK ? CL_SUCCESS
                                                 : CL_OUT_OF_RESOURCES;
}

/* ---- markers and barriers ---- */

static cl_int
mark(cl_command_queue queue, cl_command_type type, cl_uint count,
     const cl_event *list, cl_event *event)
{
    sw_ocl_command c;
    TRY(sw_ocl_command_begin(&c, queue, type, count, list, event));
    return sw_ocl_command_mark(&c, type == CL_COMMAND_BARRIER);
}

cl_int
clEnqueueMarkerWithWaitList(cl_command_queue command_queue,
                            cl_uint num_events_in_wait_list,
                            const cl_event *event_wait_list, cl_event *event)
{
    return mark(command_queue, CL_COMMAND_MARKER, num_events_in_wait_list,
                event_wait_list, event);
}

cl_int
clEnqueueBarrierWithWaitList(cl_command_queue command_queue,
                             cl_uint num_events_in_wait_list,
                             const cl_event *event_wait_list, cl_event *event)
{
    return mark(command_queue, CL_COMMAND_BARRIER, num_events_in_wait_list,
                event_wait_list, event);
}

cl_int
clEnqueueMarker(cl_command_queue command_queue, cl_event *event)
{
    REQUIRE(sw_ocl_get(command_queue, SW_OCL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    REQUIRE(event, CL_INVALID_VALUE);
    return mark(command_queue, CL_COMMAND_MARKER, 0, NULL, event);
}

cl_int
clEnqueueBarrier(cl_command_queue command_queue)
{
    return mark(command_queue, CL_COMMAND_BARRIER, 0, NULL, NULL);
}

cl_int
clEnqueueWaitForEvents(cl_command_queue command_queue, cl_uint num_events,
                       const cl_event *event_list)
{
    REQUIRE(sw_ocl_get(command_queue, SW_OCL_QUEUE), CL_INVALID_COMMAND_QUEUE);
    REQUIRE(num_events && event_list, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_events; i++)
        REQUIRE(sw_ocl_get(event_list[i], SW_OCL_EVENT), CL_INVALID_EVENT);
    return mark(command_queue, CL_COMMAND_BARRIER, num_events, event_list,
                NULL);
}
