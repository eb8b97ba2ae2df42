/* SPDX-License-Identifier: Apache-2.0 */
/*
 * product.c - products of sparse matrices with dense ones, value by value; and
 * rows of values to offsets of rows and back.
 *
 * Values, dense matrices and the computation are of one type: float, double or
 * these as complex.
 */
#include <complex.h>

#include "lib/cusparse/sparse.h"

/* C = alpha * op(A) * op(B) + beta * C. Elements (k, j) of op(B) and (i, j) of
 * C lie at k * b_step[0] + j * b_step[1] and so on. */
typedef struct {
    struct cusparseSpMatDescr a;
    cusparseOperation_t op;
    sw_lib_domain domain;
    int64_t columns; /* of C */
    bool conjugates_b;
    const void *b;
    void *c;
    int64_t b_step[2], c_step[2];
    sw_lib_scalar alpha, beta;
} product;

/* Where value number k stands; `major`: the row (CSR) or column (CSC) that it
 * is known to be of. False: outside of the matrix. */
static bool
place_of(const struct cusparseSpMatDescr *a, int64_t major, int64_t k,
         int64_t *row, int64_t *column)
{
    int64_t base = (int64_t)a->base;
    int64_t other = sparse_index(a->indices, a->index_type, k) - base;
    if (a->format == CUSPARSE_FORMAT_COO)
        major = sparse_index(a->offsets, a->offset_type, k) - base;
    *row = a->format == CUSPARSE_FORMAT_CSC ? other : major;
    *column = a->format == CUSPARSE_FORMAT_CSC ? major : other;
    return *row >= 0 && *row < a->rows && *column >= 0 && *column < a->columns;
}

/* The values of one row or column; of COO all of them are in one. */
static bool
range_of(const struct cusparseSpMatDescr *a, int64_t major, int64_t *first,
         int64_t *end)
{
    *first = 0;
    *end = a->nnz;
    if (a->format == CUSPARSE_FORMAT_COO)
        return true;
    *first = sparse_index(a->offsets, a->offset_type, major) - (int64_t)a->base;
    *end =
        sparse_index(a->offsets, a->offset_type, major + 1) - (int64_t)a->base;
    return *first >= 0 && *first <= *end && *end <= a->nnz;
}

static int64_t
majors_of(const struct cusparseSpMatDescr *a)
{
    return a->format == CUSPARSE_FORMAT_CSR   ? a->rows
           : a->format == CUSPARSE_FORMAT_CSC ? a->columns
                                              : 1;
}

#define RUN(name, T, CONJ)                                                     \
    static bool name(const product *p)                                         \
    {                                                                          \
        T alpha = *(const T *)sw_lib_scalar_get(&p->alpha);                    \
        T beta = *(const T *)sw_lib_scalar_get(&p->beta);                      \
        bool turns = p->op != CUSPARSE_OPERATION_NON_TRANSPOSE;                \
        bool conjugates = p->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;     \
        int64_t rows = turns ? p->a.columns : p->a.rows, first, end, r, c;     \
        for (int64_t i = 0; i < rows; i++)                                     \
            for (int64_t j = 0; j < p->columns; j++) {                         \
                T *at = (T *)p->c + i * p->c_step[0] + j * p->c_step[1];       \
                *at = beta == 0 ? 0 : beta * *at;                              \
            }                                                                  \
        for (int64_t i = 0; i < majors_of(&p->a); i++) {                       \
            if (!range_of(&p->a, i, &first, &end))                             \
                return false;                                                  \
            for (int64_t k = first; k < end; k++) {                            \
                if (!place_of(&p->a, i, k, &r, &c))                            \
                    return false;                                              \
                T v = ((const T *)p->a.values)[k];                             \
                v = alpha * (conjugates ? CONJ(v) : v);                        \
                T *to = (T *)p->c + (turns ? c : r) * p->c_step[0];            \
                const T *from =                                                \
                    (const T *)p->b + (turns ? r : c) * p->b_step[0];          \
                for (int64_t j = 0; j < p->columns; j++) {                     \
                    T x = from[j * p->b_step[1]];                              \
                    to[j * p->c_step[1]] +=                                    \
                        v * (p->conjugates_b ? CONJ(x) : x);                   \
                }                                                              \
            }                                                                  \
        }                                                                      \
        return true;                                                           \
    }
RUN(run_float, float, )
RUN(run_double, double, )
RUN(run_float_complex, float complex, conjf)
RUN(run_double_complex, double complex, conj)

static bool
run(void *arg)
{
    const product *p = arg;
    return p->domain == SW_LIB_FLOAT           ? run_float(p)
           : p->domain == SW_LIB_DOUBLE        ? run_double(p)
           : p->domain == SW_LIB_FLOAT_COMPLEX ? run_float_complex(p)
                                               : run_double_complex(p);
}

