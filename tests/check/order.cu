/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * order.cu - blocks and threads that order each other by flags, locks, counters
 * and barriers of many forms, each right and wrong; see cases.h.
 */
#include "cases.h"

#include <cooperative_groups.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

enum { N = 64, BLOCKS = 4 };

/* ---- a decoupled look-back ---- */

struct tile {
    int aggregate, prefix;
    unsigned state; /* 1: the aggregate is there, 2: the prefix */
};

template <bool has_fence>
__global__ void lookback(const int *a, int *out, tile *tiles, unsigned *turn)
{
    __shared__ unsigned mine;
    __shared__ int before, sum;
    if (threadIdx.x == 0) {
        mine = atomicAdd(turn, 1u);
        before = sum = 0;
    }
    __syncthreads();
    int v = a[mine * N + threadIdx.x];
    atomicAdd(&sum, v);
    __syncthreads();
    if (threadIdx.x == 0) {
        tiles[mine].aggregate = sum;
        if (has_fence)
            __threadfence();
        atomicExch(&tiles[mine].state, 1u);
        for (int t = (int)mine - 1; t >= 0; t--) {
            unsigned s;
            while ((s = atomicAdd(&tiles[t].state, 0u)) == 0)
                ;
            __threadfence();
            if (s == 2) {
                before += tiles[t].prefix;
                break;
            }
            before += tiles[t].aggregate;
        }
        tiles[mine].prefix = before + sum;
        __threadfence();
        atomicExch(&tiles[mine].state, 2u);
    }
    __syncthreads();
    out[mine * N + threadIdx.x] = before + v;
}

template <bool has_fence>
static void run_lookback()
{
    int *a = zeros<int>(BLOCKS * N), *out = zeros<int>(BLOCKS * N);
    tile *t = zeros<tile>(BLOCKS);
    unsigned *turn = zeros<unsigned>(1);
    lookback<has_fence><<<BLOCKS, N>>>(a, out, t, turn);
    finish();
    cudaFree(a);
    cudaFree(out);
    cudaFree(t);
    cudaFree(turn);
}

static void lookback_fenced()
{
    run_lookback<true>();
}

/* Its values are packed with the state into one word: no fence is wanted. */
__global__ void packed(const int *a, int *out, unsigned long long *tiles)
{
    int b = blockIdx.x, before = 0;
    if (threadIdx.x)
        return;
    for (int i = 0; i < N; i++)
        before += a[b * N + i];
    atomicExch(&tiles[b], 1ull << 32 | (unsigned)before);
    for (int t = b - 1; t >= 0; t--) {
        unsigned long long w;
        do {
            w = ((volatile unsigned long long *)tiles)[t];
        } while (!(w >> 32));
        before += (int)w;
    }
    out[b] = before;
}

static void lookback_packed()
{
    int *a = zeros<int>(BLOCKS * N), *out = zeros<int>(BLOCKS);
    unsigned long long *t = zeros<unsigned long long>(BLOCKS);
    packed<<<BLOCKS, N>>>(a, out, t);
    finish();
    cudaFree(a);
    cudaFree(out);
    cudaFree(t);
}

/* ---- the last block adds up ---- */

