/* SPDX-License-Identifier: Apache-2.0 */
/* blas3_test.c - cuBLAS: products of matrices, against sums in double. */
#include "lib.h"

#include "check.h"
#include "cublas_v2.h"

static cublasHandle_t
handle(void)
{
    static cublasHandle_t h;
    if (!h)
        CHECK_EQ(cublasCreate(&h), CUBLAS_STATUS_SUCCESS);
    return h;
}

static double complex
at(type t, const void *a, cublasOperation_t op, int ld, int row, int column)
{
    bool plain = op == CUBLAS_OP_N;
    double complex x =
        get(t, a,
            plain ? (size_t)(row + column * ld) : (size_t)(column + row * ld));
    return op == CUBLAS_OP_C ? conj(x) : x;
}

static cublasStatus_t
gemm(type t, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
     const void *alpha, const void *a, int lda, const void *b, int ldb,
     const void *beta, void *c, int ldc)
{
    switch (t) {
    case S:
        return cublasSgemm(handle(), ta, tb, m, n, k, alpha, a, lda, b, ldb,
                           beta, c, ldc);
    case D:
        return cublasDgemm(handle(), ta, tb, m, n, k, alpha, a, lda, b, ldb,
                           beta, c, ldc);
    case C:
        return cublasCgemm(handle(), ta, tb, m, n, k, alpha, a, lda, b, ldb,
                           beta, c, ldc);
    default:
        return cublasZgemm(handle(), ta, tb, m, n, k, alpha, a, lda, b, ldb,
                           beta, c, ldc);
    }
}

/* The greatest error of a product, in units of what its sums may lose. */
static double
error_of(type t, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
         int k, bool on_device)
{
    int lda = (ta == CUBLAS_OP_N ? m : k) + 3;
    int ldb = (tb == CUBLAS_OP_N ? k : n) + 1, ldc = m + 2;
    size_t na = (size_t)(lda * (ta == CUBLAS_OP_N ? k : m));
    size_t nb = (size_t)(ldb * (tb == CUBLAS_OP_N ? n : k));
    size_t nc = (size_t)(ldc * n);
    void *a = device_random(t, na), *b = device_random(t, nb);
    void *c = device_random(t, nc), *before = host_copy(t, c, nc);
    double complex alpha = CMPLX(0.75, t >= C ? 0.5 : 0), beta = -0.5;
    _Alignas(16) char scalars[2][16];
    void *device = NULL;
    set(t, scalars[0], 0, alpha);
    set(t, scalars[1], 0, beta);
    cudaMalloc(&device, sizeof scalars);
    cudaMemcpy(device, scalars, sizeof scalars, cudaMemcpyHostToDevice);
    char *from = on_device ? device : scalars[0];
    cublasSetPointerMode(handle(), on_device ? CUBLAS_POINTER_MODE_DEVICE
                                             : CUBLAS_POINTER_MODE_HOST);
    CHECK_EQ(gemm(t, ta, tb, m, n, k, from, a, lda, b, ldb, from + 16, c, ldc),
             CUBLAS_STATUS_SUCCESS);
    void *ha = host_copy(t, a, na), *hb = host_copy(t, b, nb);
    void *hc = host_copy(t, c, nc);
    double worst = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < ldc; i++) {
            size_t place = (size_t)(i + j * ldc);
            double complex sum = 0;
            for (int p = 0; p < k && i < m; p++)
                sum += at(t, ha, ta, lda, i, p) * at(t, hb, tb, ldb, p, j);
            double complex want =
                i < m ? alpha * sum + beta * get(t, before, place)
                      : get(t, before, place);
            double error = cabs(get(t, hc, place) - want) / type_eps[t];
            worst = error > worst ? error : worst;
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    cudaFree(device);
    free(before);
    free(ha);
    free(hb);
    free(hc);
    return worst / (4 * k + 8);
}

CASE(gemm_of_all_types_and_transpositions)
{
    static const int sizes[][3] = {
        {1, 1, 1}, {7, 5, 3}, {33, 17, 65}, {4, 64, 0}};
    for (type t = S; t <= Z; t++)
        for (int ta = 0; ta < 3; ta++)
            for (int tb = 0; tb < 3; tb++)
                for (int i = 0; i < 4; i++)
                    CHECK(error_of(t, (cublasOperation_t)ta,
                                   (cublasOperation_t)tb, sizes[i][0],
                                   sizes[i][1], sizes[i][2], i & 1) < 1);
}

CASE(gemm_refuses_bad_arguments)
{
    float one = 1;
    cublasSetPointerMode(handle(), CUBLAS_POINTER_MODE_HOST);
    CHECK_EQ(gemm(S, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &one, NULL, 1, NULL, 1,
                  &one, NULL, 1),
             CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(gemm(S, CUBLAS_OP_N, CUBLAS_OP_N, 4, 1, 1, &one, NULL, 3, NULL, 1,
                  &one, NULL, 4),
             CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(gemm(S, (cublasOperation_t)9, CUBLAS_OP_N, 1, 1, 1, &one, NULL, 1,
                  NULL, 1, &one, NULL, 1),
             CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(cublasSgemm(NULL, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, NULL, 1,
                         NULL, 1, &one, NULL, 1),
             CUBLAS_STATUS_NOT_INITIALIZED);
}
