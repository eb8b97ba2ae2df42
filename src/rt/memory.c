/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - see memory.h: allocations. */
#include "rt/memory.h"

#include "rt/hints.h"

static bool
counts(sw_mem_kind kind)
{
    return kind == SW_MEM_DEVICE || kind == SW_MEM_MANAGED;
}

static uint64_t
on_device(uint64_t bytes)
{
    return (bytes + 511) & ~(uint64_t)511;
}

/* Memory of a kind that is limited; of others there is always some. */
static bool
take_memory(sw_rt_device *device, sw_mem_kind kind, uint64_t bytes)
{
    if (counts(kind))
        return sw_rt_device_take(device, on_device(bytes));
    return kind != SW_MEM_HOST || sw_rt_host_take(on_device(bytes));
}

static void
give_memory(sw_rt_device *device, sw_mem_kind kind, uint64_t bytes)
{
    if (counts(kind))
        sw_rt_device_give(device, on_device(bytes));
    else if (kind == SW_MEM_HOST)
        sw_rt_host_give(on_device(bytes));
}

sw_status
sw_rt_memory_alloc(sw_rt_context *context, sw_mem_kind kind, uint64_t bytes,
                   uint64_t align, uint32_t flags, uint64_t *addr)
{
    if (bytes == 0)
        return SW_E_INVAL;
    sw_rt_device *device = context->device;
    if (bytes > UINT64_MAX / 2)
        return SW_E_NOMEM;
    if (!take_memory(device, kind, bytes))
        return SW_E_NOMEM;
    sw_rt_alloc *a = sw_alloc(sizeof *a);
    a->context = context;
    a->device = device;
    a->bytes = bytes;
    a->flags = flags;
    a->kind = kind;
    sw_status status =
        sw_mem_alloc(kind, device->ordinal, bytes, align, a, &a->addr);
    if (status != SW_OK) {
        give_memory(device, kind, bytes);
        sw_free(a);
        return status;
    }
    *addr = a->addr;
    return SW_OK;
}

static void
release(sw_rt_alloc *a)
{
    if (a->in_file) {
        sw_rt_pool_give(a);
        return;
    }
    if (a->keeper)
        a->keeper->gone(a->keeper_arg);
    give_memory(a->device, a->kind, a->bytes);
    if (a->pool && !a->is_idle)
        sw_rt_pool_used_less(a->pool, a->bytes);
    if (a->kind == SW_MEM_MANAGED)
        sw_rt_hint_forget(a->addr, a->bytes);
    sw_mem_free(a->addr);
    sw_free(a);
}

/* The record of an allocation that begins at addr and that we made. */
static sw_rt_alloc *
at(uint64_t addr)
{
    sw_mem_range r;
    if (!sw_mem_find(addr, &r) || r.base != addr || !r.user)
        return NULL;
    if (r.kind != SW_MEM_DEVICE && r.kind != SW_MEM_MANAGED &&
        r.kind != SW_MEM_HOST)
        return NULL;
    sw_rt_alloc *a = r.user;
    return a->is_mapped ? NULL : a;
}

sw_status
sw_rt_memory_free(uint64_t addr, bool host)
{
    sw_rt_alloc *a = at(addr);
    if (!a || a->is_array || a->is_idle ||
        ((a->kind == SW_MEM_HOST) != host && !a->pool))
        return SW_E_INVAL;
    if (a->keeper)
        return a->keeper->end(a->keeper_arg);
    release(a);
    return SW_OK;
}

void
sw_rt_memory_release(uint64_t addr)
{
    sw_rt_alloc *a = at(addr);
    if (a && a->keeper)
        a->keeper->end(a->keeper_arg);
    else if (a)
        release(a);
}

/* Memory that the program has already. */
static sw_status
take(sw_rt_context *context, sw_mem_kind kind, void *p, uint64_t bytes,
     uint32_t flags)
{
    sw_rt_alloc *a = sw_alloc(sizeof *a);
    a->context = context;
    a->device = context->device;
    a->addr = (uint64_t)(uintptr_t)p;
    a->bytes = bytes;
    a->flags = flags;
    a->kind = kind;
    sw_status status = sw_mem_register(p, bytes, context->device->ordinal, a);
    if (status != SW_OK)
        sw_free(a);
    return status;
}

