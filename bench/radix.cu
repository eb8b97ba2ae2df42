/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3 -arch=sm_80
/*
 * radix.cu - one pass of a radix sort by eight bits: blocks count their digits,
 * the counts are scanned, and every key goes to its place. A warp finds the
 * lanes of one digit with a match, so that keys stay in order.
 */
#include "block_scan.h"
#include "device.h"
#include "problems/sort.h"

enum {
    BLOCK = RADIX_BLOCK,
    DIGITS = RADIX_DIGITS,
    WARPS = BLOCK / 32,
    TILE = BLOCK * RADIX_ITEMS, /* keys a block */
    SPAN = 32 * RADIX_ITEMS     /* keys a warp */
};

/* counts: [digit][block] */
__global__ void radix_count(unsigned *counts, const uint32_t *keys)
{
    __shared__ unsigned bins[DIGITS];
    bins[threadIdx.x] = 0; /* as many threads as digits */
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE; i += BLOCK)
        atomicAdd(&bins[keys[blockIdx.x * TILE + i] % DIGITS], 1);
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

/* A block a digit: its counts become the keys of the digit in blocks before. */
__global__ void radix_rows(unsigned *counts, unsigned *totals, unsigned blocks)
{
    unsigned *row = counts + blockIdx.x * blocks, sum = 0, total;
    for (unsigned first = 0; first < blocks; first += BLOCK) {
        unsigned i = first + threadIdx.x;
        unsigned before = block_scan<BLOCK>(i < blocks ? row[i] : 0, &total);
        if (i < blocks)
            row[i] = sum + before;
        sum += total;
    }
    if (threadIdx.x == 0)
        totals[blockIdx.x] = sum;
}

__global__ void radix_move(uint32_t *out, const uint32_t *keys,
                           const unsigned *counts, const unsigned *totals)
{
    __shared__ unsigned at[WARPS][DIGITS];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32, total;
    const uint32_t *mine = keys + blockIdx.x * TILE + warp * SPAN;
    for (unsigned w = 0; w < WARPS; w++)
        at[w][t] = 0;
    __syncthreads();
    for (unsigned i = lane; i < SPAN; i += 32) {
        unsigned digit = mine[i] % DIGITS;
        unsigned peers = __match_any_sync(0xffffffffu, digit);
        if (lane == __ffs(peers) - 1)
            at[warp][digit] += __popc(peers);
        __syncwarp();
    }
    unsigned sum = block_scan<BLOCK>(totals[t], &total) +
                   counts[t * gridDim.x + blockIdx.x];
    for (unsigned w = 0; w < WARPS; w++) {
        unsigned n = at[w][t];
        at[w][t] = sum;
        sum += n;
    }
    __syncthreads();
    for (unsigned i = lane; i < SPAN; i += 32) {
        uint32_t key = mine[i];
        unsigned digit = key % DIGITS;
        unsigned peers = __match_any_sync(0xffffffffu, digit);
        out[at[warp][digit] + __popc(peers & ((1u << lane) - 1))] = key;
        __syncwarp();
        if (lane == __ffs(peers) - 1)
            at[warp][digit] += __popc(peers);
        __syncwarp();
    }
}

static void run(void)
{
    sort s = sort_create(bench_size(1 << 22, 1 << 17));
    unsigned blocks = s.n / TILE;
    device_array<uint32_t> keys(s.keys, s.n), out(s.n);
    device_array<unsigned> counts(DIGITS * blocks), totals(DIGITS);
    bench b = bench_start("radix_pass", 8.0 * s.n, 0);
    while (bench_next(&b)) {
        radix_count<<<blocks, BLOCK>>>(counts, keys);
        radix_rows<<<DIGITS, BLOCK>>>(counts, totals, blocks);
        radix_move<<<blocks, BLOCK>>>(out, keys, counts, totals);
        device_wait();
    }
    bench_end(&b, sort_check_pass(&s, out.get()));
}

BENCH_MAIN({"radix_pass", run})
