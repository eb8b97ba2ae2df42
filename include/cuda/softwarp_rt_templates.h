/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_rt_templates.h - the runtime API's C++ face: typed pointers,
 * symbols by reference, kernels by their own type.
 *
 * Every template only casts and calls the C function of the same name.
 * Included by cuda_runtime.h only.
 */
#ifndef SOFTWARP_RT_TEMPLATES_H
#define SOFTWARP_RT_TEMPLATES_H
#pragma GCC system_header
#include "cuda_runtime_api.h"
#include "cuda_surface_types.h"
#include "cuda_texture_types.h"

#define SW_RT template <class T> static __inline__ __host__ cudaError_t

/* ---- memory ---- */
SW_RT
cudaMalloc(T **ptr, size_t size)
{
    return ::cudaMalloc((void **)(void *)ptr, size);
}

SW_RT
cudaMallocHost(T **ptr, size_t size, unsigned int flags = 0)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

SW_RT
cudaHostAlloc(T **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc((void **)(void *)ptr, size, flags);
}

SW_RT
cudaHostGetDevicePointer(T **ptr, void *host, unsigned int flags)
{
    return ::cudaHostGetDevicePointer((void **)(void *)ptr, host, flags);
}

SW_RT
cudaMallocManaged(T **ptr, size_t size,
                  unsigned int flags = cudaMemAttachGlobal)
{
    return ::cudaMallocManaged((void **)(void *)ptr, size, flags);
}

SW_RT
cudaMallocPitch(T **ptr, size_t *pitch, size_t width, size_t height)
{
    return ::cudaMallocPitch((void **)(void *)ptr, pitch, width, height);
}

SW_RT
cudaMallocAsync(T **ptr, size_t size, cudaStream_t stream)
{
    return ::cudaMallocAsync((void **)(void *)ptr, size, stream);
}

SW_RT
cudaMallocFromPoolAsync(T **ptr, size_t size, cudaMemPool_t pool,
                        cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, pool, stream);
}

static __inline__ __host__ cudaError_t
cudaMallocAsync(void **ptr, size_t size, cudaMemPool_t pool,
                cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync(ptr, size, pool, stream);
}

SW_RT
cudaMallocAsync(T **ptr, size_t size, cudaMemPool_t pool, cudaStream_t stream)
{
    return ::cudaMallocFromPoolAsync((void **)(void *)ptr, size, pool, stream);
}

SW_RT
cudaStreamAttachMemAsync(cudaStream_t stream, T *ptr, size_t length = 0,
                         unsigned int flags = cudaMemAttachSingle)
{
    return ::cudaStreamAttachMemAsync(stream, (void *)ptr, length, flags);
}

static __inline__ __host__ cudaError_t
cudaMallocHost(void **ptr, size_t size, unsigned int flags)
{
    return ::cudaHostAlloc(ptr, size, flags);
}

static __inline__ __host__ cudaError_t
cudaEventCreate(cudaEvent_t *event, unsigned int flags)
{
    return ::cudaEventCreateWithFlags(event, flags);
}

/* ---- symbols ---- */
/*
 * A symbol is a variable, or, before CUDA 5, its name. A literal name goes
 * down by its address and the library tells it from a variable; a pointer to
 * a name is told from a variable of pointer type here.
 */
template <class T>
static __inline__ __host__ const void *
sw_symbol(const T &symbol)
{
    return const_cast<const char *>(
        &reinterpret_cast<const volatile char &>(symbol));
}

static __inline__ __host__ const void *
sw_symbol(const char *const &symbol)
{
    size_t bytes;
    const void *variable = (const void *)&symbol;

    if (::cudaGetSymbolSize(&bytes, variable) == cudaSuccess)
        return variable;
    (void)::cudaGetLastError();
    return symbol;
}

SW_RT
cudaMemcpyToSymbol(const T &symbol, const void *src, size_t count,
                   size_t offset = 0,
                   enum cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
    return ::cudaMemcpyToSymbol(sw_symbol(symbol), src, count, offset, kind);
}

SW_RT
cudaMemcpyFromSymbol(void *dst, const T &symbol, size_t count,
                     size_t offset = 0,
                     enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
    return ::cudaMemcpyFromSymbol(dst, sw_symbol(symbol), count, offset, kind);
}

SW_RT
cudaMemcpyToSymbolAsync(const T &symbol, const void *src, size_t count,
                        size_t offset = 0,
                        enum cudaMemcpyKind kind = cudaMemcpyHostToDevice,
                        cudaStream_t stream = 0)
{
    return ::cudaMemcpyToSymbolAsync(sw_symbol(symbol), src, count, offset,
                                     kind, stream);
}

