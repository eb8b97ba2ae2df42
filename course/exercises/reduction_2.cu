/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_2.cu - stage 2: coalesced. At any moment the 32 threads of a warp
 * should read 32 neighbouring elements. As it stands, each thread still adds up
 * a run of its own.
 */
#include "reduction.h"

__global__ void reduce(const int *in, int *out, int n)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int run = (n + threads - 1) / threads;
    int first = t * run; /* GAP 1: neighbours begin at neighbours */
    int step = 1;        /* GAP 2: how far is it to a thread's next element? */
    int end = first + run < n ? first + run : n; /* GAP 3: where to stop */
    int sum = 0;
    for (int i = first; i < end; i += step)
        sum += in[i];
    out[t] = sum;
}
