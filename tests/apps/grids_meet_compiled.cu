/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// env: SOFTWARP_THREADS=2 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT a block that comes late: 0 wrong
// expect: EXACT lanes that wait for each other: 0 wrong
// expect: ERROR compiled .*late
// expect: ABSENT late.*goes on in the interpreter
// expect: ERROR chain.*goes on in the interpreter
/* Blocks that wait for long until all have come stay compiled: by one thread of
 * each, for which the others of its warp wait at a barrier. Lanes that wait for
 * lanes of their own warp do not. */
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

enum { BLOCKS = 4, THREADS = 64, ROUNDS = 3 };

/* In each round one block computes for long; the next round reads of it. */
__global__ void
late(unsigned *a, unsigned turns)
{
    cg::grid_group grid = cg::this_grid();
    for (unsigned k = 0; k < ROUNDS; k++) {
        unsigned x = a[k];
        for (unsigned i = 0; blockIdx.x == k % BLOCKS && i < turns; i++)
            x = x * 1664525 + 1013904223;
        if (blockIdx.x == k % BLOCKS && threadIdx.x == 0)
            a[k + 1] = x;
        grid.sync();
    }
}

/* Each lane waits for the one before it. */
__global__ void
chain(volatile unsigned *a)
{
    unsigned i = threadIdx.x;
    while (i > 0 && a[i - 1] == 0)
        ;
    a[i] = i + 1;
}

int
main()
{
    unsigned *a, got[THREADS], turns = 4000000, wrong = 0;
    cudaMalloc(&a, sizeof got);
    cudaMemset(a, 0, sizeof got);
    void *args[] = {&a, &turns};
    cudaLaunchCooperativeKernel((void *)late, BLOCKS, THREADS, args, 0, 0);
    cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
    unsigned x = 0;
    for (unsigned k = 0; k < ROUNDS; k++) {
        for (unsigned i = 0; i < turns; i++)
            x = x * 1664525 + 1013904223;
        wrong += got[k + 1] != x;
    }
    printf("a block that comes late: %u wrong\n", wrong);

    wrong = 0;
    cudaMemset(a, 0, sizeof got);
    chain<<<1, 32>>>(a);
    cudaMemcpy(got, a, sizeof got, cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < 32; i++)
        wrong += got[i] != i + 1;
    printf("lanes that wait for each other: %u wrong\n", wrong);
    return 0;
}
