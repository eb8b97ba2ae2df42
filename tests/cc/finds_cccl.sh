#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# CUB, Thrust and libcu++: taken from a toolkit or a package where a source wants
# them, ours where it does not, and what brings them if they are missing.
. "$(dirname "$0")/checks.inc"
# toolkit FOLDER: one with headers of their names.
toolkit() {
    mkdir -p "$1/thrust" "$1/cub" "$1/cuda/std"
    echo '#define THRUST_VERSION 300000' >"$1/thrust/version.h"
    echo '#include <cuda/atomic>' >"$1/cub/cub.cuh"
    echo 'enum { theirs = 1 };' >"$1/cuda/atomic"
    echo 'enum { theirs_too = 1 };' >"$1/cuda/std/tuple"
}
toolkit kit/include/cccl
toolkit home/.local/share/softwarp/nvidia/cu13/include/cccl
toolkit given
CUDA_HOME=$work/kit HOME=$work/home
unset CUDA_PATH
export CUDA_HOME HOME
mkdir inc
echo '#include <cub/cub.cuh>' >inc/mine.h
printf '#include "mine.h"\nint x = theirs;\n' >t.cu
compiles "in a toolkit, through a header" -Iinc -c t.cu -o t.o
compiles "with -rdc=true" -rdc=true -Iinc -c t.cu -o t.o
compiles "in a plain source" -Iinc -x c++ -c t.cu -o t.o
printf '#include <cuda/std/tuple>\nint x = theirs_too;\n' >u.cu
compiles "a header of ours that is the host's" -c u.cu -o u.o
printf '#include <cuda/atomic>\ncuda::atomic<int> x;\n' >o.cu
compiles "ours, where no other is wanted" -c o.cu -o o.o
CUDA_HOME=$work/nothing
compiles "in a package" -Iinc -c t.cu -o t.o
$cc -v -dryrun -Iinc -Igiven -c t.cu >given.out 2>&1
check "the folder that was given" sh -c '! grep -q "isystem.*cccl" given.out'
rm -r home
ls -d /usr/local/cuda* /opt/cuda /usr/local/lib/python3*/*-packages/nvidia \
    /usr/include/thrust >there.out 2>/dev/null
[ -s there.out ] ||
    refuses "note: 'cub/cub.cuh' is part of CCCL.*pip install" -Iinc -c t.cu
# With the real ones, where a machine has them.
cat >real.cu <<'CU'
#include <cub/cub.cuh>
#include <cuda/barrier>
#include <cstdio>
__global__ void k(int *out)
{
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ typename Reduce::TempStorage room;
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, 64);
    __syncthreads();
    int sum = Reduce(room).Sum(threadIdx.x);
    bar.arrive_and_wait();
    if (threadIdx.x == 0) *out = sum;
}
int main()
{
    int *p, host = 0;
    cudaMalloc(&p, 4);
    k<<<1, 64>>>(p);
    cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost);
    printf("%d\n", host);
}
CU
CUDA_HOME=
if $cc -v -dryrun real.cu 2>&1 | grep -q 'isystem.*/'; then
    compiles "the real ones" -std=c++17 -arch=sm_80 real.cu -o real
    run ./real >real.out 2>&1
    check "... run" grep -qx 2016 real.out
fi
finish
