/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* mandelbrot.cu - a thread a pixel, each with its own number of turns; in
 * blocks of a square, or of one thread. */
#include "device.h"
#include "problems/mandelbrot.h"

__global__ void mandelbrot_kernel(int *out, int n, float step)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    float cr = fmaf((float)x, step, MANDELBROT_LEFT);
    float ci = fmaf((float)y, step, MANDELBROT_TOP);
    float zr = 0, zi = 0;
    int i = 0;
    for (; i < MANDELBROT_LIMIT && fmaf(zr, zr, zi * zi) <= 4; i++) {
        float next = fmaf(zr, zr, fmaf(-zi, zi, cr));
        zi = fmaf(2 * zr, zi, ci);
        zr = next;
    }
    out[y * n + x] = i;
}

static void run(const char *name, unsigned side)
{
    mandelbrot m = mandelbrot_create();
    device_array<int> out(m.n * m.n);
    bench b = bench_start(name, 4.0 * m.n * m.n, m.flops);
    dim3 block(side, side);
    dim3 grid(m.n / block.x, m.n / block.y);
    while (bench_next(&b)) {
        mandelbrot_kernel<<<grid, block>>>(out, (int)m.n,
                                           MANDELBROT_SIDE / (float)m.n);
        device_wait();
    }
    bench_end(&b, mandelbrot_check(&m, out.get()));
}

static void run_squares(void)
{
    run("mandelbrot", MANDELBROT_BLOCK);
}

static void run_threads(void)
{
    run("mandelbrot_1", 1);
}

BENCH_MAIN({"mandelbrot", run_squares}, {"mandelbrot_1", run_threads})
