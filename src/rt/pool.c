/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - see memory.h: pools, and those that several processes share. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "rt/memory.h"
#include "rt/share.h"
#include "rt/watch.h"

enum { /* attributes that start at 1 */
       REUSE_FIRST = 1,
       REUSE_LAST = 3
};

/* A stretch of a pool's file, whole pages of SW_MEM_PAGE. */
typedef struct {
    uint64_t offset, bytes;
} stretch;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER; /* inner */

sw_rt_pool *
sw_rt_pool_create(sw_rt_device *device)
{
    sw_rt_pool *pool = sw_rt_object_new(SW_RT_POOL, sizeof *pool);
    pool->device = device;
    pool->file = -1;
    sw_vec_init(&pool->free, sizeof(stretch));
    for (int i = REUSE_FIRST; i <= REUSE_LAST; i++)
        pool->attrs[i] = 1;
    return pool;
}

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
    *(stretch *)sw_vec_push(&pool->free) = (stretch){0, bytes};
    return SW_OK;
}

static uint64_t
steps(uint64_t bytes)
{
    return (bytes + SW_RT_POOL_STEP - 1) / SW_RT_POOL_STEP * SW_RT_POOL_STEP;
}

static bool
use_more(sw_rt_pool *pool, uint64_t bytes)
{
    pthread_mutex_lock(&count_lock);
    bool ok = !pool->max_bytes || (bytes <= pool->max_bytes &&
                                   pool->used <= pool->max_bytes - bytes);
    if (ok) {
        pool->used += bytes;
        if (pool->used > pool->used_high)
            pool->used_high = pool->used;
        if (pool->reserved < steps(pool->used))
            pool->reserved = steps(pool->used);
        if (pool->reserved > pool->reserved_high)
            pool->reserved_high = pool->reserved;
    }
    pthread_mutex_unlock(&count_lock);
    return ok;
}

static void
trim_locked(sw_rt_pool *pool, uint64_t keep)
{
    uint64_t least = steps(pool->used);
    uint64_t kept = keep > UINT64_MAX / 2 ? keep : steps(keep);
    if (kept < least)
        kept = least;
    if (pool->reserved > kept)
        pool->reserved = kept;
}

void
sw_rt_pool_used_less(sw_rt_pool *pool, uint64_t bytes)
{
    pthread_mutex_lock(&count_lock);
    pool->used -= bytes;
    trim_locked(pool, pool->attrs[SW_RT_POOL_THRESHOLD]);
    pthread_mutex_unlock(&count_lock);
}

void
sw_rt_pool_trim(sw_rt_pool *pool, uint64_t bytes)
{
    pthread_mutex_lock(&count_lock);
    trim_locked(pool, bytes);
    pthread_mutex_unlock(&count_lock);
}

void
sw_rt_pool_reset_high(sw_rt_pool *pool, bool reserved)
{
    pthread_mutex_lock(&count_lock);
    if (reserved)
        pool->reserved_high = pool->reserved;
    else
        pool->used_high = pool->used;
    pthread_mutex_unlock(&count_lock);
}

sw_rt_pool *
sw_rt_pool_elsewhere(sw_rt_pool_kind kind, sw_rt_pool ***current)
{
    static sw_rt_pool *initial[SW_RT_POOL_KINDS], *chosen[SW_RT_POOL_KINDS];
    pthread_mutex_lock(&lock);
    if (!initial[kind]) {
        sw_rt_pool *p = sw_rt_pool_create(sw_rt_device_at(0));
        p->kind = kind;
        p->is_default = true;
        initial[kind] = chosen[kind] = p;
    }
    pthread_mutex_unlock(&lock);
    *current = &chosen[kind];
    return initial[kind];
}

void
sw_rt_pool_destroy(sw_rt_pool *pool)
{
    /* What is still allocated from it needs its record. */
    pthread_mutex_lock(&count_lock);
    bool in_use = pool->used || pool->idle;
    pthread_mutex_unlock(&count_lock);
    if (in_use)
        return;
    if (pool->file >= 0)
        close(pool->file);
    sw_vec_finish(&pool->free);
    sw_rt_object_free(pool);
}

