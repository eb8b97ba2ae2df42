/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool_file.c - pools that several processes share: stretches of the file of a
 * pool.
 */
#include <fcntl.h>

#include "rt/memory.h"
#include "rt/share.h"

/* A stretch of a pool's file, whole pages of SW_MEM_PAGE. */
typedef struct {
    uint64_t offset, bytes;
} stretch;

typedef struct {
    const sw_rt_pool *pool;
    uint64_t offset;
    sw_rt_alloc *found;
} search;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t
whole_pages(uint64_t bytes)
{
    return (bytes + SW_MEM_PAGE - 1) / SW_MEM_PAGE * SW_MEM_PAGE;
}

sw_status
sw_rt_pool_make_shareable(sw_rt_pool *pool)
{
    uint64_t bytes = whole_pages(pool->device->total_bytes);
    pool->file = sw_rt_share_file(SW_RT_SHARE_POOL, pool->device, bytes);
    if (pool->file < 0)
        return SW_E_NOMEM;
    sw_vec_init(&pool->free, sizeof(stretch));
    *(stretch *)sw_vec_push(&pool->free) = (stretch){0, bytes};
    return SW_OK;
}

/* First fit. */
static bool
take_locked(sw_rt_pool *pool, uint64_t bytes, uint64_t *offset)
{
    for (size_t i = 0; i < pool->free.count; i++) {
        stretch *s = sw_vec_at(&pool->free, i);
        if (s->bytes < bytes)
            continue;
        *offset = s->offset;
        s->offset += bytes;
        s->bytes -= bytes;
        if (!s->bytes)
            sw_vec_remove(&pool->free, i);
        return true;
    }
    return false;
}

/* Back to the file, which then takes no memory for it. */
static void
give_locked(sw_rt_pool *pool, uint64_t offset, uint64_t bytes)
{
    fallocate(pool->file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
              (off_t)offset, (off_t)bytes);
    for (size_t i = 0; i < pool->free.count; i++) {
        stretch *s = sw_vec_at(&pool->free, i);
        if (s->offset + s->bytes == offset) {
            offset = s->offset;
        } else if (offset + bytes != s->offset) {
            continue;
        }
        bytes += s->bytes;
        sw_vec_remove(&pool->free, i--);
    }
    *(stretch *)sw_vec_push(&pool->free) = (stretch){offset, bytes};
}

/* An address for a part of the pool's file. */
static sw_status
show(sw_rt_pool *pool, sw_rt_context *context, uint64_t offset, uint64_t bytes,
     uint64_t *addr)
{
    uint64_t pages = whole_pages(bytes);
    sw_status status = sw_mem_reserve(pages, addr);
    if (status != SW_OK)
        return status;
    status = sw_mem_map(*addr, pages, pool->file, offset);
    if (status != SW_OK) {
        sw_mem_unreserve(*addr, pages);
        return status;
    }
    sw_rt_alloc *a = sw_alloc(sizeof *a);
    *a = (sw_rt_alloc){.context = context,
                       .device = pool->device,
                       .pool = pool,
                       .addr = *addr,
                       .bytes = bytes,
                       .offset = offset,
                       .kind = SW_MEM_DEVICE,
                       .in_file = true};
    sw_mem_add(*addr, bytes, pool->device->ordinal, a);
    return SW_OK;
}

void
sw_rt_pool_give(sw_rt_alloc *a)
{
    sw_rt_pool *pool = a->pool;
    uint64_t pages = whole_pages(a->bytes);
    pthread_mutex_lock(&lock);
    sw_mem_unmap(a->addr, pages);
    sw_mem_unreserve(a->addr, pages);
    if (!pool->is_imported) {
        give_locked(pool, a->offset, pages);
        sw_rt_device_give(pool->device, pages);
    }
    sw_rt_pool_used_less(pool, a->bytes);
    pthread_mutex_unlock(&lock);
    sw_free(a);
}

sw_status
sw_rt_pool_alloc_in_file(sw_rt_pool *pool, sw_rt_context *context,
                         uint64_t bytes, uint64_t *addr)
{
    uint64_t pages = whole_pages(bytes), offset;
    if (bytes > UINT64_MAX / 2 || !sw_rt_device_take(pool->device, pages))
        return SW_E_NOMEM;
    pthread_mutex_lock(&lock);
    sw_status status = SW_E_NOMEM;
    if (take_locked(pool, pages, &offset)) {
        status = show(pool, context, offset, bytes, addr);
        if (status != SW_OK)
            give_locked(pool, offset, pages);
    }
    pthread_mutex_unlock(&lock);
    if (status != SW_OK)
        sw_rt_device_give(pool->device, pages);
    return status;
}

static void
look_at(void *arg, const sw_mem_range *r)
{
    search *s = arg;
    sw_rt_alloc *a = r->kind == SW_MEM_DEVICE ? r->user : NULL;
    if (a && a->in_file && a->pool == s->pool && a->offset == s->offset)
        s->found = a;
}

sw_status
sw_rt_pool_import_pointer(sw_rt_pool *pool, sw_rt_context *context,
                          const void *handle, uint64_t *addr)
{
    sw_rt_share_place place;
    if (!pool->is_imported ||
        !sw_rt_share_read(handle, SW_RT_SHARE_POOL, &place) ||
        !sw_rt_share_is_file(&place, pool->file))
        return SW_E_INVAL;
    pthread_mutex_lock(&lock);
    search s = {pool, place.offset, NULL};
    sw_mem_each(pool->device->ordinal, look_at, &s);
    sw_status status = SW_OK;
    if (s.found) {
        *addr = s.found->addr;
    } else {
        status = show(pool, context, place.offset, place.bytes, addr);
        if (status == SW_OK)
            sw_rt_pool_use_more(pool, place.bytes);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