/* SW_E_HOST_MEMORY_NOT_REGISTERED: nothing of this kind begins at p. */
static sw_status
give_up(sw_mem_kind kind, void *p)
{
    sw_mem_range r;
    sw_rt_alloc *a = NULL;
    if (sw_mem_find((uint64_t)(uintptr_t)p, &r) && r.kind == SW_MEM_REGISTERED)
        a = r.user;
    if (!a || a->kind != kind)
        return SW_E_HOST_MEMORY_NOT_REGISTERED;
    sw_status status = sw_mem_unregister(p);
    if (status == SW_OK)
        sw_free(a);
    return status;
}

sw_status
sw_rt_memory_register(sw_rt_context *context, void *p, uint64_t bytes,
                      uint32_t flags)
{
    return take(context, SW_MEM_REGISTERED, p, bytes, flags);
}

sw_status
sw_rt_memory_unregister(void *p)
{
    return give_up(SW_MEM_REGISTERED, p);
}

sw_status
sw_rt_memory_adopt(sw_rt_context *context, uint64_t addr, uint64_t bytes)
{
    return take(context, SW_MEM_MANAGED, (void *)(uintptr_t)addr, bytes, 1);
}

void
sw_rt_memory_disown(uint64_t addr)
{
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    if (a)
        sw_rt_hint_forget(addr, a->bytes);
    give_up(SW_MEM_MANAGED, (void *)(uintptr_t)addr);
}

const sw_rt_alloc *
sw_rt_memory_find(uint64_t addr, sw_mem_range *range)
{
    sw_mem_range r;
    if (!sw_mem_find(addr, &r))
        return NULL;
    if (range)
        *range = r;
    bool ours = r.kind == SW_MEM_DEVICE || r.kind == SW_MEM_MANAGED ||
                r.kind == SW_MEM_HOST || r.kind == SW_MEM_REGISTERED;
    return ours ? r.user : NULL;
}

bool
sw_rt_memory_holds(uint64_t addr, uint64_t bytes)
{
    sw_mem_range r;
    while (sw_mem_find(addr, &r)) {
        uint64_t here = r.bytes - (addr - r.base);
        if (bytes <= here)
            return true;
        const sw_rt_alloc *a = r.kind == SW_MEM_DEVICE ? r.user : NULL;
        if (!a || !a->is_mapped)
            return false;
        addr += here;
        bytes -= here;
    }
    return false;
}

bool
sw_rt_memory_has_rows(uint64_t addr, uint64_t width, uint64_t height,
                      uint64_t depth, uint64_t pitch, uint64_t slice)
{
    enum { FIRST_PAGE = 4096 }; /* nothing lies in it */
    const sw_mem_view *view;
    uint64_t span = sw_sum(width, sw_sum(sw_product(height - 1, pitch),
                                         sw_product(depth - 1, slice)));
    bool in_arena =
        sw_mem_get_view(&view) == SW_OK && addr - view->base < view->bytes;
    return in_arena ? sw_rt_memory_holds(addr, span) : addr >= FIRST_PAGE;
}

typedef struct {
    sw_rt_context *context;
    sw_vec found; /* sw_rt_alloc * */
} sweep;

static void
sweep_one(void *arg, const sw_mem_range *r)
{
    sweep *s = arg;
    bool ours = r->kind == SW_MEM_DEVICE || r->kind == SW_MEM_MANAGED ||
                r->kind == SW_MEM_HOST;
    sw_rt_alloc *a = ours ? r->user : NULL;
    if (a && a->context == s->context && !a->is_array && !a->is_mapped)
        *(sw_rt_alloc **)sw_vec_push(&s->found) = a;
}

void
sw_rt_memory_free_all(sw_rt_context *context)
{
    sweep s = {.context = context};
    sw_vec_init(&s.found, sizeof(sw_rt_alloc *));
    sw_mem_each(context->device->ordinal, sweep_one, &s);
    for (size_t i = 0; i < s.found.count; i++)
        release(*(sw_rt_alloc **)sw_vec_at(&s.found, i));
    sw_vec_finish(&s.found);
}