template <bool has_barrier>
__global__ void last_block(const int *a, int *parts, unsigned *count, int *out)
{
    __shared__ bool last;
    __shared__ int sum;
    int t = threadIdx.x;
    parts[blockIdx.x * N + t] = a[blockIdx.x * N + t] + 1;
    __threadfence();
    if (has_barrier)
        __syncthreads();
    if (t == 0) {
        sum = 0;
        last = atomicAdd(count, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!last)
        return;
    for (int i = t; i < BLOCKS * N; i += N)
        atomicAdd(&sum, parts[i]); // last_too_early: race-global
    __syncthreads();
    if (t == 0)
        *out = sum;
}

template <bool has_barrier>
static void run_last()
{
    int *a = zeros<int>(BLOCKS * N), *parts = zeros<int>(BLOCKS * N);
    unsigned *count = zeros<unsigned>(1);
    int *out = zeros<int>(1);
    last_block<has_barrier><<<BLOCKS, N>>>(a, parts, count, out);
    finish();
    cudaFree(a);
    cudaFree(parts);
    cudaFree(count);
    cudaFree(out);
}

static void last_too_early()
{
    run_last<false>();
}

static void last_in_order()
{
    run_last<true>();
}

__global__ void count_plainly(unsigned *count, int *out)
{
    if (threadIdx.x == 0 && ++*count == gridDim.x) // last_not_atomic: race-global
        *out = 1;
}

static void last_not_atomic()
{
    unsigned *count = zeros<unsigned>(1);
    int *out = zeros<int>(1);
    count_plainly<<<BLOCKS, N>>>(count, out);
    finish();
    cudaFree(count);
    cudaFree(out);
}

/* ---- flags ---- */

template <bool is_volatile>
__global__ void by_flag(int *data, int *flag, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 5;
        __threadfence();
        if (is_volatile)
            *(volatile int *)flag = 1;
        else
            *flag = 1; // flag_not_volatile: race-global
    } else {
        while (*(volatile int *)flag == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

template <bool is_volatile>
static void run_flag()
{
    int *p = zeros<int>(3);
    by_flag<is_volatile><<<2, N>>>(p, p + 1, p + 2);
    finish();
    cudaFree(p);
}

static void flag_not_volatile()
{
    run_flag<false>();
}

static void flag_volatile()
{
    run_flag<true>();
}

template <cuda::std::memory_order stores, cuda::std::memory_order loads>
__global__ void by_atomic(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 5;
        f.store(1, stores);
    } else {
        while (f.load(loads) == 0)
            ;
        *out = *data;
    }
}

template <cuda::std::memory_order stores, cuda::std::memory_order loads>
static void run_atomic()
{
    int *p = zeros<int>(3);
    by_atomic<stores, loads><<<2, N>>>(p, p + 1, p + 2);
    finish();
    cudaFree(p);
}

__global__ void released(int *data, int *flag, int *out)
{
    cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 5; // released_relaxed: race-global
        f.store(1, cuda::std::memory_order_relaxed);
    } else {
        while (f.load(cuda::std::memory_order_acquire) == 0)
            ;
        *out = *data;
    }
}

static void released_relaxed()
{
    int *p = zeros<int>(3);
    released<<<2, N>>>(p, p + 1, p + 2);
    finish();
    cudaFree(p);
}

static void released_acquired()
{
    run_atomic<cuda::std::memory_order_release,
               cuda::std::memory_order_acquire>();
}

static void released_in_order()
{
    run_atomic<cuda::std::memory_order_seq_cst,
               cuda::std::memory_order_seq_cst>();
}

/* ---- scopes ---- */

template <bool is_wide>
__global__ void scoped(int *sum)
{
    if (is_wide)
        atomicAdd_system(sum, 1);
    else
        atomicAdd_block(sum, 1); // scope_of_block: race-global
}

static void scope_of_block()
{
    int *p = zeros<int>(1);
    scoped<false><<<BLOCKS, N>>>(p);
    finish();
    cudaFree(p);
}

static void scope_of_system()
{
    int *p = zeros<int>(1);
    scoped<true><<<BLOCKS, N>>>(p);
    finish();
    cudaFree(p);
}

static void scope_one_block()
{
    int *p = zeros<int>(1);
    scoped<false><<<1, N>>>(p);
    finish();
    cudaFree(p);
}

__global__ void block_fence(int *data, unsigned *flag, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x == 0) {
        *data = 5; // fence_of_block: race-global
        __threadfence_block();
        atomicExch(flag, 1u);
    } else {
        while (atomicAdd(flag, 0u) == 0)
            ;
        __threadfence();
        *out = *data;
    }
}

static void fence_of_block()
{
    int *p = zeros<int>(3);
    block_fence<<<2, N>>>(p, (unsigned *)p + 1, p + 2);
    finish();
    cudaFree(p);
}

/* ---- locks ---- */

template <bool has_fence>
__global__ void ticket(unsigned *next, unsigned *serving, int *a)
{
    if (threadIdx.x)
        return;
    unsigned mine = atomicAdd(next, 1u);
    while (atomicAdd(serving, 0u) != mine)
        ;
    __threadfence();
    *a += 1; // ticket_unfenced: race-global
    if (has_fence)
        __threadfence();
    atomicAdd(serving, 1u);
}

