/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.cu - the tiled product of two 512 x 512 matrices, twice: the
 * interpreter on loops, shared memory and barriers. */
#include <cuda_runtime.h>
#include <stdio.h>

enum { TILE = 16 };

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[TILE][TILE], bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int col = blockIdx.x * TILE + tx, row = blockIdx.y * TILE + ty;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}

int main()
{
    const int n = 512;
    const size_t bytes = n * n * sizeof(float);
    float *a, *b, *c, got = -1;
    if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes) ||
        cudaMalloc(&c, bytes) || cudaMemset(a, 0, bytes) ||
        cudaMemset(b, 0, bytes))
        return 1;
    for (int i = 0; i < 2; i++)
        matmul<<<dim3(n / TILE, n / TILE), dim3(TILE, TILE)>>>(c, a, b, n);
    if (cudaMemcpy(&got, c, sizeof got, cudaMemcpyDeviceToHost))
        return 1;
    return got != 0;
}
