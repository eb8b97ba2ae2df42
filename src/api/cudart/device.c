/* SPDX-License-Identifier: Apache-2.0 */
/* device.c - devices, which of them is a thread's, limits and preferences. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/cudart/cudart.h"

enum { DEVICES = 64 };

static _Thread_local int chosen; /* by cudaSetDevice; 0 at first */
static uint64_t retained;        /* bit per device: we hold its context */

/* Makes its context live, and one hold of it ours. */
static CUresult
retain(int device, CUcontext *out)
{
    CUresult status = cuDevicePrimaryCtxRetain(out, device);
    uint64_t bit = UINT64_C(1) << device;
    if (status == CUDA_SUCCESS &&
        __atomic_fetch_or(&retained, bit, __ATOMIC_ACQ_REL) & bit)
        cuDevicePrimaryCtxRelease_v2(device); /* held already */
    return status;
}

static CUresult
primary(int device, CUcontext *out)
{
    static CUcontext contexts[DEVICES];
    *out = __atomic_load_n(&contexts[device], __ATOMIC_ACQUIRE);
    if (*out)
        return CUDA_SUCCESS;
    CUresult status = retain(device, out);
    if (status == CUDA_SUCCESS)
        __atomic_store_n(&contexts[device], *out, __ATOMIC_RELEASE);
    return status;
}

/* There is a current context, and it has not come to an end. */
static bool
is_live(void)
{
    unsigned long long id;
    return cuCtxGetId(NULL, &id) == CUDA_SUCCESS;
}

/* The current context is a primary one that was reset, or that the program has
 * released more often than retained: it begins anew. */
static CUresult
revive(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    CUcontext context;
    int device = sw_rta_device();
    CUresult status = CUDA_SUCCESS;
    pthread_mutex_lock(&lock);
    if (!is_live()) {
        sw_rta_unload(device);
        status = retain(device, &context);
        if (status == CUDA_SUCCESS && !is_live()) /* no hold left */
            status = cuDevicePrimaryCtxRetain(&context, device);
    }
    pthread_mutex_unlock(&lock);
    if (status == CUDA_SUCCESS)
        sw_rta_load_placed();
    return status;
}

/* With the managed variables that lie in the program's own memory, which the
 * program may hand to any call. */
static CUresult
make_current(CUcontext context)
{
    CUresult status = cuCtxSetCurrent(context);
    if (status == CUDA_SUCCESS && !is_live())
        return revive();
    if (status == CUDA_SUCCESS)
        sw_rta_load_placed();
    return status;
}

static _Atomic bool is_unloading;

static void
unload(void)
{
    is_unloading = true;
}

static void
await_exit(void)
{
    atexit(unload);
}

/* The library ends with the exit handler that its first call has registered:
 * handlers that run later find none. */
static CUresult
begin(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, await_exit);
    return is_unloading ? CUDA_ERROR_DEINITIALIZED : CUDA_SUCCESS;
}

CUresult
sw_rta_enter(void)
{
    CUcontext context;
    if (begin() != CUDA_SUCCESS)
        return CUDA_ERROR_DEINITIALIZED;
    if (is_live())
        return CUDA_SUCCESS;
    CUresult status = cuCtxGetCurrent(&context);
    if (status == CUDA_SUCCESS && context)
        return revive();
    if (status == CUDA_ERROR_NOT_INITIALIZED)
        status = cuInit(0);
    if (status == CUDA_SUCCESS)
        status = primary(chosen, &context);
    return status == CUDA_SUCCESS ? make_current(context) : status;
}

CUresult
sw_rta_start(void)
{
    static _Atomic bool is_started;
    CUresult status = begin();
    if (status != CUDA_SUCCESS || is_started)
        return status;
    status = cuInit(0);
    is_started = status == CUDA_SUCCESS;
    return status;
}

int
sw_rta_device(void)
{
    CUdevice device;
    return cuCtxGetDevice(&device) == CUDA_SUCCESS ? device : chosen;
}

/* The current context is one of the runtime's own: some calls work on no other.
 */