sw_rt_pool *
sw_rt_pool_default(sw_rt_device *device)
{
    pthread_mutex_lock(&device->lock);
    if (!device->default_pool) {
        device->default_pool = sw_rt_pool_create(device);
        device->default_pool->is_default = true;
        device->current_pool = device->default_pool;
    }
    sw_rt_pool *pool = device->default_pool;
    pthread_mutex_unlock(&device->lock);
    return pool;
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

static sw_status
alloc_in_file(sw_rt_pool *pool, sw_rt_context *context, uint64_t bytes,
              uint64_t *addr)
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

/* What is freed when its stream comes to it, unless it is wanted before. */
typedef struct {
    uint64_t addr, bytes, stream_id;
    sw_rt_pool *pool;
    sw_rt_context *context;
    sw_rt_alloc *alloc;
    bool is_taken;
} idle_memory;

static sw_vec idle_list; /* idle_memory *; under count_lock */

static void
forget_locked(const idle_memory *m)
{
    for (size_t i = idle_list.count; i-- > 0;)
        if (*(idle_memory **)sw_vec_at(&idle_list, i) == m)
            sw_vec_remove(&idle_list, i);
    m->pool->idle--;
}

void *
sw_rt_pool_idle(uint64_t addr, uint64_t stream_id)
{
    sw_mem_range r;
    sw_rt_alloc *a = sw_mem_find(addr, &r) && r.base == addr ? r.user : NULL;
    if (!a || !a->pool || a->in_file || a->is_idle)
        return NULL;
    idle_memory *m = sw_alloc(sizeof *m);
    *m = (idle_memory){.addr = addr,
                       .bytes = a->bytes,
                       .stream_id = stream_id,
                       .pool = a->pool,
                       .context = a->context,
                       .alloc = a};
    sw_rt_pool_used_less(a->pool, a->bytes);
    pthread_mutex_lock(&count_lock);
    if (!idle_list.elem_bytes)
        sw_vec_init(&idle_list, sizeof(idle_memory *));
    a->is_idle = true;
    a->pool->idle++;
    *(idle_memory **)sw_vec_push(&idle_list) = m;
    pthread_mutex_unlock(&count_lock);
    sw_rt_tell_range(SW_MEV_RETIRE, addr, stream_id);
    return m;
}

void
sw_rt_pool_free(void *idle)
{
    idle_memory *m = idle;
    pthread_mutex_lock(&count_lock);
    bool is_taken = m->is_taken;
    if (!is_taken)
        forget_locked(m);
    pthread_mutex_unlock(&count_lock);
    if (!is_taken)
        sw_rt_memory_release(m->addr);
    sw_free(m);
}

/* It is the stream's own, so that all that used it comes before. */
static bool
take_idle(sw_rt_pool *pool, const sw_rt_context *context, uint64_t stream_id,
          uint64_t bytes, uint64_t *addr)
{
    bool found = false;
    pthread_mutex_lock(&count_lock);
    for (size_t i = 0; i < idle_list.count && !found; i++) {
        idle_memory *m = *(idle_memory **)sw_vec_at(&idle_list, i);
        found = m->pool == pool && m->context == context &&
                m->stream_id == stream_id && m->bytes == bytes;
        if (!found)
            continue;
        *addr = m->addr;
        m->is_taken = true;
        m->alloc->is_idle = false;
        forget_locked(m);
    }
    pthread_mutex_unlock(&count_lock);
    return found;
}

static sw_status
alloc_plain(sw_rt_pool *pool, sw_rt_context *context, uint64_t bytes,
            uint64_t *addr)
{
    static const sw_mem_kind kinds[SW_RT_POOL_KINDS] = {
        [SW_RT_POOL_OF_DEVICE] = SW_MEM_DEVICE,
        [SW_RT_POOL_OF_HOST] = SW_MEM_HOST,
        [SW_RT_POOL_MANAGED] = SW_MEM_MANAGED,
    };
    sw_status status =
        sw_rt_memory_alloc(context, kinds[pool->kind], bytes, 512, 0, addr);
    if (status != SW_OK)
        return status;
    sw_mem_range r;
    sw_rt_alloc *a = sw_mem_find(*addr, &r) ? r.user : NULL;
    SW_ASSERT(a);
    a->pool = pool;
    return SW_OK;
}

sw_status
sw_rt_pool_alloc(sw_rt_pool *pool, sw_rt_context *context, uint64_t stream_id,
                 uint64_t bytes, uint64_t *addr)
{
    if (pool->is_imported)
        return SW_E_INVAL;
    if (!use_more(pool, bytes))
        return SW_E_NOMEM;
    if (take_idle(pool, context, stream_id, bytes, addr)) {
        sw_rt_tell_range(SW_MEV_REUSE, *addr, stream_id);
        return SW_OK;
    }
    sw_status status = pool->file >= 0
                           ? alloc_in_file(pool, context, bytes, addr)
                           : alloc_plain(pool, context, bytes, addr);
    if (status != SW_OK)
        sw_rt_pool_used_less(pool, bytes);
    return status;
}

/* ---- for other processes ---- */

sw_status
sw_rt_pool_export(sw_rt_pool *pool, int *file)
{
    if (pool->file < 0 || pool->is_imported)
        return SW_E_INVAL;
    sw_exec_share_memory();
    *file = fcntl(pool->file, F_DUPFD_CLOEXEC, 0);
    return *file < 0 ? SW_E_NOMEM : SW_OK;
}

sw_status
sw_rt_pool_import(int file, sw_rt_pool **out)
{
    sw_rt_device *device;
    uint64_t bytes;
    int mine;
    sw_exec_share_memory();
    sw_status status =
        sw_rt_share_import(file, SW_RT_SHARE_POOL, &device, &bytes, &mine);
    if (status != SW_OK)
        return status;
    *out = sw_rt_pool_create(device);
    (*out)->file = mine;
    (*out)->is_imported = true;
    return SW_OK;
}

sw_status
sw_rt_pool_export_pointer(uint64_t addr, void *handle)
{
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    if (!a || a->addr != addr || !a->in_file || a->pool->is_imported)
        return SW_E_INVAL;
    return sw_rt_share_handle(SW_RT_SHARE_POOL, a->pool->file, a->offset,
                              a->bytes, a->device, handle);
}

typedef struct {
    const sw_rt_pool *pool;
    uint64_t offset;
    sw_rt_alloc *found;
} search;

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
            use_more(pool, place.bytes);
    }
    pthread_mutex_unlock(&lock);
    return status;
}
