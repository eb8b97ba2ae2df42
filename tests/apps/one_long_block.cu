/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT one block: 0 wrong
// expect: EXACT a lane that ends first: 32
// expect: ERROR rounds.* goes on in compiled code
/* A grid of one block, which would be interpreted for seconds: by default too
 * it does not have to end first. And one of whose lanes the first has to end. */
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 512, ROUNDS = 400000 };

__global__ void
rounds(unsigned *a, int n)
{
    __shared__ unsigned s[N];
    unsigned t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    for (int r = 0; r < n; r++) {
        unsigned x = s[(t + 1) % N];
        __syncthreads();
        s[t] = x * 3 + t;
        __syncthreads();
    }
    a[t] = s[t];
}

/* The last lane ends while the others wait for it, and for long after. */
__global__ void
ahead(volatile unsigned *flag, unsigned *count, unsigned turns)
{
    unsigned n = 0;
    while (threadIdx.x != 31) {
        n++;
        if (*flag && n >= turns)
            break;
    }
    atomicAdd(count, 1);
    *flag = 1;
}

int
main()
{
    static unsigned right[2][N];
    unsigned *a, wrong = 0;
    cudaMallocManaged(&a, N * sizeof *a);
    for (unsigned i = 0; i < N; i++)
        right[0][i] = a[i] = i * 2654435761u;
    rounds<<<1, N>>>(a, ROUNDS);
    for (int r = 0; r < ROUNDS; r++)
        for (unsigned i = 0; i < N; i++)
            right[(r + 1) % 2][i] = right[r % 2][(i + 1) % N] * 3 + i;
    wrong += cudaDeviceSynchronize() != cudaSuccess;
    for (unsigned i = 0; i < N; i++)
        wrong += a[i] != right[ROUNDS % 2][i];
    printf("one block: %u wrong\n", wrong);
    a[0] = a[1] = 0;
    ahead<<<1, 32>>>(a, a + 1, 3000000);
    cudaDeviceSynchronize();
    printf("a lane that ends first: %u\n", a[1]);
    return 0;
}
