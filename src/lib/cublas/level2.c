/* SPDX-License-Identifier: Apache-2.0 */
/* level2.c - products of matrices and vectors. */
#include "lib/cublas/blas.h"

/* ---- general matrices ---- */

static cublasStatus_t
gemv(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasOperation_t trans, int64_t m, int64_t n, const void *alpha,
     const void *a, int64_t lda, const void *x, int64_t incx, const void *beta,
     void *y, int64_t incy)
{
    TRY(blas_check(h));
    VALID(blas_is_op(trans) && m >= 0 && n >= 0 && lda >= blas_max(1, m) &&
          incx && incy && alpha && beta);
    REQUIRE(blas_fits(blas_max(lda, n)) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    bool plain = trans == CUBLAS_OP_N || trans == CUBLAS_OP_CONJG;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, "gemv", "ciisRxsy", blas_op(trans, type), m,
                     n, alpha, a, m, n, lda, x, plain ? n : m, incx, beta, y,
                     plain ? m : n, incy);
}

static cublasStatus_t
gbmv(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasOperation_t trans, int64_t m, int64_t n, int64_t kl, int64_t ku,
     const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx,
     const void *beta, void *y, int64_t incy)
{
    TRY(blas_check(h));
    VALID(blas_is_op(trans) && m >= 0 && n >= 0 && kl >= 0 && ku >= 0 &&
          lda >= kl + ku + 1 && incx && incy && alpha && beta);
    REQUIRE(blas_fits(blas_max(blas_max(lda, n), m)) && blas_fits(incx) &&
                blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    bool plain = trans == CUBLAS_OP_N || trans == CUBLAS_OP_CONJG;
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, "gbmv", "ciiiisRxsy", blas_op(trans, type),
                     m, n, kl, ku, alpha, a, kl + ku + 1, n, lda, x,
                     plain ? n : m, incx, beta, y, plain ? m : n, incy);
}

static cublasStatus_t
ger(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
    int64_t m, int64_t n, const void *alpha, const void *x, int64_t incx,
    const void *y, int64_t incy, void *a, int64_t lda)
{
    TRY(blas_check(h));
    VALID(m >= 0 && n >= 0 && incx && incy && lda >= blas_max(1, m) && alpha);
    REQUIRE(blas_fits(blas_max(lda, n)) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, routine, "iisxxW", m, n, alpha, x, m, incx,
                     y, n, incy, a, m, n, lda);
}

#define GEMV(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##gemv_v2##suffix(                                 \
        cublasHandle_t h, cublasOperation_t trans, N m, N n, const T *alpha,   \
        const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy)    \
    {                                                                          \
        return gemv(h, "cublas" #L "gemv", type, trans, m, n, alpha, a, lda,   \
                    x, incx, beta, y, incy);                                   \
    }
#define GBMV(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##gbmv_v2##suffix(                                 \
        cublasHandle_t h, cublasOperation_t trans, N m, N n, N kl, N ku,       \
        const T *alpha, const T *a, N lda, const T *x, N incx, const T *beta,  \
        T *y, N incy)                                                          \
    {                                                                          \
        return gbmv(h, "cublas" #L "gbmv", type, trans, m, n, kl, ku, alpha,   \
                    a, lda, x, incx, beta, y, incy);                           \
    }
#define GER_OF(L, T, type, N, suffix, routine)                                 \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, N m, N n, const T *alpha, const T *x, N incx,        \
        const T *y, N incy, T *a, N lda)                                       \
    {                                                                          \
        return ger(h, "cublas" #L#routine, type, #routine, m, n, alpha, x,     \
                   incx, y, incy, a, lda);                                     \
    }
#define GER(L, T, type, N, suffix)  GER_OF(L, T, type, N, suffix, ger)
#define GERU(L, T, type, N, suffix) GER_OF(L, T, type, N, suffix, geru)
#define GERC(L, T, type, N, suffix) GER_OF(L, T, type, N, suffix, gerc)
FOR_ALL(GEMV)
FOR_ALL(GBMV)
FOR_REAL(GER)
FOR_COMPLEX(GERU)
FOR_COMPLEX(GERC)

