/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stacks_of_many_blocks.cu - alloca: each thread gets some of its stack, and
 * the next block's thread as much again.
 */
// cc: -O3
// env: SOFTWARP_ENGINE=jit
// expect: EXACT 0 wrong of 65536
#include <alloca.h>

#include <cstdio>

enum { BLOCKS = 256, THREADS = 256 };

__global__ void
sums(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, n = 8 + i % 16, sum = 0;
    int *a = (int *)alloca(n * sizeof *a);
    for (int k = 0; k < n; k++)
        a[k] = k * i;
    for (int k = 0; k < n; k++)
        sum += a[k * 7 % n];
    out[i] = sum;
}

int
main()
{
    enum { N = BLOCKS * THREADS };
    static int h[N];
    int *out, wrong = 0;
    cudaMalloc(&out, sizeof h);
    for (int k = 0; k < 3; k++)
        sums<<<BLOCKS, THREADS>>>(out);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        int n = 8 + i % 16, sum = 0;
        for (int k = 0; k < n; k++)
            sum += k * 7 % n * i;
        wrong += h[i] != sum;
    }
    printf("%d wrong of %d\n", wrong, N);
    return 0;
}