static bool
is_primary(void)
{
    CUcontext mine, current;
    return cuCtxGetCurrent(&current) == CUDA_SUCCESS &&
           primary(sw_rta_device(), &mine) == CUDA_SUCCESS && mine == current;
}

#define PRIMARY() REQUIRE(is_primary(), cudaErrorIncompatibleDriverContext)

cudaError_t
cudaGetDeviceCount(int *count)
{
    REQUIRE(count, cudaErrorInvalidValue);
    *count = 0;
    START();
    return sw_rta_done(cuDeviceGetCount(count));
}

cudaError_t
cudaSetDevice(int device)
{
    START();
    int count;
    TRY(cuDeviceGetCount(&count));
    REQUIRE(device >= 0 && device < count && device < DEVICES,
            cudaErrorInvalidDevice);
    CUcontext context;
    TRY(primary(device, &context));
    chosen = device;
    return sw_rta_done(make_current(context));
}

cudaError_t
cudaGetDevice(int *device)
{
    REQUIRE(device, cudaErrorInvalidValue);
    START();
    *device = sw_rta_device();
    return cudaSuccess;
}

cudaError_t
cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
    START();
    int count;
    TRY(cuDeviceGetCount(&count));
    REQUIRE(device >= 0 && device < count && device < DEVICES,
            cudaErrorInvalidDevice);
    if (flags & cudaInitDeviceFlagsAreValid)
        TRY(cuDevicePrimaryCtxSetFlags_v2(
            device, deviceFlags & ~(unsigned)cudaDeviceMapHost));
    CUcontext context;
    return sw_rta_done(primary(device, &context));
}

cudaError_t
cudaSetValidDevices(int *device_arr, int len)
{
    START();
    int count;
    TRY(cuDeviceGetCount(&count));
    REQUIRE(len >= 0 && len <= count && (device_arr || !len),
            cudaErrorInvalidValue);
    for (int i = 0; i < len; i++)
        REQUIRE(device_arr[i] >= 0 && device_arr[i] < count,
                cudaErrorInvalidDevice);
    if (len)
        chosen = device_arr[0];
    return cudaSuccess;
}

cudaError_t
cudaSetDeviceFlags(unsigned int flags)
{
    START();
    unsigned wait = flags & cudaDeviceScheduleMask;
    REQUIRE(!(flags & ~(unsigned)cudaDeviceMask) && !(wait & (wait - 1)),
            cudaErrorInvalidValue);
    ENTER();
    PRIMARY();
    return sw_rta_done(cuDevicePrimaryCtxSetFlags_v2(
        sw_rta_device(), flags & ~(unsigned)cudaDeviceMapHost));
}

