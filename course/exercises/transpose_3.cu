/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose_3.cu - stage 3: no bank conflicts. A warp reads a column of the
 * tile; with rows of 32 words all of a column lie in one bank.
 */
#include "transpose.h"

__global__ void transpose(float *out, const float *in, int width)
{
    __shared__ float tile[TILE][TILE]; /* GAP 1: where do columns lie? */
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