SW_RT
cudaMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t count,
                          size_t offset = 0,
                          enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost,
                          cudaStream_t stream = 0)
{
    return ::cudaMemcpyFromSymbolAsync(dst, sw_symbol(symbol), count, offset,
                                       kind, stream);
}

SW_RT
cudaGetSymbolAddress(void **ptr, const T &symbol)
{
    return ::cudaGetSymbolAddress(ptr, sw_symbol(symbol));
}

template <class __P, class T>
static __inline__ __host__ cudaError_t
cudaGetSymbolAddress(__P **ptr, const T &symbol)
{
    return ::cudaGetSymbolAddress((void **)(void *)ptr, sw_symbol(symbol));
}

SW_RT
cudaGetSymbolSize(size_t *size, const T &symbol)
{
    return ::cudaGetSymbolSize(size, sw_symbol(symbol));
}

SW_RT
cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                               const cudaGraphNode_t *deps, size_t dep_count,
                               const T &symbol, const void *src, size_t count,
                               size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeToSymbol(node, graph, deps, dep_count,
                                            sw_symbol(symbol), src, count,
                                            offset, kind);
}

SW_RT
cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                 const cudaGraphNode_t *deps, size_t dep_count,
                                 void *dst, const T &symbol, size_t count,
                                 size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphAddMemcpyNodeFromSymbol(node, graph, deps, dep_count, dst,
                                              sw_symbol(symbol), count, offset,
                                              kind);
}

SW_RT
cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const T &symbol,
                                     const void *src, size_t count,
                                     size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsToSymbol(node, sw_symbol(symbol), src,
                                                  count, offset, kind);
}

SW_RT
cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst,
                                       const T &symbol, size_t count,
                                       size_t offset, enum cudaMemcpyKind kind)
{
    return ::cudaGraphMemcpyNodeSetParamsFromSymbol(
        node, dst, sw_symbol(symbol), count, offset, kind);
}

/* ---- kernels ---- */
SW_RT
cudaLaunchKernel(T *func, dim3 grid, dim3 block, void **args,
                 size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchKernel((const void *)func, grid, block, args,
                              shared_bytes, stream);
}

SW_RT
cudaLaunchCooperativeKernel(T *func, dim3 grid, dim3 block, void **args,
                            size_t shared_bytes = 0, cudaStream_t stream = 0)
{
    return ::cudaLaunchCooperativeKernel((const void *)func, grid, block, args,
                                         shared_bytes, stream);
}

#if __cplusplus >= 201103L
template <class... Expected, class... Actual>
static __inline__ __host__ cudaError_t
cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                   void (*kernel)(Expected...), Actual &&...args)
{
    return [&](Expected... values) {
        void *pointers[] = {(void *)&values..., nullptr};

        return ::cudaLaunchKernelExC(config, (const void *)kernel, pointers);
    }(static_cast<Actual &&>(args)...);
}
#endif

SW_RT
cudaFuncSetCacheConfig(T *func, enum cudaFuncCache config)
{
    return ::cudaFuncSetCacheConfig((const void *)func, config);
}

SW_RT
cudaFuncSetSharedMemConfig(T *func, enum cudaSharedMemConfig config)
{
    return ::cudaFuncSetSharedMemConfig((const void *)func, config);
}

SW_RT
cudaFuncGetAttributes(struct cudaFuncAttributes *attr, T *entry)
{
    return ::cudaFuncGetAttributes(attr, (const void *)entry);
}

SW_RT
cudaFuncSetAttribute(T *func, enum cudaFuncAttribute attr, int value)
{
    return ::cudaFuncSetAttribute((const void *)func, attr, value);
}

SW_RT
cudaFuncGetName(const char **name, T *func)
{
    return ::cudaFuncGetName(name, (const void *)func);
}

SW_RT
cudaGetFuncBySymbol(cudaFunction_t *function, T *func)
{
    return ::cudaGetFuncBySymbol(function, (const void *)func);
}

SW_RT
cudaGetKernel(cudaKernel_t *kernel, T *func)
{
    return ::cudaGetKernel(kernel, (const void *)func);
}

SW_RT
cudaLaunch(T *func)
{
    return ::cudaLaunch((const void *)func);
}

SW_RT
cudaSetupArgument(T arg, size_t offset)
{
    return ::cudaSetupArgument((const void *)&arg, sizeof(T), offset);
}

/* ---- occupancy ---- */
SW_RT
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T func,
                                              int block_size,
                                              size_t shared_bytes)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks, (const void *)func, block_size, shared_bytes);
}

