/* SPDX-License-Identifier: Apache-2.0 */
/* device_launch.c - see device_launch.h. */
#include "rt/device_launch.h"

#include <string.h>

#include "rt/activity.h"
#include "rt/complain.h"
#include "rt/copy.h"
#include "rt/memory.h"
#include "rt/stream.h"
#include "rt/watch.h"

/* cudaError_t and what the device runtime has of its own. */
enum {
    INVALID_VALUE = 1,
    INVALID_CONFIGURATION = 9,
    INVALID_DEVICE_FUNCTION = 98,
    MAX_DEPTH_EXCEEDED = 65,
    INVALID_DEVICE = 101,
    UNSUPPORTED_LIMIT = 215,
    STREAM_TAIL_LAUNCH = 3,
    STREAM_NON_BLOCKING = 1,
    EVENT_DISABLE_TIMING = 2,
    MAX_DEPTH = 24, /* levels below the host's launch */
    BUFFER_BYTES = 4096 + 64,
    VERSION = 13000
};

typedef struct item {
    sw_rt_device_queue *parent;
    sw_rt_work work; /* LAUNCH, COPY or FILL */
    void *params;
    sw_rt_device_queue *device_queue; /* of its grid; NULL: none */
    sw_rt_activity *activity;         /* of its launch; NULL: none */
    struct item *next;
} item;

/* A buffer for parameters that a thread asked for. */
typedef struct {
    uint64_t address;
    sw_rt_kernel *kernel; /* NULL: named when it is launched */
    uint32_t grid[3], block[3], shared_bytes;
} buffer;

typedef struct {
    item *first, **end;
} queue;

struct sw_rt_device_queue {
    sw_rt_context *context;
    sw_rt_module *module;
    uint32_t depth;
    pthread_mutex_t lock; /* of what follows, while the grid runs */
    queue children, tails;
    sw_map *buffers; /* by address */
    sw_map *errors;  /* block and thread -> last error */
    uint64_t handles;
    void (*done)(void *arg, sw_status status);
    void *arg;
};

sw_rt_device_queue *
sw_rt_device_queue_create(sw_rt_kernel *kernel, sw_rt_context *context)
{
    if (!kernel->info->calls_runtime)
        return NULL;
    sw_rt_device_queue *n = sw_alloc(sizeof *n);
    n->context = context;
    n->module = kernel->module;
    n->children.end = &n->children.first;
    n->tails.end = &n->tails.first;
    pthread_mutex_init(&n->lock, NULL);
    return n;
}

static sw_str
key_of(const uint64_t *number)
{
    return (sw_str){(const char *)number, sizeof *number};
}

static void
item_free(item *i)
{
    if (i)
        sw_free(i->params);
    sw_free(i);
}

static item *
pop(queue *q)
{
    item *i = q->first;
    if (i && !(q->first = i->next))
        q->end = &q->first;
    return i;
}

static void
queue_free(sw_rt_device_queue *n)
{
    size_t it = 0;
    sw_str key;
    void *value;
    item *i;
    while ((i = pop(&n->children)) || (i = pop(&n->tails)))
        item_free(i);
    while (n->buffers && sw_map_next(n->buffers, &it, &key, &value)) {
        sw_mem_free(((buffer *)value)->address);
        sw_free(value);
    }
    if (n->buffers)
        sw_map_destroy(n->buffers);
    if (n->errors)
        sw_map_destroy(n->errors);
    pthread_mutex_destroy(&n->lock);
    sw_free(n);
}

void
sw_rt_device_queue_destroy(sw_rt_device_queue *n)
{
    if (n)
        queue_free(n);
}

/* ---- calls by threads; the lock is held ---- */

static void
add_locked(sw_rt_device_queue *n, const sw_rt_work *work, void *params,
           uint64_t stream)
{
    item *i = sw_alloc(sizeof *i);
    i->parent = n;
    i->work = *work;
    i->params = params;
    if (params)
        i->work.launch.params = params;
    queue *q = stream == STREAM_TAIL_LAUNCH ? &n->tails : &n->children;
    *q->end = i;
    q->end = &i->next;
}

