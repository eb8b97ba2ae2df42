/* SPDX-License-Identifier: Apache-2.0 */
/* pool.c - memory pools; libraries of code; driver entry points. */
#include <string.h>

#include "api/cudart/cudart.h"

/* A stream that was created names its context: none has to be current. */
#define ENTER_FOR(stream)                                                      \
    START();                                                                   \
    if ((uintptr_t)(stream) <= (uintptr_t)cudaStreamPerThread)                 \
    ENTER()

cudaError_t
cudaMallocAsync(void **devPtr, size_t size, cudaStream_t stream)
{
    ENTER_FOR(stream);
    REQUIRE(devPtr, cudaErrorInvalidValue);
    *devPtr = NULL;
    CUdeviceptr p;
    TRY(cuMemAllocAsync(&p, size, stream));
    *devPtr = (void *)(uintptr_t)p;
    return cudaSuccess;
}
TWIN(cudaMallocAsync, (void **devPtr, size_t size, cudaStream_t stream),
     (devPtr, size, OWN(stream)))

cudaError_t
cudaFreeAsync(void *devPtr, cudaStream_t stream)
{
    ENTER_FOR(stream);
    return sw_rta_done(cuMemFreeAsync(sw_rta_ptr(devPtr), stream));
}
TWIN(cudaFreeAsync, (void *devPtr, cudaStream_t stream), (devPtr, OWN(stream)))

cudaError_t
cudaMallocFromPoolAsync(void **ptr, size_t size, cudaMemPool_t memPool,
                        cudaStream_t stream)
{
    ENTER();
    REQUIRE(ptr, cudaErrorInvalidValue);
    CUdeviceptr p;
    TRY(cuMemAllocFromPoolAsync(&p, size, memPool, stream));
    *ptr = (void *)(uintptr_t)p;
    return cudaSuccess;
}
TWIN(cudaMallocFromPoolAsync,
     (void **ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
     (ptr, size, memPool, OWN(stream)))

cudaError_t
cudaDeviceGetDefaultMemPool(cudaMemPool_t *memPool, int device)
{
    CALL(cuDeviceGetDefaultMemPool(memPool, device));
}

cudaError_t
cudaDeviceGetMemPool(cudaMemPool_t *memPool, int device)
{
    CALL(cuDeviceGetMemPool(memPool, device));
}

cudaError_t
cudaDeviceSetMemPool(int device, cudaMemPool_t memPool)
{
    CALL(cuDeviceSetMemPool(device, memPool));
}

cudaError_t
cudaMemPoolCreate(cudaMemPool_t *memPool,
                  const struct cudaMemPoolProps *poolProps)
{
    REQUIRE(poolProps, cudaErrorInvalidValue);
    CUmemPoolProps p = {
        .allocType = (CUmemAllocationType)poolProps->allocType,
        .handleTypes = (CUmemAllocationHandleType)poolProps->handleTypes,
        .location = {.type = (CUmemLocationType)poolProps->location.type,
                     .id = poolProps->location.id},
    };
#if SW_CUDART_MAJOR >= 12
    p.maxSize = poolProps->maxSize;
#endif
    CALL(cuMemPoolCreate(memPool, &p));
}

cudaError_t
cudaMemPoolDestroy(cudaMemPool_t memPool)
{
    CALL(cuMemPoolDestroy(memPool));
}

cudaError_t
cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep)
{
    CALL(cuMemPoolTrimTo(memPool, minBytesToKeep));
}

cudaError_t
cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                        void *value)
{
    CALL(cuMemPoolSetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t
cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr,
                        void *value)
{
    CALL(cuMemPoolGetAttribute(memPool, (CUmemPool_attribute)attr, value));
}

cudaError_t
cudaMemPoolSetAccess(cudaMemPool_t memPool,
                     const struct cudaMemAccessDesc *descList, size_t count)
{
    /* The records have the same members. */
    CALL(cuMemPoolSetAccess(memPool, (const CUmemAccessDesc *)descList, count));
}

cudaError_t
cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t memPool,
                     struct cudaMemLocation *location)
{
    CALL(cuMemPoolGetAccess((CUmemAccess_flags *)flags, memPool,
                            (CUmemLocation *)location));
}

/* ---- what processes share ---- */

cudaError_t
cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *devPtr)
{
    CALL(cuIpcGetMemHandle((CUipcMemHandle *)handle, sw_rta_ptr(devPtr)));
}

cudaError_t
cudaIpcOpenMemHandle(void **devPtr, cudaIpcMemHandle_t handle,
                     unsigned int flags)
{
    CUipcMemHandle same;
    memcpy(&same, &handle, sizeof same);
    CALL(cuIpcOpenMemHandle_v2((CUdeviceptr *)devPtr, same, flags));
}

cudaError_t
cudaIpcCloseMemHandle(void *devPtr)
{
    CALL(cuIpcCloseMemHandle(sw_rta_ptr(devPtr)));
}

cudaError_t
cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event)
{
    CALL(cuIpcGetEventHandle((CUipcEventHandle *)handle, (CUevent)event));
}

cudaError_t
cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle)
{
    CUipcEventHandle same;
    memcpy(&same, &handle, sizeof same);
    CALL(cuIpcOpenEventHandle((CUevent *)event, same));
}

cudaError_t
cudaMemPoolExportToShareableHandle(void *shareableHandle, cudaMemPool_t memPool,
                                   enum cudaMemAllocationHandleType handleType,
                                   unsigned int flags)
{
    CALL(cuMemPoolExportToShareableHandle(shareableHandle, memPool,
                                          (CUmemAllocationHandleType)handleType,
                                          flags));
}

