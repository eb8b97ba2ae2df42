/* SPDX-License-Identifier: Apache-2.0 */
/* batch.c - many copies or ranges of memory by one call; pools of places. */
#include "api/cudart/cudart.h"

#if SW_CUDART_MAJOR >= 12
/* Pointers, hints and places have one layout in both APIs. */
_Static_assert(sizeof(struct cudaMemcpyAttributes) ==
                       sizeof(CUmemcpyAttributes) &&
                   sizeof(struct cudaMemLocation) == sizeof(CUmemLocation),
               "the same layout");
#define POINTERS(p) ((CUdeviceptr *)(uintptr_t)(p))

#if SW_CUDART_MAJOR >= 13
#define BATCH_PARAMS                                                           \
    (void *const *dsts, const void *const *srcs, const size_t *sizes,          \
     size_t count, struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs,      \
     size_t numAttrs, cudaStream_t stream)
#define BATCH_TWIN_ARGS                                                        \
    (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, OWN(stream))
#else
#define BATCH_PARAMS                                                           \
    (void **dsts, void **srcs, size_t *sizes, size_t count,                    \
     struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,   \
     size_t *failIdx, cudaStream_t stream)
#define BATCH_TWIN_ARGS                                                        \
    (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, failIdx, OWN(stream))
#endif

cudaError_t cudaMemcpyBatchAsync BATCH_PARAMS
{
#if SW_CUDART_MAJOR < 13
    if (failIdx)
        *failIdx = SIZE_MAX; /* not of one copy only */
#endif
    CALL(cuMemcpyBatchAsync_v2(
        POINTERS(dsts), POINTERS(srcs), (size_t *)(uintptr_t)sizes, count,
        (CUmemcpyAttributes *)attrs, attrsIdxs, numAttrs, stream));
}
TWIN(cudaMemcpyBatchAsync, BATCH_PARAMS, BATCH_TWIN_ARGS)

_Static_assert(sizeof(struct cudaMemcpy3DBatchOp) ==
                   sizeof(CUDA_MEMCPY3D_BATCH_OP),
               "the same layout");

#if SW_CUDART_MAJOR >= 13
#define BATCH_3D_PARAMS                                                        \
    (size_t numOps, struct cudaMemcpy3DBatchOp * opList,                       \
     unsigned long long flags, cudaStream_t stream)
#define BATCH_3D_TWIN_ARGS (numOps, opList, flags, OWN(stream))
#else
#define BATCH_3D_PARAMS                                                        \
    (size_t numOps, struct cudaMemcpy3DBatchOp * opList, size_t * failIdx,     \
     unsigned long long flags, cudaStream_t stream)
#define BATCH_3D_TWIN_ARGS (numOps, opList, failIdx, flags, OWN(stream))
#endif

cudaError_t cudaMemcpy3DBatchAsync BATCH_3D_PARAMS
{
#if SW_CUDART_MAJOR < 13
    if (failIdx)
        *failIdx = SIZE_MAX; /* not of one copy only */
#endif
    CALL(cuMemcpy3DBatchAsync_v2(
        numOps, (CUDA_MEMCPY3D_BATCH_OP *)(void *)opList, flags, stream));
}
TWIN(cudaMemcpy3DBatchAsync, BATCH_3D_PARAMS, BATCH_3D_TWIN_ARGS)
#endif

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaMemPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                          struct cudaMemLocation *prefetchLocs,
                          size_t *prefetchLocIdxs, size_t numPrefetchLocs,
                          unsigned long long flags, cudaStream_t stream)
{
    CALL(cuMemPrefetchBatchAsync(POINTERS(dptrs), sizes, count,
                                 (CUmemLocation *)prefetchLocs, prefetchLocIdxs,
                                 numPrefetchLocs, flags, stream));
}
TWIN(cudaMemPrefetchBatchAsync,
     (void **dptrs, size_t *sizes, size_t count,
      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
      flags, OWN(stream)))

cudaError_t
cudaMemDiscardBatchAsync(void **dptrs, size_t *sizes, size_t count,
                         unsigned long long flags, cudaStream_t stream)
{
    CALL(cuMemDiscardBatchAsync(POINTERS(dptrs), sizes, count, flags, stream));
}
TWIN(cudaMemDiscardBatchAsync,
     (void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
      cudaStream_t stream),
     (dptrs, sizes, count, flags, OWN(stream)))

cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(void **dptrs, size_t *sizes, size_t count,
                                    struct cudaMemLocation *prefetchLocs,
                                    size_t *prefetchLocIdxs,
                                    size_t numPrefetchLocs,
                                    unsigned long long flags,
                                    cudaStream_t stream)
{
    CALL(cuMemDiscardAndPrefetchBatchAsync(
        POINTERS(dptrs), sizes, count, (CUmemLocation *)prefetchLocs,
        prefetchLocIdxs, numPrefetchLocs, flags, stream));
}
TWIN(cudaMemDiscardAndPrefetchBatchAsync,
     (void **dptrs, size_t *sizes, size_t count,
      struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
      size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
     (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs,
      flags, OWN(stream)))

static cudaError_t
get_pool(CUresult (*get)(CUmemoryPool *, CUmemLocation *, CUmemAllocationType),
         cudaMemPool_t *pool, struct cudaMemLocation *location,
         enum cudaMemAllocationType type)
{
    CALL(get(pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}
cudaError_t
cudaMemGetDefaultMemPool(cudaMemPool_t *memPool,
                         struct cudaMemLocation *location,
                         enum cudaMemAllocationType type)
{
    return get_pool(cuMemGetDefaultMemPool, memPool, location, type);
}

cudaError_t
cudaMemGetMemPool(cudaMemPool_t *memPool, struct cudaMemLocation *location,
                  enum cudaMemAllocationType type)
{
    return get_pool(cuMemGetMemPool, memPool, location, type);
}

cudaError_t
cudaMemSetMemPool(struct cudaMemLocation *location,
                  enum cudaMemAllocationType type, cudaMemPool_t memPool)
{
    CALL(cuMemSetMemPool((CUmemLocation *)location, (CUmemAllocationType)type,
                         memPool));
}
#endif

cudaError_t
cudaMemRangeGetAttributes(void **data, size_t *dataSizes,
                          enum cudaMemRangeAttribute *attributes,
                          size_t numAttributes, const void *devPtr,
                          size_t count)
{
    CALL(cuMemRangeGetAttributes(data, dataSizes,
                                 (CUmem_range_attribute *)attributes,
                                 numAttributes, sw_rta_ptr(devPtr), count));
}
