/* SPDX-License-Identifier: Apache-2.0 */
/* level3.c - products of matrices and triangular systems. */
#include "lib/cublas/blas.h"

/* The size of what is read of a matrix before it is transposed. */
static bool
is_plain(cublasOperation_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
}

static cublasStatus_t
gemm(cublasHandle_t h, const char *name, sw_lib_type type, cublasOperation_t ta,
     cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const void *alpha,
     const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
     void *c, int64_t ldc)
{
    TRY(blas_check(h));
    VALID(blas_is_op(ta) && blas_is_op(tb) && m >= 0 && n >= 0 && k >= 0);
    int64_t ar = is_plain(ta) ? m : k, ac = is_plain(ta) ? k : m;
    int64_t br = is_plain(tb) ? k : n, bc = is_plain(tb) ? n : k;
    VALID(lda >= blas_max(1, ar) && ldb >= blas_max(1, br) &&
          ldc >= blas_max(1, m) && alpha && beta);
    REQUIRE(blas_fits(blas_max(blas_max(n, k), blas_max(lda, ldb))) &&
                blas_fits(ldc),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, "gemm", "cciiisRRsW", blas_op(ta, type),
                     blas_op(tb, type), m, n, k, alpha, a, ar, ac, lda, b, br,
                     bc, ldb, beta, c, m, n, ldc);
}

#define GEMM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##gemm_v2##suffix(                                 \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb,        \
        const T *beta, T *c, N ldc)                                            \
    {                                                                          \
        return gemm(h, "cublas" #L "gemm", type, ta, tb, m, n, k, alpha, a,    \
                    lda, b, ldb, beta, c, ldc);                                \
    }
FOR_ALL(GEMM)

/* With three real products instead of four: the same result here. */
#define GEMM3M(L, T, type, N, suffix)                                          \
    cublasStatus_t cublas##L##gemm3m##suffix(                                  \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const T *alpha, const T *a, N lda, const T *b, N ldb,        \
        const T *beta, T *c, N ldc)                                            \
    {                                                                          \
        return gemm(h, "cublas" #L "gemm3m", type, ta, tb, m, n, k, alpha, a,  \
                    lda, b, ldb, beta, c, ldc);                                \
    }
FOR_COMPLEX(GEMM3M)

/* A symmetric or Hermitian matrix times another. */
static cublasStatus_t
symm(cublasHandle_t h, const char *name, sw_lib_type type, const char *routine,
     cublasSideMode_t side, cublasFillMode_t uplo, int64_t m, int64_t n,
     const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
     const void *beta, void *c, int64_t ldc)
{
    TRY(blas_check(h));
    int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    VALID(blas_is_side(side) && blas_is_fill(uplo) && m >= 0 && n >= 0 &&
          lda >= blas_max(1, order) && ldb >= blas_max(1, m) &&
          ldc >= blas_max(1, m) && alpha && beta);
    REQUIRE(blas_fits(blas_max(blas_max(lda, ldb), blas_max(ldc, n))),
            CUBLAS_STATUS_NOT_SUPPORTED);
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, name, type, routine, "cciisRRsW", blas_side(side),
                     blas_fill(uplo), m, n, alpha, a, order, order, lda, b, m,
                     n, ldb, beta, c, m, n, ldc);
}

#define SYMM_OF(L, T, type, N, suffix, routine)                                \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo, N m,   \
        N n, const T *alpha, const T *a, N lda, const T *b, N ldb,             \
        const T *beta, T *c, N ldc)                                            \
    {                                                                          \
        return symm(h, "cublas" #L#routine, type, #routine, side, uplo, m, n,  \
                    alpha, a, lda, b, ldb, beta, c, ldc);                      \
    }
#define SYMM(L, T, type, N, suffix) SYMM_OF(L, T, type, N, suffix, symm)
#define HEMM(L, T, type, N, suffix) SYMM_OF(L, T, type, N, suffix, hemm)
FOR_ALL(SYMM)
FOR_COMPLEX(HEMM)

/* Of a rank-k update: its scalars are real ones if it is Hermitian. */
typedef struct {
    const char *name, *routine;
    sw_lib_type type;
    const char *format;
} update;

static cublasStatus_t
check_update(cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans,
             int64_t n, int64_t k, const void *alpha, int64_t lda,
             const void *beta, int64_t ldc)
{
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && blas_is_op(trans) && n >= 0 && k >= 0 &&
          lda >= blas_max(1, is_plain(trans) ? n : k) &&
          ldc >= blas_max(1, n) && alpha && beta);
    REQUIRE(blas_fits(blas_max(blas_max(lda, ldc), k)),
            CUBLAS_STATUS_NOT_SUPPORTED);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t
syrk(cublasHandle_t h, update u, cublasFillMode_t uplo, cublasOperation_t trans,
     int64_t n, int64_t k, const void *alpha, const void *a, int64_t lda,
     const void *beta, void *c, int64_t ldc)
{
    TRY(check_update(h, uplo, trans, n, k, alpha, lda, beta, ldc));
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    bool plain = is_plain(trans);
    return blas_call(h, u.name, u.type, u.routine, u.format, blas_fill(uplo),
                     blas_op(trans, u.type), n, k, alpha, a, plain ? n : k,
                     plain ? k : n, lda, beta, c, n, n, ldc);
}

static cublasStatus_t
syr2k(cublasHandle_t h, update u, cublasFillMode_t uplo,
      cublasOperation_t trans, int64_t n, int64_t k, const void *alpha,
      const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
      void *c, int64_t ldc)
{
    TRY(check_update(h, uplo, trans, n, k, alpha, lda, beta, ldc));
    bool plain = is_plain(trans);
    int64_t rows = plain ? n : k, columns = plain ? k : n;
    VALID(ldb >= blas_max(1, rows));
    if (!n)
        return CUBLAS_STATUS_SUCCESS;
    return blas_call(h, u.name, u.type, u.routine, u.format, blas_fill(uplo),
                     blas_op(trans, u.type), n, k, alpha, a, rows, columns, lda,
                     b, rows, columns, ldb, beta, c, n, n, ldc);
}

