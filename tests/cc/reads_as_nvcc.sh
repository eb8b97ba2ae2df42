#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What nvcc takes and clang alone does not: execution spaces of all declarations
# together, code of the other side, built-in variables as values, attributes
# behind nvcc's words, single percent signs, launches with braces, in macros and
# behind comments. Without the plugin (src/cc/dialect) this is skipped.
. "$(dirname "$0")/checks.inc"
ls "$SW_BUILD"/lib/libsoftwarp-dialect-*.so >/dev/null 2>&1 || {
    echo "$name: skipped: the plugin for clang is not built"
    exit 77
}
cat >head.h <<'CU'
#include <cstdio>
inline int ran(const int *got, const int *want, int n)
{
    cudaError_t e = cudaDeviceSynchronize();
    int bad = e != cudaSuccess;
    if (bad) printf("%s\n", cudaGetErrorString(e));
    for (int i = 0; i < n; i++)
        if (got[i] != want[i]) {
            printf("%d: %d, not %d\n", i, got[i], want[i]);
            bad = 1;
        }
    puts(bad ? "wrong" : "right");
    return bad;
}
#define RUN(launch, ...)                                                       \
    int main()                                                                 \
    {                                                                          \
        int want[] = {__VA_ARGS__}, *p;                                        \
        cudaMallocManaged(&p, 1024);                                           \
        launch;                                                                \
        return ran(p, want, sizeof want / sizeof *want);                       \
    }
CU
# right WHAT: what stands on standard input compiles, and prints so.
right() {
    { echo '#include "head.h"'; cat; } >t.cu
    compiles "$1" t.cu -o t
    run ./t >t.out 2>&1
    check "$1: result" grep -qx right t.out
}
right "spaces of all declarations" <<'CU'
__device__ int twice(int);
int twice(int a) { return a * 2; }
__host__ __device__ int thrice(int);
int thrice(int a) { return a * 3; }
struct V { __host__ __device__ V(int); __host__ __device__ int get() const; __device__ void add(int); int x; };
V::V(int a) : x(a) {}
int V::get() const { return x; }
void V::add(int a) { x += a; }
template <class T> __host__ __device__ T g(T x) { return x; }
template <> int g<int>(int x) { return x + 6; }
template <class T> struct Q { __host__ __device__ T val() const; };
template <class T> T Q<T>::val() const { return 3; }
template <> int Q<int>::val() const { return 9; }
__global__ void k(int *p)
{
    V v(4);
    v.add(3);
    p[0] = twice(2); p[1] = thrice(1); p[2] = v.get(); p[3] = g(1);
    p[4] = Q<int>().val(); p[5] = Q<long>().val();
}
RUN((k<<<1, 1>>>(p)), 4, 3, 7, 7, 9, 3)
CU
right "bodies of the other side" <<'CU'
#ifdef __CUDA_ARCH__
template <class T> static inline __device__ void inc(T &a) { atomicAdd(&a, (T)1); }
#else
template <class T> static inline void inc(T &a) { a++; }
#endif
__host__ __device__ inline void step(int &x) { inc(x); }
void on_host(int &x) { inc(x); }
__global__ void k(int *p) { step(*p); }
RUN((k<<<1, 64>>>(p), cudaDeviceSynchronize(), on_host(*p)), 65)
CU
right "calls of host functions" <<'CU'
int host(int a) { return a * 100; }
__host__ __device__ int mixed(int a, bool h) { if (h) return host(a); return a + 1; }
__host__ __device__ int other(int a) { return host(a); }
__global__ void k(int *p) { *p = mixed(1, false); }
RUN((k<<<1, 1>>>(p), cudaDeviceSynchronize(), p[1] = mixed(1, true)), 2, 100)
CU
check "... with a warning" grep -q "warning: .*host" cc.out
right "built-in variables as values" <<'CU'
struct D { unsigned a; __host__ __device__ D(dim3 d) : a(d.x) {} };
__device__ D size() { return blockDim; }
__device__ int which(uint3) { return 1; }
__device__ int which(dim3) { return 2; }
template <class T> __device__ unsigned sum(const T &t) { return t.x + t.y + t.z; }
__global__ void k(int *p)
{
    auto t = threadIdx;
    t.x += 10;
    uint3 a = threadIdx.x ? threadIdx : blockIdx;
    const uint3 &r = threadIdx;
    auto [x, y, z] = blockDim;
    if (r.x != 3) return;
    p[0] = t.x; p[1] = a.x; p[2] = sum(blockDim) + sum(threadIdx);
    p[3] = which(threadIdx) * 10 + which(gridDim); p[4] = size().a;
    p[5] = sizeof threadIdx; p[6] = x * y * z; p[7] = warpSize;
}
RUN((k<<<1, 4>>>(p)), 13, 3, 9, 12, 4, 12, 4, 32)
CU
right "words" <<'CU'
const int warpSize = 32;
struct G { int n; __host__ __device__ [[nodiscard]] int size() const { return n; } };
__global__ void k(int *p)
{
    unsigned lane;
    asm volatile(R"(
)");
    asm("mov.u32 %0, %laneid;" : "=r"(lane));
    p[0] = G{3}.size(); p[1] = lane * 0 + warpSize; p[2] = blockDim.x * 10 + blockDim.y;
}
RUN((k<<<1, {4, 2}>>>(p)), 3, 32, 42)
CU
right "launches in kernels" <<'CU'
#define GO(n) k<<<1, 1>>>(p, n)
__global__ void k(int *p, int n)
{
    // Launch the next one.
    if (n > 0) { GO(n - 1); }
    atomicAdd(p, n);
}
RUN((k<<<1, 1>>>(p, 3)), 6)
CU
right "the device's runtime without launches in kernels" <<'CU'
__device__ void never(void *p) { cudaFree(p); }
__global__ void k(int *p)
{
    void *q = nullptr;
    int value = 0;
    cudaError_t e = cudaMalloc(&q, 16);
    cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0);
    p[0] = e == cudaSuccess && q; p[1] = value;
    cudaFree(q);
}
RUN((k<<<1, 1>>>(p)), 1, 32)
CU
right "kinds of closures" <<'CU'
template <class F> int kind(F)
{
    return __nv_is_extended_device_lambda_closure_type(F) + 2 * __nv_is_extended_host_device_lambda_closure_type(F);
}
template <class F> __global__ void k(int *p, F f) { *p = f(*p); }
RUN((p[1] = kind([] __device__(int x) { return x + 1; }), p[2] = kind([] __host__ __device__(int x) { return x; }),
     p[3] = kind([](int x) { return x; }), p[4] = kind(3), p[0] = 5,
     k<<<1, 1>>>(p, [] __device__(int x) { return x + 1; })), 6, 1, 2, 0, 0)
