/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - contexts, and what several kinds of objects need of them. */
#include "api/opencl/info.h"
#include "api/opencl/svm.h"
#include "rt/host.h"

/* ---- lists of callbacks and of properties ---- */

void
sw_ocl_goodbye_add(sw_ocl_goodbye **list, pthread_mutex_t *lock,
                   void (*notify)(void), void *arg)
{
    sw_ocl_goodbye *g = sw_alloc(sizeof *g);
    pthread_mutex_lock(lock);
    *g = (sw_ocl_goodbye){notify, arg, *list};
    *list = g;
    pthread_mutex_unlock(lock);
}

void
sw_ocl_goodbye_all(sw_ocl_goodbye **list, void *object,
                   void (*say)(void *object, void (*notify)(void), void *arg))
{
    while (*list) {
        sw_ocl_goodbye *g = *list;
        *list = g->next;
        say(object, g->notify, g->arg);
        sw_free(g);
    }
}

void *
sw_ocl_copy_list(const void *list, size_t *count)
{
    const uint64_t *from = list;
    *count = 0;
    if (!from)
        return NULL;
    while (from[*count])
        *count += 2;
    *count += 1;
    uint64_t *to = sw_alloc(*count * sizeof *to);
    memcpy(to, from, *count * sizeof *to);
    return to;
}

int
sw_ocl_device_index(cl_context c, cl_device_id device)
{
    for (cl_uint i = 0; i < c->device_count; i++)
        if (c->devices[i] == device)
            return (int)i;
    return -1;
}

void
sw_ocl_notify(cl_context c, const char *text)
{
    if (c->notify)
        c->notify(text, NULL, 0, c->notify_arg);
}

/* ---- objects that running commands may use ---- */

typedef struct {
    cl_context context;
    void *object;
    void (*finish)(void *object);
    void (*release)(void *object); /* after that, if it had to wait */
    cl_uint next;                  /* the device to look at */
} ending;

static void on_idle(void *handle, int status, void *arg);

/* False: a device is busy, and on_idle goes on. */
static bool
end(ending *e)
{
    sw_rt_work work = {.kind = SW_RT_CALLBACK,
                       .callback = {.fn = on_idle, .handle = e}};
    while (e->next < e->context->device_count)
        if (sw_rt_context_submit_last(e->context->rt[e->next++], &work))
            return false;
    e->finish(e->object);
    return true;
}

static void
on_idle(void *handle, int status, void *arg)
{
    ending *e = handle;
    (void)status;
    (void)arg;
    sw_ocl_is_callback = true;
    if (end(e)) {
        e->release(e->object);
        sw_free(e);
    }
    sw_ocl_is_callback = false;
}

bool
sw_ocl_when_idle(cl_context context, void *object, void (*finish)(void *object),
                 void (*release)(void *object))
{
    ending *e = sw_alloc(sizeof *e);
    *e = (ending){context, object, finish, release, 0};
    bool is_done = end(e);
    if (is_done)
        sw_free(e);
    return is_done;
}

/* ---- making and ending ---- */

/* Once nothing refers to it. */
static void
finish_context(void *object)
{
    cl_context c = object;
    for (cl_uint i = 0; i < c->device_count; i++)
        if (c->rt[i])
            sw_rt_context_destroy(c->rt[i]);
    sw_vec_finish(&c->svm);
    pthread_mutex_destroy(&c->lock);
    sw_free(c->rt);
    sw_free(c->devices);
    sw_free(c->properties);
}

static void
finish_and_free(void *object)
{
    finish_context(object);
    sw_ocl_free(object);
}

static void
say_goodbye(void *object, void (*notify)(void), void *arg)
{
    ((void(CL_CALLBACK *)(cl_context, void *))notify)(object, arg);
}

/* On a thread that calls functions for streams it would wait for itself. */
static bool
destroy(void *object)
{
    cl_context c = object;
    sw_ocl_goodbye_all(&c->goodbyes, c, say_goodbye);
    if (!sw_ocl_is_callback) {
        finish_context(c);
        return true;
    }
    sw_rt_host_post_blocking(finish_and_free, c);
    return false;
}

