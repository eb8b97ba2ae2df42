/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* fd3d.cu - a stencil of 25 points: a thread a point, straight from memory; and
 * blocks that go through the volume plane by plane, with the plane's tile in
 * shared memory and what lies before and behind in registers. */
#include "device.h"
#include "problems/fd3d.h"

enum { R = FD3D_RADIUS, BX = FD3D_BLOCK_X, BY = FD3D_BLOCK_Y };

__constant__ float weight[R + 1];

__global__ void fd3d_naive(float *out, const float *in, int row, int plane, int)
{
    int x = blockIdx.x * BX + threadIdx.x + R;
    int y = blockIdx.y * BY + threadIdx.y + R;
    int at = (blockIdx.z + R) * plane + y * row + x;
    float sum = weight[0] * in[at];
#pragma unroll
    for (int r = 1; r <= R; r++)
        sum += weight[r] * (in[at + r] + in[at - r] + in[at + r * row] +
                            in[at - r * row] + in[at + r * plane] +
                            in[at - r * plane]);
    out[at] = sum;
}

__global__ void fd3d_tiled(float *out, const float *in, int row, int plane,
                           int planes)
{
    __shared__ float tile[BY + 2 * R][BX + 2 * R];
    int tx = threadIdx.x + R, ty = threadIdx.y + R;
    int at = (blockIdx.y * BY + ty) * row + blockIdx.x * BX + tx;
    float column[2 * R + 1]; /* along z, the middle one is next */
#pragma unroll
    for (int i = 0; i < 2 * R; i++)
        column[i + 1] = in[at + i * plane];
    at += R * plane;
    for (int z = 0; z < planes; z++, at += plane) {
#pragma unroll
        for (int i = 0; i < 2 * R; i++)
            column[i] = column[i + 1];
        column[2 * R] = in[at + R * plane];
        __syncthreads(); /* nobody needs the plane before any more */
        tile[ty][tx] = column[R];
        if (threadIdx.x < R) {
            tile[ty][tx - R] = in[at - R];
            tile[ty][tx + BX] = in[at + BX];
        }
        if (threadIdx.y < R) {
            tile[ty - R][tx] = in[at - R * row];
            tile[ty + BY][tx] = in[at + BY * row];
        }
        __syncthreads();
        float sum = weight[0] * column[R];
#pragma unroll
        for (int r = 1; r <= R; r++)
            sum += weight[r] *
                   (tile[ty][tx + r] + tile[ty][tx - r] + tile[ty + r][tx] +
                    tile[ty - r][tx] + column[R + r] + column[R - r]);
        out[at] = sum;
    }
}

typedef void (*kernel)(float *, const float *, int, int, int);

template <kernel K> static void run(const char *name, bool all_planes)
{
    fd3d f = fd3d_create();
    CUDA(cudaMemcpyToSymbol(weight, f.weight, sizeof f.weight));
    device_array<float> in(f.in, f.all), out(f.all);
    bench b = bench_start(name, 8.0 * f.inside, 33.0 * f.inside);
    dim3 grid(f.x / BX, f.y / BY, all_planes ? 1 : f.z), block(BX, BY);
    while (bench_next(&b)) {
        K<<<grid, block>>>(out, in, (int)f.row, (int)f.plane, (int)f.z);
        device_wait();
    }
    bench_end(&b, fd3d_check(&f, out.get()));
}

BENCH_MAIN({"fd3d_naive", [] { run<fd3d_naive>("fd3d_naive", false); }},
           {"fd3d_tiled", [] { run<fd3d_tiled>("fd3d_tiled", true); }})
