/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * published.cu - faults that were found in published programs, each rewritten
 * in a few lines, and some of them mended; see cases.h. The project of each
 * stands above it.
 */
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 128 };

static void look(cudaError_t e)
{
    printf("%s\n", cudaGetErrorString(e));
}

/* HeCBench, marching cubes: the offset that one thread fetches with an atomic
 * operation is read by all, without a barrier. */
template <bool waits>
__global__ void allot(const int *counts, int *total, int *places)
{
    __shared__ int part[N / 32], base;
    int t = threadIdx.x, v = counts[t];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t == 0) {
        int sum = 0;
        for (int i = 0; i < N / 32; i++)
            sum += part[i];
        base = atomicAdd(total, sum); // offset_no_barrier: race-shared
    }
    if (waits)
        __syncthreads();
    places[t] = base + t;
}

template <bool waits>
static void run_allot()
{
    int *a = zeros<int>(2 * N + 1);
    allot<waits><<<1, N>>>(a, a + 2 * N, a + N);
    finish();
    cudaFree(a);
}

static void offset_no_barrier()
{
    run_allot<false>();
}

static void offset_barrier()
{
    run_allot<true>();
}

/* HeCBench, surfels: a tile is loaded while slow warps still read the last. */
__global__ void render(const float *points, float *out, int n)
{
    __shared__ float tile[N];
    float sum = 0;
    for (int first = 0; first < n; first += N) {
        tile[threadIdx.x] = points[first + threadIdx.x]; // tile_too_soon: race-shared
        __syncthreads();
        for (int i = 0; i < N; i++)
            sum += tile[i];
    }
    out[threadIdx.x] = sum;
}

static void tile_too_soon()
{
    float *p = zeros<float>(4 * N);
    render<<<1, N>>>(p, p + 3 * N, 3 * N);
    finish();
    cudaFree(p);
}

/* popsift: a histogram in shared memory is cleared, and counted into before all
 * threads have cleared their part. */
__global__ void orientations(const int *a, int *out)
{
    __shared__ int bins[N];
    bins[threadIdx.x] = 0; // bins_not_clear: race-shared
    atomicAdd(&bins[threadIdx.x ? threadIdx.x - 1 + a[threadIdx.x] : 0], 1);
    __syncthreads();
    out[threadIdx.x] = bins[threadIdx.x];
}

static void bins_not_clear()
{
    int *a = zeros<int>(2 * N);
    orientations<<<1, N>>>(a, a + N);
    finish();
    cudaFree(a);
}

/* sppark: a warp adds to counters that the first warp has still to read. */
__global__ void count_digits(const int *digits, int *out)
{
    __shared__ int counters[32];
    int t = threadIdx.x;
    if (t < 32)
        counters[t] = 0;
    __syncthreads();
    if (t < 32)
        out[t] = counters[t]; // counters_changed: race-shared
    atomicAdd(&counters[digits[t] % 32], 1);
    __syncthreads();
    if (t < 32)
        out[32 + t] = counters[t];
}

static void counters_changed()
{
    int *a = zeros<int>(N + 64);
    count_digits<<<1, N>>>(a, a + N);
    finish();
    cudaFree(a);
}

/* cuCollections: votes of a warp order no memory: a counter is set to zero by
 * one lane and read by others. */
template <bool waits>
__global__ void flush(const int *keys, int *out)
{
    __shared__ int count[N / 32];
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int w = threadIdx.x / 32;
    if (warp.thread_rank() == 0)
        count[w] = 0; // reset_not_synced: race-shared
    if (waits)
        warp.sync();
    if (warp.any(keys[threadIdx.x] == 0))
        atomicAdd(&count[w], 1);
    warp.sync();
    out[threadIdx.x] = count[w];
}

template <bool waits>
static void run_flush()
{
    int *a = zeros<int>(2 * N);
    flush<waits><<<1, N>>>(a, a + N);
    finish();
    cudaFree(a);
}

static void reset_not_synced()
{
    run_flush<false>();
}

static void reset_synced()
{
    run_flush<true>();
}

/* FastNN, Numba, and many others: the last steps of a reduction rely on lanes
 * that run together. */