cudaError_t
cudaGetDeviceFlags(unsigned int *flags)
{
    REQUIRE(flags, cudaErrorInvalidValue);
    START();
    int active;
    if (cuCtxGetFlags(flags) == CUDA_SUCCESS)
        return cudaSuccess;
    TRY(cuDevicePrimaryCtxGetState(sw_rta_device(), flags, &active));
    *flags |= cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t
cudaDeviceReset(void)
{
    START();
    int device = sw_rta_device();
    sw_rta_unload(device);
    CUresult status = cuDevicePrimaryCtxReset_v2(device);
    sw_rta_forget();
    return sw_rta_done(status);
}

cudaError_t
cudaDeviceSynchronize(void)
{
    CALL(cuCtxSynchronize());
}

/* ---- properties ---- */

static int
attr(int device, CUdevice_attribute attribute)
{
    int value = 0;
    cuDeviceGetAttribute(&value, attribute, device);
    return value;
}

#define A(name) attr(device, CU_DEVICE_ATTRIBUTE_##name)

static void
fill_images(struct cudaDeviceProp *p, int device)
{
    p->maxTexture1D = A(MAXIMUM_TEXTURE1D_WIDTH);
    p->maxTexture1DMipmap = A(MAXIMUM_TEXTURE1D_MIPMAPPED_WIDTH);
    p->maxTexture2D[0] = A(MAXIMUM_TEXTURE2D_WIDTH);
    p->maxTexture2D[1] = A(MAXIMUM_TEXTURE2D_HEIGHT);
    p->maxTexture2DMipmap[0] = A(MAXIMUM_TEXTURE2D_MIPMAPPED_WIDTH);
    p->maxTexture2DMipmap[1] = A(MAXIMUM_TEXTURE2D_MIPMAPPED_HEIGHT);
    p->maxTexture2DLinear[0] = A(MAXIMUM_TEXTURE2D_LINEAR_WIDTH);
    p->maxTexture2DLinear[1] = A(MAXIMUM_TEXTURE2D_LINEAR_HEIGHT);
    p->maxTexture2DLinear[2] = A(MAXIMUM_TEXTURE2D_LINEAR_PITCH);
    p->maxTexture2DGather[0] = A(MAXIMUM_TEXTURE2D_GATHER_WIDTH);
    p->maxTexture2DGather[1] = A(MAXIMUM_TEXTURE2D_GATHER_HEIGHT);
    p->maxTexture3D[0] = A(MAXIMUM_TEXTURE3D_WIDTH);
    p->maxTexture3D[1] = A(MAXIMUM_TEXTURE3D_HEIGHT);
    p->maxTexture3D[2] = A(MAXIMUM_TEXTURE3D_DEPTH);
    p->maxTexture3DAlt[0] = A(MAXIMUM_TEXTURE3D_WIDTH_ALTERNATE);
    p->maxTexture3DAlt[1] = A(MAXIMUM_TEXTURE3D_HEIGHT_ALTERNATE);
    p->maxTexture3DAlt[2] = A(MAXIMUM_TEXTURE3D_DEPTH_ALTERNATE);
    p->maxTextureCubemap = A(MAXIMUM_TEXTURECUBEMAP_WIDTH);
    p->maxTexture1DLayered[0] = A(MAXIMUM_TEXTURE1D_LAYERED_WIDTH);
    p->maxTexture1DLayered[1] = A(MAXIMUM_TEXTURE1D_LAYERED_LAYERS);
    p->maxTexture2DLayered[0] = A(MAXIMUM_TEXTURE2D_LAYERED_WIDTH);
    p->maxTexture2DLayered[1] = A(MAXIMUM_TEXTURE2D_LAYERED_HEIGHT);
    p->maxTexture2DLayered[2] = A(MAXIMUM_TEXTURE2D_LAYERED_LAYERS);
    p->maxTextureCubemapLayered[0] = A(MAXIMUM_TEXTURECUBEMAP_LAYERED_WIDTH);
    p->maxTextureCubemapLayered[1] = A(MAXIMUM_TEXTURECUBEMAP_LAYERED_LAYERS);
    p->maxSurface1D = A(MAXIMUM_SURFACE1D_WIDTH);
    p->maxSurface2D[0] = A(MAXIMUM_SURFACE2D_WIDTH);
    p->maxSurface2D[1] = A(MAXIMUM_SURFACE2D_HEIGHT);
    p->maxSurface3D[0] = A(MAXIMUM_SURFACE3D_WIDTH);
    p->maxSurface3D[1] = A(MAXIMUM_SURFACE3D_HEIGHT);
    p->maxSurface3D[2] = A(MAXIMUM_SURFACE3D_DEPTH);
    p->maxSurface1DLayered[0] = A(MAXIMUM_SURFACE1D_LAYERED_WIDTH);
    p->maxSurface1DLayered[1] = A(MAXIMUM_SURFACE1D_LAYERED_LAYERS);
    p->maxSurface2DLayered[0] = A(MAXIMUM_SURFACE2D_LAYERED_WIDTH);
    p->maxSurface2DLayered[1] = A(MAXIMUM_SURFACE2D_LAYERED_HEIGHT);
    p->maxSurface2DLayered[2] = A(MAXIMUM_SURFACE2D_LAYERED_LAYERS);
    p->maxSurfaceCubemap = A(MAXIMUM_SURFACECUBEMAP_WIDTH);
    p->maxSurfaceCubemapLayered[0] = A(MAXIMUM_SURFACECUBEMAP_LAYERED_WIDTH);
    p->maxSurfaceCubemapLayered[1] = A(MAXIMUM_SURFACECUBEMAP_LAYERED_LAYERS);
}

static void
fill_core(struct cudaDeviceProp *p, int device)
{
    p->sharedMemPerBlock = (size_t)A(MAX_SHARED_MEMORY_PER_BLOCK);
    p->regsPerBlock = A(MAX_REGISTERS_PER_BLOCK);
    p->warpSize = A(WARP_SIZE);
    p->memPitch = (size_t)A(MAX_PITCH);
    p->maxThreadsPerBlock = A(MAX_THREADS_PER_BLOCK);
    p->maxThreadsDim[0] = A(MAX_BLOCK_DIM_X);
    p->maxThreadsDim[1] = A(MAX_BLOCK_DIM_Y);
    p->maxThreadsDim[2] = A(MAX_BLOCK_DIM_Z);
    p->maxGridSize[0] = A(MAX_GRID_DIM_X);
    p->maxGridSize[1] = A(MAX_GRID_DIM_Y);
    p->maxGridSize[2] = A(MAX_GRID_DIM_Z);
    p->totalConstMem = (size_t)A(TOTAL_CONSTANT_MEMORY);
    p->major = A(COMPUTE_CAPABILITY_MAJOR);
    p->minor = A(COMPUTE_CAPABILITY_MINOR);
    p->textureAlignment = (size_t)A(TEXTURE_ALIGNMENT);
    p->texturePitchAlignment = (size_t)A(TEXTURE_PITCH_ALIGNMENT);
    p->multiProcessorCount = A(MULTIPROCESSOR_COUNT);
    p->integrated = A(INTEGRATED);
    p->canMapHostMemory = A(CAN_MAP_HOST_MEMORY);
    p->surfaceAlignment = (size_t)A(SURFACE_ALIGNMENT);
    p->concurrentKernels = A(CONCURRENT_KERNELS);
    p->ECCEnabled = A(ECC_ENABLED);
    p->pciBusID = A(PCI_BUS_ID);
    p->pciDeviceID = A(PCI_DEVICE_ID);
    p->pciDomainID = A(PCI_DOMAIN_ID);
    p->tccDriver = A(TCC_DRIVER);
    p->asyncEngineCount = A(ASYNC_ENGINE_COUNT);
    p->unifiedAddressing = A(UNIFIED_ADDRESSING);
    p->memoryBusWidth = A(GLOBAL_MEMORY_BUS_WIDTH);
    p->l2CacheSize = A(L2_CACHE_SIZE);
    p->persistingL2CacheMaxSize = A(MAX_PERSISTING_L2_CACHE_SIZE);
    p->maxThreadsPerMultiProcessor = A(MAX_THREADS_PER_MULTIPROCESSOR);
    p->streamPrioritiesSupported = A(STREAM_PRIORITIES_SUPPORTED);
    p->globalL1CacheSupported = A(GLOBAL_L1_CACHE_SUPPORTED);
    p->localL1CacheSupported = A(LOCAL_L1_CACHE_SUPPORTED);
    p->sharedMemPerMultiprocessor =
        (size_t)A(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    p->regsPerMultiprocessor = A(MAX_REGISTERS_PER_MULTIPROCESSOR);
    p->managedMemory = A(MANAGED_MEMORY);
    p->isMultiGpuBoard = A(MULTI_GPU_BOARD);
    p->multiGpuBoardGroupID = A(MULTI_GPU_BOARD_GROUP_ID);
    p->hostNativeAtomicSupported = A(HOST_NATIVE_ATOMIC_SUPPORTED);
    p->pageableMemoryAccess = A(PAGEABLE_MEMORY_ACCESS);
    p->concurrentManagedAccess = A(CONCURRENT_MANAGED_ACCESS);
    p->computePreemptionSupported = A(COMPUTE_PREEMPTION_SUPPORTED);
    p->canUseHostPointerForRegisteredMem =
        A(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
    p->cooperativeLaunch = A(COOPERATIVE_LAUNCH);
    p->sharedMemPerBlockOptin = (size_t)A(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    p->pageableMemoryAccessUsesHostPageTables =
        A(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES);
    p->directManagedMemAccessFromHost = A(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST);
    p->maxBlocksPerMultiProcessor = A(MAX_BLOCKS_PER_MULTIPROCESSOR);
    p->accessPolicyMaxWindowSize = A(MAX_ACCESS_POLICY_WINDOW_SIZE);
    p->reservedSharedMemPerBlock = (size_t)A(RESERVED_SHARED_MEMORY_PER_BLOCK);
}

static void
fill_recent(struct cudaDeviceProp *p, int device)
{
#if SW_CUDART_MAJOR >= 12
    p->hostRegisterSupported = A(HOST_REGISTER_SUPPORTED);
    p->sparseCudaArraySupported = A(SPARSE_CUDA_ARRAY_SUPPORTED);
    p->hostRegisterReadOnlySupported = A(READ_ONLY_HOST_REGISTER_SUPPORTED);
    p->timelineSemaphoreInteropSupported =
        A(TIMELINE_SEMAPHORE_INTEROP_SUPPORTED);
    p->memoryPoolsSupported = A(MEMORY_POOLS_SUPPORTED);
    p->gpuDirectRDMASupported = A(GPU_DIRECT_RDMA_SUPPORTED);
    p->gpuDirectRDMAFlushWritesOptions =
        (unsigned)A(GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS);
    p->gpuDirectRDMAWritesOrdering = A(GPU_DIRECT_RDMA_WRITES_ORDERING);
    p->memoryPoolSupportedHandleTypes =
        (unsigned)A(MEMPOOL_SUPPORTED_HANDLE_TYPES);
    p->deferredMappingCudaArraySupported =
        A(DEFERRED_MAPPING_CUDA_ARRAY_SUPPORTED);
    p->ipcEventSupported = A(IPC_EVENT_SUPPORTED);
    p->clusterLaunch = A(CLUSTER_LAUNCH);
    p->unifiedFunctionPointers = A(UNIFIED_FUNCTION_POINTERS);
#endif
#if SW_CUDART_MAJOR < 13
    p->clockRate = A(CLOCK_RATE);
    p->deviceOverlap = A(GPU_OVERLAP);
    p->kernelExecTimeoutEnabled = A(KERNEL_EXEC_TIMEOUT);
    p->computeMode = A(COMPUTE_MODE);
    p->maxTexture1DLinear = A(MAXIMUM_TEXTURE1D_LINEAR_WIDTH);
    p->memoryClockRate = A(MEMORY_CLOCK_RATE);
    p->singleToDoublePrecisionPerfRatio =
        A(SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO);
    p->cooperativeMultiDeviceLaunch = A(COOPERATIVE_MULTI_DEVICE_LAUNCH);
#endif
    (void)p;
    (void)device;
}

static cudaError_t
properties(struct cudaDeviceProp *p, int device)
{
    START();
    memset(p, 0, sizeof *p);
    TRY(cuDeviceGetName(p->name, sizeof p->name, device));
    TRY(cuDeviceGetUuid((CUuuid *)&p->uuid, device));
    TRY(cuDeviceTotalMem_v2(&p->totalGlobalMem, device));
    fill_core(p, device);
    fill_images(p, device);
    fill_recent(p, device);
    return cudaSuccess;
}

/* In 12 the plain name still fills the record of 11, which the new one begins
 * with. */
cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *prop, int device)
{
    REQUIRE(prop, cudaErrorInvalidValue);
#if SW_CUDART_MAJOR == 12
    struct cudaDeviceProp whole;
    cudaError_t error = properties(&whole, device);
    if (error == cudaSuccess)
        memcpy(prop, &whole,
               offsetof(struct cudaDeviceProp, hostRegisterSupported));
    return error;
#else
    return properties(prop, device);
#endif
}

#if SW_CUDART_MAJOR == 12
cudaError_t
cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
    REQUIRE(prop, cudaErrorInvalidValue);
    return properties(prop, device);
}
#endif

cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device)
{
    REQUIRE(value, cudaErrorInvalidValue);
    START();
    return sw_rta_done(
        cuDeviceGetAttribute(value, (CUdevice_attribute)attribute, device));
}

/* The device that comes closest: the first that has as much of all that is
 * asked for, else the current one's best effort, device 0. */
cudaError_t
cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
    REQUIRE(device && prop, cudaErrorInvalidValue);
    START();
    int count;
    TRY(cuDeviceGetCount(&count));
    *device = 0;
    int best = -1;
    for (int i = 0; i < count; i++) {
        struct cudaDeviceProp p;
        if (properties(&p, i) != cudaSuccess)
            continue;
        int score =
            (p.major * 10 + p.minor >= prop->major * 10 + prop->minor) * 4 +
            (p.totalGlobalMem >= prop->totalGlobalMem) * 2 +
            (p.multiProcessorCount >= prop->multiProcessorCount);
        if (score > best) {
            best = score;
            *device = i;
        }
    }
    return cudaSuccess;
}

