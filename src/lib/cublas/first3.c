/* SPDX-License-Identifier: Apache-2.0 */
/* first3.c - cuBLAS of 2008 (first.h): functions of matrices. */
#include "lib/cublas/first.h"

#define GEMM(L, T, R)                                                          \
    void cublas##L##gemm(char transa, char transb, int m, int n, int k,        \
                         T alpha, const T *A, int lda, const T *B, int ldb,    \
                         T beta, T *C, int ldc)                                \
    {                                                                          \
        keep(cublas##L##gemm_v2(handle(), operation(transa),                   \
                                operation(transb), m, n, k, &alpha, A, lda, B, \
                                ldb, &beta, C, ldc));                          \
    }
GEMM(S, float, float)
GEMM(D, double, double)
GEMM(C, cuComplex, float)
GEMM(Z, cuDoubleComplex, double)

#define SYRK(L, T, R)                                                          \
    void cublas##L##syrk(char uplo, char trans, int n, int k, T alpha,         \
                         const T *A, int lda, T beta, T *C, int ldc)           \
    {                                                                          \
        keep(cublas##L##syrk_v2(handle(), filling(uplo), operation(trans), n,  \
                                k, &alpha, A, lda, &beta, C, ldc));            \
    }
SYRK(S, float, float)
SYRK(D, double, double)
SYRK(C, cuComplex, float)
SYRK(Z, cuDoubleComplex, double)

#define HERK(L, T, R)                                                          \
    void cublas##L##herk(char uplo, char trans, int n, int k, R alpha,         \
                         const T *A, int lda, R beta, T *C, int ldc)           \
    {                                                                          \
        keep(cublas##L##herk_v2(handle(), filling(uplo), operation(trans), n,  \
                                k, &alpha, A, lda, &beta, C, ldc));            \
    }
HERK(C, cuComplex, float)
HERK(Z, cuDoubleComplex, double)

#define SYR2K(L, T, R)                                                         \
    void cublas##L##syr2k(char uplo, char trans, int n, int k, T alpha,        \
                          const T *A, int lda, const T *B, int ldb, T beta,    \
                          T *C, int ldc)                                       \
    {                                                                          \
        keep(cublas##L##syr2k_v2(handle(), filling(uplo), operation(trans), n, \
                                 k, &alpha, A, lda, B, ldb, &beta, C, ldc));   \
    }
SYR2K(S, float, float)
SYR2K(D, double, double)
SYR2K(C, cuComplex, float)
SYR2K(Z, cuDoubleComplex, double)

#define HER2K(L, T, R)                                                         \
    void cublas##L##her2k(char uplo, char trans, int n, int k, T alpha,        \
                          const T *A, int lda, const T *B, int ldb, R beta,    \
                          T *C, int ldc)                                       \
    {                                                                          \
        keep(cublas##L##her2k_v2(handle(), filling(uplo), operation(trans), n, \
                                 k, &alpha, A, lda, B, ldb, &beta, C, ldc));   \
    }
HER2K(C, cuComplex, float)
HER2K(Z, cuDoubleComplex, double)

#define SYMM(L, T, R)                                                          \
    void cublas##L##symm(char side, char uplo, int m, int n, T alpha,          \
                         const T *A, int lda, const T *B, int ldb, T beta,     \
                         T *C, int ldc)                                        \
    {                                                                          \
        keep(cublas##L##symm_v2(handle(), side_of(side), filling(uplo), m, n,  \
                                &alpha, A, lda, B, ldb, &beta, C, ldc));       \
    }
SYMM(S, float, float)
SYMM(D, double, double)
SYMM(C, cuComplex, float)
SYMM(Z, cuDoubleComplex, double)

#define HEMM(L, T, R)                                                          \
    void cublas##L##hemm(char side, char uplo, int m, int n, T alpha,          \
                         const T *A, int lda, const T *B, int ldb, T beta,     \
                         T *C, int ldc)                                        \
    {                                                                          \
        keep(cublas##L##hemm_v2(handle(), side_of(side), filling(uplo), m, n,  \
                                &alpha, A, lda, B, ldb, &beta, C, ldc));       \
    }
HEMM(C, cuComplex, float)
HEMM(Z, cuDoubleComplex, double)

#define TRSM(L, T, R)                                                          \
    void cublas##L##trsm(char side, char uplo, char transa, char diag, int m,  \
                         int n, T alpha, const T *A, int lda, T *B, int ldb)   \
    {                                                                          \
        keep(cublas##L##trsm_v2(handle(), side_of(side), filling(uplo),        \
                                operation(transa), diagonal(diag), m, n,       \
                                &alpha, A, lda, B, ldb));                      \
    }
TRSM(S, float, float)
TRSM(D, double, double)
TRSM(C, cuComplex, float)
TRSM(Z, cuDoubleComplex, double)

#define TRMM(L, T, R)                                                          \
    void cublas##L##trmm(char side, char uplo, char transa, char diag, int m,  \
                         int n, T alpha, const T *A, int lda, T *B, int ldb)   \
    {                                                                          \
        keep(cublas##L##trmm_v2(handle(), side_of(side), filling(uplo),        \
                                operation(transa), diagonal(diag), m, n,       \
                                &alpha, A, lda, B, ldb, B, ldb));              \
    }
TRMM(S, float, float)
TRMM(D, double, double)
TRMM(C, cuComplex, float)
TRMM(Z, cuDoubleComplex, double)
