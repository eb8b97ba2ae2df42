/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3 -arch=sm_80
/*
 * large.cu - kernels that take long to compile, for `bench/run compile`: 500
 * barriers with a hundred instructions between each two, and a sort of a
 * block's keys as libraries have it, everything unrolled.
 */
#include <algorithm>

#include "block_scan.h"
#include "device.h"
#include "problems/sort.h"

enum { BLOCK = 128, ITEMS = 12, TILE = BLOCK * ITEMS };
#ifdef SMALL_KERNELS /* is it right, not how long it takes */
enum { STEPS = 50 };
#define ALL_STEPS STEPS_25(0) STEPS_25(25)
#else
enum { STEPS = 500 };
#define ALL_STEPS STEPS_500
#endif

/* ---- barriers ---- */

/* About a hundred instructions: a neighbour's word, then x, y and z mixed. */
#define MIX(i)                                                                 \
    x = x * 0x9e3779b1u + (y >> ((i) % 13 + 3));                               \
    y = (y ^ x) + (z << ((i) % 7 + 1));                                        \
    z = (z * 0x85ebca77u) ^ (x >> ((i) % 11 + 5));                             \
    x += y & z;
#define MIX_4(i) MIX(i) MIX((i) + 1) MIX((i) + 2) MIX((i) + 3)
#define STEP(i)                                                                \
    words[(i) % 2][t] = x;                                                     \
    WAIT                                                                       \
    y ^= words[(i) % 2][(t + (i)) % BLOCK];                                    \
    if (x >> (i) % 32 & 1)                                                     \
        z += words[(i) % 2][BLOCK - 1 - t];                                    \
    MIX_4(i) MIX_4((i) + 4)
#define STEPS_5(i)                                                             \
    STEP(i) STEP((i) + 1) STEP((i) + 2) STEP((i) + 3) STEP((i) + 4)
#define STEPS_25(i)                                                            \
    STEPS_5(i) STEPS_5((i) + 5) STEPS_5((i) + 10) STEPS_5((i) + 15)            \
    STEPS_5((i) + 20)
#define STEPS_125(i)                                                           \
    STEPS_25(i) STEPS_25((i) + 25) STEPS_25((i) + 50) STEPS_25((i) + 75)       \
    STEPS_25((i) + 100)
#define STEPS_500                                                              \
    STEPS_125(0) STEPS_125(125) STEPS_125(250) STEPS_125(375)

#define WAIT __syncthreads();
__global__ void barriers_500(uint32_t *out, const uint32_t *in)
{
    __shared__ uint32_t words[2][BLOCK];
    uint32_t t = threadIdx.x, at = blockIdx.x * BLOCK + t;
    uint32_t x = in[at], y = t, z = x ^ 0x5bd1e995u;
    ALL_STEPS
    out[at] = x + y + z;
}
#undef WAIT

/* All threads of a block take a step before any takes the next. */
static void barriers_host(uint32_t *v)
{
    static uint32_t words[2][BLOCK], sx[BLOCK], sy[BLOCK], sz[BLOCK];
    for (uint32_t t = 0; t < BLOCK; t++) {
        sx[t] = v[t];
        sy[t] = t;
        sz[t] = v[t] ^ 0x5bd1e995u;
    }
    for (uint32_t i = 0; i < STEPS; i++) {
        for (uint32_t t = 0; t < BLOCK; t++)
            words[i % 2][t] = sx[t];
        for (uint32_t t = 0; t < BLOCK; t++) {
            uint32_t x = sx[t], y = sy[t], z = sz[t];
            y ^= words[i % 2][(t + i) % BLOCK];
            if (x >> i % 32 & 1)
                z += words[i % 2][BLOCK - 1 - t];
            MIX_4(i)
            MIX_4(i + 4)
            sx[t] = x;
            sy[t] = y;
            sz[t] = z;
        }
    }
    for (uint32_t t = 0; t < BLOCK; t++)
        v[t] = sx[t] + sy[t] + sz[t];
}

static void run_barriers(void)
{
    size_t n = bench_size(512, 4) * BLOCK;
    uint32_t *in = (uint32_t *)bench_alloc(n, sizeof *in);
    for (size_t i = 0; i < n; i++)
        in[i] = bench_hash((uint32_t)i);
    device_array<uint32_t> from(in, n), out(n);
    bench b = bench_start("barriers_500", 8.0 * (double)n, 0);
    while (bench_next(&b)) {
        barriers_500<<<n / BLOCK, BLOCK>>>(out, from);
        device_wait();
    }
    for (size_t i = 0; i < n; i += BLOCK)
        barriers_host(in + i);
    bench_end(&b, bench_same(out.get(), in, n, sizeof *in));
}

/* ---- a sort ---- */

/* Each warp's keys of a block, by four bits at a time. */
__global__ void block_sort(uint32_t *out, const uint32_t *in)
{
    constexpr int DIGITS = 16, WARPS = BLOCK / 32;
    __shared__ uint32_t keys[TILE];
    __shared__ unsigned counts[DIGITS][WARPS];
    unsigned t = threadIdx.x, warp = t / 32, lane = t % 32, total;
    uint32_t key[ITEMS], rank[ITEMS];
    in += blockIdx.x * TILE;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        key[i] = in[warp * 32 * ITEMS + i * 32 + lane];
#pragma unroll
    for (int bit = 0; bit < 32; bit += 4) {
        if (t < DIGITS * WARPS)
            counts[t / WARPS][t % WARPS] = 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned digit = key[i] >> bit & (DIGITS - 1);
            unsigned peers = __match_any_sync(0xffffffffu, digit);
            unsigned before = counts[digit][warp];
            unsigned below = __popc(peers & ((1u << lane) - 1));
            __syncwarp();
            if (below == 0)
                counts[digit][warp] = before + __popc(peers);
            __syncwarp();
            rank[i] = before + below;
        }
        __syncthreads();
        unsigned n = t < DIGITS * WARPS ? counts[t / WARPS][t % WARPS] : 0;
        unsigned first = block_scan<BLOCK>(n, &total);
        if (t < DIGITS * WARPS)
            counts[t / WARPS][t % WARPS] = first;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            unsigned digit = key[i] >> bit & (DIGITS - 1);
            keys[counts[digit][warp] + rank[i]] = key[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < ITEMS; i++)
            key[i] = keys[warp * 32 * ITEMS + i * 32 + lane];
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        out[blockIdx.x * TILE + warp * 32 * ITEMS + i * 32 + lane] = key[i];
}

static void run_sort(void)
{
    sort s = sort_create(bench_size(512, 4) * TILE);
    device_array<uint32_t> keys(s.keys, s.n), out(s.n);
    bench b = bench_start("block_sort", 8.0 * (double)s.n, 0);
    while (bench_next(&b)) {
        block_sort<<<s.n / TILE, BLOCK>>>(out, keys);
        device_wait();
    }
    for (size_t i = 0; i < s.n; i += TILE)
        std::sort(s.keys + i, s.keys + i + TILE);
    bench_end(&b, bench_same(out.get(), s.keys, s.n, sizeof *s.keys));
}

BENCH_MAIN({"barriers_500", run_barriers}, {"block_sort", run_sort})
