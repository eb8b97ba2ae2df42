/* SPDX-License-Identifier: Apache-2.0 */
/*
 * products.c - products of matrices of mixed types, and many at once: apart by
 * a stride, by arrays of addresses on the device, in groups.
 */
#include "lib/common/gemm.h"
#include "lib/cublas/blas.h"

#include <string.h>

/* How the matrices of a batch are found. */
typedef enum { STRIDED, ARRAYS } place;

typedef struct {
    sw_lib_gemm g;
    cudaDataType_t scale; /* of alpha and beta */
    sw_lib_scalar alpha, beta;
    place how;
    const void *a, *b; /* STRIDED: the first; ARRAYS: the arrays */
    void *c;
    int64_t stride_a, stride_b, stride_c; /* elements */
    int64_t count;
} product;

static const void *
matrix(const product *p, const void *at, cudaDataType_t type, int64_t stride,
       int64_t i)
{
    if (p->how == ARRAYS)
        return ((const void *const *)at)[i];
    return (const char *)at + (int64_t)sw_lib_element_bytes(type) * stride * i;
}

static bool
is_plain(int op)
{
    return op == 'N' || op == 'R';
}

/* Rows and columns as stored. */
static void
shapes(const sw_lib_gemm *g, int64_t a[2], int64_t b[2])
{
    a[0] = is_plain(g->op_a) ? g->m : g->k;
    a[1] = is_plain(g->op_a) ? g->k : g->m;
    b[0] = is_plain(g->op_b) ? g->k : g->n;
    b[1] = is_plain(g->op_b) ? g->n : g->k;
}

static bool
is_there(const void *at, cudaDataType_t type, int64_t rows, int64_t columns,
         int64_t ld)
{
    size_t bytes = sw_lib_element_bytes(type);
    return sw_lib_is_there(at, (size_t)rows * bytes, (size_t)ld * bytes,
                           (size_t)columns);
}

static bool
run(void *arg)
{
    const product *p = arg;
    const sw_lib_gemm *g = &p->g;
    int64_t sa[2], sb[2];
    _Alignas(16) unsigned char alpha[16], beta[16];
    sw_lib_load(p->scale, sw_lib_scalar_get(&p->alpha), 1, g->domain, alpha);
    sw_lib_load(p->scale, sw_lib_scalar_get(&p->beta), 1, g->domain, beta);
    shapes(g, sa, sb);
    for (int64_t i = 0; i < p->count; i++) {
        const void *a = matrix(p, p->a, g->a, p->stride_a, i);
        const void *b = matrix(p, p->b, g->b, p->stride_b, i);
        void *c = (void *)(uintptr_t)matrix(p, p->c, g->c, p->stride_c, i);
        if (p->how == ARRAYS && !(is_there(a, g->a, sa[0], sa[1], g->lda) &&
                                  is_there(b, g->b, sb[0], sb[1], g->ldb) &&
                                  is_there(c, g->c, g->m, g->n, g->ldc)))
            return false;
        sw_lib_gemm_run(g, alpha, a, b, beta, c, c);
    }
    return true;
}

/* All matrices of a strided batch, as one access. */
static void
add_strided(sw_lib_work *w, bool writes, const void *at, cudaDataType_t type,
            int64_t rows, int64_t columns, int64_t ld, int64_t stride,
            int64_t count)
{
    int64_t bytes = (int64_t)sw_lib_element_bytes(type);
    if (!rows || !columns)
        return;
    int64_t last = (columns - 1) * ld + rows;
    bool one = count == 1 || stride == 0;
    if (one)
        (writes ? sw_lib_writes : sw_lib_reads)(w, at, (size_t)(rows * bytes),
                                                (size_t)(ld * bytes),
                                                (size_t)columns);
    else if (stride > 0)
        (writes ? sw_lib_writes : sw_lib_reads)(w, at, (size_t)(last * bytes),
                                                (size_t)(stride * bytes),
                                                (size_t)count);
}

