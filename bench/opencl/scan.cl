/* SPDX-License-Identifier: Apache-2.0 */
/* scan.cl - as the first two of scan.cu; BLOCK is given. */
kernel void scan_hillis(global uint *out, global uint *sums,
                        global const uint *in, uint n)
{
    local uint part[2][BLOCK];
    uint t = get_local_id(0), i = get_global_id(0), from = 0;
    part[0][t] = i < n ? in[i] : 0;
    for (uint s = 1; s < BLOCK; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        part[!from][t] = part[from][t] + (t >= s ? part[from][t - s] : 0);
        from = !from;
    }
    if (i < n)
        out[i] = part[from][t];
    if (t == BLOCK - 1)
        sums[get_group_id(0)] = part[from][t];
}

kernel void scan_blelloch(global uint *out, global uint *sums,
                          global const uint *in, uint n)
{
    local uint tree[2 * BLOCK];
    uint t = get_local_id(0), i = 2 * get_global_id(0), step = 1;
    tree[2 * t] = i < n ? in[i] : 0;
    tree[2 * t + 1] = i + 1 < n ? in[i + 1] : 0;
    for (uint d = BLOCK; d > 0; d /= 2, step *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d)
            tree[step * (2 * t + 2) - 1] += tree[step * (2 * t + 1) - 1];
    }
    if (t == 0) {
        sums[get_group_id(0)] = tree[2 * BLOCK - 1];
        tree[2 * BLOCK - 1] = 0;
    }
    for (uint d = 1; d <= BLOCK; d *= 2) {
        step /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t < d) {
            uint low = step * (2 * t + 1) - 1, high = step * (2 * t + 2) - 1;
            uint old = tree[low];
            tree[low] = tree[high];
            tree[high] += old;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        out[i] = tree[2 * t];
    if (i + 1 < n)
        out[i + 1] = tree[2 * t + 1];
}

kernel void add_sums(global uint *out, global const uint *sums, uint n,
                     uint group, uint inclusive)
{
    uint i = get_global_id(0), g = i / group;
    if (i < n && !(inclusive && g == 0))
        out[i] += sums[inclusive ? g - 1 : g];
}