cudaError_t
cudaDeviceGetByPCIBusId(int *device, const char *pciBusId)
{
    START();
    return sw_rta_done(cuDeviceGetByPCIBusId(device, pciBusId));
}

cudaError_t
cudaDeviceGetPCIBusId(char *pciBusId, int len, int device)
{
    START();
    return sw_rta_done(cuDeviceGetPCIBusId(pciBusId, len, device));
}

cudaError_t
cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
                                     const struct cudaChannelFormatDesc *fmt,
                                     int device)
{
    REQUIRE(fmt, cudaErrorInvalidValue);
    START();
    CUarray_format format;
    unsigned channels;
    cudaError_t error = sw_rta_format(fmt, &format, &channels);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return sw_rta_done(cuDeviceGetTexture1DLinearMaxWidth(
        maxWidthInElements, format, channels, device));
}

/* ---- peers ---- */

cudaError_t
cudaDeviceCanAccessPeer(int *canAccessPeer, int device, int peerDevice)
{
    START();
    return sw_rta_done(
        cuDeviceCanAccessPeer(canAccessPeer, device, peerDevice));
}

static cudaError_t
peer_context(int peerDevice, CUcontext *peer)
{
    int count;
    TRY(cuDeviceGetCount(&count));
    REQUIRE(peerDevice >= 0 && peerDevice < count && peerDevice < DEVICES,
            cudaErrorInvalidDevice);
    return sw_rta_done(primary(peerDevice, peer));
}

