#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# -Xcompiler -fopenmp, with any version of clang's runtime; where there is
# none, one sentence says what to install.
. "$(dirname "$0")/checks.inc"
cat >threads.cu <<'END'
#include <omp.h>
#include <stdio.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main()
{
    int sum = 0, host[4][32], threads = 0;
#pragma omp parallel num_threads(4)
    {
        int me = omp_get_thread_num(), *p;
        for (int i = 0; i < 32; i++)
            host[me][i] = me * 32 + i;
        cudaMalloc(&p, sizeof host[me]);
        cudaMemcpy(p, host[me], sizeof host[me], cudaMemcpyDefault);
        twice<<<1, 32>>>(p);
        cudaMemcpy(host[me], p, sizeof host[me], cudaMemcpyDefault);
        cudaFree(p);
#pragma omp critical
        threads++;
#pragma omp barrier
#pragma omp for reduction(+ : sum) schedule(dynamic, 8)
        for (int i = 0; i < 128; i++)
            sum += host[i / 32][i % 32];
    }
    printf("%d threads, sum %d\n", threads, sum);
}
END
if ls /usr/lib/llvm-*/lib/libomp.so /usr/lib/*/libomp.so.5 2>/dev/null |
    grep -q .; then
    compiles "with OpenMP" -Xcompiler -fopenmp threads.cu -o threads
    check "its threads" test "$(run ./threads)" = "4 threads, sum 16256"
else
    refuses 'note: .*apt-get install libomp-[0-9]+-dev' -Xcompiler -fopenmp \
        threads.cu -o threads
    check "once" count 'libomp-[0-9]+-dev' cc.out 1
fi
finish
