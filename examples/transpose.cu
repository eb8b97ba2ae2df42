/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transpose.cu - six ways over a matrix, each curing what slows its
 * predecessor on a real device.
 *
 * All work on tiles of 32 x 32 elements with blocks of 32 x 8 threads, so each
 * thread moves four elements. The two copies are not transposes: they show
 * what the memory gives at best. `softwarp prof` counts what differs: memory
 * transactions, bank conflicts, partitions.
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

enum { TILE = 32, ROWS = 8 };

/* 1. Neighbouring threads read and write neighbouring elements: every access
 * of a warp is one stretch of memory. */
__global__ void copy(float *out, const float *in, int width, int)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = in[(y + j) * width + x];
}

/* 2. The same by way of shared memory, which the block's threads have in
 * common. Each thread reads back what it wrote, but in the transposes below
 * others do, hence the barrier between writing and reading. */
__global__ void copy_shared(float *out, const float *in, int width, int)
{
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * width + x] = tile[threadIdx.y + j][threadIdx.x];
}

/* 3. Reads along rows, writes along columns: the 32 writes of a warp lie a
 * whole row apart, so each costs a transaction of its own. */
__global__ void transpose_naive(float *out, const float *in, int width,
                                int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[x * height + (y + j)] = in[(y + j) * width + x];
}

/* 4. Turns the tile inside shared memory; both global accesses run along rows.
 * But now a warp reads a column of the tile: 32 elements that are 32 words
 * apart, all in the same one of the memory's banks, so one after the other. */
__global__ void transpose_coalesced(float *out, const float *in, int width,
                                    int height)
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
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* 5. One unused column shifts every row by a bank: a column of the tile now
 * touches all banks once. */
__global__ void transpose_padded(float *out, const float *in, int width,
                                 int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

/* 6. The devices of 2006 to 2009 spread memory over partitions in stretches of
 * 256 bytes. Blocks that run at the same time write below each other, and for
 * many widths that is always the same partition. So blocks are renumbered:
 * successive ones go down a diagonal of the matrix of tiles. */
__global__ void transpose_diagonal(float *out, const float *in, int width,
                                   int height)
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
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv)
{
    typedef void (*kernel)(float *, const float *, int, int);
    static const struct {
        const char *name;
        kernel run;
        bool transposes;
    } steps[] = {
        {"copy", copy, false},
        {"copy through shared memory", copy_shared, false},
        {"transpose, naive", transpose_naive, true},
        {"transpose, coalesced", transpose_coalesced, true},
        {"transpose, no bank conflicts", transpose_padded, true},
        {"transpose, diagonal", transpose_diagonal, true},
    };
    const bool quick = example_is_quick(argc, argv);
    const int width = quick ? 256 : 2048, height = quick ? 128 : 1024;
    const size_t n = (size_t)width * height, bytes = n * sizeof(float);

    std::vector<float> in(n), turned(n), out(n);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float value = (float)(y * width + x);
            in[(size_t)y * width + x] = value;
            turned[(size_t)x * height + y] = value;
        }
    float *d_in, *d_out;
    CUDA(cudaMalloc(&d_in, bytes));
    CUDA(cudaMalloc(&d_out, bytes));
    CUDA(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    for (const auto &step : steps) {
        CUDA(cudaMemset(d_out, 0xff, bytes)); /* no old result counts */
        step.run<<<dim3(width / TILE, height / TILE), dim3(TILE, ROWS)>>>(
            d_out, d_in, width, height);
        CUDA(cudaGetLastError());
        CUDA(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
        verify(step.name, out.data(),
               step.transposes ? turned.data() : in.data(), n);
    }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return example_wrong != 0;
}
