#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --rtc: device code as NVRTC reads it, without anything of the host's library;
# and what has no execution space as the device's, where that is asked for.
. "$(dirname "$0")/checks.inc"
cat >a.cu <<'END'
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <mma.h>
#if !defined __CUDACC_RTC__ || !defined __CUDACC__ || defined __NVCC__ ||      \
    defined __clang__ || defined __GNUC__ || defined __linux__ ||              \
    __cplusplus != 201703L
#error macros
#endif
/* Names that only the host's library has. */
typedef unsigned char uint8_t;
enum { INT_MAX, FLT_MAX, stdout };
namespace std
{
template <class T> struct is_same {
};
template <class T> struct complex {
};
} // namespace std
template <class T> __global__ void kernel(T *p)
{
    assert(p != NULL);
    int *q = new int(3);
    for (int i : {1, 2, 3})
        *p += (T)(sin((double)*p) + std::move(i));
    printf("%d\n", *q);
    delete q;
}
template __global__ void kernel<float>(float *);
END
compiles 'sources of NVRTC' --rtc -ptx -arch=compute_90 a.cu -o a.ptx
cat >b.cu <<'END'
int counter = 4;
static float table[3] = {1, 2, 3};
const int limit = 5;
struct point {
    int x;
    point(int n) : x(n) {}
    int twice() { return 2 * x; }
};
template <class T> T add(T a, T b) { return a + b + counter; }
int next(int n) { static int calls = 0; return n + calls++ + table[n] + limit; }
extern "C" __global__ void kernel(int *p)
{
    auto more = [](int n) { return n + 1; };
    *p = add(next(1), point(3).twice()) + more(2);
}
END
refuses 'error: ' --rtc -ptx b.cu -o b.ptx
compiles 'device by default' --rtc -default-device -ptx b.cu -o b.ptx
cat >c.cu <<'END'
#include <stdio.h>
END
refuses "'stdio.h' file not found" --rtc -ptx c.cu -o c.ptx
finish
