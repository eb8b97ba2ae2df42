/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_THREADS=2
// cc: -O2 -arch=sm_90
// args: all
// expect: EXACT warps: 0 wrong
// expect: EXACT as it pays: 0 wrong
// expect: EXACT fused: 0 wrong
/* Kernels whose compiled code goes by itself from warp to warp and from block to
 * block: each thread is in the block where it should be, once, also where warps
 * in the middle of a row of blocks wait for others, leave for the interpreter
 * or lose lanes. Whoever does so does it in some blocks only, and those
 * around them are held against what they should be. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "check.h"

typedef unsigned u32;
typedef std::function<u32(u32 block, u32 thread)> rule;

/* What launches share. */
struct common {
    u32 *out;      /* of each thread: what it adds there */
    u32 *flags;    /* of each block */
    u32 *tickets;  /* how often each was drawn */
    u32 *here, *there; /* an element for each thread; two allocations */
    u32 *scratch, *pieces;
    u32 *lock, *count, *next;
};

enum { PIECE = 8192 };

struct shape {
    dim3 grid, block;
    u32 blocks() const { return grid.x * grid.y * grid.z; }
    u32 threads() const { return block.x * block.y * block.z; }
};

static const shape shapes[] = {{dim3(97, 5, 3), dim3(72)},
                               {dim3(61, 3, 4), dim3(17, 5)},
                               {dim3(900), dim3(128)},
                               {dim3(40, 2, 5), dim3(8, 4, 3)},
                               {dim3(300, 2), dim3(16, 2, 3)},
                               {dim3(80, 3, 2), dim3(16, 4, 3)},
                               {dim3(600), dim3(32)}};

static __device__ u32 block_here()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

static __device__ u32 thread_here()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ u32 place()
{
    return block_here() * (blockDim.x * blockDim.y * blockDim.z) +
           thread_here();
}

/* Whoever comes twice is seen. */
static __device__ void tell(const common &c, u32 value)
{
    c.out[place()] += value;
}

static __host__ __device__ u32 mix(u32 block, u32 thread)
{
    return block * 4096 + thread + 1;
}

/* ---- where a thread is ---- */

__global__ void positions(common c)
{
    u32 b = blockIdx.x | blockIdx.y << 10 | blockIdx.z << 15;
    tell(c, b << 12 | thread_here());
}

/* Asked of the interpreter. */
__global__ void clusters(common c)
{
    u32 x, y;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    tell(c, x | y << 10);
}

/* ---- lanes that end early ---- */

static __host__ __device__ bool is_back(u32 block, u32 thread)
{
    return block % 7 == 3 && thread % 3 == 0;
}

static __host__ __device__ u32 churn(u32 x)
{
#pragma unroll
    for (u32 i = 0; i < 500; i++)
        x = (x ^ i) * (x + 0x9e3779b9u);
    return x;
}

/* A return, before others; the compiler would have all meet at the end. */
static __device__ void end()
{
    asm volatile("exit;");
}

/* The lanes that go back in some blocks meet the others at two places in those
 * behind them, and what each has written before is there. If large, one warp
 * after another is called for it. */
template <bool IS_LARGE> __global__ void returns(common c)
{
    u32 b = block_here(), t = thread_here(), i = place(), sum = b;
    u32 last = blockDim.x * blockDim.y * blockDim.z - 1;
    volatile u32 *scratch = c.scratch;
    if (is_back(b, t))
        end();
    if (b % 14 == 4 && t < 32)
        __nanosleep(20);
    if (IS_LARGE)
        sum = churn(sum);
    if (b % 7 != 4) {
        tell(c, sum);
    } else if (t % 3 == 0) {
        scratch[i] = b + 1;
        asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
        tell(c, sum + (t % 32 < 31 && t < last ? scratch[i + 1] : 0));
    } else {
        scratch[i] = b + 2;
        asm volatile("bar.warp.sync -1; // these too" ::: "memory");
        tell(c, sum + (t % 32 ? scratch[i - 1] : 0));
    }
}

/* Each warp in other blocks, which have a way of their own. */
__global__ void ends_apart(common c)
{
    u32 b = block_here(), t = thread_here();
    if ((b + threadIdx.z) % 7 == 3) {
        if (t % 3 == 0)
            end();
        tell(c, mix(b, t) + 1);
        end();
    }
    tell(c, mix(b, t));
}

