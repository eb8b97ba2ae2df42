/* SPDX-License-Identifier: Apache-2.0 */
/*
 * example.h - what the examples share: checking a call, comparing a result
 * with the CPU's, and saying so in one line. Nothing here is about CUDA; read
 * the .cu files.
 */
#ifndef EXAMPLE_H
#define EXAMPLE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ends the program if a runtime call fails, with the sentence why. */
#define CUDA(call) example_check((call), #call, __FILE__, __LINE__)

static inline void example_check(cudaError_t e, const char *call,
                                 const char *file, int line)
{
    if (e != cudaSuccess) {
        printf("%s:%d: %s: %s (%s)\n", file, line, call, cudaGetErrorString(e),
               cudaGetErrorName(e));
        exit(1);
    }
}

/* True if the user asks for small sizes. */
static inline bool example_is_quick(int argc, char **argv)
{
    return argc > 1 && strcmp(argv[1], "--quick") == 0;
}

static int example_wrong = 0; /* cases; main returns it != 0 */

/* One line: "name: verified", or what is wrong first. The examples choose
 * numbers for which both sides are exact, so equal means equal. */
template <typename T>
static void verify(const char *name, const T *got, const T *want, size_t n)
{
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < n; i++)
        if (got[i] != want[i] && wrong++ == 0)
            first = i;
    if (wrong == 0) {
        printf("%s: verified\n", name);
    } else {
        printf("%s: WRONG (%zu of %zu values; [%zu] is %g, not %g)\n", name,
               wrong, n, first, (double)got[first], (double)want[first]);
        example_wrong++;
    }
    fflush(stdout);
}
#endif
