/* SPDX-License-Identifier: Apache-2.0 */
/* launch.c - launches in all their forms; attributes of kernels; occupancy. */
#include <string.h>

#include "api/cudart/cudart.h"

/* What the driver calls an invalid value the runtime calls an invalid
 * configuration where it is about the shape of the launch. */
static cudaError_t
launch_error(CUresult status, CUfunction f, dim3 grid, dim3 block)
{
    if (status != CUDA_ERROR_INVALID_VALUE)
        return sw_rta_done(status);
#if SW_CUDART_MAJOR >= 13 /* makes no difference any more */
    return sw_rta_fail(cudaErrorInvalidValue);
#endif
    CUdevice dev = sw_rta_device();
    const unsigned sizes[6] = {block.x, block.y, block.z,
                               grid.x,  grid.y,  grid.z};
    bool bad = false;
    for (int i = 0; i < 6; i++) {
        int most = 0;
        cuDeviceGetAttribute(
            &most,
            (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i), dev);
        bad |= sizes[i] == 0 || sizes[i] > (unsigned)most;
    }
    int threads = 0, bound = 0;
    cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                         dev);
    bad |= (uint64_t)block.x * block.y * block.z > (uint64_t)threads;
    if (!bad &&
        cuFuncGetAttribute(&bound, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK,
                           f) == CUDA_SUCCESS)
        bad |= block.x * block.y * block.z > (unsigned)bound;
    return sw_rta_fail(bad ? cudaErrorInvalidConfiguration
                           : cudaErrorInvalidValue);
}

static cudaError_t
launch(CUfunction f, dim3 grid, dim3 block, void **args, size_t shared_bytes,
       cudaStream_t stream)
{
    CUresult status = CUDA_ERROR_INVALID_VALUE;
    if (shared_bytes <= UINT32_MAX)
        status =
            cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                           (unsigned)shared_bytes, stream, args, NULL);
    return status == CUDA_SUCCESS ? cudaSuccess
                                  : launch_error(status, f, grid, block);
}

/* The answer for a function that is none: one that might be a handle is given
 * to the driver, which looks at the stream first. */
static cudaError_t
no_function(cudaError_t error, const void *host, cudaStream_t stream)
{
    error = sw_rta_launchable(error, host);
    if (error != cudaErrorInvalidResourceHandle)
        return sw_rta_fail(error);
    return sw_rta_done(
        cuLaunchKernel(NULL, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
}

#define FUNCTION(f, host)                                                      \
    CUfunction f;                                                              \
    ENTER();                                                                   \
    do {                                                                       \
        cudaError_t error_ = sw_rta_function(host, &f);                        \
        if (error_ != cudaSuccess)                                             \
            return sw_rta_fail(sw_rta_launchable(error_, host));               \
    } while (0)
/* The same for a launch. */
#define LAUNCHED(f, host, stream)                                              \
    CUfunction f;                                                              \
    ENTER();                                                                   \
    do {                                                                       \
        cudaError_t error_ = sw_rta_function(host, &f);                        \
        if (error_ != cudaSuccess)                                             \
            return no_function(error_, host, stream);                          \
    } while (0)

cudaError_t
cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args,
                 size_t sharedMem, cudaStream_t stream)
{
    LAUNCHED(f, func, stream);
    return launch(f, gridDim, blockDim, args, sharedMem, stream);
}
TWIN(cudaLaunchKernel,
     (const void *func, dim3 gridDim, dim3 blockDim, void **args,
      size_t sharedMem, cudaStream_t stream),
     (func, gridDim, blockDim, args, sharedMem, OWN(stream)))

cudaError_t
__cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                   size_t shared_bytes, cudaStream_t stream)
{
    CUfunction f;
    ENTER();
    cudaError_t error = sw_rta_kernel(kernel, &f);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return launch(f, grid, block, args, shared_bytes, stream);
}

