/* SPDX-License-Identifier: Apache-2.0 */
/* first2.c - cuBLAS of 2008 (first.h): functions of a matrix and a vector. */
#include "lib/cublas/first.h"

#define GEMV(L, T, R)                                                          \
    void cublas##L##gemv(char trans, int m, int n, T alpha, const T *A,        \
                         int lda, const T *x, int incx, T beta, T *y,          \
                         int incy)                                             \
    {                                                                          \
        keep(cublas##L##gemv_v2(handle(), operation(trans), m, n, &alpha, A,   \
                                lda, x, incx, &beta, y, incy));                \
    }
GEMV(S, float, float)
GEMV(D, double, double)
GEMV(C, cuComplex, float)
GEMV(Z, cuDoubleComplex, double)

#define GBMV(L, T, R)                                                          \
    void cublas##L##gbmv(char trans, int m, int n, int kl, int ku, T alpha,    \
                         const T *A, int lda, const T *x, int incx, T beta,    \
                         T *y, int incy)                                       \
    {                                                                          \
        keep(cublas##L##gbmv_v2(handle(), operation(trans), m, n, kl, ku,      \
                                &alpha, A, lda, x, incx, &beta, y, incy));     \
    }
GBMV(S, float, float)
GBMV(D, double, double)
GBMV(C, cuComplex, float)
GBMV(Z, cuDoubleComplex, double)

#define TRMV(L, T, R)                                                          \
    void cublas##L##trmv(char uplo, char trans, char diag, int n, const T *A,  \
                         int lda, T *x, int incx)                              \
    {                                                                          \
        keep(cublas##L##trmv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, A, lda, x, incx));          \
    }
TRMV(S, float, float)
TRMV(D, double, double)
TRMV(C, cuComplex, float)
TRMV(Z, cuDoubleComplex, double)

#define TBMV(L, T, R)                                                          \
    void cublas##L##tbmv(char uplo, char trans, char diag, int n, int k,       \
                         const T *A, int lda, T *x, int incx)                  \
    {                                                                          \
        keep(cublas##L##tbmv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, k, A, lda, x, incx));       \
    }
TBMV(S, float, float)
TBMV(D, double, double)
TBMV(C, cuComplex, float)
TBMV(Z, cuDoubleComplex, double)

#define TPMV(L, T, R)                                                          \
    void cublas##L##tpmv(char uplo, char trans, char diag, int n, const T *AP, \
                         T *x, int incx)                                       \
    {                                                                          \
        keep(cublas##L##tpmv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, AP, x, incx));              \
    }
TPMV(S, float, float)
TPMV(D, double, double)
TPMV(C, cuComplex, float)
TPMV(Z, cuDoubleComplex, double)

#define TRSV(L, T, R)                                                          \
    void cublas##L##trsv(char uplo, char trans, char diag, int n, const T *A,  \
                         int lda, T *x, int incx)                              \
    {                                                                          \
        keep(cublas##L##trsv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, A, lda, x, incx));          \
    }
TRSV(S, float, float)
TRSV(D, double, double)
TRSV(C, cuComplex, float)
TRSV(Z, cuDoubleComplex, double)

#define TPSV(L, T, R)                                                          \
    void cublas##L##tpsv(char uplo, char trans, char diag, int n, const T *AP, \
                         T *x, int incx)                                       \
    {                                                                          \
        keep(cublas##L##tpsv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, AP, x, incx));              \
    }
TPSV(S, float, float)
TPSV(D, double, double)
TPSV(C, cuComplex, float)
TPSV(Z, cuDoubleComplex, double)

#define TBSV(L, T, R)                                                          \
    void cublas##L##tbsv(char uplo, char trans, char diag, int n, int k,       \
                         const T *A, int lda, T *x, int incx)                  \
    {                                                                          \
        keep(cublas##L##tbsv_v2(handle(), filling(uplo), operation(trans),     \
                                diagonal(diag), n, k, A, lda, x, incx));       \
    }
