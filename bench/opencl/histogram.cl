/* SPDX-License-Identifier: Apache-2.0 */
/* histogram.cl - as histogram.cu; BINS is given, and the size of a group. */
kernel void histogram(global uint *out, global const uchar4 *in, int n)
{
    local uint bins[BINS];
    int t = get_local_id(0);
    bins[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) {
        uchar4 four = in[i];
        atomic_inc(&bins[four.x]);
        atomic_inc(&bins[four.y]);
        atomic_inc(&bins[four.z]);
        atomic_inc(&bins[four.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&out[t], bins[t]);
}
