/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arrive_wait_barriers.cu - cuda_awbarrier.h: phases of a block of which one
 * thread leaves each time (127 + 126 + ... + 120 stay), tokens, parities.
 */
// cc: -arch=sm_80
// expect: EXACT 988 of phases 0 to 7, 0 wrong, first token 128 missing
// expect: EXACT parity: before 0 1, after 1 0
#include <cstdio>
#include <cuda_awbarrier.h>

#include "check.h"

using nvcuda::experimental::awbarrier;

enum { THREADS = 128, PHASES = 8 };

/* All write, then read their neighbour's, thread `phase` for the last time. */
__global__ void phases(int *seen, int *wrong, unsigned *missing)
{
    __shared__ awbarrier written, read;
    __shared__ int place[THREADS];
    int t = threadIdx.x;

    if (t == 0) {
        init(&written, THREADS);
        init(&read, THREADS);
    }
    __syncthreads();
    for (int phase = 0; phase < PHASES; phase++) {
        int staying = THREADS - phase;

        place[t] = 100 * phase + t;
        awbarrier::arrival_token token = written.arrive();
        if (phase == 0)
            atomicMax(missing, token.pending_count());
        written.wait(token);
        int there = t + 1 < THREADS ? t + 1 : phase;
        if (place[there] != 100 * phase + there)
            atomicAdd(wrong, 1);
        if (t == phase) {
            written.arrive_and_drop();
            read.arrive_and_drop();
            return;
        }
        atomicAdd(seen, 1);
        if (staying > 1) {
            read.arrive_and_wait();
            written.arrive_and_wait();
        }
    }
}

__global__ void parities(int *answers)
{
    __shared__ __mbarrier_t barrier;

    __mbarrier_init(&barrier, 1);
    answers[0] = __mbarrier_test_wait_parity(&barrier, false);
    answers[1] = __mbarrier_test_wait_parity(&barrier, true);
    __mbarrier_arrive(&barrier);
    answers[2] = __mbarrier_test_wait_parity(&barrier, false);
    answers[3] = __mbarrier_try_wait_parity(&barrier, true, 10);
    __mbarrier_inval(&barrier);
}

int main()
{
    int *n;

    CK(cudaMallocManaged(&n, 8 * sizeof *n));
    for (int i = 0; i < 8; i++)
        n[i] = 0;
    phases<<<1, THREADS>>>(n, n + 1, (unsigned *)(n + 2));
    parities<<<1, 1>>>(n + 4);
    CK(cudaDeviceSynchronize());
    printf("%d of phases 0 to 7, %d wrong, first token %d missing\n", n[0],
           n[1], n[2]);
    printf("parity: before %d %d, after %d %d\n", n[4], n[5], n[6], n[7]);
}
