/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* bitonic.cu - a sorting network: steps over short distances in shared memory,
 * the others a launch each. */
#include "device.h"
#include "problems/sort.h"

enum { TILE = 2 * BITONIC_BLOCK };

__device__ void order(uint32_t *a, uint32_t *b, bool up)
{
    if ((*a > *b) == up) {
        uint32_t t = *a;
        *a = *b;
        *b = t;
    }
}

/* The i-th pair at a distance of `step` begins here. */
__device__ unsigned pair_at(unsigned i, unsigned step)
{
    return i / step * 2 * step + i % step;
}

/* All steps of runs of `first` to `last` whose distance fits a tile. */
__global__ void bitonic_tile(uint32_t *keys, unsigned first, unsigned last)
{
    __shared__ uint32_t tile[TILE];
    unsigned t = threadIdx.x, base = blockIdx.x * TILE;
    tile[t] = keys[base + t];
    tile[t + BITONIC_BLOCK] = keys[base + t + BITONIC_BLOCK];
    for (unsigned run = first; run <= last; run *= 2)
        for (unsigned step = min(run / 2, (unsigned)TILE / 2); step > 0;
             step /= 2) {
            __syncthreads();
            unsigned i = pair_at(t, step);
            order(&tile[i], &tile[i + step], ((base + i) & run) == 0);
        }
    __syncthreads();
    keys[base + t] = tile[t];
    keys[base + t + BITONIC_BLOCK] = tile[t + BITONIC_BLOCK];
}

__global__ void bitonic_step(uint32_t *keys, unsigned run, unsigned step)
{
    unsigned i = pair_at(blockIdx.x * BITONIC_BLOCK + threadIdx.x, step);
    order(&keys[i], &keys[i + step], (i & run) == 0);
}

static void sort_all(uint32_t *keys, unsigned n)
{
    unsigned blocks = n / TILE;
    bitonic_tile<<<blocks, BITONIC_BLOCK>>>(keys, 2, TILE);
    for (unsigned run = 2 * TILE; run <= n; run *= 2) {
        for (unsigned step = run / 2; step > TILE / 2; step /= 2)
            bitonic_step<<<blocks, BITONIC_BLOCK>>>(keys, run, step);
        bitonic_tile<<<blocks, BITONIC_BLOCK>>>(keys, run, run);
    }
}

static void run(void)
{
    sort s = sort_create(bench_size(1 << 20, 1 << 14));
    device_array<uint32_t> keys(s.n);
    bench b = bench_start("bitonic", 8.0 * s.n, 0);
    while (bench_next(&b)) {
        keys.set(s.keys);
        bench_go(&b);
        sort_all(keys, (unsigned)s.n);
        device_wait();
    }
    bench_end(&b, sort_check(&s, keys.get()));
}

BENCH_MAIN({"bitonic", run})