/* The kernel with this address of code, which may be any number. */
static sw_rt_kernel *
find_kernel(sw_rt_device_queue *n, uint64_t code)
{
    sw_rt_kernel *k = NULL;
    for (size_t p = 0; p < n->module->parts.count; p++) {
        const sw_module *part = *(sw_module **)sw_vec_at(&n->module->parts, p);
        for (uint32_t i = 0; i < part->sym_count; i++) {
            const sw_sym *s = part->syms[i];
            if ((uint64_t)(uintptr_t)s == code && s->fn && s->fn->is_entry &&
                sw_rt_module_kernel(n->module, s->name, &k) == SW_OK)
                return k;
        }
    }
    return NULL;
}

static uint64_t
new_buffer_locked(sw_rt_device_queue *n, uint64_t bytes, const buffer *what)
{
    buffer *b = sw_alloc(sizeof *b);
    *b = *what;
    if (sw_mem_alloc(SW_MEM_HEAP, n->context->device->ordinal,
                     bytes ? bytes : 1, 256, NULL, &b->address) != SW_OK) {
        sw_free(b);
        return 0;
    }
    if (!n->buffers)
        n->buffers = sw_map_create();
    sw_map_set(n->buffers, key_of(&b->address), b);
    return b->address;
}

static uint64_t
launch_locked(sw_rt_device_queue *n, const sw_rt_launch *launch, uint64_t from,
              uint64_t stream)
{
    bool is_configuration;
    if (n->depth >= MAX_DEPTH)
        return MAX_DEPTH_EXCEEDED;
    sw_status status =
        sw_rt_launch_check(launch, n->context, &is_configuration);
    if (status != SW_OK)
        return is_configuration ? INVALID_CONFIGURATION : (uint64_t)status;
    size_t bytes = sw_rt_kernel_param_bytes(launch->kernel);
    if (bytes && (!from || !sw_mem_is_accessible(from, bytes)))
        return INVALID_VALUE;
    void *params = sw_alloc(bytes ? bytes : 1);
    memcpy(params, (const void *)(uintptr_t)from, bytes);
    add_locked(n, &(sw_rt_work){.kind = SW_RT_LAUNCH, .launch = *launch},
               params, stream);
    return 0;
}

/* Of a buffer that this queue's threads got, which is gone afterwards. */
static uint64_t
launch_buffer_locked(sw_rt_device_queue *n, uint64_t address,
                     sw_rt_launch launch, uint64_t stream)
{
    buffer *b = n->buffers ? sw_map_remove(n->buffers, key_of(&address)) : NULL;
    if (!b)
        return INVALID_VALUE;
    if (b->kernel) {
        launch.kernel = b->kernel;
        memcpy(launch.grid, b->grid, sizeof b->grid);
        memcpy(launch.block, b->block, sizeof b->block);
        launch.shared_bytes = b->shared_bytes;
    }
    uint64_t error = launch.kernel
                         ? launch_locked(n, &launch, b->address, stream)
                         : INVALID_DEVICE_FUNCTION;
    sw_mem_free(b->address);
    sw_free(b);
    return error;
}

static bool
is_range(uint64_t address, uint64_t pitch, uint64_t width, uint64_t rows)
{
    uint64_t bytes;
    return !width || !rows ||
           (!__builtin_mul_overflow(pitch, rows - 1, &bytes) &&
            !__builtin_add_overflow(bytes, width, &bytes) &&
            sw_mem_is_accessible(address, bytes));
}

static uint64_t
copy_locked(sw_rt_device_queue *n, sw_rt_copy c, uint64_t stream)
{
    if (!is_range(c.dst, c.dst_pitch, c.width, c.height) ||
        !is_range(c.src, c.src_pitch, c.width, c.height))
        return INVALID_VALUE;
    c.depth = 1;
    add_locked(n, &(sw_rt_work){.kind = SW_RT_COPY, .copy = c}, NULL, stream);
    return 0;
}

