/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * bulk.cu - cp.async.bulk and its mbarriers, groups and proxy fences: pipelines
 * as they should be, and each with one step left out; see cases.h.
 */
#include "cases.h"

#include <cstdint>
#include <cuda.h>

enum { N = 128, BYTES = N * 4, TILES = 6 };

/* ---- PTX ---- */

static __device__ uint32_t place(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

static __device__ void init(uint64_t *bar, int count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(place(bar)),
                 "r"(count)
                 : "memory");
}

static __device__ void expect(uint64_t *bar, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     place(bar)),
                 "r"(bytes)
                 : "memory");
}

static __device__ void arrive(uint64_t *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(place(bar))
                 : "memory");
}

static __device__ void wait(uint64_t *bar, int parity)
{
    asm volatile("{\n.reg .pred p;\nagain:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
                 "@!p bra again;\n}" ::"r"(place(bar)),
                 "r"(parity)
                 : "memory");
}

static __device__ void load(void *to, const void *from, int bytes,
                            uint64_t *bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
                 "bytes [%0], [%1], %2, [%3];" ::"r"(place(to)),
                 "l"(__cvta_generic_to_global(from)), "r"(bytes),
                 "r"(place(bar))
                 : "memory");
}

static __device__ void store(void *to, const void *from, int bytes)
{
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
            __cvta_generic_to_global(to)),
        "r"(place(from)), "r"(bytes)
        : "memory");
}

static __device__ void add(int *to, const int *from, int bytes)
{
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 "
                 "[%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(place(from)), "r"(bytes)
                 : "memory");
}

static __device__ void commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int left>
static __device__ void wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(left) : "memory");
}

template <int left>
static __device__ void wait_group()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(left) : "memory");
}

static __device__ void fence_proxy()
{
    asm volatile("fence.proxy.async;" ::: "memory");
}

/* ---- a load ---- */

enum { WAITS = 1, ALL_WAIT = 2 };

template <int how>
__global__ void load_tile(const int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, 1);
        fence_proxy();
    }
    __syncthreads();
    if (t == 0) {
        expect(&bar, BYTES);
        load(s, a, BYTES, &bar);
    }
    if (how == ALL_WAIT || (how == WAITS && t == 0))
        wait(&bar, 0);
    b[t] = s[t]; // load_early: sync-async // load_one_waits: sync-async
}

