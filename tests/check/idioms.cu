/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * idioms.cu - idioms of experts, right and with one thing wrong: barriers made
 * by hand, reused scratch memory, sequence locks, mutual exclusion by flags,
 * roles of warps, bit fields, order of streams, callbacks, pools; see cases.h.
 */
#include "cases.h"

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

enum { N = 64, BLOCKS = 4 };

/* ---- a barrier of the grid, made by hand ---- */

__device__ void all_blocks(unsigned *count, volatile unsigned *sense, bool joins)
{
    if (joins)
        __syncthreads();
    if (threadIdx.x == 0) {
        unsigned old = *sense;
        __threadfence();
        if (atomicInc(count, gridDim.x - 1) == gridDim.x - 1)
            *sense = old + 1;
        while (*sense == old)
            ;
        __threadfence();
    }
    __syncthreads();
}

template <bool joins>
__global__ void relax(int *a, int *b, unsigned *count, unsigned *sense)
{
    int i = blockIdx.x * N + threadIdx.x, n = gridDim.x * N;
    for (int k = 0; k < 3; k++) {
        b[i] = a[(i + 1) % n] + a[(i + n - 1) % n]; // spin_no_join: race-global
        all_blocks(count, sense, joins);
        a[i] = b[(i + N / 2) % n];
        all_blocks(count, sense, joins);
    }
}

template <bool joins>
static void run_relax()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N);
    unsigned *state = zeros<unsigned>(2);
    relax<joins><<<BLOCKS, N>>>(a, b, state, state + 1);
    finish();
    cudaFree(a);
    cudaFree(b);
    cudaFree(state);
}

static void spin_barrier()
{
    run_relax<true>();
}

static void spin_no_join()
{
    run_relax<false>();
}

/* ---- scratch memory that is used again ---- */

template <bool again>
__device__ int block_sum(int v)
{
    __shared__ int part[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (lane == 0)
        part[warp] = v; // scratch_again: race-shared
    __syncthreads();
    v = 0;
    for (int i = 0; i < blockDim.x / 32; i++)
        v += part[i];
    if (again)
        __syncthreads();
    return v;
}

template <bool again>
__global__ void moments(const int *a, int *out)
{
    int v = a[blockIdx.x * blockDim.x + threadIdx.x], sum = 0;
    for (int k = 0; k < 3; k++) {
        sum += block_sum<again>(v);
        v *= v;
    }
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

template <bool again>
static void run_moments()
{
    int *a = zeros<int>(BLOCKS * 128), *out = zeros<int>(BLOCKS);
    moments<again><<<BLOCKS, 128>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void scratch_again()
{
    run_moments<false>();
}

static void scratch_kept()
{
    run_moments<true>();
}

/* Work is handed out by one thread. */
template <bool second>
__global__ void take_work(int *next, int items, int *out)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1); // work_overtaken: race-shared
        __syncthreads();
        int mine = item;
        if (second)
            __syncthreads();
        if (mine >= items)
            break;
        out[mine * N + threadIdx.x] = mine;
    }
}

template <bool second>
static void run_work()
{
    int *next = zeros<int>(1), *out = zeros<int>(10 * N);
    take_work<second><<<BLOCKS, N>>>(next, 10, out);
    finish();
    cudaFree(next);
    cudaFree(out);
}

static void work_overtaken()
{
    run_work<false>();
}

static void work_shared()
{
    run_work<true>();
}

/* ---- a sequence lock ---- */

struct pair {
    unsigned version;
    int x, y;
};

template <bool plain>
__global__ void versions(pair *p, int *out)
{
    using ref = cuda::atomic_ref<unsigned, cuda::thread_scope_device>;
    using data = cuda::atomic_ref<int, cuda::thread_scope_device>;
    if (threadIdx.x)
        return;
    ref version(p->version);
    if (blockIdx.x == gridDim.x - 1) {
        for (int i = 0; i < 5; i++) {
            version.store(2 * i + 1, cuda::std::memory_order_relaxed);
            cuda::atomic_thread_fence(cuda::std::memory_order_release, cuda::thread_scope_device);
            if (plain) {
                p->x = i;
                p->y = -i; // sequence_plain: race-global
            } else {
                data(p->x).store(i, cuda::std::memory_order_relaxed);
                data(p->y).store(-i, cuda::std::memory_order_relaxed);
            }
            version.store(2 * i + 2, cuda::std::memory_order_release);
        }
        return;
    }
    unsigned before, after;
    int x, y;
    do {
        before = version.load(cuda::std::memory_order_acquire);
        x = plain ? ((volatile pair *)p)->x : data(p->x).load(cuda::std::memory_order_relaxed);
        y = plain ? ((volatile pair *)p)->y : data(p->y).load(cuda::std::memory_order_relaxed);
        cuda::atomic_thread_fence(cuda::std::memory_order_acquire, cuda::thread_scope_device);
        after = version.load(cuda::std::memory_order_relaxed);
    } while (before != after || before % 2);
    out[blockIdx.x] = x + y;
}

