/* SPDX-License-Identifier: Apache-2.0 */
/* share.c - see share.h: allocations that other processes open. */
#include "rt/share.h"

#include <sys/stat.h>
#include <unistd.h>

/* A file of another process, mapped as a whole. */
typedef struct {
    sw_rt_share_place place; /* of one of the allocations in it */
    sw_rt_context *context;
    uint64_t addr, bytes;
    uint32_t opened; /* allocations */
} block;

static struct {
    pthread_mutex_t lock;
    sw_vec blocks; /* block */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool
sw_rt_share_is_possible(const sw_rt_alloc *a)
{
    return a->kind == SW_MEM_DEVICE && !a->is_mapped && !a->pool &&
           !a->keeper && !a->is_array;
}

static void
move(void *arg)
{
    uint64_t addr = *(uint64_t *)arg;
    sw_status status = sw_mem_share(addr);
    *(uint64_t *)arg = (uint64_t)status;
}

sw_status
sw_rt_share_memory(uint64_t addr, void *handle)
{
    const sw_rt_alloc *a = sw_rt_memory_find(addr, NULL);
    int file;
    uint64_t offset;
    if (!a || !sw_rt_share_is_possible(a))
        return SW_E_INVAL;
    sw_exec_share_memory();
    if (!sw_mem_shared(a->addr, &file, &offset)) {
        uint64_t in_out = a->addr;
        sw_rt_stream_quiet(move, &in_out);
        if (in_out != SW_OK)
            return (sw_status)in_out;
        if (!sw_mem_shared(a->addr, &file, &offset))
            return SW_E_INVAL;
    }
    return sw_rt_share_handle(SW_RT_SHARE_MEMORY, file, offset, a->bytes,
                              a->device, handle);
}

static block *
block_of_locked(const sw_rt_share_place *place, sw_rt_context *context)
{
    for (size_t i = 0; i < all.blocks.count; i++) {
        block *b = sw_vec_at(&all.blocks, i);
        if (b->place.volume == place->volume &&
            b->place.inode == place->inode && b->context == context)
            return b;
    }
    return NULL;
}

static sw_status
map_locked(const sw_rt_share_place *place, sw_rt_context *context, block **out)
{
    struct stat about;
    int file = sw_rt_share_reach(place);
    if (file < 0)
        return sw_rt_share_has_ended(place->pid) ? SW_E_INVALID_HANDLE
                                                 : SW_E_INVAL;
    block b = {.place = *place, .context = context};
    sw_status status = SW_E_INVAL;
    sw_exec_share_memory();
    if (fstat(file, &about) == 0 && place->bytes <= (uint64_t)about.st_size &&
        place->offset <= (uint64_t)about.st_size - place->bytes) {
        b.bytes = (uint64_t)about.st_size;
        status = sw_mem_reserve(b.bytes, &b.addr);
        if (status == SW_OK)
            status = sw_mem_map(b.addr, b.bytes, file, 0);
        if (status != SW_OK && b.addr)
            sw_mem_unreserve(b.addr, b.bytes);
    }
    close(file);
    if (status != SW_OK)
        return status;
    if (!all.blocks.elem_bytes)
        sw_vec_init(&all.blocks, sizeof(block));
    *out = sw_vec_push(&all.blocks);
    **out = b;
    return SW_OK;
}

/* A record of an allocation in the block. */
static void
show(const block *b, const sw_rt_share_place *place, sw_rt_device *device)
{
    sw_rt_alloc *a = sw_alloc(sizeof *a);
    *a = (sw_rt_alloc){.context = b->context,
                       .device = device,
                       .addr = b->addr + place->offset,
                       .bytes = place->bytes,
                       .kind = SW_MEM_DEVICE,
                       .is_mapped = true,
                       .opened = 1};
    sw_mem_add(a->addr, a->bytes, device->ordinal, a);
}

sw_status
sw_rt_share_open(sw_rt_context *context, const void *handle, uint64_t *addr)
{
    sw_rt_share_place place;
    if (!sw_rt_share_read(handle, SW_RT_SHARE_MEMORY, &place))
        return SW_E_INVAL;
    if (place.pid == getpid())
        return SW_E_INVALID_CONTEXT;
    sw_rt_device *device = sw_rt_device_find(place.device);
    if (!device)
        return SW_E_INVALID_DEVICE;
    sw_status status = SW_OK;
    pthread_mutex_lock(&all.lock);
    block *b = block_of_locked(&place, context);
    if (!b)
        status = map_locked(&place, context, &b);
    if (status == SW_OK) {
        sw_mem_range r;
        *addr = b->addr + place.offset;
        if (sw_mem_find(*addr, &r)) {
            ((sw_rt_alloc *)r.user)->opened++;
        } else {
            show(b, &place, device);
            b->opened++;
        }
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

/* The block around an address; NULL. */
static block *
block_at_locked(uint64_t addr)
{
    for (size_t i = 0; i < all.blocks.count; i++) {
        block *b = sw_vec_at(&all.blocks, i);
        if (addr - b->addr < b->bytes)
            return b;
    }
    return NULL;
}

static void
unmap_locked(block *b)
{
    sw_mem_unmap(b->addr, b->bytes);
    sw_mem_unreserve(b->addr, b->bytes);
    sw_vec_remove(&all.blocks, (size_t)(b - (block *)all.blocks.data));
}

sw_status
sw_rt_share_close(uint64_t addr)
{
    sw_mem_range r;
    sw_status status = SW_E_INVAL;
    pthread_mutex_lock(&all.lock);
    block *b = block_at_locked(addr);
    if (b && sw_mem_find(addr, &r) && r.base == addr) {
        sw_rt_alloc *a = r.user;
        status = SW_OK;
        if (--a->opened == 0) {
            sw_mem_remove(addr);
            sw_free(a);
            if (--b->opened == 0)
                unmap_locked(b);
        }
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

static void
free_record(void *arg, const sw_mem_range *r)
{
    const block *b = arg;
    if (r->base - b->addr < b->bytes)
        sw_free(r->user);
}

void
sw_rt_share_close_all(sw_rt_context *context)
{
    pthread_mutex_lock(&all.lock);
    for (size_t i = all.blocks.count; i-- > 0;) {
        block *b = sw_vec_at(&all.blocks, i);
        if (b->context != context)
            continue;
        sw_mem_each(-1, free_record, b);
        unmap_locked(b);
    }
    pthread_mutex_unlock(&all.lock);
}
