/* SPDX-License-Identifier: Apache-2.0 */
/* atomics.c - the same atomic additions, in OpenMP C. */
#include "../problems/atomics.h"

static void
add_only(const atomics *a, unsigned *counters)
{
    size_t shared = a->shared;
#pragma omp parallel for
    for (size_t i = 0; i < a->n; i++)
#pragma omp atomic
        counters[i / shared]++;
}

static void
add_and_read(const atomics *a, unsigned *counters, unsigned *old)
{
    size_t shared = a->shared;
#pragma omp parallel for
    for (size_t i = 0; i < a->n; i++) {
        unsigned v;
#pragma omp atomic capture
        v = counters[i / shared]++;
        old[i] = v;
    }
}

static void
run(const char *name, size_t shared, bool read)
{
    atomics a = atomics_create(shared);
    unsigned *counters = bench_alloc(a.n / a.shared, sizeof *counters);
    unsigned *old = read ? bench_alloc(a.n, sizeof *old) : NULL;
    bench b = bench_start(
        name, 8.0 * (double)(a.n / a.shared) + (read ? 4.0 * (double)a.n : 0),
        0);
    while (bench_next(&b)) {
        if (read)
            add_and_read(&a, counters, old);
        else
            add_only(&a, counters);
    }
    bench_end(&b, atomics_check(&a, counters, old, b.runs));
}

static void
none(void)
{
    run("atomic_none", 1, false);
}

static void
same(void)
{
    run("atomic_same", 0, false);
}

static void
warp(void)
{
    run("atomic_warp", ATOMICS_WARP, false);
}

static void
block(void)
{
    run("atomic_block", ATOMICS_BLOCK, false);
}

static void
none_read(void)
{
    run("atomic_none_read", 1, true);
}

static void
same_read(void)
{
    run("atomic_same_read", 0, true);
}

static void
warp_read(void)
{
    run("atomic_warp_read", ATOMICS_WARP, true);
}

static void
block_read(void)
{
    run("atomic_block_read", ATOMICS_BLOCK, true);
}

BENCH_MAIN({"atomic_none", none}, {"atomic_same", same}, {"atomic_warp", warp},
           {"atomic_block", block}, {"atomic_none_read", none_read},
           {"atomic_same_read", same_read}, {"atomic_warp_read", warp_read},
           {"atomic_block_read", block_read})
