/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul.c - cuBLASLt: D = epilogue(alpha * op(A) * op(B) + beta * C).
 *
 * Sums are made by lib/common/gemm.h, of matrices by columns. A matrix by rows
 * is the transposed one by columns; if D is by rows the transposed product is
 * computed. What comes after the sums (vectors of alpha, bias, activations,
 * scales) is done column by column before they are rounded.
 */
#include "lib/cublaslt/lt.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "lib/common/gemm.h"

/* What an epilogue is made of: bits of cublasLtEpilogue_t. */
enum {
    RELU = 2,
    BIAS = 4,
    DRELU = 8,
    BIAS_GRADIENT = 16,
    GELU = 32,
    DGELU = 64,
    AUXILIARY = 128,
    GRADIENT_A = 256,
    GRADIENT_B = 512,
    KNOWN = 1023
};

/* Of a matrix in the product as it is computed. */
typedef struct {
    const void *at;
    int64_t stride; /* elements, from one of the batch to the next */
} operand;

typedef struct {
    sw_lib_gemm g;
    lt_matmul m;
    cudaDataType_t scale; /* of alpha and beta */
    sw_lib_scalar alpha, beta;
    const void *alpha_vector; /* on the device, or NULL */
    bool is_turned;           /* the transposed product is computed */
    operand a, b, c, d;
    int64_t count;
} product;

/* One product of the batch, while its columns are finished. */
typedef struct {
    const product *p;
    const void *alpha_vector, *c;
    const void *bias;
    char *aux;
    double beta, out_scale, aux_scale; /* beta with alpha's vector alone */
    double amax, aux_amax;
    double *gradient; /* a sum for each row (column) of D, or NULL */
    double *column;   /* m numbers */
    double *old;
} finishing;

/* ---- numbers ---- */

/* n elements of any real type as doubles. */
static void
load_reals(cudaDataType_t type, const void *from, int64_t n, double *to)
{
    sw_lib_load(type, from, (size_t)n, SW_LIB_DOUBLE, to);
}

static cudaDataType_t
type_of(sw_lib_domain domain)
{
    return domain == SW_LIB_DOUBLE ? CUDA_R_64F : CUDA_R_32F;
}

static double
read_scale(const float *at)
{
    return at ? (double)*at : 1;
}

/* GELU by the hyperbolic tangent, as the real library computes it. */
static double
gelu(double x, double *slope)
{
    static const double k = 0.7978845608028654, cubic = 0.044715;
    double t = tanh(k * (x + cubic * x * x * x));
    *slope =
        0.5 * (1 + t) + 0.5 * x * (1 - t * t) * k * (1 + 3 * cubic * x * x);
    return 0.5 * x * (1 + t);
}

/* ---- epilogues ---- */

static double
bias_at(const finishing *f, int64_t i)
{
    cudaDataType_t type = (cudaDataType_t)f->p->m.bias_type;
    double value;
    load_reals(type,
               (const char *)f->bias + (int64_t)sw_lib_element_bytes(type) * i,
               1, &value);
    return value;
}