cudaError_t
cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags)
{
    ENTER();
    int count;
    CUcontext peer;
    PRIMARY();
    TRY(cuDeviceGetCount(&count));
    REQUIRE(peerDevice >= 0 && peerDevice < count, cudaErrorInvalidDevice);
    REQUIRE(!flags, cudaErrorInvalidValue);
    /* The only device has no peers; among several it is none of its own. */
    REQUIRE(count == 1 || peerDevice != sw_rta_device(),
            cudaErrorInvalidDevice);
    cudaError_t error = peer_context(peerDevice, &peer);
    return error != cudaSuccess
               ? error
               : sw_rta_done(cuCtxEnablePeerAccess(peer, flags));
}

cudaError_t
cudaDeviceDisablePeerAccess(int peerDevice)
{
    ENTER();
    CUcontext peer;
    PRIMARY();
    cudaError_t error = peer_context(peerDevice, &peer);
    return error != cudaSuccess ? error
                                : sw_rta_done(cuCtxDisablePeerAccess(peer));
}

cudaError_t
cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute,
                          int srcDevice, int dstDevice)
{
    START();
    return sw_rta_done(cuDeviceGetP2PAttribute(
        value, (CUdevice_P2PAttribute)attribute, srcDevice, dstDevice));
}

/* ---- limits and preferences ---- */

