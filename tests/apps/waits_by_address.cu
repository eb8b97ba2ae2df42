/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// env: SOFTWARP_THREADS=1 SOFTWARP_STATS=1
// expect: EXACT came: 1
// expect: ERROR kernel .*waits.* lane-instructions [0-9]{1,6} time_ns
/* A block waits for what another writes, with a plain load in a function that
 * is not spelled out, as too many may be meant: in such a loop, of which no
 * turn differs from the one before, the other block has its turn soon. */
#include <cstdio>
#include <cuda_runtime.h>

#define FUNCTION(n)                                                            \
    __device__ __noinline__ int other##n(const int *p)                         \
    {                                                                          \
        return p[n] - n;                                                       \
    }
FUNCTION(1)
FUNCTION(2)
FUNCTION(3)
FUNCTION(4)
FUNCTION(5)
FUNCTION(6)

__device__ __noinline__ int
get(const int *p)
{
    return *p;
}

__device__ int (*table[7])(const int *) = {other1, other2, other3, other4,
                                           other5, other6, get};

__global__ void
waits(int *flag, int which, int *came)
{
    if (threadIdx.x != 0)
        return;
    if (blockIdx.x == 1) {
        *flag = 1;
        return;
    }
    int (*function)(const int *) = table[which];
    while (!function(flag))
        ;
    *came = 1;
}

int
main()
{
    int *p;
    cudaMallocManaged(&p, 16 * sizeof *p);
    for (int i = 0; i < 16; i++)
        p[i] = 0;
    waits<<<2, 32>>>(p, 6, p + 15);
    cudaDeviceSynchronize();
    printf("came: %d\n", p[15]);
    return 0;
}
// check: race-global (a plain flag is what it is about)
