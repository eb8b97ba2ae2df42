/* SPDX-License-Identifier: Apache-2.0 */
/* spmv.cl - as spmv.cu, but that 32 items add up in local memory; BLOCK is
 * given. */
kernel void spmv_scalar(int rows, global const int *start,
                        global const int *column, global const float *value,
                        global const float *x, global float *y)
{
    int r = get_global_id(0);
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        sum += value[i] * x[column[i]];
    y[r] = sum;
}

kernel void spmv_vector(int rows, global const int *start,
                        global const int *column, global const float *value,
                        global const float *x, global float *y)
{
    local float part[BLOCK];
    int r = get_global_id(0) / 32, t = get_local_id(0), lane = t % 32;
    float sum = 0;
    if (r < rows)
        for (int i = start[r] + lane; i < start[r + 1]; i += 32)
            sum += value[i] * x[column[i]];
    part[t] = sum;
    for (int s = 16; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < s)
            part[t] += part[t + s];
    }
    if (lane == 0 && r < rows)
        y[r] = part[t];
}
