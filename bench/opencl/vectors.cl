/* SPDX-License-Identifier: Apache-2.0 */
/* vectors.cl - as vectors.cu. */
kernel void vecadd(ulong n, global const float *x, global const float *y,
                   global float *z)
{
    size_t i = get_global_id(0);
    if (i < n)
        z[i] = x[i] + y[i];
}

kernel void saxpy(ulong n, float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = a * x[i] + y[i];
}

kernel void copy(ulong n, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    if (i < n)
        y[i] = x[i];
}

kernel void empty(void)
{
}