static void ticket_unfenced()
{
    unsigned *p = zeros<unsigned>(3);
    ticket<false><<<BLOCKS, N>>>(p, p + 1, (int *)p + 2);
    finish();
    cudaFree(p);
}

static void ticket_fenced()
{
    unsigned *p = zeros<unsigned>(3);
    ticket<true><<<BLOCKS, N>>>(p, p + 1, (int *)p + 2);
    finish();
    cudaFree(p);
}

__global__ void two_locks(int *lock, int *a)
{
    if (threadIdx.x)
        return;
    int *l = lock + blockIdx.x % 2;
    while (atomicCAS(l, 0, 1))
        ;
    __threadfence();
    *a += 1; // different_locks: race-global
    __threadfence();
    atomicExch(l, 0);
}

static void different_locks()
{
    int *p = zeros<int>(3);
    two_locks<<<BLOCKS, N>>>(p, p + 2);
    finish();
    cudaFree(p);
}

/* ---- structures without locks ---- */

struct node {
    int value;
    node *next;
};

__global__ void push(node **head, node *nodes)
{
    node *mine = nodes + blockIdx.x * blockDim.x + threadIdx.x, *old = *(node *volatile *)head, *seen;
    mine->value = threadIdx.x;
    do {
        seen = old;
        mine->next = seen;
        __threadfence();
        old = (node *)atomicCAS((unsigned long long *)head, (unsigned long long)seen, (unsigned long long)mine);
    } while (old != seen);
}

template <bool is_late>
__global__ void push_and_walk(node **head, node *nodes, int *out)
{
    if (threadIdx.x)
        return;
    if (blockIdx.x) {
        node *mine = nodes + blockIdx.x;
        mine->value = blockIdx.x;
        if (!is_late)
            mine->next = nullptr;
        __threadfence();
        atomicExch((unsigned long long *)head, (unsigned long long)mine);
        if (is_late)
            mine->next = nullptr; // walked_late: race-global
        return;
    }
    node *n;
    while (!(n = *(node *volatile *)head))
        ;
    __threadfence();
    *out = n->value;
    out[1] = n->next != nullptr;
}

static void pushed_in_order()
{
    node **head = zeros<node *>(1);
    node *nodes = zeros<node>(BLOCKS * N);
    push<<<BLOCKS, N>>>(head, nodes);
    finish();
    cudaFree(head);
    cudaFree(nodes);
}

template <bool is_late>
static void run_walk()
{
    node **head = zeros<node *>(1);
    node *nodes = zeros<node>(N);
    int *out = zeros<int>(2);
    push_and_walk<is_late><<<2, N>>>(head, nodes, out);
    finish();
    cudaFree(head);
    cudaFree(nodes);
    cudaFree(out);
}

static void walked_late()
{
    run_walk<true>();
}

static void walked_in_order()
{
    run_walk<false>();
}

__global__ void ring(int *slots, unsigned *states, unsigned *tail, int *out)
{
    enum { SLOTS = 8 };
    if (threadIdx.x)
        return;
    for (int i = 0; i < 8; i++) {
        if (blockIdx.x < 2) {
            unsigned at = atomicAdd(tail, 1u);
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> s(states[at % SLOTS]);
            while (s.load(cuda::std::memory_order_acquire) != at / SLOTS * 2)
                ;
            slots[at % SLOTS] = at;
            s.store(at / SLOTS * 2 + 1, cuda::std::memory_order_release);
        } else {
            unsigned at = atomicAdd(tail + 1, 1u);
            cuda::atomic_ref<unsigned, cuda::thread_scope_device> s(states[at % SLOTS]);
            while (s.load(cuda::std::memory_order_acquire) != at / SLOTS * 2 + 1)
                ;
            out[at] = slots[at % SLOTS];
            s.store(at / SLOTS * 2 + 2, cuda::std::memory_order_release);
        }
    }
}

static void ring_of_slots()
{
    int *slots = zeros<int>(8), *out = zeros<int>(16);
    unsigned *states = zeros<unsigned>(8), *tail = zeros<unsigned>(2);
    ring<<<4, N>>>(slots, states, tail, out);
    finish();
    cudaFree(slots);
    cudaFree(out);
    cudaFree(states);
    cudaFree(tail);
}

