#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Several sources, objects and archives in one program; separate compilation of
# device code; shared libraries; dependencies for make.
. "$(dirname "$0")/checks.inc"
cat >main.cu <<'END'
#include <cstdio>
#include "part.h"
extern __device__ int total;
extern __constant__ int table[2];
__device__ int twice(int);
static __device__ int mine = 1;
static __global__ void kernel(int *out) { *out = twice(total) + table[1] + mine; }
extern "C" int from_c(int);
int main()
{
    int *out, got, value = 100;
    if (cudaMalloc(&out, sizeof *out) ||
        cudaMemcpyToSymbol(total, &value, sizeof value))
        return 1;
    kernel<<<1, 1>>>(out);
    if (cudaMemcpy(&got, out, sizeof got, cudaMemcpyDeviceToHost))
        return 1;
    printf("%d %d %d\n", got, from_c(1), from_cpp(1));
    return 0;
}
END
cat >other.cu <<'END'
__device__ int total = 3;
__constant__ int table[2] = {5, 7};
static __device__ int mine = 1000;
__device__ int twice(int x) { return 2 * x + mine; }
END
echo 'int from_cpp(int);' >part.h
echo '#include <cuda_runtime_api.h>
static inline cudaError_t defaults(void **p) { // of C++, without templates
    return cudaMallocManaged(p, 4) || cudaGetDriverEntryPoint("cuInit", p, 0)
               ? cudaErrorUnknown : cudaStreamWaitEvent(0, 0);
}
#include <cuda_runtime.h>
#include "part.h"
int from_cpp(int x) { return (int)make_int2(x, 2).y + x; }' >part.cpp
echo '#include <cuda_runtime_api.h>
#include <cuda.h>
int from_c(int x) { struct cudaExtent e = {0}; return (int)e.width - x; }' >part.c
compiles "-dc" -dc main.cu
compiles "-rdc=true -c" -rdc=true -c other.cu -o other.o
compiles "C with -MD" -c -MD part.c
check "dependencies of C" grep -q '^part.o: part.c' part.d
compiles "linking" -rdc=true main.o other.o part.c part.cpp -lcudart -o app
check "the program's answer" test "$(run ./app)" = \
    "1208 -1 3"
compiles "all at once" -rdc=true main.cu other.cu part.c part.cpp -o app2
check "the same" test "$(run ./app2)" = "1208 -1 3"
echo 'struct Shape { int side; __device__ virtual int area() const = 0; };
typedef int (*Step)(int);
__device__ Shape *square();
extern __device__ Step step;' >shape.h
cat >calls.cu <<'END'
#include <cstdio>
#include "shape.h"
__managed__ int out[3];
__global__ void kernel(Step from_host)
{
    Shape *s = square();
    s->side = 5;
    out[0] = s->area();
    out[1] = step(1);
    out[2] = from_host(2);
    delete s;
}
int main()
{
    Step from_device = nullptr;
    cudaMemcpyFromSymbol(&from_device, step, sizeof from_device);
    kernel<<<1, 1>>>(from_device);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[1], out[2]);
}
END
cat >called.cu <<'END'
#include "shape.h"
namespace {
struct Square : Shape { __device__ int area() const override { return side * side; } };
}
__device__ Shape *square() { return new Square; }
static __device__ int next(int x) { return x + 10; }
__device__ Step step = next;
END
compiles "calls by pointer, for debugging" -w -G -rdc=true calls.cu called.cu -o app4
check "without a word" test ! -s cc.out
check "they arrive" test "$(run ./app4)" = "25 11 12"
compiles "calls by pointer to another part" -rdc=true calls.cu called.cu -o app4
for engine in interp jit; do
    check "they arrive ($engine)" test \
        "$(SOFTWARP_ENGINE=$engine run ./app4)" = "25 11 12"
done
echo '#pragma once
#include <cstdio>
extern __managed__ int out[8];
template <class F> __global__ void apply(F f, int *to) { *to = f(3); }
inline __global__ void twice(int *of) { *of *= 2; }
template <class T> __device__ T thrice(T x);
inline void shared(int *to) { apply<<<1, 1>>>([] __device__(int x) { return x; }, to); }
void second();' >kernels.h
cat >first.cu <<'END'
#include "kernels.h"
__managed__ int out[8];
static __device__ int mine = 1;
__global__ void early(int *to) { *to = mine + thrice(4); }
auto closure = [] __device__(int x) { return x + 10; };
namespace {
struct Unnamed { __device__ int operator()(int x) const { return x + 20; } };
}
int main()
{
    int value = 5, add = 30;
    cudaMemcpyToSymbol(mine, &value, sizeof value);
    early<<<1, 1>>>(&out[0]);
    apply<<<1, 1>>>(closure, &out[1]);
    apply<<<1, 1>>>(Unnamed(), &out[2]);
    apply<<<1, 1>>>([=] __device__(int x) { return x + add; }, &out[3]);
    shared(&out[4]);
    twice<<<1, 1>>>(&out[4]);
    second();
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int x : out)
        printf(" %d", x);
    printf("\n");
}
END
cat >second.cu <<'END'
#include "kernels.h"
template <class T> __device__ T thrice(T x) { return 3 * x; }
template __device__ int thrice(int);
static __device__ int mine = 2;
__global__ void late(int *to) { *to = mine; }
auto closure = [] __device__(int x) { return x + 40; };
void second()
{
    int value = 6;
    cudaMemcpyToSymbol(mine, &value, sizeof value);
    late<<<1, 1>>>(&out[5]);
    apply<<<1, 1>>>(closure, &out[6]);
    shared(&out[7]);
    twice<<<1, 1>>>(&out[7]);
}
END
compiles "kernels of headers, closures" -rdc=true --extended-lambda first.cu \
    second.cu -o app5
for engine in interp jit; do
    check "each has its own ($engine)" test \
        "$(SOFTWARP_ENGINE=$engine run ./app5)" = \
        "cudaSuccess 17 13 23 33 6 6 43 6"
done
ar rcs libparts.a other.o
compiles "with an archive and -dlink" -dlink -o link.o main.o other.o
compiles "from an archive" main.o link.o part.o part.cpp -L. -lparts -o app3
check "the same" test "$(run ./app3)" = "1208 -1 3"
compiles "a shared library" -shared -Xcompiler -fPIC -o libone.so part.cpp
check "is one" test -s libone.so
compiles "-M" -M main.cu
check "the user's header" grep -q 'part.h' cc.out
compiles "-MD -MF" -c -MD -MF deps -MT goal part.cpp -o p.o
check "goal" grep -q '^goal: part.cpp' deps
compiles "-E" -E part.cpp
check "preprocessed" grep -q 'int from_cpp(int x)' cc.out
cat >lenient.cpp <<'CPP'
int lenient(double x)
{
    register int i = 1;
    int of[] = {i, x > 0 ? 2 : 3};
    unsigned char narrow[] = {of[0], of[1]};
    return narrow[0];
}
CPP
compiles "C++ that gcc takes" -std=c++17 -c lenient.cpp -o lenient.o
finish
