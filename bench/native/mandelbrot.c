/* SPDX-License-Identifier: Apache-2.0 */
/* mandelbrot.c - in OpenMP C, the rows as threads become free. */
#include "../problems/mandelbrot.h"

static void
run(const char *name)
{
    mandelbrot m = mandelbrot_create();
    float step = MANDELBROT_SIDE / (float)m.n;
    int *out = bench_alloc(m.n * m.n, sizeof *out);
    bench b = bench_start(name, 4.0 * (double)(m.n * m.n), m.flops);
    while (bench_next(&b)) {
#pragma omp parallel for schedule(dynamic)
        for (size_t y = 0; y < m.n; y++)
            for (size_t x = 0; x < m.n; x++)
                out[y * m.n + x] =
                    mandelbrot_count(fmaf((float)x, step, MANDELBROT_LEFT),
                                     fmaf((float)y, step, MANDELBROT_TOP));
    }
    bench_end(&b, mandelbrot_check(&m, out));
}

static void
run_squares(void)
{
    run("mandelbrot");
}

static void
run_threads(void)
{
    run("mandelbrot_1");
}

BENCH_MAIN({"mandelbrot", run_squares}, {"mandelbrot_1", run_threads})
