/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_apart.c - c + a * b as tensor cores add (sum_products of
 * sem/matrix.c), of f16, bf16 and tf32, for numbers that are too small or large
 * for matrix_floats.c, with significands and exponents apart, and where some
 * are not finite.
 * Compiled once for each vector extension, as lanes.c is.
 *
 * The elements of the fragments are brought into matrices whose rows lie side
 * by side, a as [m][k], b as [k][n], c and d as [m][n], by the tables of a
 * sw_matrix_plan.
 */
#include <string.h>

#include "interp/lanes.h"
#include "sem/sem.h"

enum { MAX_ELEMENTS = 512, MAX_SUMS = 256 };

/* Terms are cut off below so many digits of fraction. */
enum { DIGITS = 25 };
/* The exponent of zero: below all others, and so is its sum with any. */
enum { NO_EXPONENT = -65536 };

/* ---- fragments ---- */

/* The elements of a fragment: element i of lane l at [32 * i + l]. */
static void
spread(const sw_sem_frag *f, const void *const regs[],
       uint32_t *restrict element)
{
    unsigned bits = f->elem_bits;
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned r = 0; r < f->regs; r++) {
        const uint32_t *reg = regs[r];
        for (unsigned part = 0; part < f->per_reg; part++) {
            LANES element[i] = reg[i] >> (part * bits) & mask;
            element += 32;
        }
    }
}

/* The matrix of a fragment, a word for each element. */
static void
collect(const sw_matrix_plan *plan, int which, const void *const regs[],
        uint32_t *restrict matrix)
{
    uint32_t element[MAX_ELEMENTS];
    const sw_sem_frag *f = &plan->frag[which];
    const int32_t *from = plan->place[which];
    unsigned count = (unsigned)f->rows * f->cols;
    spread(f, regs, element);
    for (unsigned i = 0; i < count; i++)
        matrix[i] = element[from[i]];
}

/* a or b, in as many bits as they have. */
static void
collect_elements(const sw_matrix_plan *plan, int which,
                 const void *const regs[], sw_matrix_elements *matrix)
{
    const sw_sem_frag *f = &plan->frag[which];
    uint32_t wide[MAX_ELEMENTS];
    if (f->elem_bits == 32) {
        collect(plan, which, regs, matrix->words);
    } else {
        collect(plan, which, regs, wide);
        for (unsigned i = 0; i < (unsigned)f->rows * f->cols; i++)
            matrix->halves[i] = (uint16_t)wide[i];
    }
}

/* d: of 32 bits, or 16. */
static void
hand_out(const sw_matrix_plan *plan, const uint32_t *matrix,
         uint32_t (*regs)[32])
{
    const sw_sem_frag *f = &plan->frag[3];
    const int32_t *from = plan->place[3];
    for (unsigned r = 0; r < f->regs; r++) {
        uint32_t *reg = regs[r];
        LANES reg[i] = matrix[from[i]];
        from += 32;
        if (f->per_reg > 1) {
            LANES reg[i] |= matrix[from[i]] << 16;
            from += 32;
        }
    }
}

/* ---- elements ---- */

static inline int32_t
exponent_of(uint32_t bits)
{
    int32_t e = (int32_t)(bits >> 23 & 0xff);
    return bits & 0x7fffffff ? (e ? e : 1) - 127 : NO_EXPONENT;
}

/* Elements and their exponents, those of subnormal numbers the smallest. */
typedef struct {
    float value[MAX_ELEMENTS];
    int32_t exp[MAX_ELEMENTS];
} numbers;

/* In f32; what is not finite has at least the exponent 16. */
static inline void
widen(const uint16_t *restrict halves, unsigned count, float *restrict value)
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t v = halves[i], e = v >> 10 & 31;
        float tiny = (float)(int32_t)(v & 0x3ff) * 0x1p-24f;
        uint32_t bits =
            e ? ((v & 0x7fff) << 13) + (112u << 23) : sem_bits_f32(tiny);
        value[i] = sem_f32_bits(bits | (v & 0x8000) << 16);
    }
}

/* False: some are not finite. */
static bool
take_halves(const uint16_t *restrict halves, unsigned count,
            numbers *restrict x)
{
    int32_t special = 0; /* negative: yes */
    widen(halves, count, x->value);
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits = sem_bits_f32(x->value[i]);
        int32_t e = (int32_t)(bits >> 23 & 0xff) - 127;
        special |= 15 - e;
        e = e > -14 ? e : -14;
        x->exp[i] = bits << 1 ? e : NO_EXPONENT;
    }
    return special >= 0;
}

/* The same of numbers with the exponents of f32. */
static inline uint32_t
take_word(uint32_t bits, unsigned i, numbers *restrict x)
{
    x->value[i] = sem_f32_bits(bits);
    x->exp[i] = exponent_of(bits);
    return (bits & 0x7f800000) == 0x7f800000 ? 1 : 0;
}

