/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.c - the product of two matrices, in OpenMP C: three loops in the order
 * that vectorises, and by blocks. */
#include "../problems/matmul.h"

#define REAL           float
#define MULTIPLY(name) single_##name
#include "matmul_body.h"
#undef REAL
#undef MULTIPLY
#define REAL           double
#define MULTIPLY(name) double_##name
#include "matmul_body.h"

static void
run_rows(const char *name)
{
    matmul m = matmul_create();
    float *c = bench_alloc(m.n * m.n, sizeof *c);
    bench b = bench_start(name, 12.0 * (double)(m.n * m.n), m.flops);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < m.n; i++) {
            float *restrict row = c + i * m.n;
            memset(row, 0, m.n * sizeof *row);
            for (size_t k = 0; k < m.n; k++)
                for (size_t j = 0; j < m.n; j++)
                    row[j] += m.a[i * m.n + k] * m.b[k * m.n + j];
        }
    }
    bench_end(&b, matmul_check(&m, c));
}

static void
run_naive(void)
{
    run_rows("matmul_naive");
}

static void
run_few(void)
{
    run_rows("matmul_4x4");
}

static void
run_checked(void)
{
    run_rows("matmul_checked");
}

static void
run_blocks(const char *name)
{
    matmul m = matmul_create();
    float *c = bench_alloc(m.n * m.n, sizeof *c);
    bench b = bench_start(name, 12.0 * (double)(m.n * m.n), m.flops);
    while (bench_next(&b))
        single_all(c, m.a, m.b, m.n);
    bench_end(&b, matmul_check(&m, c));
}

static void
run_tiled(void)
{
    run_blocks("matmul_tiled");
}

/* In floats: a CPU has no halves to multiply. */
static void
run_wmma(void)
{
    run_blocks("matmul_wmma");
}

static void
run_int8(void)
{
    matmul m = matmul_create();
    int8_t *x = matmul_bytes(&m, m.a), *y = matmul_bytes(&m, m.b);
    int *c = bench_alloc(m.n * m.n, sizeof *c);
    bench b = bench_start("matmul_int8", 6.0 * (double)(m.n * m.n), m.flops);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < m.n; i++) {
            int *restrict row = c + i * m.n;
            memset(row, 0, m.n * sizeof *row);
            for (size_t k = 0; k < m.n; k++)
                for (size_t j = 0; j < m.n; j++)
                    row[j] += x[i * m.n + k] * y[k * m.n + j];
        }
    }
    bench_end(&b, matmul_check_integers(&m, c));
}

static void
run_double(void)
{
    matmul m = matmul_create();
    double *c = bench_alloc(m.n * m.n, sizeof *c);
    bench b = bench_start("matmul_double", 24.0 * (double)(m.n * m.n), m.flops);
    while (bench_next(&b))
        double_all(c, m.da, m.db, m.n);
    bench_end(&b, matmul_check_double(&m, c));
}

BENCH_MAIN({"matmul_naive", run_naive}, {"matmul_checked", run_checked},
           {"matmul_4x4", run_few}, {"matmul_tiled", run_tiled},
           {"matmul_double", run_double}, {"matmul_wmma", run_wmma},
           {"matmul_int8", run_int8})
