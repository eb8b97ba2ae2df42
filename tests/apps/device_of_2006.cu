/* SPDX-License-Identifier: Apache-2.0 */
// device: GeForce 8800 GTX
// expect: EXACT GeForce 8800 GTX, 1.0, 16 multiprocessors, 512 threads a block
// expect: EXACT 512 threads: cudaSuccess
// expect: MATCH ^1024 threads: cudaErrorInvalid(Value|Configuration)$
/* What a device could not do fails as it would there. */
#include <cstdio>
#include <cuda_runtime.h>

__global__ void nothing()
{
}

int main()
{
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0))
        return 1;
    printf("%s, %d.%d, %d multiprocessors, %d threads a block\n", p.name,
           p.major, p.minor, p.multiProcessorCount, p.maxThreadsPerBlock);
    nothing<<<1, 512>>>();
    printf("512 threads: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    nothing<<<1, 1024>>>();
    printf("1024 threads: %s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
