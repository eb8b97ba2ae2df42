#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# C23 gives the C library names that CUDA has too. Programs compile whether
# <math.h> declares them or not, on the host and on the device, and may name
# functions of their own, for the device, so.
. "$(dirname "$0")/checks.inc"

# <math.h> of a library that has all of C23's functions: their declarations are
# repeated where this system's has them too.
mkdir -p newer/bits
cat >newer/bits/mathcalls.h <<'END_OF_FILE'
#include_next <bits/mathcalls.h>
#define NEWER_1(name) __MATHCALL(name, , (_Mdouble_ __x));
#define NEWER_2(name) __MATHCALL(name, , (_Mdouble_ __x, _Mdouble_ __y));
#define NEWER_N(name) __MATHCALL(name, , (_Mdouble_ __x, long long int __y));
NEWER_1(acospi)
NEWER_1(asinpi)
NEWER_1(atanpi)
NEWER_1(cospi)
NEWER_1(sinpi)
NEWER_1(tanpi)
NEWER_1(exp2m1)
NEWER_1(exp10m1)
NEWER_1(log2p1)
NEWER_1(log10p1)
NEWER_1(rsqrt)
NEWER_2(atan2pi)
NEWER_2(powr)
NEWER_N(compoundn)
NEWER_N(pown)
NEWER_N(rootn)
#undef NEWER_1
#undef NEWER_2
#undef NEWER_N
END_OF_FILE

cat >program.cu <<'END_OF_FILE'
#include <cmath>
#include <cstdio>

/* Functions of the program's that C23 has as well. */
__device__ double tanpi(double x) { return sinpi(x) / cospi(x); }
__device__ float powr(float x, float y) { return exp2f(y * log2f(x)); }

/* Both sides, in double and float, of what CUDA offers there. */
template <typename T> __host__ __device__ void compute(T x, T *out)
{
    out[0] = rsqrt(x);
    out[1] = sinpi(x);
    out[2] = cospi(x);
    sincospi(x, out + 3, out + 4);
    out[5] = rcbrt(x);
    out[6] = normcdf(x);
    out[7] = rhypot(x, T(1));
}
__global__ void kernel(double *d, float *f)
{
    compute(0.25, d);
    compute(0.25f, f);
    d[8] = tanpi(0.25);
    f[8] = powr(2, 3);
}
template <typename T> static bool is_near(const T *a, const T *b)
{
    for (int i = 0; i < 8; i++)
        if (!(std::fabs(a[i] - b[i]) < 1e-6))
            return false;
    return true;
}
int main()
{
    double *d, host_d[8];
    float *f, host_f[8];
    double (*by_address)(double) = rsqrt;

    cudaMallocManaged(&d, 9 * sizeof *d);
    cudaMallocManaged(&f, 9 * sizeof *f);
    kernel<<<1, 1>>>(d, f);
    cudaDeviceSynchronize();
    compute(0.25, host_d);
    compute(0.25f, host_f);
    printf("double %d float %d float's %d tanpi %d powr %d address %g\n",
           is_near(d, host_d), is_near(f, host_f),
           std::fabs(rsqrtf(4.0f) - 0.5f) < 1e-6f,
           std::fabs(d[8] - 1) < 1e-9, f[8] == 8, by_address(4.0));
}
END_OF_FILE
good='double 1 float 1 float.s 1 tanpi 1 powr 1 address 0.5'
compiles "with this system's library" program.cu -o now
run ./now >now.out 2>&1
check "right" count "^$good$" now.out 1
for std in 11 14 17 20; do
    compiles "with C23's functions, C++$std" -std=c++$std -isystem newer \
        program.cu -o newer_$std
done
run ./newer_17 >newer.out 2>&1
check "right with C23's functions" count "^$good$" newer.out 1

# Declared once more, by the program, after our headers; with parts of a program
# that gcc compiled.
cat >after.cu <<'END_OF_FILE'
extern "C" double rsqrt(double) noexcept;
extern "C" float sinpif(float) noexcept;
#include "program.cu"
END_OF_FILE
compiles "declared by the program" -c after.cu -o after.o
compiles "in relocatable code" -isystem newer -rdc=true program.cu -o rdc
run ./rdc >rdc.out 2>&1
check "right in relocatable code" count "^$good$" rdc.out 1
finish
