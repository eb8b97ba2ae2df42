/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT cudaErrorAssert
// expect: EXACT again cudaErrorAssert
// expect: ERROR assertion_fails.cu:14: .*: block: \[1,0,0\], thread: \[3,0,0\] Assertion `a\[i\] != 7` failed
/* A failed assertion in a kernel: the report of a real device, the real error
 * code, which stays; the host program goes on. */
#include <cassert>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void check(const int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    assert(a[i] != 7);
}

int main()
{
    int h[8] = {0, 1, 2, 3, 4, 5, 6, 7}, *d;
    if (cudaMalloc(&d, sizeof h) ||
        cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice))
        return 1;
    check<<<2, 4>>>(d);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("again %s\n", cudaGetErrorName(cudaFree(d)));
    return 0;
}
