/* SPDX-License-Identifier: Apache-2.0 */
/*
 * first.h - cuBLAS of 2008: one handle for the process, scalars by value,
 * characters for operations, results returned, errors kept until
 * cublasGetError asks. Each function calls its successor (blas.h) with the
 * process's handle.
 */
#ifndef SW_CUBLAS_FIRST_H
#define SW_CUBLAS_FIRST_H
#define SW_LIB_ENTRIES "lib/cublas/entries.def"
#include "lib/common/entries.h"

#include "cuda/cublas.h"

#define handle    first_handle
#define keep      first_keep
#define operation first_operation
#define filling   first_filling
#define diagonal  first_diagonal
#define side_of   first_side

/* That of cublasInit, or NULL: calls are CUBLAS_STATUS_NOT_INITIALIZED then. */
cublasHandle_t first_handle(void);
/* The first error since the last question stays. */
void first_keep(cublasStatus_t status);
/* What characters of BLAS mean, of either case; others give a value that the
 * functions refuse. */
cublasOperation_t first_operation(char c);
cublasFillMode_t first_filling(char c);
cublasDiagType_t first_diagonal(char c);
cublasSideMode_t first_side(char c);

#endif
