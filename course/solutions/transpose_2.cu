/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose_2.cu - stage 2: coalesced. The block reads a tile along its rows
 * into shared memory, and writes it along the rows of the result: the turning
 * happens on the way out of shared memory.
 */
#include "transpose.h"

__global__ void transpose(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][TILE];
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
