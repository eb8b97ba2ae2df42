#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Host code as nvcc's host compiler has it: headers in plain C and C++, by this
# compiler and by gcc; signed overflow; a program's own names.
. "$(dirname "$0")/checks.inc"
headers="cuda_fp16.h cuda_bf16.h cuda_fp8.h cuda_fp6.h cuda_fp4.h mma.h
cooperative_groups.h cooperative_groups/reduce.h cooperative_groups/scan.h
cuda_awbarrier.h cuda_pipeline.h cuda_runtime.h curand_kernel.h cuda_occupancy.h"
for header in $headers; do
    echo "#include <$header>"
done >all.c
echo 'int main(void) { __half_raw h; h.x = 1; return h.x - 1; }' >>all.c
sed 's/__half_raw h.*/return (int)__half2float(__half(2.0f)) - __half2int_rz(__half(2.75f)); }/' all.c >all.cpp
include=$($cc -v -dryrun all.c 2>&1 | sed -n 's/^#$ INCLUDES=-I//p')
compiles "plain C++" all.cpp -o a
check "... runs" run ./a
compiles "plain C" -c all.c -o c.o
for options in "gcc -std=c11" "g++ -std=c++11" "g++ -std=c++20"; do
    command -v ${options%% *} >/dev/null || continue
    case $options in gcc*) source=all.c ;; *) source=all.cpp ;; esac
    check "headers by $options" $options -Wall -Wextra -Werror -fsyntax-only \
        -I"$include" $source
done
cat >t.cu <<'CU'
#include <cstdio>
int cuInit = 3;
int cuMemAlloc_v2(int a) { return a; }
__global__ void k(int *a) { a[threadIdx.x] *= a[threadIdx.x]; }
int main()
{
    int *a, n = 8, bad = 0;
    cudaMallocManaged(&a, n * sizeof *a);
    for (int i = 0; i < n; i++) a[i] = 65534 + i;
    k<<<1, n>>>(a);
    if (cudaDeviceSynchronize()) return 2;
    for (int i = 0; i < n; i++) bad += a[i] != (65534 + i) * (65534 + i);
    for (int i = 1 << 30; i > 0; i += i) bad += i < 0;
    printf("%d %d %d\n", bad, cuInit, cuMemAlloc_v2(4));
}
CU
compiles "overflow and names of the driver" t.cu -o t
run ./t >t.out 2>&1
check "... run" grep -qx '0 3 4' t.out
finish
