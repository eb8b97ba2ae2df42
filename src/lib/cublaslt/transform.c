/* SPDX-License-Identifier: Apache-2.0 */
/* transform.c - cuBLASLt: C = alpha * op(A) + beta * op(B), types and orders.
 */
#include "lib/cublaslt/lt.h"

#include "lib/common/numbers.h"

typedef struct {
    lt_layout a, b, c;
    const void *at_a, *at_b; /* at_b NULL: none */
    void *at_c;
    cudaDataType_t scale;
    sw_lib_domain domain; /* a real or a complex one */
    int32_t op[2];
    sw_lib_scalar alpha, beta;
} change;

/* Where element (row, column) of the i-th of a batch lies, in elements. */
static int64_t
place_of(const lt_layout *l, int64_t row, int64_t column, int64_t i)
{
    return i * l->stride + (l->order == CUBLASLT_ORDER_ROW
                                ? row * l->ld + column
                                : column * l->ld + row);
}

static void
read_one(const lt_layout *l, const void *at, int32_t op, int64_t row,
         int64_t column, int64_t i, double out[2])
{
    cudaDataType_t type = (cudaDataType_t)l->type;
    bool is_plain = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
    int64_t place =
        place_of(l, is_plain ? row : column, is_plain ? column : row, i);
    out[1] = 0;
    sw_lib_load(type,
                (const char *)at + (int64_t)sw_lib_element_bytes(type) * place,
                1, SW_LIB_DOUBLE_COMPLEX, out);
    if (op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG)
        out[1] = -out[1];
}

static bool
run(void *arg)
{
    const change *t = arg;
    double alpha[2] = {0}, beta[2] = {0}, x[2], y[2] = {0}, sum[2];
    cudaDataType_t type = (cudaDataType_t)t->c.type;
    sw_lib_load(t->scale, sw_lib_scalar_get(&t->alpha), 1,
                SW_LIB_DOUBLE_COMPLEX, alpha);
    sw_lib_load(t->scale, sw_lib_scalar_get(&t->beta), 1, SW_LIB_DOUBLE_COMPLEX,
                beta);
    for (int64_t i = 0; i < t->c.count; i++)
        for (int64_t column = 0; column < (int64_t)t->c.columns; column++)
            for (int64_t row = 0; row < (int64_t)t->c.rows; row++) {
                read_one(&t->a, t->at_a, t->op[0], row, column, i, x);
                if (t->at_b)
                    read_one(&t->b, t->at_b, t->op[1], row, column, i, y);
                sum[0] = alpha[0] * x[0] - alpha[1] * x[1] + beta[0] * y[0] -
                         beta[1] * y[1];
                sum[1] = alpha[0] * x[1] + alpha[1] * x[0] + beta[0] * y[1] +
                         beta[1] * y[0];
                sw_lib_store(type,
                             (char *)t->at_c +
                                 (int64_t)sw_lib_element_bytes(type) *
                                     place_of(&t->c, row, column, i),
                             1, t->domain, sum);
            }
    return true;
}

static bool
fits(const lt_layout *l, int32_t op, const lt_layout *c)
{
    bool is_plain = op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
    return (is_plain ? l->rows : l->columns) == c->rows &&
           (is_plain ? l->columns : l->rows) == c->columns &&
           l->count == c->count;
}

static bool
is_known(const lt_layout *l)
{
    return (l->order == CUBLASLT_ORDER_COL || l->order == CUBLASLT_ORDER_ROW) &&
           sw_lib_element_bytes((cudaDataType_t)l->type);
}

static void
add(sw_lib_work *w, bool writes, const void *at, const lt_layout *l)
{
    size_t bytes = sw_lib_element_bytes((cudaDataType_t)l->type);
    if (!l->rows || !l->columns)
        return;
    int64_t last = place_of(l, (int64_t)l->rows - 1, (int64_t)l->columns - 1,
                            l->stride > 0 ? l->count - 1 : 0);
    (writes ? sw_lib_writes : sw_lib_reads)(w, at, (size_t)(last + 1) * bytes,
                                            0, 1);
}

cublasStatus_t
cublasLtMatrixTransform(cublasLtHandle_t handle,
                        cublasLtMatrixTransformDesc_t desc, const void *alpha,
                        const void *a, cublasLtMatrixLayout_t a_desc,
                        const void *beta, const void *b,
                        cublasLtMatrixLayout_t b_desc, void *c,
                        cublasLtMatrixLayout_t c_desc, cudaStream_t stream)
{
    static const unsigned char zero[16];
    const lt_transform *how = (const void *)desc;
    TRY(lt_check(handle));
    VALID(how && alpha && a && a_desc && c && c_desc && (!b || b_desc) &&
          (!b || beta));
    change t = {.a = *(const lt_layout *)(const void *)a_desc,
                .c = *(const lt_layout *)(const void *)c_desc,
                .at_a = a,
                .at_b = b,
                .at_c = c,
                .scale = (cudaDataType_t)how->scale,
                .op = {how->op[0], how->op[1]}};
    if (b)
        t.b = *(const lt_layout *)(const void *)b_desc;
    VALID(lt_is_op(t.op[0]) && lt_is_op(t.op[1]) && fits(&t.a, t.op[0], &t.c) &&
          (!b || fits(&t.b, t.op[1], &t.c)));
    SUPPORTED(is_known(&t.a) && is_known(&t.c) && (!b || is_known(&t.b)) &&
              sw_lib_element_bytes(t.scale));
    t.domain = sw_lib_element_is_complex((cudaDataType_t)t.c.type)
                   ? SW_LIB_DOUBLE_COMPLEX
                   : SW_LIB_DOUBLE;
    bool on_device = how->pointer_mode == CUBLASLT_POINTER_MODE_DEVICE;
    SUPPORTED(on_device || how->pointer_mode == CUBLASLT_POINTER_MODE_HOST);
    sw_lib_work w = {.name = "cublasLtMatrixTransform",
                     .fn = run,
                     .args = &t,
                     .arg_bytes = sizeof t};
    size_t bytes = sw_lib_element_bytes(t.scale);
    t.alpha = sw_lib_scalar_of(alpha, on_device, bytes, &w);
    t.beta = beta ? sw_lib_scalar_of(beta, on_device, bytes, &w)
                  : sw_lib_scalar_of(zero, false, sizeof zero, &w);
    add(&w, false, a, &t.a);
    if (b)
        add(&w, false, b, &t.b);
    add(&w, true, c, &t.c);
    return lt_status(sw_lib_submit((CUstream)stream, &w));
}