static cublasStatus_t
submit(cublasHandle_t h, const char *name, product *p, const void *alpha,
       const void *beta)
{
    sw_lib_gemm *g = &p->g;
    int64_t sa[2], sb[2];
    sw_lib_work w = {
        .name = name, .fn = run, .args = p, .arg_bytes = sizeof *p};
    shapes(g, sa, sb);
    VALID(g->m >= 0 && g->n >= 0 && g->k >= 0 && p->count >= 0 && alpha &&
          beta && g->lda >= blas_max(1, sa[0]) &&
          g->ldb >= blas_max(1, sb[0]) && g->ldc >= blas_max(1, g->m));
    REQUIRE(blas_fits(g->lda) && blas_fits(g->ldb) && blas_fits(g->ldc) &&
                blas_fits(blas_max(g->n, g->k)),
            CUBLAS_STATUS_NOT_SUPPORTED);
    REQUIRE(sw_lib_gemm_prepare(), CUBLAS_STATUS_NOT_INITIALIZED);
    if (!g->m || !g->n || !p->count)
        return CUBLAS_STATUS_SUCCESS;
    size_t bytes = sw_lib_element_bytes(p->scale);
    g->d = g->c;
    g->ldd = g->ldc;
    p->alpha = sw_lib_scalar_of(alpha, blas_on_device(h), bytes, &w);
    p->beta = sw_lib_scalar_of(beta, blas_on_device(h), bytes, &w);
    if (p->how == ARRAYS) {
        size_t n = (size_t)p->count * sizeof(void *);
        sw_lib_reads(&w, p->a, n, 0, 1);
        sw_lib_reads(&w, p->b, n, 0, 1);
        sw_lib_reads(&w, p->c, n, 0, 1);
    } else {
        add_strided(&w, false, p->a, g->a, sa[0], sa[1], g->lda, p->stride_a,
                    p->count);
        add_strided(&w, false, p->b, g->b, sb[0], sb[1], g->ldb, p->stride_b,
                    p->count);
        add_strided(&w, true, p->c, g->c, g->m, g->n, g->ldc, p->stride_c,
                    p->count);
    }
    return blas_submit(h, &w, false);
}

/* Sets what all have; INVALID_VALUE for operations that there are not. */
static cublasStatus_t
set_shape(cublasHandle_t h, product *p, cublasOperation_t ta,
          cublasOperation_t tb, int64_t m, int64_t n, int64_t k, int64_t lda,
          int64_t ldb, int64_t ldc)
{
    TRY(blas_check(h));
    VALID(blas_is_op(ta) && blas_is_op(tb));
    sw_lib_type type = p->g.domain == SW_LIB_FLOAT_COMPLEX ||
                               p->g.domain == SW_LIB_DOUBLE_COMPLEX
                           ? SW_LIB_Z
                           : SW_LIB_D;
    p->g.op_a = blas_op(ta, type);
    p->g.op_b = blas_op(tb, type);
    p->g.m = m;
    p->g.n = n;
    p->g.k = k;
    p->g.lda = lda;
    p->g.ldb = ldb;
    p->g.ldc = ldc;
    return CUBLAS_STATUS_SUCCESS;
}

/* ---- batches of one type ---- */

static product
of_type(cudaDataType_t type, sw_lib_domain domain)
{
    product p = {.scale = type};
    p.g.a = p.g.b = p.g.c = type;
    p.g.domain = domain;
    return p;
}

static cublasStatus_t
strided(cublasHandle_t h, const char *name, product p, cublasOperation_t ta,
        cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
        const void *alpha, const void *a, int64_t lda, int64_t stride_a,
        const void *b, int64_t ldb, int64_t stride_b, const void *beta, void *c,
        int64_t ldc, int64_t stride_c, int64_t count)
{
    TRY(set_shape(h, &p, ta, tb, m, n, k, lda, ldb, ldc));
    p.a = a;
    p.b = b;
    p.c = c;
    p.stride_a = stride_a;
    p.stride_b = stride_b;
    p.stride_c = stride_c;
    p.count = count;
    return submit(h, name, &p, alpha, beta);
}

static cublasStatus_t
arrays(cublasHandle_t h, const char *name, product p, cublasOperation_t ta,
       cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const void *alpha,
       const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
       const void *c, int64_t ldc, int64_t count)
{
    TRY(set_shape(h, &p, ta, tb, m, n, k, lda, ldb, ldc));
    p.how = ARRAYS;
    p.a = a;
    p.b = b;
    p.c = (void *)(uintptr_t)c;
    p.count = count;
    return submit(h, name, &p, alpha, beta);
}

