/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sparse.h - what the files of this folder share: cuSPARSE by loops of our own.
 * A descriptor says where a matrix lies; a computation has a copy of it.
 */
#ifndef SW_CUSPARSE_SPARSE_H
#define SW_CUSPARSE_SPARSE_H
#define SW_LIB_ENTRIES "lib/cusparse/entries.def"
#include "lib/common/entries.h"

#include "cuda/cusparse.h"
#include "lib/common/fortran.h"
#include "lib/common/lib.h"
#include "lib/common/numbers.h"

enum { SPARSE_HANDLE = 0x63755370 };

struct cusparseContext {
    uint32_t magic; /* SPARSE_HANDLE while it lives */
    CUstream stream;
    cusparsePointerMode_t pointer_mode;
};

struct cusparseMatDescr {
    cusparseMatrixType_t type;
    cusparseFillMode_t fill;
    cusparseDiagType_t diag;
    cusparseIndexBase_t base;
};

/* offsets: of rows (CSR) or columns (CSC), one more than these; of COO the rows
 * of each value. indices: the other side of each value. */
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, columns, nnz;
    void *offsets, *indices, *values;
    cusparseIndexType_t offset_type, index_type;
    cusparseIndexBase_t base;
    cudaDataType_t type;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *values;
    cudaDataType_t type;
};

struct cusparseDnMatDescr {
    int64_t rows, columns, ld, stride;
    int count; /* of the batch */
    void *values;
    cudaDataType_t type;
    cusparseOrder_t order;
};

#define TRY(expression)  TRY_AS(cusparseStatus_t, expression)
#define VALID(condition) REQUIRE(condition, CUSPARSE_STATUS_INVALID_VALUE)

cusparseStatus_t sparse_check(cusparseHandle_t handle);
cusparseStatus_t sparse_status(CUresult result);

static inline size_t
sparse_index_bytes(cusparseIndexType_t type)
{
    return type == CUSPARSE_INDEX_64I ? 8 : type == CUSPARSE_INDEX_32I ? 4 : 2;
}

static inline int64_t
sparse_index(const void *at, cusparseIndexType_t type, int64_t i)
{
    return type == CUSPARSE_INDEX_64I   ? ((const int64_t *)at)[i]
           : type == CUSPARSE_INDEX_32I ? ((const int32_t *)at)[i]
                                        : ((const uint16_t *)at)[i];
}

#endif
