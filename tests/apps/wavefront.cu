/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// expect: EXACT the same
/* The best alignment of two strings, diagonal by diagonal through a tile in
 * shared memory. Threads that a diagonal has no place for have addresses below
 * the tile's start: nothing is read there. */
#include <algorithm>
#include <vector>

#include "check.h"

enum { TILE = 16, SIDE = 4 * TILE, ROW = SIDE + 1, GAP = 3 };

__host__ __device__ int
best(int match, int left, int up)
{
    int gap = (left > up ? left : up) - GAP;
    return match > gap ? match : gap;
}

/* More shared memory, which is the next kernel's then. */
__global__ void
clear(int *score)
{
    __shared__ int zero[2048];
    zero[threadIdx.x] = 0;
    __syncthreads();
    score[threadIdx.x + 1] = zero[255 - threadIdx.x];
}

/* The tiles of one diagonal, a block each. */
__global__ void
align(const int *worth, int *score, int diagonal)
{
    __shared__ int s[TILE + 1][TILE + 1];
    __shared__ int w[TILE][TILE];
    int first_x = max(0, diagonal - (SIDE / TILE - 1));
    int tile_x = first_x + (int)blockIdx.x, tile_y = diagonal - tile_x;
    int at = tile_y * TILE * ROW + tile_x * TILE, t = (int)threadIdx.x;
    for (int y = 0; y < TILE; y++)
        w[y][t] = worth[at + (y + 1) * ROW + t + 1];
    if (t == 0)
        s[0][0] = score[at];
    s[t + 1][0] = score[at + (t + 1) * ROW];
    s[0][t + 1] = score[at + t + 1];
    __syncthreads();
    for (int d = 0; d < TILE; d++) {
        if (t <= d) {
            int x = t + 1, y = d - t + 1;
            s[y][x] = best(s[y - 1][x - 1] + w[y - 1][x - 1], s[y][x - 1],
                           s[y - 1][x]);
        }
        __syncthreads();
    }
    for (int d = TILE - 2; d >= 0; d--) {
        if (t <= d) {
            int x = t + TILE - d, y = TILE - t;
            s[y][x] = best(s[y - 1][x - 1] + w[y - 1][x - 1], s[y][x - 1],
                           s[y - 1][x]);
        }
        __syncthreads();
    }
    for (int y = 0; y < TILE; y++)
        score[at + (y + 1) * ROW + t + 1] = s[y + 1][t + 1];
}

int
main()
{
    std::vector<int> worth(ROW * ROW), want(ROW * ROW);
    for (int i = 0; i < ROW * ROW; i++)
        worth[i] = i * 37 % 11 - 5;
    for (int i = 1; i < ROW; i++)
        want[i] = want[i * ROW] = -GAP * i;
    int *d_worth, *d_score;
    size_t bytes = worth.size() * sizeof(int);
    CK(cudaMalloc(&d_worth, bytes));
    CK(cudaMalloc(&d_score, bytes));
    CK(cudaMemcpy(d_worth, worth.data(), bytes, cudaMemcpyHostToDevice));
    clear<<<1, 256>>>(d_score);
    CK(cudaMemcpy(d_score, want.data(), bytes, cudaMemcpyHostToDevice));
    for (int d = 0; d < 2 * SIDE / TILE - 1; d++)
        align<<<std::min(d + 1, 2 * SIDE / TILE - 1 - d), TILE>>>(d_worth,
                                                                  d_score, d);
    for (int y = 1; y < ROW; y++)
        for (int x = 1; x < ROW; x++)
            want[y * ROW + x] =
                best(want[(y - 1) * ROW + x - 1] + worth[y * ROW + x],
                     want[y * ROW + x - 1], want[(y - 1) * ROW + x]);
    std::vector<int> got(ROW * ROW);
    CK(cudaMemcpy(got.data(), d_score, bytes, cudaMemcpyDeviceToHost));
    MUST(got == want);
    puts("the same");
}
