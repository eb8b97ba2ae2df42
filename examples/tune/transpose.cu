/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose.cu - a transpose whose tile, rows of threads and padding are left
 * open: `softwarp tune transpose.json` finds what is best on each device.
 */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TILE
#define TILE 32
#define ROWS 8
#define PAD 1
#endif

__global__ void transpose(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][TILE + PAD];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv)
{
    const int width = argc > 1 ? atoi(argv[1]) : 1024;
    const size_t n = (size_t)width * width, bytes = n * sizeof(float);
    float *a = (float *)malloc(bytes), *in, *out;
    size_t wrong = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = (float)(i % 16777213);
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    cudaMemcpy(in, a, bytes, cudaMemcpyHostToDevice);
    transpose<<<dim3(width / TILE, width / TILE), dim3(TILE, ROWS)>>>(out, in,
                                                                      width);
    cudaMemcpy(a, out, bytes, cudaMemcpyDeviceToHost);
    for (size_t i = 0; i < n; i++)
        wrong += a[i % width * width + i / width] != (float)(i % 16777213);
    printf("transpose: %s\n", wrong ? "WRONG" : "verified");
    cudaFree(in);
    cudaFree(out);
    free(a);
    return wrong != 0;
}
