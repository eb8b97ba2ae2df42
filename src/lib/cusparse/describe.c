/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - handles and descriptors of cuSPARSE. */
#include "lib/cusparse/sparse.h"

cusparseStatus_t
sparse_check(cusparseHandle_t handle)
{
    return handle && handle->magic == SPARSE_HANDLE
               ? CUSPARSE_STATUS_SUCCESS
               : CUSPARSE_STATUS_NOT_INITIALIZED;
}

cusparseStatus_t
sparse_status(CUresult result)
{
    return result == CUDA_SUCCESS ? CUSPARSE_STATUS_SUCCESS
           : result == CUDA_ERROR_NOT_INITIALIZED
               ? CUSPARSE_STATUS_NOT_INITIALIZED
               : CUSPARSE_STATUS_EXECUTION_FAILED;
}

cusparseStatus_t
cusparseCreate(cusparseHandle_t *handle)
{
    VALID(handle);
    TRY(sparse_status(sw_lib_enter()));
    *handle = sw_alloc(sizeof **handle);
    **handle = (struct cusparseContext){.magic = SPARSE_HANDLE};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDestroy(cusparseHandle_t handle)
{
    TRY(sparse_check(handle));
    handle->magic = 0;
    sw_free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

/* Of the soname that CUDA 12 and 13 share it is that of 13. */
static int
version(void)
{
    return sw_lib_cuda == 11 ? 11705 : CUSPARSE_VERSION;
}

cusparseStatus_t
cusparseGetVersion(cusparseHandle_t handle, int *out)
{
    TRY(sparse_check(handle));
    VALID(out);
    *out = version();
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseGetProperty(libraryPropertyType type, int *value)
{
    VALID(value && (unsigned)type <= PATCH_LEVEL);
    *value = type == MAJOR_VERSION   ? version() / 1000
             : type == MINOR_VERSION ? version() / 100 % 10
                                     : version() % 100;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    TRY(sparse_check(handle));
    handle->stream = (CUstream)stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    TRY(sparse_check(handle));
    VALID(stream);
    *stream = (cudaStream_t)handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    TRY(sparse_check(handle));
    VALID((unsigned)mode <= CUSPARSE_POINTER_MODE_DEVICE);
    handle->pointer_mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    TRY(sparse_check(handle));
    VALID(mode);
    *mode = handle->pointer_mode;
    return CUSPARSE_STATUS_SUCCESS;
}

#define STATUSES(X)                                                            \
    X(SUCCESS, "success")                                                      \
    X(NOT_INITIALIZED, "initialization error")                                 \
    X(ALLOC_FAILED, "out of memory")                                           \
    X(INVALID_VALUE, "invalid value")                                          \
    X(ARCH_MISMATCH, "architecture mismatch")                                  \
    X(MAPPING_ERROR, "texture memory mapping error")                           \
    X(EXECUTION_FAILED, "kernel launch failure")                               \
    X(INTERNAL_ERROR, "internal error")                                        \
    X(MATRIX_TYPE_NOT_SUPPORTED, "matrix type not supported")                  \
    X(ZERO_PIVOT, "zero pivot")                                                \
    X(NOT_SUPPORTED, "operation not supported")                                \
    X(INSUFFICIENT_RESOURCES, "insufficient resources")

const char *
cusparseGetErrorName(cusparseStatus_t status)
{
    switch (status) {
#define X(name, text)                                                          \
    case CUSPARSE_STATUS_##name:                                               \
        return "CUSPARSE_STATUS_" #name;
        STATUSES(X)
#undef X
    }
    return "unrecognized error code";
}

const char *
cusparseGetErrorString(cusparseStatus_t status)
{
    switch (status) {
#define X(name, text)                                                          \
    case CUSPARSE_STATUS_##name:                                               \
        return text;
        STATUSES(X)
#undef X
    }
    return "unrecognized error code";
}

/* ---- what older functions are told of a matrix ---- */

cusparseStatus_t
cusparseCreateMatDescr(cusparseMatDescr_t *descr)
{
    VALID(descr);
    *descr = sw_alloc(sizeof **descr);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDestroyMatDescr(cusparseMatDescr_t descr)
{
    sw_free(descr);
    return CUSPARSE_STATUS_SUCCESS;
}

#define FIELD(Name, T, field, most)                                            \
    cusparseStatus_t cusparseSetMat##Name(cusparseMatDescr_t descr, T value)   \
    {                                                                          \
        VALID(descr && (unsigned)value <= most);                               \
        descr->field = value;                                                  \
        return CUSPARSE_STATUS_SUCCESS;                                        \
    }                                                                          \
    T cusparseGetMat##Name(const cusparseMatDescr_t descr)                     \
    {                                                                          \
        return descr->field;                                                   \
    }
FIELD(Type, cusparseMatrixType_t, type, CUSPARSE_MATRIX_TYPE_TRIANGULAR)
FIELD(FillMode, cusparseFillMode_t, fill, CUSPARSE_FILL_MODE_UPPER)
FIELD(DiagType, cusparseDiagType_t, diag, CUSPARSE_DIAG_TYPE_UNIT)
FIELD(IndexBase, cusparseIndexBase_t, base, CUSPARSE_INDEX_BASE_ONE)

/* ---- sparse matrices ---- */

static cusparseStatus_t
create(cusparseSpMatDescr_t *out, struct cusparseSpMatDescr m)
{
    VALID(out && m.rows >= 0 && m.columns >= 0 && m.nnz >= 0 &&
          (unsigned)m.base <= CUSPARSE_INDEX_BASE_ONE);
    REQUIRE(sw_lib_element_bytes(m.type), CUSPARSE_STATUS_NOT_SUPPORTED);
    *out = sw_alloc(sizeof **out);
    **out = m;
    return CUSPARSE_STATUS_SUCCESS;
}

/* A descriptor of const memory is one like any other. */
#define COMPRESSED(Format, FORMAT)                                             \
    cusparseStatus_t cusparseCreate##Format(                                   \
        cusparseSpMatDescr_t *m, int64_t rows, int64_t columns, int64_t nnz,   \
        void *offsets, void *indices, void *values, cusparseIndexType_t ot,    \
        cusparseIndexType_t it, cusparseIndexBase_t base, cudaDataType type)   \
    {                                                                          \
        return create(m, (struct cusparseSpMatDescr){                          \
                             CUSPARSE_FORMAT_##FORMAT, rows, columns, nnz,     \
                             offsets, indices, values, ot, it, base, type});   \
    }                                                                          \
    cusparseStatus_t cusparseCreateConst##Format(                              \
        cusparseConstSpMatDescr_t *m, int64_t rows, int64_t columns,           \
        int64_t nnz, const void *offsets, const void *indices,                 \
        const void *values, cusparseIndexType_t ot, cusparseIndexType_t it,    \
        cusparseIndexBase_t base, cudaDataType type)                           \
    {                                                                          \
        return create((cusparseSpMatDescr_t *)(uintptr_t)m,                    \
                      (struct cusparseSpMatDescr){                             \
                          CUSPARSE_FORMAT_##FORMAT, rows, columns, nnz,        \
                          (void *)(uintptr_t)offsets,                          \
                          (void *)(uintptr_t)indices,                          \
                          (void *)(uintptr_t)values, ot, it, base, type});     \
    }                                                                          \
    cusparseStatus_t cusparse##Format##SetPointers(                            \
        cusparseSpMatDescr_t m, void *offsets, void *indices, void *values)    \
    {                                                                          \
        VALID(m);                                                              \
        m->offsets = offsets;                                                  \
        m->indices = indices;                                                  \
        m->values = values;                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusparseStatus_t cusparse##Format##Get(                                    \
        cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns, int64_t *nnz, \
        void **offsets, void **indices, void **values,                         \
        cusparseIndexType_t *ot, cusparseIndexType_t *it,                      \
        cusparseIndexBase_t *base, cudaDataType *type)                         \
    {                                                                          \
        VALID(m &&rows &&columns &&nnz &&offsets &&indices &&values &&ot &&it  \
                  &&base &&type);                                              \
        *rows = m->rows;                                                       \
        *columns = m->columns;                                                 \
        *nnz = m->nnz;                                                         \
        *offsets = m->offsets;                                                 \
        *indices = m->indices;                                                 \
        *values = m->values;                                                   \
        *ot = m->offset_type;                                                  \
        *it = m->index_type;                                                   \
        *base = m->base;                                                       \
        *type = m->type;                                                       \
        return CUSPARSE_STATUS_SUCCESS;                                        \
    }
COMPRESSED(Csr, CSR)
COMPRESSED(Csc, CSC)

cusparseStatus_t
cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t columns,
                  int64_t nnz, void *row, void *column, void *values,
                  cusparseIndexType_t it, cusparseIndexBase_t base,
                  cudaDataType type)
{
    return create(m, (struct cusparseSpMatDescr){CUSPARSE_FORMAT_COO, rows,
                                                 columns, nnz, row, column,
                                                 values, it, it, base, type});
}

