/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_60
// device: GeForce GTX 1080
// expect: EXACT sum 190, 0 wrong
/* Before 7.0 a barrier counts warps: one that only some lanes of a warp pass
 * does not stop the others, which wait for those where the warp meets again. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void some_pass(int *sum, int *wrong, int n)
{
    __shared__ int words[64];
    int t = threadIdx.x, v = 0;
    if (t < n) {
        words[t] = t;
        __syncthreads();
        v = words[n - 1 - t];
        if (v != n - 1 - t)
            atomicAdd(wrong, 1);
    }
    for (int d = 16; d > 0; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (t % 32 == 0)
        atomicAdd(sum, v);
}

int main()
{
    int *v;
    cudaMallocManaged(&v, 2 * sizeof *v);
    some_pass<<<1, 64>>>(v, v + 1, 20);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        return 1;
    }
    printf("sum %d, %d wrong\n", v[0], v[1]);
    cudaFree(v);
    return 0;
}
// check: sync-divergent (what old devices let pass)
