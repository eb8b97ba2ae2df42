/* SPDX-License-Identifier: Apache-2.0 */
/*
 * increment.cu - the first program: add a number to every element of an array.
 *
 * A kernel is a function that many threads execute at once, each on an element
 * of its own. Threads come in blocks, blocks in a grid; a thread finds out
 * which one it is from blockIdx, blockDim and threadIdx.
 *
 *     softwarp cc increment.cu -o increment && softwarp run ./increment
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

__global__ void increment(int *a, int b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    /* The grid is rounded up to whole blocks: the last threads may have no
     * element. Without this line they would write behind the array. */
    if (i < n)
        a[i] += b;
}

int main(int argc, char **argv)
{
    const int n = example_is_quick(argc, argv) ? 1000 : 4 * 1000 * 1000;
    const int b = 26;
    const size_t bytes = n * sizeof(int);
    std::vector<int> a(n), want(n);
    for (int i = 0; i < n; i++) {
        a[i] = i;
        want[i] = i + b;
    }

    /* The device has memory of its own: allocate there, copy to it... */
    int *d_a;
    CUDA(cudaMalloc(&d_a, bytes));
    CUDA(cudaMemcpy(d_a, a.data(), bytes, cudaMemcpyHostToDevice));

    /* ...start enough blocks of 256 threads to have one thread an element... */
    const int threads = 256;
    const int blocks = (n + threads - 1) / threads;
    increment<<<blocks, threads>>>(d_a, b, n);
    /* A launch returns at once; what is wrong with it is asked for. */
    CUDA(cudaGetLastError());

    /* ...and copy the result back, which waits for the kernel. */
    CUDA(cudaMemcpy(a.data(), d_a, bytes, cudaMemcpyDeviceToHost));
    CUDA(cudaFree(d_a));

    verify("increment", a.data(), want.data(), n);
    return example_wrong != 0;
}
