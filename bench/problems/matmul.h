/* SPDX-License-Identifier: Apache-2.0 */
/* matmul.h - the product of two square matrices, single, double or of
 * bytes. */
#ifndef BENCH_MATMUL_H
#define BENCH_MATMUL_H
#include "../bench.h"

enum { MATMUL_TILE = 16 };

typedef struct matmul {
    size_t n;
    float *a, *b;    /* [n][n], whole numbers: no sum is rounded */
    double *da, *db; /* the same */
    double flops;
} matmul;

static inline matmul
matmul_create(void)
{
    matmul m;
    m.n = bench_size(1024, 128);
    m.a = bench_numbers(m.n * m.n, 1, 8);
    m.b = bench_numbers(m.n * m.n, 2, 8);
    m.da = (double *)bench_alloc(m.n * m.n, sizeof *m.da);
    m.db = (double *)bench_alloc(m.n * m.n, sizeof *m.db);
    for (size_t i = 0; i < m.n * m.n; i++) {
        m.da[i] = (double)m.a[i];
        m.db[i] = (double)m.b[i];
    }
    m.flops = 2.0 * (double)m.n * (double)m.n * (double)m.n;
    return m;
}

static inline float *
matmul_product(const matmul *m)
{
    float *c = (float *)bench_alloc(m->n * m->n, sizeof *c);
    for (size_t i = 0; i < m->n; i++)
        for (size_t k = 0; k < m->n; k++)
            for (size_t j = 0; j < m->n; j++)
                c[i * m->n + j] += m->a[i * m->n + k] * m->b[k * m->n + j];
    return c;
}

static inline bool
matmul_check(const matmul *m, const float *got)
{
    return bench_same(got, matmul_product(m), m->n * m->n, sizeof *got);
}

static inline bool
matmul_check_double(const matmul *m, const double *got)
{
    float *c = (float *)bench_alloc(m->n * m->n, sizeof *c);
    for (size_t i = 0; i < m->n * m->n; i++)
        c[i] = (float)got[i];
    return matmul_check(m, c);
}

static inline int8_t *
matmul_bytes(const matmul *m, const float *from)
{
    int8_t *to = (int8_t *)bench_alloc(m->n * m->n, sizeof *to);
    for (size_t i = 0; i < m->n * m->n; i++)
        to[i] = (int8_t)from[i];
    return to;
}

static inline bool
matmul_check_integers(const matmul *m, const int *got)
{
    float *c = (float *)bench_alloc(m->n * m->n, sizeof *c);
    for (size_t i = 0; i < m->n * m->n; i++)
        c[i] = (float)got[i];
    return matmul_check(m, c);
}
#endif
