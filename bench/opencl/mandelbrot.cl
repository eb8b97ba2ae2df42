/* SPDX-License-Identifier: Apache-2.0 */
/* mandelbrot.cl - as mandelbrot.cu; LIMIT, LEFT and TOP are given. */
kernel void mandelbrot(global int *out, int n, float step)
{
    int x = get_global_id(0), y = get_global_id(1);
    float cr = fma((float)x, step, LEFT), ci = fma((float)y, step, TOP);
    float zr = 0, zi = 0;
    int i = 0;
    for (; i < LIMIT && fma(zr, zr, zi * zi) <= 4; i++) {
        float next = fma(zr, zr, fma(-zi, zi, cr));
        zi = fma(2 * zr, zi, ci);
        zr = next;
    }
    out[y * n + x] = i;
}
