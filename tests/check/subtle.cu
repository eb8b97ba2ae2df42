/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * subtle.cu - small slips: work in the wrong order, ends that nobody writes,
 * lanes that are not there; and programs that only look so; see cases.h.
 */
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 64, BLOCKS = 4 };

static void look(cudaError_t e)
{
    printf("%s\n", cudaGetErrorString(e));
}

__global__ void fill(int *a, int v)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = v; // event_too_early: race-global
}

__global__ void twice(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    b[i] = 2 * a[i]; // default_not_blocking: race-global
}

/* ---- streams ---- */

template <bool is_early>
static void run_event()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N);
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
    if (is_early)
        cudaEventRecord(e, s);
    fill<<<BLOCKS, N, 0, s>>>(a, 1);
    if (!is_early)
        cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    twice<<<BLOCKS, N, 0, t>>>(a, b);
    finish();
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
    cudaFree(b);
}

static void event_too_early()
{
    run_event<true>();
}

static void event_in_time()
{
    run_event<false>();
}

/* A stream that is created blocking waits for the default one, another not. */
template <unsigned flags>
static void run_default()
{
    int *a = zeros<int>(BLOCKS * N), *b = zeros<int>(BLOCKS * N);
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, flags);
    cudaDeviceSynchronize();
    fill<<<BLOCKS, N>>>(a, 2);
    twice<<<BLOCKS, N, 0, s>>>(a, b);
    finish();
    cudaStreamDestroy(s);
    cudaFree(a);
    cudaFree(b);
}

static void default_not_blocking()
{
    run_default<cudaStreamNonBlocking>();
}

static void default_blocking()
{
    run_default<cudaStreamDefault>();
}

/* Two streams work on halves of one allocation. */
static void halves_apart()
{
    int *a = zeros<int>(2 * N), *b = zeros<int>(2 * N);
    cudaStream_t s[2];
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
        fill<<<1, N, 0, s[i]>>>(a + i * N, i);
        twice<<<1, N, 0, s[i]>>>(a + i * N, b + i * N);
    }
    for (int i = 0; i < 2; i++) {
        cudaStreamSynchronize(s[i]);
        cudaStreamDestroy(s[i]);
    }
    cudaFree(a);
    cudaFree(b);
}

/* The host asks until it is done. */
static void queried()
{
    int *p;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaMallocManaged(&p, N * sizeof *p);
    fill<<<1, N, 0, s>>>(p, 3);
    while (cudaStreamQuery(s) == cudaErrorNotReady)
        ;
    p[0]++;
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    fill<<<1, N, 0, s>>>(p, 4);
    cudaEventRecord(e, s);
    while (cudaEventQuery(e) == cudaErrorNotReady)
        ;
    printf("%d\n", p[0]);
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaFree(p);
}

/* ---- a host function between kernels ---- */

struct mail {
    int *from, *to;
};

static void CUDART_CB carry(void *arg)
{
    mail *m = (mail *)arg;
    for (int i = 0; i < N; i++)
        m->to[i] = m->from[i] + 1; 
}

static void callback_between()
{
    int *in, *out, *b = zeros<int>(N);
    cudaStream_t s;
    cudaMallocHost(&in, N * sizeof *in);
    cudaMallocHost(&out, N * sizeof *out);
    cudaStreamCreate(&s);
    for (int i = 0; i < N; i++)
        in[i] = out[i] = 0;
    mail m = {in, out};
    cudaDeviceSynchronize();
    fill<<<1, N, 0, s>>>(in, 1);
    cudaLaunchHostFunc(s, carry, &m);
    twice<<<1, N, 0, s>>>(out, b);
    finish();
    cudaStreamDestroy(s);
    cudaFreeHost(in);
    cudaFreeHost(out);
    cudaFree(b);
}

/* ---- pools ---- */

template <bool waits>
static void run_pool()
{
    int *a, *b = zeros<int>(N);
    cudaStream_t s, t;
    cudaEvent_t e;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
    cudaMallocAsync(&a, N * sizeof *a, s);
    fill<<<1, N, 0, s>>>(a, 1);
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e, 0);
    twice<<<1, N, 0, t>>>(a, b);
    if (waits) {
        cudaEventRecord(e, t);
        cudaStreamWaitEvent(s, e, 0);
    }
    cudaFreeAsync(a, s); // pool_freed_early: host-free-in-use
    finish();
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(b);
}

static void pool_freed_early()
{
    run_pool<false>();
}

static void pool_freed_late()
{
    run_pool<true>();
}

/* ---- values ---- */

/* A buffer for the worst case is copied whole; its count says what counts. */
__global__ void keep_even(const int *in, int *out, int *count)
{
    int v = in[threadIdx.x];
    if (v % 2 == 0)
        out[atomicAdd(count, 1)] = v;
}

