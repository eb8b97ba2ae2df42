/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
// expect: EXACT right
/* Products of half and bfloat16 numbers become part of sums as those of floats
 * do, but for those of the functions that say rn. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

enum { NUMBERS = 1000, RESULTS = 6 };

template <typename H>
__global__ void
work(unsigned *differ)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= NUMBERS)
        return;
    H a = H(1 + .37f * i), b = H(1.1f + .013f * i), c = H(3 - .77f * i);
    H apart = __hadd_rn(__hmul_rn(a, b), c), d = a;
    d *= b;
    d += c;
    const H got[RESULTS] = {a * b + c, c + a * b, __hadd(__hmul(a, b), c),
                            d,         a * b - c, c - a * b};
    const H want[RESULTS] = {__hfma(a, b, c),  __hfma(a, b, c),
                             __hfma(a, b, c),  __hfma(a, b, c),
                             __hfma(a, b, -c), __hfma(-a, b, c)};
    for (int k = 0; k < RESULTS; k++)
        if (float(got[k]) != float(want[k]))
            atomicAdd(&differ[0], 1);
    if (float(apart) != float(H(float(H(float(a) * float(b))) + float(c))))
        atomicAdd(&differ[1], 1);
    if (float(apart) != float(got[0]))
        atomicAdd(&differ[2], 1);
}

template <typename H>
static void
check(unsigned *differ)
{
    CK(cudaMemset(differ, 0, 3 * sizeof *differ));
    work<H><<<(NUMBERS + 127) / 128, 128>>>(differ);
    CK(cudaDeviceSynchronize());
    MUST(differ[0] == 0);
    MUST(differ[1] == 0);
    MUST(differ[2] > NUMBERS / 20); /* it matters */
}

int
main()
{
    unsigned *differ;
    CK(cudaMallocManaged(&differ, 3 * sizeof *differ));
    check<__half>(differ);
    check<__nv_bfloat16>(differ);
    puts("right");
}
