/* SPDX-License-Identifier: Apache-2.0 */
// cc: -lcublas
/*
 * library.cu - computations of libraries as accesses: they read and write as
 * kernels do; see cases.h.
 */
#include "cases.h"

#include <cublas_v2.h>

enum { N = 32 };

__global__ void ones(float *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1; // product_beside: race-global
}

/* c = a * b in a stream of its own, `rows` of N. */
static void multiply(cudaStream_t s, const float *a, const float *b, float *c, int rows)
{
    const float one = 1, zero = 0;
    cublasHandle_t h;
    if (cublasCreate(&h) != CUBLAS_STATUS_SUCCESS)
        exit(5);
    cublasSetStream(h, s);
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, rows, N, N, &one, a, rows, b, N, &zero, c, rows); // product_too_large: oob-global
    if (cudaStreamSynchronize(s) != cudaSuccess)
        printf("failed\n");
    cublasDestroy(h);
}

template <bool waits>
static void run_product()
{
    float *a = zeros<float>(N * N), *b = zeros<float>(N * N), *c = zeros<float>(N * N);
    cudaStream_t s, t;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    ones<<<N, N, 0, s>>>(a);
    if (waits)
        cudaStreamSynchronize(s);
    multiply(t, a, b, c, N);
    finish();
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void product_beside()
{
    run_product<false>();
}

static void product_behind()
{
    run_product<true>();
}

template <int rows>
static void run_size()
{
    float *a = zeros<float>(N * N), *b = zeros<float>(N * N), *c = zeros<float>(N * N);
    multiply(0, a, b, c, rows);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
}

static void product_too_large()
{
    run_size<2 * N>();
}

static void product_fits()
{
    run_size<N>();
}

/* What a computation has written is written. */
static void product_copied()
{
    float *a = zeros<float>(N * N), *c, host[N * N];
    cudaMalloc(&c, sizeof host);
    multiply(0, a, a, c, N);
    cudaMemcpy(host, c, sizeof host, cudaMemcpyDeviceToHost);
    printf("%g\n", host[0]);
    cudaFree(a);
    cudaFree(c);
}

#define CASES(X)                                                               \
    X(product_beside) X(product_behind) X(product_too_large) X(product_fits)   \
    X(product_copied)
CASES_MAIN
