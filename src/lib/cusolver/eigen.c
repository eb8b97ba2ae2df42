/* SPDX-License-Identifier: Apache-2.0 */
/*
 * eigen.c - eigenvalues and singular values. What a device finds by Jacobi's
 * method is found by LAPACK's others; tolerances and sweeps have no effect.
 */
#include <string.h>

#include "lib/cusolver/solver.h"

/* Of both methods of Jacobi. */
typedef struct {
    double tolerance;
    int sweeps;
    bool sorts;
} settings;

struct syevjInfo {
    settings s;
};
struct gesvdjInfo {
    settings s;
};

/* The results of a method that has ended well. */
#define SETTINGS(Name, method)                                                 \
    cusolverStatus_t cusolverDnCreate##Name##Info(method##Info_t *info)        \
    {                                                                          \
        VALID(info);                                                           \
        *info = sw_alloc(sizeof **info);                                       \
        (*info)->s = (settings){.sweeps = 100, .sorts = true};                 \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnDestroy##Name##Info(method##Info_t info)        \
    {                                                                          \
        sw_free(info);                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnX##method##SetTolerance(method##Info_t info,    \
                                                       double tolerance)       \
    {                                                                          \
        VALID(info);                                                           \
        info->s.tolerance = tolerance;                                         \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnX##method##SetMaxSweeps(method##Info_t info,    \
                                                       int sweeps)             \
    {                                                                          \
        VALID(info &&sweeps > 0);                                              \
        info->s.sweeps = sweeps;                                               \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnX##method##SetSortEig(method##Info_t info,      \
                                                     int sorts)                \
    {                                                                          \
        VALID(info);                                                           \
        info->s.sorts = sorts != 0;                                            \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnX##method##GetResidual(                         \
        cusolverDnHandle_t h, method##Info_t info, double *residual)           \
    {                                                                          \
        TRY(solver_check(h));                                                  \
        VALID(info &&residual);                                                \
        *residual = 0;                                                         \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusolverStatus_t cusolverDnX##method##GetSweeps(                           \
        cusolverDnHandle_t h, method##Info_t info, int *sweeps)                \
    {                                                                          \
        TRY(solver_check(h));                                                  \
        VALID(info &&sweeps);                                                  \
        *sweeps = 1;                                                           \
        return CUSOLVER_STATUS_SUCCESS;                                        \
    }
SETTINGS(Syevj, syevj)
SETTINGS(Gesvdj, gesvdj)

/* ---- symmetric and Hermitian ---- */

typedef struct {
    sw_lib_type type;
    sw_lib_routine *fn;
    char jobz, uplo;
    int n, lda, ldb, kind, count; /* kind: of a pair, 1 to 3; 0: one matrix */
    void *a, *b, *w;
    int *info;
} eigen;

static bool
run_eigen(void *arg)
{
    const eigen *e = arg;
    int ignored;
    for (int i = 0; i < e->count; i++) {
        char *a = (char *)e->a + (size_t)i * (size_t)e->lda * (size_t)e->n *
                                     sw_lib_type_bytes(e->type);
        char *w = (char *)e->w +
                  (size_t)i * (size_t)e->n * sw_lib_type_real_bytes(e->type);
        int *info = e->info ? &e->info[i] : &ignored;
        if (e->kind)
            solver_run(e->fn, e->type, SOLVER_WORK_INTEGERS, 0,
                       (const void *const[]){&e->kind, &e->jobz, &e->uplo,
                                             &e->n, a, &e->lda, e->b, &e->ldb,
                                             w},
                       9, info);
        else
            solver_run(
                e->fn, e->type, SOLVER_WORK_INTEGERS, 0,
                (const void *const[]){&e->jobz, &e->uplo, &e->n, a, &e->lda, w},
                6, info);
    }
    return true;
}

static bool
is_mode(cusolverEigMode_t mode)
{
    return mode == CUSOLVER_EIG_MODE_NOVECTOR ||
           mode == CUSOLVER_EIG_MODE_VECTOR;
}

static bool
is_eigen(cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, int64_t lda)
{
    return is_mode(mode) &&
           (uplo == CUBLAS_FILL_MODE_LOWER || uplo == CUBLAS_FILL_MODE_UPPER) &&
           n >= 0 && lda >= solver_max(1, n);
}

static cusolverStatus_t
submit_eigen(cusolverDnHandle_t h, const char *name, sw_lib_type type, int kind,
             cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n, void *a,
             int64_t lda, void *b, int64_t ldb, void *w, int *info, int count)
{
    TRY(solver_check(h));
    VALID(is_eigen(mode, uplo, n, lda) && count >= 0 && kind >= 0 &&
          kind <= 3 && (!kind || ldb >= solver_max(1, n)));
    if (!n || !count)
        return CUSOLVER_STATUS_SUCCESS;
    eigen e = {.type = type,
               .fn = solver_find(kind ? "sygvd" : "syevd", type),
               .jobz = mode == CUSOLVER_EIG_MODE_VECTOR ? 'V' : 'N',
               .uplo = uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U',
               .n = (int)n,
               .lda = (int)lda,
               .ldb = (int)ldb,
               .kind = kind,
               .count = count,
               .a = a,
               .b = b,
               .w = w,
               .info = info};
    sw_lib_work work = {
        .name = name, .fn = run_eigen, .args = &e, .arg_bytes = sizeof e};
    REQUIRE(e.fn, CUSOLVER_STATUS_NOT_INITIALIZED);
    size_t bytes = sw_lib_type_bytes(type), pitch = (size_t)lda * bytes;
    sw_lib_writes(&work, a, (size_t)n * bytes, pitch,
                  (size_t)n * (size_t)count);
    if (kind)
        sw_lib_writes(&work, b, (size_t)n * bytes, (size_t)ldb * bytes,
                      (size_t)n);
    sw_lib_writes(&work, w,
                  (size_t)n * (size_t)count * sw_lib_type_real_bytes(type), 0,
                  1);
    if (info)
        sw_lib_writes(&work, info, (size_t)count * sizeof *info, 0, 1);
    return solver_status(sw_lib_submit(h->stream, &work));
}

static cusolverStatus_t
one(cusolverDnHandle_t h, bool valid, int *lwork)
{
    TRY(solver_check(h));
    VALID(valid && lwork);
    *lwork = 1;
    return CUSOLVER_STATUS_SUCCESS;
}

#define EIGEN(L, T, R, evd, evj, gvd)                                          \
    cusolverStatus_t cusolverDn##L##evd##_bufferSize(                          \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, const T *a, int lda, const R *w, int *lwork)                    \
    {                                                                          \
        (void)a;                                                               \
        (void)w;                                                               \
        return one(h, is_eigen(mode, uplo, n, lda), lwork);                    \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##evd(                                       \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, T *a, int lda, R *w, T *work, int lwork, int *info)             \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        return submit_eigen(h, "cusolverDn" #L#evd, SW_LIB_##L, 0, mode, uplo, \
                            n, a, lda, NULL, 0, w, info, 1);                   \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##evj##_bufferSize(                          \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, const T *a, int lda, const R *w, int *lwork,                    \
        syevjInfo_t params)                                                    \
    {                                                                          \
        (void)a;                                                               \
        (void)w;                                                               \
        return one(h, is_eigen(mode, uplo, n, lda) && params, lwork);          \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##evj(                                       \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, T *a, int lda, R *w, T *work, int lwork, int *info,             \
        syevjInfo_t params)                                                    \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID(params);                                                         \
        return submit_eigen(h, "cusolverDn" #L#evj, SW_LIB_##L, 0, mode, uplo, \
                            n, a, lda, NULL, 0, w, info, 1);                   \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##evj##Batched_bufferSize(                   \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, const T *a, int lda, const R *w, int *lwork,                    \
        syevjInfo_t params, int count)                                         \
    {                                                                          \
        (void)a;                                                               \
        (void)w;                                                               \
        return one(h, is_eigen(mode, uplo, n, lda) && params && count >= 0,    \
                   lwork);                                                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##evj##Batched(                              \
        cusolverDnHandle_t h, cusolverEigMode_t mode, cublasFillMode_t uplo,   \
        int n, T *a, int lda, R *w, T *work, int lwork, int *info,             \
        syevjInfo_t params, int count)                                         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID(params);                                                         \
        return submit_eigen(h, "cusolverDn" #L#evj "Batched", SW_LIB_##L, 0,   \
                            mode, uplo, n, a, lda, NULL, 0, w, info, count);   \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gvd##_bufferSize(                          \
        cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t mode,  \
        cublasFillMode_t uplo, int n, const T *a, int lda, const T *b,         \
        int ldb, const R *w, int *lwork)                                       \
    {                                                                          \
        (void)kind;                                                            \
        (void)a;                                                               \
        (void)b;                                                               \
        (void)w;                                                               \
        return one(h, is_eigen(mode, uplo, n, lda) && ldb > 0, lwork);         \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gvd(                                       \
        cusolverDnHandle_t h, cusolverEigType_t kind, cusolverEigMode_t mode,  \
        cublasFillMode_t uplo, int n, T *a, int lda, T *b, int ldb, R *w,      \
        T *work, int lwork, int *info)                                         \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID((int)kind >= 1);                                                 \
        return submit_eigen(h, "cusolverDn" #L#gvd, SW_LIB_##L, (int)kind,     \
                            mode, uplo, n, a, lda, b, ldb, w, info, 1);        \
    }
