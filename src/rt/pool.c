/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - see memory.h: pools, and those that several processes share. */
#include <fcntl.h>
#include <unistd.h>

#include "rt/memory.h"
#include "rt/share.h"
#include "rt/watch.h"

enum { /* attributes that start at 1 */
       REUSE_FIRST = 1,
       REUSE_LAST = 3
};

sw_rt_pool *
sw_rt_pool_create(sw_rt_device *device)
{
    sw_rt_pool *pool = sw_rt_object_new(SW_RT_POOL, sizeof *pool);
    pool->device = device;
    pool->file = -1;
    for (int i = REUSE_FIRST; i <= REUSE_LAST; i++)
        pool->attrs[i] = 1;
    return pool;
}

sw_rt_pool *
sw_rt_pool_elsewhere(sw_rt_pool_kind kind, sw_rt_pool ***current)
{
    static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER;
    static sw_rt_pool *initial[SW_RT_POOL_KINDS], *chosen[SW_RT_POOL_KINDS];
    pthread_mutex_lock(&first_lock);
    if (!initial[kind]) {
        sw_rt_pool *p = sw_rt_pool_create(sw_rt_device_at(0));
        p->kind = kind;
        p->is_default = true;
        initial[kind] = chosen[kind] = p;
    }
    pthread_mutex_unlock(&first_lock);
    *current = &chosen[kind];
    return initial[kind];
}

void
sw_rt_pool_destroy(sw_rt_pool *pool)
{
    /* What is still allocated from it needs its record. */
    sw_rt_pool_counts_lock();
    bool in_use = pool->used || pool->idle;
    sw_rt_pool_counts_unlock();
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

/* What is freed when its stream comes to it, unless it is wanted before. */
typedef struct {
    uint64_t addr, bytes, stream_id;
    sw_rt_pool *pool;
    sw_rt_context *context;
    sw_rt_alloc *alloc;
    bool is_taken;
} idle_memory;

static sw_vec idle_list; /* idle_memory *; under the lock of counts */

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
    sw_rt_pool_counts_lock();
    if (!idle_list.elem_bytes)
        sw_vec_init(&idle_list, sizeof(idle_memory *));
    a->is_idle = true;
    a->pool->idle++;
    *(idle_memory **)sw_vec_push(&idle_list) = m;
    sw_rt_pool_counts_unlock();
    sw_rt_tell_range(SW_MEV_RETIRE, addr, stream_id);
    return m;
}

void
sw_rt_pool_free(void *idle)
{
    idle_memory *m = idle;
    sw_rt_pool_counts_lock();
    bool is_taken = m->is_taken;
    if (!is_taken)
        forget_locked(m);
    sw_rt_pool_counts_unlock();
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
    sw_rt_pool_counts_lock();
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
    sw_rt_pool_counts_unlock();
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
    if (!sw_rt_pool_use_more(pool, bytes))
        return SW_E_NOMEM;
    if (take_idle(pool, context, stream_id, bytes, addr)) {
        sw_rt_tell_range(SW_MEV_REUSE, *addr, stream_id);
        return SW_OK;
    }
    sw_status status =
        pool->file >= 0 ? sw_rt_pool_alloc_in_file(pool, context, bytes, addr)
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
