/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.cl - as matmul.cu; TILE is given. */
kernel void matmul_naive(global float *c, global const float *a,
                         global const float *b, int n)
{
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}

kernel void matmul_tiled(global float *c, global const float *a,
                         global const float *b, int n)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    int tx = get_local_id(0), ty = get_local_id(1);
    int col = get_global_id(0), row = get_global_id(1);
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += TILE) {
        as[ty][tx] = a[row * n + k0 + tx];
        bs[ty][tx] = b[(k0 + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += as[ty][k] * bs[k][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