cudaError_t
__cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
                        size_t shared_bytes, cudaStream_t stream)
{
    return __cudaLaunchKernel(kernel, grid, block, args, shared_bytes,
                              OWN(stream));
}

cudaError_t
cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim,
                            void **args, size_t sharedMem, cudaStream_t stream)
{
    LAUNCHED(f, func, stream);
    CUresult status = CUDA_ERROR_INVALID_VALUE;
    if (sharedMem <= UINT32_MAX)
        status = cuLaunchCooperativeKernel(f, gridDim.x, gridDim.y, gridDim.z,
                                           blockDim.x, blockDim.y, blockDim.z,
                                           (unsigned)sharedMem, stream, args);
    return status == CUDA_SUCCESS ? cudaSuccess
                                  : launch_error(status, f, gridDim, blockDim);
}
TWIN(cudaLaunchCooperativeKernel,
     (const void *func, dim3 gridDim, dim3 blockDim, void **args,
      size_t sharedMem, cudaStream_t stream),
     (func, gridDim, blockDim, args, sharedMem, OWN(stream)))

enum { MOST_ATTRIBUTES = 32 };

/* The driver's form. The attributes are the same, number by number and byte by
 * byte. */
static cudaError_t
translate(const cudaLaunchConfig_t *c, cudaStream_t stream,
          CUlaunchAttribute attrs[MOST_ATTRIBUTES], CUlaunchConfig *out)
{
    REQUIRE(c->numAttrs <= MOST_ATTRIBUTES && (c->attrs || !c->numAttrs),
            cudaErrorInvalidValue);
    for (unsigned i = 0; i < c->numAttrs; i++) {
        attrs[i].id = (CUlaunchAttributeID)c->attrs[i].id;
        memcpy(&attrs[i].value, &c->attrs[i].val, sizeof attrs[i].value);
    }
    REQUIRE(c->dynamicSmemBytes <= UINT32_MAX, cudaErrorInvalidValue);
    *out = (CUlaunchConfig){
        .gridDimX = c->gridDim.x,
        .gridDimY = c->gridDim.y,
        .gridDimZ = c->gridDim.z,
        .blockDimX = c->blockDim.x,
        .blockDimY = c->blockDim.y,
        .blockDimZ = c->blockDim.z,
        .sharedMemBytes = (unsigned)c->dynamicSmemBytes,
        .hStream = stream,
        .attrs = attrs,
        .numAttrs = c->numAttrs,
    };
    return cudaSuccess;
}

static cudaError_t
launch_ex(const cudaLaunchConfig_t *c, const void *func, void **args,
          cudaStream_t stream)
{
    LAUNCHED(f, func, stream);
    CUlaunchAttribute attrs[MOST_ATTRIBUTES];
    CUlaunchConfig config;
    cudaError_t error = translate(c, stream, attrs, &config);
    if (error != cudaSuccess)
        return error;
    CUresult status = cuLaunchKernelEx(&config, f, args, NULL);
    return status == CUDA_SUCCESS
               ? cudaSuccess
               : launch_error(status, f, c->gridDim, c->blockDim);
}

cudaError_t
cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func,
                    void **args)
{
    REQUIRE(config, cudaErrorInvalidValue);
    return launch_ex(config, func, args, config->stream);
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config,
                                     const void *func, void **args);
cudaError_t
cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *func,
                         void **args)
{
    REQUIRE(config, cudaErrorInvalidValue);
    return launch_ex(config, func, args, OWN(config->stream));
}

