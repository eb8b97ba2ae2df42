/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_4.cu - stage 4: no bank conflicts. Each step adds the upper half of
 * what is left to the lower half: neighbouring threads use neighbouring banks.
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
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
