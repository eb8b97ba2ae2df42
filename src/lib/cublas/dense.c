/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dense.c - what cuBLAS has beside BLAS: sums of matrices, products with a
 * diagonal, packed triangles, and batches of factorisations and solutions.
 */
#include "lib/cublas/blas.h"

#include <string.h>

/* ---- sums and diagonals, element by element ---- */

typedef struct {
    sw_lib_type type;
    enum { SUM, DIAGONAL } form;
    bool is_left; /* DIAGONAL: of the rows */
    cublasOperation_t ta, tb;
    int64_t m, n, lda, ldb, ldc, step;
    const void *a, *b; /* b: the other matrix or the diagonal */
    void *c;
    sw_lib_scalar alpha, beta;
} elements;

/* Complex numbers of double precision hold all four types. */
typedef struct {
    double re, im;
} number;

static number
get(sw_lib_type type, const void *at, int64_t i)
{
    switch (type) {
    case SW_LIB_S:
        return (number){(double)((const float *)at)[i], 0};
    case SW_LIB_D:
        return (number){((const double *)at)[i], 0};
    case SW_LIB_C:
        return (number){(double)((const float *)at)[2 * i],
                        (double)((const float *)at)[2 * i + 1]};
    default:
        return (number){((const double *)at)[2 * i],
                        ((const double *)at)[2 * i + 1]};
    }
}

static void
put(sw_lib_type type, void *at, int64_t i, number x)
{
    switch (type) {
    case SW_LIB_S:
        ((float *)at)[i] = (float)x.re;
        break;
    case SW_LIB_D:
        ((double *)at)[i] = x.re;
        break;
    case SW_LIB_C:
        ((float *)at)[2 * i] = (float)x.re;
        ((float *)at)[2 * i + 1] = (float)x.im;
        break;
    default:
        ((double *)at)[2 * i] = x.re;
        ((double *)at)[2 * i + 1] = x.im;
    }
}

