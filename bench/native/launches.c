/* SPDX-License-Identifier: Apache-2.0 */
/* launches.c - parallel regions that do nothing, or little, and a call a block,
 * in OpenMP C. */
#include "../bench.h"
#include "../problems/rows.h"

enum { QUEUED = 100 };

/* Not to be optimised away; counts if it is given a counter. */
__attribute__((noinline)) static void
block(unsigned *blocks)
{
    __asm__ volatile("" ::: "memory");
    if (blocks)
#pragma omp atomic
        ++*blocks;
}

static void
regions(int n, unsigned *blocks)
{
    for (int i = 0; i < n; i++) {
#pragma omp parallel
#pragma omp single nowait
        block(blocks);
    }
}

static void
run(const char *name, int n)
{
    unsigned got = 0, want = (unsigned)n;
    bench b = bench_start(name, 0, 0);
    while (bench_next(&b))
        regions(n, NULL);
    regions(n, &got);
    bench_end(&b, bench_same(&got, &want, 1, sizeof got));
}

static void
run_empty(void)
{
    run("empty", 1);
}

static void
run_queued(void)
{
    run("launches_100", QUEUED);
}

static void
run_turns(void)
{
    run("launches_turns", QUEUED);
}

static void
blocks(unsigned n, unsigned *counter)
{
#pragma omp parallel for
    for (unsigned i = 0; i < n; i++)
        block(counter);
}

static void
run_blocks(void)
{
    unsigned got = 0, want = (unsigned)bench_size(1000000, 100000);
    bench b = bench_start("blocks_million", 0, 0);
    while (bench_next(&b))
        blocks(want, NULL);
    blocks(want, &got);
    bench_end(&b, bench_same(&got, &want, 1, sizeof got));
}

/* Round by round, so that numbers side by side are one vector. */
static void
go_on(uint32_t *x, size_t n)
{
    enum { EACH = 64 };
    for (int k = 0; k < ROWS_LAUNCHES; k++)
#pragma omp parallel for
        for (size_t i = 0; i < n; i += EACH) {
            uint32_t y[EACH];
            memcpy(y, x + i, sizeof y);
            for (int r = 0; r < ROWS_ROUNDS; r++)
                for (int j = 0; j < EACH; j++)
                    y[j] = rows_round(y[j]);
            memcpy(x + i, y, sizeof y);
        }
}

static void
run_rows(const char *name, unsigned count)
{
    rows r = rows_create(count), again = rows_create(count);
    bench b = bench_start(name, 0, 0);
    while (bench_next(&b))
        go_on(again.first, again.n);
    memcpy(again.first, r.first, r.n * sizeof *r.first);
    go_on(again.first, again.n);
    bench_end(&b, rows_check(&r, again.first));
}

static void
run_rows_16(void)
{
    run_rows("rows_16", 16);
}

static void
run_rows_256(void)
{
    run_rows("rows_256", 256);
}

BENCH_MAIN({"empty", run_empty}, {"launches_100", run_queued},
           {"launches_turns", run_turns}, {"blocks_million", run_blocks},
           {"rows_16", run_rows_16}, {"rows_256", run_rows_256})