/* Work is taken from a counter; results lie apart. */
__global__ void persistent(unsigned *next, int *out, int n)
{
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1u);
        __syncthreads();
        unsigned mine = item;
        __syncthreads();
        if (mine >= n)
            return;
        out[mine * N + threadIdx.x] = mine;
    }
}

__global__ void persistent_wrong(unsigned *next, int *out, int n)
{
    __shared__ unsigned item;
    for (;;) {
        if (threadIdx.x == 0)
            item = atomicAdd(next, 1u);
        __syncthreads();
        unsigned mine = item; // queue_no_barrier: race-shared
        if (mine >= n)
            return;
        out[mine * N + threadIdx.x] = mine;
    }
}

template <bool is_right>
static void run_queue()
{
    unsigned *next = zeros<unsigned>(1);
    int *out = zeros<int>(8 * N);
    if (is_right)
        persistent<<<2, N>>>(next, out, 8);
    else
        persistent_wrong<<<1, N>>>(next, out, 2);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(next);
    cudaFree(out);
}

static void queue_no_barrier()
{
    run_queue<false>();
}

static void queue()
{
    run_queue<true>();
}

/* ---- grids and clusters ---- */

template <bool has_barrier>
__global__ void two_phases(const int *a, int *b, int *c)
{
    int i = blockIdx.x * N + threadIdx.x;
    b[i] = a[i] + 1;
    if (has_barrier)
        cg::this_grid().sync();
    c[i] = b[(i + N) % (BLOCKS * N)]; // grid_no_barrier: race-global
}

template <bool has_barrier>
static void run_grid()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N), *c = zeros<int>(BLOCKS * N);
    void *args[] = {&a, &b, &c};
    if (cudaLaunchCooperativeKernel((void *)two_phases<has_barrier>, dim3(BLOCKS), dim3(N), args, 0, 0))
        exit(2);
    finish();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void grid_no_barrier()
{
    run_grid<false>();
}

static void grid_barrier()
{
    run_grid<true>();
}

template <bool first, bool second>
__global__ void __cluster_dims__(2, 1, 1) neighbours(int *out)
{
    __shared__ int s[N];
    cg::cluster_group c = cg::this_cluster();
    unsigned other = c.block_rank() ^ 1;
    s[threadIdx.x] = 1;
    c.sync();
    c.map_shared_rank(s, other)[threadIdx.x] = threadIdx.x + other;
    if (first)
        c.sync();
    out[blockIdx.x * N + threadIdx.x] = s[threadIdx.x]; // cluster_no_barrier: race-shared
    if (second)
        c.sync();
}

template <bool first, bool second>
static void run_cluster()
{
    int *out = zeros<int>(2 * N);
    neighbours<first, second><<<2, N>>>(out);
    finish();
    cudaFree(out);
}

static void cluster_no_barrier()
{
    run_cluster<false, true>();
}

static void cluster_barrier()
{
    run_cluster<true, true>();
}

/* ---- barriers in shared memory ---- */

template <bool waits>
__global__ void arrive_wait(const int *a, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    __shared__ barrier b;
    __shared__ int s[N];
    if (threadIdx.x == 0)
        init(&b, N);
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = a[threadIdx.x] + i;
        b.arrive_and_wait();
        out[threadIdx.x] += s[N - 1 - threadIdx.x]; // barrier_once: race-shared
        if (waits)
            b.arrive_and_wait();
    }
}

