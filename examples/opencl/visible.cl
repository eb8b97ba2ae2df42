/* SPDX-License-Identifier: Apache-2.0 */
/*
 * visible.cl - when a work-item sees what its neighbour writes. Each kernel
 * reads its element of `numbers`, writes 2 to the next one, and reads its own
 * again; the product of both is the result.
 */

/* The compiler may keep what it read: nothing says that others write. */
kernel void
plain(global int *numbers, global int *result)
{
    int i = get_local_id(0);
    int first = numbers[i];
    numbers[i + 1] = 2;
    int second = numbers[i];
    result[i] = first * second;
}

/* Every access is one to memory; but between groups of 32 nothing says which
 * comes first. */
kernel void
read_twice(global volatile int *numbers, global int *result)
{
    int i = get_local_id(0);
    int first = numbers[i];
    numbers[i + 1] = 2;
    int second = numbers[i];
    result[i] = first * second;
}

/* What is right on every device. */
kernel void
with_barriers(global int *numbers, global int *result)
{
    int i = get_local_id(0);
    int first = numbers[i];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    numbers[i + 1] = 2;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    int second = numbers[i];
    result[i] = first * second;
}

/* The work-items of a warp execute together, so within one no barrier is
 * needed on devices whose warps do that (compute capability up to 6.x); but
 * `volatile` is. */
kernel void
in_a_warp(global volatile int *numbers, global int *result)
{
    int i = get_local_id(0);
    if (i < 32) {
        int first = numbers[i];
        numbers[i + 1] = 2;
        int second = numbers[i];
        result[i] = first * second;
    }
}

/* A sum of 64 numbers that ends without barriers for the same reason. */
kernel void
sum_in_a_warp(global const int *numbers, global int *result,
              local volatile int *part)
{
    int i = get_local_id(0);
    part[i] = numbers[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 32) {
        part[i] += part[i + 32];
        part[i] += part[i + 16];
        part[i] += part[i + 8];
        part[i] += part[i + 4];
        part[i] += part[i + 2];
        part[i] += part[i + 1];
    }
    if (i == 0)
        result[0] = part[0];
}