static void worst_case_copied()
{
    int host[N], n;
    for (int i = 0; i < N; i++)
        host[i] = i;
    int *in = zeros<int>(N), *out, *count = zeros<int>(1);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
    keep_even<<<1, N>>>(in, out, count);
    finish();
    cudaMemcpy(&n, count, sizeof n, cudaMemcpyDeviceToHost);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    printf("%d of %d\n", host[0], n);
    cudaFree(in);
    cudaFree(out);
    cudaFree(count);
}

/* Sums begin with what is there. */
__global__ void sums(const int *in, int *out)
{
    out[blockIdx.x] += in[blockIdx.x * N]; // sum_of_nothing: uninit
}

static void sum_of_nothing()
{
    int *in = zeros<int>(BLOCKS * N), *out, host[BLOCKS];
    cudaMalloc(&out, sizeof host);
    sums<<<BLOCKS, 1>>>(in, out);
    finish();
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(in);
    cudaFree(out);
}

/* ---- lanes that are not there ---- */

__global__ void half_votes(const int *a, int *out)
{
    unsigned all = __ballot_sync(~0u, a[threadIdx.x] == 0);
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_down_sync(0xffff, threadIdx.x, 8) + __popc(all);
    else if (threadIdx.x < 24)
        out[threadIdx.x] = __shfl_xor_sync(0xffff0000, threadIdx.x, 8); // mask_of_before: sync-shuffle
}

static void mask_of_before()
{
    int *a = zeros<int>(32), *out = zeros<int>(32);
    half_votes<<<1, 32>>>(a, out);
    look(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(out);
}

__global__ void tiles(const int *in, int *out)
{
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    int v = in[threadIdx.x];
    for (int d = 4; d; d /= 2)
        v += tile.shfl_down(v, d);
    if (tile.meta_group_rank() % 2)
        v = tile.shfl(v, 0);
    if (tile.thread_rank() == 0)
        out[tile.meta_group_rank()] = v;
}

static void tiles_right()
{
    int *in = zeros<int>(N), *out = zeros<int>(8);
    tiles<<<1, N>>>(in, out);
    finish();
    cudaFree(in);
    cudaFree(out);
}

/* ---- memory ---- */

struct header {
    int count;
    int data[7];
};

__global__ void walk(header *h, int n)
{
    int *p = h[blockIdx.x].data;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        p[i] = i; // past_the_last: oob-global
}

template <int n>
static void run_walk()
{
    header *h = zeros<header>(2);
    walk<<<2, 32>>>(h, n);
    look(cudaDeviceSynchronize());
    cudaFree(h);
}

static void past_the_last()
{
    run_walk<8>();
}

static void up_to_the_last()
{
    run_walk<7>();
}

__global__ void columns(float *p, size_t pitch, int rows)
{
    for (int y = 0; y < rows; y++)
        ((float *)((char *)p + y * pitch))[threadIdx.x] = y; // pitch_in_elements: oob-global
}

template <bool right>
static void run_columns()
{
    float *p;
    size_t pitch;
    cudaMallocPitch(&p, &pitch, N * sizeof *p, 4);
    columns<<<1, N>>>(p, right ? pitch : pitch * sizeof *p, 4);
    look(cudaDeviceSynchronize());
    cudaFree(p);
}

static void pitch_in_elements()
{
    run_columns<false>();
}

static void pitch_in_bytes()
{
    run_columns<true>();
}

/* ---- barriers ---- */

__global__ void pairs_of_warps(int *a)
{
    __shared__ int s[128];
    int half = threadIdx.x / 64;
    s[threadIdx.x] = a[threadIdx.x];
    asm volatile("bar.sync %0, 64;" ::"r"(1 + half) : "memory");
    a[threadIdx.x] = s[threadIdx.x ^ 63];
}

static void named_by_half()
{
    int *a = zeros<int>(128);
    pairs_of_warps<<<1, 128>>>(a);
    finish();
    cudaFree(a);
}

__global__ void count_in_loop(const int *a, int *out)
{
    for (int i = threadIdx.x; i < 100; i += blockDim.x)
        if (__syncthreads_or(a[i])) // loop_of_some: sync-divergent
            out[0] = 1;
    out[1 + threadIdx.x] = 2;
}

static void loop_of_some()
{
    int *a = zeros<int>(100), *out = zeros<int>(1 + N);
    count_in_loop<<<1, N>>>(a, out);
    look(cudaDeviceSynchronize());
    cudaFree(a);
    cudaFree(out);
}

#define CASES(X)                                                               \
    X(event_too_early) X(event_in_time) X(default_not_blocking)                \
    X(default_blocking) X(halves_apart) X(queried) X(callback_between)         \
    X(pool_freed_early) X(pool_freed_late) X(worst_case_copied)                \
    X(sum_of_nothing) X(mask_of_before) X(tiles_right) X(past_the_last)        \
    X(up_to_the_last) X(pitch_in_elements) X(pitch_in_bytes)                   \
    X(named_by_half) X(loop_of_some)
CASES_MAIN
