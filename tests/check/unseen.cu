/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
/*
 * unseen.cu - mistakes of programs as they are met, and what looks like one:
 * memory, values, barriers, warps, streams, pools, copies; see cases.h.
 */
#include "cases.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 64, BLOCKS = 4 };

static void look(cudaError_t e)
{
    printf("%s\n", cudaGetErrorString(e));
}

/* ---- tiles ---- */

template <bool second>
__global__ void product(const float *a, const float *b, float *c, int n)
{
    enum { T = 8 };
    __shared__ float as[T][T], bs[T][T];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, col = blockIdx.x * T + x;
    float sum = 0;
    for (int k = 0; k < n; k += T) {
        as[y][x] = a[row * n + k + x]; // tile_one_barrier: race-shared
        bs[y][x] = b[(k + y) * n + col];
        __syncthreads();
        for (int i = 0; i < T; i++)
            sum += as[y][i] * bs[i][x];
        if (second)
            __syncthreads();
    }
    c[row * n + col] = sum;
}

template <bool second>
static void run_product()
{
    float *a = zeros<float>(256), *b = zeros<float>(256), *c = zeros<float>(256);
    product<second><<<dim3(2, 2), dim3(8, 8)>>>(a, b, c, 16);
    finish();
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void tile_one_barrier()
{
    run_product<false>();
}

static void tile_two_barriers()
{
    run_product<true>();
}

/* ---- barriers ---- */

__global__ void guarded(int *a, int n)
{
    __shared__ int s[N];
    int i = blockIdx.x * N + threadIdx.x;
    if (i < n) {
        s[threadIdx.x] = a[i];
        __syncthreads(); // barrier_in_guard: sync-divergent
        a[i] = s[0];
    }
    a[N + threadIdx.x] = 1;
}

static void barrier_in_guard()
{
    int *a = zeros<int>(3 * N);
    guarded<<<1, N>>>(a, 40);
    look(cudaDeviceSynchronize());
    cudaFree(a);
}

__global__ void either(int *a)
{
    if (threadIdx.x % 2) {
        a[threadIdx.x] = 1;
        __syncthreads(); // barrier_in_both: sync-divergent
    } else {
        a[threadIdx.x] = 2;
        __syncthreads();
    }
    a[threadIdx.x] += 1;
}

static void barrier_in_both()
{
    int *a = zeros<int>(N);
    either<<<1, N>>>(a);
    look(cudaDeviceSynchronize());
    cudaFree(a);
}

__global__ void early(int *a, int n)
{
    __shared__ int s[N];
    if (threadIdx.x >= n)
        return;
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    a[threadIdx.x] = s[n - 1 - threadIdx.x];
}

static void early_exit()
{
    int *a = zeros<int>(N);
    early<<<1, N>>>(a, 40);
    finish();
    cudaFree(a);
}

/* The count is not known to a compiler, which would refuse it. */
__global__ void few(int *a, int count)
{
    if (threadIdx.x < 32)
        asm volatile("bar.sync 1, %0;" ::"r"(count)); // count_odd: sync-count
    a[threadIdx.x] = 1;
}

/* Half of the block hands words to the other half. */
__global__ void hand(int *a, int given, int taken)
{
    __shared__ int box[N];
    unsigned t = threadIdx.x;
    if (t < N) {
        box[t] = 3 * t;
        asm volatile("bar.arrive 1, %0;" ::"r"(given) : "memory");
    } else {
        asm volatile("bar.sync 1, %0;" ::"r"(taken) // count_differs: sync-count
                     : "memory");
        a[t - N] = box[t - N];
    }
}

static void count_differs()
{
    int *a = zeros<int>(N);
    hand<<<1, 2 * N>>>(a, 2 * N - 32, 2 * N);
    look(cudaDeviceSynchronize());
    look(cudaFree(a));
}

static void count_agrees()
{
    int *a = zeros<int>(N);
    hand<<<1, 2 * N>>>(a, 2 * N, 2 * N);
    finish();
    cudaFree(a);
}

static void count_odd()
{
    int *a = zeros<int>(N);
    few<<<1, N>>>(a, 48);
    look(cudaDeviceSynchronize());
    look(cudaFree(a));
}

/* ---- warps ---- */

__global__ void aggregated(unsigned *count, unsigned *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();
        unsigned at = 0;
        if (g.thread_rank() == 0)
            at = atomicAdd(count, g.size());
        out[g.shfl(at, 0) + g.thread_rank()] = i;
    }
}