/* Activations of column j, whose numbers are in f->column. */
static void
activate(finishing *f, int64_t j)
{
    const lt_matmul *m = &f->p->m;
    int64_t rows = f->p->g.m;
    cudaDataType_t type = (cudaDataType_t)m->aux_type;
    char *aux =
        f->aux ? f->aux + (int64_t)sw_lib_element_bytes(type) * m->aux_ld * j
               : NULL;
    unsigned char *mask =
        f->aux ? (unsigned char *)f->aux + m->aux_ld * j / CHAR_BIT : NULL;
    double *x = f->column, slope;
    if (m->epilogue & (GELU | DGELU) && aux) {
        if (m->epilogue & DGELU) {
            load_reals(type, aux, rows, f->old);
        } else {
            for (int64_t i = 0; i < rows; i++) {
                f->aux_amax = fmax(f->aux_amax, fabs(x[i]));
                f->old[i] = x[i] * f->aux_scale;
            }
            sw_lib_store(type, aux, (size_t)rows, SW_LIB_DOUBLE, f->old);
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        unsigned char bit = (unsigned char)(1u << i % CHAR_BIT);
        if (m->epilogue & DGELU) {
            gelu(f->old[i], &slope);
            x[i] *= slope;
        } else if (m->epilogue & DRELU) {
            x[i] = mask[i / CHAR_BIT] & bit ? x[i] : 0;
        } else if (m->epilogue & GELU) {
            x[i] = gelu(x[i], &slope);
        } else if (m->epilogue & RELU) {
            bool is_positive = x[i] > 0;
            if (mask && is_positive)
                mask[i / CHAR_BIT] |= bit;
            else if (mask)
                mask[i / CHAR_BIT] &= (unsigned char)~bit;
            x[i] = is_positive || isnan(x[i]) ? x[i] : 0;
        }
    }
}

static void
finish_column(finishing *f, int64_t j)
{
    const product *p = f->p;
    const lt_matmul *m = &p->m;
    int64_t rows = p->g.m;
    double *x = f->column;
    if (f->alpha_vector) {
        bool adds = f->beta != 0;
        int64_t bytes = (int64_t)sw_lib_element_bytes(p->scale), at;
        double alpha;
        if (adds)
            load_reals(p->g.c,
                       (const char *)f->c +
                           (int64_t)sw_lib_element_bytes(p->g.c) * j * p->g.ldc,
                       rows, f->old);
        for (int64_t i = 0; i < rows; i++) {
            at = p->is_turned ? j : i;
            load_reals(p->scale, (const char *)f->alpha_vector + bytes * at, 1,
                       &alpha);
            x[i] = alpha * x[i] + (adds ? f->beta * f->old[i] : 0);
        }
    }
    if (m->epilogue & BIAS)
        for (int64_t i = 0; i < rows; i++)
            x[i] += bias_at(f, p->is_turned ? j : i);
    activate(f, j);
    if (f->gradient)
        for (int64_t i = 0; i < rows; i++)
            f->gradient[p->is_turned ? j : i] += x[i];
    if (m->amax)
        for (int64_t i = 0; i < rows; i++)
            f->amax = fmax(f->amax, fabs(x[i]));
    for (int64_t i = 0; i < rows; i++)
        x[i] *= f->out_scale;
}

static void
finish(void *arg, void *sums, int64_t j, int64_t columns)
{
    finishing *f = arg;
    const sw_lib_gemm *g = &f->p->g;
    cudaDataType_t type = type_of(g->domain);
    for (int64_t i = 0; i < columns; i++) {
        char *column =
            (char *)sums + sw_lib_domain_bytes(g->domain) * (size_t)(i * g->m);
        load_reals(type, column, g->m, f->column);
        finish_column(f, j + i);
        sw_lib_store(type, column, (size_t)g->m, SW_LIB_DOUBLE, f->column);
    }
}

/* The sums of op(A)'s rows, or of op(B)'s columns, as the bias' gradient. */
static void
sum_operand(const product *p, double *sums)
{
    bool is_a = ((p->m.epilogue & GRADIENT_A) != 0) != p->is_turned;
    const sw_lib_gemm *g = &p->g;
    int op = is_a ? g->op_a : g->op_b;
    cudaDataType_t type = is_a ? g->a : g->b;
    int64_t n = is_a ? g->m : g->n, ld = is_a ? g->lda : g->ldb;
    const char *at = is_a ? p->a.at : p->b.at;
    bool by_columns = is_a == (op == 'N' || op == 'R');
    int64_t bytes = (int64_t)sw_lib_element_bytes(type);
    double x;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int64_t k = 0; k < g->k; k++)
        for (int64_t i = 0; i < n; i++) {
            load_reals(type,
                       at + bytes * (by_columns ? k * ld + i : i * ld + k), 1,
                       &x);
            sums[i] += x;
        }
}

/* ---- running ---- */

