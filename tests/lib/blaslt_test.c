/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blaslt_test.c - cuBLASLt: products with every order and operation, types,
 * scalars and epilogues, against sums in double precision.
 */
#include "lib.h"

#include "check.h"
#include "cublasLt.h"

__extension__ typedef _Float16 half_number;

enum { M = 17, N = 9, K = 23, BATCH = 2 };

static cublasLtHandle_t
handle(void)
{
    static cublasLtHandle_t h;
    if (!h)
        CHECK_EQ(cublasLtCreate(&h), CUBLAS_STATUS_SUCCESS);
    return h;
}

/* A matrix of a batch on the device, and its numbers. */
typedef struct {
    cublasLtMatrixLayout_t layout;
    void *device;
    int rows, columns, ld;
    bool by_rows;
    double at[BATCH][32][32];
} matrix;

static size_t
place(const matrix *x, int i, int j)
{
    return (size_t)(x->by_rows ? i * x->ld + j : j * x->ld + i);
}

static size_t
stride(const matrix *x)
{
    return (size_t)x->ld * 32;
}

static matrix *
make(int rows, int columns, bool by_rows)
{
    matrix *x = calloc(1, sizeof *x);
    x->rows = rows;
    x->columns = columns;
    x->by_rows = by_rows;
    x->ld = (by_rows ? columns : rows) + 3;
    float *host = malloc(BATCH * stride(x) * sizeof *host);
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < columns; j++) {
                float value = (float)random_number();
                host[(size_t)b * stride(x) + place(x, i, j)] = value;
                x->at[b][i][j] = (double)value;
            }
    CHECK_EQ(cudaMalloc(&x->device, BATCH * stride(x) * sizeof *host),
             cudaSuccess);
    cudaMemcpy(x->device, host, BATCH * stride(x) * sizeof *host,
               cudaMemcpyHostToDevice);
    free(host);
    CHECK_EQ(cublasLtMatrixLayoutCreate(&x->layout, CUDA_R_32F, (uint64_t)rows,
                                        (uint64_t)columns, x->ld),
             CUBLAS_STATUS_SUCCESS);
    int32_t order = by_rows ? CUBLASLT_ORDER_ROW : CUBLASLT_ORDER_COL;
    int32_t count = BATCH;
    int64_t step = (int64_t)stride(x);
    CHECK_EQ(cublasLtMatrixLayoutSetAttribute(
                 x->layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasLtMatrixLayoutSetAttribute(
                 x->layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                 sizeof count),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasLtMatrixLayoutSetAttribute(
                 x->layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step,
                 sizeof step),
             CUBLAS_STATUS_SUCCESS);
    return x;
}

static void
drop(matrix *x)
{
    cublasLtMatrixLayoutDestroy(x->layout);
    cudaFree(x->device);
    free(x);
}

/* The matrix on the device now, and the largest distance to what is wanted. */
static double
distance(const matrix *x, double wanted[BATCH][32][32])
{
    float *host = malloc(BATCH * stride(x) * sizeof *host);
    double most = 0;
    CHECK_EQ(cudaMemcpy(host, x->device, BATCH * stride(x) * sizeof *host,
                        cudaMemcpyDeviceToHost),
             cudaSuccess);
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < x->rows; i++)
            for (int j = 0; j < x->columns; j++)
                most = fmax(
                    most,
                    fabs((double)host[(size_t)b * stride(x) + place(x, i, j)] -
                         wanted[b][i][j]));
    free(host);
    return most;
}

static cublasLtMatmulDesc_t
product(bool turns_a, bool turns_b, uint32_t epilogue)
{
    cublasLtMatmulDesc_t desc;
    int32_t a = turns_a ? CUBLAS_OP_T : CUBLAS_OP_N;
    int32_t b = turns_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    CHECK_EQ(cublasLtMatmulDescCreate(&desc, CUBLAS_COMPUTE_32F, CUDA_R_32F),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA,
                                            &a, sizeof a),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB,
                                            &b, sizeof b),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                            &epilogue, sizeof epilogue),
             CUBLAS_STATUS_SUCCESS);
    return desc;
}