static bool
take_numbers(sw_type type, const sw_matrix_elements *from, unsigned count,
             numbers *x)
{
    uint32_t special = 0;
    if (type == SW_T_F16)
        return take_halves(from->halves, count, x);
    if (type == SW_T_BF16)
        for (unsigned i = 0; i < count; i++)
            special |= take_word((uint32_t)from->halves[i] << 16, i, x);
    else /* tf32 */
        for (unsigned i = 0; i < count; i++)
            special |= take_word(from->words[i] & 0xffffe000, i, x);
    return !special;
}

/* ---- sums ---- */

/* Which products are added at once: those of a chunk along k. odd: where
 * something is lost the last bit is set, so that rounding it once more rounds
 * the sum. */
typedef struct {
    unsigned from, n;
    bool odd;
} chunk;

static chunk
chunk_from(const sw_matrix *mx, bool wmma, unsigned from)
{
    unsigned most = mx->atype != SW_T_TF32 ? 16 : wmma ? 4 : 8;
    unsigned n = mx->k - from < most ? mx->k - from : most;
    bool to_half = mx->dtype == SW_T_F16 && mx->ctype == SW_T_F16;
    return (chunk){from, n, to_half && from + n == mx->k};
}

/* A number is (neg ? -sig : sig) * 2^(exp - digits of its type). */
typedef struct {
    int32_t sig[MAX_ELEMENTS], neg[MAX_ELEMENTS]; /* neg: 0 or -1 */
} parts;

/* Digits of fraction that the elements of a type have. */
static unsigned
digits_of(sw_type type)
{
    return type == SW_T_BF16 ? 7 : 10;
}

/* up: digits that are added below, of those of the type. */
static void
take_apart(const numbers *x, sw_type type, unsigned up, unsigned count,
           parts *restrict p)
{
    unsigned digits = digits_of(type);
    int32_t least = type == SW_T_F16 ? -14 : -126;
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits = sem_bits_f32(x->value[i]), size = bits & 0x7fffffff;
        int32_t e = (int32_t)(size >> 23);
        uint32_t sig = (size & 0x7fffff) | (e ? 1u << 23 : 0);
        int32_t below = least - ((e ? e : 1) - 127); /* subnormal in f16 */
        sig >>= 23 - digits + (size && below > 0 ? (unsigned)below : 0);
        p->sig[i] = (int32_t)(sig << up);
        p->neg[i] = -(int32_t)(bits >> 31);
    }
}

/* What is left of a magnitude d digits above the last one, with its sign. */
static inline int32_t
aligned(int32_t magnitude, int32_t d, int32_t neg)
{
    int32_t v = (int32_t)((uint32_t)magnitude >> (d < 31 ? d : 31));
    return (v ^ neg) - neg;
}

/* sum * 2^(top - DIGITS), cut to f32; odd: as in add_row. */
static inline uint32_t
cut_to_f32(double sum, int32_t top, bool odd)
{
    int64_t e = (top > -600 ? top : -600) + 1023 - DIGITS;
    double x = sum * sem_f64_bits((uint64_t)e << 52);
    double size = __builtin_fabs(x);
    float f = (float)size;
    uint32_t v = sem_bits_f32(f), sign = sum < 0 ? 0x80000000 : 0;
    v -= (double)f > size ? 1 : 0;
    v = size >= 0x1p128 ? 0x7f800000 : v;
    v |= (odd & ((double)sem_f32_bits(v) != size)) ? 1 : 0;
    return v ? v | sign : 0;
}

/* Products that the numbers a and b, taken apart, have in one row: as add_row,
 * of any size. */
static void
add_row_apart(const parts *a, const int32_t *ae, unsigned at, const parts *b,
              const int32_t *be, unsigned from, unsigned n, unsigned cols,
              bool odd, float *restrict c)
{
    for (unsigned j = 0; j < cols; j++) {
        uint32_t bits = sem_bits_f32(c[j]);
        int32_t last = exponent_of(bits), top = last;
        for (unsigned i = 0; i < n; i++) {
            int32_t e = ae[at + i] + be[(from + i) * cols + j];
            top = e > top ? e : top;
        }
        int32_t sig =
            (int32_t)((bits & 0x7fffff) | (bits & 0x7f800000 ? 1u << 23 : 0))
            << (DIGITS - 23);
        int64_t sum = aligned(sig, top - last, -(int32_t)(bits >> 31));
        for (unsigned i = 0; i < n; i++) {
            unsigned k = (from + i) * cols + j;
            int32_t e = ae[at + i] + be[k];
            sum += aligned(a->sig[at + i] * b->sig[k], top - e,
                           a->neg[at + i] ^ b->neg[k]);
        }
        c[j] = sem_f32_bits(cut_to_f32((double)sum, top, odd));
    }
}

/* ---- all rows ---- */

static bool
are_finite(const float *c, unsigned count)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++)
        special |= (sem_bits_f32(c[i]) & 0x7f800000) == 0x7f800000 ? 1 : 0;
    return !special;
}

