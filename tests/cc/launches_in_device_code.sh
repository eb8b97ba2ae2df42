#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Kernels that launch kernels of other objects, by address, and from headers;
# what else such sources need of the compiler: lines, dependencies, static
# kernels of one name in two objects.
. "$(dirname "$0")/checks.inc"
mkdir sub
cat >sub/relay.h <<'CU'
#pragma once
__global__ void other(int *p, int x);
static __global__ void own(int *p) { atomicAdd(p, OWN); }
__device__ inline void relay(int *p)
{
    other<< <1, 2>> >(p, 5);
    own<<<1, 1>>>(p);
}
CU
cat >main.cu <<'CU'
#define OWN 1000
#include "sub/relay.h"
#include <cstdio>
__global__ void top(int *p)
{
    void (*k)(int *, int) = other;
    k<<<1, 1>>>(p, 100);
    relay(p);
}
int main()
{
    int *p;
    cudaMallocManaged(&p, 4);
    *p = 0;
    top<<<1, 1>>>(p);
    own<<<1, 1>>>(p);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %d\n", e, *p);
    return 0;
}
CU
cat >other.cu <<'CU'
#define OWN 20000
#include "sub/relay.h"
__global__ void other(int *p, int x)
{
    atomicAdd(p, x);
    if (x == 100)
        own<<<1, 1>>>(p);
}
CU
compiles "launches in device code" -rdc=true -MD -c main.cu -o main.o
check "dependencies have the names of the sources" grep -q 'sub/relay.h' main.d
check "... and no others" sh -c '! grep -q launches main.d'
compiles "of two objects" -rdc=true main.o other.cu -o app
for engine in interp jit; do
    check "$engine: all is done" test "$(SOFTWARP_ENGINE=$engine run ./app)" = \
        "0 22110"
done
compiles "as PTX" -rdc=true -ptx main.cu -o main.ptx
check "... with kernels" grep -q 'entry _Z3topPi' main.ptx
cat >wrong.cu <<'CU'
__global__ void child(int *p) { }
__global__ void parent(int *p)
{
    child<<<1,
            1>>>(p);
    child<<<1, 1>>>(wrong);
}
CU
refuses "^wrong.cu:6:[0-9]*: error: .*'wrong'" -c wrong.cu
check "no temporaries are left" test -z "$(ls -A tmp)"
finish
