#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `softwarp run` has an nvcc for builds and programs on machines without one;
# what -cubin makes is loaded like machine code.
. "$(dirname "$0")/checks.inc"
cat >k.cu <<'CU'
extern "C" __global__ void k(int *p) { *p = 7; }
CU
cat >load.cu <<'CU'
#include <cuda.h>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>
int main()
{
    std::ifstream file("k.cubin", std::ios::binary);
    std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction k;
    CUdeviceptr p;
    int v = 0;
    void *params[] = {&p};
    bool good = !cuInit(0) && !cuDeviceGet(&device, 0) &&
                !cuCtxCreate(&context, 0, device) &&
                !cuModuleLoadData(&module, bytes.data()) &&
                !cuModuleGetFunction(&k, module, "k") && !cuMemAlloc(&p, 4) &&
                !cuLaunchKernel(k, 1, 1, 1, 1, 1, 1, 0, 0, params, 0) &&
                !cuMemcpyDtoH(&v, p, 4);
    printf("%d\n", v);
    return !good || v != 7;
}
CU
cat >build.sh <<'SH'
set -e
nvcc --version | grep -q "release 12\.9"
nvcc --cubin -arch=sm_80 k.cu -o k.cubin
nvcc -O2 load.cu -o load -lcuda
SH
# Nothing but the system's tools, which may have an nvcc of their own.
PATH=/usr/bin:/bin
export PATH
if command -v nvcc >/dev/null; then
    echo "skip: there is an nvcc in $PATH"
    exit 77
fi
check "a build finds nvcc" run sh build.sh
check "the cubin is loaded" run ./load
mkdir other && ln -s /bin/true other/nvcc
check "another nvcc comes first" run env PATH="$work/other:$PATH" sh -c \
    'test "$(command -v nvcc)" = "$PWD/other/nvcc"'
compiles "to its own name" -cubin k.cu
check "... which is k.cubin" test -s k.cubin
finish