static number
times(number a, number b)
{
    return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/* Element (i, j) of op(a). */
static number
element(const elements *e, const void *a, int64_t ld, cublasOperation_t op,
        int64_t i, int64_t j)
{
    bool plain = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
    number x = get(e->type, a, plain ? i + j * ld : j + i * ld);
    if (op >= CUBLAS_OP_C)
        x.im = -x.im;
    return x;
}

static bool
is_zero(number x)
{
    return x.re == 0 && x.im == 0;
}

static number
sum_of(const elements *e, number alpha, number beta, int64_t i, int64_t j)
{
    number s = {0, 0}, t;
    if (!is_zero(alpha)) {
        t = times(alpha, element(e, e->a, e->lda, e->ta, i, j));
        s = (number){s.re + t.re, s.im + t.im};
    }
    if (!is_zero(beta)) {
        t = times(beta, element(e, e->b, e->ldb, e->tb, i, j));
        s = (number){s.re + t.re, s.im + t.im};
    }
    return s;
}

static bool
run_elements(void *arg)
{
    const elements *e = arg;
    number alpha = {0, 0}, beta = {0, 0};
    if (e->form == SUM) {
        alpha = get(e->type, sw_lib_scalar_get(&e->alpha), 0);
        beta = get(e->type, sw_lib_scalar_get(&e->beta), 0);
    }
    int64_t last = (e->is_left ? e->m : e->n) - 1;
    int64_t first = e->step < 0 ? -e->step * last : 0;
    for (int64_t j = 0; j < e->n; j++)
        for (int64_t i = 0; i < e->m; i++)
            put(e->type, e->c, i + j * e->ldc,
                e->form == SUM
                    ? sum_of(e, alpha, beta, i, j)
                    : times(get(e->type, e->a, i + j * e->lda),
                            get(e->type, e->b,
                                first + (e->is_left ? i : j) * e->step)));
    return true;
}

static void
add_matrix(sw_lib_work *w, bool writes, sw_lib_type type, const void *at,
           int64_t rows, int64_t columns, int64_t ld)
{
    size_t bytes = sw_lib_type_bytes(type);
    (writes ? sw_lib_writes : sw_lib_reads)(
        w, at, (size_t)rows * bytes, (size_t)ld * bytes, (size_t)columns);
}

static cublasStatus_t
geam(cublasHandle_t h, const char *name, sw_lib_type type, cublasOperation_t ta,
     cublasOperation_t tb, int64_t m, int64_t n, const void *alpha,
     const void *a, int64_t lda, const void *beta, const void *b, int64_t ldb,
     void *c, int64_t ldc)
{
    TRY(blas_check(h));
    VALID(blas_is_op(ta) && blas_is_op(tb) && m >= 0 && n >= 0 && alpha &&
          beta && ldc >= blas_max(1, m));
    bool pa = ta == CUBLAS_OP_N || ta == CUBLAS_OP_CONJG;
    bool pb = tb == CUBLAS_OP_N || tb == CUBLAS_OP_CONJG;
    VALID(lda >= blas_max(1, pa ? m : n) && ldb >= blas_max(1, pb ? m : n));
    VALID((a != c || (pa && lda == ldc)) && (b != c || (pb && ldb == ldc)));
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    elements e = {.type = type,
                  .form = SUM,
                  .ta = ta,
                  .tb = tb,
                  .m = m,
                  .n = n,
                  .lda = lda,
                  .ldb = ldb,
                  .ldc = ldc,
                  .a = a,
                  .b = b,
                  .c = c};
    sw_lib_work w = {
        .name = name, .fn = run_elements, .args = &e, .arg_bytes = sizeof e};
    size_t bytes = sw_lib_type_bytes(type);
    e.alpha = sw_lib_scalar_of(alpha, blas_on_device(h), bytes, &w);
    e.beta = sw_lib_scalar_of(beta, blas_on_device(h), bytes, &w);
    /* A matrix that is not there has a scalar of zero. */
    if (a)
        add_matrix(&w, false, type, a, pa ? m : n, pa ? n : m, lda);
    if (b)
        add_matrix(&w, false, type, b, pb ? m : n, pb ? n : m, ldb);
    add_matrix(&w, true, type, c, m, n, ldc);
    return blas_submit(h, &w, false);
}

static cublasStatus_t
dgmm(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasSideMode_t side, int64_t m, int64_t n, const void *a, int64_t lda,
     const void *x, int64_t incx, void *c, int64_t ldc)
{
    TRY(blas_check(h));
    VALID(blas_is_side(side) && m >= 0 && n >= 0 && lda >= blas_max(1, m) &&
          ldc >= blas_max(1, m));
    if (!m || !n)
        return CUBLAS_STATUS_SUCCESS;
    bool left = side == CUBLAS_SIDE_LEFT;
    elements e = {.type = type,
                  .form = DIAGONAL,
                  .is_left = left,
                  .m = m,
                  .n = n,
                  .lda = lda,
                  .ldc = ldc,
                  .step = incx,
                  .a = a,
                  .b = x,
                  .c = c};
    sw_lib_work w = {
        .name = name, .fn = run_elements, .args = &e, .arg_bytes = sizeof e};
    int64_t step = incx < 0 ? -incx : incx;
    add_matrix(&w, false, type, a, m, n, lda);
    add_matrix(&w, false, type, x, ((left ? m : n) - 1) * step + 1, 1, 1);
    add_matrix(&w, true, type, c, m, n, ldc);
    return blas_submit(h, &w, false);
}

#define GEAM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##geam##suffix(                                    \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, const T *alpha, const T *a, N lda, const T *beta, const T *b,     \
        N ldb, T *c, N ldc)                                                    \
    {                                                                          \
        return geam(h, "cublas" #L "geam", type, ta, tb, m, n, alpha, a, lda,  \
                    beta, b, ldb, c, ldc);                                     \
    }
#define DGMM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##dgmm##suffix(                                    \
        cublasHandle_t h, cublasSideMode_t side, N m, N n, const T *a, N lda,  \
        const T *x, N incx, T *c, N ldc)                                       \
    {                                                                          \
        return dgmm(h, "cublas" #L "dgmm", type, side, m, n, a, lda, x, incx,  \
                    c, ldc);                                                   \
    }
