#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes and types are often told by -D with a capital letter: no header has a
# name like it, but for T, and in curand_kernel.h K and V, as the vendor's have.
. "$(dirname "$0")/checks.inc"
letters=
for letter in A B C D E F G H I J L M N O P Q R S U W X Y Z; do
    letters="$letters -D$letter=3"
done
cat >main.cu <<'CU'
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda/annotated_ptr>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <cuda/std/variant>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#ifndef K
#include <curand_kernel.h>
#endif
#include <mma.h>
#include <cstdio>
__global__ void sum(int *to) { atomicAdd(to, N + threadIdx.x); }
int main()
{
    int *p, v = 0;
    cudaMalloc(&p, sizeof v);
    cudaMemset(p, 0, sizeof v);
    sum<<<1, N>>>(p);
    cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost);
    printf("%d\n", v);
    return 0;
}
CU
# shellcheck disable=SC2086
compiles "all letters but K, T, V" -std=c++17 $letters main.cu -o app
compiles "all letters but T" -std=c++17 $letters -DK=3 -DV=3 main.cu -o app
check "what it prints" test "$(run ./app)" = 12
finish