static uint64_t
fill_locked(sw_rt_device_queue *n, sw_rt_fill f, uint64_t stream)
{
    if (!is_range(f.dst, f.pitch, f.width, f.height))
        return INVALID_VALUE;
    f.depth = f.elem_bytes = 1;
    f.value &= 0xff;
    add_locked(n, &(sw_rt_work){.kind = SW_RT_FILL, .fill = f}, NULL, stream);
    return 0;
}

static sw_rt_launch
shape_of(sw_rt_device_queue *n, const sw_device_call *c, uint64_t code,
         uint64_t shared)
{
    sw_rt_launch l = {.kernel = find_kernel(n, code),
                      .shared_bytes = (uint32_t)shared};
    memcpy(l.grid, c->dims[0], sizeof l.grid);
    memcpy(l.block, c->dims[1], sizeof l.block);
    return l;
}

static uint64_t
get_limit(const sw_rt_device_queue *n, uint64_t limit, uint64_t *value)
{
    /* cudaLimit...: stack, printf, heap, depth, pending launches */
    static const int indices[] = {SW_RT_LIMIT_STACK, SW_RT_LIMIT_PRINTF,
                                  SW_RT_LIMIT_HEAP, SW_RT_LIMIT_SYNC_DEPTH,
                                  SW_RT_LIMIT_PENDING};
    if (limit >= sizeof indices / sizeof *indices)
        return UNSUPPORTED_LIMIT;
    *value = n->context->limits[indices[limit]];
    return 0;
}

static uint64_t
get_attribute(const sw_device_call *c, uint64_t *value)
{
    sw_rt_device *d = sw_rt_device_at((int)c->args[2]);
    if (!d)
        return INVALID_DEVICE;
    int v = sw_rt_device_get(d, (int)c->args[1]);
    *value = (uint32_t)v;
    return 0;
}

static uint64_t
prepared(sw_rt_kernel *k)
{
    sw_status status = k ? sw_rt_kernel_prepare(k) : SW_OK;
    return !k ? INVALID_DEVICE_FUNCTION : (uint64_t)status;
}

/* The start of cudaFuncAttributes. */
static uint64_t
get_attributes(sw_rt_device_queue *n, uint64_t code, uint64_t *value)
{
    sw_rt_kernel *k = find_kernel(n, code);
    uint64_t error = prepared(k);
    if (error)
        return error;
    const uint32_t numbers[] = {sw_rt_kernel_fit_threads(k),
                                sw_rt_kernel_regs(k), k->fn->module->target,
                                n->context->device->info->cc};
    value[0] = k->info->static_shared_bytes;
    value[1] = k->info->const_bytes;
    value[2] = k->info->frame_bytes;
    memcpy(&value[3], numbers, sizeof numbers);
    return 0;
}

static uint64_t
get_occupancy(sw_rt_device_queue *n, const sw_device_call *c, uint64_t *value)
{
    const sw_cc_limits *limits = n->context->device->limits;
    sw_rt_kernel *k = find_kernel(n, c->args[1]);
    uint32_t threads = (uint32_t)c->args[2];
    uint64_t error = prepared(k);
    sw_occ occ;
    if (error)
        return error;
    if (!threads || threads > limits->max_threads_block || c->args[4] > 1)
        return INVALID_VALUE;
    sw_occ_kernel kernel = sw_rt_kernel_occ(k, threads, c->args[3]);
    error = (uint64_t)sw_occupancy(limits, &kernel, &occ);
    value[0] = error ? 0 : occ.blocks;
    return error;
}

/* The buffer, or 0 and an error. */
static uint64_t
get_buffer(sw_rt_device_queue *n, const sw_device_call *c, uint64_t *error)
{
    if (c->call == SW_DEVICE_GetParameterBuffer)
        return new_buffer_locked(n, c->args[1], &(buffer){0});
    sw_rt_launch l = shape_of(n, c, c->args[0], c->args[3]);
    if (!l.kernel) {
        *error = INVALID_DEVICE_FUNCTION;
        return 0;
    }
    buffer b = {.kernel = l.kernel, .shared_bytes = l.shared_bytes};
    memcpy(b.grid, l.grid, sizeof b.grid);
    memcpy(b.block, l.block, sizeof b.block);
    return new_buffer_locked(n, BUFFER_BYTES, &b);
}