/* ---- symmetric and Hermitian: whole, banded, packed ---- */

typedef enum { WHOLE, BAND, PACKED } storage;

/* What `a` and `lda` have to be for order n, with k diagonals if banded. */
static bool
is_stored(storage how, int64_t n, int64_t k, int64_t lda)
{
    return how == PACKED ||
           (how == BAND ? k >= 0 && lda >= k + 1 : lda >= blas_max(1, n));
}

static int64_t
packed_size(int64_t n)
{
    return n * (n + 1) / 2;
}

static cublasStatus_t
symv(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
     storage how, cublasFillMode_t uplo, int64_t n, int64_t k,
     const void *alpha, const void *a, int64_t lda, const void *x, int64_t incx,
     const void *beta, void *y, int64_t incy)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && incx && incy && alpha && beta &&
          is_stored(how, n, k, lda));
    REQUIRE(blas_fits(blas_max(blas_max(lda, n), k)) && blas_fits(incx) &&
                blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    int fill = blas_fill(uplo);
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    if (how == PACKED)
        return blas_call(h, name, type, routine, "cisaxsy", fill, n, alpha, a,
                         packed_size(n), x, n, incx, beta, y, n, incy);
    if (how == BAND)
        return blas_call(h, name, type, routine, "ciisRxsy", fill, n, k, alpha,
                         a, k + 1, n, lda, x, n, incx, beta, y, n, incy);
    return blas_call(h, name, type, routine, "cisRxsy", fill, n, alpha, a, n, n,
                     lda, x, n, incx, beta, y, n, incy);
}

#define SYMV_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const T *alpha,          \
        const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy)    \
    {                                                                          \
        return symv(h, "cublas" #L#routine, type, #routine, WHOLE, uplo, n, 0, \
                    alpha, a, lda, x, incx, beta, y, incy);                    \
    }
#define SBMV_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, N k, const T *alpha,     \
        const T *a, N lda, const T *x, N incx, const T *beta, T *y, N incy)    \
    {                                                                          \
        return symv(h, "cublas" #L#routine, type, #routine, BAND, uplo, n, k,  \
                    alpha, a, lda, x, incx, beta, y, incy);                    \
    }
#define SPMV_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const T *alpha,          \
        const T *a, const T *x, N incx, const T *beta, T *y, N incy)           \
    {                                                                          \
        return symv(h, "cublas" #L#routine, type, #routine, PACKED, uplo, n,   \
                    0, alpha, a, 0, x, incx, beta, y, incy);                   \
    }
#define SYMV(L, T, type, N, suffix) SYMV_OF(L, T, type, N, suffix, symv)
#define HEMV(L, T, type, N, suffix) SYMV_OF(L, T, type, N, suffix, hemv)
#define SBMV(L, T, type, N, suffix) SBMV_OF(L, T, type, N, suffix, sbmv)
#define HBMV(L, T, type, N, suffix) SBMV_OF(L, T, type, N, suffix, hbmv)
#define SPMV(L, T, type, N, suffix) SPMV_OF(L, T, type, N, suffix, spmv)
#define HPMV(L, T, type, N, suffix) SPMV_OF(L, T, type, N, suffix, hpmv)
FOR_ALL(SYMV)
FOR_COMPLEX(HEMV)
FOR_REAL(SBMV)
FOR_COMPLEX(HBMV)
FOR_REAL(SPMV)
FOR_COMPLEX(HPMV)

/* ---- updates of these; alpha is real of a Hermitian rank-one update ---- */

static cublasStatus_t
syr(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
    bool is_real, storage how, cublasFillMode_t uplo, int64_t n,
    const void *alpha, const void *x, int64_t incx, void *a, int64_t lda)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && incx && alpha &&
          is_stored(how, n, 0, lda));
    REQUIRE(blas_fits(blas_max(lda, n)) && blas_fits(incx),
            CUBLAS_STATUS_NOT_SUPPORTED);
    int fill = blas_fill(uplo);
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    if (how == PACKED)
        return blas_call(h, name, type, routine, is_real ? "citxb" : "cisxb",
                         fill, n, alpha, x, n, incx, a, packed_size(n));
    return blas_call(h, name, type, routine, is_real ? "citxW" : "cisxW", fill,
                     n, alpha, x, n, incx, a, n, n, lda);
}

