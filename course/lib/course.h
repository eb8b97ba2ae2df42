/* SPDX-License-Identifier: Apache-2.0 */
/*
 * course.h - what the exercises share: checking a call, and comparing a result
 * with the one that the processor computed.
 */
#ifndef COURSE_H
#define COURSE_H
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a call fails, with the sentence why. */
#define CUDA(call) course_call((call), #call)

static inline void course_call(cudaError_t e, const char *call)
{
    if (e != cudaSuccess) {
        printf("%s: %s (%s)\n", call, cudaGetErrorString(e),
               cudaGetErrorName(e));
        exit(1);
    }
}

/* The first argument as a size, or what is said here. */
static inline int course_size(int argc, char **argv, int otherwise)
{
    int n = argc > 1 ? atoi(argv[1]) : 0;
    return n > 0 ? n : otherwise;
}

/* Numbers that look random; the same every time. */
static inline int course_number(int i, int range)
{
    return (int)(((unsigned)i * 2654435761u >> 8) % (unsigned)range);
}

/* 0, or 1 after saying which value is the first wrong one. Values may differ by
 * `tolerance` times the wanted one's size. */
template <typename T>
static int course_compare(const T *got, const T *want, size_t n,
                          double tolerance = 0)
{
    for (size_t i = 0; i < n; i++) {
        double error = fabs((double)got[i] - (double)want[i]);
        if (error <= tolerance * fabs((double)want[i]))
            continue;
        printf("value %zu of %zu is %.9g, and should be %.9g\n", i, n,
               (double)got[i], (double)want[i]);
        return 1;
    }
    printf("all %zu values are right\n", n);
    return 0;
}
#endif