static cusparseStatus_t
check(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseOperation_t op,
      cudaDataType_t b, cudaDataType_t c, cudaDataType_t compute,
      sw_lib_domain *domain)
{
    TRY(sparse_check(h));
    VALID(a && (unsigned)op <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    REQUIRE((a->format == CUSPARSE_FORMAT_CSR ||
             a->format == CUSPARSE_FORMAT_CSC ||
             a->format == CUSPARSE_FORMAT_COO) &&
                a->type == compute && b == compute && c == compute &&
                sw_lib_domain_of(compute, domain) && *domain != SW_LIB_INT,
            CUSPARSE_STATUS_NOT_SUPPORTED);
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t
submit(cusparseHandle_t h, const char *name, product *p, const void *alpha,
       const void *beta, size_t b_elements, size_t c_elements)
{
    const struct cusparseSpMatDescr *a = &p->a;
    size_t bytes = sw_lib_domain_bytes(p->domain);
    bool on_device = h->pointer_mode == CUSPARSE_POINTER_MODE_DEVICE;
    bool is_coo = a->format == CUSPARSE_FORMAT_COO;
    sw_lib_work w = {
        .name = name, .fn = run, .args = p, .arg_bytes = sizeof *p};
    VALID(alpha && beta);
    p->alpha = sw_lib_scalar_of(alpha, on_device, bytes, &w);
    p->beta = sw_lib_scalar_of(beta, on_device, bytes, &w);
    sw_lib_reads(&w, a->offsets,
                 (size_t)(is_coo ? a->nnz : majors_of(a) + 1) *
                     sparse_index_bytes(a->offset_type),
                 0, 1);
    sw_lib_reads(&w, a->indices,
                 (size_t)a->nnz * sparse_index_bytes(a->index_type), 0, 1);
    sw_lib_reads(&w, a->values, (size_t)a->nnz * bytes, 0, 1);
    sw_lib_reads(&w, p->b, b_elements * bytes, 0, 1);
    sw_lib_writes(&w, p->c, c_elements * bytes, 0, 1);
    return sparse_status(sw_lib_submit(h->stream, &w));
}

/* ---- matrix and vector ---- */

cusparseStatus_t
cusparseSpMV_bufferSize(cusparseHandle_t h, cusparseOperation_t op,
                        const void *alpha, cusparseConstSpMatDescr_t a,
                        cusparseConstDnVecDescr_t x, const void *beta,
                        cusparseDnVecDescr_t y, cudaDataType compute,
                        cusparseSpMVAlg_t alg, size_t *bytes)
{
    sw_lib_domain domain;
    (void)alg;
    VALID(alpha && beta && x && y && bytes);
    TRY(check(h, a, op, x->type, y->type, compute, &domain));
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSpMV_preprocess(cusparseHandle_t h, cusparseOperation_t op,
                        const void *alpha, cusparseConstSpMatDescr_t a,
                        cusparseConstDnVecDescr_t x, const void *beta,
                        cusparseDnVecDescr_t y, cudaDataType compute,
                        cusparseSpMVAlg_t alg, void *buffer)
{
    size_t bytes;
    (void)buffer;
    return cusparseSpMV_bufferSize(h, op, alpha, a, x, beta, y, compute, alg,
                                   &bytes);
}

cusparseStatus_t
cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha,
             cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x,
             const void *beta, cusparseDnVecDescr_t y, cudaDataType compute,
             cusparseSpMVAlg_t alg, void *buffer)
{
    product p = {.op = op, .columns = 1, .b_step = {1, 1}, .c_step = {1, 1}};
    (void)alg;
    (void)buffer;
    VALID(x && y);
    TRY(check(h, a, op, x->type, y->type, compute, &p.domain));
    bool turns = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    VALID(x->size == (turns ? a->rows : a->columns) &&
          y->size == (turns ? a->columns : a->rows));
    p.a = *a;
    p.b = x->values;
    p.c = y->values;
    return submit(h, "cusparseSpMV", &p, alpha, beta, (size_t)x->size,
                  (size_t)y->size);
}

/* ---- matrix and matrix ---- */

cusparseStatus_t
cusparseSpMM_bufferSize(cusparseHandle_t h, cusparseOperation_t op_a,
                        cusparseOperation_t op_b, const void *alpha,
                        cusparseConstSpMatDescr_t a,
                        cusparseConstDnMatDescr_t b, const void *beta,
                        cusparseDnMatDescr_t c, cudaDataType compute,
                        cusparseSpMMAlg_t alg, size_t *bytes)
{
    sw_lib_domain domain;
    (void)op_b;
    (void)alg;
    VALID(alpha && beta && b && c && bytes);
    TRY(check(h, a, op_a, b->type, c->type, compute, &domain));
    *bytes = 0;
    return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t
cusparseSpMM_preprocess(cusparseHandle_t h, cusparseOperation_t op_a,
                        cusparseOperation_t op_b, const void *alpha,
                        cusparseConstSpMatDescr_t a,
                        cusparseConstDnMatDescr_t b, const void *beta,
                        cusparseDnMatDescr_t c, cudaDataType compute,
                        cusparseSpMMAlg_t alg, void *buffer)
{
    size_t bytes;
    (void)buffer;
    return cusparseSpMM_bufferSize(h, op_a, op_b, alpha, a, b, beta, c, compute,
                                   alg, &bytes);
}

/* Elements from the first to the last. */
static size_t
extent(cusparseConstDnMatDescr_t m)
{
    bool by_columns = m->order == CUSPARSE_ORDER_COL;
    int64_t lines = by_columns ? m->columns : m->rows;
    int64_t line = by_columns ? m->rows : m->columns;
    return lines && line ? (size_t)((lines - 1) * m->ld + line) : 0;
}

cusparseStatus_t
cusparseSpMM(cusparseHandle_t h, cusparseOperation_t op_a,
             cusparseOperation_t op_b, const void *alpha,
             cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
             const void *beta, cusparseDnMatDescr_t c, cudaDataType compute,
             cusparseSpMMAlg_t alg, void *buffer)
{
    product p = {.op = op_a};
    (void)alg;
    (void)buffer;
    VALID(b && c && (unsigned)op_b <= CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    TRY(check(h, a, op_a, b->type, c->type, compute, &p.domain));
    REQUIRE(b->count == 1 && c->count == 1, CUSPARSE_STATUS_NOT_SUPPORTED);
    bool turns = op_a != CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool turns_b = op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    bool by_columns = (b->order == CUSPARSE_ORDER_COL) != turns_b;
    VALID((turns_b ? b->columns : b->rows) == (turns ? a->rows : a->columns) &&
          c->rows == (turns ? a->columns : a->rows) &&
          c->columns == (turns_b ? b->rows : b->columns));
    p.a = *a;
    p.b = b->values;
    p.c = c->values;
    p.columns = c->columns;
    p.conjugates_b = op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    p.b_step[0] = by_columns ? 1 : b->ld;
    p.b_step[1] = by_columns ? b->ld : 1;
    p.c_step[0] = c->order == CUSPARSE_ORDER_COL ? 1 : c->ld;
    p.c_step[1] = c->order == CUSPARSE_ORDER_COL ? c->ld : 1;
    return submit(h, "cusparseSpMM", &p, alpha, beta, extent(b), extent(c));
}

/* ---- rows of values and offsets of rows ---- */

typedef struct {
    const int *from;
    int *to;
    int nnz, rows, base;
} conversion;

static bool
run_to_offsets(void *arg)
{
    const conversion *t = arg;
    int k = 0;
    for (int row = 0; row <= t->rows; row++) {
        while (k < t->nnz && t->from[k] - t->base < row)
            k++;
        t->to[row] = k + t->base;
    }
    return true;
}

static bool
run_to_rows(void *arg)
{
    const conversion *t = arg;
    for (int row = 0; row < t->rows; row++) {
        int first = t->from[row] - t->base, end = t->from[row + 1] - t->base;
        if (first < 0 || end > t->nnz)
            return false;
        for (int k = first; k < end; k++)
            t->to[k] = row + t->base;
    }
    return true;
}

static cusparseStatus_t
convert(cusparseHandle_t h, const char *name, bool (*fn)(void *), conversion t)
{
    bool to_offsets = fn == run_to_offsets;
    size_t offsets = ((size_t)t.rows + 1) * sizeof(int);
    size_t rows = (size_t)t.nnz * sizeof(int);
    sw_lib_work w = {.name = name, .fn = fn, .args = &t, .arg_bytes = sizeof t};
    TRY(sparse_check(h));
    VALID(t.nnz >= 0 && t.rows >= 0);
    sw_lib_reads(&w, t.from, to_offsets ? rows : offsets, 0, 1);
    sw_lib_writes(&w, t.to, to_offsets ? offsets : rows, 0, 1);
    return sparse_status(sw_lib_submit(h->stream, &w));
}

cusparseStatus_t
cusparseXcoo2csr(cusparseHandle_t handle, const int *rows, int nnz, int m,
                 int *offsets, cusparseIndexBase_t base)
{
    return convert(handle, "cusparseXcoo2csr", run_to_offsets,
                   (conversion){rows, offsets, nnz, m, (int)base});
}

cusparseStatus_t
cusparseXcsr2coo(cusparseHandle_t handle, const int *offsets, int nnz, int m,
                 int *rows, cusparseIndexBase_t base)
{
    return convert(handle, "cusparseXcsr2coo", run_to_rows,
                   (conversion){offsets, rows, nnz, m, (int)base});
}
