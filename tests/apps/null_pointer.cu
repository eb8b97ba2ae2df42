/* SPDX-License-Identifier: Apache-2.0 */
// cc: -lineinfo
// expect: EXACT cudaErrorIllegalAddress
// expect: EXACT sticky cudaErrorIllegalAddress
// expect: EXACT the host lives
// expect: ERROR wild
// expect: ERROR null_pointer.cu:16
// expect: ERROR block: \(1,0,0\), thread: \(5,0,0\)
/* A store through a null pointer: reported once, with its place. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void wild(int *p)
{
    if (blockIdx.x == 1 && threadIdx.x == 5)
        *p = 1;
}

int main()
{
    wild<<<2, 32>>>(nullptr);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("sticky %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("the host lives\n");
    return 0;
}
// check: oob-global (what it is about)
