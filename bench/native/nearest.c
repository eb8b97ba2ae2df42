/* SPDX-License-Identifier: Apache-2.0 */
/* nearest.c - the nearest eight of a list, in OpenMP C. */
#include "../problems/nearest.h"

static void
run(void)
{
    nearest x = nearest_create();
    float *out = bench_alloc(NEAREST * x.queries, sizeof *out);
    bench b = bench_start("nearest_8", 0, 0);
    while (bench_next(&b)) {
#pragma omp parallel for
        for (size_t q = 0; q < x.queries; q++) {
            float best[NEAREST];
            for (int k = 0; k < NEAREST; k++)
                best[k] = INFINITY;
            for (size_t i = 0; i < x.items; i++) {
                float d = fabsf(x.item[i] - x.query[q]);
                if (d >= best[NEAREST - 1])
                    continue;
                int at = NEAREST - 1;
                for (; at > 0 && best[at - 1] > d; at--)
                    best[at] = best[at - 1];
                best[at] = d;
            }
            for (size_t k = 0; k < NEAREST; k++)
                out[k * x.queries + q] = best[k];
        }
    }
    bench_end(&b, nearest_check(&x, out));
}

BENCH_MAIN({"nearest_8", run})
