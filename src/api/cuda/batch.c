/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - many copies or ranges of memory by one call. */
#include "api/cuda/api.h"
#include "rt/host.h"

/* Each range names its description by where those of the next one begin. */
static bool
indices_are_good(const size_t *indices, size_t indices_count, size_t count)
{
    if (!indices || !indices_count || indices_count > count || indices[0])
        return false;
    for (size_t i = 1; i < indices_count; i++)
        if (indices[i] <= indices[i - 1] || indices[i] >= count)
            return false;
    return true;
}

enum { COPY_FLAGS = CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE };

/* Where managed memory is thought to be. */
static bool
hint_is_good(const CUmemLocation *hint)
{
    return hint->type != CU_MEM_LOCATION_TYPE_DEVICE ||
           sw_rt_device_at(hint->id);
}

CUresult
cuMemcpyBatchAsync_v2(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                      size_t count, CUmemcpyAttributes *attrs,
                      size_t *attrsIdxs, size_t numAttrs, CUstream hStream)
{
    NEED_INIT();
    REQUIRE(dsts && srcs && sizes && count && attrs &&
                indices_are_good(attrsIdxs, numAttrs, count),
            CUDA_ERROR_INVALID_VALUE);
    REQUIRE((uintptr_t)hStream > 1, CUDA_ERROR_INVALID_VALUE);
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    bool reads_now = false;
    for (size_t i = 0; i < numAttrs; i++) {
        REQUIRE(attrs[i].srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_INVALID &&
                    attrs[i].srcAccessOrder <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
                    !(attrs[i].flags & ~(unsigned)COPY_FLAGS) &&
                    hint_is_good(&attrs[i].srcLocHint) &&
                    hint_is_good(&attrs[i].dstLocHint),
                CUDA_ERROR_INVALID_VALUE);
        reads_now |= attrs[i].srcAccessOrder ==
                     CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    }
    for (size_t i = 0; i < count; i++)
        REQUIRE(sizes[i], CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < count; i++) {
        CUresult status = cuMemcpyAsync(dsts[i], srcs[i], sizes[i], hStream);
        if (status != CUDA_SUCCESS)
            return status;
    }
    return reads_now ? cuStreamSynchronize(hStream) : CUDA_SUCCESS;
}

CUresult
cuMemcpyBatchAsync(CUdeviceptr *dsts, CUdeviceptr *srcs, size_t *sizes,
                   size_t count, CUmemcpyAttributes *attrs, size_t *attrsIdxs,
                   size_t numAttrs, size_t *failIdx, CUstream hStream)
{
    if (failIdx)
        *failIdx = SIZE_MAX; /* not of one copy only */
    return cuMemcpyBatchAsync_v2(dsts, srcs, sizes, count, attrs, attrsIdxs,
                                 numAttrs, hStream);
}

/* An operand's array, and the bytes of its elements; 0: of a pointer's any. */
static CUresult
check_operand(const CUmemcpy3DOperand *o, const CUextent3D *extent,
              uint32_t *elem_bytes)
{
    *elem_bytes = 0;
    if (o->type == CU_MEMCPY_OPERAND_TYPE_POINTER) {
        REQUIRE(
            (!o->op.ptr.rowLength || o->op.ptr.rowLength >= extent->width) &&
                (!o->op.ptr.layerHeight ||
                 o->op.ptr.layerHeight >= extent->height),
            CUDA_ERROR_INVALID_VALUE);
        return CUDA_SUCCESS;
    }
    REQUIRE(o->type == CU_MEMCPY_OPERAND_TYPE_ARRAY, CUDA_ERROR_INVALID_VALUE);
    const sw_rt_array *a = sw_rt_object_get(o->op.array.array, SW_RT_ARRAY);
    REQUIRE(a, CUDA_ERROR_INVALID_VALUE);
    *elem_bytes = a->elem_bytes;
    return CUDA_SUCCESS;
}

