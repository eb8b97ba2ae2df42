/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT own: 17 6 2.5 | 17 6
// expect: EXACT ours: 4294967294 -1 24
/* Functions of old names, which CUDA has no more: a program may have its own. */
#include "check.h"

__host__ __device__ inline unsigned mulhi(unsigned a, unsigned b)
{
    return a + b;
}

__host__ __device__ inline int umul24(int a, int b)
{
    return a - b;
}

__device__ inline double mul24(double a, double b)
{
    return a / b;
}

__global__ void own(double *out)
{
    out[0] = mulhi(10u, 7u);
    out[1] = umul24(10, 4);
    out[2] = mul24(5.0, 2.0);
}

__global__ void ours(long long *out)
{
    out[0] = umulhi(0xffffffffu, 0xffffffff);
    out[1] = mul64hi(-1, 5ll);
    out[2] = mul24(4, 6);
}

int main()
{
    double *d;
    long long *n;
    CK(cudaMallocManaged(&d, 64));
    CK(cudaMallocManaged(&n, 64));
    own<<<1, 1>>>(d);
    ours<<<1, 1>>>(n);
    CK(cudaDeviceSynchronize());
    printf("own: %g %g %g | %u %d\n", d[0], d[1], d[2], mulhi(10u, 7u),
           umul24(10, 4));
    printf("ours: %lld %lld %lld\n", n[0], n[1], n[2]);
    return 0;
}
