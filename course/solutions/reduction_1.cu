/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_1.cu - adding up an array, stage 1: each thread of the grid adds up
 * a run of neighbouring elements and leaves its sum in out[thread].
 */
#include "reduction.h"

__global__ void reduce(const int *in, int *out, int n)
{
    int threads = gridDim.x * blockDim.x;      /* of the whole grid */
    int run = (n + threads - 1) / threads;     /* how many a thread adds */
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int first = t * run;
    int sum = 0;
    for (int i = first; i < first + run && i < n; i++)
        sum += in[i];
    out[t] = sum;
}