EIGEN(S, float, float, syevd, syevj, sygvd)
EIGEN(D, double, double, syevd, syevj, sygvd)
EIGEN(C, cuComplex, float, heevd, heevj, hegvd)
EIGEN(Z, cuDoubleComplex, double, heevd, heevj, hegvd)

/* ---- singular values ---- */

/* A = U S V': V' itself, or V where `turns`. `most`: so many values and
 * vectors; 0: as the jobs say. */
typedef struct {
    sw_lib_type type;
    sw_lib_routine *fn;
    char jobu, jobv;
    bool turns, keeps; /* keeps: A stays as it is */
    int m, n, most, lda, ldu, ldv, count;
    int64_t stride_a, stride_s, stride_u, stride_v;
    void *a, *s, *u, *v;
    int *info;
} svd;

/* Columns of to: rows of from, conjugated. */
static void
turn(const svd *t, const char *from, int rows, int ld, char *to)
{
    size_t bytes = sw_lib_type_bytes(t->type);
    size_t real = sw_lib_type_real_bytes(t->type);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < t->n; j++) {
            const char *x = from + ((size_t)i + (size_t)j * (size_t)ld) * bytes;
            char *y = to + ((size_t)j + (size_t)i * (size_t)t->ldv) * bytes;
            memcpy(y, x, bytes);
            if (sw_lib_type_is_complex(t->type) && real == sizeof(float))
                ((float *)y)[1] = -((float *)y)[1];
            else if (sw_lib_type_is_complex(t->type))
                ((double *)y)[1] = -((double *)y)[1];
        }
}

