/* SPDX-License-Identifier: Apache-2.0 */
/*
 * roofline.c - what this machine can reach at most: fused multiply-adds, and
 * copying and reading arrays of several sizes, all threads together, in OpenMP
 * C. Prints, the best of several trials each,
 *
 *     roofline fma32 - GFLOP/s
 *     roofline fma64 - GFLOP/s
 *     roofline copy BYTES GB/s        bytes read and written
 *     roofline read BYTES GB/s
 */
#include <omp.h>

#include "bench.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { CHAINS = 16 };

static int trials = 7; /* the best of so many */

typedef float floats __attribute__((vector_size(64)));
typedef double doubles __attribute__((vector_size(64)));

static volatile float sink;

/* Enough independent sums to hide the latency; turns * CHAINS * 2 operations on
 * each lane. */
static void
fma_floats(long turns)
{
    floats sum[CHAINS], x = {0}, y = {0};
    for (int c = 0; c < CHAINS; c++)
        sum[c] = x + (float)c;
    x += 0.999f;
    y += sink;
    for (long i = 0; i < turns; i++)
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * x + y;
    for (int c = 1; c < CHAINS; c++)
        sum[0] += sum[c];
    sink = sum[0][0];
}

static void
fma_doubles(long turns)
{
    doubles sum[CHAINS], x = {0}, y = {0};
    for (int c = 0; c < CHAINS; c++)
        sum[c] = x + (double)c;
    x += 0.999;
    y += (double)sink;
    for (long i = 0; i < turns; i++)
        for (int c = 0; c < CHAINS; c++)
            sum[c] = sum[c] * x + y;
    for (int c = 1; c < CHAINS; c++)
        sum[0] += sum[c];
    sink = (float)sum[0][0];
}

static void
peak(const char *name, void (*work)(long), double lanes)
{
    const long turns = 2000000;
    double best = 0;
    for (int t = 0; t < trials; t++) {
        double start = bench_now_ms();
#pragma omp parallel
        work(turns);
        double ms = bench_now_ms() - start;
        double flops = 2.0 * CHAINS * lanes * turns * omp_get_max_threads();
        best = fmax(best, flops / ms / 1e6);
    }
    printf("roofline %s - %.1f\n", name, best);
}

static void
copy_plain(floats *restrict to, const floats *restrict from, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        to[i] = from[i];
        __asm__ volatile("" ::: "memory"); /* no call of memcpy */
    }
}

/* Past the caches, where the machine can. */
static void
copy_streaming(floats *restrict to, const floats *restrict from, size_t n)
{
#ifdef __SSE2__
    for (size_t i = 0; i < n * 4; i++)
        _mm_stream_ps((float *)to + 4 * i, _mm_load_ps((float *)from + 4 * i));
    _mm_sfence();
#else
    copy_plain(to, from, n);
#endif
}

static void
read_all(floats *restrict to, const floats *restrict from, size_t n)
{
    floats sum[8] = {{0}};
    (void)to;
    for (size_t i = 0; i + 8 <= n; i += 8)
        for (size_t j = 0; j < 8; j++)
            sum[j] += from[i + j];
    for (int j = 1; j < 8; j++)
        sum[0] += sum[j];
    sink = sum[0][0];
}

typedef void (*mover)(floats *restrict, const floats *restrict, size_t);

/* GB/s of `move` where all threads' arrays together have so many bytes; with
 * `arrays` arrays, each thread with its own part. */
static double
rate(mover move, char *memory, size_t bytes, size_t arrays)
{
    size_t threads = (size_t)omp_get_max_threads();
    size_t n = bytes / arrays / threads / sizeof(floats); /* of one part */
    long turns = (long)((512u << 20) / bytes) + 1;
    double best = 0;
    for (int t = 0; t < trials; t++) {
        double start = bench_now_ms();
#pragma omp parallel
        {
            floats *part = (floats *)(void *)memory +
                           (size_t)omp_get_thread_num() * n * arrays;
            for (long i = 0; i < turns; i++)
                move(part + n * (arrays - 1), part, n);
        }
        double ms = bench_now_ms() - start;
        double moved = (double)(n * sizeof(floats) * arrays * threads);
        best = fmax(best, moved * (double)turns / ms / 1e6);
    }
    return best;
}

int
main(int argc, char **argv)
{
    if (argc > 1)
        trials = atoi(argv[1]);
    char *memory = bench_alloc((size_t)256 << 20, 1);
    peak("fma32", fma_floats, 16);
    peak("fma64", fma_doubles, 8);
    for (size_t bytes = (size_t)1 << 14; bytes <= (size_t)256 << 20;
         bytes *= 4) {
        double plain = rate(copy_plain, memory, bytes, 2);
        double streaming = rate(copy_streaming, memory, bytes, 2);
        printf("roofline copy %zu %.1f\n", bytes, fmax(plain, streaming));
        printf("roofline read %zu %.1f\n", bytes,
               rate(read_all, memory, bytes, 1));
    }
    free(memory);
    return 0;
}
