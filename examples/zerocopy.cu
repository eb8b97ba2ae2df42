/* SPDX-License-Identifier: Apache-2.0 */
/*
 * zerocopy.cu - memory that both sides use without a copy in the program:
 * mapped host memory, read and written over the bus, and managed memory, which
 * moves to whoever touches it.
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

__global__ void scale(float *out, const float *in, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = factor * in[i];
}

__managed__ float total;

__global__ void add_up(const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&total, in[i]); /* small whole numbers: any order is exact */
}

int main(int argc, char **argv)
{
    const int n = example_is_quick(argc, argv) ? 1000 : 300000;
    const int threads = 256, blocks = (n + threads - 1) / threads;
    std::vector<float> want(n);
    float sum = 0;
    for (int i = 0; i < n; i++) {
        want[i] = 2.0f * (float)(i % 5);
        sum += want[i];
    }

    /* A device says whether it can map host memory at all. */
    int can_map = 0;
    CUDA(cudaDeviceGetAttribute(&can_map, cudaDevAttrCanMapHostMemory, 0));
    if (can_map) {
        float *in, *out, *d_in, *d_out;
        CUDA(cudaHostAlloc(&in, n * sizeof(float), cudaHostAllocMapped));
        CUDA(cudaHostAlloc(&out, n * sizeof(float), cudaHostAllocMapped));
        for (int i = 0; i < n; i++)
            in[i] = (float)(i % 5);
        CUDA(cudaHostGetDevicePointer(&d_in, in, 0));
        CUDA(cudaHostGetDevicePointer(&d_out, out, 0));
        scale<<<blocks, threads>>>(d_out, d_in, 2.0f, n);
        CUDA(cudaDeviceSynchronize()); /* or the host reads too early */
        verify("mapped host memory", out, want.data(), n);
        CUDA(cudaFreeHost(in));
        CUDA(cudaFreeHost(out));
    } else {
        printf("this device maps no host memory\n");
    }

    int can_manage = 0;
    CUDA(cudaDeviceGetAttribute(&can_manage, cudaDevAttrManagedMemory, 0));
    if (can_manage) {
        float *a;
        CUDA(cudaMallocManaged(&a, n * sizeof(float)));
        for (int i = 0; i < n; i++)
            a[i] = (float)(i % 5);
        total = 0;
        scale<<<blocks, threads>>>(a, a, 2.0f, n);
        add_up<<<blocks, threads>>>(a, n);
        CUDA(cudaDeviceSynchronize());
        verify("managed memory", a, want.data(), n);
        float got = total;
        verify("a managed variable", &got, &sum, 1);
        CUDA(cudaFree(a));
    }
    return example_wrong != 0;
}