template <bool plain>
static void run_versions()
{
    pair *p = zeros<pair>(1);
    int *out = zeros<int>(BLOCKS);
    versions<plain><<<BLOCKS, 32>>>(p, out);
    finish();
    cudaFree(p);
    cudaFree(out);
}

static void sequence_atomic()
{
    run_versions<false>();
}

static void sequence_plain()
{
    run_versions<true>();
}

/* ---- two blocks exclude each other by flags (Peterson) ---- */

template <bool is_strong>
__global__ void by_turns(int *flags, int *turn, int *sum)
{
    using ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
    if (threadIdx.x)
        return;
    int me = blockIdx.x;
    constexpr auto after = is_strong ? cuda::std::memory_order_seq_cst : cuda::std::memory_order_relaxed;
    for (int i = 0; i < 4; i++) {
        ref(flags[me]).store(1, cuda::std::memory_order_seq_cst);
        ref(*turn).store(1 - me, cuda::std::memory_order_seq_cst);
        while (ref(flags[1 - me]).load(cuda::std::memory_order_seq_cst) && ref(*turn).load(cuda::std::memory_order_seq_cst) == 1 - me)
            ;
        *sum += me + 1; // turns_relaxed: race-global
        ref(flags[me]).store(0, after);
    }
}

template <bool is_strong>
static void run_turns()
{
    int *p = zeros<int>(4);
    by_turns<is_strong><<<2, 32>>>(p, p + 2, p + 3);
    finish();
    cudaFree(p);
}

static void turns_strong()
{
    run_turns<true>();
}

static void turns_relaxed()
{
    run_turns<false>();
}

/* ---- roles of warps ---- */

template <bool gives_back>
__global__ void produce_consume(const int *in, int *out, int rounds)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ int buffer[2][32];
    __shared__ barrier full[2], empty[2];
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            init(&full[i], 64);
            init(&empty[i], 64);
        }
    __syncthreads();
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int r = 0; r < rounds; r++) {
            if (gives_back)
                empty[r % 2].arrive_and_wait();
            buffer[r % 2][lane] = in[r * 32 + lane]; // roles_overrun: race-shared
            (void)full[r % 2].arrive();
        }
    } else {
        int sum = 0;
        if (gives_back)
            for (int i = 0; i < 2; i++)
                (void)empty[i].arrive();
        for (int r = 0; r < rounds; r++) {
            full[r % 2].arrive_and_wait();
            sum += buffer[r % 2][31 - lane];
            if (gives_back)
                (void)empty[r % 2].arrive();
        }
        out[lane] = sum;
    }
}

template <bool gives_back>
static void run_roles()
{
    int *in = zeros<int>(6 * 32), *out = zeros<int>(32);
    produce_consume<gives_back><<<1, 64>>>(in, out, gives_back ? 6 : 3);
    finish();
    cudaFree(in);
    cudaFree(out);
}

static void roles_right()
{
    run_roles<true>();
}

static void roles_overrun()
{
    run_roles<false>();
}

/* ---- a pipeline of two stages ---- */

template <bool waits>
__global__ void stages(const int *in, int *out, int rounds)
{
    __shared__ int buffer[2][N];
    auto pipe = cuda::make_pipeline();
    int t = threadIdx.x;
    pipe.producer_acquire();
    cuda::memcpy_async(&buffer[0][t], &in[t], sizeof(int), pipe);
    pipe.producer_commit();
    for (int r = 0; r < rounds; r++) {
        if (r + 1 < rounds) {
            pipe.producer_acquire();
            cuda::memcpy_async(&buffer[(r + 1) % 2][t], &in[(r + 1) * N + t], sizeof(int), pipe);
            pipe.producer_commit();
            if (waits)
                cuda::pipeline_consumer_wait_prior<1>(pipe);
        } else
            cuda::pipeline_consumer_wait_prior<0>(pipe);
        __syncthreads();
        out[r * N + t] = buffer[r % 2][N - 1 - t]; // stages_no_wait: sync-async
        __syncthreads();
        pipe.consumer_release();
    }
}

template <bool waits>
static void run_stages()
{
    int *in = zeros<int>(4 * N), *out = zeros<int>(4 * N);
    stages<waits><<<1, N>>>(in, out, 4);
    finish();
    cudaFree(in);
    cudaFree(out);
}

static void stages_right()
{
    run_stages<true>();
}

static void stages_no_wait()
{
    run_stages<false>();
}

/* ---- parts of words ---- */

struct bits {
    unsigned char low : 4, high : 4;
};

__global__ void fields(bits *b)
{
    int i = threadIdx.x / 2;
    if (threadIdx.x % 2)
        b[i].high = 3;
    else
        b[i].low = 5; // bits_of_one_byte: race-global
}

