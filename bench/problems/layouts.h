/* SPDX-License-Identifier: Apache-2.0 */
/* layouts.h - what each thread has lies side by side: a particle of seven
 * numbers, or a run of a long vector. */
#ifndef BENCH_LAYOUTS_H
#define BENCH_LAYOUTS_H
#include "../bench.h"

enum { LAYOUTS_BLOCK = 256, LAYOUTS_RUN = 64 };

typedef struct particle {
    float x, y, z, vx, vy, vz, mass;
} particle;

typedef struct layouts {
    size_t n; /* numbers, or particles */
    float *v;
} layouts;

static inline layouts
layouts_create(bool are_particles)
{
    layouts l = {bench_size(1 << 22, 1 << 14), NULL};
    size_t each = are_particles ? sizeof(particle) / sizeof(float) : 1;
    l.v = bench_numbers(l.n * each, 1, 64);
    return l;
}

/* So many steps of one unit of time. Whole numbers: nothing is rounded. */
static inline bool
layouts_check_particles(const layouts *l, const particle *got, int times)
{
    particle *want = (particle *)bench_alloc(l->n, sizeof *want);
    memcpy(want, l->v, l->n * sizeof *want);
    for (size_t i = 0; i < l->n; i++) {
        want[i].x += (float)times * want[i].vx;
        want[i].y += (float)times * want[i].vy;
        want[i].z += (float)times * want[i].vz;
    }
    return bench_same(got, want, l->n, sizeof *want);
}

/* Sums of each run up to an element. */
static inline bool
layouts_check_sums(const layouts *l, const float *got)
{
    float *want = (float *)bench_alloc(l->n, sizeof *want);
    for (size_t i = 0; i < l->n; i++)
        want[i] = l->v[i] + (i % LAYOUTS_RUN ? want[i - 1] : 0);
    return bench_same(got, want, l->n, sizeof *want);
}
#endif
