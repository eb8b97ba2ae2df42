/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corpus.cu - small programs, half of them with one mistake: what `softwarp
 * check` has to find, and where, and what it must not report.
 *
 *     corpus CASE
 *
 * A line that a finding has to name ends in "// CASE: KIND". corpus.sh runs
 * each case of the table below and compares; a case without such a line is
 * clean.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { N = 1024, BLOCK = 128 };

/* ---- shared memory ---- */

__global__ void reverse(int *a)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    a[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t]; // no_barrier: race-shared
}

__global__ void reverse_good(int *a)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x;
    s[t] = a[blockIdx.x * BLOCK + t];
    __syncthreads();
    a[blockIdx.x * BLOCK + t] = s[BLOCK - 1 - t];
}

template <bool second>
__global__ void tiles(const int *a, int *out)
{
    __shared__ int s[BLOCK];
    int t = threadIdx.x, sum = 0;
    for (int tile = 0; tile < 4; tile++) {
        s[t] = a[tile * BLOCK + t]; // no_second_barrier: race-shared
        __syncthreads();
        for (int i = 0; i < BLOCK; i++)
            sum += s[i];
        if (second)
            __syncthreads();
    }
    out[t] = sum;
}

template <int kind> /* 0: nothing, 1: volatile, 2: __syncwarp */
__global__ void warp_sum(const int *a, int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = a[t];
    s[t + 32] = a[t + 32];
    __syncwarp();
    for (int step = 32; step; step /= 2) {
        if (kind == 1) {
            volatile int *v = s;
            v[t] += v[t + step]; // warp_volatile: race-shared
        } else {
            int more = s[t + step]; // warp_plain: race-shared
            if (kind == 2)
                __syncwarp();
            s[t] += more;
            if (kind == 2)
                __syncwarp();
        }
    }
    out[t] = s[0];
}

__global__ void bytes_apart(unsigned char *out)
{
    __shared__ unsigned char s[BLOCK];
    int t = threadIdx.x;
    s[t] = (unsigned char)t;
    s[t]++;
    out[t] = s[t];
}

template <bool atomic>
__global__ void histogram(const int *a, int *out)
{
    __shared__ int s[8];
    int t = threadIdx.x;
    if (t < 8)
        s[t] = 0;
    __syncthreads();
    if (atomic)
        atomicAdd(&s[a[t] % 8], 1);
    else
        s[a[t] % 8]++; // count_plain: race-shared
    __syncthreads();
    if (t < 8)
        out[t] = s[t];
}

/* Warps 0 and 1 hand over to warps 2 and 3 by a named barrier. */
template <bool arrives>
__global__ void producer(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;
    if (t < 64) {
        s[t] = t;
        if (arrives)
            asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
        if (arrives)
            asm volatile("bar.sync 1, 128;" ::: "memory");
        out[t - 64] = s[127 - t]; // no_handover: race-shared
    }
}

/* ---- global memory ---- */

__global__ void shift(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < N)
        a[i] = a[i + 1]; // shift_in_place: race-global
}

__global__ void shift_good(const int *a, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + 1 < N)
        out[i] = a[i + 1];
}

template <bool atomic>
__global__ void count_all(int *n)
{
    if (atomic)
        atomicAdd(n, 1);
    else
        *n += 1; // count_global: race-global
}

__device__ int found;

__global__ void set_flag(const int *a, int *flag)
{
    if (a[threadIdx.x] >= 0)
        *flag = 1; // same_value: race-global benign
}

__device__ unsigned arrived;

/* The block that comes last adds up what all have written. */
template <bool fence>
__global__ void last_block(int *parts, int *out)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = (int)blockIdx.x;
        if (fence)
            __threadfence();
        is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            sum += parts[i]; // no_fence: race-global
        *out = sum;
    }
}

__global__ void grid_steps(int *a)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank(), n = (int)grid.size();
    a[i] = i;
    grid.sync();
    int next = a[(i + 1) % n];
    grid.sync();
    a[i] = next;
}

template <bool locks>
__global__ void critical(int *lock, int *value)
{
    if (threadIdx.x)
        return;
    if (locks) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
    }
    *value += 1; // no_lock: race-global
    if (locks) {
        __threadfence();
        atomicExch(lock, 0);
    }
}

__global__ void fill(int *a, int value)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = value; // two_streams: race-global
}

/* ---- memory ---- */

__global__ void one_more(int *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        a[i] = i; // one_too_many: oob-global
}

__global__ void far_away(int *a, int by)
{
    a[threadIdx.x + by] = 1; // into_neighbour: oob-global
}

__global__ void shared_neighbour(int *out, int n)
{
    __shared__ int first[32];
    __shared__ int second[32];
    int t = threadIdx.x;
    second[t] = t;
    first[t] = t;
    __syncthreads();
    if (t < n)
        out[t] = first[t + 1] + second[t]; // shared_overflow: oob-shared
}