__global__ void sum(const float *a, float *out)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    __syncthreads();
    if (t < 32) {
        volatile float *v = s;
        v[t] += v[t + 32];
        for (int d = 16; d; d /= 2)
            v[t] += v[t + d]; // lanes_together: race-shared
        if (t == 0)
            *out = v[0];
    }
}

static void lanes_together()
{
    float *a = zeros<float>(65);
    sum<<<1, 64>>>(a, a + 64);
    finish();
    cudaFree(a);
}

/* llama.cpp: a barrier that only warps with work reach. */
__global__ void attention(const float *a, float *out, int rows)
{
    __shared__ float best[N / 32];
    int w = threadIdx.x / 32;
    if (w < rows) {
        if (threadIdx.x % 32 == 0)
            best[w] = a[w];
        __syncthreads(); // barrier_of_busy_warps: sync-divergent
    }
    out[threadIdx.x] = w < rows ? best[w] : 0;
}

static void barrier_of_busy_warps()
{
    float *a = zeros<float>(2 * N);
    attention<<<1, N>>>(a, a + N, 3);
    look(cudaDeviceSynchronize());
    cudaFree(a);
}

/* Boost.Compute: a scan reads its input by the global index, beyond the end in
 * the last block. */
__global__ void local_scan(const int *in, int *out, int n)
{
    __shared__ int s[N];
    int i = blockIdx.x * N + threadIdx.x;
    s[threadIdx.x] = in[i]; // scan_past_end: oob-global
    __syncthreads();
    if (i < n)
        out[i] = s[threadIdx.x];
}

static void scan_past_end()
{
    int *in = zeros<int>(200), *out = zeros<int>(200);
    local_scan<<<2, N>>>(in, out, 200);
    look(cudaDeviceSynchronize());
    cudaFree(in);
    cudaFree(out);
}

/* Gpufit: a state that the first iteration reads has never been set. */
__global__ void iterate(int *iterations, const float *error)
{
    int i = threadIdx.x;
    if (iterations[i] == 0 && error[i] < 1) // state_not_set: uninit
        iterations[i] = 1;
}

static void state_not_set()
{
    int *iterations;
    float *error = zeros<float>(N);
    cudaMalloc(&iterations, N * sizeof *iterations);
    iterate<<<1, N>>>(iterations, error);
    finish();
    cudaFree(iterations);
    cudaFree(error);
}

/* alpaka: a copy in the default stream beside a kernel in a stream that does
 * not wait for it. */
__global__ void add_one(int *a)
{
    a[threadIdx.x] += 1; // copied_beside: race-global
}

template <unsigned flags>
static void run_beside()
{
    int host[N] = {0}, *a = zeros<int>(N);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, flags);
    cudaDeviceSynchronize();
    add_one<<<1, N, 0, s>>>(a);
    cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
    finish();
    cudaStreamDestroy(s);
    cudaFree(a);
}

static void copied_beside()
{
    run_beside<cudaStreamNonBlocking>();
}

static void copied_behind()
{
    run_beside<cudaStreamDefault>();
}

/* cudf: a value is copied to the host, and looked at before it has come. */
template <bool waits>
static void run_value()
{
    int *a = zeros<int>(N), *value;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocHost(&value, sizeof *value);
    *value = -1;
    cudaMemcpyAsync(value, a, sizeof *value, cudaMemcpyDeviceToHost, s);
    if (waits)
        cudaStreamSynchronize(s);
    printf("%d\n", *value); // value_too_early: race-host
    finish();
    cudaStreamDestroy(s);
    cudaFreeHost(value);
    cudaFree(a);
}

static void value_too_early()
{
    run_value<false>();
}

static void value_in_time()
{
    run_value<true>();
}

#define CASES(X)                                                               \
    X(offset_no_barrier) X(offset_barrier) X(tile_too_soon)                    \
    X(bins_not_clear) X(counters_changed) X(reset_not_synced)                  \
    X(reset_synced) X(lanes_together) X(barrier_of_busy_warps)                 \
    X(scan_past_end) X(state_not_set) X(copied_beside) X(copied_behind)        \
    X(value_too_early) X(value_in_time)
CASES_MAIN
