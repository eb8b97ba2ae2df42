/* SPDX-License-Identifier: Apache-2.0 */
/* gemm.c - see gemm.h. */
#include "lib/common/gemm.h"

#include <pthread.h>
#include <string.h>

enum {
    BLOCK_BYTES = 8 << 20, /* of sums at a time, where they are apart */
    EXACT_TERMS = 512 /* products of bytes (to 2^15) whose sum a float holds */
};

typedef void gemm_routine(const void *, const void *, const int *, const int *,
                          const int *, const void *, const void *, const int *,
                          const void *, const int *, const void *, void *,
                          const int *, size_t, size_t);

static gemm_routine *routines[4];

static void
find_routines(void)
{
    for (int i = 0; i < 4; i++)
        routines[i] = (gemm_routine *)(void (*)(void))sw_lib_find_routine(
            "gemm", (sw_lib_type)i, NULL);
}

bool
sw_lib_gemm_prepare(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_routines);
    return routines[0] != NULL;
}

/* A matrix of numbers. */
typedef struct {
    const char *at;
    int64_t ld;
    void *owned; /* what `at` was converted to, or NULL */
} numbers;

static const unsigned char one[4][16] = {{0, 0, 0x80, 0x3f},
                                         {0, 0, 0, 0, 0, 0, 0xf0, 0x3f},
                                         {0, 0, 0x80, 0x3f},
                                         {0, 0, 0, 0, 0, 0, 0xf0, 0x3f}};
static const unsigned char zero[16];

static void
multiply(sw_lib_domain domain, int op_a, int op_b, int64_t m, int64_t n,
         int64_t k, const void *alpha, const void *a, int64_t lda,
         const void *b, int64_t ldb, const void *beta, void *c, int64_t ldc)
{
    char ta = (char)op_a, tb = (char)op_b;
    int im = (int)m, in = (int)n, ik = (int)k, la = (int)lda, lb = (int)ldb,
        lc = (int)ldc;
    if (m && n)
        routines[domain](&ta, &tb, &im, &in, &ik, alpha, a, &la, b, &lb, beta,
                         c, &lc, 1, 1);
}

/* rows x columns elements as numbers; where they are of another type, copied.
 */
static numbers
load(cudaDataType_t type, const void *at, int64_t ld, int64_t rows,
     int64_t columns, sw_lib_domain domain)
{
    sw_lib_domain own;
    size_t bytes = sw_lib_domain_bytes(domain);
    if (sw_lib_domain_of(type, &own) && own == domain)
        return (numbers){at, ld, NULL};
    int64_t height = rows ? rows : 1;
    char *copy = sw_alloc((size_t)(height * (columns ? columns : 1)) * bytes);
    size_t step = sw_lib_element_bytes(type) * (size_t)ld;
    for (int64_t j = 0; j < columns; j++)
        sw_lib_load(type, (const char *)at + (size_t)j * step, (size_t)rows,
                    domain, copy + (size_t)(j * height) * bytes);
    return (numbers){copy, height, copy};
}

static bool
is_plain(int op)
{
    return op == 'N' || op == 'R';
}

static const char *
part(const numbers *x, bool along_rows, int64_t at, size_t bytes)
{
    return x->at + (size_t)(along_rows ? at : at * x->ld) * bytes;
}

/* sums += alpha * part of the product + beta * C, per element. */
static void
combine_reals(sw_lib_domain domain, int64_t n, const void *alpha, void *sums,
              const void *beta, const void *c)
{
    if (domain == SW_LIB_FLOAT) {
        float *s = sums, a = *(const float *)alpha, b = *(const float *)beta;
        for (int64_t i = 0; i < n; i++)
            s[i] = c ? a * s[i] + b * ((const float *)c)[i] : a * s[i];
    } else if (domain == SW_LIB_DOUBLE) {
        double *s = sums, a = *(const double *)alpha, b = *(const double *)beta;
        for (int64_t i = 0; i < n; i++)
            s[i] = c ? a * s[i] + b * ((const double *)c)[i] : a * s[i];
    } else {
        uint32_t *s = sums, a = *(const uint32_t *)alpha;
        uint32_t b = *(const uint32_t *)beta;
        for (int64_t i = 0; i < n; i++)
            s[i] = a * s[i] + (c ? b * ((const uint32_t *)c)[i] : 0);
    }
}

#define COMBINE_COMPLEX(T)                                                     \
    do {                                                                       \
        const T *a = alpha, *b = beta, *z = c;                                 \
        T *s = sums;                                                           \
        for (int64_t i = 0; i < 2 * n; i += 2) {                               \
            T re = a[0] * s[i] - a[1] * s[i + 1];                              \
            T im = a[0] * s[i + 1] + a[1] * s[i];                              \
            s[i] = z ? re + b[0] * z[i] - b[1] * z[i + 1] : re;                \
            s[i + 1] = z ? im + b[0] * z[i + 1] + b[1] * z[i] : im;            \
        }                                                                      \
    } while (0)

