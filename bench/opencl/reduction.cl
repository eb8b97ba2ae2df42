/* SPDX-License-Identifier: Apache-2.0 */
/* reduction.cl - as reduction.cu; BLOCK and RUN are given. */
kernel void red_interleaved(global const float *in, global float *out, int n)
{
    int t = get_global_id(0);
    float sum = 0;
    for (int i = t * RUN; i < (t + 1) * RUN && i < n; i++)
        sum += in[i];
    out[t] = sum;
}

kernel void red_coalesced(global const float *in, global float *out, int n)
{
    int t = get_global_id(0);
    float sum = 0;
    for (int i = t; i < n; i += get_global_size(0))
        sum += in[i];
    out[t] = sum;
}

kernel void red_divergent(global const float *in, global float *out, int n)
{
    local float part[BLOCK];
    int t = get_local_id(0);
    part[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < BLOCK; s *= 2) {
        if (t % (2 * s) == 0)
            part[t] += part[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}

kernel void red_sequential(global const float *in, global float *out, int n)
{
    local float part[BLOCK];
    int t = get_local_id(0);
    part[t] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (t == 0)
        out[get_group_id(0)] = part[0];
}
