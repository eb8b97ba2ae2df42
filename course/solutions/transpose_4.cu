/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose_4.cu - stage 4: no partition camping. A GTX 280 spreads its memory
 * over 8 partitions in stretches of 256 bytes. Blocks that run at the same time
 * have neighbouring numbers and write below each other: for 2048 columns that
 * is always the same partition.
 */
#include "transpose.h"

__global__ void transpose(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][TILE + 1];
    int block = blockIdx.x + gridDim.x * blockIdx.y;
    int tile_y = block % gridDim.y;
    int tile_x = (block / gridDim.y + tile_y) % gridDim.x;
    int x = tile_x * TILE + threadIdx.x;
    int y = tile_y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = tile_y * TILE + threadIdx.x;
    y = tile_x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = tile[threadIdx.x][threadIdx.y + j];
}
