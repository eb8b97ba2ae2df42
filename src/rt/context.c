/* SPDX-License-Identifier: Apache-2.0 */
/* context.c - contexts of rt.h: what they own, and which one is a thread's. */
#include <string.h>

#include "device/properties.h"
#include "rt/device_launch.h"
#include "rt/module.h"
#include "rt/rt.h"
#include "rt/share.h"
#include "rt/stream.h"
#include "rt/texture.h"

enum { STACK_DEPTH = 64 };

static void
on_print(void *arg, const char *text, size_t bytes)
{
    sw_rt_context *context = arg;
    sw_rt_print_add(text, bytes, context->limits[SW_RT_LIMIT_PRINTF]);
}

static const sw_texture *
on_texture(void *arg, uint64_t handle)
{
    (void)arg;
    return sw_rt_texture_find(handle);
}

/* What an H100's driver of 2025 begins with; earlier devices were seen to have
 * a buffer for printf that does not depend on them, and nothing that stays in
 * the L2. */
static void
reset_limits(sw_rt_context *c)
{
    bool is_new = c->device->info->cc >= 90;
    uint64_t processors = (uint64_t)c->device->info->sm_count;
    c->limits[SW_RT_LIMIT_STACK] = 1024;
    c->limits[SW_RT_LIMIT_PRINTF] = is_new ? processors << 16 : 1 << 20;
    c->limits[SW_RT_LIMIT_HEAP] = 8 << 20;
    c->limits[SW_RT_LIMIT_SYNC_DEPTH] = 2;
    c->limits[SW_RT_LIMIT_PENDING] = 2048;
    c->limits[SW_RT_LIMIT_FETCH] = 64;
    c->limits[SW_RT_LIMIT_PERSISTING] = 0;
    c->env.stack_bytes = (uint32_t)c->limits[SW_RT_LIMIT_STACK];
    c->env.heap_bytes = c->limits[SW_RT_LIMIT_HEAP];
}

sw_status
sw_rt_context_create(sw_rt_device *device, uint32_t flags, sw_rt_context **out)
{
    static uint64_t last_id;
    const sw_mem_view *view;
    sw_status status = sw_mem_get_view(&view);
    if (status != SW_OK)
        return status;
    sw_rt_context *c = sw_rt_object_new(SW_RT_CONTEXT, sizeof *c);
    c->device = device;
    c->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    c->flags = flags;
    pthread_mutex_init(&c->lock, NULL);
    sw_vec_init(&c->modules, sizeof(sw_rt_module *));
    sw_vec_init(&c->orphans, sizeof(sw_rt_op *));
    c->env = (sw_env){
        .clock_khz = sw_device_clock_khz(device->info),
        .sm_count = device->info->sm_count,
        .device = device->ordinal,
        .members_checked = device->info->cc >= 70,
        .barriers_take_warps = device->info->cc < 70,
        .texture = on_texture,
        .texture_changes = &sw_rt_texture_changes,
        .print = on_print,
        .device_call = sw_rt_device_queue_call,
        .arg = c,
    };
    reset_limits(c);
    sw_rt_stream_create(c, false, 0); /* the first is the legacy stream */
    *out = c;
    return SW_OK;
}

static void
release_all(sw_rt_context *c)
{
    sw_rt_context_wait(c);
    while (c->modules.count)
        sw_rt_module_destroy(*(sw_rt_module **)sw_vec_at(&c->modules, 0));
    while (c->streams)
        sw_rt_stream_destroy(c->streams);
    sw_rt_memory_free_all(c);
    sw_rt_share_close_all(c);
}

void
sw_rt_context_destroy(sw_rt_context *c)
{
    release_all(c);
    sw_rt_stream_destroy(c->legacy);
    sw_vec_finish(&c->modules);
    sw_vec_finish(&c->orphans);
    pthread_mutex_destroy(&c->lock);
    sw_rt_object_free(c);
}

/* ---- the primary one ---- */

sw_rt_context *
sw_rt_primary_retain(sw_rt_device *device)
{
    pthread_mutex_lock(&device->lock);
    if (!device->primary && sw_rt_context_create(device, device->primary_flags,
                                                 &device->primary) == SW_OK)
        device->primary->is_primary = true;
    sw_rt_context *c = device->primary;
    if (c) {
        int gone = SW_E_CONTEXT_IS_DESTROYED;
        __atomic_compare_exchange_n(&c->error, &gone, SW_OK, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        device->primary_refs++;
    }
    pthread_mutex_unlock(&device->lock);
    return c;
}

/* All that it owns goes; with `unheld` only if nobody has taken it since. */
static void
primary_end(sw_rt_device *device, bool unheld)
{
    sw_rt_context *c = device->primary;
    release_all(c);
    reset_limits(c);
    c->env.heap_used = 0;
    c->peers = 0;
    pthread_mutex_lock(&device->lock);
    bool taken = unheld && device->primary_refs > 0;
    __atomic_store_n(&c->error, taken ? SW_OK : SW_E_CONTEXT_IS_DESTROYED,
                     __ATOMIC_RELEASE);
    pthread_mutex_unlock(&device->lock);
}

sw_status
sw_rt_primary_release(sw_rt_device *device)
{
    pthread_mutex_lock(&device->lock);
    bool held = device->primary_refs > 0;
    bool last = held && --device->primary_refs == 0;
    pthread_mutex_unlock(&device->lock);
    if (last)
        primary_end(device, true);
    return held ? SW_OK : SW_E_INVALID_CONTEXT;
}

void
sw_rt_primary_reset(sw_rt_device *device)
{
    pthread_mutex_lock(&device->lock);
    sw_rt_context *c = device->primary;
    pthread_mutex_unlock(&device->lock);
    if (c)
        primary_end(device, false);
}

bool
sw_rt_primary_is_active(sw_rt_device *device)
{
    pthread_mutex_lock(&device->lock);
    const sw_rt_context *c = device->primary;
    bool active = device->primary_refs > 0 &&
                  sw_rt_context_error(c) != SW_E_CONTEXT_IS_DESTROYED;
    pthread_mutex_unlock(&device->lock);
    return active;
}

/* ---- a thread's ---- */

typedef struct {
    sw_rt_context *context;
    uint32_t serial;
} entry;

static _Thread_local struct {
    entry at[STACK_DEPTH];
    int depth;
} stack;

static bool
is_live(const entry *e)
{
    return sw_rt_object_get(e->context, SW_RT_CONTEXT) &&
           e->context->object.serial == e->serial;
}

sw_rt_context *
sw_rt_current(bool *stale)
{
    if (stale)
        *stale = false;
    if (!stack.depth)
        return NULL;
    const entry *top = &stack.at[stack.depth - 1];
    if (is_live(top))
        return top->context;
    if (stale)
        *stale = true;
    return NULL;
}

void
sw_rt_current_push(sw_rt_context *context)
{
    if (stack.depth == STACK_DEPTH) { /* the oldest is forgotten */
        memmove(stack.at, stack.at + 1, sizeof(entry) * (STACK_DEPTH - 1));
        stack.depth--;
    }
    stack.at[stack.depth++] = (entry){context, context->object.serial};
}

void
sw_rt_current_set(sw_rt_context *context)
{
    if (stack.depth)
        stack.depth--;
    if (context)
        sw_rt_current_push(context);
}

bool
sw_rt_current_pop(sw_rt_context **out)
{
    if (!stack.depth)
        return false;
    const entry *top = &stack.at[--stack.depth];
    *out = is_live(top) ? top->context : NULL;
    return true;
}
