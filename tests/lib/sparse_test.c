/* SPDX-License-Identifier: Apache-2.0 */
/* sparse_test.c - cuSPARSE: products, against dense ones. */
#include "lib.h"

#include "check.h"
#include "cusparse.h"

enum { ROWS = 3, COLUMNS = 4, NNZ = 5, WIDE = 2 };

/*  1 . 2 .
 *  . . . .
 *  3 . 4 5  */
static const int offsets[] = {0, 2, 2, 5}, rows[] = {0, 0, 2, 2, 2};
static const int columns[] = {0, 2, 0, 2, 3};
static const double values[] = {1, 2, 3, 4, 5};
static const double dense[ROWS][COLUMNS] = {{1, 0, 2, 0}, {0}, {3, 0, 4, 5}};

static cusparseHandle_t
handle(void)
{
    static cusparseHandle_t h;
    if (!h)
        CHECK_EQ(cusparseCreate(&h), CUSPARSE_STATUS_SUCCESS);
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

/* By columns of B and C; which element of A has this place after op. */
static void
check_product(cusparseConstSpMatDescr_t a, bool turns)
{
    int m = turns ? COLUMNS : ROWS, k = turns ? ROWS : COLUMNS;
    double b[COLUMNS * WIDE], c[COLUMNS * WIDE], alpha = 2, beta = -1;
    for (int i = 0; i < COLUMNS * WIDE; i++) {
        b[i] = i + 1;
        c[i] = 10 * i;
    }
    void *db = device_copy(b, sizeof b), *dc = device_copy(c, sizeof c);
    cusparseDnMatDescr_t mb, mc;
    CHECK_EQ(cusparseCreateDnMat(&mb, k, WIDE, k, db, CUDA_R_64F,
                                 CUSPARSE_ORDER_COL),
             CUSPARSE_STATUS_SUCCESS);
    CHECK_EQ(cusparseCreateDnMat(&mc, m, WIDE, m, dc, CUDA_R_64F,
                                 CUSPARSE_ORDER_COL),
             CUSPARSE_STATUS_SUCCESS);
    CHECK_EQ(cusparseSpMM(handle(),
                          turns ? CUSPARSE_OPERATION_TRANSPOSE
                                : CUSPARSE_OPERATION_NON_TRANSPOSE,
                          CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, a, mb,
                          &beta, mc, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT,
                          NULL),
             CUSPARSE_STATUS_SUCCESS);
    double got[COLUMNS * WIDE];
    CHECK_EQ(cudaMemcpy(got, dc, sizeof got, cudaMemcpyDeviceToHost),
             cudaSuccess);
    for (int j = 0; j < WIDE; j++)
        for (int i = 0; i < m; i++) {
            double sum = 0;
            for (int p = 0; p < k; p++)
                sum += (turns ? dense[p][i] : dense[i][p]) * b[p + j * k];
            CHECK(got[i + j * m] == 2 * sum - c[i + j * m]);
        }
    cusparseDestroyDnMat(mb);
    cusparseDestroyDnMat(mc);
    cudaFree(db);
    cudaFree(dc);
}

CASE(products_in_each_format)
{
    void *v = device_copy(values, sizeof values);
    void *o = device_copy(offsets, sizeof offsets);
    void *r = device_copy(rows, sizeof rows);
    void *c = device_copy(columns, sizeof columns);
    cusparseSpMatDescr_t csr, coo;
    CHECK_EQ(cusparseCreateCsr(&csr, ROWS, COLUMNS, NNZ, o, c, v,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
             CUSPARSE_STATUS_SUCCESS);
    CHECK_EQ(cusparseCreateCoo(&coo, ROWS, COLUMNS, NNZ, r, c, v,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                               CUDA_R_64F),
             CUSPARSE_STATUS_SUCCESS);
    for (int turns = 0; turns < 2; turns++) {
        check_product(csr, turns);
        check_product(coo, turns);
    }
    cusparseDestroySpMat(csr);
    cusparseDestroySpMat(coo);
    cudaFree(v);
    cudaFree(o);
    cudaFree(r);
    cudaFree(c);
}

CASE(rows_and_offsets)
{
    int got[NNZ];
    int *o = device_copy(offsets, sizeof offsets);
    int *r = device_copy(rows, sizeof rows);
    CHECK_EQ(
        cusparseXcsr2coo(handle(), o, NNZ, ROWS, r, CUSPARSE_INDEX_BASE_ZERO),
        CUSPARSE_STATUS_SUCCESS);
    cudaMemcpy(got, r, sizeof rows, cudaMemcpyDeviceToHost);
    CHECK(memcmp(got, rows, sizeof rows) == 0);
    CHECK_EQ(cudaMemset(o, 0xff, sizeof offsets), cudaSuccess);
    CHECK_EQ(
        cusparseXcoo2csr(handle(), r, NNZ, ROWS, o, CUSPARSE_INDEX_BASE_ZERO),
        CUSPARSE_STATUS_SUCCESS);
    cudaMemcpy(got, o, sizeof offsets, cudaMemcpyDeviceToHost);
    CHECK(memcmp(got, offsets, sizeof offsets) == 0);
    cudaFree(o);
    cudaFree(r);
}

CASE(bad_arguments)
{
    cusparseSpMatDescr_t a;
    CHECK_EQ(cusparseCreateCsr(&a, -1, 1, 0, NULL, NULL, NULL,
                               CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                               CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
             CUSPARSE_STATUS_INVALID_VALUE);
    CHECK_EQ(cusparseSetStream(NULL, NULL), CUSPARSE_STATUS_NOT_INITIALIZED);
}

/* An index outside of the matrix fails the context; the last case. */
CASE(wild_indices_fail_the_context)
{
    int wild[NNZ] = {0, 2, 0, 2, 1 << 30};
    double one = 1, x[COLUMNS] = {0};
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t vx, vy;
    void *v = device_copy(values, sizeof values);
    void *o = device_copy(offsets, sizeof offsets);
    void *c = device_copy(wild, sizeof wild), *d = device_copy(x, sizeof x);
    cusparseCreateCsr(&a, ROWS, COLUMNS, NNZ, o, c, v, CUSPARSE_INDEX_32I,
                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&vx, COLUMNS, d, CUDA_R_64F);
    cusparseCreateDnVec(&vy, ROWS, d, CUDA_R_64F);
    CHECK_EQ(cusparseSpMV(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &one, a,
                          vx, &one, vy, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT,
                          NULL),
             CUSPARSE_STATUS_SUCCESS);
    CHECK_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    cusparseDestroySpMat(a);
    cusparseDestroyDnVec(vx);
    cusparseDestroyDnVec(vy);
}