#define BATCHES_OF(L, routine, T, kind, domain, N, suffix)                     \
    cublasStatus_t cublas##L##routine##Batched##suffix(                        \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const T *alpha, const T *const a[], N lda,                   \
        const T *const b[], N ldb, const T *beta, T *const c[], N ldc,         \
        N count)                                                               \
    {                                                                          \
        return arrays(h, "cublas" #L#routine "Batched", of_type(kind, domain), \
                      ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc,    \
                      count);                                                  \
    }                                                                          \
    cublasStatus_t cublas##L##routine##StridedBatched##suffix(                 \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const T *alpha, const T *a, N lda, long long int stride_a,   \
        const T *b, N ldb, long long int stride_b, const T *beta, T *c, N ldc, \
        long long int stride_c, N count)                                       \
    {                                                                          \
        return strided(h, "cublas" #L#routine "StridedBatched",                \
                       of_type(kind, domain), ta, tb, m, n, k, alpha, a, lda,  \
                       stride_a, b, ldb, stride_b, beta, c, ldc, stride_c,     \
                       count);                                                 \
    }
#define BATCHES(L, routine, T, kind, domain)                                   \
    BATCHES_OF(L, routine, T, kind, domain, int, )                             \
    BATCHES_OF(L, routine, T, kind, domain, int64_t, _64)
BATCHES(S, gemm, float, CUDA_R_32F, SW_LIB_FLOAT)
BATCHES(D, gemm, double, CUDA_R_64F, SW_LIB_DOUBLE)
BATCHES(C, gemm, cuComplex, CUDA_C_32F, SW_LIB_FLOAT_COMPLEX)
BATCHES(Z, gemm, cuDoubleComplex, CUDA_C_64F, SW_LIB_DOUBLE_COMPLEX)
BATCHES(C, gemm3m, cuComplex, CUDA_C_32F, SW_LIB_FLOAT_COMPLEX)

/* Halves, which cublas_api.h declares for C++ only. */
typedef uint16_t half;
#define DECLARE_HALF(N, suffix)                                                \
    cublasStatus_t cublasHgemm##suffix(                                        \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const half *alpha, const half *a, N lda, const half *b,      \
        N ldb, const half *beta, half *c, N ldc);                              \
    cublasStatus_t cublasHgemmBatched##suffix(                                 \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const half *alpha, const half *const a[], N lda,             \
        const half *const b[], N ldb, const half *beta, half *const c[],       \
        N ldc, N count);                                                       \
    cublasStatus_t cublasHgemmStridedBatched##suffix(                          \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const half *alpha, const half *a, N lda,                     \
        long long int stride_a, const half *b, N ldb, long long int stride_b,  \
        const half *beta, half *c, N ldc, long long int stride_c, N count);
DECLARE_HALF(int, )
DECLARE_HALF(int64_t, _64)
BATCHES(H, gemm, half, CUDA_R_16F, SW_LIB_FLOAT)

#define HALF(N, suffix)                                                        \
    cublasStatus_t cublasHgemm##suffix(                                        \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const half *alpha, const half *a, N lda, const half *b,      \
        N ldb, const half *beta, half *c, N ldc)                               \
    {                                                                          \
        return strided(h, "cublasHgemm", of_type(CUDA_R_16F, SW_LIB_FLOAT),    \
                       ta, tb, m, n, k, alpha, a, lda, 0, b, ldb, 0, beta, c,  \
                       ldc, 0, 1);                                             \
    }
HALF(int, )
HALF(int64_t, _64)

/* ---- mixed types ---- */

/* The domain and the type of scalars that a type of computation means, where
 * the result is complex or not. */
static bool
domain_of(cublasComputeType_t compute, cudaDataType_t c, product *p)
{
    bool is_complex = sw_lib_element_is_complex(c);
    switch (compute) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC:
        p->g.domain = SW_LIB_FLOAT;
        p->scale = CUDA_R_16F;
        return c == CUDA_R_16F;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC:
        p->g.domain = SW_LIB_INT;
        p->scale = CUDA_R_32I;
        return c == CUDA_R_32I;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC:
    case CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT:
        p->g.domain = is_complex ? SW_LIB_DOUBLE_COMPLEX : SW_LIB_DOUBLE;
        p->scale = is_complex ? CUDA_C_64F : CUDA_R_64F;
        return c == p->scale;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32:
    case CUBLAS_COMPUTE_32F_EMULATED_16BFX9:
        p->g.domain = is_complex ? SW_LIB_FLOAT_COMPLEX : SW_LIB_FLOAT;
        p->scale = is_complex ? CUDA_C_32F : CUDA_R_32F;
        return c != CUDA_R_64F && c != CUDA_C_64F && c != CUDA_R_32I;
    default:
        return false;
    }
}

