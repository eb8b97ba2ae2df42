/* SPDX-License-Identifier: Apache-2.0 */
/* spmv.c - a sparse matrix times a vector, in OpenMP C: one loop stands for
 * both kernels. */
#include "../problems/spmv.h"

static void
run(const char *name)
{
    spmv m = spmv_create();
    float *y = bench_alloc(m.rows, sizeof *y);
    bench b = bench_start(name, 8.0 * (double)m.nnz + 12.0 * (double)m.rows,
                          2.0 * (double)m.nnz);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t r = 0; r < m.rows; r++) {
            float sum = 0;
            for (int i = m.start[r]; i < m.start[r + 1]; i++)
                sum += m.value[i] * m.x[m.column[i]];
            y[r] = sum;
        }
    }
    bench_end(&b, spmv_check(&m, y));
}

static void
run_scalar(void)
{
    run("spmv_scalar");
}

static void
run_vector(void)
{
    run("spmv_vector");
}

BENCH_MAIN({"spmv_scalar", run_scalar}, {"spmv_vector", run_vector})
