/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT right
/* Numbers of 8 bits as integers, and what becomes of a double that is no
 * number, as the vendor's header has it on an H100. */
#include "check.h"
#include <cuda_fp8.h>

__global__ void
convert(unsigned *out, double nan, float float_nan)
{
    __nv_fp8_e5m2 large(57344.f), low(-300.f);
    out[0] = (unsigned char)large;
    out[1] = (unsigned)(signed char)large;
    out[2] = (unsigned char)low;
    out[3] = (unsigned)(short)large;
    out[4] = (unsigned short)large;
    out[5] = __nv_fp8_e5m2(nan).__x;
    out[6] = __nv_fp8_e4m3(nan).__x;
    out[7] = __nv_fp8_e5m2(float_nan).__x;
    out[8] = (unsigned)(unsigned char)__nv_fp8_e5m2(float_nan);
}

int
main()
{
    static const unsigned expected[] = {255,  127,  0,    32767, 57344,
                                        0xfe, 0xff, 0x7f, 0};
    unsigned *out, got[9];
    CK(cudaMalloc(&out, sizeof got));
    convert<<<1, 1>>>(out, -__builtin_nan(""), -__builtin_nanf(""));
    CK(cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 9; i++)
        MUST(got[i] == expected[i]);
    printf("right\n");
    return 0;
}