#if SW_CUDART_MAJOR < 13
cudaError_t
cudaLaunchCooperativeKernelMultiDevice(struct cudaLaunchParams *list,
                                       unsigned int numDevices,
                                       unsigned int flags)
{
    enum { MOST = 64 };
    CUDA_LAUNCH_PARAMS all[MOST];
    int before;
    ENTER();
    REQUIRE(list && numDevices && numDevices <= MOST, cudaErrorInvalidValue);
    cudaError_t error = cudaGetDevice(&before);
    for (unsigned i = 0; i < numDevices && error == cudaSuccess; i++) {
        const struct cudaLaunchParams *p = &list[i];
        int device;
        error = cudaStreamGetDevice(p->stream, &device);
        if (error == cudaSuccess)
            error = cudaSetDevice(device);
        CUfunction f = NULL;
        if (error == cudaSuccess)
            error = sw_rta_function(p->func, &f);
        all[i] = (CUDA_LAUNCH_PARAMS){
            .function = f,
            .gridDimX = p->gridDim.x,
            .gridDimY = p->gridDim.y,
            .gridDimZ = p->gridDim.z,
            .blockDimX = p->blockDim.x,
            .blockDimY = p->blockDim.y,
            .blockDimZ = p->blockDim.z,
            .sharedMemBytes = (unsigned)p->sharedMem,
            .hStream = p->stream,
            .kernelParams = p->args,
        };
    }
    cudaSetDevice(before);
    if (error != cudaSuccess)
        return sw_rta_fail(error);
    return sw_rta_done(
        cuLaunchCooperativeKernelMultiDevice(all, numDevices, flags));
}
#endif

cudaError_t
cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *userData)
{
    CALL(cuLaunchHostFunc(stream, fn, userData));
}
TWIN(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void *userData),
     (OWN(stream), fn, userData))

/* ---- <<<>>>: configurations pushed, arguments collected ---- */

enum { DEPTH = 64, ARGUMENT_BYTES = 4096 };

typedef struct {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
} configuration;

static _Thread_local struct {
    configuration at[DEPTH];
    int count;
    size_t bytes; /* of the arguments that are set */
    _Alignas(16) unsigned char arguments[ARGUMENT_BYTES];
} calls;

unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes,
                            cudaStream_t stream)
{
    if (calls.count == DEPTH)
        return (unsigned)sw_rta_fail(cudaErrorLaunchFailure);
    calls.at[calls.count++] =
        (configuration){grid, block, shared_bytes, stream};
    return 0;
}

cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared_bytes,
                           void *stream)
{
    REQUIRE(calls.count, cudaErrorMissingConfiguration);
    const configuration *c = &calls.at[--calls.count];
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

cudaError_t
cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                  cudaStream_t stream)
{
    return (cudaError_t)__cudaPushCallConfiguration(gridDim, blockDim,
                                                    sharedMem, stream);
}

cudaError_t
cudaSetupArgument(const void *arg, size_t size, size_t offset)
{
    REQUIRE(arg && offset <= ARGUMENT_BYTES && size <= ARGUMENT_BYTES - offset,
            cudaErrorInvalidValue);
    memcpy(calls.arguments + offset, arg, size);
    if (calls.bytes < offset + size)
        calls.bytes = offset + size;
    return cudaSuccess;
}

cudaError_t
cudaLaunch(const void *func)
{
    REQUIRE(calls.count, cudaErrorMissingConfiguration);
    configuration c = calls.at[--calls.count];
    size_t bytes = calls.bytes;
    calls.bytes = 0;
    FUNCTION(f, func);
    REQUIRE(c.shared_bytes <= UINT32_MAX, cudaErrorInvalidValue);
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, calls.arguments,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    CUresult status = cuLaunchKernel(
        f, c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z,
        (unsigned)c.shared_bytes, c.stream, NULL, extra);
    return status == CUDA_SUCCESS ? cudaSuccess
                                  : launch_error(status, f, c.grid, c.block);
}

/* ---- attributes ---- */

cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    REQUIRE(attr, cudaErrorInvalidValue);
    FUNCTION(f, func);
    int v[CU_FUNC_ATTRIBUTE_MAX];
    for (int i = 0; i < CU_FUNC_ATTRIBUTE_MAX; i++)
        TRY(cuFuncGetAttribute(&v[i], (CUfunction_attribute)i, f));
    memset(attr, 0, sizeof *attr);
    attr->maxThreadsPerBlock = v[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK];
    attr->sharedSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES];
    attr->constSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES];
    attr->localSizeBytes = (size_t)v[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES];
    attr->numRegs = v[CU_FUNC_ATTRIBUTE_NUM_REGS];
    attr->ptxVersion = v[CU_FUNC_ATTRIBUTE_PTX_VERSION];
    attr->binaryVersion = v[CU_FUNC_ATTRIBUTE_BINARY_VERSION];
    attr->cacheModeCA = v[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA];
    attr->maxDynamicSharedSizeBytes =
        v[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES];
    attr->preferredShmemCarveout =
        v[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT];
#if SW_CUDART_MAJOR > 11
    attr->clusterDimMustBeSet = v[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET];
    attr->requiredClusterWidth = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH];
    attr->requiredClusterHeight = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT];
    attr->requiredClusterDepth = v[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH];
    attr->nonPortableClusterSizeAllowed =
        v[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED];
    attr->clusterSchedulingPolicyPreference =
        v[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE];
#endif
    return cudaSuccess;
}

cudaError_t
cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    FUNCTION(f, func);
    return sw_rta_done(
        cuFuncSetAttribute(f, (CUfunction_attribute)attr, value));
}

cudaError_t
cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    FUNCTION(f, func);
    return sw_rta_done(cuFuncSetCacheConfig(f, (CUfunc_cache)cacheConfig));
}

cudaError_t
cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    FUNCTION(f, func);
    return sw_rta_done(cuFuncSetSharedMemConfig(f, (CUsharedconfig)config));
}

cudaError_t
cudaFuncGetName(const char **name, const void *func)
{
    FUNCTION(f, func);
    return sw_rta_done(cuFuncGetName(name, f));
}

cudaError_t
cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset,
                     size_t *paramSize)
{
    FUNCTION(f, func);
    return sw_rta_done(
        cuFuncGetParamInfo(f, paramIndex, paramOffset, paramSize));
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks,
                                                       const void *func,
                                                       int blockSize,
                                                       size_t dynamicSMemSize,
                                                       unsigned int flags)
{
    FUNCTION(f, func);
    return sw_rta_done(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, f, blockSize, dynamicSMemSize, flags));
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func,
                                              int blockSize,
                                              size_t dynamicSMemSize)
{
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        numBlocks, func, blockSize, dynamicSMemSize, 0);
}

cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
                                          const void *func, int numBlocks,
                                          int blockSize)
{
    FUNCTION(f, func);
    return sw_rta_done(cuOccupancyAvailableDynamicSMemPerBlock(
        dynamicSmemSize, f, numBlocks, blockSize));
}

typedef CUresult CUDAAPI ask_clusters_fn(int *, CUfunction,
                                         const CUlaunchConfig *);

static cudaError_t
ask_clusters(ask_clusters_fn *ask, int *answer, const void *func,
             const cudaLaunchConfig_t *config)
{
    FUNCTION(f, func);
    CUlaunchAttribute attrs[MOST_ATTRIBUTES];
    CUlaunchConfig c;
    REQUIRE(config, cudaErrorInvalidValue);
    cudaError_t error = translate(config, config->stream, attrs, &c);
    return error != cudaSuccess ? error : sw_rta_done(ask(answer, f, &c));
}

cudaError_t
cudaOccupancyMaxActiveClusters(int *numClusters, const void *func,
                               const cudaLaunchConfig_t *config)
{
    return ask_clusters(cuOccupancyMaxActiveClusters, numClusters, func,
                        config);
}

cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *clusterSize, const void *func,
                                     const cudaLaunchConfig_t *config)
{
    return ask_clusters(cuOccupancyMaxPotentialClusterSize, clusterSize, func,
                        config);
}

/* ---- old ways with doubles: nothing to convert ---- */

cudaError_t
cudaSetDoubleForDevice(double *d)
{
    REQUIRE(d, cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t
cudaSetDoubleForHost(double *d)
{
    return cudaSetDoubleForDevice(d);
}
