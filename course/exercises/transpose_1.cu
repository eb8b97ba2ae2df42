/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose_1.cu - a transpose, stage 1: the right answer. Thread (x, y) of the
 * grid reads elements (x, y) to (x, y + 24) of its tile and writes them to where
 * they belong. Reads run along rows; writes have to run down columns.
 */
#include "transpose.h"

__global__ void transpose(float *out, const float *in, int width)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = in[(y + j) * width + x]; /* GAP 1 */
}
