/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blas2008_test.c - cuBLAS of 2008: results returned, scalars by value,
 * characters, errors that wait to be asked for.
 */
#include "lib.h"

#include "check.h"
#include "cublas.h"

enum { COUNT = 37, ROWS = 7 };

CASE(nothing_works_before_the_beginning)
{
    float x = 0;
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
    CHECK(cublasSdot(1, &x, 1, &x, 1) == 0);
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasShutdown(), CUBLAS_STATUS_NOT_INITIALIZED);
}

CASE(results_are_returned)
{
    CHECK_EQ(cublasInit(), CUBLAS_STATUS_SUCCESS);
    float *x = device_random(S, COUNT), *hx = host_copy(S, x, COUNT);
    double *y = device_random(D, COUNT), *hy = host_copy(D, y, COUNT);
    cuComplex *c = device_random(C, COUNT), *hc = host_copy(C, c, COUNT);
    cuDoubleComplex *z = device_random(Z, COUNT);
    cuDoubleComplex *hz = host_copy(Z, z, COUNT);
    double dot = 0, norm = 0, sum = 0;
    double complex plain = 0, conjugated = 0;
    int largest = 0;
    for (int i = 0; i < COUNT; i++) {
        double complex a = get(C, hc, (size_t)i), b = get(Z, hz, (size_t)i);
        dot += (double)hx[i] * (double)hx[i];
        norm += hy[i] * hy[i];
        sum += fabs(creal(b)) + fabs(cimag(b));
        plain += a * a;
        conjugated += conj(b) * b;
        if (fabsf(hx[i]) > fabsf(hx[largest]))
            largest = i;
    }
    CHECK(fabs((double)cublasSdot(COUNT, x, 1, x, 1) - dot) < 1e-5);
    CHECK(fabs(cublasDnrm2(COUNT, y, 1) - sqrt(norm)) < 1e-13);
    CHECK(fabs(cublasDzasum(COUNT, z, 1) - sum) < 1e-12);
    cuComplex got = cublasCdotu(COUNT, c, 1, c, 1);
    CHECK(cabs(CMPLX(got.x, got.y) - plain) < 1e-5);
    cuDoubleComplex precise = cublasZdotc(COUNT, z, 1, z, 1);
    CHECK(cabs(CMPLX(precise.x, precise.y) - conjugated) < 1e-12);
    CHECK_EQ(cublasIsamax(COUNT, x, 1), largest + 1);
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
    free(hx), free(hy), free(hc), free(hz);
    cudaFree(x), cudaFree(y), cudaFree(c), cudaFree(z);
    CHECK_EQ(cublasShutdown(), CUBLAS_STATUS_SUCCESS);
}

CASE(products_take_characters)
{
    double *a = NULL, host[ROWS * ROWS], *b, *c;
    CHECK_EQ(cublasInit(), CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasAlloc(ROWS * ROWS, sizeof *a, (void **)&a),
             CUBLAS_STATUS_SUCCESS);
    for (int i = 0; i < ROWS * ROWS; i++)
        host[i] = random_number();
    CHECK_EQ(cublasSetMatrix(ROWS, ROWS, sizeof *a, host, ROWS, a, ROWS),
             CUBLAS_STATUS_SUCCESS);
    b = device_random(D, ROWS * ROWS);
    c = device_random(D, ROWS * ROWS);
    double *hb = host_copy(D, b, ROWS * ROWS);
    double *before = host_copy(D, c, ROWS * ROWS);
    cublasDgemm('t', 'N', ROWS, ROWS, ROWS, 2.0, a, ROWS, b, ROWS, -1.0, c,
                ROWS);
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
    double *after = host_copy(D, c, ROWS * ROWS);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++) {
            double sum = -before[i + j * ROWS];
            for (int k = 0; k < ROWS; k++)
                sum += 2 * host[k + i * ROWS] * hb[k + j * ROWS];
            CHECK(fabs(after[i + j * ROWS] - sum) < 1e-13);
        }
    cublasDgemm('?', 'N', ROWS, ROWS, ROWS, 2.0, a, ROWS, b, ROWS, -1.0, c,
                ROWS);
    CHECK_EQ(cublasGetError(), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(cublasFree(a), CUBLAS_STATUS_SUCCESS);
    free(hb), free(before), free(after);
    cudaFree(b), cudaFree(c);
    CHECK_EQ(cublasShutdown(), CUBLAS_STATUS_SUCCESS);
}
