/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90 -std=c++17
/*
 * guises.cu - right programs that look wrong, and wrong ones that look right:
 * lock-free structures, queues, clusters, pipelines, graphs; see cases.h.
 */
#include "cases.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

enum { N = 128, BLOCKS = 4 };

/* ---- compare and swap ---- */

__device__ double add_double(double *word, double by)
{
    auto *bits = (unsigned long long *)word;
    unsigned long long old = *bits, seen;
    do {
        seen = old;
        old = atomicCAS(bits, seen,
                        __double_as_longlong(by + __longlong_as_double(seen)));
    } while (old != seen);
    return __longlong_as_double(old);
}

__device__ void max_float(float *word, float by)
{
    int old = *(int *)word;
    while (__int_as_float(old) < by) {
        int seen = old;
        old = atomicCAS((int *)word, seen, __float_as_int(by));
        if (old == seen)
            break;
    }
}

__global__ void add_and_max(double *sum, float *most)
{
    __shared__ double part;
    if (threadIdx.x == 0)
        part = 0;
    __syncthreads();
    add_double(&part, 1);
    __syncthreads();
    if (threadIdx.x == 0)
        add_double(sum, part);
    max_float(most, (float)threadIdx.x);
}

static void swaps()
{
    double *sum = zeros<double>(1);
    float *most = zeros<float>(1);
    add_and_max<<<BLOCKS, N>>>(sum, most);
    finish();
    cudaFree(sum);
    cudaFree(most);
}

/* The word is added to as if nobody else did. */
__global__ void add_plainly(double *sum)
{
    if (threadIdx.x % 2)
        *sum += 1; // swap_beside_plain: race-global
    else
        add_double(sum, 1);
}

static void swap_beside_plain()
{
    double *sum = zeros<double>(1);
    add_plainly<<<1, N>>>(sum);
    finish();
    cudaFree(sum);
}

/* ---- a lock that is looked at before it is taken ---- */

__global__ void count_locked(int *lock, int *count)
{
    if (threadIdx.x)
        return;
    for (int i = 0; i < 3; i++) {
        while (*(volatile int *)lock || atomicCAS(lock, 0, 1))
            ;
        __threadfence();
        *count += 1;
        __threadfence();
        atomicExch(lock, 0);
    }
}

static void lock_seen()
{
    int *lock = zeros<int>(1), *count = zeros<int>(1);
    count_locked<<<BLOCKS, 32>>>(lock, count);
    finish();
    cudaFree(lock);
    cudaFree(count);
}

/* The lock is given back by a plain store. */
__global__ void count_then_store(int *lock, int *count)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    *count += 1;
    __threadfence();
    *lock = 0; // given_back_plainly: race-global
}

static void given_back_plainly()
{
    int *lock = zeros<int>(1), *count = zeros<int>(1);
    count_then_store<<<BLOCKS, 32>>>(lock, count);
    finish();
    cudaFree(lock);
    cudaFree(count);
}

/* ---- a queue of many producers and consumers ---- */

struct slot {
    cuda::atomic<unsigned, cuda::thread_scope_device> turn;
    int value;
};

template <cuda::std::memory_order publish>
__global__ void exchange(slot *slots, unsigned *tickets, int *out)
{
    enum { SLOTS = 8 };
    if (threadIdx.x % 32)
        return;
    if (blockIdx.x % 2 == 0) {
        unsigned t = atomicAdd(&tickets[0], 1);
        slot *s = &slots[t % SLOTS];
        while (s->turn.load(cuda::std::memory_order_acquire) != t / SLOTS * 2)
            ;
        s->value = (int)t;
        s->turn.store(t / SLOTS * 2 + 1, publish);
    } else {
        unsigned t = atomicAdd(&tickets[1], 1);
        slot *s = &slots[t % SLOTS];
        while (s->turn.load(cuda::std::memory_order_acquire) !=
               t / SLOTS * 2 + 1)
            ;
        out[t] = s->value; // queue_relaxed: race-global
        s->turn.store(t / SLOTS * 2 + 2, cuda::std::memory_order_release);
    }
}