cusparseStatus_t
cusparseCooGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *columns,
               int64_t *nnz, void **row, void **column, void **values,
               cusparseIndexType_t *it, cusparseIndexBase_t *base,
               cudaDataType *type)
{
    cusparseIndexType_t ignored;
    return cusparseCsrGet(m, rows, columns, nnz, row, column, values, it,
                          &ignored, base, type);
}

cusparseStatus_t
cusparseDestroySpMat(cusparseConstSpMatDescr_t m)
{
    sw_free((void *)(uintptr_t)m);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows,
                     int64_t *columns, int64_t *nnz)
{
    VALID(m && rows && columns && nnz);
    *rows = m->rows;
    *columns = m->columns;
    *nnz = m->nnz;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format)
{
    VALID(m && format);
    *format = m->format;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m,
                          cusparseIndexBase_t *base)
{
    VALID(m && base);
    *base = m->base;
    return CUSPARSE_STATUS_SUCCESS;
}

/* ---- values of all descriptors ---- */

#define VALUES(Kind)                                                           \
    cusparseStatus_t cusparse##Kind##GetValues(cusparse##Kind##Descr_t d,      \
                                               void **values)                  \
    {                                                                          \
        VALID(d &&values);                                                     \
        *values = d->values;                                                   \
        return CUSPARSE_STATUS_SUCCESS;                                        \
    }                                                                          \
    cusparseStatus_t cusparse##Kind##SetValues(cusparse##Kind##Descr_t d,      \
                                               void *values)                   \
    {                                                                          \
        VALID(d);                                                              \
        d->values = values;                                                    \
        return CUSPARSE_STATUS_SUCCESS;                                        \
    }
