#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dynamic parallelism as nvcc compiles it, with its own device runtime library
# in the program: launches, streams, tails, copies, errors. (The API's side of
# it, without nvcc: tests/api/device_launch_test.c.)
. "$(dirname "$0")/checks.inc"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
[ -x "$nvcc" ] || {
    echo "skip: no nvcc, whose launches from kernels these are"
    exit 77
}
softwarp_prof() {
    env LD_PRELOAD="${SW_PRELOAD:-}" "$SW_BUILD/bin/softwarp" prof "$@" 2>out
}
cat >app.cu <<'END'
#include <cstdio>
__global__ void child(int *p, int v) { atomicAdd(p, v + threadIdx.x); }
__global__ void tail(int *p) { p[1] = p[0]; }
__global__ void deep(int *p, int levels)
{
    p[2]++;
    if (levels > 1)
        deep<<<1, 1>>>(p, levels - 1);
}
struct large { int v[20]; };
__global__ void takes(large l, int *p) { p[3] = l.v[threadIdx.x] + l.v[19]; }
__global__ void parent(int *p)
{
    if (threadIdx.x == 0) {
        cudaStream_t s;
        cudaEvent_t e;
        tail<<<1, 1, 0, cudaStreamTailLaunch>>>(p);
        if (cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking) ||
            cudaEventCreateWithFlags(&e, cudaEventDisableTiming))
            printf("no stream\n");
        child<<<2, 4, 0, s>>>(p, 1);
        cudaEventRecord(e, s);
        cudaStreamWaitEvent(0, e, 0);
        child<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 1000);
        deep<<<1, 1>>>(p, 5);
        large l;
        for (int i = 0; i < 20; i++)
            l.v[i] = i;
        takes<<<1, 8>>>(l, p);
        cudaMemcpyAsync(p + 4, p + 2, 4, cudaMemcpyDeviceToDevice, s);
        cudaMemsetAsync(p + 5, 1, 4);
        cudaStreamDestroy(s);
        cudaEventDestroy(e);
        child<<<1, 2000>>>(p, 1);
        printf("%d %d\n", cudaGetLastError(), cudaGetLastError());
        int device = -1, warp = -1;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, 0);
        printf("%d %d\n", device, warp);
    } else
        child<<<1, 1>>>(p, 100000);
}
int main()
{
    int *p, h[6];
    cudaMalloc(&p, sizeof h);
    cudaMemset(p, 0, sizeof h);
    parent<<<3, 4>>>(p);
    cudaError_t error = cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
    printf("%s %d %d %d %d %d %d\n", cudaGetErrorName(error), h[0], h[1], h[2],
           h[3], h[4], h[5]);
    return 0;
}
END
check "nvcc" "$nvcc" -rdc=true app.cu -lcudadevrt -o app
for engine in interp jit; do
    SOFTWARP_ENGINE=$engine run ./app >out 2>err
    check "$engine: each block's words" sh -c \
        'cat out err; [ "$(grep -cx "9 0" out)" = 3 ]'
    check "$engine: and attributes" test "$(grep -cx '0 32' out)" = 3
    check "$engine: all is done, tails last" sh -c 'cat out; grep -qx \
        "cudaSuccess 903060 903060 15 19 15 16843009" out'
done
check "a profile" softwarp_prof -m smsp__warps_launched.sum ./app
check "has them" sh -c 'cat out; grep -q "child(int\*, int)" out &&
    grep -q "^ *15  smsp__warps_launched.sum  *1  *2 " out'
finish
