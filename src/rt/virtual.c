/* SPDX-License-Identifier: Apache-2.0 */
/*
 * virtual.c - addresses and memory apart: physical memory is a file without a
 * name, which can be shown at several addresses.
 *
 * A mapping becomes an allocation of mem.h when a device is given access to
 * it. Memory that one device may access can be accessed by all.
 */
#include <fcntl.h>
#include <unistd.h>

#include "rt/share.h"

typedef struct {
    uint64_t addr, bytes, offset;
    sw_rt_physical *physical;
    int access[SW_RT_MAX_DEVICES];
    sw_rt_alloc *alloc; /* while accessible */
} mapping;

typedef struct {
    uint64_t addr, bytes;
} reservation;

static struct {
    pthread_mutex_t lock;
    sw_vec mappings;     /* mapping *, in no order */
    sw_vec reservations; /* reservation */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static mapping *
mapping_at(size_t i)
{
    return *(mapping **)sw_vec_at(&all.mappings, i);
}

static sw_rt_physical *
physical(sw_rt_device *device, uint64_t bytes, int file, bool is_imported)
{
    sw_rt_physical *p = sw_rt_object_new(SW_RT_PHYSICAL, sizeof *p);
    p->device = device;
    p->bytes = bytes;
    p->file = file;
    p->is_imported = is_imported;
    return p;
}

sw_status
sw_rt_physical_create(sw_rt_device *device, uint64_t bytes,
                      sw_rt_physical **out)
{
    if (!sw_rt_device_take(device, bytes))
        return SW_E_NOMEM;
    int file = sw_rt_share_file(SW_RT_SHARE_PHYSICAL, device, bytes);
    if (file < 0) {
        sw_rt_device_give(device, bytes);
        return SW_E_NOMEM;
    }
    *out = physical(device, bytes, file, false);
    return SW_OK;
}

sw_status
sw_rt_physical_export(sw_rt_physical *p, int *file)
{
    sw_exec_share_memory();
    *file = fcntl(p->file, F_DUPFD_CLOEXEC, 0);
    return *file < 0 ? SW_E_NOMEM : SW_OK;
}

sw_status
sw_rt_physical_import(int file, sw_rt_physical **out)
{
    sw_rt_device *device;
    uint64_t bytes;
    int mine;
    sw_exec_share_memory();
    sw_status status =
        sw_rt_share_import(file, SW_RT_SHARE_PHYSICAL, &device, &bytes, &mine);
    if (status == SW_OK)
        *out = physical(device, bytes, mine, true);
    return status;
}

void
sw_rt_physical_unref(sw_rt_physical *p)
{
    if (!sw_rt_object_unref(p))
        return;
    close(p->file);
    if (!p->is_imported)
        sw_rt_device_give(p->device, p->bytes);
    sw_rt_object_free(p);
}

static bool
overlaps_locked(uint64_t addr, uint64_t bytes)
{
    for (size_t i = 0; i < all.mappings.count; i++) {
        const mapping *m = mapping_at(i);
        if (addr < m->addr + m->bytes && m->addr < addr + bytes)
            return true;
    }
    return false;
}

/* The mappings in the range, to `out`; false if it begins or ends inside one,
 * or has gaps and `all_of_it` is wanted. */
static bool
collect_locked(uint64_t addr, uint64_t bytes, bool all_of_it, sw_vec *out)
{
    uint64_t covered = 0;
    for (size_t i = 0; i < all.mappings.count; i++) {
        mapping *m = mapping_at(i);
        if (m->addr >= addr + bytes || addr >= m->addr + m->bytes)
            continue;
        if (m->addr < addr || m->addr + m->bytes > addr + bytes)
            return false;
        covered += m->bytes;
        *(mapping **)sw_vec_push(out) = m;
    }
    return bytes && (covered == bytes || !all_of_it);
}

sw_status
sw_rt_virtual_map(uint64_t addr, uint64_t bytes, uint64_t offset,
                  sw_rt_physical *p)
{
    if (!bytes || addr % SW_MEM_PAGE)
        return SW_E_INVAL;
    if (bytes != p->bytes || offset)
        return SW_E_NOT_SUPPORTED;
    if (!sw_mem_is_reserved(addr, bytes))
        return SW_E_INVAL;
    sw_status status = SW_E_INVAL;
    pthread_mutex_lock(&all.lock);
    if (!all.mappings.elem_bytes)
        sw_vec_init(&all.mappings, sizeof(mapping *));
    if (!overlaps_locked(addr, bytes)) {
        mapping *m = sw_alloc(sizeof *m);
        *m = (mapping){
            .addr = addr, .bytes = bytes, .offset = offset, .physical = p};
        sw_rt_object_ref(p);
        *(mapping **)sw_vec_push(&all.mappings) = m;
        status = SW_OK;
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}

static void
hide(mapping *m)
{
    if (!m->alloc)
        return;
    sw_mem_unmap(m->addr, m->bytes);
    sw_free(m->alloc);
    m->alloc = NULL;
}

static sw_status
show(sw_rt_context *context, mapping *m)
{
    if (m->alloc)
        return SW_OK;
    sw_rt_alloc *a = sw_alloc(sizeof *a);
    a->context = context;
    a->device = m->physical->device;
    a->addr = m->addr;
    a->bytes = m->bytes;
    a->kind = SW_MEM_DEVICE;
    a->is_mapped = true;
    sw_status status =
        sw_mem_map(m->addr, m->bytes, m->physical->file, m->offset);
    if (status == SW_OK) {
        m->alloc = a;
        sw_mem_add(m->addr, m->bytes, a->device->ordinal, a);
    } else {
        sw_free(a);
    }
    return status;
}

sw_status
sw_rt_virtual_unmap(uint64_t addr, uint64_t bytes)
{
    sw_vec found;
    sw_vec_init(&found, sizeof(mapping *));
    pthread_mutex_lock(&all.lock);
    bool ok = sw_mem_is_reserved(addr, bytes) &&
              collect_locked(addr, bytes, false, &found);
    for (size_t i = 0; ok && i < found.count; i++) {
        mapping *m = *(mapping **)sw_vec_at(&found, i);
        for (size_t k = all.mappings.count; k-- > 0;)
            if (mapping_at(k) == m)
                sw_vec_remove(&all.mappings, k);
        hide(m);
        sw_rt_physical_unref(m->physical);
        sw_free(m);
    }
    pthread_mutex_unlock(&all.lock);
    sw_vec_finish(&found);
    return ok ? SW_OK : SW_E_INVAL;
}

sw_status
sw_rt_virtual_set_access(sw_rt_context *context, uint64_t addr, uint64_t bytes,
                         int device, int access)
{
    sw_vec found;
    sw_vec_init(&found, sizeof(mapping *));
    pthread_mutex_lock(&all.lock);
    sw_status status =
        collect_locked(addr, bytes, true, &found) ? SW_OK : SW_E_INVAL;
    for (size_t i = 0; status == SW_OK && i < found.count; i++) {
        mapping *m = *(mapping **)sw_vec_at(&found, i);
        bool any = false;
        m->access[device] = access;
        for (int d = 0; d < SW_RT_MAX_DEVICES; d++)
            any |= m->access[d] != 0;
        if (any)
            status = show(context, m);
        else
            hide(m);
    }
    pthread_mutex_unlock(&all.lock);
    sw_vec_finish(&found);
    return status;
}

bool
sw_rt_virtual_find(uint64_t addr, int device, sw_rt_physical **physical,
                   int *access)
{
    bool found = false;
    pthread_mutex_lock(&all.lock);
    for (size_t i = 0; i < all.mappings.count && !found; i++) {
        const mapping *m = mapping_at(i);
        if (addr < m->addr || addr - m->addr >= m->bytes)
            continue;
        *physical = m->physical;
        *access = m->access[device];
        found = true;
    }
    pthread_mutex_unlock(&all.lock);
    return found;
}

sw_status
sw_rt_virtual_reserve(uint64_t bytes, uint64_t align, uint64_t *addr)
{
    /* More is wanted for more than a page's alignment, and given back. */
    uint64_t more = align > SW_MEM_PAGE ? align - SW_MEM_PAGE : 0, at;
    if (bytes > UINT64_MAX - more)
        return SW_E_NOMEM;
    sw_status status = sw_mem_reserve(bytes + more, &at);
    if (status != SW_OK)
        return status;
    *addr = more ? (at + align - 1) & ~(align - 1) : at;
    if (*addr != at)
        sw_mem_unreserve(at, *addr - at);
    if (*addr - at != more)
        sw_mem_unreserve(*addr + bytes, more - (*addr - at));
    pthread_mutex_lock(&all.lock);
    if (!all.reservations.elem_bytes)
        sw_vec_init(&all.reservations, sizeof(reservation));
    *(reservation *)sw_vec_push(&all.reservations) =
        (reservation){*addr, bytes};
    pthread_mutex_unlock(&all.lock);
    return SW_OK;
}

/* Its index; or the count, if there is none around addr. */
static size_t
reservation_locked(uint64_t addr)
{
    size_t i = 0;
    for (; i < all.reservations.count; i++) {
        const reservation *r = sw_vec_at(&all.reservations, i);
        if (addr >= r->addr && addr - r->addr < r->bytes)
            break;
    }
    return i;
}

bool
sw_rt_virtual_reserved(uint64_t addr, uint64_t *base, uint64_t *bytes)
{
    pthread_mutex_lock(&all.lock);
    size_t i = reservation_locked(addr);
    bool found = i < all.reservations.count;
    if (found) {
        const reservation *r = sw_vec_at(&all.reservations, i);
        *base = r->addr;
        *bytes = r->bytes;
    }
    pthread_mutex_unlock(&all.lock);
    return found;
}

sw_status
sw_rt_virtual_unreserve(uint64_t addr, uint64_t bytes)
{
    sw_status status = SW_E_INVAL;
    pthread_mutex_lock(&all.lock);
    size_t i = reservation_locked(addr);
    const reservation *r =
        i < all.reservations.count ? sw_vec_at(&all.reservations, i) : NULL;
    if (r && r->addr == addr && r->bytes == bytes &&
        !overlaps_locked(addr, bytes)) {
        status = sw_mem_unreserve(addr, bytes);
        sw_vec_remove(&all.reservations, i);
    }
    pthread_mutex_unlock(&all.lock);
    return status;
}
