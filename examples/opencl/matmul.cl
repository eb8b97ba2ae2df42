/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.cl - products of matrices, in the order of OpenCL programming guides
 * for GPUs: each work-item reads a row and a column from global memory; a group
 * shares tiles of both in local memory; and C = A * A', where a tile is
 * transposed as it is loaded, so that its rows are read in order.
 */
#define TILE 16

/* Rows one after the other, each `stride` elements from the next. */
typedef struct {
    int width, height, stride;
    global float *elements;
} matrix;

static matrix
tile_of(matrix m, int row, int column)
{
    m.width = m.height = TILE;
    m.elements += m.stride * TILE * row + TILE * column;
    return m;
}

static float
element(matrix m, int row, int column)
{
    return m.elements[row * m.stride + column];
}

/* a is read b.width times from global memory, b a.height times. */
kernel void
naive(int a_width, int a_height, global float *a_elements, int b_width,
      int b_height, global float *b_elements, global float *c)
{
    matrix a = {a_width, a_height, a_width, a_elements};
    matrix b = {b_width, b_height, b_width, b_elements};
    int row = get_global_id(1), column = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < a.width; k++)
        sum += element(a, row, k) * element(b, k, column);
    c[row * b.width + column] = sum;
}

/* The same, with the tiles as arguments, whose sizes the host says: a is read
 * b.width / TILE times, b a.height / TILE times. */
kernel void
tiled(int a_width, int a_height, global float *a_elements, int b_width,
      int b_height, global float *b_elements, global float *c, local float *s,
      local float *t)
{
    matrix a = {a_width, a_height, a_width, a_elements};
    matrix b = {b_width, b_height, b_width, b_elements};
    matrix to = {b_width, a_height, b_width, c};
    int row = get_local_id(1), column = get_local_id(0);
    float sum = 0;
    for (int m = 0; m < a.width / TILE; m++) {
        s[row * TILE + column] =
            element(tile_of(a, get_group_id(1), m), row, column);
        t[row * TILE + column] =
            element(tile_of(b, m, get_group_id(0)), row, column);
        barrier(CLK_LOCAL_MEM_FENCE); /* both tiles are there */
        for (int k = 0; k < TILE; k++)
            sum += s[row * TILE + k] * t[k * TILE + column];
        barrier(CLK_LOCAL_MEM_FENCE); /* nobody needs them any more */
    }
    to = tile_of(to, get_group_id(1), get_group_id(0));
    to.elements[row * to.stride + column] = sum;
}

/* c = a * a'. The tile has a column more than it needs, so that work-items
 * that write one of its columns write to different banks. */
kernel void
transposed(int a_width, global const float *a, global float *c, int height)
{
    local float s[TILE][TILE], t[TILE][TILE + 1];
    int i = get_local_id(0), j = get_local_id(1);
    int x = get_global_id(0), y = get_global_id(1);
    int first = get_group_id(0) * TILE;
    float sum = 0;
    for (int k = 0; k < a_width; k += TILE) {
        s[j][i] = a[y * a_width + k + i];
        t[i][j] = a[(first + j) * a_width + k + i];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int m = 0; m < TILE; m++)
            sum += s[j][m] * t[m][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * height + x] = sum;
}
