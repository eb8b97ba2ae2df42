/* SPDX-License-Identifier: Apache-2.0 */
/* init.cu - values that nothing has written; see cases.h. */
#include "cases.h"

enum { N = 64 };

/* ---- global memory ---- */

__global__ void twice(const int *a, int *out)
{
    out[threadIdx.x] = 2 * a[threadIdx.x]; // sum_copied: uninit
}

__global__ void choose(const int *a, int *out)
{
    if (a[threadIdx.x] > 3) // branch: uninit
        out[threadIdx.x] = 1;
}

__global__ void gather(const int *index, const int *a, int *out)
{
    out[threadIdx.x] = a[index[threadIdx.x] & 15]; // address: uninit
}

__global__ void divide(const int *a, int *out)
{
    out[threadIdx.x] = 100 / a[threadIdx.x]; // divisor: uninit
}

__global__ void add_up(const int *a, int *sum)
{
    atomicAdd(sum, a[threadIdx.x]); // atomic: uninit
}

__global__ void count(int *n)
{
    atomicAdd(n, 1); // atomic_memory: uninit
}

__global__ void copy(const int *a, int *out)
{
    out[threadIdx.x] = a[threadIdx.x]; // plain_copy: uninit
}

__global__ void high_half(const unsigned *a, unsigned *out)
{
    out[threadIdx.x] = a[threadIdx.x] & 0xffff;
}

__global__ void write_low(unsigned short *a)
{
    a[2 * threadIdx.x] = 7;
}

struct padded {
    char c;
    int x;
    double d;
};

__global__ void make(padded *p)
{
    padded one;
    one.c = 'a';
    one.x = (int)threadIdx.x;
    one.d = 2;
    p[threadIdx.x] = one;
}

__global__ void copy_structs(const padded *a, padded *out)
{
    out[threadIdx.x] = a[threadIdx.x];
}

static void two(void (*kernel)(const int *, int *))
{
    int *a, *out = zeros<int>(N), to[N];
    cudaMalloc(&a, N * sizeof *a);
    kernel<<<1, N>>>(a, out);
    cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

static void sum_copied()
{
    two(twice);
}

static void branch()
{
    two(choose);
}

static void divisor()
{
    two(divide);
}

static void atomic()
{
    two(add_up);
}

static void plain_copy()
{
    two(copy);
}

static void address()
{
    int *index, *a = zeros<int>(N), *out = zeros<int>(N);
    cudaMalloc(&index, N * sizeof *index);
    gather<<<1, N>>>(index, a, out);
    finish();
    cudaFree(index);
    cudaFree(a);
    cudaFree(out);
}

static void atomic_memory()
{
    int *n, to;
    cudaMalloc(&n, sizeof *n);
    count<<<1, N>>>(n);
    cudaMemcpy(&to, n, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(n);
}

static void never_written()
{
    int *a, to[N];
    cudaMalloc(&a, sizeof to);
    cudaMemcpy(to, a, sizeof to, cudaMemcpyDeviceToHost); // never_written: uninit
    cudaFree(a);
}

static void not_used()
{
    int *a, *out = zeros<int>(N);
    cudaMalloc(&a, N * sizeof *a);
    twice<<<1, N>>>(a, out);
    finish();
    cudaFree(a);
    cudaFree(out);
}

static void masked()
{
    unsigned *a, *out = zeros<unsigned>(N), to[N];
    cudaMalloc(&a, N * sizeof *a);
    write_low<<<1, N>>>((unsigned short *)a);
    high_half<<<1, N>>>(a, out);
    cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

static void padding()
{
    padded *a, *b, to[N];
    cudaMalloc(&a, sizeof to);
    cudaMalloc(&b, sizeof to);
    make<<<1, N>>>(a);
    copy_structs<<<1, N>>>(a, b);
    cudaMemcpy(to, b, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(b);
}

static void from_host()
{
    int *a, *out, host[N] = {0};
    cudaMalloc(&a, sizeof host);
    cudaMalloc(&out, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    choose<<<1, N>>>(a, out);
    copy<<<1, N>>>(a, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

static void copied_on_device()
{
    int *a = zeros<int>(N), *b, *out = zeros<int>(N);
    cudaMalloc(&b, N * sizeof *b);
    cudaMemcpy(b, a, N * sizeof *b, cudaMemcpyDeviceToDevice);
    choose<<<1, N>>>(b, out);
    finish();
    cudaFree(a);
    cudaFree(b);
    cudaFree(out);
}

static void border()
{
    int *out, to[N];
    cudaMalloc(&out, N * sizeof *out);
    int *a = zeros<int>(N);
    copy<<<1, N - 2>>>(a, out + 1);
    cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

/* ---- shared and local memory ---- */

template <bool fills> __global__ void block_sum(const int *a, int *out, int n)
{
    __shared__ int s[N];
    int t = threadIdx.x;
    if (t < n)
        s[t] = a[t];
    else if (fills)
        s[t] = 0;
    __syncthreads();
    for (int step = N / 2; step; step /= 2) {
        if (t < step)
            s[t] += s[t + step]; // shared_tail: uninit
        __syncthreads();
    }
    if (t == 0)
        *out = s[0];
}

template <bool fills> static void run_sum()
{
    int *a = zeros<int>(N), *out = zeros<int>(1), to;
    block_sum<fills><<<1, N>>>(a, out, N - 5);
    cudaMemcpy(&to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

static void shared_tail()
{
    run_sum<false>();
}

static void shared_filled()
{
    run_sum<true>();
}

__global__ void local_table(const int *index, int *out, int n)
{
    int table[16];
    for (int i = 0; i < n; i++)
        table[i] = i * 3;
    out[threadIdx.x] = table[index[threadIdx.x] + 15]; // local_part: uninit
}

static void run_local(int n)
{
    int *index = zeros<int>(N), *out = zeros<int>(N), to[N];
    local_table<<<1, N>>>(index, out, n);
    cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(index);
    cudaFree(out);
}

static void local_part()
{
    run_local(9);
}

static void local_whole()
{
    run_local(16);
}

/* Through a call and a shuffle. */
__device__ __noinline__ int more(int x)
{
    return x + 5;
}

__global__ void calls(const int *a, int *out)
{
    int v = more(a[threadIdx.x]); // through_call: uninit
    v = __shfl_xor_sync(0xffffffff, v, 1);
    out[threadIdx.x] = v;
}

static void through_call()
{
    two(calls);
}

static void through_call_defined()
{
    int *a = zeros<int>(N), *out = zeros<int>(N), to[N];
    calls<<<1, N>>>(a, out);
    cudaMemcpy(to, out, sizeof to, cudaMemcpyDeviceToHost);
    cudaFree(a);
    cudaFree(out);
}

__global__ void to_host(const int *a, int *out)
{
    out[threadIdx.x] = a[threadIdx.x] + 1; // pinned: uninit
}

static void pinned()
{
    int *a, *out;
    cudaMalloc(&a, N * sizeof *a);
    cudaMallocHost(&out, N * sizeof *out);
    to_host<<<1, N>>>(a, out);
    finish();
    printf("%d\n", out[3]);
    cudaFree(a);
    cudaFreeHost(out);
}

#define CASES(X)                                                               \
    X(sum_copied)                                                              \
    X(branch) X(divisor) X(atomic) X(plain_copy) X(address) X(atomic_memory)   \
        X(never_written) X(not_used) X(masked) X(padding) X(from_host)         \
            X(copied_on_device) X(border) X(shared_tail) X(shared_filled)      \
                X(local_part) X(local_whole) X(through_call)                   \
                    X(through_call_defined) X(pinned)
CASES_MAIN
