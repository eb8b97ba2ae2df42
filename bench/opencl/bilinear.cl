/* SPDX-License-Identifier: Apache-2.0 */
/* bilinear.cl - as bilinear.cu; COS and SIN are given. */
constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE |
                            CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

kernel void img_bilinear(global uchar4 *out, read_only image2d_t in, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float half_n = n * 0.5f, dx = x + 0.5f - half_n, dy = y + 0.5f - half_n;
    float4 v = read_imagef(in, linear,
                           (float2)(COS * dx - SIN * dy + half_n,
                                    SIN * dx + COS * dy + half_n));
    out[y * n + x] = convert_uchar4(v * 255 + 0.5f);
}