TBSV(S, float, float)
TBSV(D, double, double)
TBSV(C, cuComplex, float)
TBSV(Z, cuDoubleComplex, double)

#define SYMV(L, T, R)                                                          \
    void cublas##L##symv(char uplo, int n, T alpha, const T *A, int lda,       \
                         const T *x, int incx, T beta, T *y, int incy)         \
    {                                                                          \
        keep(cublas##L##symv_v2(handle(), filling(uplo), n, &alpha, A, lda, x, \
                                incx, &beta, y, incy));                        \
    }
SYMV(S, float, float)
SYMV(D, double, double)

#define HEMV(L, T, R)                                                          \
    void cublas##L##hemv(char uplo, int n, T alpha, const T *A, int lda,       \
                         const T *x, int incx, T beta, T *y, int incy)         \
    {                                                                          \
        keep(cublas##L##hemv_v2(handle(), filling(uplo), n, &alpha, A, lda, x, \
                                incx, &beta, y, incy));                        \
    }
HEMV(C, cuComplex, float)
HEMV(Z, cuDoubleComplex, double)

#define SBMV(L, T, R)                                                          \
    void cublas##L##sbmv(char uplo, int n, int k, T alpha, const T *A,         \
                         int lda, const T *x, int incx, T beta, T *y,          \
                         int incy)                                             \
    {                                                                          \
        keep(cublas##L##sbmv_v2(handle(), filling(uplo), n, k, &alpha, A, lda, \
                                x, incx, &beta, y, incy));                     \
    }
SBMV(S, float, float)
SBMV(D, double, double)

#define HBMV(L, T, R)                                                          \
    void cublas##L##hbmv(char uplo, int n, int k, T alpha, const T *A,         \
                         int lda, const T *x, int incx, T beta, T *y,          \
                         int incy)                                             \
    {                                                                          \
        keep(cublas##L##hbmv_v2(handle(), filling(uplo), n, k, &alpha, A, lda, \
                                x, incx, &beta, y, incy));                     \
    }
HBMV(C, cuComplex, float)
HBMV(Z, cuDoubleComplex, double)

#define SPMV(L, T, R)                                                          \
    void cublas##L##spmv(char uplo, int n, T alpha, const T *AP, const T *x,   \
                         int incx, T beta, T *y, int incy)                     \
    {                                                                          \
        keep(cublas##L##spmv_v2(handle(), filling(uplo), n, &alpha, AP, x,     \
                                incx, &beta, y, incy));                        \
    }
SPMV(S, float, float)
SPMV(D, double, double)

#define HPMV(L, T, R)                                                          \
    void cublas##L##hpmv(char uplo, int n, T alpha, const T *AP, const T *x,   \
                         int incx, T beta, T *y, int incy)                     \
    {                                                                          \
        keep(cublas##L##hpmv_v2(handle(), filling(uplo), n, &alpha, AP, x,     \
                                incx, &beta, y, incy));                        \
    }
HPMV(C, cuComplex, float)
HPMV(Z, cuDoubleComplex, double)

#define GER(L, T, R)                                                           \
    void cublas##L##ger(int m, int n, T alpha, const T *x, int incx,           \
                        const T *y, int incy, T *A, int lda)                   \
    {                                                                          \
        keep(cublas##L##ger_v2(handle(), m, n, &alpha, x, incx, y, incy, A,    \
                               lda));                                          \
    }
GER(S, float, float)
GER(D, double, double)

#define GERU(L, T, R)                                                          \
    void cublas##L##geru(int m, int n, T alpha, const T *x, int incx,          \
                         const T *y, int incy, T *A, int lda)                  \
    {                                                                          \
        keep(cublas##L##geru_v2(handle(), m, n, &alpha, x, incx, y, incy, A,   \
                                lda));                                         \
    }
