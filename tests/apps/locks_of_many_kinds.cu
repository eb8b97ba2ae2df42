/* SPDX-License-Identifier: Apache-2.0 */
/*
 * locks_of_many_kinds.cu - lanes of one warp that take locks from each other:
 * two in order, of which the first is given back if the second is taken; with
 * a count of tries; with a sleep of random length; and a buffer of four places
 * that half of them fill and half empty. All end, as on a device.
 */
// cc: -arch=sm_80 -O3
// expect: EXACT in order: 4096 of 4096 moved
// expect: EXACT counted: 256 of 256
// expect: EXACT asleep: 256 of 256
// expect: EXACT tickets: 256 of 256
// expect: EXACT buffer: 1024 of 1024
#include <cstdio>

enum { BLOCKS = 4, THREADS = 64, PLACES = 8, ITEMS = 8, MOVES = 16 };

__device__ int locks[PLACES], lock;
__device__ int ticket;
__device__ volatile int served, first, last, places[4];

__device__ int
me()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void
in_order(volatile int *count)
{
    for (int k = 0; k < MOVES; k++) {
        int x = (me() * 7 + k) % PLACES, y = (x + 1 + me() % 3) % PLACES;
        int low = min(x, y), high = max(x, y);
        bool done = false;
        while (!done)
            if (atomicCAS(&locks[low], 0, 1) == 0) {
                if (atomicCAS(&locks[high], 0, 1) == 0) {
                    __threadfence();
                    count[x] = count[x] + 1;
                    count[y] = count[y] - 1;
                    atomicAdd((int *)count + PLACES, 1);
                    __threadfence();
                    atomicExch(&locks[high], 0);
                    done = true;
                }
                atomicExch(&locks[low], 0);
            }
    }
}

__global__ void
counted(volatile int *count, int *tries)
{
    int t = 0;
    while (atomicCAS(&lock, 0, 1) != 0)
        t++;
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
    tries[me()] = t;
}

__global__ void
asleep(volatile int *count)
{
    unsigned random = me() * 2654435761u + 1;
    while (atomicCAS(&lock, 0, 1) != 0) {
        random = random * 1664525 + 1013904223;
        __nanosleep(random >> 26);
    }
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
}

__global__ void
tickets(volatile int *count)
{
    int mine = atomicAdd(&ticket, 1), now;
    while ((now = served) != mine)
        __nanosleep(20 * (mine - now));
    __threadfence();
    count[0] = count[0] + 1;
    __threadfence();
    served = mine + 1;
}

__global__ void
buffer(volatile int *count)
{
    for (int k = 0; k < ITEMS; k++) {
        bool done = false;
        while (!done)
            if (atomicCAS(&lock, 0, 1) == 0) {
                __threadfence();
                if (me() % 2 && first != last) {
                    count[0] = count[0] + places[first % 4];
                    first = first + 1;
                    done = true;
                } else if (me() % 2 == 0 && last - first < 4) {
                    places[last % 4] = 1;
                    last = last + 1;
                    done = true;
                }
                __threadfence();
                atomicExch(&lock, 0);
            }
    }
}

int
main()
{
    enum { N = BLOCKS * THREADS };
    int *count, *tries, h[PLACES + 1];
    cudaMalloc(&count, sizeof h);
    cudaMalloc(&tries, N * sizeof *tries);
    for (int k = 0; k < 5; k++) {
        cudaMemset(count, 0, sizeof h);
        switch (k) {
        case 0:
            in_order<<<BLOCKS, THREADS>>>(count);
            break;
        case 1:
            counted<<<BLOCKS, THREADS>>>(count, tries);
            break;
        case 2:
            asleep<<<BLOCKS, THREADS>>>(count);
            break;
        case 3:
            tickets<<<BLOCKS, THREADS>>>(count);
            break;
        default:
            buffer<<<BLOCKS, THREADS>>>(count);
        }
        cudaMemcpy(h, count, sizeof h, cudaMemcpyDeviceToHost);
        int sum = 0;
        for (int i = 0; i < PLACES; i++)
            sum += h[i];
        if (k == 0)
            printf("in order: %d of %d moved\n", h[PLACES] - sum, N * MOVES);
        else
            printf("%s: %d of %d\n",
                   k == 1   ? "counted"
                   : k == 2 ? "asleep"
                   : k == 3 ? "tickets"
                            : "buffer",
                   h[0], k == 4 ? N * ITEMS / 2 : N);
    }
    return 0;
}
