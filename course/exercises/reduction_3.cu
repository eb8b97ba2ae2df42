/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction_3.cu - stage 3: a tree in shared memory. The threads of a block add
 * up their own sums among themselves, so two launches are enough. In step 1
 * thread t adds element 2t + 1 to element 2t, in step 2 element 4t + 2 to 4t,
 * and so on; after seven steps element 0 is the sum.
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
    /* GAP 1: nobody may read part[] before all have written theirs */
    for (int s = 1; s < THREADS; s *= 2) {
        int i = 2 * s * t;
        if (i < THREADS)
            part[i] += 0; /* GAP 2: which element is added? */
        /* GAP 3: nobody may begin the next step before all have done this */
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