/* All of a warp, then those of one path. */
__global__ void returns_and_votes(common c)
{
    u32 b = block_here(), t = thread_here();
    if (is_back(b, t))
        end();
    u32 all = __ballot_sync(~0u, 1);
    if (is_back(b + 1, t + 1)) {
        tell(c, __popc(all));
        return;
    }
    tell(c, __popc(all) + 100 * __popc(__ballot_sync(~0u, 1)));
}

/* ---- out to the interpreter and back ---- */

__global__ void far_apart(common c)
{
    u32 b = block_here(), t = thread_here(), i = place();
    const u32 *from = b % 5 == 2 && t % 2 ? c.there : c.here;
    tell(c, from[i]);
}

/* Both of a pair are in one piece of memory or each in another: a test of both
 * does not hold there. In blocks of 16 x Y x 3. */
template <u32 Y> static __host__ __device__ u32 first_of_pairs(u32 block)
{
    const u32 threads = 16 * Y * 3;
    return block % (PIECE * 3 / 4 / threads) * threads;
}

template <u32 Y> __global__ void pairs(common c)
{
    u32 b = block_here();
    u32 t = threadIdx.x + 16 * threadIdx.y + 16 * Y * threadIdx.z;
    const u32 *pair = c.pieces + first_of_pairs<Y>(b) + t;
    c.out[b * (16 * Y * 3) + t] += pair[0] + 3 * pair[PIECE / 2];
}

typedef u32 (*function)(u32);

static __device__ __noinline__ u32 add_block(u32 x)
{
    return x + block_here();
}

static __device__ __noinline__ u32 sleep_and_add_block(u32 x)
{
    __nanosleep(20);
    return x + block_here();
}

static __device__ __noinline__ u32 sum_below(u32 x)
{
    return x ? x + sum_below(x - 1) : block_here();
}

__device__ function functions[3] = {add_block, sleep_and_add_block, sum_below};

__global__ void calls(common c)
{
    u32 b = block_here(), t = thread_here();
    u32 which = b % 9 == 4 ? 1 : b % 4 == 3 ? 2 : 0;
    u32 x = b % 3 ? functions[which](t % 8) : 5;
    tell(c, x * 4096 + t);
}

static __device__ __noinline__ u32 maybe_exit(u32 x)
{
    if (x % 5 == 1)
        asm volatile("exit;");
    return x + block_here();
}

__device__ function may_exit = maybe_exit;

__global__ void exits_in_calls(common c)
{
    u32 b = block_here(), t = thread_here();
    u32 x = b % 8 == 3 ? may_exit(t) : t + b;
    tell(c, x);
}

/* Long enough for others to have a turn, if one may wait here. */
__global__ void counts(common c)
{
    u32 b = block_here(), t = thread_here(), x = t;
    u32 turns = b == 40 && t / 32 == 1 ? 3 << 20 : 3;
#pragma unroll 1
    for (u32 i = 0; i < turns; i++)
        x = x * 5 + b;
    tell(c, x);
}

/* ---- waiting ---- */

__global__ void sleeps(common c)
{
    u32 b = block_here(), t = thread_here();
    if (b % 17 == 6 && t % 32 < 5)
        __nanosleep(20);
    tell(c, mix(b, t));
}

__global__ void waits_for_warp(common c)
{
    volatile u32 *flag = &c.flags[block_here()];
    u32 b = block_here(), t = thread_here();
    u32 last = blockDim.x * blockDim.y * blockDim.z - 1;
    if (b % 11 == 5 && t / 32 == 0 && last >= 32)
        while (!*flag)
            ;
    tell(c, mix(b, t));
    if (t == last)
        *flag = 1;
}

/* Not for ever. */
__global__ void looks_for_warp(common c)
{
    volatile u32 *flag = &c.flags[block_here()];
    u32 b = block_here(), t = thread_here(), found = 1;
    if (b % 11 == 5 && t / 32 == 1) {
        found = 0;
#pragma unroll 1
        for (u32 i = 0; i < 1 << 22 && !found; i++)
            found = *flag;
    }
    tell(c, mix(b, t) + found);
    if (t / 32 == 2)
        *flag = 1;
}

