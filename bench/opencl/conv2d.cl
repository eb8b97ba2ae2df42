/* SPDX-License-Identifier: Apache-2.0 */
/* conv2d.cl - as conv2d.cu; SIDE and RADIUS are given. */
kernel void conv2d_buf(global float4 *out, global const float4 *in, int n,
                       constant float *weight)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int j = 0; j < SIDE; j++) {
        int sy = clamp(y + j - RADIUS, 0, n - 1);
        for (int i = 0; i < SIDE; i++) {
            int sx = clamp(x + i - RADIUS, 0, n - 1);
            sum += weight[j * SIDE + i] * in[sy * n + sx];
        }
    }
    out[y * n + x] = sum;
}

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |
                             CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

kernel void conv2d_image(global float4 *out, read_only image2d_t in, int n,
                         constant float *weight)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 sum = 0;
    for (int j = 0; j < SIDE; j++)
        for (int i = 0; i < SIDE; i++)
            sum += weight[j * SIDE + i] *
                   read_imagef(in, nearest,
                               (int2)(x + i - RADIUS, y + j - RADIUS));
    out[y * n + x] = sum;
}