static cublasStatus_t
syr2(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
     storage how, cublasFillMode_t uplo, int64_t n, const void *alpha,
     const void *x, int64_t incx, const void *y, int64_t incy, void *a,
     int64_t lda)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && incx && incy && alpha &&
          is_stored(how, n, 0, lda));
    REQUIRE(blas_fits(blas_max(lda, n)) && blas_fits(incx) && blas_fits(incy),
            CUBLAS_STATUS_NOT_SUPPORTED);
    int fill = blas_fill(uplo);
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    if (how == PACKED)
        return blas_call(h, name, type, routine, "cisxxb", fill, n, alpha, x, n,
                         incx, y, n, incy, a, packed_size(n));
    return blas_call(h, name, type, routine, "cisxxW", fill, n, alpha, x, n,
                     incx, y, n, incy, a, n, n, lda);
}

#define SYR_OF(L, T, type, N, suffix, routine, A, is_real)                     \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const A *alpha,          \
        const T *x, N incx, T *a, N lda)                                       \
    {                                                                          \
        return syr(h, "cublas" #L#routine, type, #routine, is_real, WHOLE,     \
                   uplo, n, alpha, x, incx, a, lda);                           \
    }
#define SPR_OF(L, T, type, N, suffix, routine, A, is_real)                     \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const A *alpha,          \
        const T *x, N incx, T *a)                                              \
    {                                                                          \
        return syr(h, "cublas" #L#routine, type, #routine, is_real, PACKED,    \
                   uplo, n, alpha, x, incx, a, 0);                             \
    }
#define SYR2_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const T *alpha,          \
        const T *x, N incx, const T *y, N incy, T *a, N lda)                   \
    {                                                                          \
        return syr2(h, "cublas" #L#routine, type, #routine, WHOLE, uplo, n,    \
                    alpha, x, incx, y, incy, a, lda);                          \
    }
#define SPR2_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const T *alpha,          \
        const T *x, N incx, const T *y, N incy, T *a)                          \
    {                                                                          \
        return syr2(h, "cublas" #L#routine, type, #routine, PACKED, uplo, n,   \
                    alpha, x, incx, y, incy, a, 0);                            \
    }
#define SYR(L, T, type, N, suffix) SYR_OF(L, T, type, N, suffix, syr, T, false)
#define HER(L, T, type, N, suffix)                                             \
    SYR_OF(L, T, type, N, suffix, her, REAL_##L, true)
#define SPR(L, T, type, N, suffix) SPR_OF(L, T, type, N, suffix, spr, T, false)
#define HPR(L, T, type, N, suffix)                                             \
    SPR_OF(L, T, type, N, suffix, hpr, REAL_##L, true)
/* BLAS has none for complex numbers: a rank-2k update by two matrices of one
 * row. */
static cublasStatus_t
syr2_complex(cublasHandle_t h, const char *name, sw_lib_type type,
             cublasFillMode_t uplo, int64_t n, const void *alpha, const void *x,
             int64_t incx, const void *y, int64_t incy, void *a, int64_t lda)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && incx && incy && alpha &&
          is_stored(WHOLE, n, 0, lda));
    REQUIRE(blas_fits(blas_max(lda, n)) && blas_fits(incx) && blas_fits(incy) &&
                incx > 0 && incy > 0,
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, "syr2k", "cciisRRoW", blas_fill(uplo), 'T',
                     n, (int64_t)1, alpha, x, (int64_t)1, n, incx, y,
                     (int64_t)1, n, incy, a, n, n, lda);
}

#define CSYR2(L, T, type, N, suffix)                                           \
    cublasStatus_t cublas##L##syr2_v2##suffix(                                 \
        cublasHandle_t h, cublasFillMode_t uplo, N n, const T *alpha,          \
        const T *x, N incx, const T *y, N incy, T *a, N lda)                   \
    {                                                                          \
        return syr2_complex(h, "cublas" #L "syr2", type, uplo, n, alpha, x,    \
                            incx, y, incy, a, lda);                            \
    }