static void
copy_columns(const char *from, size_t rows, size_t from_ld, char *to,
             size_t to_ld, size_t columns, size_t bytes)
{
    for (size_t j = 0; j < columns; j++)
        memmove(to + j * to_ld * bytes, from + j * from_ld * bytes,
                rows * bytes);
}

static void
run_one_svd(const svd *t, char *a, char *s, char *u, char *v, int *info)
{
    size_t bytes = sw_lib_type_bytes(t->type);
    size_t real = sw_lib_type_real_bytes(t->type);
    int least = t->m < t->n ? t->m : t->n;
    int ucols = t->jobu == 'A' ? t->m : least;
    int vrows = t->jobv == 'A' ? t->n : least;
    int values = t->most ? t->most : least, lda = t->m, ldu = t->m;
    bool has_u = t->jobu == 'A' || t->jobu == 'S';
    bool has_v = t->jobv == 'A' || t->jobv == 'S';
    bool in_place = t->jobu == 'O' || t->jobv == 'O' || !t->keeps;
    char *own = sw_alloc((size_t)t->m * (size_t)t->n * bytes + 1);
    char *us = sw_alloc((size_t)t->m * (size_t)ucols * bytes + 1);
    char *vs = sw_alloc((size_t)vrows * (size_t)t->n * bytes + 1);
    char *ss = sw_alloc((size_t)least * real + 1);
    copy_columns(a, (size_t)t->m, (size_t)t->lda, own, (size_t)lda,
                 (size_t)t->n, bytes);
    solver_run(t->fn, t->type, SOLVER_WORK_REALS, 5 * (int64_t)least,
               (const void *const[]){&t->jobu, &t->jobv, &t->m, &t->n, own,
                                     &lda, ss, us, &ldu, vs, &vrows},
               11, info);
    memcpy(s, ss, (size_t)values * real);
    if (in_place)
        copy_columns(own, (size_t)t->m, (size_t)lda, a, (size_t)t->lda,
                     (size_t)t->n, bytes);
    if (has_u)
        copy_columns(us, (size_t)t->m, (size_t)ldu, u, (size_t)t->ldu,
                     (size_t)(t->most ? values : ucols), bytes);
    if (has_v && t->turns)
        turn(t, vs, t->most ? values : vrows, vrows, v);
    else if (has_v)
        copy_columns(vs, (size_t)vrows, (size_t)vrows, v, (size_t)t->ldv,
                     (size_t)t->n, bytes);
    sw_free(own);
    sw_free(us);
    sw_free(vs);
    sw_free(ss);
}