template <cuda::std::memory_order publish>
static void run_queue()
{
    slot *slots = (slot *)zeros<long long>(8);
    unsigned *tickets = zeros<unsigned>(2);
    int *out = zeros<int>(BLOCKS * N);
    exchange<publish><<<2 * BLOCKS, N>>>(slots, tickets, out);
    finish();
    cudaFree(slots);
    cudaFree(tickets);
    cudaFree(out);
}

static void queue_released()
{
    run_queue<cuda::std::memory_order_release>();
}

static void queue_relaxed()
{
    run_queue<cuda::std::memory_order_relaxed>();
}

/* ---- the last block, again and again ---- */

template <bool has_fence>
__global__ void total(const int *a, int *part, unsigned *done, int *out)
{
    __shared__ bool is_last;
    int sum = __reduce_add_sync(~0u, a[blockIdx.x * 32 + threadIdx.x]);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = sum;
        if (has_fence)
            __threadfence();
        is_last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    if (has_fence)
        __threadfence();
    int all = threadIdx.x < gridDim.x ? part[threadIdx.x] : 0; // last_no_fence: race-global
    all = __reduce_add_sync(~0u, all);
    if (threadIdx.x == 0)
        *out = all;
}

template <bool has_fence>
static void run_total()
{
    int *a = zeros<int>(32 * BLOCKS), *part = zeros<int>(BLOCKS);
    int *out = zeros<int>(1);
    unsigned *done = zeros<unsigned>(1);
    for (int i = 0; i < 3; i++)
        total<has_fence><<<BLOCKS, 32>>>(a, part, done, out);
    finish();
    cudaFree(a);
    cudaFree(part);
    cudaFree(out);
    cudaFree(done);
}

static void last_fenced()
{
    run_total<true>();
}

static void last_no_fence()
{
    run_total<false>();
}

/* ---- memory of the other blocks of a cluster ---- */

template <bool waits_at_end>
__global__ void __cluster_dims__(2) take_from_next(int *out)
{
    __shared__ int s[N];
    cg::cluster_group cluster = cg::this_cluster();
    s[threadIdx.x] = (int)threadIdx.x;
    cluster.sync();
    int *next = cluster.map_shared_rank(s, cluster.block_rank() ^ 1);
    int v = next[N - 1 - threadIdx.x]; // left_early: race-shared
    out[blockIdx.x * N + threadIdx.x] = v;
    if (waits_at_end)
        cluster.sync();
}

template <bool waits_at_end>
static void run_cluster()
{
    int *out = zeros<int>(2 * N);
    take_from_next<waits_at_end><<<2, N>>>(out);
    finish();
    cudaFree(out);
}

static void left_in_order()
{
    run_cluster<true>();
}

static void left_early()
{
    run_cluster<false>();
}

__global__ void __cluster_dims__(2) histogram(const int *a, int *out)
{
    __shared__ int bins[8];
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x < 8)
        bins[threadIdx.x] = 0;
    cluster.sync();
    int v = a[blockIdx.x * N + threadIdx.x] & 15;
    atomicAdd(cluster.map_shared_rank(&bins[v & 7], v >> 3), 1);
    cluster.sync();
    if (threadIdx.x < 8)
        atomicAdd(&out[cluster.block_rank() * 8 + threadIdx.x],
                  bins[threadIdx.x]);
}