static cl_int
check_properties(const cl_context_properties *p)
{
    bool has_platform = false, has_sync = false;
    for (; p && *p; p += 2) {
        switch (*p) {
        case CL_CONTEXT_PLATFORM:
            REQUIRE(!has_platform, CL_INVALID_PROPERTY);
            REQUIRE(p[1] && sw_ocl_is_platform((cl_platform_id)p[1]),
                    CL_INVALID_PLATFORM);
            has_platform = true;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            REQUIRE(!has_sync && (p[1] == CL_TRUE || p[1] == CL_FALSE),
                    CL_INVALID_PROPERTY);
            has_sync = true;
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

static cl_int
add_devices(cl_context c, cl_uint count, const cl_device_id *devices)
{
    c->devices = sw_alloc(count * sizeof *c->devices);
    c->rt = sw_alloc(count * sizeof *c->rt);
    for (cl_uint i = 0; i < count; i++) {
        if (sw_ocl_device_index(c, devices[i]) >= 0)
            continue; /* named twice */
        sw_status status = sw_rt_context_create(devices[i]->device, 0,
                                                &c->rt[c->device_count]);
        if (status != SW_OK)
            return CL_OUT_OF_RESOURCES;
        c->devices[c->device_count++] = devices[i];
    }
    return CL_SUCCESS;
}

static cl_int
create(const cl_context_properties *properties, cl_uint num_devices,
       const cl_device_id *devices,
       void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
       void *user_data, cl_context *out)
{
    TRY(check_properties(properties));
    REQUIRE(num_devices && devices, CL_INVALID_VALUE);
    REQUIRE(notify || !user_data, CL_INVALID_VALUE);
    for (cl_uint i = 0; i < num_devices; i++)
        REQUIRE(sw_ocl_get(devices[i], SW_OCL_DEVICE), CL_INVALID_DEVICE);
    cl_context c = sw_ocl_new(SW_OCL_CONTEXT, sizeof *c, destroy);
    REQUIRE(c, CL_OUT_OF_HOST_MEMORY);
    pthread_mutex_init(&c->lock, NULL);
    sw_vec_init(&c->svm, sizeof(sw_ocl_svm));
    c->notify = notify;
    c->notify_arg = user_data;
    c->properties = sw_ocl_copy_list(properties, &c->property_count);
    cl_int result = add_devices(c, num_devices, devices);
    if (result == CL_SUCCESS)
        *out = c;
    else
        sw_ocl_release(c);
    return result;
}

cl_context
clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                const cl_device_id *devices,
                void(CL_CALLBACK *pfn_notify)(const char *, const void *,
                                              size_t, void *),
                void *user_data, cl_int *errcode_ret)
{
    cl_context c = NULL;
    sw_ocl_set_error(errcode_ret, create(properties, num_devices, devices,
                                         pfn_notify, user_data, &c));
    return c;
}

static cl_int
create_from_type(const cl_context_properties *properties, cl_device_type type,
                 void(CL_CALLBACK *notify)(const char *, const void *, size_t,
                                           void *),
                 void *user_data, cl_context *out)
{
    cl_uint count;
    TRY(check_properties(properties));
    TRY(clGetDeviceIDs(NULL, type, 0, NULL, &count));
    cl_device_id *devices = sw_alloc(count * sizeof *devices);
    cl_int result = clGetDeviceIDs(NULL, type, count, devices, NULL);
    if (result == CL_SUCCESS)
        result = create(properties, count, devices, notify, user_data, out);
    sw_free(devices);
    return result;
}

cl_context
clCreateContextFromType(
    const cl_context_properties *properties, cl_device_type device_type,
    void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t, void *),
    void *user_data, cl_int *errcode_ret)
{
    cl_context c = NULL;
    sw_ocl_set_error(errcode_ret, create_from_type(properties, device_type,
                                                   pfn_notify, user_data, &c));
    return c;
}

cl_int
clRetainContext(cl_context context)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    sw_ocl_retain(c);
    return CL_SUCCESS;
}

cl_int
clReleaseContext(cl_context context)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    return sw_ocl_release(c) ? CL_SUCCESS : CL_INVALID_CONTEXT;
}

cl_int
clGetContextInfo(cl_context context, cl_context_info param_name,
                 size_t param_value_size, void *param_value,
                 size_t *param_value_size_ret)
{
    ASK(ask);
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    switch (param_name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        ANSWER(&ask, cl_uint, sw_ocl_count(c));
    case CL_CONTEXT_NUM_DEVICES:
        ANSWER(&ask, cl_uint, c->device_count);
    case CL_CONTEXT_DEVICES:
        return sw_ocl_answer(&ask, c->devices,
                             c->device_count * sizeof *c->devices);
    case CL_CONTEXT_PROPERTIES:
        return sw_ocl_answer(&ask, c->properties,
                             c->property_count * sizeof *c->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int
clSetContextDestructorCallback(cl_context context,
                               void(CL_CALLBACK *pfn_notify)(cl_context,
                                                             void *),
                               void *user_data)
{
    GET(cl_context, c, context, SW_OCL_CONTEXT, CL_INVALID_CONTEXT);
    REQUIRE(pfn_notify, CL_INVALID_VALUE);
    sw_ocl_goodbye_add(&c->goodbyes, &c->lock, (void (*)(void))pfn_notify,
                       user_data);
    return CL_SUCCESS;
}
