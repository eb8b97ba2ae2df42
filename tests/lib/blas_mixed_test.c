/* SPDX-License-Identifier: Apache-2.0 */
/* blas_mixed_test.c - cuBLAS: products of mixed types and batches. */
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

static void *
device_copy(const void *host, size_t bytes)
{
    void *device = NULL;
    CHECK_EQ(cudaMalloc(&device, bytes), cudaSuccess);
    CHECK_EQ(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice),
             cudaSuccess);
    return device;
}

/* Bytes: exact, over more terms than a float's sum would hold. */
CASE(bytes_into_integers)
{
    enum { M = 3, N = 2, K = 3000 };
    static signed char a[K * M], b[K * N];
    int alpha = 3, beta = -1, c[M * N];
    for (int i = 0; i < K * M; i++)
        a[i] = (signed char)(i % 3 ? 127 : -128);
    for (int i = 0; i < K * N; i++)
        b[i] = (signed char)(i % 5 ? -127 : 126);
    for (int i = 0; i < M * N; i++)
        c[i] = i;
    void *da = device_copy(a, sizeof a), *db = device_copy(b, sizeof b);
    void *dc = device_copy(c, sizeof c);
    CHECK_EQ(cublasGemmEx(handle(), CUBLAS_OP_T, CUBLAS_OP_N, M, N, K, &alpha,
                          da, CUDA_R_8I, K, db, CUDA_R_8I, K, &beta, dc,
                          CUDA_R_32I, M, CUBLAS_COMPUTE_32I,
                          CUBLAS_GEMM_DEFAULT),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost), cudaSuccess);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            int sum = 0;
            for (int k = 0; k < K; k++)
                sum += a[k + i * K] * b[k + j * K];
            CHECK_EQ(c[i + j * M], 3 * sum - (i + j * M));
        }
    cudaFree(da);
    cudaFree(db);
    cudaFree(dc);
}

/* Halves and bfloat16 of small integers: exact in each. */
CASE(halves)
{
    enum { M = 4, K = 5 };
    static const struct {
        cudaDataType_t type;
        unsigned short one, two, want; /* want: 10 */
    } rows[] = {{CUDA_R_16F, 0x3c00, 0x4000, 0x4900},
                {CUDA_R_16BF, 0x3f80, 0x4000, 0x4120}};
    for (int r = 0; r < 2; r++) {
        unsigned short a[M * K], b[K * M], c[M * M];
        float alpha = 1, beta = 0;
        for (int i = 0; i < M * K; i++) {
            a[i] = rows[r].one;
            b[i] = rows[r].two;
        }
        memset(c, 0xff, sizeof c); /* NaN, not read */
        void *da = device_copy(a, sizeof a), *db = device_copy(b, sizeof b);
        void *dc = device_copy(c, sizeof c);
        CHECK_EQ(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, M, M, K,
                              &alpha, da, rows[r].type, M, db, rows[r].type, K,
                              &beta, dc, rows[r].type, M, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT),
                 CUBLAS_STATUS_SUCCESS);
        CHECK_EQ(cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost),
                 cudaSuccess);
        for (int i = 0; i < M * M; i++)
            CHECK_EQ(c[i], rows[r].want);
        cudaFree(da);
        cudaFree(db);
        cudaFree(dc);
    }
}

CASE(types_that_do_not_go_together)
{
    float alpha = 1, beta = 0;
    CHECK_EQ(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha,
                          NULL, CUDA_R_64F, 1, NULL, CUDA_R_32F, 1, &beta, NULL,
                          CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                          CUBLAS_GEMM_DEFAULT),
             CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_EQ(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &alpha,
                          NULL, CUDA_R_32F, 1, NULL, CUDA_R_32F, 1, &beta, NULL,
                          CUDA_R_32F, 1, CUBLAS_COMPUTE_64F,
                          CUBLAS_GEMM_DEFAULT),
             CUBLAS_STATUS_NOT_SUPPORTED);
}

/* LU of a batch and its use: A x = b. */
CASE(batches_of_systems)
{
    enum { N = 7, COUNT = 3 };
    void *a = device_random(Z, N * N * COUNT), *b = device_random(Z, N * COUNT);
    void *ha = host_copy(Z, a, N * N * COUNT), *hb = host_copy(Z, b, N * COUNT);
    cuDoubleComplex *as[COUNT], *bs[COUNT];
    int host_info = 7, zeros[COUNT + COUNT * N] = {0};
    for (int i = 0; i < COUNT; i++) {
        as[i] = (cuDoubleComplex *)a + i * N * N;
        bs[i] = (cuDoubleComplex *)b + i * N;
    }
    cuDoubleComplex **das = device_copy(as, sizeof as);
    cuDoubleComplex **dbs = device_copy(bs, sizeof bs);
    int *info = device_copy(zeros, sizeof zeros), *pivots = info + COUNT;
    CHECK_EQ(cublasZgetrfBatched(handle(), N, das, N, pivots, info, COUNT),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasZgetrsBatched(handle(), CUBLAS_OP_N, N, 1,
                                 (const cuDoubleComplex *const *)das, N, pivots,
                                 dbs, N, &host_info, COUNT),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(host_info, 0);
    void *x = host_copy(Z, b, N * COUNT);
    for (int s = 0; s < COUNT; s++)
        for (int i = 0; i < N; i++) {
            double complex sum = 0;
            for (int j = 0; j < N; j++)
                sum += get(Z, ha, (size_t)(s * N * N + i + j * N)) *
                       get(Z, x, (size_t)(s * N + j));
            CHECK(cabs(sum - get(Z, hb, (size_t)(s * N + i))) < 1e-12);
        }
    cudaFree(a);
    cudaFree(b);
    cudaFree(das);
    cudaFree(dbs);
    cudaFree(info);
    free(ha);
    free(hb);
    free(x);
}

/* An address that is none of the device's fails the context, as a kernel's
 * would; the last case of this file. */
CASE(wild_pointers_fail_the_context)
{
    float one = 1, *x = NULL;
    CHECK_EQ(cudaMalloc((void **)&x, 4096), cudaSuccess);
    CHECK_EQ(cublasSaxpy(handle(), 1 << 28, &one, x, 1, x, 1),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}
