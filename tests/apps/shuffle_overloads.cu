/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 496 1 5 4 8 7 7.5
/* Shuffles of every type with lanes that are int or unsigned, beside the
 * overloads of half and bfloat16. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void
shuffle(float *out)
{
    unsigned all = 0xffffffffu, lane = threadIdx.x;
    float sum = (float)lane;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(all, sum, step);
    int lanes[7] = {0, 1, 5, 4, 7, 8, 7};
    float v[7] = {
        sum,
        (float)__shfl_sync(all, lane, lanes[1]),
        (float)__shfl_sync(all, (int)lane, (unsigned)lanes[2]),
        (float)__shfl_up_sync(all, (long long)lane, lanes[1]),
        (float)__shfl_xor_sync(all, (double)lane, lanes[4] + 6),
        __half2float(__shfl_sync(all, __half((float)lane), lanes[6])),
        (float)__shfl_xor_sync(all, __nv_bfloat16(lane + 0.5f), 2),
    };
    if (lane == 5)
        for (int i = 0; i < 7; i++)
            out[i] = v[i];
}

int
main()
{
    float *out;
    cudaMallocManaged(&out, 7 * sizeof(float));
    shuffle<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 7; i++)
        printf("%g%c", out[i], i == 6 ? '\n' : ' ');
    return 0;
}