cudaError_t
cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
    CALL(cuCtxSetLimit((CUlimit)limit, value));
}

cudaError_t
cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit)
{
    CALL(cuCtxGetLimit(pValue, (CUlimit)limit));
}

cudaError_t
cudaDeviceGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    CALL(cuCtxGetCacheConfig((CUfunc_cache *)pCacheConfig));
}

cudaError_t
cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    CALL(cuCtxSetCacheConfig((CUfunc_cache)cacheConfig));
}

cudaError_t
cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *pConfig)
{
    CALL(cuCtxGetSharedMemConfig((CUsharedconfig *)pConfig));
}

cudaError_t
cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config)
{
    CALL(cuCtxSetSharedMemConfig((CUsharedconfig)config));
}

cudaError_t
cudaDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority)
{
    CALL(cuCtxGetStreamPriorityRange(leastPriority, greatestPriority));
}

cudaError_t
cudaCtxResetPersistingL2Cache(void)
{
    CALL(cuCtxResetPersistingL2Cache());
}

/* ---- the names of 2007 ---- */

cudaError_t
cudaThreadExit(void)
{
    return cudaDeviceReset();
}

cudaError_t
cudaThreadSynchronize(void)
{
    return cudaDeviceSynchronize();
}

cudaError_t
cudaThreadSetLimit(enum cudaLimit limit, size_t value)
{
    return cudaDeviceSetLimit(limit, value);
}

