/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_4.cu - stage 4: no bank conflicts. As it stands, threads of a warp
 * use words that are 2, 4, 8 words apart, and meet in the same banks. Let each
 * step add the upper half of what is left to the lower half.
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
    for (int s = 1; s < THREADS; s *= 2) { /* GAP 1: which s, in which order? */
        int i = 2 * s * t;                 /* GAP 2: which element? */
        if (i < THREADS)                   /* GAP 3: which threads? */
            part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
