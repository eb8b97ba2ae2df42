#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --cuda=N: that version's headers, signatures and runtime library, the newest by
# default; properties are right in each.
. "$(dirname "$0")/checks.inc"
cat >t.cu <<'CU'
#include <cuda.h>
#include <cstdio>
int main()
{
    cudaDeviceProp p;
    int version = 0, clock = 0;
    if (cudaGetDeviceProperties(&p, 0) || cudaRuntimeGetVersion(&version)) return 1;
    cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
    printf("%d %d %d %d %d %zu\n", __CUDACC_VER_MAJOR__, CUDART_VERSION, version, p.warpSize,
           p.multiProcessorCount > 1, p.sharedMemPerBlockOptin);
#if CUDART_VERSION < 13000
    if (p.clockRate != clock) return 2;
#endif
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaGraphCreate(&g, 0);
    CUcontext c;
    cuInit(0);
#if CUDART_VERSION >= 13000
    cudaGraphNodeParams params = {};
    params.type = cudaGraphNodeTypeEmpty;
    if (cudaGraphAddNode(&n, g, nullptr, nullptr, 0, &params)) return 3;
    if (cuCtxCreate(&c, nullptr, 0, 0)) return 4;
#else
    if (cudaGraphAddEmptyNode(&n, g, nullptr, 0) || cuCtxCreate(&c, 0, 0)) return 5;
#endif
}
CU
for version in 11:11080 12:12090 13:13000 12.4:12090; do
    number=${version#*:}
    major=${version%%[.:]*}
    compiles "CUDA ${version%:*}" --cuda=${version%:*} t.cu -lcuda -o t
    run ./t >t.out 2>&1
    check "... runs" grep -q "^$major $number $number 32 1 [1-9][0-9]*$" t.out
    check "... --version" sh -c "$cc --cuda=${version%:*} --version | grep -q 'release $major\\.'"
done
compiles "the newest by default" t.cu -lcuda -o t
run ./t >t.out 2>&1
check "... runs" grep -q '^13 13000 13000 ' t.out
# What another compiler makes with our headers and -lcudart is of that version.
include=$($cc -v -dryrun t.cu 2>&1 | sed -n 's/^#$ INCLUDES=-I//p')
libraries=$($cc -v -dryrun t.cu 2>&1 | sed -n 's/^#$ LIBRARIES=-L//p')
{ echo "#include <cuda_runtime.h>"; sed s/__CUDACC_VER_MAJOR__/0/ t.cu; } >t.cpp
if command -v g++ >/dev/null; then
    check "by g++" g++ -I"$include" t.cpp -L"$libraries" -Wl,-rpath,"$libraries" -lcudart -lcuda -o plain
    run ./plain >t.out 2>&1
    check "... runs" grep -q '^0 13000 13000 32 1' t.out
fi
finish
