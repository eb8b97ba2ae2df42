/* SPDX-License-Identifier: Apache-2.0 */
/* queens.c - queens on chessboards, by recursion, in OpenMP C. */
#include "../problems/queens.h"

static void
run(void)
{
    int *out = bench_alloc(queens_boards(), sizeof *out);
    bench b = bench_start("queens_8", 0, 0);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t i = 0; i < queens_boards(); i++)
            out[i] = queens_of((unsigned)i);
    }
    bench_end(&b, queens_check(out));
}

BENCH_MAIN({"queens_8", run})
