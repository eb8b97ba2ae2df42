/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.h - what a program of this folder insists on: a call that succeeds, a
 * condition that holds. Else it says where, and ends with 1.
 */
#ifndef TESTS_APPS_CHECK_H
#define TESTS_APPS_CHECK_H
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CK(call)                                                               \
    do {                                                                       \
        cudaError_t e_ = (call);                                               \
        if (e_ != cudaSuccess) {                                               \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call,      \
                    cudaGetErrorName(e_));                                     \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#define MUST(condition)                                                        \
    do {                                                                       \
        if (!(condition)) {                                                    \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,   \
                    #condition);                                               \
            exit(1);                                                           \
        }                                                                      \
    } while (0)

#endif