/* The same copy in the older description, whose positions are bytes. */
static CUresult
describe(const CUDA_MEMCPY3D_BATCH_OP *op, CUDA_MEMCPY3D *c)
{
    const CUextent3D *e = &op->extent;
    uint32_t src_bytes, dst_bytes;
    REQUIRE(e->width && e->height && e->depth &&
                op->srcAccessOrder > CU_MEMCPY_SRC_ACCESS_ORDER_INVALID &&
                op->srcAccessOrder <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY &&
                !(op->flags & ~(unsigned)COPY_FLAGS),
            CUDA_ERROR_INVALID_VALUE);
    CUresult status = check_operand(&op->src, e, &src_bytes);
    if (status == CUDA_SUCCESS)
        status = check_operand(&op->dst, e, &dst_bytes);
    if (status != CUDA_SUCCESS)
        return status;
    REQUIRE(!src_bytes || !dst_bytes || src_bytes == dst_bytes,
            CUDA_ERROR_INVALID_VALUE);
    size_t bytes = src_bytes ? src_bytes : dst_bytes ? dst_bytes : 1;
    *c = (CUDA_MEMCPY3D){.WidthInBytes = sw_product(e->width, bytes),
                         .Height = e->height,
                         .Depth = e->depth};
#define SIDE(side, operand)                                                    \
    if (side##_bytes) {                                                        \
        c->side##MemoryType = CU_MEMORYTYPE_ARRAY;                             \
        c->side##Array = (operand)->op.array.array;                            \
        c->side##XInBytes = sw_product((operand)->op.array.offset.x, bytes);   \
        c->side##Y = (operand)->op.array.offset.y;                             \
        c->side##Z = (operand)->op.array.offset.z;                             \
    } else {                                                                   \
        size_t row_ = (operand)->op.ptr.rowLength;                             \
        size_t rows_ = (operand)->op.ptr.layerHeight;                          \
        c->side##MemoryType = CU_MEMORYTYPE_UNIFIED;                           \
        c->side##Device = (operand)->op.ptr.ptr;                               \
        c->side##Pitch = sw_product(row_ ? row_ : e->width, bytes);            \
        c->side##Height = rows_ ? rows_ : e->height;                           \
    }
    SIDE(src, &op->src)
    SIDE(dst, &op->dst)
#undef SIDE
    return CUDA_SUCCESS;
}

CUresult
cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                        unsigned long long flags, CUstream hStream)
{
    NEED_INIT();
    REQUIRE(numOps && opList && !flags && (uintptr_t)hStream > 1,
            CUDA_ERROR_INVALID_VALUE);
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    TRY(sw_rt_capture_refuse(s));
    bool reads_now = false;
    CUDA_MEMCPY3D c;
    CUresult status = CUDA_SUCCESS;
    for (size_t i = 0; i < numOps && status == CUDA_SUCCESS; i++) {
        status = describe(&opList[i], &c);
        reads_now |= opList[i].srcAccessOrder ==
                     CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    }
    for (size_t i = 0; i < numOps && status == CUDA_SUCCESS; i++) {
        describe(&opList[i], &c);
        status = cuMemcpy3DAsync_v2(&c, hStream);
    }
    return status == CUDA_SUCCESS && reads_now ? cuStreamSynchronize(hStream)
                                               : status;
}

CUresult
cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP *opList,
                     size_t *failIdx, unsigned long long flags,
                     CUstream hStream)
{
    if (failIdx)
        *failIdx = SIZE_MAX; /* not of one copy only */
    return cuMemcpy3DBatchAsync_v2(numOps, opList, flags, hStream);
}

CUresult
cuMemPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                        CUmemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                        size_t numPrefetchLocs, unsigned long long flags,
                        CUstream hStream)
{
    NEED_INIT();
    REQUIRE(dptrs && sizes && count && prefetchLocs && !flags &&
                (uintptr_t)hStream > 1 && prefetchLocIdxs && numPrefetchLocs &&
                numPrefetchLocs <= count && !prefetchLocIdxs[0],
            CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < numPrefetchLocs; i++)
        REQUIRE(hint_is_good(&prefetchLocs[i]), CUDA_ERROR_INVALID_VALUE);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        while (at + 1 < numPrefetchLocs && prefetchLocIdxs[at + 1] <= i)
            at++;
        CUresult status = cuMemPrefetchAsync_v2(dptrs[i], sizes[i],
                                                prefetchLocs[at], 0, hStream);
        if (status != CUDA_SUCCESS)
            return status;
    }
    return CUDA_SUCCESS;
}

/* What was discarded has any value: the one it had. */
CUresult
cuMemDiscardBatchAsync(CUdeviceptr *dptrs, size_t *sizes, size_t count,
                       unsigned long long flags, CUstream hStream)
{
    NEED_INIT();
    sw_rt_stream *s;
    TRY(sw_api_stream(hStream, &s));
    REQUIRE(dptrs && sizes && count && !flags && (uintptr_t)hStream > 1,
            CUDA_ERROR_INVALID_VALUE);
    TRY(sw_rt_capture_refuse(s));
    for (size_t i = 0; i < count; i++) {
        const sw_rt_alloc *a = sw_rt_memory_find(dptrs[i], NULL);
        REQUIRE(a && a->kind == SW_MEM_MANAGED && sizes[i] &&
                    sw_rt_memory_holds(dptrs[i], sizes[i]),
                CUDA_ERROR_INVALID_VALUE);
    }
    return CUDA_SUCCESS;
}

