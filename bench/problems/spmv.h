/* SPDX-License-Identifier: Apache-2.0 */
/* spmv.h - a sparse matrix, by compressed rows, times a vector. */
#ifndef BENCH_SPMV_H
#define BENCH_SPMV_H
#include "../bench.h"

enum { SPMV_BLOCK = 256 };

typedef struct spmv {
    size_t rows, nnz;
    int *start;  /* [rows + 1] */
    int *column; /* [nnz] */
    float *value, *x;
} spmv;

/* 1 to 33 elements a row, at random; whole numbers, so nothing is rounded. */
static inline spmv
spmv_create(void)
{
    spmv m = {bench_size(262144, 8192),
              bench_size(4401965, 137561),
              NULL,
              NULL,
              NULL,
              NULL};
    m.start = (int *)bench_alloc(m.rows + 1, sizeof *m.start);
    for (size_t r = 0; r < m.rows; r++)
        m.start[r + 1] = m.start[r] + 1 + (int)(bench_hash((uint32_t)r) % 32);
    /* The first rows get one more each, to reach exactly that many. */
    int missing = (int)m.nnz - m.start[m.rows];
    if (missing < 0 || (size_t)missing > m.rows) {
        fprintf(stderr, "bench: rows of a wrong number of elements\n");
        exit(1);
    }
    for (size_t r = 0; r < m.rows; r++)
        m.start[r + 1] += r < (size_t)missing ? (int)r + 1 : missing;
    m.column = (int *)bench_alloc(m.nnz, sizeof *m.column);
    for (size_t i = 0; i < m.nnz; i++)
        m.column[i] = (int)(bench_hash((uint32_t)i ^ 0x5bd1e995u) % m.rows);
    m.value = bench_numbers(m.nnz, 1, 8);
    m.x = bench_numbers(m.rows, 2, 8);
    return m;
}

static inline bool
spmv_check(const spmv *m, const float *got)
{
    float *want = (float *)bench_alloc(m->rows, sizeof *want);
    for (size_t r = 0; r < m->rows; r++)
        for (int i = m->start[r]; i < m->start[r + 1]; i++)
            want[r] += m->value[i] * m->x[m->column[i]];
    return bench_same(got, want, m->rows, sizeof *want);
}
#endif
