/* SPDX-License-Identifier: Apache-2.0 */
/*
 * accuracy.c - measures the error of the math functions of CUDA C, or of those
 * whose table the build names (MATH_FUNCTIONS).
 *
 *     accuracy OPTION...        (bench/accuracy compiles the kernels and runs
 * it)
 *
 *     --library FILE --kernels FILE --less FILE
 *                     the driver library, and kernels.cu compiled without and
 *                     with LESS_PRECISE
 *     --beside-library FILE --beside-kernels FILE --beside-less FILE
 *                     another device's, to be measured beside it
 *     --bounds FILE   the table of bounds (tests/data/ulp_bounds.csv)
 *     --count N       arguments of a function (100,000,000)
 *     --exhaustive    functions of one float: all 2^32 instead
 *     --function TEXT functions whose names contain it
 *     --hard FILE     a table written before: begin where it has the worst
 *     --threads N     for the reference; default: all cores
 *     --write FILE    where the table goes; default: standard output
 *
 * Exit status 1 if a function exceeds a bound, or a special value is not what
 * it has to be.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "accuracy.h"

#ifndef MATH_TITLE
#define MATH_TITLE "\n\nWritten by `bench/accuracy"
#endif

enum {
    MAX_THREADS = 512,
    DEVICES = 2,
    PIECE = 4096,    /* arguments of a thread at a time */
    CHUNK = 1 << 24, /* of a launch, at most */
    FIRST = 1 << 16  /* that come before an exhaustive search */
};

typedef struct {
    uint64_t differ; /* results that are not the other's */
    math_worst worst[DEVICES][MATH_ZONES];
} measured;

/* What the threads work at. */
static struct {
    pthread_barrier_t begin, end;
    atomic_uint next;
    pthread_mutex_t lock;
    const math_function *f;
    measured *m;
    bool fill, exhaustive, stop;
    uint64_t first;
    uint32_t n;
    math_args hard[MATH_HARD]; /* come first */
    unsigned hard_count;
    void *columns[4];
    void *out[DEVICES];
} work;
static unsigned threads, devices;
static uint32_t chunk; /* arguments of a launch */

static void
put(math_type type, void *column, uint32_t i, double x)
{
    if (type == f32)
        ((float *)column)[i] = (float)x;
    else
        ((double *)column)[i] = x;
}
static double
get(math_type type, const void *column, uint32_t i)
{
    return type == f32 ? ((const float *)column)[i]
                       : ((const double *)column)[i];
}
static void
fill(uint32_t from, uint32_t to)
{
    const math_function *f = work.f;
    for (uint32_t i = from; i < to; i++) {
        uint64_t n = work.first + i;
        math_args a;
        if (n < work.hard_count)
            a = work.hard[n];
        else
            math_argument(f, n - work.hard_count, &a);
        for (int k = 0; k < f->arguments; k++)
            put(f->type, work.columns[k], i, a.v[k]);
    }
}
static void
measure(uint32_t from, uint32_t to)
{
    const math_function *f = work.f;
    math_worst worst[DEVICES][MATH_ZONES];
    uint64_t differ = 0;
    pthread_mutex_lock(&work.lock);
    memcpy(worst, work.m->worst, sizeof worst);
    pthread_mutex_unlock(&work.lock);
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned z = 0; z < MATH_ZONES; z++)
            worst[d][z].count = worst[d][z].exact = worst[d][z].wrong = 0;
    unsigned every = work.exhaustive ? 65521 : 4093;
    for (uint32_t i = from; i < to; i++) {
        math_args a = {0};
        if (work.exhaustive)
            a.v[0] = math_value(f32, work.first + i);
        else
            for (int k = 0; k < f->arguments; k++)
                a.v[k] = get(f->type, work.columns[k], i);
        uint64_t got[DEVICES];
        for (unsigned d = 0; d < devices; d++)
            got[d] = f->result == f32 ? ((uint32_t *)work.out[d])[i]
                                      : ((uint64_t *)work.out[d])[i];
        if (devices == 2 && got[0] != got[1])
            differ += f->result == i64 ||
                      !isnan(math_value(f->result, got[0])) ||
                      !isnan(math_value(f->result, got[1]));
        math_measure(f, &a, got, devices, (work.first + i) % every == 0, worst);
    }
    pthread_mutex_lock(&work.lock);
    work.m->differ += differ;
    for (unsigned d = 0; d < devices; d++)
        for (unsigned z = 0; z < MATH_ZONES; z++)
            math_merge(&work.m->worst[d][z], &worst[d][z]);
    pthread_mutex_unlock(&work.lock);
}
static void *
worker(void *unused)
{
    (void)unused;
    for (;;) {
        pthread_barrier_wait(&work.begin);
        if (work.stop)
            return NULL;
        uint32_t from;
        while ((from = atomic_fetch_add(&work.next, PIECE)) < work.n) {
            uint32_t to = from + PIECE < work.n ? from + PIECE : work.n;
            if (work.fill)
                fill(from, to);
            else
                measure(from, to);
        }
        pthread_barrier_wait(&work.end);
    }
}
static void
all_threads(bool filling)
{
    work.fill = filling;
    atomic_store(&work.next, 0);
    pthread_barrier_wait(&work.begin);
    pthread_barrier_wait(&work.end);
}

