/* SPDX-License-Identifier: Apache-2.0 */
/* triangle.c - a sparse triangular system, row by row. */
#include "../problems/triangle.h"

static void
run(void)
{
    triangle t = triangle_create();
    float *x = bench_alloc((size_t)t.rows, sizeof *x);
    bench b = bench_start("triangle_rows", 0, 0);
    while (bench_next(&b))
        triangle_solve(&t, x);
    bench_end(&b, triangle_check(&t, x));
}

BENCH_MAIN({"triangle_rows", run})