#define SYRK_OF(L, T, type, N, suffix, routine, A, B, format)                  \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, N n, \
        N k, const A *alpha, const T *a, N lda, const B *beta, T *c, N ldc)    \
    {                                                                          \
        update u = {"cublas" #L#routine, #routine, type, format};              \
        return syrk(h, u, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);     \
    }
#define SYR2K_OF(L, T, type, N, suffix, routine, B, format)                    \
    cublasStatus_t cublas##L##routine##_v2##suffix(                            \
        cublasHandle_t h, cublasFillMode_t uplo, cublasOperation_t trans, N n, \
        N k, const T *alpha, const T *a, N lda, const T *b, N ldb,             \
        const B *beta, T *c, N ldc)                                            \
    {                                                                          \
        update u = {"cublas" #L#routine, #routine, type, format};              \
        return syr2k(h, u, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c,  \
                     ldc);                                                     \
    }
#define SYRK(L, T, type, N, suffix)                                            \
    SYRK_OF(L, T, type, N, suffix, syrk, T, T, "cciisRsW")
#define HERK(L, T, type, N, suffix)                                            \
    SYRK_OF(L, T, type, N, suffix, herk, REAL_##L, REAL_##L, "cciitRtW")
#define SYR2K(L, T, type, N, suffix)                                           \
    SYR2K_OF(L, T, type, N, suffix, syr2k, T, "cciisRRsW")
#define HER2K(L, T, type, N, suffix)                                           \
    SYR2K_OF(L, T, type, N, suffix, her2k, REAL_##L, "cciisRRtW")
FOR_ALL(SYRK)
FOR_COMPLEX(HERK)
FOR_ALL(SYR2K)
FOR_COMPLEX(HER2K)

/* Triangular: B is solved for, or multiplied, in place. */
static cublasStatus_t
check_triangle(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,
               cublasOperation_t trans, cublasDiagType_t diag, int64_t m,
               int64_t n, const void *alpha, int64_t lda, int64_t ldb)
{
    TRY(blas_check(h));
    VALID(blas_is_side(side) && blas_is_fill(uplo) && blas_is_op(trans) &&
          blas_is_diag(diag) && m >= 0 && n >= 0 && alpha &&
          lda >= blas_max(1, side == CUBLAS_SIDE_LEFT ? m : n) &&
          ldb >= blas_max(1, m));
    REQUIRE(blas_fits(blas_max(blas_max(lda, ldb), n)),
            CUBLAS_STATUS_NOT_SUPPORTED);
    return CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t
triangle(cublasHandle_t h, const char *name, sw_lib_type type,
         const char *routine, cublasSideMode_t side, cublasFillMode_t uplo,
         cublasOperation_t trans, cublasDiagType_t diag, int64_t m, int64_t n,
         const void *alpha, const void *a, int64_t lda, void *b, int64_t ldb)
{
    int64_t order = side == CUBLAS_SIDE_LEFT ? m : n;
    return blas_call(h, name, type, routine, "cccciisRW", blas_side(side),
                     blas_fill(uplo), blas_op(trans, type), blas_diag(diag), m,
                     n, alpha, a, order, order, lda, b, m, n, ldb);
}

static cublasStatus_t
trsm(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
     cublasDiagType_t diag, int64_t m, int64_t n, const void *alpha,
     const void *a, int64_t lda, void *b, int64_t ldb)
{
    TRY(check_triangle(h, side, uplo, trans, diag, m, n, alpha, lda, ldb));
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    return triangle(h, name, type, "trsm", side, uplo, trans, diag, m, n, alpha,
                    a, lda, b, ldb);
}

/* C is B multiplied, which may be the same matrix. */
static cublasStatus_t
trmm(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
     cublasDiagType_t diag, int64_t m, int64_t n, const void *alpha,
     const void *a, int64_t lda, const void *b, int64_t ldb, void *c,
     int64_t ldc)
{
    TRY(check_triangle(h, side, uplo, trans, diag, m, n, alpha, lda, ldb));
    VALID(ldc >= blas_max(1, m) && blas_fits(ldc) && (b != c || ldb == ldc));
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    if (b != c)
        TRY(blas_call(h, name, type, "lacpy", "ciiRW", 'A', m, n, b, m, n, ldb,
                      c, m, n, ldc));
    return triangle(h, name, type, "trmm", side, uplo, trans, diag, m, n, alpha,
                    a, lda, c, ldc);
}

#define TRSM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##trsm_v2##suffix(                                 \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,        \
        cublasOperation_t trans, cublasDiagType_t diag, N m, N n,              \
        const T *alpha, const T *a, N lda, T *b, N ldb)                        \
    {                                                                          \
        return trsm(h, "cublas" #L "trsm", type, side, uplo, trans, diag, m,   \
                    n, alpha, a, lda, b, ldb);                                 \
    }
#define TRMM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##trmm_v2##suffix(                                 \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,        \
        cublasOperation_t trans, cublasDiagType_t diag, N m, N n,              \
        const T *alpha, const T *a, N lda, const T *b, N ldb, T *c, N ldc)     \
    {                                                                          \
        return trmm(h, "cublas" #L "trmm", type, side, uplo, trans, diag, m,   \
                    n, alpha, a, lda, b, ldb, c, ldc);                         \
    }
FOR_ALL(TRSM)
FOR_ALL(TRMM)
