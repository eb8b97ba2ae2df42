/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 2 2 1 1 | 32767 65535 127 255 | -32768 0 -128 0 | 0 0 0 0
/* Rounded as asked, the nearest that there is where the number is too large, 0
 * of NaN; in the order short up, unsigned short nearest, char, unsigned char. */
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>

__global__ void
convert(int *out)
{
    const float in[4] = {1.5f, 1e6f, -1e6f, NAN};
    for (int i = 0; i < 4; i++) {
        __nv_bfloat16 x = __float2bfloat16(in[i]);
        out[i * 4] = __bfloat162short_ru(x);
        out[i * 4 + 1] = __bfloat162ushort_rn(x);
        out[i * 4 + 2] = __bfloat162char_rz(x);
        out[i * 4 + 3] = __bfloat162uchar_rz(x);
    }
}

int
main()
{
    int *o;
    cudaMallocManaged(&o, 64);
    convert<<<1, 1>>>(o);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
        printf("%d%s", o[i], i == 15 ? "\n" : i % 4 == 3 ? " | " : " ");
    return 0;
}