static uint64_t
call_locked(sw_rt_device_queue *n, const sw_device_call *c, uint64_t *value)
{
    const uint64_t *a = c->args;
    switch (c->call) {
    case SW_DEVICE_LaunchDevice:
        return launch_buffer_locked(n, a[1], shape_of(n, c, a[0], a[4]), a[5]);
    case SW_DEVICE_LaunchDeviceV2:
        return launch_buffer_locked(n, a[0], (sw_rt_launch){0}, a[1]);
    case SW_DEVICE_MemcpyAsync:
        return copy_locked(
            n,
            (sw_rt_copy){.dst = a[0], .src = a[1], .width = a[2], .height = 1},
            a[4]);
    case SW_DEVICE_Memcpy2DAsync:
        return copy_locked(n,
                           (sw_rt_copy){.dst = a[0],
                                        .dst_pitch = a[1],
                                        .src = a[2],
                                        .src_pitch = a[3],
                                        .width = a[4],
                                        .height = a[5]},
                           a[7]);
    case SW_DEVICE_MemsetAsync:
        return fill_locked(n,
                           (sw_rt_fill){.dst = a[0],
                                        .value = (uint32_t)a[1],
                                        .width = a[2],
                                        .height = 1},
                           a[3]);
    case SW_DEVICE_Memset2DAsync:
        return fill_locked(n,
                           (sw_rt_fill){.dst = a[0],
                                        .pitch = a[1],
                                        .value = (uint32_t)a[2],
                                        .width = a[3],
                                        .height = a[4]},
                           a[5]);
    case SW_DEVICE_StreamCreateWithFlags:
        *value = ++n->handles << 16;
        return a[1] == STREAM_NON_BLOCKING ? 0 : INVALID_VALUE;
    case SW_DEVICE_EventCreateWithFlags:
        *value = ++n->handles << 16;
        return a[1] == EVENT_DISABLE_TIMING ? 0 : INVALID_VALUE;
    case SW_DEVICE_DeviceGetAttribute:
        return get_attribute(c, value);
    case SW_DEVICE_DeviceGetLimit:
        return get_limit(n, a[1], value);
    case SW_DEVICE_FuncGetAttributes:
        return get_attributes(n, a[1], value);
    case SW_DEVICE_OccupancyMaxActiveBlocksPerMultiprocessor:
    case SW_DEVICE_OccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
        return get_occupancy(n, c, value);
    case SW_DEVICE_GetDevice:
        *value = (uint64_t)n->context->device->ordinal;
        return 0;
    case SW_DEVICE_GetDeviceCount:
        *value = (uint64_t)sw_rt_device_count();
        return 0;
    case SW_DEVICE_RuntimeGetVersion:
        *value = VERSION;
        return 0;
    default: /* streams and events: the order is theirs already */
        return 0;
    }
}

uint64_t
sw_rt_device_queue_call(void *arg, void *owner, const sw_device_call *c,
                        uint64_t value[SW_DEVICE_WORDS])
{
    (void)arg;
    sw_rt_device_queue *n = owner;
    uint64_t thread = c->block << 11 | c->thread, error = 0, result;
    bool is_buffer = c->call == SW_DEVICE_GetParameterBuffer ||
                     c->call == SW_DEVICE_GetParameterBufferV2;
    bool get = c->call == SW_DEVICE_GetLastError;
    pthread_mutex_lock(&n->lock);
    if (get || c->call == SW_DEVICE_PeekAtLastError) {
        sw_str key = key_of(&thread);
        void *last = n->errors ? sw_map_get(n->errors, key) : NULL;
        if (last && get)
            sw_map_remove(n->errors, key);
        result = (uintptr_t)last;
    } else {
        result = is_buffer ? get_buffer(n, c, &error)
                           : (error = call_locked(n, c, value));
        if (error) {
            if (!n->errors)
                n->errors = sw_map_create();
            sw_map_set(n->errors, key_of(&thread), (void *)(uintptr_t)error);
        }
    }
    pthread_mutex_unlock(&n->lock);
    return result;
}