__global__ void local_array(int *out, int n)
{
    int mine[8];
    for (int i = 0; i < 8; i++)
        mine[i] = i;
    for (int i = 0; i <= n; i++)
        out[threadIdx.x] += mine[i * 3 % 11]; // local_overflow: oob-local
}

__device__ int table[16];
__device__ int other_table[16];

__global__ void device_variable(int i)
{
    table[i + threadIdx.x] = 1; // variable_overflow: oob-global
    other_table[threadIdx.x] = 2;
}

__global__ void read_one(const int *a, int *out)
{
    *out = a[threadIdx.x]; // after_free: use-after-free
}

__global__ void read_host(const int *a, int *out)
{
    *out = *a; // host_memory: host-pointer
}

__global__ void read_wide(const char *a, int *out)
{
    *out = *(const int *)(a + 1); // not_aligned: misaligned
}

/* ---- synchronisation ---- */

__global__ void half_barrier(int *a)
{
    if (threadIdx.x < 40)
        __syncthreads(); // half_the_block: sync-divergent
    a[threadIdx.x] = 1;
}

__global__ void two_barriers(int *a)
{
    if (threadIdx.x % 2)
        __syncthreads(); // two_places: sync-divergent
    else
        __syncthreads();
    a[threadIdx.x] = 1;
}

__global__ void wrong_mask(int *a)
{
    int t = threadIdx.x, v = t;
    if (t < 16)
        v = __shfl_down_sync(0xff, v, 1); // mask: sync-mask
    a[t] = v;
}

__global__ void lanes_away(int *a)
{
    int t = threadIdx.x, v = t;
    if (t < 16)
        v = __shfl_sync(0xffff, v, 20); // shuffle: sync-shuffle
    a[t] = v;
}

__global__ void shuffles_good(int *a)
{
    int t = threadIdx.x, v = t;
    for (int step = 16; step; step /= 2)
        v += __shfl_down_sync(0xffffffff, v, step);
    a[t] = v;
}

/* ---- the host's part ---- */

static int *memory_of(int n)
{
    int *p;
    cudaMalloc(&p, n * sizeof *p);
    cudaMemset(p, 0, n * sizeof *p);
    return p;
}

#define SIMPLE(name, launch)                                                   \
    static void name()                                                         \
    {                                                                          \
        int *a = memory_of(N), *b = memory_of(N);                              \
        launch;                                                                \
        cudaDeviceSynchronize();                                               \
        cudaFree(a);                                                           \
        cudaFree(b);                                                           \
    }

SIMPLE(no_barrier, (reverse<<<4, BLOCK>>>(a)))
SIMPLE(barrier, (reverse_good<<<4, BLOCK>>>(a)))
SIMPLE(no_second_barrier, (tiles<false><<<1, BLOCK>>>(a, b)))
SIMPLE(both_barriers, (tiles<true><<<1, BLOCK>>>(a, b)))
SIMPLE(warp_plain, (warp_sum<0><<<1, 32>>>(a, b)))
SIMPLE(warp_volatile, (warp_sum<1><<<1, 32>>>(a, b)))
SIMPLE(warp_synced, (warp_sum<2><<<1, 32>>>(a, b)))
SIMPLE(bytes, (bytes_apart<<<1, BLOCK>>>((unsigned char *)a)))
SIMPLE(count_plain, (histogram<false><<<1, BLOCK>>>(a, b)))
SIMPLE(count_atomic, (histogram<true><<<1, BLOCK>>>(a, b)))
SIMPLE(no_handover, (producer<false><<<1, 128>>>(a)))
SIMPLE(handover, (producer<true><<<1, 128>>>(a)))
SIMPLE(shift_in_place, (shift<<<N / BLOCK, BLOCK>>>(a)))
SIMPLE(shift_apart, (shift_good<<<N / BLOCK, BLOCK>>>(a, b)))
SIMPLE(count_global, (count_all<false><<<4, BLOCK>>>(a)))
SIMPLE(count_global_atomic, (count_all<true><<<4, BLOCK>>>(a)))
SIMPLE(same_value, (set_flag<<<1, BLOCK>>>(a, b)))
SIMPLE(no_fence, (last_block<false><<<8, 64>>>(a, b)))
SIMPLE(fence, (last_block<true><<<8, 64>>>(a, b)))
SIMPLE(no_lock, (critical<false><<<8, 32>>>(a, b)))
SIMPLE(lock, (critical<true><<<8, 32>>>(a, b)))
SIMPLE(one_too_many, (one_more<<<9, BLOCK>>>(a, N)))
SIMPLE(just_enough, (one_more<<<8, BLOCK>>>(a, N)))
SIMPLE(into_neighbour, (far_away<<<1, 32>>>(a, (int)(b - a))))
SIMPLE(shared_overflow, (shared_neighbour<<<1, 32>>>(a, 32)))
SIMPLE(shared_fits, (shared_neighbour<<<1, 32>>>(a, 31)))
SIMPLE(local_overflow, (local_array<<<1, 32>>>(a, 8)))
SIMPLE(local_fits, (local_array<<<1, 32>>>(a, 2)))
SIMPLE(variable_overflow, (device_variable<<<1, 16>>>(8)))
SIMPLE(variable_fits, (device_variable<<<1, 16>>>(0)))
SIMPLE(not_aligned, (read_wide<<<1, 1>>>((const char *)a, b)))
SIMPLE(half_the_block, (half_barrier<<<1, 64>>>(a)))
SIMPLE(two_places, (two_barriers<<<1, 64>>>(a)))
SIMPLE(mask, (wrong_mask<<<1, 32>>>(a)))
SIMPLE(shuffle, (lanes_away<<<1, 32>>>(a)))
SIMPLE(shuffles, (shuffles_good<<<1, 32>>>(a)))

