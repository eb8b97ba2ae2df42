/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - memory pools and allocation in order of streams. */
#include "api/cuda/graph.h"
#include "rt/host.h"

CUresult
cuDeviceGetDefaultMemPool(CUmemoryPool *pool_out, CUdevice dev)
{
    sw_rt_device *d;
    REQUIRE(pool_out, CUDA_ERROR_INVALID_VALUE);
    TRY(sw_api_device(dev, &d));
    REQUIRE(sw_rt_device_get(d, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED),
            CUDA_ERROR_NOT_SUPPORTED);
    *pool_out = (CUmemoryPool)sw_rt_pool_default(d);
    return CUDA_SUCCESS;
}

CUresult
cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice dev)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(pool && sw_api_device(dev, &d) == SW_OK, CUDA_ERROR_INVALID_VALUE);
    sw_rt_pool_default(d);
    *pool = (CUmemoryPool)d->current_pool;
    return CUDA_SUCCESS;
}

CUresult
cuDeviceSetMemPool(CUdevice dev, CUmemoryPool pool)
{
    sw_rt_device *d;
    NEED_INIT();
    TRY(sw_rt_capture_check_unsafe());
    REQUIRE(sw_api_device(dev, &d) == SW_OK, CUDA_ERROR_INVALID_VALUE);
    sw_rt_pool *p = sw_rt_object_get(pool, SW_RT_POOL);
    REQUIRE(p && p->device == d && !p->is_imported, CUDA_ERROR_INVALID_VALUE);
    sw_rt_pool_default(d);
    d->current_pool = p;
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *poolProps)
{
    sw_rt_device *d;
    NEED_INIT();
    TRY(sw_rt_capture_check_unsafe());
    REQUIRE(pool && poolProps &&
                poolProps->allocType == CU_MEM_ALLOCATION_TYPE_PINNED,
            CUDA_ERROR_INVALID_VALUE);
    const unsigned known =
        CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR | CU_MEM_HANDLE_TYPE_FABRIC;
    unsigned types = (unsigned)poolProps->handleTypes;
    REQUIRE(!(types & ~known), CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < sizeof poolProps->reserved; i++)
        REQUIRE(!poolProps->reserved[i], CUDA_ERROR_INVALID_VALUE);
    sw_rt_pool_kind kind = SW_RT_POOL_OF_DEVICE;
    int number = poolProps->location.id;
    switch ((int)poolProps->location.type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        break;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        REQUIRE(sw_rt_host_has_node(number), CUDA_ERROR_INVALID_VALUE);
        /* fall through */
    case CU_MEM_LOCATION_TYPE_HOST:
        kind = SW_RT_POOL_OF_HOST;
        number = 0;
        break;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    REQUIRE(sw_api_device(number, &d) == SW_OK, CUDA_ERROR_INVALID_VALUE);
    if (kind != SW_RT_POOL_OF_DEVICE && types)
        return sw_api_unsupported("host memory of a pool for other processes");
    sw_rt_pool *p = sw_rt_pool_create(d);
    p->kind = kind;
    p->max_bytes = poolProps->maxSize;
    p->handle_types = types;
    if (types & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) {
        sw_status status = sw_rt_pool_make_shareable(p);
        if (status != SW_OK)
            sw_rt_pool_destroy(p);
        TRY(status);
    }
    *pool = (CUmemoryPool)p;
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolDestroy(CUmemoryPool pool)
{
    POOL(p, pool);
    REQUIRE(!p->is_default, CUDA_ERROR_INVALID_VALUE);
    if (p->device->current_pool == p)
        p->device->current_pool = p->device->default_pool;
    sw_rt_pool_destroy(p);
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolTrimTo(CUmemoryPool pool, size_t minBytesToKeep)
{
    POOL(p, pool);
    REQUIRE(!p->is_imported, CUDA_ERROR_INVALID_VALUE);
    /* Nothing freed is held back; a count says what a real pool would. */
    sw_rt_pool_trim(p, minBytesToKeep);
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    POOL(p, pool);
    REQUIRE(value && !p->is_imported, CUDA_ERROR_INVALID_VALUE);
    switch ((int)attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        p->attrs[attr] = *(int *)value != 0;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        p->attrs[attr] = *(cuuint64_t *)value;
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        REQUIRE(*(cuuint64_t *)value == 0, CUDA_ERROR_INVALID_VALUE);
        sw_rt_pool_reset_high(p, attr == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attr, void *value)
{
    POOL(p, pool);
    REQUIRE(value && !p->is_imported, CUDA_ERROR_INVALID_VALUE);
    switch ((int)attr) {
    case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
    case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
        *(int *)value = (int)p->attrs[attr];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
        *(cuuint64_t *)value = p->attrs[attr];
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
        *(cuuint64_t *)value = __atomic_load_n(&p->reserved, __ATOMIC_RELAXED);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
        *(cuuint64_t *)value =
            __atomic_load_n(&p->reserved_high, __ATOMIC_RELAXED);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
        *(cuuint64_t *)value = __atomic_load_n(&p->used, __ATOMIC_RELAXED);
        return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
        *(cuuint64_t *)value = __atomic_load_n(&p->used_high, __ATOMIC_RELAXED);
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

CUresult
cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *map, size_t count)
{
    POOL(p, pool);
    REQUIRE(map || !count, CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        sw_rt_device *d;
        REQUIRE(map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                    map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
                    map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE,
                CUDA_ERROR_INVALID_VALUE);
        REQUIRE(map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READ &&
                    map[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE,
                CUDA_ERROR_NOT_SUPPORTED);
        TRY(sw_api_device(map[i].location.id, &d));
        REQUIRE(map[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE ||
                    p->kind != SW_RT_POOL_OF_DEVICE || d != p->device,
                CUDA_ERROR_INVALID_DEVICE);
        uint64_t bit = UINT64_C(1) << d->ordinal;
        if (map[i].flags == CU_MEM_ACCESS_FLAGS_PROT_NONE)
            p->peers &= ~bit;
        else
            p->peers |= bit;
    }
    return CUDA_SUCCESS;
}

CUresult
cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool memPool,
                   CUmemLocation *location)
{
    POOL(p, memPool);
    sw_rt_device *d;
    REQUIRE(flags && location, CUDA_ERROR_INVALID_VALUE);
    bool can;
    if (location->type == CU_MEM_LOCATION_TYPE_DEVICE) {
        REQUIRE(sw_api_device(location->id, &d) == SW_OK,
                CUDA_ERROR_INVALID_VALUE);
        can = (p->kind == SW_RT_POOL_OF_DEVICE && d == p->device) ||
              p->peers >> d->ordinal & 1;
    } else {
        can = p->kind != SW_RT_POOL_OF_DEVICE;
    }
    *flags = can ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE
                 : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

/* What a stream does in its order may not be done beside a capture, but in it.
 */
static sw_status
enter_ordered(CUstream handle, sw_rt_stream **s)
{
    sw_status status = sw_api_stream(handle, s);
    if (status != SW_OK || (*s)->capture)
        return status;
    return sw_rt_capture_check_unsafe();
}

CUresult
cuMemAllocFromPoolAsync(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool,
                        CUstream hStream)
{
    sw_rt_stream *s;
    TRY(enter_ordered(hStream, &s));
    sw_rt_pool *p = sw_rt_object_get(pool, SW_RT_POOL);
    REQUIRE(dptr && p, CUDA_ERROR_INVALID_VALUE);
    *dptr = 0;
    if (!bytesize)
        return CUDA_SUCCESS;
    if (s->capture)
        return sw_api_capture_alloc(dptr, bytesize, s);
    uint64_t addr;
    TRY(sw_rt_pool_alloc(p, s->context, s->id, bytesize, &addr));
    *dptr = addr;
    return CUDA_SUCCESS;
}

CUresult
cuMemAllocAsync(CUdeviceptr *dptr, size_t bytesize, CUstream hStream)
{
    sw_rt_stream *s;
    TRY(enter_ordered(hStream, &s));
    REQUIRE(dptr, CUDA_ERROR_INVALID_VALUE);
    *dptr = 0;
    if (!bytesize)
        return CUDA_SUCCESS;
    CUmemoryPool pool;
    CUresult status = cuDeviceGetMemPool(&pool, s->context->device->ordinal);
    return status == CUDA_SUCCESS
               ? cuMemAllocFromPoolAsync(dptr, bytesize, pool, hStream)
               : status;
}

CUresult
cuMemFreeAsync(CUdeviceptr dptr, CUstream hStream)
{
    sw_rt_stream *s;
    TRY(enter_ordered(hStream, &s));
    if (!dptr)
        return CUDA_SUCCESS;
    const sw_rt_alloc *a = sw_rt_memory_find(dptr, NULL);
    REQUIRE(a && a->addr == dptr && !a->is_array &&
                (a->pool || a->kind == SW_MEM_DEVICE) && !a->is_idle,
            CUDA_ERROR_INVALID_VALUE);
    if (sw_rt_graph_memory_find(dptr))
        return sw_api_free_graph_memory(dptr, s);
    REQUIRE(!s->capture, CUDA_ERROR_INVALID_VALUE); /* not the graph's */
    TRY(sw_rt_context_error(s->context));
    sw_rt_work work = {.kind = SW_RT_FREE_MEMORY};
    work.free.addr = dptr;
    work.free.idle = sw_rt_pool_idle(dptr, s->id);
    return sw_api_result(sw_api_submit(s, &work));
}