cudaError_t
cudaThreadGetLimit(size_t *pValue, enum cudaLimit limit)
{
    return cudaDeviceGetLimit(pValue, limit);
}

cudaError_t
cudaThreadGetCacheConfig(enum cudaFuncCache *pCacheConfig)
{
    return cudaDeviceGetCacheConfig(pCacheConfig);
}

cudaError_t
cudaThreadSetCacheConfig(enum cudaFuncCache cacheConfig)
{
    return cudaDeviceSetCacheConfig(cacheConfig);
}

/* ---- versions, profiling ---- */

cudaError_t
cudaDriverGetVersion(int *driverVersion)
{
    return sw_rta_done(cuDriverGetVersion(driverVersion));
}

cudaError_t
cudaRuntimeGetVersion(int *runtimeVersion)
{
    REQUIRE(runtimeVersion, cudaErrorInvalidValue);
    *runtimeVersion = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t
cudaProfilerStart(void)
{
    return sw_rta_done(cuProfilerStart());
}

cudaError_t
cudaProfilerStop(void)
{
    return sw_rta_done(cuProfilerStop());
}

/* ---- what a device is told, or asked, without much coming of it ---- */

#if SW_CUDART_MAJOR >= 12
cudaError_t
cudaDeviceRegisterAsyncNotification(int device, cudaAsyncCallback callbackFunc,
                                    void *userData,
                                    cudaAsyncCallbackHandle_t *callback)
{
    CALL(cuDeviceRegisterAsyncNotification(
        device, (CUasyncCallback)callbackFunc, userData,
        (CUasyncCallbackHandle *)callback));
}

cudaError_t
cudaDeviceUnregisterAsyncNotification(int device,
                                      cudaAsyncCallbackHandle_t callback)
{
    CALL(cuDeviceUnregisterAsyncNotification(device,
                                             (CUasyncCallbackHandle)callback));
}
#endif

#if SW_CUDART_MAJOR >= 13
cudaError_t
cudaDeviceGetHostAtomicCapabilities(unsigned int *capabilities,
                                    const enum cudaAtomicOperation *operations,
                                    unsigned int count, int device)
{
    CALL(cuDeviceGetHostAtomicCapabilities(
        capabilities, (const CUatomicOperation *)operations, count, device));
}

cudaError_t
cudaDeviceGetP2PAtomicCapabilities(unsigned int *capabilities,
                                   const enum cudaAtomicOperation *operations,
                                   unsigned int count, int srcDevice,
                                   int dstDevice)
{
    CALL(cuDeviceGetP2PAtomicCapabilities(capabilities,
                                          (const CUatomicOperation *)operations,
                                          count, srcDevice, dstDevice));
}
#endif
