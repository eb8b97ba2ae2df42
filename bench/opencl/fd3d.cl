/* SPDX-License-Identifier: Apache-2.0 */
/* fd3d.cl - as fd3d.cu; R, BX and BY are given. */
kernel void fd3d_naive(global float *out, global const float *in, int row,
                       int plane, int planes, constant float *weight)
{
    int at = (get_global_id(2) + R) * plane + (get_global_id(1) + R) * row +
             get_global_id(0) + R;
    float sum = weight[0] * in[at];
#pragma unroll
    for (int r = 1; r <= R; r++)
        sum += weight[r] * (in[at + r] + in[at - r] + in[at + r * row] +
                            in[at - r * row] + in[at + r * plane] +
                            in[at - r * plane]);
    out[at] = sum;
}

kernel void fd3d_tiled(global float *out, global const float *in, int row,
                       int plane, int planes, constant float *weight)
{
    local float tile[BY + 2 * R][BX + 2 * R];
    int tx = get_local_id(0) + R, ty = get_local_id(1) + R;
    int at = (get_global_id(1) + R) * row + get_global_id(0) + R;
    float column[2 * R + 1];
#pragma unroll
    for (int i = 0; i < 2 * R; i++)
        column[i + 1] = in[at + i * plane];
    at += R * plane;
    for (int z = 0; z < planes; z++, at += plane) {
#pragma unroll
        for (int i = 0; i < 2 * R; i++)
            column[i] = column[i + 1];
        column[2 * R] = in[at + R * plane];
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[ty][tx] = column[R];
        if (get_local_id(0) < R) {
            tile[ty][tx - R] = in[at - R];
            tile[ty][tx + BX] = in[at + BX];
        }
        if (get_local_id(1) < R) {
            tile[ty - R][tx] = in[at - R * row];
            tile[ty + BY][tx] = in[at + BY * row];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        float sum = weight[0] * column[R];
#pragma unroll
        for (int r = 1; r <= R; r++)
            sum += weight[r] *
                   (tile[ty][tx + r] + tile[ty][tx - r] + tile[ty + r][tx] +
                    tile[ty - r][tx] + column[R + r] + column[R - r]);
        out[at] = sum;
    }
}
