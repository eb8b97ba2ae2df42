/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c - allocations, arrays, hints, pointers. */
#include <string.h>

#include "api/cudart/cudart.h"

cudaError_t
cudaMalloc(void **devPtr, size_t size)
{
    ENTER();
    REQUIRE(devPtr, cudaErrorInvalidValue);
    *devPtr = NULL;
    if (size == 0)
        return cudaSuccess;
    CUdeviceptr p;
    TRY(cuMemAlloc_v2(&p, size));
    *devPtr = (void *)(uintptr_t)p;
    return cudaSuccess;
}

cudaError_t
cudaFree(void *devPtr)
{
    CALL(cuMemFree_v2(sw_rta_ptr(devPtr)));
}

cudaError_t
cudaMallocManaged(void **devPtr, size_t size, unsigned int flags)
{
    ENTER();
    REQUIRE(devPtr, cudaErrorInvalidValue);
#if SW_CUDART_MAJOR >= 13
    *devPtr = NULL;
    if (!size)
        return cudaSuccess;
#endif
    REQUIRE(size &&
                (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost),
            cudaErrorInvalidValue);
    CUdeviceptr p;
    TRY(cuMemAllocManaged(&p, size, flags));
    *devPtr = (void *)(uintptr_t)p;
    return cudaSuccess;
}

cudaError_t
cudaHostAlloc(void **pHost, size_t size, unsigned int flags)
{
    ENTER();
    REQUIRE(pHost, cudaErrorInvalidValue);
    *pHost = NULL;
    if (size == 0)
        return cudaSuccess;
    return sw_rta_done(cuMemHostAlloc(pHost, size, flags));
}

cudaError_t
cudaMallocHost(void **ptr, size_t size)
{
    return cudaHostAlloc(ptr, size, 0);
}

cudaError_t
cudaFreeHost(void *ptr)
{
    CALL(cuMemFreeHost(ptr));
}

cudaError_t
cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
    CALL(cuMemHostRegister_v2(ptr, size, flags));
}

cudaError_t
cudaHostUnregister(void *ptr)
{
    CALL(cuMemHostUnregister(ptr));
}

cudaError_t
cudaHostGetDevicePointer(void **pDevice, void *pHost, unsigned int flags)
{
    ENTER();
    REQUIRE(pDevice, cudaErrorInvalidValue);
    CUdeviceptr p;
    TRY(cuMemHostGetDevicePointer_v2(&p, pHost, flags));
    *pDevice = (void *)(uintptr_t)p;
    return cudaSuccess;
}

cudaError_t
cudaHostGetFlags(unsigned int *pFlags, void *pHost)
{
    CALL(cuMemHostGetFlags(pFlags, pHost));
}

cudaError_t
cudaMemGetInfo(size_t *free, size_t *total)
{
    CALL(cuMemGetInfo_v2(free, total));
}

static cudaError_t
pitched(void **p, size_t *pitch, size_t width, size_t height)
{
    ENTER();
    REQUIRE(p && pitch, cudaErrorInvalidValue);
    *p = NULL;
    *pitch = 0;
    if (!width || !height)
        return cudaSuccess;
    CUdeviceptr addr;
    TRY(cuMemAllocPitch_v2(&addr, pitch, width, height, 4));
    *p = (void *)(uintptr_t)addr;
    return cudaSuccess;
}

cudaError_t
cudaMallocPitch(void **devPtr, size_t *pitch, size_t width, size_t height)
{
    return pitched(devPtr, pitch, width, height);
}

cudaError_t
cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
    REQUIRE(pitchedDevPtr, cudaErrorInvalidValue);
    *pitchedDevPtr =
        (struct cudaPitchedPtr){.xsize = extent.width, .ysize = extent.height};
    return pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width,
                   sw_product(extent.height, extent.depth));
}

/* ---- arrays ---- */

/* Array flags have the same numbers in both APIs. */
static cudaError_t
describe(const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
         unsigned flags, CUDA_ARRAY3D_DESCRIPTOR *d)
{
    *d = (CUDA_ARRAY3D_DESCRIPTOR){.Width = extent.width,
                                   .Height = extent.height,
                                   .Depth = extent.depth,
                                   .Flags = flags};
    return sw_rta_format(desc, &d->Format, &d->NumChannels);
}

cudaError_t
cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                  struct cudaExtent extent, unsigned int flags)
{
    ENTER();
    REQUIRE(array && desc, cudaErrorInvalidValue);
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t error = describe(desc, extent, flags, &d);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return sw_rta_done(cuArray3DCreate_v2((CUarray *)array, &d));
}