#define SYR2(L, T, type, N, suffix) SYR2_OF(L, T, type, N, suffix, syr2)
#define HER2(L, T, type, N, suffix) SYR2_OF(L, T, type, N, suffix, her2)
#define SPR2(L, T, type, N, suffix) SPR2_OF(L, T, type, N, suffix, spr2)
#define HPR2(L, T, type, N, suffix) SPR2_OF(L, T, type, N, suffix, hpr2)
FOR_ALL(SYR)
FOR_COMPLEX(HER)
FOR_REAL(SPR)
FOR_COMPLEX(HPR)
FOR_REAL(SYR2)
FOR_COMPLEX(CSYR2)
FOR_COMPLEX(HER2)
FOR_REAL(SPR2)
FOR_COMPLEX(HPR2)

/* ---- triangles: multiplied by, or solved for, in place ---- */

static cublasStatus_t
triangle(cublasHandle_t h, const char *name, sw_lib_type type,
         const char *routine, storage how, cublasFillMode_t uplo,
         cublasOperation_t trans, cublasDiagType_t diag, int64_t n, int64_t k,
         const void *a, int64_t lda, void *x, int64_t incx)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && blas_is_op(trans) && blas_is_diag(diag) &&
          n >= 0 && incx && is_stored(how, n, k, lda));
    REQUIRE(blas_fits(blas_max(blas_max(lda, n), k)) && blas_fits(incx),
            CUBLAS_STATUS_NOT_SUPPORTED);
    int fill = blas_fill(uplo), op = blas_op(trans, type);
    int unit = blas_diag(diag);
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    if (how == PACKED)
        return blas_call(h, name, type, routine, "ccciay", fill, op, unit, n, a,
                         packed_size(n), x, n, incx);
    if (how == BAND)
        return blas_call(h, name, type, routine, "ccciiRy", fill, op, unit, n,
                         k, a, k + 1, n, lda, x, n, incx);
    return blas_call(h, name, type, routine, "ccciRy", fill, op, unit, n, a, n,
                     n, lda, x, n, incx);
}

#define TRIANGLE_OF(L, T, type, N, suffix, routine)                            \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,      \
        cublasDiagType_t diag, N n, const T *a, N lda, T *x, N incx)           \
    {                                                                          \
        return triangle(h, "cublas" #L#routine, type, #routine, WHOLE, uplo,   \
                        trans, diag, n, 0, a, lda, x, incx);                   \
    }
#define BAND_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,      \
        cublasDiagType_t diag, N n, N k, const T *a, N lda, T *x, N incx)      \
    {                                                                          \
        return triangle(h, "cublas" #L#routine, type, #routine, BAND, uplo,    \
                        trans, diag, n, k, a, lda, x, incx);                   \
    }
#define PACKED_OF(L, T, type, N, suffix, routine)                              \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,      \
        cublasDiagType_t diag, N n, const T *a, T *x, N incx)                  \
    {                                                                          \
        return triangle(h, "cublas" #L#routine, type, #routine, PACKED, uplo,  \
                        trans, diag, n, 0, a, 0, x, incx);                     \
    }
#define TRMV(L, T, type, N, suffix) TRIANGLE_OF(L, T, type, N, suffix, trmv)
#define TRSV(L, T, type, N, suffix) TRIANGLE_OF(L, T, type, N, suffix, trsv)
#define TBMV(L, T, type, N, suffix) BAND_OF(L, T, type, N, suffix, tbmv)
#define TBSV(L, T, type, N, suffix) BAND_OF(L, T, type, N, suffix, tbsv)
#define TPMV(L, T, type, N, suffix) PACKED_OF(L, T, type, N, suffix, tpmv)
#define TPSV(L, T, type, N, suffix) PACKED_OF(L, T, type, N, suffix, tpsv)
FOR_ALL(TRMV)
FOR_ALL(TRSV)
FOR_ALL(TBMV)
FOR_ALL(TBSV)
FOR_ALL(TPMV)
FOR_ALL(TPSV)
