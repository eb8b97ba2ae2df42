/* SPDX-License-Identifier: Apache-2.0 */
/* solver_test.c - cuSOLVER: factors, multiplied again, are the matrix. */
#include "lib.h"

#include "check.h"
#include "cusolverDn.h"

enum { M = 9, N = 6 };

static cusolverDnHandle_t
handle(void)
{
    static cusolverDnHandle_t h;
    if (!h)
        CHECK_EQ(cusolverDnCreate(&h), CUSOLVER_STATUS_SUCCESS);
    return h;
}

/* Integers of the device: info, and pivots behind it. */
static int *
integers(void)
{
    static int *at;
    if (!at)
        CHECK_EQ(cudaMalloc((void **)&at, 64 * sizeof *at), cudaSuccess);
    cudaMemset(at, 0xff, 64 * sizeof *at);
    return at;
}

static int
read_info(const int *at)
{
    int info = -1;
    cudaMemcpy(&info, at, sizeof info, cudaMemcpyDeviceToHost);
    return info;
}

/* The greatest part of A X - B. */
static double
residual(const void *a, int rows, int inner, const void *x, const void *b,
         int columns)
{
    double worst = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            double complex sum = 0;
            for (int k = 0; k < inner; k++)
                sum += get(Z, a, (size_t)(i + k * rows)) *
                       get(Z, x, (size_t)(k + j * inner));
            worst = fmax(worst, cabs(sum - get(Z, b, (size_t)(i + j * rows))));
        }
    return worst;
}

CASE(systems_by_lu)
{
    void *a = device_random(Z, N * N), *b = device_random(Z, N * 2);
    void *ha = host_copy(Z, a, N * N), *hb = host_copy(Z, b, N * 2);
    int lwork = 0, *info = integers();
    void *work = NULL;
    CHECK_EQ(cusolverDnZgetrf_bufferSize(handle(), N, N, a, N, &lwork),
             CUSOLVER_STATUS_SUCCESS);
    cudaMalloc(&work, (size_t)lwork * 16);
    CHECK_EQ(cusolverDnZgetrf(handle(), N, N, a, N, work, info + 1, info),
             CUSOLVER_STATUS_SUCCESS);
    CHECK_EQ(read_info(info), 0);
    CHECK_EQ(cusolverDnZgetrs(handle(), CUBLAS_OP_N, N, 2, a, N, info + 1, b, N,
                              info),
             CUSOLVER_STATUS_SUCCESS);
    void *x = host_copy(Z, b, N * 2);
    CHECK(residual(ha, N, N, x, hb, 2) < 1e-12);
    cudaFree(a);
    cudaFree(b);
    cudaFree(work);
    free(ha);
    free(hb);
    free(x);
}

/* The second pivot is zero: LAPACK's number of it. */
CASE(a_matrix_that_is_singular)
{
    double zeros[4] = {1, 1, 1, 1}, *a = NULL;
    int *info = integers();
    cudaMalloc((void **)&a, sizeof zeros);
    cudaMemcpy(a, zeros, sizeof zeros, cudaMemcpyHostToDevice);
    CHECK_EQ(cusolverDnDgetrf(handle(), 2, 2, a, 2, a, info + 1, info),
             CUSOLVER_STATUS_SUCCESS);
    CHECK_EQ(read_info(info), 2);
    cudaFree(a);
}

CASE(orthogonal_factors)
{
    void *a = device_random(Z, M * N), *ha = host_copy(Z, a, M * N);
    void *tau = device_random(Z, N);
    int *info = integers();
    CHECK_EQ(cusolverDnZgeqrf(handle(), M, N, a, M, tau, NULL, 0, info),
             CUSOLVER_STATUS_SUCCESS);
    void *r = host_copy(Z, a, M * N), *square = calloc(N * N, 16);
    for (int j = 0; j < N; j++)
        for (int i = 0; i <= j; i++)
            set(Z, square, (size_t)(i + j * N), get(Z, r, (size_t)(i + j * M)));
    CHECK_EQ(cusolverDnZungqr(handle(), M, N, N, a, M, tau, NULL, 0, info),
             CUSOLVER_STATUS_SUCCESS);
    CHECK_EQ(read_info(info), 0);
    void *q = host_copy(Z, a, M * N);
    CHECK(residual(q, M, N, square, ha, N) < 1e-13);
    cudaFree(a);
    cudaFree(tau);
    free(ha);
    free(r);
    free(q);
    free(square);
}