static cublasStatus_t
run(cublasLtMatmulDesc_t desc, const float *alpha, const matrix *a,
    const matrix *b, const float *beta, const matrix *c, const matrix *d)
{
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t found;
    int count = 0;
    CHECK_EQ(cublasLtMatmulPreferenceCreate(&preference),
             CUBLAS_STATUS_SUCCESS);
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle(), desc, a->layout, b->layout, c->layout, d->layout, preference,
        1, &found, &count);
    cublasLtMatmulPreferenceDestroy(preference);
    if (status != CUBLAS_STATUS_SUCCESS)
        return status;
    CHECK_EQ(count, 1);
    CHECK_EQ((int)found.workspaceSize, 0);
    return cublasLtMatmul(handle(), desc, alpha, a->device, a->layout,
                          b->device, b->layout, beta, c->device, c->layout,
                          d->device, d->layout, &found.algo, NULL, 0, 0);
}

static void
reference(const matrix *a, bool turns_a, const matrix *b, bool turns_b,
          double out[BATCH][32][32])
{
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                for (int k = 0; k < K; k++)
                    sum += (turns_a ? a->at[n][k][i] : a->at[n][i][k]) *
                           (turns_b ? b->at[n][j][k] : b->at[n][k][j]);
                out[n][i][j] = sum;
            }
}

CASE(orders_and_operations)
{
    static double wanted[BATCH][32][32];
    float alpha = 1.5f, beta = -0.5f;
    for (int bits = 0; bits < 32; bits++) {
        bool ta = bits & 1, tb = bits & 2;
        matrix *a = ta ? make(K, M, bits & 4) : make(M, K, bits & 4);
        matrix *b = tb ? make(N, K, bits & 8) : make(K, N, bits & 8);
        matrix *c = make(M, N, bits & 16), *d = make(M, N, bits & 16);
        cublasLtMatmulDesc_t desc = product(ta, tb, CUBLASLT_EPILOGUE_DEFAULT);
        CHECK_EQ(run(desc, &alpha, a, b, &beta, c, d), CUBLAS_STATUS_SUCCESS);
        reference(a, ta, b, tb, wanted);
        for (int n = 0; n < BATCH; n++)
            for (int i = 0; i < M; i++)
                for (int j = 0; j < N; j++)
                    wanted[n][i][j] =
                        1.5 * wanted[n][i][j] - 0.5 * c->at[n][i][j];
        CHECK(distance(d, wanted) < 1e-5);
        cublasLtMatmulDescDestroy(desc);
        drop(a), drop(b), drop(c), drop(d);
    }
}

static double
gelu(double x)
{
    return 0.5 * x *
           (1 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)));
}

static void
set_pointer(cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t number,
            void *pointer)
{
    CHECK_EQ(
        cublasLtMatmulDescSetAttribute(desc, number, &pointer, sizeof pointer),
        CUBLAS_STATUS_SUCCESS);
}

/* Bias and activation; for the gradient the same with what was kept. */
static void
check_epilogue(uint32_t epilogue, bool by_rows)
{
    static double wanted[BATCH][32][32];
    float alpha = 1, beta = 0, *bias, host[M];
    matrix *a = make(M, K, false), *b = make(K, N, by_rows);
    matrix *d = make(M, N, by_rows);
    CHECK_EQ(cudaMalloc((void **)&bias, sizeof host), cudaSuccess);
    for (int i = 0; i < M; i++)
        host[i] = (float)random_number();
    cudaMemcpy(bias, host, sizeof host, cudaMemcpyHostToDevice);
    cublasLtMatmulDesc_t desc = product(false, false, epilogue);
    set_pointer(desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
    CHECK_EQ(run(desc, &alpha, a, b, &beta, d, d), CUBLAS_STATUS_SUCCESS);
    reference(a, false, b, false, wanted);
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double x = wanted[n][i][j];
                x += epilogue & CUBLASLT_EPILOGUE_BIAS ? (double)host[i] : 0;
                if (epilogue & CUBLASLT_EPILOGUE_RELU)
                    x = x > 0 ? x : 0;
                if (epilogue & CUBLASLT_EPILOGUE_GELU)
                    x = gelu(x);
                wanted[n][i][j] = x;
            }
    CHECK(distance(d, wanted) < 1e-5);
    cublasLtMatmulDescDestroy(desc);
    cudaFree(bias);
    drop(a), drop(b), drop(d);
}