static void bins_of_cluster()
{
    int *a = zeros<int>(2 * BLOCKS * N), *out = zeros<int>(16);
    histogram<<<2 * BLOCKS, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

/* A store that the other block's mbarrier counts. */
__global__ void __cluster_dims__(2) pass_value(int *out)
{
    __shared__ alignas(8) unsigned long long bar;
    __shared__ int s;
    unsigned at = (unsigned)__cvta_generic_to_shared(&s);
    unsigned object = (unsigned)__cvta_generic_to_shared(&bar);
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(object));
        asm volatile(
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 4;" ::"r"(
                object));
    }
    cluster.sync();
    if (threadIdx.x == 0) {
        unsigned to, there, other = cluster.block_rank() ^ 1;
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(to)
            : "r"(at), "r"(other));
        asm("mapa.shared::cluster.u32 %0, %1, %2;"
            : "=r"(there)
            : "r"(object), "r"(other));
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32"
                     " [%0], %1, [%2];" ::"r"(to),
                     "r"(5 + other), "r"(there)
                     : "memory");
    }
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
                 "@!p bra again;\n}" ::"r"(object)
                 : "memory");
    out[blockIdx.x * 32 + threadIdx.x] = s;
    cluster.sync();
}

static void value_passed()
{
    int *out = zeros<int>(64);
    pass_value<<<2, 32>>>(out);
    finish();
    cudaFree(out);
}

/* ---- masks ---- */

/* The lanes that vote are those that the mask leaves out. */
template <unsigned mask>
__global__ void vote_of_odd(unsigned *out)
{
    if (threadIdx.x % 2)
        out[threadIdx.x] = __ballot_sync(mask, threadIdx.x > 3); // others_named: sync-mask
}

template <unsigned mask>
static void run_vote()
{
    unsigned *out = zeros<unsigned>(32);
    vote_of_odd<mask><<<1, 32>>>(out);
    cudaDeviceSynchronize();
    cudaFree(out);
}

static void odd_named()
{
    run_vote<0xaaaaaaaa>();
}

static void others_named()
{
    run_vote<0x55555555>();
}

/* ---- groups ---- */

/* Sixteen lanes synchronise, thirty-two share. */
template <int width>
__global__ void reverse_in_tile(int *a)
{
    __shared__ int s[N];
    auto tile = cg::tiled_partition<width>(cg::this_thread_block());
    int t = threadIdx.x, first = t / 32 * 32;
    s[t] = a[t];
    tile.sync();
    a[t] = s[first + 31 - t % 32]; // tile_too_small: race-shared
}

template <int width>
static void run_tile()
{
    int *a = zeros<int>(N);
    reverse_in_tile<width><<<1, N>>>(a);
    finish();
    cudaFree(a);
}

static void tile_of_warp()
{
    run_tile<32>();
}

static void tile_too_small()
{
    run_tile<16>();
}

template <bool has_sync>
__global__ void blur(const float *a, float *b, float *c)
{
    cg::grid_group grid = cg::this_grid();
    unsigned i = (unsigned)grid.thread_rank(), n = (unsigned)grid.size();
    b[i] = a[i] + 1;
    if (has_sync)
        grid.sync();
    c[i] = b[(i + 1) % n]; // grid_not_met: race-global
}