static const void *
nth(const operand *o, cudaDataType_t type, int64_t i)
{
    return (const char *)o->at +
           (int64_t)sw_lib_element_bytes(type) * o->stride * i;
}

static bool
needs_finish(const product *p)
{
    const lt_matmul *m = &p->m;
    return m->epilogue & (RELU | BIAS | DRELU | BIAS_GRADIENT | GELU | DGELU) ||
           p->alpha_vector || m->amax || m->scales[3];
}

static void
multiply_scale(sw_lib_domain domain, void *number, double scale)
{
    double parts[2];
    bool is_complex =
        domain == SW_LIB_FLOAT_COMPLEX || domain == SW_LIB_DOUBLE_COMPLEX;
    cudaDataType_t type = domain == SW_LIB_DOUBLE          ? CUDA_R_64F
                          : domain == SW_LIB_FLOAT         ? CUDA_R_32F
                          : domain == SW_LIB_FLOAT_COMPLEX ? CUDA_C_32F
                                                           : CUDA_C_64F;
    if (domain == SW_LIB_INT || !(scale != 1))
        return;
    sw_lib_load(type, number, 1, SW_LIB_DOUBLE_COMPLEX, parts);
    parts[0] *= scale;
    parts[1] *= scale;
    sw_lib_store(type, number, 1,
                 is_complex ? SW_LIB_DOUBLE_COMPLEX : SW_LIB_DOUBLE, parts);
}

static void
run_one(const product *p, sw_lib_gemm *g, finishing *f, const void *alpha,
        const void *beta, int64_t i)
{
    static const float one = 1;
    static const double precise_one = 1;
    static const unsigned char zero[16];
    void *d = (void *)(uintptr_t)nth(&p->d, g->d, i);
    const void *c = nth(&p->c, g->c, i);
    if (f) {
        const lt_matmul *m = &p->m;
        int64_t aux_bytes =
            m->epilogue & (GELU | DGELU)
                ? (int64_t)sw_lib_element_bytes((cudaDataType_t)m->aux_type)
                : 1;
        f->c = c;
        f->bias = m->bias ? (const char *)m->bias +
                                (int64_t)sw_lib_element_bytes(
                                    (cudaDataType_t)m->bias_type) *
                                    m->bias_stride * i
                          : NULL;
        f->aux = m->epilogue & AUXILIARY
                     ? (char *)m->aux + (m->epilogue & (GELU | DGELU)
                                             ? aux_bytes * m->aux_stride
                                             : m->aux_stride / CHAR_BIT) *
                                            i
                     : NULL;
        f->alpha_vector = p->alpha_vector
                              ? (const char *)p->alpha_vector +
                                    (int64_t)sw_lib_element_bytes(p->scale) *
                                        p->m.alpha_stride * i
                              : NULL;
    }
    if (p->alpha_vector) {
        alpha = g->domain == SW_LIB_DOUBLE ? (const void *)&precise_one
                                           : (const void *)&one;
        beta = zero;
    }
    sw_lib_gemm_run(g, alpha, nth(&p->a, g->a, i), nth(&p->b, g->b, i), beta, c,
                    d);
}

static void
store_gradient(const product *p, const double *sums, int64_t i)
{
    const lt_matmul *m = &p->m;
    cudaDataType_t type = (cudaDataType_t)m->bias_type;
    bool by_rows = (m->epilogue & GRADIENT_B) == 0;
    int64_t n = by_rows != p->is_turned ? p->g.m : p->g.n;
    sw_lib_store(type,
                 (char *)m->bias +
                     (int64_t)sw_lib_element_bytes(type) * m->bias_stride * i,
                 (size_t)n, SW_LIB_DOUBLE, sums);
}