SW_RT
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T func,
                                                       int block_size,
                                                       size_t shared_bytes,
                                                       unsigned int flags)
{
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)func, block_size, shared_bytes, flags);
}

SW_RT
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *shared_bytes, T func,
                                          int blocks, int block_size)
{
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(
        shared_bytes, (const void *)func, blocks, block_size);
}

SW_RT
cudaOccupancyMaxPotentialClusterSize(int *size, T *func,
                                     const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxPotentialClusterSize(size, (const void *)func,
                                                  config);
}

SW_RT
cudaOccupancyMaxActiveClusters(int *clusters, T *func,
                               const cudaLaunchConfig_t *config)
{
    return ::cudaOccupancyMaxActiveClusters(clusters, (const void *)func,
                                            config);
}

/* Tries block sizes from the largest down by warps and keeps the first with
 * the most resident threads. */
template <class Size, class T>
static __inline__ __host__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *min_grid,
                                                        int *block, T func,
                                                        Size shared_bytes_of,
                                                        int limit = 0,
                                                        unsigned int flags = 0)
{
    struct cudaFuncAttributes attr;
    int device, sms, max_block, max_threads, warp;
    int best_threads = 0, best_block = 0, best_blocks = 0;
    cudaError_t status = cudaErrorInvalidValue;

    if (!min_grid || !block || !func)
        return cudaErrorInvalidValue;
    if ((status = ::cudaGetDevice(&device)) != cudaSuccess ||
        (status = ::cudaDeviceGetAttribute(
             &max_threads, cudaDevAttrMaxThreadsPerMultiProcessor, device)) !=
            cudaSuccess ||
        (status =
             ::cudaDeviceGetAttribute(&max_block, cudaDevAttrMaxThreadsPerBlock,
                                      device)) != cudaSuccess ||
        (status = ::cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount,
                                           device)) != cudaSuccess ||
        (status = ::cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize,
                                           device)) != cudaSuccess ||
        (status = ::cudaFuncGetAttributes(&attr, (const void *)func)) !=
            cudaSuccess)
        return status;

    if (attr.maxThreadsPerBlock < max_block)
        max_block = attr.maxThreadsPerBlock;
    if (limit > 0 && limit < max_block)
        max_block = limit;
    for (int size = (max_block + warp - 1) / warp * warp; size > 0;
         size -= warp) {
        int threads = size < max_block ? size : max_block;
        int blocks;

        status = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)func, threads, shared_bytes_of(threads),
            flags);
        if (status != cudaSuccess)
            return status;
        if (threads * blocks > best_threads) {
            best_threads = threads * blocks;
            best_block = threads;
            best_blocks = blocks;
        }
        if (best_threads >= max_threads)
            break;
    }
    *min_grid = best_blocks * sms;
    *block = best_block;
    return cudaSuccess;
}

template <class Size, class T>
static __inline__ __host__ cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *min_grid, int *block,
                                               T func, Size shared_bytes_of,
                                               int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        min_grid, block, func, shared_bytes_of, limit, cudaOccupancyDefault);
}

SW_RT
cudaOccupancyMaxPotentialBlockSizeWithFlags(int *min_grid, int *block, T func,
                                            size_t shared_bytes = 0,
                                            int limit = 0,
                                            unsigned int flags = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        min_grid, block, func, [=](int) { return shared_bytes; }, limit, flags);
}

SW_RT
cudaOccupancyMaxPotentialBlockSize(int *min_grid, int *block, T func,
                                   size_t shared_bytes = 0, int limit = 0)
{
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(
        min_grid, block, func, shared_bytes, limit, cudaOccupancyDefault);
}

/* ---- calls whose arguments changed between generations ---- */
#if CUDART_VERSION >= 12000 && CUDART_VERSION < 13000
static __inline__ __host__ cudaError_t
cudaMemPrefetchAsync(const void *ptr, size_t count,
                     struct cudaMemLocation location, unsigned int flags,
                     cudaStream_t stream = 0)
{
    return ::cudaMemPrefetchAsync_v2(ptr, count, location, flags, stream);
}

static __inline__ __host__ cudaError_t
cudaMemAdvise(const void *ptr, size_t count, enum cudaMemoryAdvise advice,
              struct cudaMemLocation location)
{
    return ::cudaMemAdvise_v2(ptr, count, advice, location);
}
#endif

