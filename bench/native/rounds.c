/* SPDX-License-Identifier: Apache-2.0 */
/* rounds.c - means of neighbours, round by round, in C; by one thread. */
#include "../problems/rounds.h"

static void
run(void)
{
    float *x = bench_alloc(ROUNDS_VALUES, sizeof *x);
    float *y = bench_alloc(ROUNDS_VALUES, sizeof *y);
    bench b = bench_start("rounds_block", 0, 0);
    while (bench_next(&b)) {
        rounds_fill(x);
        for (int r = 0; r < rounds_count(); r += 2) {
            rounds_step(x, y);
            rounds_step(y, x);
        }
    }
    bench_end(&b, rounds_check(x));
}

BENCH_MAIN({"rounds_block", run})