FOR_ALL(GEAM)
FOR_ALL(DGMM)

/* ---- packed triangles ---- */

static cublasStatus_t
unpack(cublasHandle_t h, const char *name, sw_lib_type type,
       cublasFillMode_t uplo, int64_t n, const void *ap, void *a, int64_t lda)
{
    static int info; /* LAPACK's of arguments that were checked */
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && lda >= blas_max(1, n));
    return n ? blas_call(h, name, type, "tpttr", "ciaWb", blas_fill(uplo), n,
                         ap, n * (n + 1) / 2, a, n, n, lda, &info, (int64_t)0)
             : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t
pack(cublasHandle_t h, const char *name, sw_lib_type type,
     cublasFillMode_t uplo, int64_t n, const void *a, int64_t lda, void *ap)
{
    static int info;
    TRY(blas_check(h));
    VALID(blas_is_fill(uplo) && n >= 0 && lda >= blas_max(1, n));
    return n ? blas_call(h, name, type, "trttp", "ciRbb", blas_fill(uplo), n, a,
                         n, n, lda, ap, n * (n + 1) / 2, &info, (int64_t)0)
             : CUBLAS_STATUS_SUCCESS;
}

#define PACKS(L, T)                                                            \
    cublasStatus_t cublas##L##tpttr(cublasHandle_t h, cublasFillMode_t uplo,   \
                                    int n, const T *ap, T *a, int lda)         \
    {                                                                          \
        return unpack(h, "cublas" #L "tpttr", SW_LIB_##L, uplo, n, ap, a,      \
                      lda);                                                    \
    }                                                                          \
    cublasStatus_t cublas##L##trttp(cublasHandle_t h, cublasFillMode_t uplo,   \
                                    int n, const T *a, int lda, T *ap)         \
    {                                                                          \
        return pack(h, "cublas" #L "trttp", SW_LIB_##L, uplo, n, a, lda, ap);  \
    }
PACKS(S, float)
PACKS(D, double)
PACKS(C, cuComplex)
PACKS(Z, cuDoubleComplex)

/* ---- batches ---- */

typedef enum { FACTOR, SOLVE, INVERT, INVERSE, TRIANGLES, QR, LEAST } task;

typedef struct {
    task what;
    sw_lib_type type;
    sw_lib_routine *getrf, *other; /* the second: what the task needs */
    char side, uplo, trans, diag;
    int m, n, columns, lda, ldb;
    const void *const *a;
    void *const *b; /* the result: right sides, inverses, tau */
    int *pivots, *info;
    sw_lib_scalar alpha;
    int64_t count;
} batch;

static void
copy_matrix(const batch *t, const void *from, void *to)
{
    size_t bytes = sw_lib_type_bytes(t->type);
    for (int j = 0; j < t->n; j++)
        memcpy((char *)to + (size_t)j * (size_t)t->ldb * bytes,
               (const char *)from + (size_t)j * (size_t)t->lda * bytes,
               (size_t)t->n * bytes);
}

/* Without pivots, as those who have none ask; the position of a zero pivot. */
static int
factor_plainly(const batch *t, void *a)
{
    int info = 0;
    for (int k = 0; k < t->n; k++) {
        number p = get(t->type, a, k + (int64_t)k * t->lda);
        double d = p.re * p.re + p.im * p.im;
        if (d == 0 && !info)
            info = k + 1;
        number inverse = {p.re / d, -p.im / d};
        for (int i = k + 1; i < t->n && d != 0; i++) {
            number l = times(get(t->type, a, i + (int64_t)k * t->lda), inverse);
            put(t->type, a, i + (int64_t)k * t->lda, l);
            for (int j = k + 1; j < t->n; j++) {
                number u = times(l, get(t->type, a, k + (int64_t)j * t->lda));
                number x = get(t->type, a, i + (int64_t)j * t->lda);
                put(t->type, a, i + (int64_t)j * t->lda,
                    (number){x.re - u.re, x.im - u.im});
            }
        }
    }
    return info;
}

static void
set_identity(int *pivots, int n)
{
    for (int i = 0; i < n; i++)
        pivots[i] = i + 1;
}

/* getri: the work space of LAPACK is n elements at least. */
static void
invert(const batch *t, void *c, const int *pivots, void *space, int *info)
{
    int n_space = t->n * 32;
    SW_LIB_CALL(t->other, &t->n, c, &t->ldb, pivots, space, &n_space, info);
}

static void
run_one(const batch *t, int64_t i, void *space, int *identity)
{
    void *a = (void *)(uintptr_t)t->a[i];
    void *b = t->b ? t->b[i] : NULL;
    int *pivots = t->pivots ? t->pivots + i * t->n : identity;
    int *info = &t->info[i], local = 0, n_space = (t->m + t->n + 1) * 64;
    switch (t->what) {
    case FACTOR:
        if (t->pivots)
            SW_LIB_CALL(t->getrf, &t->n, &t->n, a, &t->lda, pivots, info);
        else
            *info = factor_plainly(t, a);
        break;
    case SOLVE:
        SW_LIB_CALL(t->other, &t->trans, &t->n, &t->columns, a, &t->lda, pivots,
                    b, &t->ldb, &local);
        break;
    case INVERT:
        copy_matrix(t, a, b);
        invert(t, b, pivots, space, info);
        break;
    case INVERSE:
        copy_matrix(t, a, b);
        SW_LIB_CALL(t->getrf, &t->n, &t->n, b, &t->ldb, identity, info);
        if (!*info)
            invert(t, b, identity, space, info);
        break;
    case TRIANGLES:
        SW_LIB_CALL(t->other, &t->side, &t->uplo, &t->trans, &t->diag, &t->m,
                    &t->n, sw_lib_scalar_get(&t->alpha), a, &t->lda, b,
                    &t->ldb);
        break;
    case QR:
        SW_LIB_CALL(t->other, &t->m, &t->n, a, &t->lda, b, space, &n_space,
                    &local);
        break;
    case LEAST:
        SW_LIB_CALL(t->other, &t->trans, &t->m, &t->n, &t->columns, a, &t->lda,
                    b, &t->ldb, space, &n_space, info ? info : &local);
        break;
    }
}

static bool
run_batch(void *arg)
{
    batch t = *(batch *)arg;
    int order = t.m > t.n ? t.m : t.n;
    void *space = sw_alloc(((size_t)(t.m + t.n + 1) * 64 + (size_t)t.n * 32) *
                           sw_lib_type_bytes(t.type));
    int *identity = sw_alloc((size_t)(order + 1) * sizeof *identity);
    int *own = t.info ? NULL : sw_alloc((size_t)t.count * sizeof *own);
    size_t bytes = sw_lib_type_bytes(t.type);
    bool ok = true;
    t.info = t.info ? t.info : own;
    set_identity(identity, t.n);
    for (int64_t i = 0; ok && i < t.count; i++) {
        ok = sw_lib_is_there(t.a[i], (size_t)t.lda * bytes, 0, 1) &&
             (!t.b || sw_lib_is_there(t.b[i], bytes, 0, 1));
        if (ok)
            run_one(&t, i, space, identity);
    }
    sw_free(space);
    sw_free(identity);
    sw_free(own);
    return ok;
}

static cublasStatus_t
submit_batch(cublasHandle_t h, const char *name, batch *t, const char *other,
             const void *alpha)
{
    sw_lib_work w = {
        .name = name, .fn = run_batch, .args = t, .arg_bytes = sizeof *t};
    size_t n = (size_t)t->count * sizeof(void *);
    if (!t->count || (!t->n && t->what != QR))
        return CUBLAS_STATUS_SUCCESS;
    t->getrf = sw_lib_find_routine("getrf", t->type, NULL);
    t->other = other ? sw_lib_find_routine(other, t->type, NULL) : t->getrf;
    REQUIRE(t->getrf && t->other, CUBLAS_STATUS_NOT_INITIALIZED);
    if (alpha)
        t->alpha = sw_lib_scalar_of(alpha, blas_on_device(h),
                                    sw_lib_type_bytes(t->type), &w);
    sw_lib_reads(&w, t->a, n, 0, 1);
    if (t->b)
        sw_lib_reads(&w, t->b, n, 0, 1);
    if (t->pivots)
        sw_lib_writes(&w, t->pivots,
                      (size_t)t->count * (size_t)t->n * sizeof(int), 0, 1);
    if (t->info)
        sw_lib_writes(&w, t->info, (size_t)t->count * sizeof(int), 0, 1);
    return blas_submit(h, &w, false);
}

static cublasStatus_t
lu(cublasHandle_t h, const char *name, sw_lib_type type, task what, int n,
   const void *a, int lda, const int *pivots, const void *c, int ldc, int *info,
   int count)
{
    TRY(blas_check(h));
    VALID(n >= 0 && count >= 0 && lda >= blas_max(1, n) &&
          (!c || ldc >= blas_max(1, n)) && info);
    batch t = {.what = what,
               .type = type,
               .n = n,
               .lda = lda,
               .ldb = ldc,
               .a = a,
               .b = (void *const *)(uintptr_t)c,
               .pivots = (int *)(uintptr_t)pivots,
               .info = info,
               .count = count};
    return submit_batch(h, name, &t, what == FACTOR ? NULL : "getri", NULL);
}

static cublasStatus_t
solve(cublasHandle_t h, const char *name, sw_lib_type type,
      cublasOperation_t trans, int n, int columns, const void *a, int lda,
      const int *pivots, const void *b, int ldb, int *info, int count)
{
    TRY(blas_check(h));
    VALID(info);
    bool valid = blas_is_op(trans) && n >= 0 && columns >= 0 && count >= 0 &&
                 lda >= blas_max(1, n) && ldb >= blas_max(1, n);
    *info = valid ? 0 : -1; /* of the host */
    VALID(valid);
    batch t = {.what = SOLVE,
               .type = type,
               .n = n,
               .columns = columns,
               .lda = lda,
               .ldb = ldb,
               .a = a,
               .b = (void *const *)(uintptr_t)b,
               .count = count,
               .trans = (char)blas_op(trans, type),
               .pivots = (int *)(uintptr_t)pivots};
    return submit_batch(h, name, &t, "getrs", NULL);
}

static cublasStatus_t
triangles(cublasHandle_t h, const char *name, sw_lib_type type,
          cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
          cublasDiagType_t diag, int64_t m, int64_t n, const void *alpha,
          const void *a, int64_t lda, const void *b, int64_t ldb, int64_t count)
{
    TRY(blas_check(h));
    VALID(blas_is_side(side) && blas_is_fill(uplo) && blas_is_op(trans) &&
          blas_is_diag(diag) && m >= 0 && n >= 0 && alpha && count >= 0 &&
          lda >= blas_max(1, side == CUBLAS_SIDE_LEFT ? m : n) &&
          ldb >= blas_max(1, m));
    REQUIRE(blas_fits(lda) && blas_fits(ldb) && blas_fits(n),
            CUBLAS_STATUS_NOT_SUPPORTED);
    batch t = {.what = TRIANGLES,
               .type = type,
               .m = (int)m,
               .n = (int)n,
               .lda = (int)lda,
               .ldb = (int)ldb,
               .a = a,
               .b = (void *const *)(uintptr_t)b,
               .count = count,
               .side = (char)blas_side(side),
               .uplo = (char)blas_fill(uplo),
               .trans = (char)blas_op(trans, type),
               .diag = (char)blas_diag(diag)};
    return m ? submit_batch(h, name, &t, "trsm", alpha) : CUBLAS_STATUS_SUCCESS;
}

static cublasStatus_t
orthogonal(cublasHandle_t h, const char *name, sw_lib_type type, task what,
           cublasOperation_t trans, int m, int n, int columns, const void *a,
           int lda, const void *b, int ldb, int *info, int *each, int count)
{
    TRY(blas_check(h));
    VALID(info);
    bool valid = blas_is_op(trans) && m >= 0 && n >= 0 && columns >= 0 &&
                 count >= 0 && lda >= blas_max(1, m) &&
                 (what == QR || ldb >= blas_max(1, m));
    *info = valid ? 0 : -1; /* of the host */
    VALID(valid);
    REQUIRE(what == QR || (trans == CUBLAS_OP_N && m >= n),
            CUBLAS_STATUS_NOT_SUPPORTED); /* as the real one */
    batch t = {.what = what,
               .type = type,
               .m = m,
               .n = n,
               .columns = columns,
               .lda = lda,
               .ldb = ldb,
               .a = a,
               .b = (void *const *)(uintptr_t)b,
               .info = each,
               .count = count,
               .trans = 'N'};
    return submit_batch(h, name, &t, what == QR ? "geqrf" : "gels", NULL);
}

#define BATCHED(L, T)                                                          \
    cublasStatus_t cublas##L##getrfBatched(cublasHandle_t h, int n,            \
                                           T *const a[], int lda, int *pivots, \
                                           int *info, int count)               \
    {                                                                          \
        return lu(h, "cublas" #L "getrfBatched", SW_LIB_##L, FACTOR, n, a,     \
                  lda, pivots, NULL, 0, info, count);                          \
    }                                                                          \
    cublasStatus_t cublas##L##getriBatched(                                    \
        cublasHandle_t h, int n, const T *const a[], int lda,                  \
        const int *pivots, T *const c[], int ldc, int *info, int count)        \
    {                                                                          \
        return lu(h, "cublas" #L "getriBatched", SW_LIB_##L, INVERT, n, a,     \
                  lda, pivots, c, ldc, info, count);                           \
    }                                                                          \
    cublasStatus_t cublas##L##matinvBatched(                                   \
        cublasHandle_t h, int n, const T *const a[], int lda, T *const c[],    \
        int ldc, int *info, int count)                                         \
    {                                                                          \
        return lu(h, "cublas" #L "matinvBatched", SW_LIB_##L, INVERSE, n, a,   \
                  lda, NULL, c, ldc, info, count);                             \
    }                                                                          \
    cublasStatus_t cublas##L##getrsBatched(                                    \
        cublasHandle_t h, cublasOperation_t trans, int n, int columns,         \
        const T *const a[], int lda, const int *pivots, T *const b[], int ldb, \
        int *info, int count)                                                  \
    {                                                                          \
        return solve(h, "cublas" #L "getrsBatched", SW_LIB_##L, trans, n,      \
                     columns, a, lda, pivots, b, ldb, info, count);            \
    }                                                                          \
    cublasStatus_t cublas##L##geqrfBatched(                                    \
        cublasHandle_t h, int m, int n, T *const a[], int lda, T *const tau[], \
        int *info, int count)                                                  \
    {                                                                          \
        return orthogonal(h, "cublas" #L "geqrfBatched", SW_LIB_##L, QR,       \
                          CUBLAS_OP_N, m, n, 0, a, lda, tau, 0, info, NULL,    \
                          count);                                              \
    }                                                                          \
    cublasStatus_t cublas##L##gelsBatched(                                     \
        cublasHandle_t h, cublasOperation_t trans, int m, int n, int columns,  \
        T *const a[], int lda, T *const c[], int ldc, int *info, int *each,    \
        int count)                                                             \
    {                                                                          \
        return orthogonal(h, "cublas" #L "gelsBatched", SW_LIB_##L, LEAST,     \
                          trans, m, n, columns, a, lda, c, ldc, info, each,    \
                          count);                                              \
    }
BATCHED(S, float)
BATCHED(D, double)
BATCHED(C, cuComplex)
BATCHED(Z, cuDoubleComplex)

#define TRSM(L, T, type, N, suffix)                                            \
    cublasStatus_t cublas##L##trsmBatched##suffix(                             \
        cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t uplo,        \
        cublasOperation_t trans, cublasDiagType_t diag, N m, N n,              \
        const T *alpha, const T *const a[], N lda, T *const b[], N ldb,        \
        N count)                                                               \
    {                                                                          \
        return triangles(h, "cublas" #L "trsmBatched", type, side, uplo,       \
                         trans, diag, m, n, alpha, a, lda, b, ldb, count);     \
    }
FOR_ALL(TRSM)