/* By loads that say nothing of other threads. */
__global__ void waits_silently(common c)
{
    u32 b = block_here(), t = thread_here();
    u32 *flag = &c.flags[b], is_there = b % 11 != 5 || t / 32 != 1;
    while (!is_there)
        asm volatile("ld.global.u32 %0, [%1];"
                     : "=r"(is_there) : "l"(flag) : "memory");
    tell(c, mix(b, t));
    if (t / 32 == 2)
        *flag = 1;
}

/* The block behind it, in most cases of the same row. */
__global__ void waits_for_block(common c)
{
    u32 b = block_here(), t = thread_here();
    u32 last = gridDim.x * gridDim.y * gridDim.z - 1;
    volatile u32 *flags = c.flags;
    if (b % 13 == 4 && b < last && t / 32 == 1)
        while (!flags[b + 1])
            ;
    tell(c, mix(b, t));
    if (t == 0)
        flags[b] = 1;
}

__global__ void locks(common c)
{
    u32 b = block_here(), t = thread_here();
    if (b % 4 == 1 && t % 32 == 0) {
        while (atomicCAS(c.lock, 0, 1))
            ;
        volatile u32 *count = c.count;
        u32 n = *count;
        if (b % 3 == 0)
            __nanosleep(20);
        *count = n + 1;
        __threadfence();
        atomicExch(c.lock, 0);
    }
    tell(c, mix(b, t));
}

__global__ void draws(common c)
{
    u32 b = block_here(), t = thread_here();
    u32 ticket = atomicAdd(c.next, 1);
    atomicAdd(&c.tickets[ticket], 1);
    if (b % 19 == 7)
        __nanosleep(20);
    tell(c, mix(b, t));
}

/* ---- barriers ---- */

/* Somebody has arrived too early for the next block's. */
__global__ void named_barrier(common c)
{
    u32 b = block_here(), t = thread_here(), ones;
    u32 whole = (blockDim.x * blockDim.y * blockDim.z + 31) / 32 * 32;
    asm volatile("bar.arrive 1, %0;" ::"r"(2 * whole) : "memory");
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %2, 0;\n\t"
                 "bar.red.popc.u32 %0, 1, %1, p;\n\t}"
                 : "=r"(ones) : "r"(2 * whole), "r"(t % 4 == b % 4)
                 : "memory");
    asm volatile("bar.arrive 1, %0;" ::"r"(2 * whole) : "memory");
    tell(c, mix(b, t) + ones);
}

/* Who is left after some have returned. */
__global__ void barrier_of_who_is_left(common c)
{
    u32 b = block_here(), t = thread_here(), ones;
    if (is_back(b, t))
        end();
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.u32 p, %1, 0;\n\t"
                 "bar.red.popc.u32 %0, 2, p;\n\t}"
                 : "=r"(ones) : "r"(t % 2) : "memory");
    tell(c, mix(b, t) + ones);
}

/* Warps that each have a fiber meet there in some blocks only. */
__global__ void barrier_now_and_then(common c)
{
    u32 b = block_here(), t = thread_here();
    if (b % 6 == 1)
        asm volatile("barrier.sync 3;" ::: "memory");
    tell(c, mix(b, t));
}

__global__ void turn(common c)
{
    __shared__ u32 tile[192];
    u32 b = block_here(), t = thread_here();
    u32 last = blockDim.x * blockDim.y * blockDim.z - 1;
    tile[t] = mix(b, t);
    __syncthreads();
    tell(c, tile[last - t]);
}

/* ---- running them ---- */

static common data;
static int wrong;
static bool by_chance; /* also those that do not execute the same each time */

