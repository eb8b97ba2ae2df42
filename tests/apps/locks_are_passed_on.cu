/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT locks: 5120
// expect: EXACT tickets: 256
/* Locks that lanes of one warp want too: who has one leaves the loop in which
 * the others try, and has to go on before they can. */
#include <cstdio>

enum { LOCKS = 64 };

__device__ int lock[LOCKS], count[LOCKS];
__device__ unsigned next_ticket, serving, total;

__global__ void
take_locks(int n)
{
    unsigned x = threadIdx.x * 7919u + blockIdx.x * 104729u;
    for (int i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        unsigned which = x >> 26;
        bool done = false;
        while (!done)
            if (atomicCAS(&lock[which], 0, 1) == 0) {
                __threadfence();
                volatile int *c = &count[which];
                *c = *c + 1;
                __threadfence();
                atomicExch(&lock[which], 0);
                done = true;
            }
    }
}

__global__ void
take_tickets(int n)
{
    for (int i = 0; i < n; i++) {
        unsigned mine = atomicAdd(&next_ticket, 1);
        while (*(volatile unsigned *)&serving != mine)
            ;
        __threadfence();
        total = total + 1;
        __threadfence();
        atomicAdd(&serving, 1);
    }
}

int
main()
{
    int got[LOCKS], sum = 0;
    unsigned tickets;
    take_locks<<<8, 64>>>(10);
    cudaMemcpyFromSymbol(got, count, sizeof got);
    for (int i = 0; i < LOCKS; i++)
        sum += got[i];
    take_tickets<<<2, 64>>>(2);
    cudaMemcpyFromSymbol(&tickets, total, sizeof tickets);
    printf("locks: %d\ntickets: %u\n", sum, tickets);
    return 0;
}
