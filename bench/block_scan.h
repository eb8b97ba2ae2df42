/* SPDX-License-Identifier: Apache-2.0 */
/* block_scan.h - sums over the threads of a block, by shuffles. CUDA C++. */
#ifndef BENCH_BLOCK_SCAN_H
#define BENCH_BLOCK_SCAN_H

/* The sum of v over the threads before; *total: over all. All N threads call
 * it, N a multiple of 32 up to 1024; it begins and ends with a barrier. */
template <int N>
__device__ unsigned
block_scan(unsigned v, unsigned *total)
{
    __shared__ unsigned warps[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = v;
    for (unsigned s = 1; s < 32; s *= 2) {
        unsigned below = __shfl_up_sync(0xffffffffu, sum, s);
        if (lane >= s)
            sum += below;
    }
    __syncthreads();
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    unsigned before = 0;
    *total = 0;
    for (unsigned w = 0; w < N / 32; w++) {
        if (w < warp)
            before += warps[w];
        *total += warps[w];
    }
    __syncthreads();
    return before + sum - v;
}
#endif