static bool
run(void *arg)
{
    const product *p = arg;
    const lt_matmul *m = &p->m;
    sw_lib_gemm g = p->g;
    _Alignas(16) unsigned char alpha[16], beta[16];
    size_t longest = (size_t)(g.m > g.n ? g.m : g.n) + 1;
    double *space = sw_alloc(3 * longest * sizeof *space);
    finishing f = {.p = p,
                   .out_scale = read_scale(m->scales[3]),
                   .aux_scale = read_scale(m->aux_scale),
                   .column = space,
                   .old = space + longest,
                   .gradient = m->epilogue & BIAS_GRADIENT ? space + 2 * longest
                                                           : NULL};
    if (!p->alpha_vector)
        sw_lib_load(p->scale, sw_lib_scalar_get(&p->alpha), 1, g.domain, alpha);
    sw_lib_load(p->scale, sw_lib_scalar_get(&p->beta), 1, g.domain, beta);
    if (p->alpha_vector)
        load_reals(p->scale, sw_lib_scalar_get(&p->beta), 1, &f.beta);
    multiply_scale(g.domain, alpha,
                   read_scale(m->scales[0]) * read_scale(m->scales[1]));
    multiply_scale(g.domain, beta, read_scale(m->scales[2]));
    if (needs_finish(p)) {
        g.finish = finish;
        g.finish_arg = &f;
    }
    for (int64_t i = 0; i < p->count; i++) {
        if (f.gradient)
            memset(f.gradient, 0, longest * sizeof *f.gradient);
        run_one(p, &g, g.finish ? &f : NULL, alpha, beta, i);
        if (f.gradient)
            store_gradient(p, f.gradient, i);
        if (m->epilogue & (GRADIENT_A | GRADIENT_B)) {
            sum_operand(p, space);
            store_gradient(p, space, i);
        }
    }
    if (m->amax)
        *m->amax = (float)f.amax;
    if (m->aux_amax)
        *m->aux_amax = (float)f.aux_amax;
    sw_free(space);
    return true;
}

/* ---- checking ---- */

static bool
domain_of(const lt_matmul *m, sw_lib_domain *domain)
{
    bool is_int = m->compute == CUBLAS_COMPUTE_32I ||
                  m->compute == CUBLAS_COMPUTE_32I_PEDANTIC;
    switch (m->scale) {
    case CUDA_R_16F:
        *domain = SW_LIB_FLOAT;
        return !is_int;
    case CUDA_R_32F: /* sums of bytes are exact in a double */
        *domain = is_int ? SW_LIB_DOUBLE : SW_LIB_FLOAT;
        return true;
    case CUDA_R_64F:
        *domain = SW_LIB_DOUBLE;
        return !is_int;
    case CUDA_C_32F:
        *domain = SW_LIB_FLOAT_COMPLEX;
        return !is_int;
    case CUDA_C_64F:
        *domain = SW_LIB_DOUBLE_COMPLEX;
        return !is_int;
    case CUDA_R_32I:
        *domain = SW_LIB_INT;
        return is_int;
    default:
        return false;
    }
}

/* Where the sums are integers D is them, else no element is wider than the
 * sums, and all are complex or none. */
static bool
types_fit(const lt_matmul *m, const lt_layout *const l[4])
{
    sw_lib_domain domain;
    if (!domain_of(m, &domain))
        return false;
    bool is_complex =
        domain == SW_LIB_FLOAT_COMPLEX || domain == SW_LIB_DOUBLE_COMPLEX;
    for (int i = 0; i < 4; i++) {
        cudaDataType_t type = (cudaDataType_t)l[i]->type;
        bool is_double = type == CUDA_R_64F || type == CUDA_C_64F;
        if (!sw_lib_element_bytes(type) ||
            sw_lib_element_is_complex(type) != is_complex ||
            (is_double &&
             (domain == SW_LIB_FLOAT || domain == SW_LIB_FLOAT_COMPLEX)))
            return false;
    }
    if (domain == SW_LIB_INT)
        return l[0]->type == CUDA_R_8I && l[1]->type == CUDA_R_8I &&
               l[2]->type == CUDA_R_32I && l[3]->type == CUDA_R_32I;
    return true;
}

