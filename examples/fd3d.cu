/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fd3d.cu - finite differences in three dimensions, the inner loop of seismic
 * imaging: each point becomes a weighted sum of itself and its neighbours up
 * to four away along each axis.
 *
 * A block takes a column of the volume and marches down it slice by slice. The
 * slice it is in lies in shared memory, with a rim, for the neighbours in x
 * and y; the values before and behind wait in registers of the thread whose
 * column it is, and move up by one a step. So each value is read from global
 * memory once, and the rims twice.
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

enum { R = 4, TX = 32, TY = 8 }; /* reach, block */

__constant__ float weight[R + 1];

__global__ void fd3d(float *out, const float *in, int nx, int ny, int nz)
{
    __shared__ float slice[TY + 2 * R][TX + 2 * R];
    int x = blockIdx.x * TX + threadIdx.x + R;
    int y = blockIdx.y * TY + threadIdx.y + R;
    int sx = threadIdx.x + R, sy = threadIdx.y + R;
    int area = nx * ny;
    int at = y * nx + x; /* in the slice that comes in next */

    float before[R], behind[R], here;
    for (int i = R - 1; i >= 0; i--, at += area)
        before[i] = in[at];
    here = in[at];
    at += area;
    for (int i = 0; i < R; i++, at += area)
        behind[i] = in[at];
    int to = (y + R * ny) * nx + x;

    for (int z = R; z < nz - R; z++, to += area) {
        __syncthreads(); /* the slice before is no longer needed */
        slice[sy][sx] = here;
        if (threadIdx.x < R) { /* the rim, by the threads next to it */
            slice[sy][threadIdx.x] = in[to - R];
            slice[sy][sx + TX] = in[to + TX];
        }
        if (threadIdx.y < R) {
            slice[threadIdx.y][sx] = in[to - R * nx];
            slice[sy + TY][sx] = in[to + TY * nx];
        }
        __syncthreads();

        float sum = weight[0] * here;
#pragma unroll
        for (int i = 1; i <= R; i++)
            sum += weight[i] * (slice[sy][sx - i] + slice[sy][sx + i] +
                                slice[sy - i][sx] + slice[sy + i][sx] +
                                before[i - 1] + behind[i - 1]);
        out[to] = sum;

#pragma unroll
        for (int i = R - 1; i > 0; i--)
            before[i] = before[i - 1];
        before[0] = here;
        here = behind[0];
#pragma unroll
        for (int i = 0; i < R - 1; i++)
            behind[i] = behind[i + 1];
        if (z + R + 1 < nz)
            behind[R - 1] = in[to + (R + 1) * area];
    }
}

int main(int argc, char **argv)
{
    const bool quick = example_is_quick(argc, argv);
    const int nx = (quick ? 1 : 4) * TX + 2 * R, ny = (quick ? 2 : 12) * TY + 2 * R;
    const int nz = quick ? 12 : 64;
    const int area = nx * ny;
    const size_t n = (size_t)area * nz, bytes = n * sizeof(float);
    /* Whole numbers again, so that order does not matter. */
    const float w[R + 1] = {-12, 5, -3, 2, 1};

    std::vector<float> in(n), out(n), want(n, 0.0f);
    for (size_t i = 0; i < n; i++)
        in[i] = (float)((i * 2654435761u) >> 9 & 127);
    for (int z = R; z < nz - R; z++)
        for (int y = R; y < ny - R; y++)
            for (int x = R; x < nx - R; x++) {
                const float *p = &in[(size_t)z * area + y * nx + x];
                float sum = w[0] * p[0];
                for (int i = 1; i <= R; i++)
                    sum += w[i] * (p[-i] + p[i] + p[-i * nx] + p[i * nx] +
                                   p[-i * area] + p[i * area]);
                want[p - in.data()] = sum;
            }

    float *d_in, *d_out;
    CUDA(cudaMalloc(&d_in, bytes));
    CUDA(cudaMalloc(&d_out, bytes));
    CUDA(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(d_out, 0, bytes));
    CUDA(cudaMemcpyToSymbol(weight, w, sizeof w));
    fd3d<<<dim3((nx - 2 * R) / TX, (ny - 2 * R) / TY), dim3(TX, TY)>>>(
        d_out, d_in, nx, ny, nz);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost));
    verify("finite differences, 25 points", out.data(), want.data(), n);
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_out));
    return example_wrong != 0;
}
