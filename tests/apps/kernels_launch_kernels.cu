/* SPDX-License-Identifier: Apache-2.0 */
// cc: -rdc=true -std=c++17 -lcudadevrt
// expect: EXACT arguments: 1 2.5 -7 1 1 6 65535 3.25 101
// expect: EXACT none: 3
// expect: EXACT templates: 60 2.5 15
// expect: EXACT members: 77
// expect: EXACT recursion: 31
// expect: EXACT streams: 1 2 3
// expect: EXACT shape: 24 8
// expect: EXACT lambda: 12
// expect: EXACT host: 5 4 9
// expect: EXACT memory: 42 7
// expect: EXACT refused: 9 0
/* Kernels that launch kernels, as programs write that: arguments of all kinds,
 * templates whose arguments are deduced, names with qualifiers, streams. */
#include "check.h"

struct __align__(16) wide {
    float v[5];
};

struct small {
    char c[3];
};

__device__ double seen[16];
__device__ int count;

__global__ void take(char c, double d, small s, short i, bool yes, wide w,
                     unsigned short u, const float *__restrict__ p, float3 v)
{
    seen[0] = c;
    seen[1] = d;
    seen[2] = i;
    seen[3] = yes;
    seen[4] = s.c[2];
    seen[5] = w.v[4];
    seen[6] = u;
    seen[7] = *p;
    seen[8] = v.z + w.v[0];
}

__device__ float quarter = 3.25f;

__global__ void arguments(int more)
{
    small s = {{3, 2, 1}};
    wide w = {{1, 2, 3, 4, 6}};
    if (more)
        take<<<1, 1>>>(1, 2.5, s, -7, more > 0, w, 65535, &quarter,
                       make_float3(0, 0, 100));
    else /* a text: <<< >>> */
        printf("kernel<<<1, 1>>>(x)\n");
}

__global__ void one_more()
{
    atomicAdd(&count, 1);
}

__global__ void none()
{
    one_more<<<3, 1>>>();
}

namespace outer {
namespace {
template <typename T> __global__ void add(T *p, T x)
{
    atomicAdd(p, x);
}
} // namespace
template <int N> __global__ void add_n(int *p)
{
    atomicAdd(p, N);
}
template <typename T> struct adder {
    T x;
    __device__ void launch(T *p) const
    {
        outer::add<T><<<7, dim3(11, 1, 1)>>>(p, x);
    }
};
} // namespace outer

template <typename T> __global__ void templates(int *i, T *f)
{
    using namespace outer;
    for (int k = 0; k < 2; k++)
        if (k)
            add<<<1, 30>>>(i, 1);
        else
            k < 1 ? add<<<1, 29>>>(i, 1) : (void)0, add<<<1, 1>>>(i, 1);
    outer::add<<<1, 10, 0, 0>>>(f, T(0.25));
    ::outer::add_n<(5 > 3) ? 15 : 2><<<1, 1>>>(i + 1);
}

__global__ void members(int *p)
{
    outer::adder<int>{1}.launch(p);
}

__global__ void recursion(int *p, int depth)
{
    atomicAdd(p, 1);
    if (threadIdx.x == 0 && depth)
        recursion<<<2, 1>>>(p, depth - 1);
}

__global__ void in_turn(int *p, int at, int x)
{
    p[at] = p[at ? at - 1 : 0] + x;
}

__global__ void streams(int *p)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    in_turn<<<1, 1, 0, s>>>(p, 0, 1);
    in_turn /* <<<1, 1>>>( */ <<<1, /* , */ 1, 0, s>>>(p, /* ) */ 1, 1);
    in_turn<<<1, 1, 0, cudaStreamTailLaunch>>>(p, 2, 1);
    cudaStreamDestroy(s);
}

__global__ void shaped(int *p)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.y * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x + threadIdx.y)
        return;
    int sum = 0;
    for (int i = 0; i < (int)(blockDim.x * blockDim.y); i++)
        sum += dynamic[i];
    atomicAdd(p, sum);
    p[1] = sum;
}

__global__ void shape(int *p, int n)
{
    const dim3 block(n, 2);
    shaped<<<
        dim3(n - 1, 1),
        block, // as many words
        sizeof(int) * block.x * block.y
    >>>(p);
}

template <typename F> __global__ void call(F f)
{
    f(threadIdx.x);
}

__global__ void with_lambda(int *p)
{
    int by = 2;
    call<<<1, 4>>>([=] __device__(int i) { atomicAdd(p, by * i); });
}

/* What launches from both sides is the host's and the device's. */
static __global__ void five(int *p, int x)
{
    *p = x;
}

#define FOUR(p) five<<<1, 1>>>(p, 4)

__global__ void memory(int *p)
{
    int *q;
    if (cudaMalloc(&q, sizeof *q) != cudaSuccess)
        return;
    *q = 42;
    p[0] = *q;
    cudaFree(q);
    cudaMemsetAsync(p + 1, 0, sizeof *p);
    in_turn<<<1, 1>>>(p + 1, 0, 7);
}

__global__ void refused(int *p)
{
    one_more<<<1, 2000>>>();
    p[0] = cudaGetLastError();
    p[1] = cudaGetLastError();
}

int main()
{
    int *i;
    float *f;
    CK(cudaMallocManaged(&i, 1024));
    CK(cudaMallocManaged(&f, 1024));
    auto clear = [&] {
        for (int k = 0; k < 8; k++)
            i[k] = 0, f[k] = 0;
    };
    clear();
    arguments<<<1, 1>>>(1);
    double s[9];
    CK(cudaMemcpyFromSymbol(s, seen, sizeof s));
    printf("arguments: %g %g %g %g %g %g %g %g %g\n", s[0], s[1], s[2], s[3],
           s[4], s[5], s[6], s[7], s[8]);
    int n;
    none<<<1, 1>>>();
    CK(cudaMemcpyFromSymbol(&n, count, sizeof n));
    printf("none: %d\n", n);
    templates<<<1, 1>>>(i, f);
    CK(cudaDeviceSynchronize());
    printf("templates: %d %g %d\n", i[0], f[0], i[1]);
    clear();
    members<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    printf("members: %d\n", i[0]);
    clear();
    recursion<<<1, 1>>>(i, 4);
    CK(cudaDeviceSynchronize());
    printf("recursion: %d\n", i[0]);
    clear();
    streams<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    printf("streams: %d %d %d\n", i[0], i[1], i[2]);
    clear();
    shape<<<1, 1>>>(i, 4);
    CK(cudaDeviceSynchronize());
    printf("shape: %d %d\n", i[0], i[1]);
    clear();
    with_lambda<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    printf("lambda: %d\n", i[0]);
    int x = 9;
    void *arguments_of_five[] = {&i, &x};
    five<<<1, 1>>>(i, 5);
    CK(cudaDeviceSynchronize());
    int was[2] = {i[0]};
    FOUR(i);
    CK(cudaDeviceSynchronize());
    was[1] = i[0];
    CK(cudaLaunchKernel((const void *)five, 1, 1, arguments_of_five, 0, 0));
    CK(cudaDeviceSynchronize());
    printf("host: %d %d %d\n", was[0], was[1], i[0]);
    clear();
    memory<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    printf("memory: %d %d\n", i[0], i[1]);
    refused<<<1, 1>>>(i);
    CK(cudaDeviceSynchronize());
    printf("refused: %d %d\n", i[0], i[1]);
    return 0;
}
// check: race-global (two blocks store the same)
