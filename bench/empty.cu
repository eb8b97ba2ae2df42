/* SPDX-License-Identifier: Apache-2.0 */
/* empty.cu - an empty kernel: what starting and ending costs. */
#include <cuda_runtime.h>

__global__ void empty()
{
}

int main()
{
    empty<<<1, 32>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
