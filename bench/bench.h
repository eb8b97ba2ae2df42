/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench.h - what every program of the suite shares, in C and C++: arguments,
 * the clock, the line it prints, comparing with what is right.
 *
 * A program is a list of cases. It takes as arguments the names of those to
 * run (default: all), `small` (sizes for an interpreter), `reps=N` (timed runs
 * at most, default 20) and `ms=N` (no further run after so much time, default
 * 300). For each case it prints
 *
 *     bench NAME median_ms A min_ms B first_ms C reps N bytes D flops E
 *     NAME: verified
 *
 * or `NAME: WRONG` with the reason before it on standard error, and exits with
 * 1 if any was wrong. The first run is not among those timed. Bytes and flops
 * are what the problem needs at least, whatever the kernel moves and computes.
 *
 * One source file a program: the state is static.
 */
#ifndef BENCH_H
#define BENCH_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BENCH_REPS_MAX = 1000, BENCH_ARRAYS_MAX = 64 };

typedef struct bench {
    const char *name;
    double bytes, flops;
    int runs; /* so far, with the first */
    double first_ms, spent_ms, start_ms;
    double ms[BENCH_REPS_MAX]; /* of all but the first */
} bench;

typedef struct bench_case {
    const char *name;
    void (*run)(void);
} bench_case;

static struct {
    bool small;
    int reps;
    double budget_ms;
    int wrong;  /* cases */
    int arrays; /* of the case that runs */
    void *array[BENCH_ARRAYS_MAX];
} bench_state = {false, 20, 300, 0, 0, {NULL}};

static inline size_t
bench_size(size_t full, size_t small)
{
    return bench_state.small ? small : full;
}

/* Memory until the end of the case, aligned to a page, zeroed. */
static inline void *
bench_alloc(size_t n, size_t size)
{
    size_t bytes = (n * size + 4095) / 4096 * 4096;
    void *p = aligned_alloc(4096, bytes);
    if (!p || bench_state.arrays == BENCH_ARRAYS_MAX) {
        fprintf(stderr, "bench: no memory for %zu bytes\n", bytes);
        exit(1);
    }
    bench_state.array[bench_state.arrays++] = p;
    return memset(p, 0, bytes);
}

/* Well mixed bits, the same everywhere: what inputs are made of. */
static inline uint32_t
bench_hash(uint32_t x)
{
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

/* n whole numbers from 0 to limit - 1, another row of them for each seed. */
static inline float *
bench_numbers(size_t n, uint32_t seed, uint32_t limit)
{
    float *x = (float *)bench_alloc(n, sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(bench_hash((uint32_t)i + (seed << 27)) % limit);
    return x;
}

static inline double
bench_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline bench
bench_start(const char *name, double bytes, double flops)
{
    bench b;
    memset(&b, 0, sizeof b);
    b.name = name;
    b.bytes = bytes;
    b.flops = flops;
    b.runs = -1;
    return b;
}

/* Ends the run that the call before began, and begins another; false if there
 * were enough. A run that needs preparation not to be timed does it first and
 * then calls bench_go. */
static inline bool
bench_next(bench *b)
{
    double took = bench_now_ms() - b->start_ms;
    if (b->runs == 0)
        b->first_ms = took;
    else if (b->runs > 0) {
        b->ms[b->runs - 1] = took;
        b->spent_ms += took;
    }
    b->runs++;
    int timed = b->runs - 1;
    bool more = timed < 1 || (timed < bench_state.reps &&
                              b->spent_ms < bench_state.budget_ms);
    b->start_ms = bench_now_ms();
    return more;
}

static inline void
bench_go(bench *b)
{
    b->start_ms = bench_now_ms();
}

static inline int
bench_order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Prints the case. */
static inline void
bench_end(bench *b, bool right)
{
    int n = b->runs - 1;
    qsort(b->ms, (size_t)n, sizeof b->ms[0], bench_order);
    double median = (b->ms[(n - 1) / 2] + b->ms[n / 2]) / 2;
    printf("bench %s median_ms %.6g min_ms %.6g first_ms %.6g reps %d "
           "bytes %.0f flops %.0f\n",
           b->name, median, b->ms[0], b->first_ms, n, b->bytes, b->flops);
    printf("%s: %s\n", b->name, right ? "verified" : "WRONG");
    fflush(stdout);
    bench_state.wrong += !right;
}

/* Equal byte for byte: n elements of `size` bytes. */
static inline bool
bench_same(const void *got, const void *want, size_t n, size_t size)
{
    const char *g = (const char *)got, *w = (const char *)want;
    if (memcmp(g, w, n * size) == 0)
        return true;
    size_t i = 0;
    while (memcmp(g + i * size, w + i * size, size) == 0)
        i++;
    fprintf(stderr, "bench: element %zu of %zu is wrong\n", i, n);
    return false;
}

/* Equal but for `tolerance`, relative to what is wanted or, below 1, to 1. */
static inline bool
bench_close(const float *got, const float *want, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++) {
        double scale = fabs((double)want[i]) > 1 ? fabs((double)want[i]) : 1;
        if (!(fabs((double)got[i] - (double)want[i]) <= tolerance * scale)) {
            fprintf(stderr, "bench: element %zu of %zu is %g, not %g\n", i, n,
                    (double)got[i], (double)want[i]);
            return false;
        }
    }
    return true;
}

static inline bool
bench_is_wanted(const char *name, int argc, char **argv)
{
    bool all = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
        if (strcmp(argv[i], "small") != 0 && !strchr(argv[i], '='))
            all = false;
    }
    return all;
}

/* Runs the cases that the arguments name; main's exit status. */
static inline int
bench_main(int argc, char **argv, const bench_case *cases, size_t n)
{
    int ran = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "small") == 0)
            bench_state.small = true;
        if (strncmp(argv[i], "reps=", 5) == 0)
            bench_state.reps = atoi(argv[i] + 5);
        if (strncmp(argv[i], "ms=", 3) == 0)
            bench_state.budget_ms = atof(argv[i] + 3);
    }
    if (bench_state.reps < 1 || bench_state.reps > BENCH_REPS_MAX) {
        fprintf(stderr, "bench: reps is 1 to %d\n", BENCH_REPS_MAX);
        return 2;
    }
    for (size_t i = 0; i < n; i++) {
        if (!bench_is_wanted(cases[i].name, argc, argv))
            continue;
        cases[i].run();
        while (bench_state.arrays > 0)
            free(bench_state.array[--bench_state.arrays]);
        ran++;
    }
    if (ran == 0)
        fprintf(stderr, "bench: no such case\n");
    return ran == 0 || bench_state.wrong != 0;
}

/* main of a program. */
#define BENCH_MAIN(...)                                                        \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        static const bench_case cases[] = {__VA_ARGS__};                       \
        return bench_main(argc, argv, cases, sizeof cases / sizeof cases[0]);  \
    }
#endif
