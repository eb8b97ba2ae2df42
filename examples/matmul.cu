/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.cu - C = A B, row-major: straight from the definition, and with tiles
 * of A and B in shared memory.
 *
 * The naive kernel reads every element of A and B as often as there are
 * columns and rows in C. With tiles of 16 x 16 each is read from global memory
 * a sixteenth as often, and from shared memory the rest of the time.
 */
#include <cuda_runtime.h>

#include <string>
#include <vector>

#include "example.h"

enum { TILE = 16 };

struct shape {
    int rows, inner, cols; /* A is rows x inner, B inner x cols */
};

/* A thread an element of C. */
__global__ void matmul_naive(float *c, const float *a, const float *b, shape s)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= s.rows || col >= s.cols)
        return;
    float sum = 0;
    for (int k = 0; k < s.inner; k++)
        sum += a[row * s.inner + k] * b[k * s.cols + col];
    c[row * s.cols + col] = sum;
}

/* For sizes that are multiples of the tile. */
__global__ void matmul_shared(float *c, const float *a, const float *b, shape s)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < s.inner; k0 += TILE) {
        /* Every thread fetches one element of each tile... */
        as[ty][tx] = a[row * s.inner + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * s.cols + col];
        __syncthreads(); /* ...all are there... */
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads(); /* ...and nobody needs them any more. */
    }
    c[row * s.cols + col] = sum;
}

/* For any size: what lies outside the matrices counts as zero. No thread may
 * leave early, for all must reach the barriers. */
__global__ void matmul_any(float *c, const float *a, const float *b, shape s)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx;
    int row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < s.inner; k0 += TILE) {
        int ka = k0 + tx, kb = k0 + ty;
        as[ty][tx] = row < s.rows && ka < s.inner ? a[row * s.inner + ka] : 0;
        bs[ty][tx] = kb < s.inner && col < s.cols ? b[kb * s.cols + col] : 0;
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    if (row < s.rows && col < s.cols)
        c[row * s.cols + col] = sum;
}

typedef void (*kernel)(float *, const float *, const float *, shape);

static void run(const std::string &name, kernel multiply, shape s)
{
    /* Small whole numbers: every sum is exact in float, in any order. */
    std::vector<float> a(s.rows * s.inner), b(s.inner * s.cols);
    std::vector<float> c(s.rows * s.cols), want(s.rows * s.cols, 0.0f);
    for (size_t i = 0; i < a.size(); i++)
        a[i] = (float)((int)(i * 7 % 31) - 15);
    for (size_t i = 0; i < b.size(); i++)
        b[i] = (float)((int)(i * 5 % 29) - 14);
    for (int i = 0; i < s.rows; i++)
        for (int k = 0; k < s.inner; k++)
            for (int j = 0; j < s.cols; j++)
                want[i * s.cols + j] += a[i * s.inner + k] * b[k * s.cols + j];

    float *d_a, *d_b, *d_c;
    CUDA(cudaMalloc(&d_a, a.size() * sizeof(float)));
    CUDA(cudaMalloc(&d_b, b.size() * sizeof(float)));
    CUDA(cudaMalloc(&d_c, c.size() * sizeof(float)));
    CUDA(cudaMemcpy(d_a, a.data(), a.size() * sizeof(float),
                    cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(d_b, b.data(), b.size() * sizeof(float),
                    cudaMemcpyHostToDevice));
    CUDA(cudaMemset(d_c, 0xff, c.size() * sizeof(float)));
    dim3 grid((s.cols + TILE - 1) / TILE, (s.rows + TILE - 1) / TILE);
    multiply<<<grid, dim3(TILE, TILE)>>>(d_c, d_a, d_b, s);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(c.data(), d_c, c.size() * sizeof(float),
                    cudaMemcpyDeviceToHost));
    CUDA(cudaFree(d_a));
    CUDA(cudaFree(d_b));
    CUDA(cudaFree(d_c));

    verify((name + " " + std::to_string(s.rows) + " x " +
            std::to_string(s.inner) + " x " + std::to_string(s.cols))
               .c_str(),
           c.data(), want.data(), c.size());
}

int main(int argc, char **argv)
{
    const int n = example_is_quick(argc, argv) ? 64 : 256;
    run("matmul, naive", matmul_naive, {n, n, n});
    run("matmul, shared memory", matmul_shared, {n, n, n});
    run("matmul, naive", matmul_naive, {n - 3, n / 2 + 5, n + 1});
    run("matmul, shared memory, any size", matmul_any, {n - 3, n / 2 + 5, n + 1});
    run("matmul, shared memory, any size", matmul_any, {1, 1, 1});
    run("matmul, shared memory, any size", matmul_any, {n, 1, n});
    return example_wrong != 0;
}