template <bool has_sync>
static void run_blur()
{
    float *a = zeros<float>(BLOCKS * N), *b = zeros<float>(BLOCKS * N);
    float *c = zeros<float>(BLOCKS * N);
    void *args[] = {&a, &b, &c};
    cudaLaunchCooperativeKernel((const void *)blur<has_sync>, BLOCKS, N, args,
                                0, 0);
    finish();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void grid_met()
{
    run_blur<true>();
}

static void grid_not_met()
{
    run_blur<false>();
}

/* ---- a pipeline of copies ---- */

template <bool waits>
__global__ void sum_of_stages(const int *a, int *out, int tiles)
{
    __shared__ int s[2][N];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int sum = 0;
    for (int in = 0, done = 0; done < tiles; done++) {
        for (; in < tiles && in < done + 2; in++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[in % 2], a + in * N,
                               cuda::aligned_size_t<16>(N * sizeof(int)), pipe);
            pipe.producer_commit();
        }
        if (waits)
            pipe.consumer_wait();
        sum += s[done % 2][N - 1 - threadIdx.x]; // pipe_not_waited: race-shared
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

template <bool waits>
static void run_pipe()
{
    int *a = zeros<int>(4 * N), *out = zeros<int>(N);
    sum_of_stages<waits><<<1, N>>>(a, out, waits ? 4 : 2);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void pipe_waited()
{
    run_pipe<true>();
}

static void pipe_not_waited()
{
    run_pipe<false>();
}

/* ---- two halves of one buffer ---- */

template <bool alternates>
__global__ void scan_block(const int *a, int *out)
{
    __shared__ int s[2][N];
    int t = threadIdx.x, at = 0;
    s[0][t] = a[t];
    __syncthreads();
    for (int by = 1; by < N; by *= 2) {
        int to = alternates ? 1 - at : at;
        int v = s[at][t];
        if (t >= by)
            v += s[at][t - by]; // halves_mixed: race-shared
        s[to][t] = v;
        at = to;
        __syncthreads();
    }
    out[t] = s[at][t];
}

template <bool alternates>
static void run_scan()
{
    int *a = zeros<int>(N), *out = zeros<int>(N);
    scan_block<alternates><<<1, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void halves_alternate()
{
    run_scan<true>();
}

static void halves_mixed()
{
    run_scan<false>();
}

/* ---- graphs and managed memory ---- */

__global__ void set_all(int *a, int v)
{
    a[blockIdx.x * N + threadIdx.x] = v; // branches_meet: race-global
}

__global__ void sum_two(const int *a, const int *b, int *c)
{
    int i = blockIdx.x * N + threadIdx.x;
    c[i] = a[i] + b[i]; // branch_not_joined: race-global
}

enum { JOINED, NOT_JOINED, SAME_ARRAY };

template <int how>
static void run_graph()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N);
    int *c = zeros<int>(BLOCKS * N);
    cudaStream_t s, t;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    set_all<<<BLOCKS, N, 0, s>>>(a, 1);
    set_all<<<BLOCKS, N, 0, t>>>(how == SAME_ARRAY ? a : b, 2);
    if (how == NOT_JOINED)
        sum_two<<<BLOCKS, N, 0, s>>>(a, b, c);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    if (how != NOT_JOINED)
        sum_two<<<BLOCKS, N, 0, s>>>(a, b, c);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, s);
    cudaGraphLaunch(exec, s);
    cudaStreamSynchronize(s);
    finish();
    cudaGraphExecDestroy(exec);
    cudaGraphDestroy(graph);
    cudaEventDestroy(fork);
    cudaEventDestroy(join);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void branches()
{
    run_graph<JOINED>();
}

static void branch_not_joined()
{
    run_graph<NOT_JOINED>();
}

static void branches_meet()
{
    run_graph<SAME_ARRAY>();
}

template <bool waits>
static void run_managed()
{
    int *a;
    cudaMallocManaged(&a, BLOCKS * N * sizeof *a);
    for (int i = 0; i < BLOCKS * N; i++)
        a[i] = 0;
    for (int i = 0; i < 2; i++) {
        set_all<<<BLOCKS, N>>>(a, i);
        if (waits)
            cudaStreamSynchronize(0);
        a[i] += 1; // managed_in_use: race-host
    }
    finish();
    cudaFree(a);
}

static void managed_in_turn()
{
    run_managed<true>();
}

static void managed_in_use()
{
    run_managed<false>();
}

#define CASES(X)                                                               \
    X(swaps) X(swap_beside_plain) X(lock_seen)           \
    X(given_back_plainly) X(queue_released) X(queue_relaxed) X(last_fenced)    \
    X(last_no_fence) X(left_in_order) X(left_early) X(bins_of_cluster)         \
    X(value_passed) X(tile_of_warp) X(tile_too_small) X(grid_met)              \
    X(grid_not_met) X(pipe_waited) X(pipe_not_waited) X(halves_alternate)      \
    X(halves_mixed) X(branches) X(branch_not_joined) X(branches_meet)          \
    X(managed_in_turn) X(managed_in_use) X(odd_named) X(others_named)
CASES_MAIN