static bool
run_svd(void *arg)
{
    const svd *t = arg;
    int64_t bytes = (int64_t)sw_lib_type_bytes(t->type);
    int64_t real = (int64_t)sw_lib_type_real_bytes(t->type);
    int ignored;
    for (int i = 0; i < t->count; i++)
        run_one_svd(t, (char *)t->a + i * t->stride_a * bytes,
                    (char *)t->s + i * t->stride_s * real,
                    (char *)t->u + i * t->stride_u * bytes,
                    (char *)t->v + i * t->stride_v * bytes,
                    t->info ? &t->info[i] : &ignored);
    return true;
}

static cusolverStatus_t
submit_svd(cusolverDnHandle_t h, const char *name, svd t)
{
    TRY(solver_check(h));
    int least = t.m < t.n ? t.m : t.n;
    VALID(strchr("ASON", t.jobu) && strchr("ASON", t.jobv) && t.jobu &&
          t.jobv && !(t.jobu == 'O' && t.jobv == 'O'));
    bool has_u = t.jobu == 'A' || t.jobu == 'S';
    bool has_v = t.jobv == 'A' || t.jobv == 'S';
    VALID(t.m >= 0 && t.n >= 0 && t.count >= 0 && t.most <= least &&
          t.lda >= solver_max(1, t.m) && (!has_u || t.ldu >= t.m) &&
          (!has_v || t.ldv >= (t.turns || t.jobv == 'A' ? t.n : least)));
    t.fn = solver_find("gesvd", t.type);
    REQUIRE(t.fn, CUSOLVER_STATUS_NOT_INITIALIZED);
    if (!least || !t.count)
        return CUSOLVER_STATUS_SUCCESS;
    sw_lib_work w = {
        .name = name, .fn = run_svd, .args = &t, .arg_bytes = sizeof t};
    size_t bytes = sw_lib_type_bytes(t.type), count = (size_t)t.count;
    size_t ucols = (size_t)(t.most ? t.most : t.jobu == 'A' ? t.m : least);
    size_t vcols = t.turns ? (size_t)(t.most          ? t.most
                                      : t.jobv == 'A' ? t.n
                                                      : least)
                           : (size_t)t.n;
    size_t vrows =
        t.turns ? (size_t)t.n : (size_t)(t.jobv == 'A' ? t.n : least);
    sw_lib_writes(&w, t.a,
                  ((size_t)(t.n - 1) * (size_t)t.lda + (size_t)t.m) * bytes,
                  (size_t)t.stride_a * bytes, count);
    if (has_u)
        sw_lib_writes(&w, t.u,
                      ((ucols - 1) * (size_t)t.ldu + (size_t)t.m) * bytes,
                      (size_t)t.stride_u * bytes, count);
    if (has_v)
        sw_lib_writes(&w, t.v, ((vcols - 1) * (size_t)t.ldv + vrows) * bytes,
                      (size_t)t.stride_v * bytes, count);
    sw_lib_writes(&w, t.s,
                  (size_t)(t.most ? t.most : least) *
                      sw_lib_type_real_bytes(t.type),
                  (size_t)t.stride_s * sw_lib_type_real_bytes(t.type), count);
    if (t.info)
        sw_lib_writes(&w, t.info, count * sizeof *t.info, 0, 1);
    return solver_status(sw_lib_submit(h->stream, &w));
}

static char
job_of(cusolverEigMode_t mode, bool econ)
{
    return mode == CUSOLVER_EIG_MODE_NOVECTOR ? 'N' : econ ? 'S' : 'A';
}

