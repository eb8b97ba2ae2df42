/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* transpose.cu - a matrix copied, and transposed in four ways: straight, and
 * through a tile in shared memory, without and with padding against conflicts
 * of banks, and with blocks taken along diagonals. */
#include "device.h"
#include "problems/transpose.h"

enum { TILE = TRANSPOSE_TILE, ROWS = TRANSPOSE_ROWS };

__global__ void tr_copy(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = in[(y + j) * n + x];
}

__global__ void tr_naive(float *out, const float *in, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

/* The tile in column bx and row by, by way of shared memory. */
template <int PAD>
__device__ void move_tile(float *out, const float *in, int n, int bx, int by)
{
    __shared__ float tile[TILE][TILE + PAD];
    int tx = threadIdx.x, ty = threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[ty + j][tx] = in[(by * TILE + ty + j) * n + bx * TILE + tx];
    __syncthreads();
    for (int j = 0; j < TILE; j += ROWS)
        out[(bx * TILE + ty + j) * n + by * TILE + tx] = tile[tx][ty + j];
}

__global__ void tr_coalesced(float *out, const float *in, int n)
{
    move_tile<0>(out, in, n, blockIdx.x, blockIdx.y);
}

__global__ void tr_padded(float *out, const float *in, int n)
{
    move_tile<1>(out, in, n, blockIdx.x, blockIdx.y);
}

__global__ void tr_diagonal(float *out, const float *in, int n)
{
    int by = blockIdx.x, bx = (blockIdx.x + blockIdx.y) % gridDim.x;
    move_tile<1>(out, in, n, bx, by);
}

typedef void (*kernel)(float *, const float *, int);

template <kernel K> static void run(const char *name)
{
    transpose t = transpose_create();
    device_array<float> in(t.in, t.n * t.n), out(t.n * t.n);
    bench b = bench_start(name, 8.0 * t.n * t.n, 0);
    dim3 grid(t.n / TILE, t.n / TILE), block(TILE, ROWS);
    while (bench_next(&b)) {
        K<<<grid, block>>>(out, in, (int)t.n);
        device_wait();
    }
    bench_end(&b, K == tr_copy
                      ? bench_same(out.get(), t.in, out.n, sizeof(float))
                      : transpose_check(&t, out.get()));
}

BENCH_MAIN({"tr_copy", [] { run<tr_copy>("tr_copy"); }},
           {"tr_naive", [] { run<tr_naive>("tr_naive"); }},
           {"tr_coalesced", [] { run<tr_coalesced>("tr_coalesced"); }},
           {"tr_padded", [] { run<tr_padded>("tr_padded"); }},
           {"tr_diagonal", [] { run<tr_diagonal>("tr_diagonal"); }})