static bool
order_is_known(const lt_layout *l)
{
    return (l->order == CUBLASLT_ORDER_COL || l->order == CUBLASLT_ORDER_ROW) &&
           l->batch_mode == CUBLASLT_BATCH_MODE_STRIDED && !l->plane;
}

static bool
is_plain(int32_t op)
{
    return op == CUBLAS_OP_N || op == CUBLAS_OP_CONJG;
}

static bool
shape_is_sound(const lt_layout *l)
{
    uint64_t least = l->order == CUBLASLT_ORDER_ROW ? l->columns : l->rows;
    return l->count >= 1 && l->ld >= (int64_t)least && l->rows <= INT_MAX &&
           l->columns <= INT_MAX;
}

static cublasStatus_t
check_epilogue(const lt_matmul *m, const lt_layout *d)
{
    sw_lib_domain domain;
    domain_of(m, &domain);
    SUPPORTED(!(m->epilogue & ~(uint32_t)KNOWN));
    if (m->epilogue & ~1u || m->amax || m->scales[3] ||
        m->pointer_mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
        SUPPORTED(domain == SW_LIB_FLOAT || domain == SW_LIB_DOUBLE);
    for (int i = 0; i < 6; i++)
        SUPPORTED(m->scale_modes[i] == CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F);
    SUPPORTED(!m->out_scale && m->op[2] == CUBLAS_OP_N &&
              m->fill == CUBLAS_FILL_MODE_FULL);
    VALID((unsigned)m->pointer_mode <=
          CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST);
    if (m->epilogue & AUXILIARY) {
        uint64_t rows = d->order == CUBLASLT_ORDER_ROW ? d->columns : d->rows;
        VALID(m->aux_ld >= (int64_t)rows);
        SUPPORTED(m->epilogue & (GELU | DGELU) || m->aux_ld % CHAR_BIT == 0);
    }
    return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t
lt_matmul_check(const lt_matmul *m, const lt_layout *a, const lt_layout *b,
                const lt_layout *c, const lt_layout *d)
{
    const lt_layout *l[4] = {a, b, c, d};
    VALID(lt_is_op(m->op[0]) && lt_is_op(m->op[1]));
    for (int i = 0; i < 4; i++) {
        SUPPORTED(order_is_known(l[i]));
        VALID(shape_is_sound(l[i]) && l[i]->count == d->count);
    }
    SUPPORTED(types_fit(m, l) && c->order == d->order);
    uint64_t rows = is_plain(m->op[0]) ? a->rows : a->columns;
    uint64_t inner = is_plain(m->op[0]) ? a->columns : a->rows;
    uint64_t columns = is_plain(m->op[1]) ? b->columns : b->rows;
    VALID(inner == (is_plain(m->op[1]) ? b->rows : b->columns) &&
          d->rows == rows && d->columns == columns && c->rows == rows &&
          c->columns == columns);
    return check_epilogue(m, d);
}

/* ---- the product as it is computed ---- */

/* Of a stored matrix: 'N', 'T', 'C', 'R' after turning once for its order and
 * once if the whole product is turned. */
static int
operation(int32_t op, const lt_layout *l, bool is_turned)
{
    bool turns = !is_plain(op),
         conjugates = op == CUBLAS_OP_C || op == CUBLAS_OP_CONJG;
    conjugates =
        conjugates && sw_lib_element_is_complex((cudaDataType_t)l->type);
    turns ^= (l->order == CUBLASLT_ORDER_ROW) ^ is_turned;
    return turns ? conjugates ? 'C' : 'T' : conjugates ? 'R' : 'N';
}

static void
add_matrix(sw_lib_work *w, bool writes, const void *at, const lt_layout *l)
{
    bool by_rows = l->order == CUBLASLT_ORDER_ROW;
    int64_t bytes = (int64_t)sw_lib_element_bytes((cudaDataType_t)l->type);
    int64_t height = (int64_t)(by_rows ? l->columns : l->rows);
    int64_t width = (int64_t)(by_rows ? l->rows : l->columns);
    int64_t last = (width - 1) * l->ld + height;
    void (*add)(sw_lib_work *, const void *, size_t, size_t, size_t) =
        writes ? sw_lib_writes : sw_lib_reads;
    if (!height || !width)
        return;
    if (l->count == 1 || !l->stride)
        add(w, at, (size_t)(height * bytes), (size_t)(l->ld * bytes),
            (size_t)width);
    else if (l->stride > 0)
        add(w, at, (size_t)(last * bytes), (size_t)(l->stride * bytes),
            (size_t)l->count);
}

static void
add_vector(sw_lib_work *w, bool writes, const void *at, cudaDataType_t type,
           int64_t n, int64_t stride, int64_t count)
{
    size_t bytes = sw_lib_element_bytes(type);
    (writes ? sw_lib_writes : sw_lib_reads)(w, at, (size_t)n * bytes,
                                            (size_t)stride * bytes,
                                            stride > 0 ? (size_t)count : 1);
}

static void
add_extras(sw_lib_work *w, const product *p, const lt_layout *d)
{
    const lt_matmul *m = &p->m;
    for (int i = 0; i < 4; i++)
        if (m->scales[i])
            sw_lib_reads(w, m->scales[i], sizeof(float), 0, 1);
    if (m->amax)
        sw_lib_writes(w, m->amax, sizeof(float), 0, 1);
    if (m->aux_amax)
        sw_lib_writes(w, m->aux_amax, sizeof(float), 0, 1);
    if (p->alpha_vector)
        add_vector(w, false, p->alpha_vector, p->scale, (int64_t)d->rows,
                   m->alpha_stride, p->count);
    if (m->epilogue & (BIAS | BIAS_GRADIENT | GRADIENT_A | GRADIENT_B))
        add_vector(w, !(m->epilogue & BIAS), m->bias,
                   (cudaDataType_t)m->bias_type,
                   (int64_t)(m->epilogue & GRADIENT_B ? d->columns : d->rows),
                   m->bias_stride, p->count);
    if (m->epilogue & AUXILIARY) {
        bool is_mask = !(m->epilogue & (GELU | DGELU));
        lt_layout aux = *d;
        aux.type = is_mask ? CUDA_R_8I : m->aux_type;
        aux.ld = is_mask ? m->aux_ld / CHAR_BIT : m->aux_ld;
        aux.stride = is_mask ? m->aux_stride / CHAR_BIT : m->aux_stride;
        uint64_t *rows =
            aux.order == CUBLASLT_ORDER_ROW ? &aux.columns : &aux.rows;
        *rows = is_mask ? (*rows + CHAR_BIT - 1) / CHAR_BIT : *rows;
        add_matrix(w, !(m->epilogue & (DRELU | DGELU)), m->aux, &aux);
    }
}

static void
arrange(product *p, const lt_layout *a, const lt_layout *b, const lt_layout *c,
        const lt_layout *d)
{
    bool turned = p->is_turned = d->order == CUBLASLT_ORDER_ROW;
    const lt_layout *first = turned ? b : a, *second = turned ? a : b;
    int32_t op_first = p->m.op[turned], op_second = p->m.op[!turned];
    domain_of(&p->m, &p->g.domain);
    p->g.op_a = operation(op_first, first, turned);
    p->g.op_b = operation(op_second, second, turned);
    p->g.m = (int64_t)(turned ? d->columns : d->rows);
    p->g.n = (int64_t)(turned ? d->rows : d->columns);
    p->g.k = (int64_t)(is_plain(p->m.op[0]) ? a->columns : a->rows);
    p->g.a = (cudaDataType_t)first->type;
    p->g.b = (cudaDataType_t)second->type;
    p->g.c = (cudaDataType_t)c->type;
    p->g.d = (cudaDataType_t)d->type;
    p->g.lda = first->ld;
    p->g.ldb = second->ld;
    p->g.ldc = c->ld;
    p->g.ldd = d->ld;
    p->count = d->count;
    p->c.stride = c->stride;
    p->d.stride = d->stride;
    if (turned) {
        operand swap = p->a;
        p->a = p->b;
        p->b = swap;
    }
    p->a.stride = first->stride;
    p->b.stride = second->stride;
}

static void
take_scalars(product *p, sw_lib_work *w, const void *alpha, const void *beta)
{
    static const unsigned char zero[16];
    size_t bytes = sw_lib_element_bytes(p->scale);
    int32_t mode = p->m.pointer_mode;
    if (mode >= CUBLASLT_POINTER_MODE_DEVICE_VECTOR)
        p->alpha_vector = alpha;
    else
        p->alpha = sw_lib_scalar_of(alpha, mode == CUBLASLT_POINTER_MODE_DEVICE,
                                    bytes, w);
    if (mode == CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO)
        beta = zero;
    p->beta =
        sw_lib_scalar_of(beta, mode == CUBLASLT_POINTER_MODE_DEVICE, bytes, w);
}

static bool
is_zero(const product *p)
{
    static const unsigned char zero[16];
    return !p->beta.device && memcmp(p->beta.value, zero, sizeof zero) == 0;
}

cublasStatus_t
cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
               const void *alpha, const void *a, cublasLtMatrixLayout_t a_desc,
               const void *b, cublasLtMatrixLayout_t b_desc, const void *beta,
               const void *c, cublasLtMatrixLayout_t c_desc, void *d,
               cublasLtMatrixLayout_t d_desc, const cublasLtMatmulAlgo_t *algo,
               void *workspace, size_t workspace_bytes, cudaStream_t stream)
{
    const lt_layout *la = (const void *)a_desc, *lb = (const void *)b_desc;
    const lt_layout *lc = (const void *)c_desc, *ld = (const void *)d_desc;
    const lt_algorithm *chosen = (const void *)algo;
    (void)workspace, (void)workspace_bytes;
    TRY(lt_check(handle));
    VALID(desc && alpha && la && lb && lc && ld && d);
    VALID(!chosen || (chosen->magic == LT_ALGORITHM && !chosen->id));
    product p = {.m = *(const lt_matmul *)(const void *)desc,
                 .a = {a, 0},
                 .b = {b, 0},
                 .c = {c, 0},
                 .d = {d, 0}};
    TRY(lt_matmul_check(&p.m, la, lb, lc, ld));
    VALID(beta || p.m.pointer_mode ==
                      CUBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_ZERO);
    SUPPORTED(p.m.pointer_mode != CUBLASLT_POINTER_MODE_DEVICE_VECTOR);
    REQUIRE(sw_lib_gemm_prepare(), CUBLAS_STATUS_NOT_INITIALIZED);
    p.scale = (cudaDataType_t)p.m.scale;
    if (p.m.bias_type < 0)
        p.m.bias_type = ld->type;
    if (p.m.aux_type < 0)
        p.m.aux_type = ld->type;
    VALID(!(p.m.epilogue & (BIAS | BIAS_GRADIENT | GRADIENT_A | GRADIENT_B)) ||
          p.m.bias);
    VALID(!(p.m.epilogue & AUXILIARY) || p.m.aux);
    arrange(&p, la, lb, lc, ld);
    sw_lib_work w = {
        .name = "cublasLtMatmul", .fn = run, .args = &p, .arg_bytes = sizeof p};
    take_scalars(&p, &w, alpha, beta);
    VALID(a && b && (c || is_zero(&p)));
    add_matrix(&w, false, a, la);
    add_matrix(&w, false, b, lb);
    if (!is_zero(&p))
        add_matrix(&w, false, c, lc);
    else
        p.c = p.d;
    if (is_zero(&p)) {
        p.g.c = p.g.d;
        p.g.ldc = p.g.ldd;
    }
    add_matrix(&w, true, d, ld);
    add_extras(&w, &p, ld);
    return lt_status(sw_lib_submit((CUstream)stream, &w));
}