/* alpha * sums + beta * C, of n numbers; c NULL: without it. */
static void
combine(sw_lib_domain domain, int64_t n, const void *alpha, void *sums,
        const void *beta, const void *c)
{
    if (domain == SW_LIB_FLOAT_COMPLEX)
        COMBINE_COMPLEX(float);
    else if (domain == SW_LIB_DOUBLE_COMPLEX)
        COMBINE_COMPLEX(double);
    else
        combine_reals(domain, n, alpha, sums, beta, c);
}

/* Columns j to j + count of the product of integers, as integers. */
static void
multiply_integers(const sw_lib_gemm *g, const numbers *a, const numbers *b,
                  int64_t j, int64_t count, int32_t *sums)
{
    bool plain_a = is_plain(g->op_a), plain_b = is_plain(g->op_b);
    float *terms = sw_alloc((size_t)(g->m * count) * sizeof *terms);
    const char *columns = part(b, !plain_b, j, sizeof(float));
    memset(sums, 0, (size_t)(g->m * count) * sizeof *sums);
    for (int64_t k = 0; k < g->k; k += EXACT_TERMS) {
        int64_t n = g->k - k < EXACT_TERMS ? g->k - k : EXACT_TERMS;
        numbers right = {columns, b->ld, NULL};
        multiply(SW_LIB_FLOAT, g->op_a, g->op_b, g->m, count, n, one[0],
                 part(a, !plain_a, k, sizeof(float)), a->ld,
                 part(&right, plain_b, k, sizeof(float)), b->ld, zero, terms,
                 g->m);
        for (int64_t i = 0; i < g->m * count; i++)
            sums[i] =
                (int32_t)((uint32_t)sums[i] + (uint32_t)(int32_t)terms[i]);
    }
    sw_free(terms);
}

/* Block by block: the sums apart from the result. */
static void
run_apart(const sw_lib_gemm *g, const void *alpha, const void *a, const void *b,
          const void *beta, const void *c, void *d)
{
    bool plain_a = is_plain(g->op_a), plain_b = is_plain(g->op_b);
    bool is_int = g->domain == SW_LIB_INT;
    sw_lib_domain terms = is_int ? SW_LIB_FLOAT : g->domain;
    size_t bytes = sw_lib_domain_bytes(g->domain);
    size_t term_bytes = sw_lib_domain_bytes(terms);
    numbers na = load(g->a, a, g->lda, plain_a ? g->m : g->k,
                      plain_a ? g->k : g->m, terms);
    numbers nb = load(g->b, b, g->ldb, plain_b ? g->k : g->n,
                      plain_b ? g->n : g->k, terms);
    int64_t block = BLOCK_BYTES / ((int64_t)bytes * g->m) + 1;
    block = block < g->n ? block : g->n;
    char *sums = sw_alloc((size_t)(g->m * block) * bytes);
    char *old = sw_alloc((size_t)g->m * bytes);
    bool adds = memcmp(beta, zero, bytes) != 0;
    for (int64_t j = 0; j < g->n; j += block) {
        int64_t count = g->n - j < block ? g->n - j : block;
        if (is_int)
            multiply_integers(g, &na, &nb, j, count, (int32_t *)sums);
        else
            multiply(terms, g->op_a, g->op_b, g->m, count, g->k, one[g->domain],
                     na.at, na.ld, part(&nb, !plain_b, j, term_bytes), nb.ld,
                     zero, sums, g->m);
        for (int64_t i = 0; i < count; i++) {
            if (adds)
                sw_lib_load(g->c,
                            (const char *)c + sw_lib_element_bytes(g->c) *
                                                  (size_t)((j + i) * g->ldc),
                            (size_t)g->m, g->domain, old);
            combine(g->domain, g->m, alpha, sums + (size_t)(i * g->m) * bytes,
                    beta, adds ? old : NULL);
        }
        if (g->finish)
            g->finish(g->finish_arg, sums, j, count);
        for (int64_t i = 0; i < count; i++)
            sw_lib_store(g->d,
                         (char *)d + sw_lib_element_bytes(g->d) *
                                         (size_t)((j + i) * g->ldd),
                         (size_t)g->m, g->domain,
                         sums + (size_t)(i * g->m) * bytes);
    }
    sw_free(old);
    sw_free(sums);
    sw_free(na.owned);
    sw_free(nb.owned);
}

static bool
is_native(const sw_lib_gemm *g, const void *c, const void *d)
{
    cudaDataType_t types[] = {g->a, g->b, g->c, g->d};
    sw_lib_domain domain;
    for (int i = 0; i < 4; i++)
        if (!sw_lib_domain_of(types[i], &domain) || domain != g->domain)
            return false;
    return g->domain != SW_LIB_INT && c == d && g->ldc == g->ldd && !g->finish;
}

void
sw_lib_gemm_run(const sw_lib_gemm *g, const void *alpha, const void *a,
                const void *b, const void *beta, const void *c, void *d)
{
    if (!g->m || !g->n)
        return;
    if (is_native(g, c, d))
        multiply(g->domain, g->op_a, g->op_b, g->m, g->n, g->k, alpha, a,
                 g->lda, b, g->ldb, beta, d, g->ldd);
    else
        run_apart(g, alpha, a, b, beta, c, d);
}