CASE(bias_and_activations)
{
    for (int by_rows = 0; by_rows < 2; by_rows++) {
        check_epilogue(CUBLASLT_EPILOGUE_BIAS, by_rows);
        check_epilogue(CUBLASLT_EPILOGUE_RELU, by_rows);
        check_epilogue(CUBLASLT_EPILOGUE_RELU_BIAS, by_rows);
        check_epilogue(CUBLASLT_EPILOGUE_GELU, by_rows);
        check_epilogue(CUBLASLT_EPILOGUE_GELU_BIAS, by_rows);
    }
}

/* What RELU_AUX keeps lets DRELU through; gradients of the bias are sums. */
CASE(gradients_use_what_was_kept)
{
    static double first[BATCH][32][32], second[BATCH][32][32];
    enum { LD = 128 };
    float alpha = 1, beta = 0, *gradient, sums[M];
    int64_t ld = LD, aux_stride = LD * 32;
    unsigned char *mask;
    matrix *a = make(M, K, false), *b = make(K, N, false);
    matrix *d = make(M, N, false), *g = make(M, N, false);
    CHECK_EQ(cudaMalloc((void **)&mask, BATCH * LD * 32 / 8), cudaSuccess);
    CHECK_EQ(cudaMalloc((void **)&gradient, sizeof sums * BATCH), cudaSuccess);
    cublasLtMatmulDesc_t desc =
        product(false, false, CUBLASLT_EPILOGUE_RELU_AUX);
    cublasLtMatmulDesc_t back =
        product(false, false, CUBLASLT_EPILOGUE_DRELU_BGRAD);
    cublasLtMatmulDesc_t both[2] = {desc, back};
    for (int i = 0; i < 2; i++) {
        set_pointer(both[i], CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, mask);
        cublasLtMatmulDescSetAttribute(
            both[i], CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, &ld, sizeof ld);
        cublasLtMatmulDescSetAttribute(
            both[i], CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
            &aux_stride, sizeof aux_stride);
    }
    set_pointer(back, CUBLASLT_MATMUL_DESC_BIAS_POINTER, gradient);
    CHECK_EQ(run(desc, &alpha, a, b, &beta, d, d), CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(run(back, &alpha, a, b, &beta, g, g), CUBLAS_STATUS_SUCCESS);
    reference(a, false, b, false, first);
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                first[n][i][j] = first[n][i][j] > 0 ? first[n][i][j] : 0;
                second[n][i][j] = first[n][i][j];
            }
    CHECK(distance(d, first) < 1e-5);
    CHECK(distance(g, second) < 1e-5);
    cudaMemcpy(sums, gradient, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < M; i++) { /* one vector for all: the last's */
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += second[BATCH - 1][i][j];
        CHECK(fabs((double)sums[i] - sum) < 1e-4);
    }
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatmulDescDestroy(back);
    cudaFree(mask);
    cudaFree(gradient);
    drop(a), drop(b), drop(d), drop(g);
}

CASE(scales_vectors_of_alpha_and_the_largest)
{
    static double wanted[BATCH][32][32];
    float host[M], scale = 0.25f, *device, *scales, *amax, got = 0, beta = 2;
    matrix *a = make(M, K, false), *b = make(K, N, false);
    matrix *c = make(M, N, false), *d = make(M, N, false);
    int32_t mode = CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST;
    for (int i = 0; i < M; i++)
        host[i] = (float)(i + 1);
    cudaMalloc((void **)&device, sizeof host);
    cudaMalloc((void **)&scales, sizeof scale);
    cudaMalloc((void **)&amax, sizeof got);
    cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemcpy(scales, &scale, sizeof scale, cudaMemcpyHostToDevice);
    cublasLtMatmulDesc_t desc =
        product(false, false, CUBLASLT_EPILOGUE_DEFAULT);
    CHECK_EQ(cublasLtMatmulDescSetAttribute(
                 desc, CUBLASLT_MATMUL_DESC_POINTER_MODE, &mode, sizeof mode),
             CUBLAS_STATUS_SUCCESS);
    set_pointer(desc, CUBLASLT_MATMUL_DESC_D_SCALE_POINTER, scales);
    set_pointer(desc, CUBLASLT_MATMUL_DESC_AMAX_D_POINTER, amax);
    CHECK_EQ(run(desc, device, a, b, &beta, c, d), CUBLAS_STATUS_SUCCESS);
    reference(a, false, b, false, wanted);
    double most = 0;
    for (int n = 0; n < BATCH; n++)
        for (int i = 0; i < M; i++)
            for (int j = 0; j < N; j++) {
                double x = (i + 1) * wanted[n][i][j] + 2 * c->at[n][i][j];
                most = fmax(most, fabs(x));
                wanted[n][i][j] = 0.25 * x;
            }
    CHECK(distance(d, wanted) < 1e-4);
    cudaMemcpy(&got, amax, sizeof got, cudaMemcpyDeviceToHost);
    CHECK(fabs((double)got - most) < 1e-4);
    cublasLtMatmulDescDestroy(desc);
    cudaFree(device);
    cudaFree(scales);
    cudaFree(amax);
    drop(a), drop(b), drop(c), drop(d);
}