#define SVD(L, T, R)                                                           \
    cusolverStatus_t cusolverDn##L##gesvd_bufferSize(cusolverDnHandle_t h,     \
                                                     int m, int n, int *lwork) \
    {                                                                          \
        return one(h, m >= n && n >= 0, lwork);                                \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvd(                                     \
        cusolverDnHandle_t h, signed char jobu, signed char jobvt, int m,      \
        int n, T *a, int lda, R *s, T *u, int ldu, T *vt, int ldvt, T *work,   \
        int lwork, R *rwork, int *info)                                        \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        (void)rwork;                                                           \
        VALID(m >= n); /* as the real one */                                   \
        svd t = {.type = SW_LIB_##L,                                           \
                 .jobu = (char)jobu,                                           \
                 .jobv = (char)jobvt,                                          \
                 .m = m,                                                       \
                 .n = n,                                                       \
                 .lda = lda,                                                   \
                 .ldu = ldu,                                                   \
                 .ldv = ldvt,                                                  \
                 .count = 1,                                                   \
                 .a = a,                                                       \
                 .s = s,                                                       \
                 .u = u,                                                       \
                 .v = vt,                                                      \
                 .info = info};                                                \
        return submit_svd(h, "cusolverDn" #L "gesvd", t);                      \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdj_bufferSize(                         \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int econ, int m, int n,  \
        const T *a, int lda, const R *s, const T *u, int ldu, const T *v,      \
        int ldv, int *lwork, gesvdjInfo_t params)                              \
    {                                                                          \
        (void)econ, (void)a, (void)s, (void)u, (void)ldu, (void)v, (void)ldv;  \
        return one(h, is_mode(mode) && m >= 0 && n >= 0 && lda > 0 && params,  \
                   lwork);                                                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdj(                                    \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int econ, int m, int n,  \
        T *a, int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork, \
        int *info, gesvdjInfo_t params)                                        \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID(is_mode(mode) && params);                                        \
        svd t = {.type = SW_LIB_##L,                                           \
                 .jobu = job_of(mode, econ),                                   \
                 .jobv = job_of(mode, econ),                                   \
                 .turns = true,                                                \
                 .m = m,                                                       \
                 .n = n,                                                       \
                 .lda = lda,                                                   \
                 .ldu = ldu,                                                   \
                 .ldv = ldv,                                                   \
                 .count = 1,                                                   \
                 .a = a,                                                       \
                 .s = s,                                                       \
                 .u = u,                                                       \
                 .v = v,                                                       \
                 .info = info};                                                \
        return submit_svd(h, "cusolverDn" #L "gesvdj", t);                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdjBatched_bufferSize(                  \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n,            \
        const T *a, int lda, const R *s, const T *u, int ldu, const T *v,      \
        int ldv, int *lwork, gesvdjInfo_t params, int count)                   \
    {                                                                          \
        (void)a, (void)s, (void)u, (void)ldu, (void)v, (void)ldv;              \
        return one(h,                                                          \
                   is_mode(mode) && m >= 0 && n >= 0 && lda > 0 && params &&   \
                       count >= 0,                                             \
                   lwork);                                                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdjBatched(                             \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int m, int n, T *a,      \
        int lda, R *s, T *u, int ldu, T *v, int ldv, T *work, int lwork,       \
        int *info, gesvdjInfo_t params, int count)                             \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID(is_mode(mode) && params);                                        \
        svd t = {.type = SW_LIB_##L,                                           \
                 .jobu = job_of(mode, false),                                  \
                 .jobv = job_of(mode, false),                                  \
                 .turns = true,                                                \
                 .m = m,                                                       \
                 .n = n,                                                       \
                 .lda = lda,                                                   \
                 .ldu = ldu,                                                   \
                 .ldv = ldv,                                                   \
                 .count = count,                                               \
                 .stride_a = (int64_t)lda * n,                                 \
                 .stride_s = m < n ? m : n,                                    \
                 .stride_u = (int64_t)ldu * m,                                 \
                 .stride_v = (int64_t)ldv * n,                                 \
                 .a = a,                                                       \
                 .s = s,                                                       \
                 .u = u,                                                       \
                 .v = v,                                                       \
                 .info = info};                                                \
        return submit_svd(h, "cusolverDn" #L "gesvdjBatched", t);              \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdaStridedBatched_bufferSize(           \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int rank, int m, int n,  \
        const T *a, int lda, long long int stride_a, const R *s,               \
        long long int stride_s, const T *u, int ldu, long long int stride_u,   \
        const T *v, int ldv, long long int stride_v, int *lwork, int count)    \
    {                                                                          \
        (void)a, (void)stride_a, (void)s, (void)stride_s, (void)u, (void)ldu;  \
        (void)stride_u, (void)v, (void)ldv, (void)stride_v;                    \
        return one(h,                                                          \
                   is_mode(mode) && m >= 0 && n >= 0 && rank >= 0 &&           \
                       lda > 0 && count >= 0,                                  \
                   lwork);                                                     \
    }                                                                          \
    cusolverStatus_t cusolverDn##L##gesvdaStridedBatched(                      \
        cusolverDnHandle_t h, cusolverEigMode_t mode, int rank, int m, int n,  \
        const T *a, int lda, long long int stride_a, R *s,                     \
        long long int stride_s, T *u, int ldu, long long int stride_u, T *v,   \
        int ldv, long long int stride_v, T *work, int lwork, int *info,        \
        double *residuals, int count)                                          \
    {                                                                          \
        (void)work;                                                            \
        (void)lwork;                                                           \
        VALID(is_mode(mode) && rank > 0 && !residuals);                        \
        svd t = {.type = SW_LIB_##L,                                           \
                 .jobu = job_of(mode, true),                                   \
                 .jobv = job_of(mode, true),                                   \
                 .turns = true,                                                \
                 .keeps = true,                                                \
                 .m = m,                                                       \
                 .n = n,                                                       \
                 .most = rank,                                                 \
                 .lda = lda,                                                   \
                 .ldu = ldu,                                                   \
                 .ldv = ldv,                                                   \
                 .count = count,                                               \
                 .stride_a = stride_a,                                         \
                 .stride_s = stride_s,                                         \
                 .stride_u = stride_u,                                         \
                 .stride_v = stride_v,                                         \
                 .a = (T *)(uintptr_t)a,                                       \
                 .s = s,                                                       \
                 .u = u,                                                       \
                 .v = v,                                                       \
                 .info = info};                                                \
        return submit_svd(h, "cusolverDn" #L "gesvdaStridedBatched", t);       \
    }
FOR_ALL(SVD)

/* ---- by the types of elements ---- */

struct cusolverDnParams {
    int unused;
};

cusolverStatus_t
cusolverDnCreateParams(cusolverDnParams_t *params)
{
    VALID(params);
    *params = sw_alloc(sizeof **params);
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnDestroyParams(cusolverDnParams_t params)
{
    sw_free(params);
    return CUSOLVER_STATUS_SUCCESS;
}

static bool
type_of(cudaDataType_t kind, sw_lib_type *type)
{
    *type = kind == CUDA_R_32F   ? SW_LIB_S
            : kind == CUDA_R_64F ? SW_LIB_D
            : kind == CUDA_C_32F ? SW_LIB_C
                                 : SW_LIB_Z;
    return kind == CUDA_R_32F || kind == CUDA_R_64F || kind == CUDA_C_32F ||
           kind == CUDA_C_64F;
}

cusolverStatus_t
cusolverDnXsyevd_bufferSize(cusolverDnHandle_t h, cusolverDnParams_t params,
                            cusolverEigMode_t mode, cublasFillMode_t uplo,
                            int64_t n, cudaDataType kind, const void *a,
                            int64_t lda, cudaDataType kind_w, const void *w,
                            cudaDataType compute, size_t *on_device,
                            size_t *on_host)
{
    sw_lib_type type;
    int lwork;
    (void)params, (void)a, (void)kind_w, (void)w, (void)compute;
    REQUIRE(type_of(kind, &type), CUSOLVER_STATUS_NOT_SUPPORTED);
    TRY(one(h, is_eigen(mode, uplo, n, lda) && on_device && on_host, &lwork));
    *on_device = 1;
    *on_host = 0;
    return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t
cusolverDnXsyevd(cusolverDnHandle_t h, cusolverDnParams_t params,
                 cusolverEigMode_t mode, cublasFillMode_t uplo, int64_t n,
                 cudaDataType kind, void *a, int64_t lda, cudaDataType kind_w,
                 void *w, cudaDataType compute, void *device, size_t on_device,
                 void *host, size_t on_host, int *info)
{
    sw_lib_type type;
    (void)params, (void)kind_w, (void)compute, (void)device, (void)on_device;
    (void)host, (void)on_host;
    REQUIRE(type_of(kind, &type), CUSOLVER_STATUS_NOT_SUPPORTED);
    return submit_eigen(h, "cusolverDnXsyevd", type, 0, mode, uplo, n, a, lda,
                        NULL, 0, w, info, 1);
}