static void aggregated_right()
{
    unsigned *p = zeros<unsigned>(1 + 4 * N);
    aggregated<<<BLOCKS, N>>>(p, p + 1, 0);
    finish();
    cudaFree(p);
}

__global__ void aggregated_full(unsigned *count, unsigned *out)
{
    int lane = threadIdx.x % 32;
    if (lane % 3 == 0) {
        unsigned m = __ballot_sync(0xffffffff, 1); // mask_full: sync-mask
        unsigned at = 0;
        if (lane == 0)
            at = atomicAdd(count, __popc(m));
        at = __shfl_sync(m, at, 0);
        out[at + __popc(m & ((1u << lane) - 1))] = lane;
    }
    out[N + lane] = lane;
}

static void mask_full()
{
    unsigned *p = zeros<unsigned>(1 + 4 * N);
    aggregated_full<<<1, 32>>>(p, p + 1);
    look(cudaDeviceSynchronize());
    look(cudaFree(p));
}

template <bool is_right>
__global__ void shared_sum(const int *a, int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x, v = a[t];
    s[t] = v;
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (t < d)
            s[t] += s[t + d]; // warp_no_sync: race-shared
        if (is_right)
            __syncwarp();
    }
    if (t == 0)
        *out = s[0];
}

template <bool is_right>
static void run_warp()
{
    int *a = zeros<int>(33);
    shared_sum<is_right><<<1, 32>>>(a, a + 32);
    finish();
    cudaFree(a);
}

static void warp_no_sync()
{
    run_warp<false>();
}

static void warp_sync()
{
    run_warp<true>();
}

/* ---- memory ---- */

struct particle {
    float x, y, z;
    int id;
};

__global__ void stencil(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + in[i + 1]; // stencil_edge: oob-global
}

static void stencil_edge()
{
    float *a = zeros<float>(100), *b = zeros<float>(100);
    stencil<<<2, N>>>(a, b, 100);
    finish();
    cudaFree(a);
    cudaFree(b);
}

static void stencil_inside()
{
    float *a = zeros<float>(101), *b = zeros<float>(100);
    stencil<<<2, N>>>(a, b, 100);
    finish();
    cudaFree(a);
    cudaFree(b);
}

__device__ int first_table[16], second_table[16];
__constant__ int weights[8], more_weights[8];

__global__ void tables(int *out, int by)
{
    first_table[threadIdx.x + by] = threadIdx.x; // table_overflow: oob-global
    out[threadIdx.x] = second_table[threadIdx.x];
}

static void table_overflow()
{
    int *out = zeros<int>(16);
    tables<<<1, 16>>>(out, 4);
    finish();
    cudaFree(out);
}

__global__ void weigh(int *out, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += weights[i]; // constant_overflow: oob-global
    out[threadIdx.x] = sum + more_weights[0];
}

static void constant_overflow()
{
    int *out = zeros<int>(16);
    weigh<<<1, 16>>>(out, 9);
    finish();
    cudaFree(out);
}

__global__ void dynamic(int *out, int n)
{
    extern __shared__ int d[];
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        d[i] = i; // dynamic_small: oob-shared
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x];
}

static void dynamic_small()
{
    int *out = zeros<int>(N);
    dynamic<<<1, N, 64 * 4>>>(out, 65);
    look(cudaDeviceSynchronize());
    look(cudaFree(out));
}

static void dynamic_enough()
{
    int *out = zeros<int>(N);
    dynamic<<<1, N, 65 * 4>>>(out, 65);
    finish();
    cudaFree(out);
}

__global__ void wide(const float *a, float *out)
{
    float4 v = *(const float4 *)(a + threadIdx.x * 4 + 1); // vector_off: misaligned
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}

static void vector_off()
{
    float *a = zeros<float>(5 * N), *out = zeros<float>(N);
    wide<<<1, N>>>(a, out);
    look(cudaDeviceSynchronize());
    look(cudaFree(a));
    look(cudaFree(out));
}

__global__ void fill(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = i;
}

__global__ void fill_freed(int *a)
{
    a[threadIdx.x] = 1; // used_freed: use-after-free
}

__global__ void fill_host(int *a)
{
    a[threadIdx.x] = 1; // used_host: host-pointer
}

static void used_freed()
{
    int *a = zeros<int>(N);
    cudaFree(a);
    fill_freed<<<1, N>>>(a);
    look(cudaDeviceSynchronize());
}