static void bits_of_one_byte()
{
    bits *b = zeros<bits>(32);
    fields<<<1, 64>>>(b);
    finish();
    cudaFree(b);
}

__global__ void halves(short2 *v, uchar4 *c)
{
    int i = threadIdx.x / 4, k = threadIdx.x % 4;
    (&c[i].x)[k] = k;
    if (k < 2)
        (&v[i].x)[k] = k;
}

static void members_apart()
{
    short2 *v = zeros<short2>(16);
    uchar4 *c = zeros<uchar4>(16);
    halves<<<1, 64>>>(v, c);
    finish();
    cudaFree(v);
    cudaFree(c);
}

/* ---- flags and data that are both volatile; a queue of one slot ---- */

__global__ void mailbox(volatile int *slot, volatile int *flag, int *out)
{
    if (threadIdx.x)
        return;
    for (int i = 1; i < 6; i++) {
        if (blockIdx.x == 0) {
            while (*flag)
                ;
            __threadfence();
            *slot = i;
            __threadfence();
            *flag = 1;
        } else {
            while (!*flag)
                ;
            __threadfence();
            *out += *slot;
            __threadfence();
            *flag = 0;
        }
    }
}

static void mailbox_volatile()
{
    int *p = zeros<int>(3);
    mailbox<<<2, 32>>>(p, p + 1, p + 2);
    finish();
    cudaFree(p);
}

/* ---- a stack from which blocks take ---- */

struct item {
    int value, next;
};

template <bool acquires>
__global__ void take(item *items, int *head, int *out)
{
    using ref = cuda::atomic_ref<int, cuda::thread_scope_device>;
    constexpr auto order = acquires ? cuda::std::memory_order_acquire : cuda::std::memory_order_relaxed;
    int me = blockIdx.x * blockDim.x + threadIdx.x;
    if (blockIdx.x == 0) {
        items[threadIdx.x].value = me;
        int old = ref(*head).load(cuda::std::memory_order_relaxed);
        do
            items[threadIdx.x].next = old; // stack_relaxed: race-global
        while (!ref(*head).compare_exchange_weak(old, threadIdx.x + 1, cuda::std::memory_order_release, cuda::std::memory_order_relaxed));
        return;
    }
    if (threadIdx.x)
        return;
    int all = 0;
    while (all < N) {
        int at = ref(*head).exchange(0, order);
        for (; at; at = items[at - 1].next) {
            all++;
            out[0] += items[at - 1].value;
        }
    }
}

template <bool acquires>
static void run_take()
{
    item *items = zeros<item>(N);
    int *p = zeros<int>(2);
    take<acquires><<<2, N>>>(items, p, p + 1);
    finish();
    cudaFree(items);
    cudaFree(p);
}

static void stack_acquired()
{
    run_take<true>();
}

static void stack_relaxed()
{
    run_take<false>();
}

/* ---- warps aggregate ---- */

__global__ void compact(const int *in, int *out, unsigned *count)
{
    int v = in[blockIdx.x * N + threadIdx.x];
    if (v > 0) {
        auto g = cg::coalesced_threads();
        unsigned base = 0;
        if (g.thread_rank() == 0)
            base = atomicAdd(count, g.size());
        out[g.shfl(base, 0) + g.thread_rank()] = v;
    }
}

static void compact_by_group()
{
    int host[BLOCKS * N];
    for (int i = 0; i < BLOCKS * N; i++)
        host[i] = i % 3 - 1;
    int *in = zeros<int>(BLOCKS * N), *out;
    unsigned *count = zeros<unsigned>(1), n;
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    compact<<<BLOCKS, N>>>(in, out, count);
    finish();
    cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, out, n * sizeof *out, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
}

/* ---- the grid synchronises ---- */

template <bool all>
__global__ void grid_steps(int *a, int *b)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    for (int k = 0; k < 2; k++) {
        b[i] = a[n - 1 - i];
        grid.sync();
        a[i] = b[(i + 7) % n]; // grid_one_short: race-global
        if (all)
            grid.sync();
    }
}

template <bool all>
static void run_grid()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N);
    void *args[] = {&a, &b};
    cudaLaunchCooperativeKernel((void *)grid_steps<all>, dim3(BLOCKS), dim3(N), args, 0, 0);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void grid_all()
{
    run_grid<true>();
}

static void grid_one_short()
{
    run_grid<false>();
}

#define CASES(X)                                                               \
    X(spin_barrier) X(spin_no_join) X(scratch_again) X(scratch_kept)           \
    X(work_overtaken) X(work_shared) X(sequence_atomic) X(sequence_plain)      \
    X(turns_strong) X(turns_relaxed) X(roles_right) X(roles_overrun)           \
    X(stages_right) X(stages_no_wait) X(bits_of_one_byte) X(members_apart)     \
    X(mailbox_volatile) X(stack_acquired) X(stack_relaxed)                     \
    X(compact_by_group) X(grid_all) X(grid_one_short)
CASES_MAIN