static void run(const char *name, void (*kernel)(common), const shape &s,
                const rule &want)
{
    u32 n = s.blocks() * s.threads();
    std::vector<u32> got(n);
    CK(cudaMemset(data.out, 0, n * sizeof(u32)));
    CK(cudaMemset(data.scratch, 0, n * sizeof(u32)));
    CK(cudaMemset(data.flags, 0, s.blocks() * sizeof(u32)));
    kernel<<<s.grid, s.block>>>(data);
    CK(cudaMemcpy(got.data(), data.out, n * sizeof(u32),
                  cudaMemcpyDeviceToHost));
    for (u32 i = 0; i < n; i++) {
        u32 b = i / s.threads(), t = i % s.threads(), w = want(b, t);
        if (got[i] == w)
            continue;
        if (wrong++ < 20)
            printf("%s, %u blocks of %u: block %u thread %u: %u, not %u\n",
                   name, s.blocks(), s.threads(), b, t, got[i], w);
    }
}

static u32 take(u32 *from)
{
    u32 n;
    CK(cudaMemcpy(&n, from, sizeof n, cudaMemcpyDeviceToHost));
    CK(cudaMemset(from, 0, sizeof n));
    return n;
}

/* Of those that are left, lanes in the warp of t. */
static u32 left(const shape &s, u32 b, u32 t, bool after)
{
    u32 n = 0, begin = t / 32 * 32;
    for (u32 i = begin; i < begin + 32 && i < s.threads(); i++)
        n += !is_back(b, i) && !(after && is_back(b + 1, i + 1));
    return n;
}

static u32 left_of_block(const shape &s, u32 b)
{
    u32 n = 0;
    for (u32 i = 0; i < s.threads(); i++)
        n += !is_back(b, i) && i % 2;
    return n;
}

static u32 sum_of_pair(u32 i)
{
    return i * i + 3 * (i + PIECE / 2) * (i + PIECE / 2);
}

static void run_all(const shape &s)
{
    u32 all = s.threads();
    rule mixed = [](u32 b, u32 t) { return mix(b, t); };
#define RUN(kernel, ...) run(#kernel, kernel, s, __VA_ARGS__)
    RUN(positions, [&](u32 b, u32 t) {
        u32 x = b % s.grid.x, y = b / s.grid.x % s.grid.y;
        return (x | y << 10 | b / s.grid.x / s.grid.y << 15) << 12 | t;
    });
    RUN(clusters, [&](u32 b, u32) {
        return b % s.grid.x | b / s.grid.x % s.grid.y << 10;
    });
    rule after_returns = [&](u32 b, u32 t) {
        if (is_back(b, t))
            return 0u;
        if (b % 7 != 4)
            return b;
        if (t % 3 == 0)
            return b + (t % 32 < 31 && t < all - 1 ? b + 2 : 0);
        return b + (t % 32 ? b + (t % 3 == 1 ? 1 : 2) : 0);
    };
    RUN(returns<false>, after_returns);
    RUN(returns<true>, [&](u32 b, u32 t) {
        return is_back(b, t) ? 0 : after_returns(b, t) - b + churn(b);
    });
    RUN(ends_apart, [&](u32 b, u32 t) {
        bool apart = (b + t / s.block.x / s.block.y) % 7 == 3;
        return apart && t % 3 == 0 ? 0 : mix(b, t) + apart;
    });
    RUN(returns_and_votes, [&](u32 b, u32 t) {
        u32 first = left(s, b, t, false), second = left(s, b, t, true);
        return is_back(b, t)           ? 0
               : is_back(b + 1, t + 1) ? first
                                       : first + 100 * second;
    });
    RUN(far_apart, [&](u32 b, u32 t) {
        return mix(b, t) + (b % 5 == 2 && t % 2 ? 7 : 0);
    });
    if (s.block.z == 3 && s.block.y == 2)
        RUN(pairs<2>, [](u32 b, u32 t) {
            return sum_of_pair(first_of_pairs<2>(b) + t);
        });
    if (s.block.z == 3 && s.block.x == 16 && s.block.y == 4)
        RUN(pairs<4>, [](u32 b, u32 t) {
            return sum_of_pair(first_of_pairs<4>(b) + t);
        });
    RUN(calls, [](u32 b, u32 t) {
        u32 x = t % 8, sum = x * (x + 1) / 2;
        x = b % 3 == 0 ? 5 : b % 9 != 4 && b % 4 == 3 ? sum + b : x + b;
        return x * 4096 + t;
    });
    RUN(exits_in_calls, [](u32 b, u32 t) {
        return b % 8 == 3 && t % 5 == 1 ? 0 : t + b;
    });
    RUN(sleeps, mixed);
    RUN(turn, [&](u32 b, u32 t) { return mix(b, all - 1 - t); });
    RUN(named_barrier, [&](u32 b, u32 t) {
        u32 ones = 0;
        for (u32 i = 0; i < all; i++)
            ones += i % 4 == b % 4;
        return mix(b, t) + ones;
    });
    RUN(barrier_of_who_is_left, [&](u32 b, u32 t) {
        return is_back(b, t) ? 0 : mix(b, t) + left_of_block(s, b);
    });
    RUN(barrier_now_and_then, mixed);
    if (!by_chance)
        return;
    if (s.block.z > 1)
        RUN(counts, [](u32 b, u32 t) {
            u32 x = t;
            for (u32 i = 0; i < (b == 40 && t / 32 == 1 ? 3 << 20 : 3); i++)
                x = x * 5 + b;
            return x;
        });
    CK(cudaMemset(data.tickets, 0, s.blocks() * all * sizeof(u32)));
    RUN(draws, mixed);
    MUST(take(data.next) == s.blocks() * all);
    std::vector<u32> tickets(s.blocks() * all);
    CK(cudaMemcpy(tickets.data(), data.tickets, tickets.size() * sizeof(u32),
                  cudaMemcpyDeviceToHost));
    for (u32 n : tickets)
        wrong += n != 1;
    RUN(waits_for_warp, mixed);
    if (all > 64) {
        RUN(looks_for_warp, [](u32 b, u32 t) { return mix(b, t) + 1; });
        RUN(waits_silently, mixed);
    }
    RUN(waits_for_block, mixed);
    RUN(locks, mixed);
    u32 takers = 0;
    for (u32 b = 0; b < s.blocks(); b++)
        takers += b % 4 == 1 ? (all + 31) / 32 : 0;
    MUST(take(data.count) == takers);
}

