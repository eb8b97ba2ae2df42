/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT own: 101 -7 | 1002
// expect: EXACT ours: 10004 fe0000fe
/* A program may have its own functions of the names that those on parts of
 * words have, as with nvcc. */
#include "check.h"

__device__ unsigned
__vadd4(unsigned a, unsigned b)
{
    return a + b + 98;
}

static __device__ __forceinline__ unsigned
__vabs2(unsigned x)
{
    return x - 10;
}

__host__ __device__ inline unsigned
__vmaxu2(unsigned a, unsigned b)
{
    return 1000 + (a > b ? a : b);
}

__global__ void
own(unsigned *out)
{
    out[0] = __vadd4(1, 2);
    out[1] = __vabs2(3);
    out[2] = __vmaxu2(1, 2);
}

__global__ void
ours(unsigned *out)
{
    unsigned (*sub)(unsigned, unsigned) = __vsub4;
    out[3] = __vadd2(0x00010001, 3);
    out[4] = sub(0xff0000ff, 0x01000001);
}

int
main()
{
    unsigned *n;
    CK(cudaMallocManaged(&n, 64));
    own<<<1, 1>>>(n);
    ours<<<1, 1>>>(n);
    CK(cudaDeviceSynchronize());
    MUST(__vmaxu2(3, 4) == 1004);
    printf("own: %u %d | %u\n", n[0], (int)n[1], n[2]);
    printf("ours: %x %x\n", n[3], n[4]);
    return 0;
}
