/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_3.cu - stage 3: a tree in shared memory. The threads of a block add
 * up their own sums among themselves, so two launches are enough.
 */
#define TWO_PASSES
#include "reduction.h"

__global__ void reduce(const int *in, int *out, int n)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x, sum = 0;
    for (int i = blockIdx.x * blockDim.x + t; i < n;
         i += gridDim.x * blockDim.x)
        sum += in[i];
    part[t] = sum;
    __syncthreads();
    for (int s = 1; s < THREADS; s *= 2) {
        int i = 2 * s * t;
        if (i < THREADS)
            part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