/* Types that the real library multiplies in this domain: of one width, and
 * complex with complex. */
static bool
may_multiply(const product *p)
{
    const sw_lib_gemm *g = &p->g;
    bool is_complex = sw_lib_element_is_complex(g->c);
    bool is_double = g->c == CUDA_R_64F || g->c == CUDA_C_64F;
    if (!sw_lib_element_bytes(g->a) || !sw_lib_element_bytes(g->b) ||
        !sw_lib_element_bytes(g->c) || g->a != g->b ||
        sw_lib_element_is_complex(g->a) != is_complex)
        return false;
    if (g->domain == SW_LIB_INT)
        return g->a == CUDA_R_8I;
    return is_double ? g->a == g->c : g->a != CUDA_R_64F && g->a != CUDA_C_64F;
}

static cublasStatus_t
set_types(cublasHandle_t h, product *p, cudaDataType_t a, cudaDataType_t b,
          cudaDataType_t c, cublasComputeType_t compute)
{
    TRY(blas_check(h));
    p->g.a = a;
    p->g.b = b;
    p->g.c = c;
    REQUIRE(domain_of(compute, c, p) && may_multiply(p),
            CUBLAS_STATUS_NOT_SUPPORTED);
    return CUBLAS_STATUS_SUCCESS;
}

/* Before CUDA 11 the type of computation was a type of elements, which the
 * library still gets from programs of that time. */
static cublasComputeType_t
compute_of(cublasComputeType_t compute)
{
    switch ((int)compute) {
    case CUDA_R_16F:
        return CUBLAS_COMPUTE_16F;
    case CUDA_R_32F:
    case CUDA_C_32F:
        return CUBLAS_COMPUTE_32F;
    case CUDA_R_64F:
    case CUDA_C_64F:
        return CUBLAS_COMPUTE_64F;
    case CUDA_R_32I:
        return CUBLAS_COMPUTE_32I;
    default:
        return compute;
    }
}

#define EX(N, suffix)                                                          \
    cublasStatus_t cublasGemmEx##suffix(                                       \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const void *alpha, const void *a, cudaDataType at, N lda,    \
        const void *b, cudaDataType bt, N ldb, const void *beta, void *c,      \
        cudaDataType ct, N ldc, cublasComputeType_t compute,                   \
        cublasGemmAlgo_t algo)                                                 \
    {                                                                          \
        product p = {.how = STRIDED};                                          \
        (void)algo;                                                            \
        TRY(set_types(h, &p, at, bt, ct, compute_of(compute)));                \
        return strided(h, "cublasGemmEx", p, ta, tb, m, n, k, alpha, a, lda,   \
                       0, b, ldb, 0, beta, c, ldc, 0, 1);                      \
    }                                                                          \
    cublasStatus_t cublasGemmBatchedEx##suffix(                                \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const void *alpha, const void *const a[], cudaDataType at,   \
        N lda, const void *const b[], cudaDataType bt, N ldb,                  \
        const void *beta, void *const c[], cudaDataType ct, N ldc, N count,    \
        cublasComputeType_t compute, cublasGemmAlgo_t algo)                    \
    {                                                                          \
        product p = {.how = ARRAYS};                                           \
        (void)algo;                                                            \
        TRY(set_types(h, &p, at, bt, ct, compute_of(compute)));                \
        return arrays(h, "cublasGemmBatchedEx", p, ta, tb, m, n, k, alpha, a,  \
                      lda, b, ldb, beta, c, ldc, count);                       \
    }                                                                          \
    cublasStatus_t cublasGemmStridedBatchedEx##suffix(                         \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const void *alpha, const void *a, cudaDataType at, N lda,    \
        long long int stride_a, const void *b, cudaDataType bt, N ldb,         \
        long long int stride_b, const void *beta, void *c, cudaDataType ct,    \
        N ldc, long long int stride_c, N count, cublasComputeType_t compute,   \
        cublasGemmAlgo_t algo)                                                 \
    {                                                                          \
        product p = {.how = STRIDED};                                          \
        (void)algo;                                                            \
        TRY(set_types(h, &p, at, bt, ct, compute_of(compute)));                \
        return strided(h, "cublasGemmStridedBatchedEx", p, ta, tb, m, n, k,    \
                       alpha, a, lda, stride_a, b, ldb, stride_b, beta, c,     \
                       ldc, stride_c, count);                                  \
    }
EX(int, )
EX(int64_t, _64)

