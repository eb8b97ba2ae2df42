/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coalescing.cu - what an offset and a stride cost: copies of 131,072 floats,
 * 17 launches with offsets of 0 to 16, then 16 with strides of 1 to 16.
 */
#include <cuda_runtime.h>

#include "course.h"

enum { N = 1 << 17, BLOCK = 256, MOST = 16 };

__global__ void offset_copy(float *out, const float *in, int offset)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i];
}

__global__ void stride_copy(float *out, const float *in, int stride)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}

int main()
{
    float *in, *out;
    const size_t bytes = ((size_t)N * MOST + MOST) * sizeof(float);
    CUDA(cudaMalloc(&in, bytes));
    CUDA(cudaMalloc(&out, bytes));
    CUDA(cudaMemset(in, 0, bytes));
    for (int i = 0; i <= MOST; i++)
        offset_copy<<<N / BLOCK, BLOCK>>>(out, in, i);
    for (int i = 1; i <= MOST; i++)
        stride_copy<<<N / BLOCK, BLOCK>>>(out, in, i);
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
    return 0;
}
