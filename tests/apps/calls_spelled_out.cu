/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT numbers: 0 wrong
// expect: EXACT structures: 0 wrong
// expect: EXACT many ways back: 0 wrong
// expect: EXACT calls in calls: 0 wrong
// expect: EXACT arrays of their own: 0 wrong
// expect: EXACT shared memory and barriers: 0 wrong
// expect: EXACT themselves: 0 wrong
// expect: EXACT by pointer: 0 wrong
// expect: EXACT in a loop, twice: 0 wrong
// expect: EXACT prints 7
// expect: EXACT out of bounds: an illegal memory access was encountered
// expect: ERROR calls_spelled_out.cu:29, in function .*store_far
/* Functions that compilers were told not to inline, called by lanes that part,
 * from loops and from each other. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define APART __host__ __device__ __noinline__

enum { N = 256 };

static __device__ __noinline__ void
store_far(int *p, long long at)
{
    p[at] = 1;
}

APART int
add(int a, int b)
{
    return a * 3 + b;
}
APART double
scale(float x, double y, bool up)
{
    return up ? x * y : x - y;
}
APART unsigned char
low(short s, long long l)
{
    return (unsigned char)(s + l);
}

static __host__ __device__ int
numbers(int i)
{
    double d = scale((float)i, 0.25 * i, i % 3 == 0);
    int r = add(i, 7);
    if (i & 1)
        r += add((int)d, low((short)i, r));
    return r;
}

struct pair {
    int a;
    float b;
};
struct large {
    int v[9];
    pair p;
};
APART pair
swap(pair p)
{
    return {(int)p.b, (float)p.a};
}
APART large
turn(large l, int by)
{
    large r = l;
    for (int k = 0; k < 9; k++)
        r.v[k] = l.v[(k + by) % 9] + by;
    r.p = swap(l.p);
    return r;
}

static __host__ __device__ int
structures(int i)
{
    large l;
    for (int k = 0; k < 9; k++)
        l.v[k] = i * k;
    l.p = {i, (float)(i * 2)};
    l = turn(l, i % 9);
    if (i % 5 == 0)
        l = turn(l, 2);
    int r = l.p.a * 7 + (int)l.p.b;
    for (int k = 0; k < 9; k++)
        r = r * 5 + l.v[k];
    return r;
}

APART int
ways(int x)
{
    if (x < 3)
        return x;
    for (int k = 0; k < 20; k++) {
        if (x % (k + 2) == 0)
            return k * 100 + x;
        x += k;
    }
    return -x;
}

static __host__ __device__ int
many_ways(int i)
{
    return ways(i) + (i % 4 ? ways(i * 7) : 0);
}

APART int
deep1(int x)
{
    return x * 5 + 1;
}
APART int
deep2(int x)
{
    return deep1(x) - deep1(x + 1) * 2;
}
APART int
deep3(int x)
{
    return x & 1 ? deep2(x) : deep2(x / 2) + deep1(x);
}

static __host__ __device__ int
nested(int i)
{
    return deep3(i) + deep3(i + 3) * deep2(i);
}

APART int
own(int x, int n)
{
    int a[12];
    for (int k = 0; k < 12; k++)
        a[k] = x + k;
    for (int k = 0; k < n; k++)
        a[(x + k) % 12] += a[(k * 5) % 12];
    int s = 0;
    for (int k = 0; k < 12; k++)
        s = s * 3 + a[k];
    return s;
}

static __host__ __device__ int
arrays(int i)
{
    int mine[5];
    for (int k = 0; k < 5; k++)
        mine[k] = own(i + k, i % 7);
    return mine[i % 5] ^ mine[(i + 2) % 5];
}

APART int
fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __host__ __device__ int
themselves(int i)
{
    return fibonacci(i % 12) + add(i, 1);
}

typedef int (*function)(int);
APART int
twice(int x)
{
    return 2 * x;
}
APART int
less(int x)
{
    return x - 5;
}

static __host__ __device__ int
by_pointer(int i)
{
    function f = i % 3 ? twice : less;
    return f(i) + twice(i);
}

static __host__ __device__ int
in_loop(int i)
{
    int x = i;
    for (int k = 0; k < i % 9; k++)
        x = add(x, deep1(k)) % 10007;
    for (int k = 0; k < 4; k++)
        x = add(x, k);
    return x;
}

template <int (*F)(int)>
__global__ void
run(int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N - 10)
        out[i] = F(i);
}

template <int (*F)(int)>
static void
check(const char *what)
{
    int *out, got[N], wrong = 0;
    cudaMalloc(&out, sizeof got);
    run<F><<<4, N / 4>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N - 10; i++)
        wrong += got[i] != F(i);
    printf("%s: %d wrong\n", what, wrong);
    cudaFree(out);
}

__device__ __noinline__ int
rotate(int x)
{
    __shared__ int all[64];
    all[threadIdx.x] = x;
    __syncthreads();
    int y = all[(threadIdx.x + 1) % 64];
    __syncthreads();
    return y;
}

__global__ void
share(int *out)
{
    int x = threadIdx.x;
    for (int k = 0; k < 5; k++)
        x = rotate(x) + 1;
    out[threadIdx.x] = rotate(x);
}

__device__ __noinline__ void
print(int x)
{
    printf("prints %d\n", x);
}

__global__ void
print_some(int x)
{
    if (threadIdx.x == 3)
        print(x);
}

__global__ void
fault(int *p)
{
    if (threadIdx.x == 5)
        store_far(p, 1ll << 40);
}

int
main()
{
    check<numbers>("numbers");
    check<structures>("structures");
    check<many_ways>("many ways back");
    check<nested>("calls in calls");
    check<arrays>("arrays of their own");
    int *out, got[64], wrong = 0;
    cudaMalloc(&out, sizeof got);
    share<<<1, 64>>>(out);
    cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        wrong += got[i] != (i + 6) % 64 + 5;
    printf("shared memory and barriers: %d wrong\n", wrong);
    check<themselves>("themselves");
    check<by_pointer>("by pointer");
    check<in_loop>("in a loop, twice");
    print_some<<<1, 32>>>(7);
    cudaDeviceSynchronize();
    fault<<<1, 32>>>(out);
    printf("out of bounds: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: oob-global (a fault is meant)