CU
right "questions of host code about closures for the device" <<'CU'
#include <type_traits>
template <class F> __global__ void k(int *p, F f) { *p = f(*p); }
template <class F> void go(int *p, F f)
{
    static_assert(std::is_invocable_r<int, F, int>::value, "");
    k<<<1, 1>>>(p, f);
}
RUN((*p = 1, go(p, [] __device__(int x) { return x + (int)blockDim.x; })), 2)
CU
right "constructors of shared variables" <<'CU'
#include <cuda/barrier>
struct Counter { int n; __device__ Counter() : n(5) {} __device__ ~Counter() { n = 0; } };
template <class T> struct Holder { T v; __device__ Holder() { v = T(3); } };
template <class T> __device__ void several(int *p)
{
    __shared__ Holder<T> h[4];
    if (threadIdx.x == 0) h[2].v = 4;
    __syncthreads();
    if (threadIdx.x == 1) p[1] = h[2].v;
}
__global__ void k(int *p)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    __shared__ Counter c;
    if (threadIdx.x == 0) { init(&bar, blockDim.x); c.n = 1; }
    __syncthreads();
    atomicAdd(&c.n, threadIdx.x);
    bar.arrive_and_wait();
    p[0] = c.n;
    several<int>(p);
}
RUN((k<<<1, 64>>>(p)), 2017, 4)
CU
# Of these headers clang's own make functions for both sides, by a pragma.
mkdir other
printf '#include <algorithm>\n#include <complex>\n' >other/more.h
right "the C++ library's headers" <<'CU'
#include "other/more.h"
#include <array>
#include <cmath>
#include <new>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
template <class T> struct Pair { std::complex<T> a, b; };
template struct Pair<float>;
__global__ void k(int *p)
{
    std::complex<float> a(1, 2), b(3, 4);
    p[0] = int((a * b).imag()); p[1] = int(std::abs(b)); p[2] = int(std::norm(b));
    p[3] = std::max(3, 4) + std::min(1, 2);
    alignas(4) char room[4];
    p[4] = *new (room) int(5); p[5] = int(std::floor(2.5f) + std::pow(2.0, 3));
    std::tuple<int, int> t{4, 2};
    auto [x, y] = std::pair<int, int>(7, 8);
    p[6] = std::get<0>(t) * 100 + x * 10 + y;
    p[7] = std::array<int, 3>{1, 2, 3}[1] + std::is_same<decltype(a), std::complex<float>>::value;
}
RUN((k<<<1, 1>>>(p)), 10, 5, 25, 5, 5, 10, 478, 3)
CU
right "guides that deduce, and concepts" <<'CU'
#include <array>
#include <utility>
template <class T> struct Pair { T a, b; };
template <class T> Pair(T, T) -> Pair<T>;
template <class T> struct Own { T v; __device__ Own(T x) : v(x) {} };
template <class... F> struct either : F... { using F::operator()...; };
template <class... F> either(F...) -> either<F...>;
template <class T, class U, class = void> struct goes { enum { v = 0 }; };
template <class T, class U> struct goes<T, U, decltype(void(static_cast<U>(std::declval<T>())))> { enum { v = 1 }; };
template <class T> __device__ auto add(T a, T b) -> decltype(static_cast<T>(std::declval<T>() + b)) { return a + b; }
__global__ void k(int *p)
{
    Pair q{1, 2};
    Own w(3);
    std::array a{1, 2, 4};
    auto e = either{[](int) { return 5; }, [](float) { return 6; }};
    p[0] = q.a + q.b; p[1] = w.v; p[2] = a[2];
    p[3] = e(1) * 10 + e(1.f); p[4] = goes<int, float>::v; p[5] = add(3, 4);
}
RUN((k<<<1, 1>>>(p)), 3, 3, 4, 56, 1, 7)
CU
echo 'int f(); __global__ void k(int *p) { *p = f(); }' >t.cu
refuses "call to __host__ function from __global__" -c t.cu
finish