static void after_free()
{
    int *a = memory_of(N), *b = memory_of(N);
    cudaFree(a);
    read_one<<<1, 1>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(b);
}

static void host_memory()
{
    int *a = (int *)malloc(4096), *b = memory_of(N);
    read_host<<<1, 1>>>(a, b);
    cudaDeviceSynchronize();
    cudaFree(b);
    free(a);
}

static void grid_barrier()
{
    int *a = memory_of(N);
    void *args[] = {&a};
    cudaLaunchCooperativeKernel((void *)grid_steps, dim3(4), dim3(BLOCK), args,
                                0, 0);
    cudaDeviceSynchronize();
    cudaFree(a);
}

static void streams(bool ordered)
{
    int *a = memory_of(N);
    cudaStream_t s[2];
    cudaEvent_t e;
    cudaStreamCreateWithFlags(&s[0], cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&s[1], cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
    fill<<<N / BLOCK, BLOCK, 0, s[0]>>>(a, 1);
    cudaEventRecord(e, s[0]);
    if (ordered)
        cudaStreamWaitEvent(s[1], e, 0);
    fill<<<N / BLOCK, BLOCK, 0, s[1]>>>(a, 2);
    cudaDeviceSynchronize();
    cudaEventDestroy(e);
    cudaStreamDestroy(s[0]);
    cudaStreamDestroy(s[1]);
    cudaFree(a);
}

static void two_streams()
{
    streams(false);
}

static void streams_in_order()
{
    streams(true);
}

static void copy_too_much()
{
    int *a = memory_of(N);
    static int host[2 * N];
    cudaMemcpy(a, host, sizeof(int) * (N + 1), cudaMemcpyHostToDevice); // copy_too_much: memcpy-oob
    cudaFree(a);
}

static void fill_too_much()
{
    int *a = memory_of(N);
    cudaMemset(a, 0, sizeof(int) * (N + 1)); // fill_too_much: memset-oob
    cudaFree(a);
}

static void never_freed()
{
    int *a;
    cudaMalloc(&a, 4096); // never_freed: leak
}

static void stream_left()
{
    cudaStream_t s;
    cudaStreamCreate(&s); // stream_left: leak
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {
#define CASE(name) {#name, name},
    CASE(no_barrier) CASE(barrier) CASE(no_second_barrier)
    CASE(both_barriers) CASE(warp_plain) CASE(warp_volatile)
    CASE(warp_synced) CASE(bytes) CASE(count_plain) CASE(count_atomic)
    CASE(no_handover) CASE(handover) CASE(shift_in_place)
    CASE(shift_apart) CASE(count_global) CASE(count_global_atomic)
    CASE(same_value) CASE(no_fence) CASE(fence) CASE(no_lock) CASE(lock)
    CASE(one_too_many) CASE(just_enough) CASE(into_neighbour)
    CASE(shared_overflow) CASE(shared_fits) CASE(local_overflow)
    CASE(local_fits) CASE(variable_overflow) CASE(variable_fits)
    CASE(not_aligned) CASE(half_the_block) CASE(two_places) CASE(mask)
    CASE(shuffle) CASE(shuffles) CASE(after_free) CASE(host_memory)
    CASE(grid_barrier) CASE(two_streams) CASE(streams_in_order)
    CASE(copy_too_much) CASE(fill_too_much) CASE(never_freed)
    CASE(stream_left)
};

int main(int argc, char **argv)
{
    for (const auto &c : cases) {
        if (argc < 2)
            printf("%s\n", c.name);
        else if (strcmp(argv[1], c.name) == 0) {
            c.run();
            cudaGetLastError();
            return 0;
        }
    }
    return argc < 2 ? 0 : 2;
}
