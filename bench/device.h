/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device.h - what the CUDA programs of the suite share: checked calls, and
 * arrays on the device that end with their scope. C++.
 */
#ifndef BENCH_DEVICE_H
#define BENCH_DEVICE_H
#include <cuda_runtime.h>

#include "bench.h"

#define CUDA(call) device_check((call), #call, __FILE__, __LINE__)

static inline void
device_check(cudaError_t e, const char *call, const char *file, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "%s:%d: %s: %s\n", file, line, call,
                cudaGetErrorString(e));
        exit(1);
    }
}

/* Waits for what was launched; fails if the launch did. */
static inline void
device_wait(void)
{
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

/* n elements on the device; without contents, all bits are set, so that what a
 * kernel forgets to write is not what an earlier one left. */
template <typename T> struct device_array {
    T *at;
    size_t n;

    explicit device_array(size_t count) : n(count)
    {
        CUDA(cudaMalloc((void **)&at, n * sizeof(T)));
        CUDA(cudaMemset(at, 0xff, n * sizeof(T)));
    }
    device_array(const T *host, size_t count) : n(count)
    {
        CUDA(cudaMalloc((void **)&at, n * sizeof(T)));
        set(host);
    }
    device_array(const device_array &) = delete;
    ~device_array()
    {
        CUDA(cudaFree(at));
    }
    operator T *() const
    {
        return at;
    }
    void set(const T *host)
    {
        CUDA(cudaMemcpy(at, host, n * sizeof(T), cudaMemcpyHostToDevice));
    }
    void zero()
    {
        CUDA(cudaMemset(at, 0, n * sizeof(T)));
    }
    /* A copy in the host's memory, until the end of the case. */
    T *get() const
    {
        T *host = (T *)bench_alloc(n, sizeof(T));
        CUDA(cudaMemcpy(host, at, n * sizeof(T), cudaMemcpyDeviceToHost));
        return host;
    }
};

/* An image as a texture in pixels, whose edge goes on outside. */
template <typename T> struct device_texture {
    cudaArray_t array;
    cudaTextureObject_t object;

    device_texture(const T *image, size_t width, size_t height,
                   cudaTextureFilterMode filter, cudaTextureReadMode read)
    {
        cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
        CUDA(cudaMallocArray(&array, &format, width, height));
        CUDA(cudaMemcpy2DToArray(array, 0, 0, image, width * sizeof(T),
                                 width * sizeof(T), height,
                                 cudaMemcpyHostToDevice));
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc texture = {};
        texture.addressMode[0] = cudaAddressModeClamp;
        texture.addressMode[1] = cudaAddressModeClamp;
        texture.filterMode = filter;
        texture.readMode = read;
        CUDA(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    }
    device_texture(const device_texture &) = delete;
    ~device_texture()
    {
        CUDA(cudaDestroyTextureObject(object));
        CUDA(cudaFreeArray(array));
    }
};
#endif