cudaError_t
cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                size_t width, size_t height, unsigned int flags)
{
    const unsigned others = cudaArrayLayered | cudaArrayCubemap;
    ENTER();
    REQUIRE(width && !(flags & others), cudaErrorInvalidValue);
    return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0},
                             flags);
}

cudaError_t
cudaFreeArray(cudaArray_t array)
{
    ENTER();
    if (!array)
        return cudaSuccess;
    return sw_rta_done(cuArrayDestroy((CUarray)array));
}

cudaError_t
cudaMallocMipmappedArray(cudaMipmappedArray_t *mipmappedArray,
                         const struct cudaChannelFormatDesc *desc,
                         struct cudaExtent extent, unsigned int numLevels,
                         unsigned int flags)
{
    ENTER();
    REQUIRE(mipmappedArray && desc, cudaErrorInvalidValue);
    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaError_t error = describe(desc, extent, flags, &d);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return sw_rta_done(cuMipmappedArrayCreate(
        (CUmipmappedArray *)mipmappedArray, &d, numLevels));
}

cudaError_t
cudaFreeMipmappedArray(cudaMipmappedArray_t mipmappedArray)
{
    ENTER();
    if (!mipmappedArray)
        return cudaSuccess;
    return sw_rta_done(
        cuMipmappedArrayDestroy((CUmipmappedArray)mipmappedArray));
}

cudaError_t
cudaGetMipmappedArrayLevel(cudaArray_t *levelArray,
                           cudaMipmappedArray_const_t mipmappedArray,
                           unsigned int level)
{
    CALL(cuMipmappedArrayGetLevel((CUarray *)levelArray,
                                  (CUmipmappedArray)(uintptr_t)mipmappedArray,
                                  level));
}

/* Of one channel. */
static int
bits_of(CUarray_format format, enum cudaChannelFormatKind *kind)
{
    *kind = cudaChannelFormatKindFloat;
    if (sw_rta_is_fraction(format)) {
        int i = (int)format - CU_AD_FORMAT_UNORM_INT8X1;
        *kind = (enum cudaChannelFormatKind)(
            cudaChannelFormatKindUnsignedNormalized8X1 + i);
        return 8 << i / 3 % 2;
    }
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_UNSIGNED_INT32:
        *kind = cudaChannelFormatKindUnsigned;
        return 8 << (format - CU_AD_FORMAT_UNSIGNED_INT8);
    case CU_AD_FORMAT_SIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT32:
        *kind = cudaChannelFormatKindSigned;
        return 8 << (format - CU_AD_FORMAT_SIGNED_INT8);
    case CU_AD_FORMAT_HALF:
        return 16;
    default:
        return 32;
    }
}

struct cudaChannelFormatDesc
sw_rta_channel_desc(CUarray_format format, unsigned channels)
{
    enum cudaChannelFormatKind kind;
    int bits = bits_of(format, &kind);
    return (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0,
                                          channels > 2 ? bits : 0,
                                          channels > 2 ? bits : 0, kind};
}

cudaError_t
cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                 unsigned int *flags, cudaArray_t array)
{
    ENTER();
    CUDA_ARRAY3D_DESCRIPTOR d;
    TRY(cuArray3DGetDescriptor_v2(&d, (CUarray)array));
    if (desc)
        *desc = sw_rta_channel_desc(d.Format, d.NumChannels);
    if (extent)
        *extent = (struct cudaExtent){d.Width, d.Height, d.Depth};
    if (flags)
        *flags = d.Flags;
    return cudaSuccess;
}

cudaError_t
cudaArrayGetPlane(cudaArray_t *pPlaneArray, cudaArray_t hArray,
                  unsigned int planeIdx)
{
    CALL(cuArrayGetPlane((CUarray *)pPlaneArray, (CUarray)hArray, planeIdx));
}

cudaError_t
cudaArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                               cudaArray_t array, int device)
{
    _Static_assert(sizeof *out == sizeof(CUDA_ARRAY_MEMORY_REQUIREMENTS),
                   "the same layout");
    CALL(cuArrayGetMemoryRequirements((CUDA_ARRAY_MEMORY_REQUIREMENTS *)out,
                                      (CUarray)array, device));
}

cudaError_t
cudaMipmappedArrayGetMemoryRequirements(struct cudaArrayMemoryRequirements *out,
                                        cudaMipmappedArray_t mipmap, int device)
{
    CALL(cuMipmappedArrayGetMemoryRequirements(
        (CUDA_ARRAY_MEMORY_REQUIREMENTS *)out, (CUmipmappedArray)mipmap,
        device));
}

cudaError_t
cudaMipmappedArrayGetSparseProperties(struct cudaArraySparseProperties *out,
                                      cudaMipmappedArray_t mipmap)
{
    CALL(cuMipmappedArrayGetSparseProperties(
        (CUDA_ARRAY_SPARSE_PROPERTIES *)out, (CUmipmappedArray)mipmap));
}

