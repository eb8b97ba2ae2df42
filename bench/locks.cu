/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* locks.cu - a hash table of lists: every thread puts an element into one,
 * whose lock it takes. */
#include "device.h"
#include "problems/locks.h"

__global__ void
locks_insert(int *head, int *next, int *lock, const unsigned *key, int n,
             int lists)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned list = key[i] % lists;
    bool done = false;
    while (!done)
        if (atomicCAS(&lock[list], 0, 1) == 0) {
            __threadfence();
            next[i] = head[list];
            head[list] = i;
            __threadfence();
            atomicExch(&lock[list], 0);
            done = true;
        }
}

static void
run(void)
{
    locks l = locks_create();
    device_array<unsigned> key(l.key, l.n);
    device_array<int> head(l.lists), next(l.n), lock(l.lists);
    bench b = bench_start("locks_insert", 0, 0);
    CUDA(cudaMemset(lock, 0, l.lists * sizeof(int)));
    while (bench_next(&b)) {
        CUDA(cudaMemset(head, 0xff, l.lists * sizeof(int)));
        locks_insert<<<l.n / LOCKS_BLOCK, LOCKS_BLOCK>>>(
            head, next, lock, key, (int)l.n, (int)l.lists);
        device_wait();
    }
    bench_end(&b, locks_check(&l, head.get(), next.get()));
}

BENCH_MAIN({"locks_insert", run})