static bool
sum_apart(const sw_matrix *mx, bool wmma, numbers *a, numbers *b,
          float *restrict c)
{
    parts left, right;
    take_apart(a, mx->atype, DIGITS - 2 * digits_of(mx->atype),
               (unsigned)mx->m * mx->k, &left);
    take_apart(b, mx->btype, 0, (unsigned)mx->n * mx->k, &right);
    for (unsigned from = 0; from < mx->k;) {
        chunk p = chunk_from(mx, wmma, from);
        if (!are_finite(c, (unsigned)mx->m * mx->n))
            return false;
        for (unsigned row = 0; row < mx->m; row++)
            add_row_apart(&left, a->exp, row * mx->k + from, &right, b->exp,
                          from, p.n, mx->n, p.odd, c + row * mx->n);
        from += p.n;
    }
    return true;
}

/* ---- what is not finite ---- */

static bool
is_special(float x)
{
    return (sem_bits_f32(x) & 0x7f800000) == 0x7f800000;
}

/* Whether a sum has an infinity or a NaN among its terms: then in *sum what
 * comes of it. Products of finite numbers are finite, whatever their size. */
static bool
add_specials(const float *a, const float *b, unsigned k, unsigned cols,
             float *sum)
{
    float all = is_special(*sum) ? *sum : 0;
    for (unsigned i = 0; i < k; i++)
        if (is_special(a[i]) || is_special(b[i * cols]))
            all += a[i] * b[i * cols];
    if (!is_special(all))
        return false;
    *sum = all != all ? sem_nan_f32() : all;
    return true;
}

/* See widen: f32's, of f16's. */
static void
widen_specials(numbers *x, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (x->exp[i] >= 16)
            x->value[i] = sem_f32_bits(sem_bits_f32(x->value[i]) | 0x7f800000);
}

static void
clear_specials(numbers *x, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (is_special(x->value[i])) {
            x->value[i] = 0;
            x->exp[i] = NO_EXPONENT;
        }
}

/* What the sums with such terms are, and whether they have some, which are 0
 * in c then. */
static void
find_specials(const sw_matrix *mx, const float *a, const float *b, float *c,
              float *special, bool *is)
{
    unsigned n = mx->n, k = mx->k;
    bool in_col[MAX_SUMS] = {false};
    for (unsigned i = 0; i < k; i++)
        for (unsigned col = 0; col < n; col++)
            in_col[col] |= is_special(b[i * n + col]);
    for (unsigned row = 0; row < mx->m; row++) {
        bool in_row = !are_finite(a + row * k, k);
        for (unsigned col = 0; col < n; col++) {
            unsigned i = row * n + col;
            special[i] = c[i];
            is[i] = (in_row || in_col[col] || is_special(c[i])) &&
                    add_specials(a + row * k, b + col, k, n, &special[i]);
            c[i] = is[i] ? 0 : c[i];
        }
    }
}

/*
 * Rows of a tile that nobody asked for are whatever shared memory had. A sum
 * that has no such term is what it would be without them. (Where products are
 * added in several steps, one may overflow before such a term comes.)
 */
static bool
sum_specials(const sw_matrix *mx, bool wmma, numbers *a, numbers *b, float *c)
{
    unsigned count = (unsigned)mx->m * mx->n;
    float special[MAX_SUMS];
    bool is[MAX_SUMS];
    if (mx->atype == SW_T_TF32 || chunk_from(mx, wmma, 0).n < mx->k)
        return false;
    if (mx->atype == SW_T_F16) {
        widen_specials(a, (unsigned)mx->m * mx->k);
        widen_specials(b, (unsigned)mx->n * mx->k);
    }
    find_specials(mx, a->value, b->value, c, special, is);
    clear_specials(a, (unsigned)mx->m * mx->k);
    clear_specials(b, (unsigned)mx->n * mx->k);
    if (!sum_apart(mx, wmma, a, b, c))
        return false;
    for (unsigned i = 0; i < count; i++)
        c[i] = is[i] ? special[i] : c[i];
    return true;
}

bool
SW_LANE_APART(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                          const void *const b[], const void *const c[],
                          uint32_t (*out)[32])
{
    const sw_matrix *mx = plan->mx;
    unsigned count = (unsigned)mx->m * mx->n;
    sw_matrix_elements left, right;
    numbers x, y;
    uint32_t sums[MAX_SUMS];
    float sum[MAX_SUMS];
    collect_elements(plan, 0, a, &left);
    collect_elements(plan, 1, b, &right);
    collect(plan, 2, c, sums);
    for (unsigned i = 0; i < count; i++)
        sum[i] = mx->ctype == SW_T_F16 ? sem_f32_of_f16((uint16_t)sums[i])
                                       : sem_f32_bits(sums[i]);
    bool finite = take_numbers(mx->atype, &left, (unsigned)mx->m * mx->k, &x);
    finite &= take_numbers(mx->btype, &right, (unsigned)mx->n * mx->k, &y);
    finite &= are_finite(sum, count);
    if (!(finite ? sum_apart : sum_specials)(mx, plan->wmma, &x, &y, sum))
        return false;
    for (unsigned i = 0; i < count; i++) {
        uint32_t half = sem_f16_of_f32(sum[i]);
        half = half & 0x7fff || mx->ctype == SW_T_F32 ? half : 0;
        sums[i] = mx->dtype == SW_T_F16 ? half : sem_bits_f32(sum[i]);
    }
    hand_out(plan, sums, out);
    return true;
}