template <int how>
static void run_load()
{
    int *a = zeros<int>(N), *b = zeros<int>(N);
    load_tile<how><<<1, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void load_waited()
{
    run_load<ALL_WAIT>();
}

static void load_early()
{
    run_load<0>();
}

static void load_one_waits()
{
    run_load<WAITS>();
}

/* One thread waits, and the barrier tells the others. */
__global__ void load_for_all(const int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    if (t == 0) {
        init(&bar, 1);
        fence_proxy();
        expect(&bar, BYTES);
        load(s, a, BYTES, &bar);
        wait(&bar, 0);
    }
    __syncthreads();
    b[t] = s[t];
}

static void load_then_barrier()
{
    int *a = zeros<int>(N), *b = zeros<int>(N);
    load_for_all<<<1, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

/* The source is written before the copy has ended. */
template <bool is_late>
__global__ void change_source(int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        init(&bar, 1);
        fence_proxy();
        expect(&bar, BYTES);
        load(s, a, BYTES, &bar);
        if (is_late)
            wait(&bar, 0);
        a[1] = 5; // source_changed: race-global
        if (!is_late)
            wait(&bar, 0);
        b[0] = s[1];
    }
}

template <bool is_late>
static void run_change()
{
    int *a = zeros<int>(N), *b = zeros<int>(N);
    change_source<is_late><<<1, 32>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void source_changed()
{
    run_change<false>();
}

static void source_changed_later()
{
    run_change<true>();
}

/* What the block has written to global memory it loads. */
template <bool has_fence>
__global__ void load_own(int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    a[t] = t; // own_without_fence: race-global
    if (has_fence)
        fence_proxy();
    if (t == 0)
        init(&bar, 1);
    __syncthreads();
    if (t == 0) {
        expect(&bar, BYTES);
        load(s, a, BYTES, &bar);
    }
    wait(&bar, 0);
    b[t] = s[t];
}

template <bool has_fence>
static void run_own()
{
    int *a = zeros<int>(N), *b = zeros<int>(N);
    load_own<has_fence><<<1, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void own_with_fence()
{
    run_own<true>();
}

static void own_without_fence()
{
    run_own<false>();
}

/* ---- a store ---- */

enum { FENCE_BEFORE = 1, FENCE_BEHIND = 2, WAIT_READ = 4 };

template <int how>
__global__ void store_tile(int *a)
{
    __shared__ alignas(128) int s[N];
    int t = threadIdx.x;
    s[t] = t; // store_without_fence: race-shared
    if (how & FENCE_BEFORE)
        fence_proxy();
    __syncthreads();
    if (t == 0) {
        if (how & FENCE_BEHIND)
            fence_proxy();
        store(a, s, BYTES);
        commit();
        if (how & WAIT_READ)
            wait_read<0>();
    }
    __syncthreads();
    s[t] = -t; // store_not_waited: race-shared
    if (t == 0)
        wait_group<0>();
}

template <int how>
static void run_store()
{
    int *a = zeros<int>(N);
    store_tile<how><<<1, N>>>(a);
    finish();
    cudaFree(a);
}

static void store_waited()
{
    run_store<FENCE_BEFORE | WAIT_READ>();
}

static void store_fenced_by_one()
{
    run_store<FENCE_BEHIND | WAIT_READ>();
}

static void store_without_fence()
{
    run_store<WAIT_READ>();
}

static void store_not_waited()
{
    run_store<FENCE_BEFORE>();
}

/* Two halves in turn: with one group under way the other half is free. */
template <int left>
__global__ void store_ring(int *a)
{
    __shared__ alignas(128) int s[2][N];
    int t = threadIdx.x;
    for (int i = 0; i < TILES; i++) {
        if (t == 0)
            wait_read<left>();
        __syncthreads();
        s[i % 2][t] = i; // ring_too_short: race-shared
        fence_proxy();
        __syncthreads();
        if (t == 0) {
            store(a + i * N, s[i % 2], BYTES);
            commit();
        }
    }
    if (t == 0)
        wait_group<0>();
}

template <int left>
static void run_ring()
{
    int *a = zeros<int>(TILES * N);
    store_ring<left><<<1, N>>>(a);
    finish();
    cudaFree(a);
}

static void ring_of_two()
{
    run_ring<1>();
}

static void ring_too_short()
{
    run_ring<2>();
}

/* What a bulk group writes is there after its wait, not after that for reads. */
template <bool is_whole>
__global__ void store_and_read(int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    int t = threadIdx.x;
    if (t == 0) {
        for (int i = 0; i < N; i++)
            s[i] = i;
        fence_proxy();
        store(a, s, BYTES);
        commit();
        if (is_whole)
            wait_group<0>();
        else
            wait_read<0>();
        b[0] = a[1]; // result_too_early: sync-async
    }
}

template <bool is_whole>
static void run_result()
{
    int *a = zeros<int>(N), *b = zeros<int>(N);
    store_and_read<is_whole><<<1, 32>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void result_waited()
{
    run_result<true>();
}

static void result_too_early()
{
    run_result<false>();
}

/* All blocks add to the same words. */
__global__ void add_tiles(int *a)
{
    __shared__ alignas(128) int s[N];
    s[threadIdx.x] = 1;
    fence_proxy();
    __syncthreads();
    if (threadIdx.x == 0) {
        add(a, s, BYTES);
        commit();
        wait_group<0>();
    }
}

static void sums()
{
    int *a = zeros<int>(N);
    add_tiles<<<8, N>>>(a);
    finish();
    cudaFree(a);
}

/* ---- producer and consumers ---- */

enum { STAGES = 2 };

__global__ void pipeline(const int *a, int *b)
{
    __shared__ alignas(128) int s[STAGES][N];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int t = threadIdx.x, sum = 0;
    if (t == 0)
        for (int i = 0; i < STAGES; i++) {
            init(&full[i], 1);
            init(&empty[i], N);
        }
    __syncthreads();
    if (t >= N) {
        for (int i = 0; t == N && i < TILES; i++) {
            int k = i % STAGES;
            if (i >= STAGES)
                wait(&empty[k], (i / STAGES + 1) % 2);
            expect(&full[k], BYTES);
            load(s[k], a + i * N, BYTES, &full[k]);
        }
    } else {
        for (int i = 0; i < TILES; i++) {
            int k = i % STAGES;
            wait(&full[k], i / STAGES % 2);
            sum += s[k][N - 1 - t];
            arrive(&empty[k]);
        }
        b[t] = sum;
    }
}

static void stages()
{
    int *a = zeros<int>(TILES * N), *b = zeros<int>(N);
    pipeline<<<1, N + 32>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

/* One thread loads the next tile while others may still read this one. */
template <bool has_barrier>
__global__ void one_stage(const int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar[TILES];
    int t = threadIdx.x, sum = 0;
    if (t < TILES)
        init(&bar[t], 1);
    __syncthreads();
    for (int i = 0; i < TILES; i++) {
        if (t == 0) {
            expect(&bar[i], BYTES);
            load(s, a + i * N, BYTES, &bar[i]);
        }
        wait(&bar[i], 0);
        sum += s[N - 1 - t]; // refilled_early: race-shared // refilled_early: sync-async
        if (has_barrier)
            __syncthreads();
    }
    b[t] = sum;
}

template <bool has_barrier>
static void run_stage()
{
    int *a = zeros<int>(TILES * N), *b = zeros<int>(N);
    one_stage<has_barrier><<<1, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void refilled()
{
    run_stage<true>();
}

static void refilled_early()
{
    run_stage<false>();
}

/* ---- tensors ---- */

static CUtensorMap map_of(int *a, int width, int height, int box)
{
    CUtensorMap map;
    void *fn = NULL;
    cudaDriverEntryPointQueryResult found;
    cuuint64_t size[2] = {(cuuint64_t)width, (cuuint64_t)height};
    cuuint64_t pitch[1] = {(cuuint64_t)width * 4};
    cuuint32_t boxes[2] = {(cuuint32_t)box, (cuuint32_t)box}, step[2] = {1, 1};
    cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &fn, cudaEnableDefault,
                            &found);
    if (!fn ||
        ((decltype(&cuTensorMapEncodeTiled))fn)(
            &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, a, size, pitch, boxes, step,
            CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
            CU_TENSOR_MAP_L2_PROMOTION_NONE,
            CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(5);
    return map;
}

enum { SIDE = 16, EDGE = 40, HAS_FENCE = 2, HAS_END = 4 };

/* Loads a box, adds one, stores it; at the edge the box is beyond the tensor. */
template <int how>
__global__ void add_one(const __grid_constant__ CUtensorMap map)
{
    __shared__ alignas(128) int s[SIDE][SIDE];
    __shared__ uint64_t bar;
    int x = threadIdx.x, y = threadIdx.y;
    int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    bool leads = x == 0 && y == 0;
    if (leads) {
        init(&bar, 1);
        fence_proxy();
    }
    __syncthreads();
    if (leads) {
        expect(&bar, sizeof s);
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_"
            "tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(s)),
            "l"(&map), "r"(left), "r"(top), "r"(place(&bar))
            : "memory");
    }
    wait(&bar, 0);
    s[y][x] += 1; // tensor_without_fence: race-shared
    if (how & HAS_FENCE)
        fence_proxy();
    __syncthreads();
    if (leads) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                     "[%0, {%1, %2}], [%3];" ::"l"(&map),
                     "r"(left), "r"(top), "r"(place(s))
                     : "memory");
        commit();
        if (how & HAS_END)
            wait_read<0>();
    }
    __syncthreads();
    s[y][x] = 0; // tensor_not_waited: race-shared
    if (leads)
        wait_group<0>();
}

template <int how>
static void run_tensor()
{
    int *a = zeros<int>(EDGE * EDGE);
    CUtensorMap map = map_of(a, EDGE, EDGE, SIDE);
    dim3 blocks((EDGE + SIDE - 1) / SIDE, (EDGE + SIDE - 1) / SIDE);
    add_one<how><<<blocks, dim3(SIDE, SIDE)>>>(map);
    finish();
    cudaFree(a);
}

static void tensor()
{
    run_tensor<HAS_FENCE | HAS_END>();
}

template <bool has_wait>
__global__ void take_box(const __grid_constant__ CUtensorMap map, int *b)
{
    __shared__ alignas(128) int s[SIDE][SIDE];
    __shared__ uint64_t bar;
    int x = threadIdx.x, y = threadIdx.y;
    if (x == 0 && y == 0) {
        init(&bar, 1);
        expect(&bar, sizeof s);
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_"
            "tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place(s)),
            "l"(&map), "r"(EDGE - SIDE / 2), "r"(-SIDE / 2), "r"(place(&bar))
            : "memory");
    }
    __syncthreads();
    if (has_wait)
        wait(&bar, 0);
    b[y * SIDE + x] = s[y][x]; // tensor_early: sync-async
}

template <bool has_wait>
static void run_box()
{
    int *a = zeros<int>(EDGE * EDGE), *b = zeros<int>(SIDE * SIDE);
    take_box<has_wait><<<1, dim3(SIDE, SIDE)>>>(
        map_of(a, EDGE, EDGE, SIDE), b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void tensor_at_corner()
{
    run_box<true>();
}

static void tensor_early()
{
    run_box<false>();
}

static void tensor_without_fence()
{
    run_tensor<HAS_END>();
}

static void tensor_not_waited()
{
    run_tensor<HAS_FENCE>();
}

/* ---- between the blocks of a cluster ---- */

/* Each block sends its tile to the next one, or, in a multicast, to all. */
template <bool has_wait>
__global__ void __cluster_dims__(2) send(const int *a, int *b)
{
    __shared__ alignas(128) int s[2][N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    uint32_t rank, to, there;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(to)
        : "r"(place(s[1])), "r"(rank ^ 1));
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(there)
        : "r"(place(&bar)), "r"(rank ^ 1));
    s[0][t] = a[blockIdx.x * N + t];
    if (t == 0) {
        init(&bar, 1);
        expect(&bar, BYTES);
    }
    fence_proxy();
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
    if (t == 0)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
                     "complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
                     "r"(place(s[0])), "r"(BYTES), "r"(there)
                     : "memory");
    if (has_wait)
        wait(&bar, 0);
    b[blockIdx.x * N + t] = s[1][t]; // sent_early: sync-async
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
}

template <bool has_wait>
static void run_send()
{
    int *a = zeros<int>(2 * N), *b = zeros<int>(2 * N);
    send<has_wait><<<2, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void sent()
{
    run_send<true>();
}

static void sent_early()
{
    run_send<false>();
}

__global__ void __cluster_dims__(2) cast(const int *a, int *b)
{
    __shared__ alignas(128) int s[N];
    __shared__ uint64_t bar;
    int t = threadIdx.x;
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (t == 0) {
        init(&bar, 1);
        expect(&bar, BYTES);
    }
    asm volatile("barrier.cluster.arrive.aligned;\n"
                 "barrier.cluster.wait.aligned;" ::: "memory");
    if (t == 0 && rank == 0)
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes."
            "multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(place(s)),
            "l"(a), "r"(BYTES), "r"(place(&bar)), "h"((uint16_t)3)
            : "memory");
    wait(&bar, 0);
    b[blockIdx.x * N + t] = s[t];
}

static void multicast()
{
    int *a = zeros<int>(N), *b = zeros<int>(2 * N);
    cast<<<2, N>>>(a, b);
    finish();
    cudaFree(a);
    cudaFree(b);
}

#define CASES(X)                                                               \
    X(load_waited) X(load_early) X(load_one_waits) X(load_then_barrier)        \
    X(source_changed) X(source_changed_later) X(own_with_fence)                \
    X(own_without_fence) X(store_waited) X(store_fenced_by_one)                \
    X(store_without_fence) X(store_not_waited) X(ring_of_two)                  \
    X(ring_too_short) X(result_waited) X(result_too_early) X(sums) X(stages)   \
    X(refilled) X(refilled_early) X(tensor) X(tensor_at_corner) X(tensor_early) X(tensor_without_fence)   \
    X(tensor_not_waited) X(sent) X(sent_early) X(multicast)
CASES_MAIN