cudaError_t
cudaMemPoolImportFromShareableHandle(
    cudaMemPool_t *memPool, void *shareableHandle,
    enum cudaMemAllocationHandleType handleType, unsigned int flags)
{
    CALL(cuMemPoolImportFromShareableHandle(
        memPool, shareableHandle, (CUmemAllocationHandleType)handleType,
        flags));
}

cudaError_t
cudaMemPoolExportPointer(struct cudaMemPoolPtrExportData *exportData, void *ptr)
{
    CALL(cuMemPoolExportPointer((CUmemPoolPtrExportData *)exportData,
                                sw_rta_ptr(ptr)));
}

cudaError_t
cudaMemPoolImportPointer(void **ptr, cudaMemPool_t memPool,
                         struct cudaMemPoolPtrExportData *exportData)
{
    CALL(cuMemPoolImportPointer((CUdeviceptr *)ptr, memPool,
                                (CUmemPoolPtrExportData *)exportData));
}

/* ---- libraries ---- */

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaLibraryLoadData(cudaLibrary_t *library, const void *code,
                    enum cudaJitOption *jitOptions, void **jitOptionsValues,
                    unsigned int numJitOptions,
                    enum cudaLibraryOption *libraryOptions,
                    void **libraryOptionValues, unsigned int numLibraryOptions)
{
    CALL(cuLibraryLoadData((CUlibrary *)library, code,
                           (CUjit_option *)jitOptions, jitOptionsValues,
                           numJitOptions, (CUlibraryOption *)libraryOptions,
                           libraryOptionValues, numLibraryOptions));
}

cudaError_t
cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName,
                        enum cudaJitOption *jitOptions, void **jitOptionsValues,
                        unsigned int numJitOptions,
                        enum cudaLibraryOption *libraryOptions,
                        void **libraryOptionValues,
                        unsigned int numLibraryOptions)
{
    CALL(cuLibraryLoadFromFile((CUlibrary *)library, fileName,
                               (CUjit_option *)jitOptions, jitOptionsValues,
                               numJitOptions, (CUlibraryOption *)libraryOptions,
                               libraryOptionValues, numLibraryOptions));
}

cudaError_t
cudaLibraryUnload(cudaLibrary_t library)
{
    CALL(cuLibraryUnload((CUlibrary)library));
}

cudaError_t
cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library,
                     const char *name)
{
    CALL(cuLibraryGetKernel((CUkernel *)pKernel, (CUlibrary)library, name));
}

cudaError_t
cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                enum cudaFuncAttribute attr, int value,
                                int device)
{
    CUfunction f;
    ENTER();
    REQUIRE(kernel, cudaErrorInvalidResourceHandle);
    cudaError_t error = sw_rta_function(kernel, &f);
    REQUIRE(error == cudaSuccess, error);
    TRY(cuKernelSetAttribute((CUfunction_attribute)attr, value, (CUkernel)f,
                             device));
    return cudaSuccess;
}

cudaError_t
cudaLibraryGetUnifiedFunction(void **fptr, cudaLibrary_t library,
                              const char *symbol)
{
    ENTER();
    TRY(cuLibraryGetUnifiedFunction(fptr, (CUlibrary)library, symbol));
    return cudaSuccess;
}

cudaError_t
cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library,
                     const char *name)
{
    CALL(cuLibraryGetGlobal((CUdeviceptr *)dptr, bytes, (CUlibrary)library,
                            name));
}

cudaError_t
cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library,
                      const char *name)
{
    CALL(cuLibraryGetManaged((CUdeviceptr *)dptr, bytes, (CUlibrary)library,
                             name));
}

cudaError_t
cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
    CALL(cuLibraryGetKernelCount(count, (CUlibrary)lib));
}

cudaError_t
cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels,
                            cudaLibrary_t lib)
{
    CALL(cuLibraryEnumerateKernels((CUkernel *)kernels, numKernels,
                                   (CUlibrary)lib));
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr,
                                 unsigned int cudaVersion,
                                 unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult *status)
{
    CALL(cuGetProcAddress_v2(symbol, funcPtr, (int)cudaVersion, flags,
                             (CUdriverProcAddressQueryResult *)status));
}

/* Whoever asks as one whose default stream is a thread's own. */
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags, enum cudaDriverEntryPointQueryResult *status);

cudaError_t
cudaGetDriverEntryPointByVersion_ptsz(
    const char *symbol, void **funcPtr, unsigned int cudaVersion,
    unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
    if (flags == cudaEnableDefault)
        flags = cudaEnablePerThreadDefaultStream;
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, cudaVersion, flags,
                                            status);
}

cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                        unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION,
                                            flags, status);
}

cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                             unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *status);

cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                             unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *status)
{
    return cudaGetDriverEntryPointByVersion_ptsz(symbol, funcPtr,
                                                 CUDART_VERSION, flags, status);
}
#else
cudaError_t
cudaGetDriverEntryPoint(const char *symbol, void **funcPtr,
                        unsigned long long flags)
{
    CALL(cuGetProcAddress_v2(symbol, funcPtr, CUDART_VERSION, flags, NULL));
}

cudaError_t cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                                         unsigned long long flags);

cudaError_t
cudaGetDriverEntryPoint_ptsz(const char *symbol, void **funcPtr,
                             unsigned long long flags)
{
    if (flags == cudaEnableDefault)
        flags = cudaEnablePerThreadDefaultStream;
    return cudaGetDriverEntryPoint(symbol, funcPtr, flags);
}
#endif

cudaError_t
cudaGetExportTable(const void **ppExportTable, const cudaUUID_t *pExportTableId)
{
    (void)pExportTableId;
    REQUIRE(ppExportTable, cudaErrorInvalidValue);
    *ppExportTable = NULL;
    return sw_rta_fail(cudaErrorSymbolNotFound);
}
