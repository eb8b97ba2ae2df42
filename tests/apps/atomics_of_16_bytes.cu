/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2 -arch=sm_90
// expect: EXACT sums of 128 bits: 0 wrong
// expect: EXACT pairs stay together: 0 wrong
// expect: EXACT of a block: 0 wrong
/* atomicCAS and atomicExch of what has 16 bytes. */
#include <cstdio>
#include <cuda_runtime.h>

enum { BLOCKS = 8, THREADS = 64 };

struct alignas(16) pair {
    unsigned long long a, b;
};

__global__ void
add(unsigned __int128 *sum)
{
    const unsigned __int128 by = ((unsigned __int128)1 << 70) + 1;
    unsigned __int128 old = *sum, seen;
    do {
        seen = old;
        old = atomicCAS(sum, seen, seen + by);
    } while (old != seen);
}

/* What a thread takes is what another one left. */
__global__ void
swap(pair *p, unsigned *wrong)
{
    unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int k = 0; k < 10; k++) {
        pair old = atomicExch(p, pair{i, ~i * k ^ i});
        bool is_known = false;
        for (int n = 0; n < 10; n++)
            is_known |= old.b == (~old.a * n ^ old.a);
        if (!is_known)
            atomicAdd(wrong, 1);
    }
}

__global__ void
add_in_block(unsigned *wrong)
{
    __shared__ pair sum;
    if (threadIdx.x == 0)
        sum = pair{0, ~0ull};
    __syncthreads();
    pair old = sum, seen;
    do {
        seen = old;
        old = atomicCAS_block(&sum, seen, pair{seen.a + 1, seen.b - 1});
    } while (old.a != seen.a);
    __syncthreads();
    if (threadIdx.x == 0 && (sum.a != blockDim.x || sum.b != ~sum.a))
        atomicAdd(wrong, 1);
}

int
main()
{
    unsigned __int128 *sum, got;
    pair *p;
    unsigned *wrong, n[2];
    cudaMalloc(&sum, sizeof *sum);
    cudaMalloc(&p, sizeof *p);
    cudaMalloc(&wrong, sizeof n);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemset(p, 0, sizeof *p);
    cudaMemset(wrong, 0, sizeof n);
    add<<<BLOCKS, THREADS>>>(sum);
    swap<<<BLOCKS, THREADS>>>(p, &wrong[0]);
    add_in_block<<<BLOCKS, THREADS>>>(&wrong[1]);
    cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost);
    cudaMemcpy(n, wrong, sizeof n, cudaMemcpyDeviceToHost);
    unsigned __int128 want = ((unsigned __int128)1 << 70) + 1;
    printf("sums of 128 bits: %d wrong\n", got != want * BLOCKS * THREADS);
    printf("pairs stay together: %u wrong\n", n[0]);
    printf("of a block: %u wrong\n", n[1]);
    return 0;
}
