/* SPDX-License-Identifier: Apache-2.0 */
/* phases.h - rows of an array, each multiplied by itself from its end, added up
 * in groups of as many. */
#ifndef BENCH_PHASES_H
#define BENCH_PHASES_H
#include "../bench.h"

enum { PHASES_ROW = 256, PHASES_GROUP = 32 };

typedef struct phases {
    size_t groups, n; /* n: elements */
    float *in;
} phases;

static inline phases
phases_create(void)
{
    phases p = {bench_size(512, 16), 0, NULL};
    p.n = p.groups * PHASES_GROUP * PHASES_ROW;
    p.in = bench_numbers(p.n, 1, 8);
    return p;
}

static inline float
phases_one(const phases *p, size_t group, size_t i)
{
    float sum = 0;
    for (size_t k = 0; k < PHASES_GROUP; k++) {
        const float *row = p->in + (group * PHASES_GROUP + k) * PHASES_ROW;
        sum += row[i] * row[PHASES_ROW - 1 - i];
    }
    return sum;
}

/* Whole numbers: nothing is rounded. */
static inline bool
phases_check(const phases *p, const float *got)
{
    size_t wrong = 0;
    for (size_t g = 0; g < p->groups; g++)
        for (size_t i = 0; i < PHASES_ROW; i++)
            wrong += got[g * PHASES_ROW + i] != phases_one(p, g, i);
    if (wrong)
        fprintf(stderr, "bench: %zu elements are wrong\n", wrong);
    return wrong == 0;
}
#endif
