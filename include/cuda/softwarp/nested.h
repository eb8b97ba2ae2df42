/* SPDX-License-Identifier: Apache-2.0 */
/*
 * nested.h - the device runtime. Device code calls what is declared here, host
 * code the functions of the same names. Where kernels launch kernels
 * (`softwarp cc` says so: __SOFTWARP_NESTED__) launches are functions, too.
 */
#ifndef SOFTWARP_NESTED_H
#define SOFTWARP_NESTED_H
#if defined(__CUDACC__) && defined(__CUDA__)

#define cudaStreamTailLaunch    ((cudaStream_t)0x3)
#define cudaStreamFireAndForget ((cudaStream_t)0x4)
#define cudaStreamGraphTailLaunch      ((cudaStream_t)0x0100000000000000)
#define cudaStreamGraphFireAndForget   ((cudaStream_t)0x0200000000000000)
#define cudaStreamGraphFireAndForgetAsSibling ((cudaStream_t)0x0300000000000000)

extern "C" {
/* What CUB called by this name until version 2; withdrawn since. */
__device__ cudaError_t __cudaDeviceSynchronizeDeprecationAvoidance(void);
__device__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device);
__device__ cudaError_t cudaDeviceGetLimit(size_t *pValue, enum cudaLimit limit);
__device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
__device__ cudaError_t cudaEventDestroy(cudaEvent_t event);
__device__ cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
__device__ cudaError_t cudaFree(void *devPtr);
__device__ cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func);
__device__ cudaError_t cudaGetDevice(int *device);
__device__ cudaError_t cudaGetDeviceCount(int *count);
__device__ cudaError_t cudaGetLastError(void);
__device__ void *cudaGetParameterBuffer(size_t alignment, size_t size);
__device__ cudaError_t cudaLaunchDevice(void *func, void *buffer, dim3 grid, dim3 block, unsigned int shared, cudaStream_t stream);
__device__ cudaError_t cudaMalloc(void **devPtr, size_t size);
__device__ cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind, cudaStream_t stream = 0);
__device__ cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream = 0);
__device__ cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream = 0);
__device__ cudaError_t cudaPeekAtLastError(void);
__device__ cudaError_t cudaRuntimeGetVersion(int *runtimeVersion);
__device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *pStream, unsigned int flags);
__device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
__device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags = 0);
#ifdef __SOFTWARP_NESTED__
/* kernel<<<grid, block, shared, stream>>>: src/cc/nested_ir.c makes the two below of
 * it and of the call before it. */
__device__ void softwarp_launch(dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);
#endif
}

template <typename T>
static inline __device__ cudaError_t
cudaMalloc(T **devPtr, size_t size)
{
    return cudaMalloc((void **)(void *)devPtr, size);
}

#if defined(__CUDA_ARCH__) && defined(__SOFTWARP_NESTED__)
/* For arguments when there is no buffer: an error was noted. */
static __device__ char softwarp_no_buffer[32768];

extern "C" inline __device__ __attribute__((used)) void *
softwarp_begin_launch(size_t bytes)
{
    void *buffer = cudaGetParameterBuffer(64, bytes);
    return buffer ? buffer : (void *)softwarp_no_buffer;
}

extern "C" inline __device__ __attribute__((used)) void
softwarp_end_launch(void *kernel, void *buffer, dim3 grid, dim3 block, size_t shared, cudaStream_t stream)
{
    if (buffer != (void *)softwarp_no_buffer)
        cudaLaunchDevice(kernel, buffer, grid, block, (unsigned int)shared, stream);
}
#endif
#endif
#endif
