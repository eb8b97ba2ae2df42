/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.cl - as transpose.cu; TILE and ROWS are given. */
kernel void tr_copy(global float *out, global const float *in, int n)
{
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * n + x] = in[(y + j) * n + x];
}

kernel void tr_naive(global float *out, global const float *in, int n)
{
    int x = get_group_id(0) * TILE + get_local_id(0);
    int y = get_group_id(1) * TILE + get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        out[x * n + y + j] = in[(y + j) * n + x];
}

/* Through `tile`, whose rows are `wide` apart. */
void move_tile(global float *out, global const float *in, int n, int bx, int by,
               local float *tile, int wide)
{
    int tx = get_local_id(0), ty = get_local_id(1);
    for (int j = 0; j < TILE; j += ROWS)
        tile[(ty + j) * wide + tx] =
            in[(by * TILE + ty + j) * n + bx * TILE + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = 0; j < TILE; j += ROWS)
        out[(bx * TILE + ty + j) * n + by * TILE + tx] =
            tile[tx * wide + ty + j];
}

kernel void tr_coalesced(global float *out, global const float *in, int n)
{
    local float tile[TILE * TILE];
    move_tile(out, in, n, get_group_id(0), get_group_id(1), tile, TILE);
}

kernel void tr_padded(global float *out, global const float *in, int n)
{
    local float tile[TILE * (TILE + 1)];
    move_tile(out, in, n, get_group_id(0), get_group_id(1), tile, TILE + 1);
}

kernel void tr_diagonal(global float *out, global const float *in, int n)
{
    local float tile[TILE * (TILE + 1)];
    int by = get_group_id(0);
    int bx = (get_group_id(0) + get_group_id(1)) % get_num_groups(0);
    move_tile(out, in, n, bx, by, tile, TILE + 1);
}
