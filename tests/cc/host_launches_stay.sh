#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What looks like device code around a launch, and is none: such a program is
# compiled as it stands.
. "$(dirname "$0")/checks.inc"
cat >main.cu <<'CU'
#include <cstdio>
#define BOTH __host__ __device__
__global__ void add(int *p, int x) { *p += x; }
__device__ int table[2] = {1, 2};
BOTH inline int one() { return table ? 1 : 1; }
/* A __global__ function is launched here, and "__device__ {" is a text. */
struct runner {
    __device__ void nothing() { }
    // __device__
    void run(int *p) const
    {
        const char *s = "__device__ {";
        add<<<1, s[0] ? 1 : 2>>>(p, 1);
    }
};
#ifdef NEVER
__global__ void never() {
#else
#define MARK __device__
int main() {
#endif
    int *p;
    cudaMallocManaged(&p, 4);
    *p = one();
    runner().run(p);
    [&] { add<<<1, 1>>>(p, 10); }();
    cudaDeviceSynchronize();
    printf("%d\n", *p);
    return 0;
}
CU
compiles "host code beside marks of device code" main.cu -o app
check "what it prints" test "$(run ./app)" = 12
compiles "one pass" -v -c main.cu -o main.o
check "without an overlay" sh -c '! grep -q overlay cc.out'
finish
