/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT products: 0 wrong
// expect: ERROR compiled .*products.* for (32|64) lanes
/* A few threads of a block go through rows of a matrix, all of them add up what
 * these have found. Eight warps as one would look for 256 rows at each step. */
#include <cstdio>
#include <cuda_runtime.h>

enum { THREADS = 256, ROWS = 9, COLUMNS = 256, BLOCKS = 16 };

__global__ void
products(const float *m, const float *x, int rows, int columns, float *out)
{
    __shared__ float s[THREADS], found[ROWS];
    unsigned i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    if (i < rows) {
        float sum = 0;
        for (int c = 0; c < columns; c++)
            sum += s[c] * m[i * columns + c];
        found[i] = sum;
    }
    __syncthreads();
    float all = 0;
    for (int r = 0; r < rows; r++)
        all += found[r];
    out[blockIdx.x * THREADS + i] = all * s[i];
}

int
main()
{
    static float m[ROWS * COLUMNS], x[COLUMNS], out[BLOCKS * THREADS];
    float all = 0, *dm, *dx, *dout;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        m[i] = i % 7 - 3;
    for (int i = 0; i < COLUMNS; i++)
        x[i] = i % 5 - 2;
    for (int i = 0; i < ROWS * COLUMNS; i++)
        all += m[i] * x[i % COLUMNS];
    cudaMalloc(&dm, sizeof m);
    cudaMalloc(&dx, sizeof x);
    cudaMalloc(&dout, sizeof out);
    cudaMemcpy(dm, m, sizeof m, cudaMemcpyHostToDevice);
    cudaMemcpy(dx, x, sizeof x, cudaMemcpyHostToDevice);
    products<<<BLOCKS, THREADS>>>(dm, dx, ROWS, COLUMNS, dout);
    cudaMemcpy(out, dout, sizeof out, cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < BLOCKS * THREADS; i++)
        wrong += out[i] != all * x[i % THREADS];
    printf("products: %d wrong\n", wrong);
}
