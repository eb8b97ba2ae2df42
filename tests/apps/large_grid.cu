/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// expect: EXACT 100 blocks: right
// expect: EXACT 2097152 blocks: right
// expect: EXACT 2097153 blocks: right
// expect: EXACT 5 blocks: right
// expect: EXACT wraps: right
/* In grids of up to 2^21 blocks the compiler knows that the index of a thread
 * has 31 bits; one kernel in grids of both kinds, and one whose index wraps. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void
add_up(unsigned long long *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        atomicAdd(sum, (unsigned long long)i * 4);
}

__global__ void
spread(int *last)
{
    int i = (int)(blockIdx.x * 1024u * 1024u + threadIdx.x);
    if (blockIdx.x == gridDim.x - 1)
        last[threadIdx.x] = (int)((long long)i >> 8);
}

static void
check_sum(unsigned blocks)
{
    unsigned long long *sum, got, want = 0;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    add_up<<<blocks, 32>>>(sum);
    cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
    cudaFree(sum);
    for (unsigned b = 0; b < blocks; b++)
        want += (unsigned long long)(b * 32) * 4;
    printf("%u blocks: %s\n", blocks, got == want ? "right" : "wrong");
}

int
main()
{
    static const unsigned grids[] = {100, 2097152, 2097153, 5};
    int *last, got[32], wrong = 0;
    for (unsigned blocks : grids)
        check_sum(blocks);
    cudaMalloc(&last, sizeof got);
    for (unsigned blocks : {10u, 2049u, 5000u}) {
        spread<<<blocks, 32>>>(last);
        cudaMemcpy(got, last, sizeof got, cudaMemcpyDeviceToHost);
        for (unsigned t = 0; t < 32; t++)
            wrong += got[t] !=
                     (int)((long long)(int)((blocks - 1) * 1048576u + t) >> 8);
    }
    printf("wraps: %s\n", wrong ? "wrong" : "right");
    return cudaGetLastError() != cudaSuccess;
}