cudaError_t
cudaArrayGetSparseProperties(struct cudaArraySparseProperties *out,
                             cudaArray_t array)
{
    _Static_assert(sizeof *out == sizeof(CUDA_ARRAY_SPARSE_PROPERTIES),
                   "the same layout");
    CALL(cuArrayGetSparseProperties((CUDA_ARRAY_SPARSE_PROPERTIES *)out,
                                    (CUarray)array));
}

cudaError_t
cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
    REQUIRE(desc, cudaErrorInvalidValue);
    return cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array);
}

struct cudaChannelFormatDesc
cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

/* ---- managed memory ---- */

#if SW_CUDART_MAJOR >= 12
static CUmemLocation
location_of(struct cudaMemLocation l)
{
    return (CUmemLocation){.type = (CUmemLocationType)l.type, .id = l.id};
}

cudaError_t
cudaMemPrefetchAsync_v2(const void *devPtr, size_t count,
                        struct cudaMemLocation location, unsigned int flags,
                        cudaStream_t stream)
{
    CALL(cuMemPrefetchAsync_v2(sw_rta_ptr(devPtr), count, location_of(location),
                               flags, stream));
}
TWIN(cudaMemPrefetchAsync_v2,
     (const void *devPtr, size_t count, struct cudaMemLocation location,
      unsigned int flags, cudaStream_t stream),
     (devPtr, count, location, flags, OWN(stream)))

cudaError_t
cudaMemAdvise_v2(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
                 struct cudaMemLocation location)
{
    CALL(cuMemAdvise_v2(sw_rta_ptr(devPtr), count, (CUmem_advise)advice,
                        location_of(location)));
}
#endif

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaMemPrefetchAsync(const void *devPtr, size_t count,
                     struct cudaMemLocation location, unsigned int flags,
                     cudaStream_t stream)
{
    return cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}
TWIN(cudaMemPrefetchAsync,
     (const void *devPtr, size_t count, struct cudaMemLocation location,
      unsigned int flags, cudaStream_t stream),
     (devPtr, count, location, flags, OWN(stream)))

cudaError_t
cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
              struct cudaMemLocation location)
{
    return cudaMemAdvise_v2(devPtr, count, advice, location);
}
#else
cudaError_t
cudaMemPrefetchAsync(const void *devPtr, size_t count, int dstDevice,
                     cudaStream_t stream)
{
    CALL(cuMemPrefetchAsync(sw_rta_ptr(devPtr), count, dstDevice, stream));
}
TWIN(cudaMemPrefetchAsync,
     (const void *devPtr, size_t count, int dstDevice, cudaStream_t stream),
     (devPtr, count, dstDevice, OWN(stream)))

cudaError_t
cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice,
              int device)
{
    CALL(cuMemAdvise(sw_rta_ptr(devPtr), count, (CUmem_advise)advice, device));
}
#endif

cudaError_t
cudaMemRangeGetAttribute(void *data, size_t dataSize,
                         enum cudaMemRangeAttribute attribute,
                         const void *devPtr, size_t count)
{
    CALL(cuMemRangeGetAttribute(data, dataSize,
                                (CUmem_range_attribute)attribute,
                                sw_rta_ptr(devPtr), count));
}

/* ---- pointers ---- */

cudaError_t
cudaPointerGetAttributes(struct cudaPointerAttributes *attributes,
                         const void *ptr)
{
    START();
    REQUIRE(attributes, cudaErrorInvalidValue);
    unsigned type = 0, managed = 0;
    int device = -1;
    CUpointer_attribute what[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                  CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *data[] = {&type, &managed, &device};
    TRY(cuPointerGetAttributes(3, what, data, sw_rta_ptr(ptr)));
    memset(attributes, 0, sizeof *attributes);
    void *p = (void *)(uintptr_t)ptr;
    attributes->device = device;
    if (managed) {
        attributes->type = cudaMemoryTypeManaged;
        attributes->devicePointer = attributes->hostPointer = p;
    } else if (type == CU_MEMORYTYPE_HOST) {
        attributes->type = cudaMemoryTypeHost;
        attributes->devicePointer = attributes->hostPointer = p;
    } else if (type == CU_MEMORYTYPE_DEVICE) {
        attributes->type = cudaMemoryTypeDevice;
        attributes->devicePointer = p;
    } else { /* not an error since CUDA 11 */
        attributes->type = cudaMemoryTypeUnregistered;
        attributes->device = -2;
        attributes->hostPointer = p;
    }
    return cudaSuccess;
}