/* ---- doing what was launched: one at a time, no lock ---- */

static void advance(sw_rt_device_queue *n);

static void
end(sw_rt_device_queue *n, sw_status status)
{
    void (*done)(void *, sw_status) = n->done;
    void *arg = n->arg;
    queue_free(n);
    done(arg, status);
}

/* An item and all that came of it. */
static void
item_done(void *arg, sw_status status)
{
    item *i = arg;
    sw_rt_device_queue *n = i->parent;
    item_free(i);
    if (status == SW_OK)
        advance(n);
    else
        end(n, status);
}

static void
on_grid_done(void *arg, const sw_fault *fault, const sw_grid_stats *stats)
{
    item *i = arg;
    sw_rt_context *context = i->parent->context;
    sw_status status = fault ? fault->status : SW_OK;
    if (status != SW_OK) {
        sw_rt_complain(fault, sw_rt_context_error(context) == SW_OK, 0);
        sw_rt_context_fail(context, status);
    }
    sw_rt_launch_ended(&i->work.launch, fault, stats, NULL,
                       sw_rt_activity_forecast(i->activity));
    sw_rt_activity_ended(i->activity, status, stats);
    if (i->device_queue)
        sw_rt_device_queue_finish(i->device_queue, status, item_done, i);
    else
        item_done(i, status);
}

/* True: item_done will be called. */
static bool
submit(item *i)
{
    sw_rt_device_queue *n = i->parent;
    sw_launch launch;
    if (sw_rt_activity_on)
        i->activity = sw_rt_activity_queued(n->context, NULL, &i->work, false);
    i->work.launch.is_recorded = i->activity != NULL;
    sw_status status = sw_rt_launch_prepare(&i->work.launch, n->context,
                                            sw_rt_grid_id(), &launch);
    i->device_queue =
        sw_rt_device_queue_create(i->work.launch.kernel, n->context);
    if (i->device_queue)
        i->device_queue->depth = n->depth + 1;
    launch.owner = i->device_queue;
    launch.done = on_grid_done;
    launch.arg = i;
    if (status == SW_OK) {
        sw_rt_activity_launched(i->activity, &i->work.launch);
        status = sw_exec_submit(&launch);
    }
    if (status == SW_OK)
        return true;
    sw_fault fault = {.status = status};
    sw_rt_launch_ended(&i->work.launch, &fault, NULL, NULL, NULL);
    sw_rt_activity_ended(i->activity, status, NULL);
    sw_rt_context_fail(n->context, status);
    if (i->device_queue)
        queue_free(i->device_queue);
    return false;
}

static void
advance(sw_rt_device_queue *n)
{
    sw_status status = SW_OK;
    item *i;
    while (status == SW_OK &&
           ((i = pop(&n->children)) || (i = pop(&n->tails)))) {
        if (i->work.kind == SW_RT_LAUNCH) {
            if (submit(i))
                return;
            status = sw_rt_context_error(n->context);
        } else if (i->work.kind == SW_RT_COPY) {
            if (sw_rt_memory_events)
                sw_rt_tell_work(0, 0, &i->work);
            sw_rt_copy_execute(&i->work.copy);
        } else {
            if (sw_rt_memory_events)
                sw_rt_tell_work(0, 0, &i->work);
            sw_rt_fill_execute(&i->work.fill);
        }
        item_free(i);
    }
    end(n, status);
}

void
sw_rt_device_queue_finish(sw_rt_device_queue *n, sw_status status,
                          void (*done)(void *arg, sw_status status), void *arg)
{
    n->done = done;
    n->arg = arg;
    if (status == SW_OK)
        advance(n);
    else
        end(n, status);
}
