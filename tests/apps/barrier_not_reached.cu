/* SPDX-License-Identifier: Apache-2.0 */
// cc: -lineinfo
// expect: EXACT failed
// expect: EXACT the host lives
// expect: ERROR barrier
// expect: ERROR barrier_not_reached.cu:1[57]
/* Two warps wait at a barrier, two at another: the block can never go on, which
 * is found and reported, not waited for. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void stuck(int *p)
{
    if (threadIdx.x < 64)
        asm volatile("bar.sync 1, 128;" ::: "memory");
    else
        asm volatile("bar.sync 2, 128;" ::: "memory");
    p[threadIdx.x] = 1;
}

int main()
{
    int *d;
    if (cudaMalloc(&d, 128 * sizeof *d))
        return 1;
    stuck<<<1, 128>>>(d);
    printf("%s\n", cudaDeviceSynchronize() ? "failed" : "went on");
    printf("the host lives\n");
    return 0;
}
// check: sync-divergent (what it is about)
