/* SPDX-License-Identifier: Apache-2.0 */
/* factor.c - LU, Cholesky, QR and what is solved with them. */
#include <string.h>

#include "lib/cusolver/solver.h"

static bool
is_fill(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER;
}

static int
fill(cublasFillMode_t uplo)
{
    return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U';
}

static int
operation(cublasOperation_t op, sw_lib_type type)
{
    return op == CUBLAS_OP_N                                   ? 'N'
           : op == CUBLAS_OP_C && sw_lib_type_is_complex(type) ? 'C'
                                                               : 'T';
}

/* int32s are half of an element of eight bytes, ...: as a count of elements
 * that covers them. */
static int64_t
as_elements(int64_t integers, sw_lib_type type)
{
    int64_t bytes = (int64_t)sw_lib_type_bytes(type);
    return integers * 4 / bytes;
}

static cusolverStatus_t
one(cusolverDnHandle_t h, bool valid, int *lwork)
{
    TRY(solver_check(h));
    VALID(valid && lwork);
    *lwork = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

/* ---- LU ---- */

static cusolverStatus_t
getrf(cusolverDnHandle_t h, const char *name, sw_lib_type type, int64_t m,
      int64_t n, void *a, int64_t lda, int *pivots, int *info)
{
    TRY(solver_check(h));
    VALID(m >= 0 && n >= 0 && lda >= solver_max(1, m));
    REQUIRE(pivots, CUSOLVER_STATUS_NOT_SUPPORTED);
    return solver_call(h, name, type, "getrf", SOLVER_NOTHING, 0, info, "iiWb",
                       m, n, a, m, n, lda, pivots,
                       as_elements(m < n ? m : n, type));
}

static cusolverStatus_t
getrs(cusolverDnHandle_t h, const char *name, sw_lib_type type,
      cublasOperation_t trans, int64_t n, int64_t columns, const void *a,
      int64_t lda, const int *pivots, void *b, int64_t ldb, int *info)
{
    TRY(solver_check(h));
    VALID((unsigned)trans <= CUBLAS_OP_C && n >= 0 && columns >= 0 &&
          lda >= solver_max(1, n) && ldb >= solver_max(1, n));
    REQUIRE(pivots, CUSOLVER_STATUS_NOT_SUPPORTED);
    return solver_call(h, name, type, "getrs", SOLVER_NOTHING, 0, info,
                       "ciiRaW", operation(trans, type), n, columns, a, n, n,
                       lda, pivots, as_elements(n, type), b, n, columns, ldb);
}

/* ---- Cholesky ---- */

static cusolverStatus_t
triangle(cusolverDnHandle_t h, const char *name, sw_lib_type type,
         const char *routine, cublasFillMode_t uplo, int64_t n, void *a,
         int64_t lda, int *info)
{
    TRY(solver_check(h));
    VALID(is_fill(uplo) && n >= 0 && lda >= solver_max(1, n));
    return solver_call(h, name, type, routine, SOLVER_NOTHING, 0, info, "ciW",
                       fill(uplo), n, a, n, n, lda);
}

static cusolverStatus_t
potrs(cusolverDnHandle_t h, const char *name, sw_lib_type type,
      cublasFillMode_t uplo, int64_t n, int64_t columns, const void *a,
      int64_t lda, void *b, int64_t ldb, int *info)
{
    TRY(solver_check(h));
    VALID(is_fill(uplo) && n >= 0 && columns >= 0 && lda >= solver_max(1, n) &&
          ldb >= solver_max(1, n));
    return solver_call(h, name, type, "potrs", SOLVER_NOTHING, 0, info, "ciiRW",
                       fill(uplo), n, columns, a, n, n, lda, b, n, columns,
                       ldb);
}

/* Matrices by arrays of addresses on the device. */
typedef struct {
    sw_lib_routine *fn;
    sw_lib_type type;
    char uplo;
    int n, columns, lda, ldb, count;
    void *const *a, *const *b; /* b NULL: factors */
    int *info;
} batch;

static bool
run_batch(void *arg)
{
    const batch *t = arg;
    size_t bytes = sw_lib_type_bytes(t->type);
    int ignored;
    for (int i = 0; i < t->count; i++) {
        if (!sw_lib_is_there(t->a[i], (size_t)t->n * bytes,
                             (size_t)t->lda * bytes, (size_t)t->n) ||
            (t->b &&
             !sw_lib_is_there(t->b[i], (size_t)t->n * bytes,
                              (size_t)t->ldb * bytes, (size_t)t->columns)))
            return false;
        if (t->b)
            SW_LIB_CALL(t->fn, &t->uplo, &t->n, &t->columns, t->a[i], &t->lda,
                        t->b[i], &t->ldb, &ignored);
        else
            SW_LIB_CALL(t->fn, &t->uplo, &t->n, t->a[i], &t->lda,
                        t->info ? &t->info[i] : &ignored);
    }
    if (t->b && t->info)
        *t->info = 0;
    return true;
}

static cusolverStatus_t
submit_batch(cusolverDnHandle_t h, const char *name, sw_lib_type type,
             cublasFillMode_t uplo, int n, int columns, void *a, int lda,
             void *b, int ldb, int *info, int count)
{
    TRY(solver_check(h));
    VALID(is_fill(uplo) && n >= 0 && count >= 0 && lda >= solver_max(1, n) &&
          (!b || (columns >= 0 && ldb >= solver_max(1, n))));
    batch t = {.fn = solver_find(b ? "potrs" : "potrf", type),
               .type = type,
               .uplo = (char)fill(uplo),
               .n = n,
               .columns = columns,
               .lda = lda,
               .ldb = ldb,
               .count = count,
               .a = a,
               .b = b,
               .info = info};
    sw_lib_work w = {
        .name = name, .fn = run_batch, .args = &t, .arg_bytes = sizeof t};
    REQUIRE(t.fn, CUSOLVER_STATUS_NOT_INITIALIZED);
    if (!n || !count)
        return CUSOLVER_STATUS_SUCCESS;
    size_t bytes = (size_t)count * sizeof(void *);
    sw_lib_reads(&w, a, bytes, 0, 1);
    if (b)
        sw_lib_reads(&w, b, bytes, 0, 1);
    if (info)
        sw_lib_writes(&w, info, (b ? 1 : (size_t)count) * sizeof *info, 0, 1);
    return solver_status(sw_lib_submit(h->stream, &w));
}

/* ---- QR ---- */

static cusolverStatus_t
geqrf(cusolverDnHandle_t h, const char *name, sw_lib_type type, int64_t m,
      int64_t n, void *a, int64_t lda, void *tau, int *info)
{
    TRY(solver_check(h));
    VALID(m >= 0 && n >= 0 && lda >= solver_max(1, m));
    return solver_call(h, name, type, "geqrf", SOLVER_WORK, 0, info, "iiWb", m,
                       n, a, m, n, lda, tau, m < n ? m : n);
}

static cusolverStatus_t
orgqr(cusolverDnHandle_t h, const char *name, sw_lib_type type, int64_t m,
      int64_t n, int64_t k, void *a, int64_t lda, const void *tau, int *info)
{
    TRY(solver_check(h));
    VALID(m >= 0 && n >= 0 && n <= m && k >= 0 && k <= n &&
          lda >= solver_max(1, m));
    return solver_call(h, name, type, "orgqr", SOLVER_WORK, 0, info, "iiiWa", m,
                       n, k, a, m, n, lda, tau, k);
}

static cusolverStatus_t
ormqr(cusolverDnHandle_t h, const char *name, sw_lib_type type,
      cublasSideMode_t side, cublasOperation_t trans, int64_t m, int64_t n,
      int64_t k, const void *a, int64_t lda, const void *tau, void *c,
      int64_t ldc, int *info)
{
    TRY(solver_check(h));
    bool left = side == CUBLAS_SIDE_LEFT;
    int64_t order = left ? m : n;
    VALID((left || side == CUBLAS_SIDE_RIGHT) &&
          (unsigned)trans <= CUBLAS_OP_C && m >= 0 && n >= 0 && k >= 0 &&
          k <= order && lda >= solver_max(1, order) && ldc >= solver_max(1, m));
    return solver_call(h, name, type, "ormqr", SOLVER_WORK, 0, info, "cciiiRaW",
                       left ? 'L' : 'R', operation(trans, type), m, n, k, a,
                       order, k, lda, tau, k, c, m, n, ldc);
}

static cusolverStatus_t
sytrf(cusolverDnHandle_t h, const char *name, sw_lib_type type,
      cublasFillMode_t uplo, int64_t n, void *a, int64_t lda, int *pivots,
      int *info)
{
    TRY(solver_check(h));
    VALID(is_fill(uplo) && n >= 0 && lda >= solver_max(1, n));
    REQUIRE(pivots, CUSOLVER_STATUS_NOT_SUPPORTED);
    return solver_call(h, name, type, "sytrf", SOLVER_WORK, 0, info, "ciWb",
                       fill(uplo), n, a, n, n, lda, pivots,
                       as_elements(n, type));
}

static cusolverStatus_t
gebrd(cusolverDnHandle_t h, const char *name, sw_lib_type type, int64_t m,
      int64_t n, void *a, int64_t lda, void *d, void *e, void *tauq, void *taup,
      int *info)
{
    TRY(solver_check(h));
    VALID(m >= n && n >= 0 && lda >= solver_max(1, m)); /* as the real one */
    int64_t reals = sw_lib_type_is_complex(type) ? n / 2 : n;
    return solver_call(h, name, type, "gebrd", SOLVER_WORK, 0, info, "iiWbbbb",
                       m, n, a, m, n, lda, d, reals, e,
                       reals ? reals - 1 : (int64_t)0, tauq, n, taup, n);
}

#define FACTORS(L, T, R)                                                       \
    cusolverStatus_t cusolverDn##L##getrf_bufferSize(                          \
        cusolverDnHandle_t h, int m, int n, T *a, int lda, int *lwork)         \
    {                                                                          \
        (void)a;                                                               \
        return one(h, m >= 0 && n >= 0 && lda > 0, lwork);                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##getrf(cusolverDnHandle_t h, int m, int n,  \
                                          T *a, int lda, T *work, int *pivots, \
                                          int *info)                           \
    {                                                                          \
        (void)work;                                                            \
        return getrf(h, "cusolverDn" #L "getrf", SW_LIB_##L, m, n, a, lda,     \
                     pivots, info);                                            \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##getrs(                                     \
        cusolverDnHandle_t h, cublasOperation_t trans, int n, int columns,     \
        const T *a, int lda, const int *pivots, T *b, int ldb, int *info)      \
    {                                                                          \
        return getrs(h, "cusolverDn" #L "getrs", SW_LIB_##L, trans, n,         \
                     columns, a, lda, pivots, b, ldb, info);                   \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potrf_bufferSize(                          \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda,     \
        int *lwork)                                                            \
    {                                                                          \
        (void)a;                                                               \
        return one(h, is_fill(uplo) && n >= 0 && lda > 0, lwork);              \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potrf(                                     \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda,     \
        T *work, int lwork, int *info)                                         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return triangle(h, "cusolverDn" #L "potrf", SW_LIB_##L, "potrf", uplo, \
                        n, a, lda, info);                                      \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potri_bufferSize(                          \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda,     \
        int *lwork)                                                            \
    {                                                                          \
        (void)a;                                                               \
        return one(h, is_fill(uplo) && n >= 0 && lda > 0, lwork);              \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potri(                                     \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda,     \
        T *work, int lwork, int *info)                                         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return triangle(h, "cusolverDn" #L "potri", SW_LIB_##L, "potri", uplo, \
                        n, a, lda, info);                                      \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potrs(                                     \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int columns,       \
        const T *a, int lda, T *b, int ldb, int *info)                         \
    {                                                                          \
        return potrs(h, "cusolverDn" #L "potrs", SW_LIB_##L, uplo, n, columns, \
                     a, lda, b, ldb, info);                                    \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potrfBatched(                              \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a[], int lda,   \
        int *info, int count)                                                  \
    {                                                                          \
        return submit_batch(h, "cusolverDn" #L "potrfBatched", SW_LIB_##L,     \
                            uplo, n, 0, a, lda, NULL, 0, info, count);         \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##potrsBatched(                              \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, int columns,       \
        T *a[], int lda, T *b[], int ldb, int *info, int count)                \
    {                                                                          \
        return submit_batch(h, "cusolverDn" #L "potrsBatched", SW_LIB_##L,     \
                            uplo, n, columns, a, lda, b, ldb, info, count);    \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##geqrf_bufferSize(                          \
        cusolverDnHandle_t h, int m, int n, T *a, int lda, int *lwork)         \
    {                                                                          \
        (void)a;                                                               \
        return one(h, m >= 0 && n >= 0 && lda > 0, lwork);                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##geqrf(cusolverDnHandle_t h, int m, int n,  \
                                          T *a, int lda, T *tau, T *work,      \
                                          int lwork, int *info)                \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return geqrf(h, "cusolverDn" #L "geqrf", SW_LIB_##L, m, n, a, lda,     \
                     tau, info);                                               \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##sytrf_bufferSize(                          \
        cusolverDnHandle_t h, int n, T *a, int lda, int *lwork)                \
    {                                                                          \
        (void)a;                                                               \
        return one(h, n >= 0 && lda > 0, lwork);                               \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##sytrf(                                     \
        cusolverDnHandle_t h, cublasFillMode_t uplo, int n, T *a, int lda,     \
        int *pivots, T *work, int lwork, int *info)                            \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return sytrf(h, "cusolverDn" #L "sytrf", SW_LIB_##L, uplo, n, a, lda,  \
                     pivots, info);                                            \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gebrd_bufferSize(cusolverDnHandle_t h,     \
                                                     int m, int n, int *lwork) \
    {                                                                          \
        return one(h, m >= n && n >= 0, lwork);                                \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gebrd(                                     \
        cusolverDnHandle_t h, int m, int n, T *a, int lda, R *d, R *e,         \
        T *tauq, T *taup, T *work, int lwork, int *info)                       \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return gebrd(h, "cusolverDn" #L "gebrd", SW_LIB_##L, m, n, a, lda, d,  \
                     e, tauq, taup, info);                                     \
    }
FOR_ALL(FACTORS)

#define ORTHOGONAL(L, T, gqr, mqr)                                             \
    cusolverStatus_t cusolverDn##L##gqr##_bufferSize(                          \
        cusolverDnHandle_t h, int m, int n, int k, const T *a, int lda,        \
        const T *tau, int *lwork)                                              \
    {                                                                          \
        (void)a;                                                               \
        (void)tau;                                                             \
        return one(h, m >= n && n >= k && k >= 0 && lda > 0, lwork);           \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gqr(cusolverDnHandle_t h, int m, int n,    \
                                        int k, T *a, int lda, const T *tau,    \
                                        T *work, int lwork, int *info)         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return orgqr(h, "cusolverDn" #L#gqr, SW_LIB_##L, m, n, k, a, lda, tau, \
                     info);                                                    \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##mqr##_bufferSize(                          \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t trans,  \
        int m, int n, int k, const T *a, int lda, const T *tau, const T *c,    \
        int ldc, int *lwork)                                                   \
    {                                                                          \
        (void)side;                                                            \
        (void)trans;                                                           \
        (void)a;                                                               \
        (void)tau;                                                             \
        (void)c;                                                               \
        return one(h, m >= 0 && n >= 0 && k >= 0 && lda > 0 && ldc > 0,        \
                   lwork);                                                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##mqr(                                       \
        cusolverDnHandle_t h, cublasSideMode_t side, cublasOperation_t trans,  \
        int m, int n, int k, const T *a, int lda, const T *tau, T *c, int ldc, \
        T *work, int lwork, int *info)                                         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return ormqr(h, "cusolverDn" #L#mqr, SW_LIB_##L, side, trans, m, n, k, \
                     a, lda, tau, c, ldc, info);                               \
    }
ORTHOGONAL(S, float, orgqr, ormqr)
ORTHOGONAL(D, double, orgqr, ormqr)
ORTHOGONAL(C, cuComplex, ungqr, unmqr)
ORTHOGONAL(Z, cuDoubleComplex, ungqr, unmqr)

/* ---- systems at once, which leave the matrix as it is ---- */

typedef struct {
    bool is_least; /* squares */
    sw_lib_type type;
    sw_lib_routine *fn;
    int m, n, columns, lda, ldb, ldx;
    const void *a, *b;
    void *x;
    int *pivots, *info;
} solution;

static void *
dense_copy(sw_lib_type type, const void *from, int rows, int columns, int ld)
{
    size_t bytes = sw_lib_type_bytes(type), row = (size_t)rows * bytes;
    char *copy = sw_alloc(row * (size_t)columns + 1);
    for (size_t j = 0; j < (size_t)columns; j++)
        memcpy(copy + j * row, (const char *)from + j * (size_t)ld * bytes,
               row);
    return copy;
}

static bool
run_solution(void *arg)
{
    const solution *s = arg;
    void *a = dense_copy(s->type, s->a, s->m, s->n, s->lda);
    char *b = dense_copy(s->type, s->b, s->m, s->columns, s->ldb);
    int *own = s->pivots ? NULL : sw_alloc((size_t)(s->n + 1) * sizeof *own);
    const int *pivots = s->pivots ? s->pivots : own;
    size_t bytes = sw_lib_type_bytes(s->type);
    int info;
    if (s->is_least)
        solver_run(s->fn, s->type, SOLVER_WORK, 0,
                   (const void *const[]){"N", &s->m, &s->n, &s->columns, a,
                                         &s->m, b, &s->m},
                   8, &info);
    else
        SW_LIB_CALL(s->fn, &s->n, &s->columns, a, &s->n, pivots, b, &s->n,
                    &info);
    for (size_t j = 0; j < (size_t)s->columns; j++)
        memcpy((char *)s->x + j * (size_t)s->ldx * bytes,
               b + j * (size_t)s->m * bytes, (size_t)s->n * bytes);
    if (s->info)
        *s->info = info;
    sw_free(a);
    sw_free(b);
    sw_free(own);
    return true;
}

static cusolverStatus_t
submit_solution(cusolverDnHandle_t h, const char *name, solution s, int *rounds)
{
    size_t bytes = sw_lib_type_bytes(s.type);
    TRY(solver_check(h));
    VALID(s.n >= 0 && s.m >= s.n && s.columns >= 0 &&
          s.lda >= solver_max(1, s.m) && s.ldb >= solver_max(1, s.m) &&
          s.ldx >= solver_max(1, s.n));
    s.fn = solver_find(s.is_least ? "gels" : "gesv", s.type);
    REQUIRE(s.fn, CUSOLVER_STATUS_NOT_INITIALIZED);
    sw_lib_work w = {
        .name = name, .fn = run_solution, .args = &s, .arg_bytes = sizeof s};
    sw_lib_reads(&w, s.a, (size_t)s.m * bytes, (size_t)s.lda * bytes,
                 (size_t)s.n);
    sw_lib_reads(&w, s.b, (size_t)s.m * bytes, (size_t)s.ldb * bytes,
                 (size_t)s.columns);
    sw_lib_writes(&w, s.x, (size_t)s.n * bytes, (size_t)s.ldx * bytes,
                  (size_t)s.columns);
    if (s.pivots)
        sw_lib_writes(&w, s.pivots, (size_t)s.n * sizeof *s.pivots, 0, 1);
    if (s.info)
        sw_lib_writes(&w, s.info, sizeof *s.info, 0, 1);
    if (rounds)
        *rounds = 0; /* of refinement; on the host */
    return solver_status(sw_lib_submit(h->stream, &w));
}

/* The second letter: the precision that a device factors in. Here it is that of
 * the elements. */
#define SYSTEMS(L, P, T)                                                       \
    cusolverStatus_t cusolverDn##L##P##gesv_bufferSize(                        \
        cusolverDnHandle_t h, int n, int columns, T *a, int lda, int *pivots,  \
        T *b, int ldb, T *x, int ldx, void *work, size_t *bytes)               \
    {                                                                          \
        int lwork;                                                             \
        (void)a, (void)pivots, (void)b, (void)x, (void)work;                   \
        TRY(one(h,                                                             \
                n >= 0 && columns >= 0 && lda > 0 && ldb > 0 && ldx > 0 &&     \
                    bytes,                                                     \
                &lwork));                                                      \
        *bytes = 1;                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##P##gesv(                                   \
        cusolverDnHandle_t h, int n, int columns, T *a, int lda, int *pivots,  \
        T *b, int ldb, T *x, int ldx, void *work, size_t bytes, int *rounds,   \
        int *info)                                                             \
    {                                                                          \
        (void)work;                                                            \
        (void)bytes;                                                           \
        solution s = {false, SW_LIB_##L, NULL, n, n, columns, lda,             \
                      ldb,   ldx,        a,    b, x, pivots,  info};           \
        return submit_solution(h, "cusolverDn" #L#P "gesv", s, rounds);        \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##P##gels_bufferSize(                        \
        cusolverDnHandle_t h, int m, int n, int columns, T *a, int lda, T *b,  \
        int ldb, T *x, int ldx, void *work, size_t *bytes)                     \
    {                                                                          \
        int lwork;                                                             \
        (void)a, (void)b, (void)x, (void)work;                                 \
        TRY(one(h,                                                             \
                m >= n && n >= 0 && columns >= 0 && lda > 0 && ldb > 0 &&      \
                    ldx > 0 && bytes,                                          \
                &lwork));                                                      \
        *bytes = 1;                                                            \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##P##gels(                                   \
        cusolverDnHandle_t h, int m, int n, int columns, T *a, int lda, T *b,  \
        int ldb, T *x, int ldx, void *work, size_t bytes, int *rounds,         \
        int *info)                                                             \
    {                                                                          \
        (void)work;                                                            \
        (void)bytes;                                                           \
        solution s = {true, SW_LIB_##L, NULL, m, n, columns, lda,              \
                      ldb,  ldx,        a,    b, x, NULL,    info};            \
        return submit_solution(h, "cusolverDn" #L#P "gels", s, rounds);        \
    }
SYSTEMS(S, S, float)
SYSTEMS(S, H, float)
SYSTEMS(S, B, float)
SYSTEMS(S, X, float)
SYSTEMS(D, D, double)
SYSTEMS(D, S, double)
SYSTEMS(D, H, double)
SYSTEMS(D, B, double)
SYSTEMS(D, X, double)
SYSTEMS(C, C, cuComplex)
SYSTEMS(C, K, cuComplex)
SYSTEMS(C, E, cuComplex)
SYSTEMS(C, Y, cuComplex)
SYSTEMS(Z, Z, cuDoubleComplex)
SYSTEMS(Z, C, cuDoubleComplex)
SYSTEMS(Z, K, cuDoubleComplex)
SYSTEMS(Z, E, cuDoubleComplex)
SYSTEMS(Z, Y, cuDoubleComplex)
