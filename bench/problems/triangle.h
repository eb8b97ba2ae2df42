/* SPDX-License-Identifier: Apache-2.0 */
/* triangle.h - a sparse system of equations, lower triangular: a row needs the
 * results of up to eight of the 64 rows before it. */
#ifndef BENCH_TRIANGLE_H
#define BENCH_TRIANGLE_H
#include "../bench.h"

enum { TRIANGLE_BLOCK = 64, TRIANGLE_ENTRIES = 8, TRIANGLE_BAND = 64 };

typedef struct triangle {
    int rows, *start, *column;
    float *value;
} triangle;

/* On the diagonal ones, before it zeros and sixteenths. */
static inline triangle
triangle_create(void)
{
    triangle t = {(int)bench_size(1 << 13, 1 << 9), NULL, NULL, NULL};
    size_t n = (size_t)t.rows * TRIANGLE_ENTRIES;
    int count = 0;
    t.start = (int *)bench_alloc((size_t)t.rows + 1, sizeof *t.start);
    t.column = (int *)bench_alloc(n, sizeof *t.column);
    t.value = (float *)bench_alloc(n, sizeof *t.value);
    for (int r = 0; r < t.rows; r++) {
        t.start[r] = count;
        for (int k = 0; k < TRIANGLE_ENTRIES; k++) {
            uint32_t h = bench_hash((uint32_t)(r * TRIANGLE_ENTRIES + k));
            int column = r - 1 - (int)(h % TRIANGLE_BAND);
            if (column < 0)
                continue;
            t.column[count] = column;
            t.value[count++] = (float)(h >> 8 & 1) / 16;
        }
    }
    t.start[t.rows] = count;
    return t;
}

/* With ones on the right. */
static inline void
triangle_solve(const triangle *t, float *x)
{
    for (int r = 0; r < t->rows; r++) {
        float sum = 1;
        for (int k = t->start[r]; k < t->start[r + 1]; k++)
            sum -= t->value[k] * x[t->column[k]];
        x[r] = sum;
    }
}

/* In the same order; compilers may fuse products and sums. */
static inline bool
triangle_check(const triangle *t, const float *got)
{
    float *want = (float *)bench_alloc((size_t)t->rows, sizeof *want);
    triangle_solve(t, want);
    return bench_close(got, want, (size_t)t->rows, 1e-5);
}
#endif