static int run_shapes(int rounds)
{
    u32 most = 0;
    for (const shape &s : shapes)
        most = std::max(most, s.blocks() * s.threads());
    size_t bytes = most * sizeof(u32);
    u32 **all[] = {&data.out, &data.flags, &data.tickets, &data.scratch,
                   &data.here, &data.there};
    for (u32 **p : all)
        CK(cudaMalloc(p, bytes));
    alignas(4096) static u32 pieces[2 * PIECE];
    for (u32 i = 0; i < 2 * PIECE; i++)
        pieces[i] = i * i;
    CK(cudaHostRegister(pieces, sizeof pieces / 2, 0));
    CK(cudaHostRegister(pieces + PIECE, sizeof pieces / 2, 0));
    data.pieces = pieces;
    u32 **single[] = {&data.lock, &data.count, &data.next};
    for (u32 **p : single) {
        CK(cudaMalloc(p, sizeof(u32)));
        CK(cudaMemset(*p, 0, sizeof(u32)));
    }
    for (const shape &s : shapes) {
        std::vector<u32> numbers(s.blocks() * s.threads());
        for (u32 i = 0; i < numbers.size(); i++)
            numbers[i] = mix(i / s.threads(), i % s.threads());
        CK(cudaMemcpy(data.here, numbers.data(), numbers.size() * sizeof(u32),
                      cudaMemcpyHostToDevice));
        for (u32 &n : numbers)
            n += 7;
        CK(cudaMemcpy(data.there, numbers.data(), numbers.size() * sizeof(u32),
                      cudaMemcpyHostToDevice));
        for (int round = 0; round < rounds; round++)
            run_all(s);
    }
    return wrong;
}

/* In a process of its own; fused: how many warps run as one, NULL: where it
 * pays. */
static void in_fused(const char *name, const char *fused)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (fused)
            setenv("SOFTWARP_JIT_FUSE", fused, 1);
        int n = run_shapes(3);
        printf("%s: %d wrong\n", name, n);
        exit(n != 0);
    }
    waitpid(child, NULL, 0);
}

/* Without arguments: once, what always executes the same. */
int main(int count, char **)
{
    if (count == 1)
        return run_shapes(1) != 0;
    by_chance = true;
    in_fused("warps", "1");
    in_fused("as it pays", NULL);
    in_fused("fused", "8");
    return 0;
}
