/* SPDX-License-Identifier: Apache-2.0 */
/* transpose.c - a matrix copied, transposed element by element, and by blocks,
 * in OpenMP C; the last stands for all kernels that use tiles. */
#include "../problems/transpose.h"

enum { BLOCK = 16 };

static void
copy(float *restrict out, const float *restrict in, size_t n)
{
#pragma omp parallel for
    for (size_t i = 0; i < n * n; i++)
        out[i] = in[i];
}

static void
transpose_rows(float *restrict out, const float *restrict in, size_t n)
{
#pragma omp parallel for
    for (size_t y = 0; y < n; y++)
        for (size_t x = 0; x < n; x++)
            out[x * n + y] = in[y * n + x];
}

/* Two blocks of BLOCK rows of cache lines fit the first cache. */
static void
transpose_blocks(float *restrict out, const float *restrict in, size_t n)
{
#pragma omp parallel for collapse(2)
    for (size_t y0 = 0; y0 < n; y0 += BLOCK)
        for (size_t x0 = 0; x0 < n; x0 += BLOCK) {
            float tile[BLOCK][BLOCK];
            for (size_t y = 0; y < BLOCK; y++)
                for (size_t x = 0; x < BLOCK; x++)
                    tile[x][y] = in[(y0 + y) * n + x0 + x];
            for (size_t x = 0; x < BLOCK; x++)
                for (size_t y = 0; y < BLOCK; y++)
                    out[(x0 + x) * n + y0 + y] = tile[x][y];
        }
}

typedef void (*function)(float *restrict, const float *restrict, size_t);

static void
run(const char *name, function f)
{
    transpose t = transpose_create();
    size_t all = t.n * t.n;
    float *out = bench_alloc(all, sizeof *out);
    bench b = bench_start(name, 8.0 * (double)all, 0);
    while (bench_next(&b))
        f(out, t.in, t.n);
    bench_end(&b, f == copy ? bench_same(out, t.in, all, sizeof *out)
                            : transpose_check(&t, out));
}

static void
run_copy(void)
{
    run("tr_copy", copy);
}

static void
run_naive(void)
{
    run("tr_naive", transpose_rows);
}

static void
run_coalesced(void)
{
    run("tr_coalesced", transpose_blocks);
}

static void
run_padded(void)
{
    run("tr_padded", transpose_blocks);
}

static void
run_diagonal(void)
{
    run("tr_diagonal", transpose_blocks);
}

BENCH_MAIN({"tr_copy", run_copy}, {"tr_naive", run_naive},
           {"tr_coalesced", run_coalesced}, {"tr_padded", run_padded},
           {"tr_diagonal", run_diagonal})
