/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 496 1 5 4 8 7 7.5 9 8 3.5 4
/* Shuffles of every type with lanes that are int or unsigned, beside the
 * overloads of half and bfloat16, and those of the program: also of the old
 * forms, whose lane need not be of the type that they have. */
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float2
__shfl_down(const float2 v, const unsigned lane, const unsigned width = 32)
{
    return make_float2(__shfl_down(v.x, lane, width),
                       __shfl_down(v.y, lane, width));
}

__global__ void
shuffle(float *out)
{
    unsigned all = 0xffffffffu, lane = threadIdx.x;
    float sum = (float)lane;
    for (int step = 16; step > 0; step /= 2)
        sum += __shfl_xor_sync(all, sum, step);
    int lanes[7] = {0, 1, 5, 4, 7, 8, 7};
    float v[11] = {
        sum,
        (float)__shfl_sync(all, lane, lanes[1]),
        (float)__shfl_sync(all, (int)lane, (unsigned)lanes[2]),
        (float)__shfl_up_sync(all, (long long)lane, lanes[1]),
        (float)__shfl_xor_sync(all, (double)lane, lanes[4] + 6),
        __half2float(__shfl_sync(all, __half((float)lane), lanes[6])),
        (float)__shfl_xor_sync(all, __nv_bfloat16(lane + 0.5f), 2),
        __shfl_down(make_float2(lane, lane + 1.0f), 4).x,
        (float)__shfl_down((unsigned long)lane, 3),
        __half2float(__shfl_up(__half(lane + 0.5f), 2)),
        (float)__shfl((unsigned char)lane, 4),
    };
    if (lane == 5)
        for (int i = 0; i < 11; i++)
            out[i] = v[i];
}

int
main()
{
    float *out;
    cudaMallocManaged(&out, 11 * sizeof(float));
    shuffle<<<1, 32>>>(out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 11; i++)
        printf("%g%c", out[i], i == 10 ? '\n' : ' ');
    return 0;
}
