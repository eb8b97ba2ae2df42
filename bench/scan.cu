/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* scan.cu - sums of all beginnings: two that scan blocks in shared memory, then
 * the blocks' sums, then add those; and one in a single pass in which a block
 * looks back at what those before it have published. */
#include "block_scan.h"
#include "device.h"
#include "problems/scan.h"

enum { BLOCK = SCAN_BLOCK, ITEMS = 16, LEVELS = 4 };

/* Hillis and Steele: log n steps, all threads in each. Inclusive. */
__global__ void scan_hillis(unsigned *out, unsigned *sums, const unsigned *in,
                            unsigned n)
{
    __shared__ unsigned part[2][BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    part[0][t] = i < n ? in[i] : 0;
    for (unsigned s = 1; s < BLOCK; s *= 2) {
        __syncthreads();
        part[!from][t] = part[from][t] + (t >= s ? part[from][t - s] : 0);
        from = !from;
    }
    if (i < n)
        out[i] = part[from][t];
    if (t == BLOCK - 1)
        sums[blockIdx.x] = part[from][t];
}

/* Blelloch: up a tree and down again, two elements a thread. Exclusive. */
__global__ void scan_blelloch(unsigned *out, unsigned *sums,
                              const unsigned *in, unsigned n)
{
    __shared__ unsigned tree[2 * BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * 2 * BLOCK + 2 * t;
    tree[2 * t] = i < n ? in[i] : 0;
    tree[2 * t + 1] = i + 1 < n ? in[i + 1] : 0;
    unsigned step = 1;
    for (unsigned d = BLOCK; d > 0; d /= 2, step *= 2) {
        __syncthreads();
        if (t < d)
            tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) {
        sums[blockIdx.x] = tree[2 * BLOCK - 1];
        tree[2 * BLOCK - 1] = 0;
    }
    for (unsigned d = 1; d <= BLOCK; d *= 2) {
        step /= 2;
        __syncthreads();
        if (t < d) {
            unsigned *low = &tree[step * (2 * t + 1) - 1];
            unsigned *high = &tree[step * (2 * t + 2) - 1];
            unsigned old = *low;
            *low = *high;
            *high += old;
        }
    }
    __syncthreads();
    if (i < n)
        out[i] = tree[2 * t];
    if (i + 1 < n)
        out[i + 1] = tree[2 * t + 1];
}

/* Adds to each group of `group` elements the sum of the groups before. */
__global__ void add_sums(unsigned *out, const unsigned *sums, unsigned n,
                         unsigned group, bool inclusive)
{
    unsigned i = blockIdx.x * BLOCK + threadIdx.x, g = i / group;
    if (i < n && !(inclusive && g == 0))
        out[i] += sums[inclusive ? g - 1 : g];
}

/* What a block has published: nothing yet, its own sum, all up to it. */
enum state { EMPTY, OWN, ALL };

__device__ void publish(unsigned long long *at, state s, unsigned sum)
{
    atomicExch(at, (unsigned long long)s << 32 | sum);
}

/* The sum of all blocks before b, by one warp: looks at 32 at a time until one
 * has published all up to it. */
__device__ unsigned look_back(unsigned long long *states, int b)
{
    unsigned sum = 0, lane = threadIdx.x % 32;
    for (int first = b - 1;; first -= 32) {
        int at = first - (int)lane;
        unsigned long long s = (unsigned long long)ALL << 32;
        if (at >= 0)
            do
                s = *(volatile unsigned long long *)&states[at];
            while (s >> 32 == EMPTY);
        unsigned done = __ballot_sync(0xffffffffu, s >> 32 == ALL);
        int nearest = done ? __ffs(done) - 1 : 31;
        unsigned v = (int)lane <= nearest ? (unsigned)s : 0;
        for (int i = 16; i > 0; i /= 2)
            v += __shfl_xor_sync(0xffffffffu, v, i);
        sum += v;
        if (done)
            return sum;
    }
}

__global__ void scan_lookback(unsigned *out, unsigned long long *states,
                              unsigned *ticket, const unsigned *in)
{
    __shared__ unsigned tile[BLOCK * ITEMS], block, before;
    unsigned t = threadIdx.x, mine[ITEMS], sum = 0;
    if (t == 0)
        block = atomicAdd(ticket, 1);
    __syncthreads();
    unsigned base = block * BLOCK * ITEMS;
    for (unsigned i = t; i < BLOCK * ITEMS; i += BLOCK)
        tile[i] = in[base + i];
    __syncthreads();
    for (unsigned i = 0; i < ITEMS; i++)
        mine[i] = sum += tile[t * ITEMS + i];
    unsigned total, earlier = block_scan<BLOCK>(sum, &total);
    if (t == 0)
        publish(&states[block], block == 0 ? ALL : OWN, total);
    if (t < 32) {
        unsigned all = block == 0 ? 0 : look_back(states, (int)block);
        if (t == 0) {
            before = all;
            if (block != 0)
                publish(&states[block], ALL, all + total);
        }
    }
    __syncthreads();
    for (unsigned i = 0; i < ITEMS; i++)
        tile[t * ITEMS + i] = mine[i] + earlier + before;
    __syncthreads();
    for (unsigned i = t; i < BLOCK * ITEMS; i += BLOCK)
        out[base + i] = tile[i];
}

typedef void (*kernel)(unsigned *, unsigned *, const unsigned *, unsigned);

/* Level 0 is the array, level 1 the sums of its groups, and so on, each
 * scanned into its place in `out`. */
template <kernel K>
static void scan_levels(unsigned *const *out, unsigned *const *sums,
                        const unsigned *in, unsigned n, unsigned group,
                        bool inclusive)
{
    unsigned size[LEVELS] = {n}, levels = 0;
    for (; levels == 0 || size[levels - 1] > group; levels++) {
        unsigned blocks = (size[levels] + group - 1) / group;
        K<<<blocks, BLOCK>>>(out[levels], sums[levels],
                             levels == 0 ? in : sums[levels - 1],
                             size[levels]);
        size[levels + 1] = blocks;
    }
    for (unsigned l = levels - 1; l-- > 0;)
        add_sums<<<(size[l] + BLOCK - 1) / BLOCK, BLOCK>>>(
            out[l], out[l + 1], size[l], group, inclusive);
}

template <kernel K>
static void run_levels(const char *name, unsigned group, bool inclusive)
{
    scan s = scan_create();
    device_array<unsigned> in(s.in, s.n), out(s.n), out1(s.n / 128),
        out2(s.n / 128), sums0(s.n / 128), sums1(s.n / 128), sums2(s.n / 128);
    unsigned *outs[] = {out, out1, out2}, *sums[] = {sums0, sums1, sums2};
    bench b = bench_start(name, 8.0 * s.n, s.n);
    while (bench_next(&b)) {
        scan_levels<K>(outs, sums, in, (unsigned)s.n, group, inclusive);
        device_wait();
    }
    bench_end(&b, scan_check(&s, out.get(), inclusive));
}

static void run_lookback(void)
{
    scan s = scan_create();
    unsigned blocks = s.n / (BLOCK * ITEMS);
    device_array<unsigned> in(s.in, s.n), out(s.n), ticket(1);
    device_array<unsigned long long> states(blocks);
    bench b = bench_start("scan_lookback", 8.0 * s.n, s.n);
    while (bench_next(&b)) {
        ticket.zero();
        states.zero();
        bench_go(&b);
        scan_lookback<<<blocks, BLOCK>>>(out, states, ticket, in);
        device_wait();
    }
    bench_end(&b, scan_check(&s, out.get(), true));
}

BENCH_MAIN({"scan_hillis",
            [] { run_levels<scan_hillis>("scan_hillis", BLOCK, true); }},
           {"scan_blelloch",
            [] {
                run_levels<scan_blelloch>("scan_blelloch", 2 * BLOCK, false);
            }},
           {"scan_lookback", run_lookback})
