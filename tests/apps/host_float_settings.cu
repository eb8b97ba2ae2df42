/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_float_settings.cu - a program that was compiled for fast arithmetic has
 * denormals flushed and may round otherwise; kernels do not.
 */
// expect: EXACT 00400000 0008000000000000 00000003
// expect: EXACT the host's own: 0
#include <cfenv>
#include <cstdio>
#include <cstring>
#ifdef __x86_64__
#include <xmmintrin.h>
#endif

__global__ void
halve(float *f, double *d)
{
    f[1] = f[0] * 0.5f;
    d[1] = d[0] * 0.5;
    f[2] = f[0] * 1e-30f + __int_as_float(2) + __int_as_float(1);
}

int
main()
{
#ifdef __x86_64__
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    fesetround(FE_TOWARDZERO);
    float *f;
    double *d;
    cudaMallocManaged(&f, 3 * sizeof *f);
    cudaMallocManaged(&d, 2 * sizeof *d);
    unsigned bits[3] = {0x00800000};
    unsigned long long wide[2] = {0x0010000000000000};
    memcpy(f, bits, sizeof bits);
    memcpy(d, wide, sizeof wide);
    for (int i = 0; i < 100; i++) /* by workers, and by this thread */
        halve<<<1, 1>>>(f, d), cudaDeviceSynchronize();
    memcpy(bits, f, sizeof bits);
    memcpy(wide, d, sizeof wide);
    printf("%08x %016llx %08x\n", bits[1], wide[1], bits[2]);
#ifdef __x86_64__
    volatile float small = 1.17549435e-38f;
    printf("the host's own: %g\n", small * 0.5f);
#endif
    return 0;
}