CUresult
cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr *dptrs, size_t *sizes,
                                  size_t count, CUmemLocation *prefetchLocs,
                                  size_t *prefetchLocIdxs,
                                  size_t numPrefetchLocs,
                                  unsigned long long flags, CUstream hStream)
{
    CUresult status =
        cuMemDiscardBatchAsync(dptrs, sizes, count, flags, hStream);
    return status == CUDA_SUCCESS
               ? cuMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs,
                                         prefetchLocIdxs, numPrefetchLocs,
                                         flags, hStream)
               : status;
}

CUresult
cuMemRangeGetAttributes(void **data, size_t *dataSizes,
                        CUmem_range_attribute *attributes, size_t numAttributes,
                        CUdeviceptr devPtr, size_t count)
{
    REQUIRE(data && dataSizes && attributes && numAttributes,
            CUDA_ERROR_INVALID_VALUE);
    for (size_t i = 0; i < numAttributes; i++) {
        CUresult status = cuMemRangeGetAttribute(data[i], dataSizes[i],
                                                 attributes[i], devPtr, count);
        if (status != CUDA_SUCCESS)
            return status;
    }
    return CUDA_SUCCESS;
}

/* ---- the pool of a place ---- */

/* Each place and kind of memory has one of its own. */
static CUresult
pool_of(const CUmemLocation *location, CUmemAllocationType type,
        sw_rt_pool ***current, sw_rt_pool **initial)
{
    sw_rt_device *d;
    NEED_INIT();
    REQUIRE(location, CUDA_ERROR_INVALID_VALUE);
    sw_rt_pool_kind kind = SW_RT_POOL_OF_HOST;
    if (type == CU_MEM_ALLOCATION_TYPE_MANAGED)
        kind = SW_RT_POOL_MANAGED;
    else
        REQUIRE(type == CU_MEM_ALLOCATION_TYPE_PINNED,
                CUDA_ERROR_INVALID_VALUE);
    switch ((int)location->type) {
    case CU_MEM_LOCATION_TYPE_DEVICE:
        REQUIRE(sw_api_device(location->id, &d) == SW_OK,
                CUDA_ERROR_INVALID_VALUE);
        if (kind == SW_RT_POOL_MANAGED)
            break;
        *initial = sw_rt_pool_default(d);
        *current = &d->current_pool;
        return CUDA_SUCCESS;
    case CU_MEM_LOCATION_TYPE_HOST:
        break;
    case CU_MEM_LOCATION_TYPE_HOST_NUMA:
        REQUIRE(sw_rt_host_has_node(location->id), CUDA_ERROR_INVALID_VALUE);
        break;
    case CU_MEM_LOCATION_TYPE_INVALID:
        REQUIRE(kind == SW_RT_POOL_MANAGED, CUDA_ERROR_INVALID_VALUE);
        break;
    default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    *initial = sw_rt_pool_elsewhere(kind, current);
    return CUDA_SUCCESS;
}

CUresult
cuMemGetDefaultMemPool(CUmemoryPool *pool_out, CUmemLocation *location,
                       CUmemAllocationType type)
{
    sw_rt_pool **current, *initial;
    REQUIRE(pool_out, CUDA_ERROR_INVALID_VALUE);
    CUresult status = pool_of(location, type, &current, &initial);
    if (status == CUDA_SUCCESS)
        *pool_out = (CUmemoryPool)initial;
    return status;
}

CUresult
cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location,
                CUmemAllocationType type)
{
    sw_rt_pool **current, *initial;
    REQUIRE(pool, CUDA_ERROR_INVALID_VALUE);
    CUresult status = pool_of(location, type, &current, &initial);
    if (status == CUDA_SUCCESS)
        *pool = (CUmemoryPool)*current;
    return status;
}

CUresult
cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type,
                CUmemoryPool pool)
{
    sw_rt_pool **current, *initial;
    POOL(p, pool);
    CUresult status = pool_of(location, type, &current, &initial);
    if (status != CUDA_SUCCESS)
        return status;
    REQUIRE(
        p->kind == initial->kind && !p->is_imported &&
            (p->kind != SW_RT_POOL_OF_DEVICE || p->device == initial->device),
        CUDA_ERROR_INVALID_VALUE);
    *current = p;
    return CUDA_SUCCESS;
}