template <bool waits>
static void run_barrier()
{
    int *a = zeros<int>(N), *out = zeros<int>(N);
    arrive_wait<waits><<<1, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void barrier_once()
{
    run_barrier<false>();
}

static void barrier_twice()
{
    run_barrier<true>();
}

/* Half of the warps produce into two buffers, half consume. */
template <bool is_late>
__global__ void two_buffers(const int *a, int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block>;
    enum { STEPS = 4, HALF = N / 2 };
    __shared__ barrier full[2], empty[2];
    __shared__ int s[2][HALF];
    int t = threadIdx.x;
    if (t < 2) {
        init(&full[t], HALF);
        init(&empty[t], HALF);
    }
    __syncthreads();
    if (t < HALF) {
        for (int i = 0; i < STEPS; i++) {
            if (i >= 2)
                empty[i % 2].wait_parity((i / 2 - 1) % 2);
            s[i % 2][t] = a[i * HALF + t];
            (void)full[i % 2].arrive();
        }
    } else {
        int sum = 0;
        for (int i = 0; i < STEPS; i++) {
            full[i % 2].wait_parity(i / 2 % 2);
            if (!is_late)
                (void)empty[i % 2].arrive();
            sum += s[i % 2][(t + 1) % HALF]; // refilled: race-shared
            if (is_late)
                (void)empty[i % 2].arrive();
        }
        out[t - HALF] = sum;
    }
}

template <bool is_late>
static void run_buffers()
{
    int *a = zeros<int>(4 * N), *out = zeros<int>(N);
    two_buffers<is_late><<<1, N>>>(a, out);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    cudaFree(a);
    cudaFree(out);
}

static void refilled()
{
    run_buffers<false>();
}

static void refilled_in_order()
{
    run_buffers<true>();
}

/* Named barriers: producers arrive, consumers wait. */
template <bool is_right>
__global__ void named(const int *a, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;
    if (t < 32) {
        s[t] = a[t];
        if (is_right)
            asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
        if (is_right)
            asm volatile("bar.sync 1, 64;" ::: "memory");
        out[t - 32] = s[63 - t]; // named_none: race-shared
    }
}

template <bool is_right>
static void run_named()
{
    int *a = zeros<int>(N), *out = zeros<int>(N);
    named<is_right><<<1, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void named_none()
{
    run_named<false>();
}

static void named_right()
{
    run_named<true>();
}

/* ---- cp.async ---- */

template <int groups, bool has_barrier>
__global__ void pipelined(const int *a, int *out, int n)
{
    __shared__ int s[2][N];
    int t = threadIdx.x, sum = 0;
    __pipeline_memcpy_async(&s[0][t], &a[t], 4);
    __pipeline_commit();
    for (int i = 0; i < n; i++) {
        if (i + 1 < n)
            __pipeline_memcpy_async(&s[(i + 1) % 2][t], &a[(i + 1) * N + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(groups);
        if (has_barrier)
            __syncthreads();
        if (has_barrier)
            sum += s[i % 2][N - 1 - t]; // groups_many: sync-async
        else
            sum += s[i % 2][N - 1 - t]; // async_no_barrier: race-shared
        __syncthreads();
    }
    out[t] = sum;
}

template <int groups, bool has_barrier>
static void run_pipeline()
{
    int *a = zeros<int>(4 * N), *out = zeros<int>(N);
    pipelined<groups, has_barrier><<<1, N>>>(a, out, 4);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void groups_many()
{
    run_pipeline<2, true>();
}

static void async_no_barrier()
{
    run_pipeline<0, false>();
}

static void groups_right()
{
    run_pipeline<1, true>();
}

__global__ void overwritten(const int *a, int *out, int n)
{
    __shared__ int s[N];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i < n; i++) {
        __pipeline_memcpy_async(&s[t], &a[i * N + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        sum += s[N - 1 - t]; // async_too_soon: race-shared
    }
    out[t] = sum;
}

static void async_too_soon()
{
    int *a = zeros<int>(4 * N), *out = zeros<int>(N);
    overwritten<<<1, N>>>(a, out, 4);
    finish();
    cudaFree(a);
    cudaFree(out);
}

#define CASES(X)                                                               \
    X(lookback_fenced) X(lookback_packed)                 \
    X(last_too_early) X(last_in_order) X(last_not_atomic)                      \
    X(flag_not_volatile) X(flag_volatile) X(released_relaxed)                  \
    X(released_acquired) X(released_in_order) X(scope_of_block)                \
    X(scope_of_system) X(scope_one_block) X(fence_of_block)                    \
    X(ticket_unfenced) X(ticket_fenced) X(different_locks)                     \
    X(pushed_in_order) X(walked_late) X(walked_in_order) X(ring_of_slots)      \
    X(queue_no_barrier) X(queue) X(grid_no_barrier) X(grid_barrier)            \
    X(cluster_no_barrier) X(cluster_barrier) X(barrier_once)                   \
    X(barrier_twice) X(refilled) X(refilled_in_order) X(named_none)            \
    X(named_right) X(groups_many) X(async_no_barrier) X(groups_right)          \
    X(async_too_soon)
CASES_MAIN