/* Of a matrix with more columns than rows, too, which gesvd refuses. */
CASE(singular_values)
{
    for (int turned = 0; turned < 2; turned++) {
        int m = turned ? N : M, n = turned ? M : N, k = N;
        void *a = device_random(Z, M * N), *ha = host_copy(Z, a, M * N);
        void *u = device_random(Z, (size_t)(m * k));
        void *v = device_random(Z, (size_t)(n * k));
        void *s = device_random(D, (size_t)k);
        gesvdjInfo_t params;
        int *info = integers();
        CHECK_EQ(cusolverDnCreateGesvdjInfo(&params), CUSOLVER_STATUS_SUCCESS);
        CHECK_EQ(cusolverDnZgesvdj(handle(), CUSOLVER_EIG_MODE_VECTOR, 1, m, n,
                                   a, m, s, u, m, v, n, NULL, 0, info, params),
                 CUSOLVER_STATUS_SUCCESS);
        CHECK_EQ(read_info(info), 0);
        void *hu = host_copy(Z, u, (size_t)(m * k));
        void *hv = host_copy(Z, v, (size_t)(n * k));
        void *hs = host_copy(D, s, (size_t)k), *sv = calloc(M * N, 16);
        for (int i = 0; i < k; i++)
            for (int j = 0; j < n; j++)
                set(Z, sv, (size_t)(i + j * k),
                    get(D, hs, (size_t)i) *
                        conj(get(Z, hv, (size_t)(j + i * n))));
        CHECK(residual(hu, m, k, sv, ha, n) < 1e-12);
        CHECK_EQ(cusolverDnZgesvd(handle(), 'N', 'N', m, n, a, m, s, NULL, 1,
                                  NULL, 1, NULL, 0, NULL, info),
                 turned ? CUSOLVER_STATUS_INVALID_VALUE
                        : CUSOLVER_STATUS_SUCCESS);
        cusolverDnDestroyGesvdjInfo(params);
        cudaDeviceSynchronize();
        cudaFree(a);
        cudaFree(u);
        cudaFree(v);
        cudaFree(s);
        free(ha);
        free(hu);
        free(hv);
        free(hs);
        free(sv);
    }
}

CASE(eigenvalues_of_a_hermitian_matrix)
{
    void *a = device_random(Z, N * N), *w = device_random(D, N);
    void *h = host_copy(Z, a, N * N), *left = calloc(N * N, 16);
    int *info = integers();
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) { /* the lower triangle counts */
            double complex x = get(Z, h, (size_t)(i + j * N));
            set(Z, h, (size_t)(i + j * N), i == j ? creal(x) : x);
            set(Z, h, (size_t)(j + i * N), i == j ? creal(x) : conj(x));
        }
    CHECK_EQ(cusolverDnZheevd(handle(), CUSOLVER_EIG_MODE_VECTOR,
                              CUBLAS_FILL_MODE_LOWER, N, a, N, w, NULL, 0,
                              info),
             CUSOLVER_STATUS_SUCCESS);
    CHECK_EQ(read_info(info), 0);
    void *v = host_copy(Z, a, N * N), *values = host_copy(D, w, N);
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++)
            set(Z, left, (size_t)(i + j * N),
                get(D, values, (size_t)j) * get(Z, v, (size_t)(i + j * N)));
    CHECK(residual(h, N, N, v, left, N) < 1e-12);
    CHECK(creal(get(D, values, 0)) < creal(get(D, values, N - 1)));
    cudaFree(a);
    cudaFree(w);
    free(h);
    free(left);
    free(v);
    free(values);
}

CASE(bad_arguments)
{
    int lwork;
    CHECK_EQ(cusolverDnSgetrf_bufferSize(NULL, 1, 1, NULL, 1, &lwork),
             CUSOLVER_STATUS_NOT_INITIALIZED);
    CHECK_EQ(cusolverDnSgetrf(handle(), -1, 1, NULL, 1, NULL, NULL, NULL),
             CUSOLVER_STATUS_INVALID_VALUE);
    CHECK_EQ(cusolverDnSpotrf(handle(), (cublasFillMode_t)7, 1, NULL, 1, NULL,
                              0, NULL),
             CUSOLVER_STATUS_INVALID_VALUE);
}