VALUES(SpMat)
VALUES(DnVec)
VALUES(DnMat)

/* ---- dense vectors and matrices ---- */

cusparseStatus_t
cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t size, void *values,
                    cudaDataType type)
{
    VALID(v && size >= 0);
    REQUIRE(sw_lib_element_bytes(type), CUSPARSE_STATUS_NOT_SUPPORTED);
    *v = sw_alloc(sizeof **v);
    **v = (struct cusparseDnVecDescr){size, values, type};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseCreateConstDnVec(cusparseConstDnVecDescr_t *v, int64_t size,
                         const void *values, cudaDataType type)
{
    return cusparseCreateDnVec((cusparseDnVecDescr_t *)(uintptr_t)v, size,
                               (void *)(uintptr_t)values, type);
}

cusparseStatus_t
cusparseDestroyDnVec(cusparseConstDnVecDescr_t v)
{
    sw_free((void *)(uintptr_t)v);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *size, void **values,
                 cudaDataType *type)
{
    VALID(v && size && values && type);
    *size = v->size;
    *values = v->values;
    *type = v->type;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t columns,
                    int64_t ld, void *values, cudaDataType type,
                    cusparseOrder_t order)
{
    VALID(m && rows >= 0 && columns >= 0 &&
          (order == CUSPARSE_ORDER_COL || order == CUSPARSE_ORDER_ROW) &&
          ld >= (order == CUSPARSE_ORDER_COL ? rows : columns));
    REQUIRE(sw_lib_element_bytes(type), CUSPARSE_STATUS_NOT_SUPPORTED);
    *m = sw_alloc(sizeof **m);
    **m = (struct cusparseDnMatDescr){.rows = rows,
                                      .columns = columns,
                                      .ld = ld,
                                      .count = 1,
                                      .values = values,
                                      .type = type,
                                      .order = order};
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseCreateConstDnMat(cusparseConstDnMatDescr_t *m, int64_t rows,
                         int64_t columns, int64_t ld, const void *values,
                         cudaDataType type, cusparseOrder_t order)
{
    return cusparseCreateDnMat((cusparseDnMatDescr_t *)(uintptr_t)m, rows,
                               columns, ld, (void *)(uintptr_t)values, type,
                               order);
}

cusparseStatus_t
cusparseDestroyDnMat(cusparseConstDnMatDescr_t m)
{
    sw_free((void *)(uintptr_t)m);
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *columns,
                 int64_t *ld, void **values, cudaDataType *type,
                 cusparseOrder_t *order)
{
    VALID(m && rows && columns && ld && values && type && order);
    *rows = m->rows;
    *columns = m->columns;
    *ld = m->ld;
    *values = m->values;
    *type = m->type;
    *order = m->order;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t stride)
{
    VALID(m && count > 0 && stride >= 0);
    m->count = count;
    m->stride = stride;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int *count,
                             int64_t *stride)
{
    VALID(m && count && stride);
    *count = m->count;
    *stride = m->stride;
    return CUSPARSE_STATUS_SUCCESS;
}
