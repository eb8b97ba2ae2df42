/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cases.h - what the files of cases share: their table and main().
 *
 * A line that a finding has to name ends in "// CASE: KIND" ("KIND benign" for
 * a note). corpus.sh runs each case of a file's table and compares; a case
 * without such a line is clean. Give the table with CASES, as X(name) of each:
 *
 *     #define CASES(X) X(one) X(other)
 *     CASES_MAIN
 */
#ifndef CASES_H
#define CASES_H
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CASES_ROW(name) {#name, name},
#define CASES_MAIN                                                             \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        static const struct {                                                  \
            const char *name;                                                  \
            void (*run)();                                                     \
        } all[] = {CASES(CASES_ROW)};                                          \
        for (const auto &c : all) {                                            \
            if (argc < 2)                                                      \
                printf("%s\n", c.name);                                        \
            else if (strcmp(argv[1], c.name) == 0) {                           \
                c.run();                                                       \
                return 0;                                                      \
            }                                                                  \
        }                                                                      \
        return argc < 2 ? 0 : 2;                                               \
    }

/* n elements, all zero. */
template <class T>
static T *
zeros(int n)
{
    T *p;
    if (cudaMalloc(&p, n * sizeof *p) != cudaSuccess ||
        cudaMemset(p, 0, n * sizeof *p) != cudaSuccess)
        exit(3);
    return p;
}

/* As it should end: no error is left. */
static inline void
finish()
{
    if (cudaDeviceSynchronize() != cudaSuccess)
        exit(4);
}

#endif