#if CUDART_VERSION >= 12000
static __inline__ __host__ cudaError_t
cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                     cudaGraphNode_t *error_node, char *log, size_t log_bytes)
{
    (void)error_node;
    if (log && log_bytes)
        log[0] = 0;
    return ::cudaGraphInstantiate(exec, graph, 0);
}

static __inline__ __host__ cudaError_t
cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                    cudaGraphNode_t *error_node,
                    enum cudaGraphExecUpdateResult *result)
{
    cudaGraphExecUpdateResultInfo info;
    cudaError_t status = ::cudaGraphExecUpdate(exec, graph, &info);

    if (error_node)
        *error_node = info.errorNode;
    if (result)
        *result = info.result;
    return status;
}
#endif

/* ---- texture and surface references ---- */
#define SW_RT_TEX                                                              \
    template <class T, int dim, enum cudaTextureReadMode mode>                 \
    static __inline__ __host__ cudaError_t

SW_RT_TEX
cudaBindTexture(size_t *offset, const struct texture<T, dim, mode> &tex,
                const void *ptr, const struct cudaChannelFormatDesc &desc,
                size_t size = ~0u)
{
    return ::cudaBindTexture(offset, &tex, ptr, &desc, size);
}

SW_RT_TEX
cudaBindTexture(size_t *offset, const struct texture<T, dim, mode> &tex,
                const void *ptr, size_t size = ~0u)
{
    return ::cudaBindTexture(offset, &tex, ptr, &tex.channelDesc, size);
}

SW_RT_TEX
cudaBindTexture2D(size_t *offset, const struct texture<T, dim, mode> &tex,
                  const void *ptr, const struct cudaChannelFormatDesc &desc,
                  size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &tex, ptr, &desc, width, height, pitch);
}

SW_RT_TEX
cudaBindTexture2D(size_t *offset, const struct texture<T, dim, mode> &tex,
                  const void *ptr, size_t width, size_t height, size_t pitch)
{
    return ::cudaBindTexture2D(offset, &tex, ptr, &tex.channelDesc, width,
                               height, pitch);
}

SW_RT_TEX
cudaBindTextureToArray(const struct texture<T, dim, mode> &tex,
                       cudaArray_const_t array,
                       const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToArray(&tex, array, &desc);
}

SW_RT_TEX
cudaBindTextureToArray(const struct texture<T, dim, mode> &tex,
                       cudaArray_const_t array)
{
    struct cudaChannelFormatDesc desc;
    cudaError_t status = ::cudaGetChannelDesc(&desc, array);

    return status != cudaSuccess ? status
                                 : ::cudaBindTextureToArray(&tex, array, &desc);
}

SW_RT_TEX
cudaBindTextureToMipmappedArray(const struct texture<T, dim, mode> &tex,
                                cudaMipmappedArray_const_t mipmaps,
                                const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindTextureToMipmappedArray(&tex, mipmaps, &desc);
}

SW_RT_TEX
cudaBindTextureToMipmappedArray(const struct texture<T, dim, mode> &tex,
                                cudaMipmappedArray_const_t mipmaps)
{
    struct cudaChannelFormatDesc desc;
    cudaArray_t level;
    cudaError_t status = ::cudaGetMipmappedArrayLevel(&level, mipmaps, 0);

    if (status == cudaSuccess)
        status = ::cudaGetChannelDesc(&desc, level);
    return status != cudaSuccess
               ? status
               : ::cudaBindTextureToMipmappedArray(&tex, mipmaps, &desc);
}

SW_RT_TEX
cudaUnbindTexture(const struct texture<T, dim, mode> &tex)
{
    return ::cudaUnbindTexture(&tex);
}

SW_RT_TEX
cudaGetTextureAlignmentOffset(size_t *offset,
                              const struct texture<T, dim, mode> &tex)
{
    return ::cudaGetTextureAlignmentOffset(offset, &tex);
}

template <class T, int dim>
static __inline__ __host__ cudaError_t
cudaBindSurfaceToArray(const struct surface<T, dim> &surf,
                       cudaArray_const_t array,
                       const struct cudaChannelFormatDesc &desc)
{
    return ::cudaBindSurfaceToArray(&surf, array, &desc);
}

template <class T, int dim>
static __inline__ __host__ cudaError_t
cudaBindSurfaceToArray(const struct surface<T, dim> &surf,
                       cudaArray_const_t array)
{
    struct cudaChannelFormatDesc desc;
    cudaError_t status = ::cudaGetChannelDesc(&desc, array);

    return status != cudaSuccess
               ? status
               : ::cudaBindSurfaceToArray(&surf, array, &desc);
}
#undef SW_RT_TEX
#undef SW_RT
#endif
