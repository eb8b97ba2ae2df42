/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coalescing.cl - reads of global memory by 16 work-items, half a warp: which
 * of them a device makes one transaction, and which many. Each kernel is one
 * way to read; all write in order.
 */

kernel void
in_order(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i];
}

/* Some work-items do not read. */
kernel void
divergent(global const float *from, global float *to)
{
    int i = get_global_id(0);
    if (i % 5 != 4)
        to[i] = from[i];
}

/* The same words, but not the k-th by the k-th. */
kernel void
permuted(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i ^ 1];
}

/* The first word does not begin a segment; all lie in one of 128 bytes. */
kernel void
misaligned(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i + 1];
}

/* In two segments of 128 bytes. */
kernel void
across(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[i + 24];
}

/* Every fourth word: four segments of 64 bytes, two of 128. */
kernel void
strided(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[4 * i];
}

/* Everybody the same word. */
kernel void
same(global const float *from, global float *to)
{
    int i = get_global_id(0);
    to[i] = from[0];
}

/* Twelve bytes are read as three words, each with a stride. */
typedef struct {
    float x, y, z;
} three;
kernel void
structures(global const three *from, global float *to)
{
    int i = get_global_id(0);
    three t = from[i];
    to[i] = t.x + t.y + t.z;
}

/* Four, and aligned, are one read of 16 bytes. */
typedef struct {
    float x, y, z, w;
} __attribute__((aligned(16))) four;
kernel void
aligned_structures(global const four *from, global float *to)
{
    int i = get_global_id(0);
    four t = from[i];
    to[i] = t.x + t.y + t.z + t.w;
}