static void
begin_threads(pthread_t *thread)
{
    pthread_barrier_init(&work.begin, NULL, threads + 1);
    pthread_barrier_init(&work.end, NULL, threads + 1);
    pthread_mutex_init(&work.lock, NULL);
    for (unsigned i = 0; i < threads; i++)
        if (pthread_create(&thread[i], NULL, worker, NULL)) {
            fprintf(stderr, "accuracy: cannot start %u threads\n", threads);
            exit(2);
        }
}
static void
end_threads(const pthread_t *thread)
{
    work.stop = true;
    pthread_barrier_wait(&work.begin);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

/* The work.n arguments from work.first on. */
static void
run_chunk(math_device *const *device)
{
    void *const none[4] = {0};
    if (!work.exhaustive)
        all_threads(true);
    for (unsigned d = devices; d-- > 0;)
        math_device_begin(device[d], work.f,
                          work.exhaustive ? none : work.columns,
                          (uint32_t)work.first, work.n, work.out[d]);
    for (unsigned d = 0; d < devices; d++)
        math_device_wait(device[d]);
    all_threads(false);
}

static void
run(const math_function *f, math_device *const *device, uint64_t count,
    bool exhaustive, measured *m)
{
    *m = (measured){0};
    for (unsigned d = 0; d < DEVICES; d++)
        for (unsigned z = 0; z < MATH_ZONES; z++)
            m->worst[d][z].error = -1;
    work.f = f;
    work.m = m;
    work.exhaustive = false;
    if (exhaustive) {
        /* Errors that grow with the argument would all be new maxima, had
         * random arguments not come first. */
        work.first = 0;
        work.n = FIRST;
        run_chunk(device);
        m->differ = 0;
        for (unsigned d = 0; d < DEVICES; d++)
            for (unsigned z = 0; z < MATH_ZONES; z++)
                m->worst[d][z].count = m->worst[d][z].wrong = 0;
        work.exhaustive = true;
    }
    for (uint64_t i = 0; i < count; i += chunk) {
        work.first = i;
        work.n = (uint32_t)(count - i < chunk ? count - i : chunk);
        run_chunk(device);
    }
}

/* ---- what was asked for ---- */

typedef struct {
    const char *files[DEVICES][3]; /* library, kernels, less precise ones */
    const char *bounds, *function, *hard, *write;
    uint64_t count;
    bool exhaustive;
} options;

static options
read_options(int argc, char **argv)
{
    enum { BOUNDS = 6, COUNT, EXHAUSTIVE, FUNCTION, HARD, THREADS, WRITE };
    static const struct option known[] = {{"library", 1, NULL, 0},
                                          {"kernels", 1, NULL, 1},
                                          {"less", 1, NULL, 2},
                                          {"beside-library", 1, NULL, 3},
                                          {"beside-kernels", 1, NULL, 4},
                                          {"beside-less", 1, NULL, 5},
                                          {"bounds", 1, NULL, BOUNDS},
                                          {"count", 1, NULL, COUNT},
                                          {"exhaustive", 0, NULL, EXHAUSTIVE},
                                          {"function", 1, NULL, FUNCTION},
                                          {"hard", 1, NULL, HARD},
                                          {"threads", 1, NULL, THREADS},
                                          {"write", 1, NULL, WRITE},
                                          {0}};
    options o = {.bounds = "tests/data/ulp_bounds.csv",
                 .function = "",
                 .count = 100000000};
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    threads = n < 1 ? 1 : (unsigned)n;
    bool good = true;
    for (int c; (c = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        char *end = "";
        if (c >= 0 && c < BOUNDS)
            o.files[c / 3][c % 3] = optarg;
        else if (c == BOUNDS)
            o.bounds = optarg;
        else if (c == COUNT)
            o.count = strtoull(optarg, &end, 10);
        else if (c == EXHAUSTIVE)
            o.exhaustive = true;
        else if (c == FUNCTION)
            o.function = optarg;
        else if (c == HARD)
            o.hard = optarg;
        else if (c == THREADS)
            threads = (unsigned)strtoul(optarg, &end, 10);
        else if (c == WRITE)
            o.write = optarg;
        else
            good = false;
        good &= !*end;
    }
    bool beside = o.files[1][0];
    for (int k = 0; k < 3; k++)
        good &= o.files[0][k] && !o.files[1][k] == !beside;
    if (!good || optind < argc || !o.count || !threads ||
        threads > MAX_THREADS) {
        fprintf(stderr, "accuracy: its options stand in accuracy.c\n");
        exit(2);
    }
    return o;
}

static FILE *
open_table(const char *file)
{
    FILE *out = file ? fopen(file, "w") : stdout;
    if (!out) {
        fprintf(stderr, "accuracy: cannot write %s\n", file);
        exit(2);
    }
    if (file)
        fputs("# Errors of the math functions" MATH_TITLE "`; "
              "[accuracy.md](accuracy.md) explains it.\n\n",
              out);
    math_table_begin(out, devices == 2);
    return out;
}

int
main(int argc, char **argv)
{
    options o = read_options(argc, argv);
    math_table_read(o.bounds);
    chunk = o.exhaustive || o.count > CHUNK ? CHUNK : (uint32_t)o.count;
    chunk = chunk < FIRST ? FIRST : chunk;
    math_device *device[DEVICES];
    /* The other first: it may look for its own parts by the name that ours
     * has. */
    devices = o.files[1][0] ? 2 : 1;
    for (unsigned d = devices; d-- > 0;) {
        const char **f = o.files[d];
        device[d] = math_device_open(f[0], f[1], f[2], chunk);
        work.out[d] = math_device_pin(device[d]);
    }
    for (int k = 0; k < 4; k++)
        work.columns[k] = math_device_pin(device[0]);
    pthread_t thread[MAX_THREADS];
    begin_threads(thread);
    FILE *out = open_table(o.write);
    unsigned passed = 0, failed = 0;
    for (unsigned i = 0; i < math_function_count; i++) {
        const math_function *f = &math_functions[i];
        if (!strstr(f->name, o.function))
            continue;
        bool all = o.exhaustive && f->type == f32 && f->arguments == 1;
        work.hard_count = o.hard ? math_table_hard(o.hard, f, work.hard) : 0;
        measured m;
        run(f, device, all ? (uint64_t)1 << 32 : o.count, all, &m);
        for (unsigned z = 0; f->zones[z].where; z++) {
            bool good =
                math_table_row(out, f, &f->zones[z], &m.worst[0][z],
                               devices == 2 ? &m.worst[1][z] : NULL, m.differ);
            passed += good, failed += !good;
            if (!good)
                printf("%s %s: over its bound\n", f->name, f->zones[z].where);
            if (!f->zones[z].has)
                break;
        }
    }
    end_threads(thread);
    if (!*o.function)
        failed += math_table_unused();
    if (out != stdout && fclose(out)) {
        fprintf(stderr, "accuracy: cannot write %s\n", o.write);
        return 2;
    }
    printf("bench/accuracy: %u passed, %u failed\n", passed, failed);
    return failed > 0 || passed == 0;
}
