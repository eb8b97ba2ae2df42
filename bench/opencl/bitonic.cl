/* SPDX-License-Identifier: Apache-2.0 */
/* bitonic.cl - as bitonic.cu; BLOCK is given. */
uint pair_at(uint i, uint step)
{
    return i / step * 2 * step + i % step;
}

kernel void bitonic_tile(global uint *keys, uint first, uint last)
{
    local uint tile[2 * BLOCK];
    uint t = get_local_id(0), base = get_group_id(0) * 2 * BLOCK;
    tile[t] = keys[base + t];
    tile[t + BLOCK] = keys[base + t + BLOCK];
    for (uint run = first; run <= last; run *= 2)
        for (uint step = min(run / 2, (uint)BLOCK); step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint i = pair_at(t, step), a = tile[i], b = tile[i + step];
            if ((a > b) == (((base + i) & run) == 0)) {
                tile[i] = b;
                tile[i + step] = a;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[base + t] = tile[t];
    keys[base + t + BLOCK] = tile[t + BLOCK];
}

kernel void bitonic_step(global uint *keys, uint run, uint step)
{
    uint i = pair_at(get_global_id(0), step), a = keys[i], b = keys[i + step];
    if ((a > b) == ((i & run) == 0)) {
        keys[i] = b;
        keys[i + step] = a;
    }
}