static void used_host()
{
    int *a = (int *)malloc(N * sizeof *a);
    fill_host<<<1, N>>>(a);
    look(cudaDeviceSynchronize());
    free(a);
}

/* ---- the heap ---- */

__device__ int *kept;

__global__ void heap_twice()
{
    int *p = (int *)malloc(16);
    kept = p;
    free(p);
    free(*(int *volatile *)&kept); // heap_double: bad-free
}

static void heap_double()
{
    heap_twice<<<1, 1>>>();
    look(cudaDeviceSynchronize());
}

__global__ void heap_after()
{
    int *p = (int *)malloc(16);
    p[0] = 1;
    free(p);
    kept = p;
    *(volatile int *)p = 2; // heap_stale: use-after-free
}

static void heap_stale()
{
    heap_after<<<1, 1>>>();
    look(cudaDeviceSynchronize());
}

__global__ void heap_give(int **lists)
{
    lists[threadIdx.x] = (int *)malloc(32);
    for (int i = 0; i < 8; i++)
        lists[threadIdx.x][i] = i;
}

__global__ void heap_take(int **lists, int *out)
{
    int sum = 0;
    for (int i = 0; i < 8; i++)
        sum += lists[threadIdx.x][i];
    out[threadIdx.x] = sum;
    free(lists[threadIdx.x]);
}

static void heap_kept()
{
    int **lists = zeros<int *>(N), *out = zeros<int>(N);
    heap_give<<<1, N>>>(lists);
    heap_take<<<1, N>>>(lists, out);
    finish();
    cudaFree(lists);
    cudaFree(out);
}

/* ---- values ---- */

__global__ void add_up(const int *a, int n, int *out)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    if (sum > 3) // half_copied: uninit
        *out = sum;
}