CASE(halves_are_rounded_once)
{
    enum { SIZE = 8 };
    half_number host[SIZE * SIZE], out[SIZE * SIZE], *a, *d;
    float alpha = 1, beta = 0;
    cublasLtMatrixLayout_t layout;
    for (int i = 0; i < SIZE * SIZE; i++)
        host[i] = (half_number)random_number();
    cudaMalloc((void **)&a, sizeof host);
    cudaMalloc((void **)&d, sizeof host);
    cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice);
    cublasLtMatrixLayoutCreate(&layout, CUDA_R_16F, SIZE, SIZE, SIZE);
    cublasLtMatmulDesc_t desc =
        product(false, false, CUBLASLT_EPILOGUE_DEFAULT);
    CHECK_EQ(cublasLtMatmul(handle(), desc, &alpha, a, layout, a, layout, &beta,
                            d, layout, d, layout, NULL, NULL, 0, 0),
             CUBLAS_STATUS_SUCCESS);
    cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            double sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += (double)host[i + k * SIZE] * (double)host[k + j * SIZE];
            CHECK(fabs((double)out[i + j * SIZE] - sum) <=
                  fabs(sum) * 0x1p-11 + 1e-6);
        }
    cublasLtMatmulDescDestroy(desc);
    cublasLtMatrixLayoutDestroy(layout);
    cudaFree(a);
    cudaFree(d);
}

CASE(wrong_arguments_have_their_statuses)
{
    float alpha = 1, beta = 0;
    matrix *a = make(M, K, false), *b = make(K, N, false);
    matrix *d = make(M, N, false);
    cublasLtMatmulDesc_t desc =
        product(false, false, CUBLASLT_EPILOGUE_DEFAULT);
    int32_t order = CUBLASLT_ORDER_COL32;
    size_t written = 0;
    CHECK_EQ(cublasLtMatmul(NULL, desc, &alpha, a->device, a->layout, b->device,
                            b->layout, &beta, d->device, d->layout, d->device,
                            d->layout, NULL, NULL, 0, 0),
             CUBLAS_STATUS_NOT_INITIALIZED);
    CHECK_EQ(run(desc, &alpha, b, a, &beta, d, d), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(run(desc, NULL, a, b, &beta, d, d), CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(cublasLtMatrixLayoutSetAttribute(
                 a->layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, 1),
             CUBLAS_STATUS_INVALID_VALUE);
    CHECK_EQ(cublasLtMatrixLayoutGetAttribute(
                 a->layout, CUBLASLT_MATRIX_LAYOUT_ROWS, NULL, 0, &written),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ((int)written, 8);
    CHECK_EQ(cublasLtMatrixLayoutSetAttribute(
                 a->layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof order),
             CUBLAS_STATUS_SUCCESS);
    CHECK_EQ(run(desc, &alpha, a, b, &beta, d, d), CUBLAS_STATUS_NOT_SUPPORTED);
    CHECK_STR(cublasLtGetStatusName(CUBLAS_STATUS_NOT_SUPPORTED),
              "CUBLAS_STATUS_NOT_SUPPORTED");
    cublasLtMatmulDescDestroy(desc);
    drop(a), drop(b), drop(d);
}
