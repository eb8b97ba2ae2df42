/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O2
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0 SOFTWARP_LOG=debug
// expect: EXACT called at one place: 0 wrong
// expect: EXACT called at two: 0 wrong
// expect: ERROR compiled .*at_one_place.*: [0-9]{4} instructions
// expect: ERROR compiled .*at_two.*: [0-9]{4} instructions
// expect: EXACT called at four: 0 wrong
// expect: ERROR compiled .*at_four.*: [0-9]{4} instructions
/* A function of more than a thousand instructions is compiled with the kernel,
 * as often as it is called, until all would be too large. */
#include <cstdio>
#include <cuda_runtime.h>

enum { N = 256 };

#define MIX                                                                    \
    x = (x ^ y >> 7) * 0x9e3779b1u + a[z % 8];                                 \
    a[x % 8] += y;                                                             \
    y = (y + (x << 3)) * 0x85ebca77u;                                          \
    z ^= x + y;
#define MIX_4   MIX MIX MIX MIX
#define MIX_20  MIX_4 MIX_4 MIX_4 MIX_4 MIX_4
#define MIX_100 MIX_20 MIX_20 MIX_20 MIX_20 MIX_20

template <int WHICH>
__host__ __device__ __noinline__ unsigned
large(unsigned x)
{
    unsigned a[8] = {1, 2, 3, 4, 5, 6, 7, x}, y = x + WHICH, z = 5;
    MIX_100
    return x ^ y ^ z ^ a[x % 8];
}

__global__ void
at_one_place(unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (unsigned i = 0; i < t % 3; i++)
        out[t] += large<1>(t + i);
}

__global__ void
at_two(unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = t % 2 ? large<2>(t) : large<2>(3 * t) + 1;
}

__global__ void
at_four(unsigned *out)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = large<3>(t) + large<3>(t + 1) + large<3>(t + 2) + large<3>(t + 3);
}

static void
compare(const char *what, const unsigned *out, const unsigned *want)
{
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += out[i] != want[i];
    printf("%s: %d wrong\n", what, wrong);
}

int
main()
{
    unsigned *out, want[N];
    cudaMallocManaged(&out, N * sizeof *out);
    cudaMemset(out, 0, N * sizeof *out);
    at_one_place<<<2, N / 2>>>(out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++) {
        want[t] = 0;
        for (unsigned i = 0; i < t % 3; i++)
            want[t] += large<1>(t + i);
    }
    compare("called at one place", out, want);
    at_two<<<2, N / 2>>>(out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++)
        want[t] = t % 2 ? large<2>(t) : large<2>(3 * t) + 1;
    compare("called at two", out, want);
    at_four<<<2, N / 2>>>(out);
    cudaDeviceSynchronize();
    for (unsigned t = 0; t < N; t++)
        want[t] =
            large<3>(t) + large<3>(t + 1) + large<3>(t + 2) + large<3>(t + 3);
    compare("called at four", out, want);
    cudaFree(out);
    return 0;
}