GERU(C, cuComplex, float)
GERU(Z, cuDoubleComplex, double)

#define GERC(L, T, R)                                                          \
    void cublas##L##gerc(int m, int n, T alpha, const T *x, int incx,          \
                         const T *y, int incy, T *A, int lda)                  \
    {                                                                          \
        keep(cublas##L##gerc_v2(handle(), m, n, &alpha, x, incx, y, incy, A,   \
                                lda));                                         \
    }
GERC(C, cuComplex, float)
GERC(Z, cuDoubleComplex, double)

#define SYR(L, T, R)                                                           \
    void cublas##L##syr(char uplo, int n, T alpha, const T *x, int incx, T *A, \
                        int lda)                                               \
    {                                                                          \
        keep(cublas##L##syr_v2(handle(), filling(uplo), n, &alpha, x, incx, A, \
                               lda));                                          \
    }
SYR(S, float, float)
SYR(D, double, double)

#define HER(L, T, R)                                                           \
    void cublas##L##her(char uplo, int n, R alpha, const T *x, int incx, T *A, \
                        int lda)                                               \
    {                                                                          \
        keep(cublas##L##her_v2(handle(), filling(uplo), n, &alpha, x, incx, A, \
                               lda));                                          \
    }
HER(C, cuComplex, float)
HER(Z, cuDoubleComplex, double)

#define SPR(L, T, R)                                                           \
    void cublas##L##spr(char uplo, int n, T alpha, const T *x, int incx,       \
                        T *AP)                                                 \
    {                                                                          \
        keep(cublas##L##spr_v2(handle(), filling(uplo), n, &alpha, x, incx,    \
                               AP));                                           \
    }
SPR(S, float, float)
SPR(D, double, double)

#define HPR(L, T, R)                                                           \
    void cublas##L##hpr(char uplo, int n, R alpha, const T *x, int incx,       \
                        T *AP)                                                 \
    {                                                                          \
        keep(cublas##L##hpr_v2(handle(), filling(uplo), n, &alpha, x, incx,    \
                               AP));                                           \
    }
HPR(C, cuComplex, float)
HPR(Z, cuDoubleComplex, double)

#define SYR2(L, T, R)                                                          \
    void cublas##L##syr2(char uplo, int n, T alpha, const T *x, int incx,      \
                         const T *y, int incy, T *A, int lda)                  \
    {                                                                          \
        keep(cublas##L##syr2_v2(handle(), filling(uplo), n, &alpha, x, incx,   \
                                y, incy, A, lda));                             \
    }
SYR2(S, float, float)
SYR2(D, double, double)

#define HER2(L, T, R)                                                          \
    void cublas##L##her2(char uplo, int n, T alpha, const T *x, int incx,      \
                         const T *y, int incy, T *A, int lda)                  \
    {                                                                          \
        keep(cublas##L##her2_v2(handle(), filling(uplo), n, &alpha, x, incx,   \
                                y, incy, A, lda));                             \
    }
HER2(C, cuComplex, float)
HER2(Z, cuDoubleComplex, double)

#define SPR2(L, T, R)                                                          \
    void cublas##L##spr2(char uplo, int n, T alpha, const T *x, int incx,      \
                         const T *y, int incy, T *AP)                          \
    {                                                                          \
        keep(cublas##L##spr2_v2(handle(), filling(uplo), n, &alpha, x, incx,   \
                                y, incy, AP));                                 \
    }
SPR2(S, float, float)
SPR2(D, double, double)

#define HPR2(L, T, R)                                                          \
    void cublas##L##hpr2(char uplo, int n, T alpha, const T *x, int incx,      \
                         const T *y, int incy, T *AP)                          \
    {                                                                          \
        keep(cublas##L##hpr2_v2(handle(), filling(uplo), n, &alpha, x, incx,   \
                                y, incy, AP));                                 \
    }
HPR2(C, cuComplex, float)
HPR2(Z, cuDoubleComplex, double)
