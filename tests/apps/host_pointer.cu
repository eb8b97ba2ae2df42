/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT cudaErrorIllegalAddress
// expect: EXACT the host's value is 42
/* A plain host pointer is no device pointer, though here both are addresses of
 * one process: a real device would fault, so do we. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void store(int *p)
{
    *p = 1;
}

int main()
{
    static int value = 42;
    store<<<1, 1>>>(&value);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("the host's value is %d\n", value);
    return 0;
}
// check: host-pointer (what it is about)