static void half_copied()
{
    int *a, *out = zeros<int>(1), host[N] = {0};
    cudaMalloc(&a, sizeof host);
    cudaMemcpy(a, host, sizeof host / 2, cudaMemcpyHostToDevice);
    add_up<<<1, 1>>>(a, N, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

__global__ void histogram(const int *a, int *out)
{
    __shared__ int bins[16];
    if (threadIdx.x < 15)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[a[threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]); // bin_left: uninit
}

static void bin_left()
{
    int *a = zeros<int>(N), *out = zeros<int>(16);
    histogram<<<1, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

__global__ void make_particles(particle *p)
{
    p[threadIdx.x].x = p[threadIdx.x].y = 1;
    p[threadIdx.x].id = threadIdx.x;
}

__global__ void move_particles(const particle *p, particle *q)
{
    particle a = p[threadIdx.x];
    a.x += a.y;
    q[threadIdx.x] = a;
}

static void member_not_used()
{
    particle *p, *q;
    cudaMalloc(&p, N * sizeof *p);
    cudaMalloc(&q, N * sizeof *q);
    make_particles<<<1, N>>>(p);
    move_particles<<<1, N>>>(p, q);
    finish();
    cudaFree(p);
    cudaFree(q);
}

/* ---- streams, events, graphs, pools ---- */

__global__ void twice(int *a)
{
    a[threadIdx.x] *= 2; // two_streams: race-global
}

static void streams_of(bool waits)
{
    int *a = zeros<int>(N);
    cudaStream_t s[2];
    cudaEvent_t e;
    cudaEventCreate(&e);
    for (int i = 0; i < 2; i++)
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    twice<<<1, N, 0, s[0]>>>(a);
    if (waits) {
        cudaEventRecord(e, s[0]);
        cudaStreamWaitEvent(s[1], e, 0);
    }
    twice<<<1, N, 0, s[1]>>>(a);
    finish();
    cudaFree(a);
    cudaEventDestroy(e);
    for (int i = 0; i < 2; i++)
        cudaStreamDestroy(s[i]);
}

static void two_streams()
{
    streams_of(false);
}

static void two_streams_ordered()
{
    streams_of(true);
}

__global__ void thrice(int *a)
{
    a[threadIdx.x] *= 3; // graph_no_edge: race-global
}

static void graph_of(bool has_edge)
{
    int *a = zeros<int>(N);
    void *args[] = {&a};
    cudaGraph_t g;
    cudaGraphExec_t x;
    cudaGraphNode_t n[2];
    cudaKernelNodeParams k = {};
    k.func = (void *)thrice;
    k.gridDim = dim3(1);
    k.blockDim = dim3(N);
    k.kernelParams = args;
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&n[0], g, NULL, 0, &k);
    cudaGraphAddKernelNode(&n[1], g, n, has_edge, &k);
    cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, 0);
    finish();
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    cudaFree(a);
}

static void graph_no_edge()
{
    graph_of(false);
}

static void graph_edge()
{
    graph_of(true);
}

__global__ void from_pool(int *a)
{
    a[threadIdx.x] = 1; // pool_stale: use-after-free
}

static void pool_stale()
{
    int *a;
    cudaMallocAsync(&a, N * sizeof *a, 0);
    cudaFreeAsync(a, 0);
    from_pool<<<1, N>>>(a);
    look(cudaDeviceSynchronize());
}

static void pool_in_order()
{
    int *a, *b;
    cudaMallocAsync(&a, N * sizeof *a, 0);
    from_pool<<<1, N>>>(a);
    cudaFreeAsync(a, 0);
    cudaMallocAsync(&b, N * sizeof *b, 0);
    from_pool<<<1, N>>>(b);
    cudaFreeAsync(b, 0);
    finish();
}

/* ---- calls of the host ---- */

static __device__ int symbol[8];

static void symbol_large()
{
    int host[16] = {0};
    look(cudaMemcpyToSymbol(symbol, host, sizeof host)); // symbol_large: memcpy-oob
}

static void rows_wide()
{
    int *a, host[8 * 8] = {0};
    size_t pitch;
    cudaMallocPitch(&a, &pitch, 8 * sizeof *a, 8);
    look(cudaMemcpy2D(a, pitch, host, 8 * sizeof *a, 8 * sizeof *a, 9, cudaMemcpyHostToDevice)); // rows_wide: memcpy-oob
    cudaFree(a);
}

static void rows_right()
{
    int *a, host[8 * 8] = {0};
    size_t pitch;
    cudaMallocPitch(&a, &pitch, 8 * sizeof *a, 8);
    look(cudaMemcpy2D(a, pitch, host, 8 * sizeof *a, 8 * sizeof *a, 8, cudaMemcpyHostToDevice));
    look(cudaMemcpy2D(host, 8 * sizeof *a, a, pitch, 8 * sizeof *a, 8, cudaMemcpyDeviceToHost));
    cudaFree(a);
}

static void fill_rows()
{
    char *a;
    cudaMalloc(&a, 1000);
    look(cudaMemset2D(a, 100, 0, 100, 11)); // fill_rows: memset-oob
    cudaFree(a);
}

static void other_way()
{
    int *a = zeros<int>(N), host[N];
    look(cudaMemcpy(host, a, sizeof host, cudaMemcpyHostToDevice)); // other_way: memcpy-direction
    cudaFree(a);
}

static void freed_inside()
{
    int *a = zeros<int>(N);
    look(cudaFree(a + 4)); // freed_inside: bad-free
    look(cudaFree(a));
}

static void freed_of_host()
{
    int *a = (int *)malloc(64);
    look(cudaFree(a)); // freed_of_host: bad-free
    free(a);
}

static void released()
{
    cudaStream_t s;
    cudaEvent_t e;
    int *a = zeros<int>(N);
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    fill<<<1, N>>>(a, N);
    finish();
    cudaEventDestroy(e);
    cudaStreamDestroy(s);
    cudaFree(a);
}

#define CASES(X)                                                               \
    X(tile_two_barriers) X(tile_one_barrier) X(barrier_in_guard)               \
    X(barrier_in_both) X(early_exit) X(count_odd) X(aggregated_right)          \
    X(count_differs) X(count_agrees)                                           \
    X(mask_full) X(warp_no_sync) X(warp_sync) X(stencil_edge)                  \
    X(stencil_inside) X(table_overflow) X(constant_overflow)                   \
    X(dynamic_small) X(dynamic_enough) X(vector_off) X(used_freed)             \
    X(used_host) X(heap_double) X(heap_stale) X(heap_kept) X(half_copied)      \
    X(bin_left) X(member_not_used) X(two_streams) X(two_streams_ordered)       \
    X(graph_no_edge) X(graph_edge) X(pool_stale) X(pool_in_order)              \
    X(symbol_large) X(rows_wide) X(rows_right) X(fill_rows) X(other_way)       \
    X(freed_inside) X(freed_of_host) X(released)
CASES_MAIN
