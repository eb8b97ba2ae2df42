/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 3.14062 1 65504 inf 0 1.00781 | device as host
/* Each of the two types is made of the other where that is asked for, rounded
 * once, in code that knows neither. */
#include <cstdio>
#include <cuda_bf16.h>

template <typename To, typename From>
__global__ void
convert(To *to, const From *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] = static_cast<To>(from[i]);
}

template <typename To, typename From>
static int
differ(const To *to, const From *from, int n)
{
    int bad = 0;
    for (int i = 0; i < n; i++)
        bad += !((float)to[i] == (float)static_cast<To>(from[i]));
    return bad;
}

int
main()
{
    __half *h;
    __nv_bfloat16 *b;
    cudaMallocManaged(&h, 64);
    cudaMallocManaged(&b, 64);
    const float in[6] = {3.140625f, 1.00390625f, 65280, 1e10f, 1e-20f, 1.0078f};
    for (int i = 0; i < 6; i++)
        b[i] = in[i];
    convert<<<1, 1>>>(h, b, 6);
    cudaDeviceSynchronize();
    int bad = differ(h, b, 6);
    h[1] = 1.00390625f, h[2] = 65504, h[5] = 1.0068f;
    convert<<<1, 1>>>(b, h, 6);
    cudaDeviceSynchronize();
    bad += differ(b, h, 6);
    h[2] = 65504;
    printf("%g %g %g %g %g %g | %s\n", (float)b[0], (float)b[1], (float)h[2],
           (float)h[3], (float)b[4], (float)b[5],
           bad ? "not as host" : "device as host");
    return 0;
}
