/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gemm.h - a product of matrices of any types:
 *
 *     D = alpha * op(A) * op(B) + beta * C
 *
 * Matrices lie by columns. Products and sums are in the domain; where an
 * operand is of another type it is converted first, which is exact, and the
 * result is rounded once. Integers are exact: their products are summed as
 * floats in parts that cannot round. Runs on the calling thread and, where that
 * pays, those of OpenBLAS.
 */
#ifndef SW_LIB_GEMM_H
#define SW_LIB_GEMM_H
#include "lib/common/fortran.h"
#include "lib/common/numbers.h"

typedef struct {
    int op_a, op_b; /* 'N', 'T', 'C', 'R' (conjugated, not transposed) */
    int64_t m, n, k;
    cudaDataType_t a, b, c, d; /* types of elements */
    int64_t lda, ldb, ldc, ldd;
    sw_lib_domain domain;
    /* NULL, or what is done with columns j to j + columns of the sums, m
     * numbers each, after beta * C was added and before they are rounded. */
    void (*finish)(void *arg, void *sums, int64_t j, int64_t columns);
    void *finish_arg;
} sw_lib_gemm;

/* Before submitting; false, and it has been said why, without OpenBLAS. */
bool sw_lib_gemm_prepare(void);
/* alpha, beta: numbers of the domain. C is not read where beta is zero. */
void sw_lib_gemm_run(const sw_lib_gemm *g, const void *alpha, const void *a,
                     const void *b, const void *beta, const void *c, void *d);

#endif
