/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_2.cu - stage 2: coalesced. At any moment the 32 threads of a warp
 * read 32 neighbouring elements, so the device fetches them in a few pieces.
 */
#include "reduction.h"

__global__ void reduce(const int *in, int *out, int n)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = t;
    int step = threads;
    int sum = 0;
    for (int i = first; i < n; i += step)
        sum += in[i];
    out[t] = sum;
}
