/* SPDX-License-Identifier: Apache-2.0 */
// expect: MATCH ^4096 threads: cudaErrorInvalid(Value|Configuration)$
// expect: EXACT then: cudaSuccess
// expect: MATCH ^no blocks: cudaErrorInvalid(Value|Configuration)$
// expect: EXACT 1 MB of shared memory: cudaErrorInvalidValue
// expect: EXACT sum 32
/* Launches that no device takes are refused by the call, and do no harm. (Which
 * error it is depends on the version of the runtime: 13 says InvalidValue.) */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void count(int *p)
{
    atomicAdd(p, 1);
}

int main()
{
    int *d, h = 0;
    if (cudaMalloc(&d, sizeof h) || cudaMemset(d, 0, sizeof h))
        return 1;
    count<<<1, 4096>>>(d);
    printf("4096 threads: %s\n", cudaGetErrorName(cudaGetLastError()));
    printf("then: %s\n", cudaGetErrorName(cudaGetLastError()));
    count<<<0, 32>>>(d);
    printf("no blocks: %s\n", cudaGetErrorName(cudaGetLastError()));
    count<<<1, 32, 1 << 20>>>(d);
    printf("1 MB of shared memory: %s\n", cudaGetErrorName(cudaGetLastError()));
    count<<<1, 32>>>(d);
    if (cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost))
        return 1;
    printf("sum %d\n", h);
    return 0;
}