#define FLOAT_EX(name, T, N, suffix)                                           \
    cublasStatus_t cublas##name##suffix(                                       \
        cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, N m,     \
        N n, N k, const T *alpha, const void *a, cudaDataType at, N lda,       \
        const void *b, cudaDataType bt, N ldb, const T *beta, void *c,         \
        cudaDataType ct, N ldc)                                                \
    {                                                                          \
        product p = {.how = STRIDED};                                          \
        TRY(set_types(h, &p, at, bt, ct, CUBLAS_COMPUTE_32F));                 \
        return strided(h, "cublas" #name, p, ta, tb, m, n, k, alpha, a, lda,   \
                       0, b, ldb, 0, beta, c, ldc, 0, 1);                      \
    }
FLOAT_EX(SgemmEx, float, int, )
FLOAT_EX(SgemmEx, float, int64_t, _64)
FLOAT_EX(CgemmEx, cuComplex, int, )
FLOAT_EX(CgemmEx, cuComplex, int64_t, _64)
FLOAT_EX(Cgemm3mEx, cuComplex, int, )
FLOAT_EX(Cgemm3mEx, cuComplex, int64_t, _64)

/* ---- groups: a batch each; shapes and scalars on the host, addresses on the
 * device ---- */

static cublasStatus_t
group(cublasHandle_t h, const char *name, product p, cublasOperation_t ta,
      cublasOperation_t tb, int64_t m, int64_t n, int64_t k, const void *alpha,
      const void *a, int64_t lda, const void *b, int64_t ldb, const void *beta,
      const void *c, int64_t ldc, int64_t count, int64_t i)
{
    size_t offset = (size_t)i * sw_lib_element_bytes(p.scale);
    VALID(count >= 0 && alpha && beta);
    return arrays(h, name, p, ta, tb, m, n, k, (const char *)alpha + offset, a,
                  lda, b, ldb, (const char *)beta + offset, c, ldc, count);
}

#define GROUPS(name, p)                                                        \
    do {                                                                       \
        for (int64_t i = 0, first = 0; i < groups; first += sizes[i], i++)     \
            TRY(group(h, "cublas" #name, p, ta[i], tb[i], m[i], n[i], k[i],    \
                      alpha, a + first, lda[i], b + first, ldb[i], beta,       \
                      c + first, ldc[i], sizes[i], i));                        \
        return CUBLAS_STATUS_SUCCESS;                                          \
    } while (0)
#define GROUPED(L, T, kind, domain, N, suffix)                                 \
    cublasStatus_t cublas##L##gemmGroupedBatched##suffix(                      \
        cublasHandle_t h, const cublasOperation_t ta[],                        \
        const cublasOperation_t tb[], const N m[], const N n[], const N k[],   \
        const T alpha[], const T *const a[], const N lda[],                    \
        const T *const b[], const N ldb[], const T beta[], T *const c[],       \
        const N ldc[], N groups, const N sizes[])                              \
    {                                                                          \
        product p = of_type(kind, domain);                                     \
        TRY(blas_check(h));                                                    \
        GROUPS(L##gemmGroupedBatched, p);                                      \
    }
#define GROUPED_EX(N, suffix)                                                  \
    cublasStatus_t cublasGemmGroupedBatchedEx##suffix(                         \
        cublasHandle_t h, const cublasOperation_t ta[],                        \
        const cublasOperation_t tb[], const N m[], const N n[], const N k[],   \
        const void *alpha, const void *const a[], cudaDataType_t at,           \
        const N lda[], const void *const b[], cudaDataType_t bt,               \
        const N ldb[], const void *beta, void *const c[], cudaDataType_t ct,   \
        const N ldc[], N groups, const N sizes[], cublasComputeType_t compute) \
    {                                                                          \
        product p = {.how = ARRAYS};                                           \
        TRY(set_types(h, &p, at, bt, ct, compute));                            \
        GROUPS(GemmGroupedBatchedEx, p);                                       \
    }
GROUPED(S, float, CUDA_R_32F, SW_LIB_FLOAT, int, )
GROUPED(S, float, CUDA_R_32F, SW_LIB_FLOAT, int64_t, _64)
GROUPED(D, double, CUDA_R_64F, SW_LIB_DOUBLE, int, )
GROUPED(D, double, CUDA_R_64F, SW_LIB_DOUBLE, int64_t, _64)
GROUPED_EX(int, )
GROUPED_EX(int64_t, _64)
