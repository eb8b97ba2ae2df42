// SPDX-License-Identifier: Apache-2.0
// Before 7.0 nobody looks whether a lane is among the members it names.
// cc: -arch=sm_60
// device: GeForce GTX 1080
// expect: EXACT no error: 64
#include <cstdio>

__global__ void third_lane(unsigned *out)
{
    out[threadIdx.x] = __shfl_sync(0x55555555, threadIdx.x, 2);
}

int main()
{
    unsigned *out, lanes[32], sum = 0;
    cudaMalloc(&out, sizeof lanes);
    third_lane<<<1, 32>>>(out);
    cudaError_t error = cudaMemcpy(lanes, out, sizeof lanes,
                                   cudaMemcpyDeviceToHost);
    for (unsigned lane : lanes)
        sum += lane;
    printf("%s: %u\n", cudaGetErrorString(error), sum);
    return 0;
}
// check: sync-mask (masks that old devices let pass)
