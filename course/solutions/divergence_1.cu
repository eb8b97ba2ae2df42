/* SPDX-License-Identifier: Apache-2.0 */
/*
 * divergence_1.cu - elements with even numbers are doubled, the others get 1
 * more. Threads of a warp that part at a branch take turns: both ways cost their
 * time. If the first half of the block's threads takes the even elements, whole
 * warps go one way.
 */
#include "divergence.h"

__global__ void pairs(int *out, const int *in)
{
    int t = threadIdx.x, first = blockIdx.x * THREADS;
    bool is_even = t < THREADS / 2;
    int i = first + (is_even ? 2 * t : 2 * (t - THREADS / 2) + 1);
    volatile int *to = out + i; /* volatile: the branch stays a branch */
    if (is_even)
        *to = in[i] * 2;
    else
        *to = in[i] + 1;
}
