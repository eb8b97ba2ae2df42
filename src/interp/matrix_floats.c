/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_floats.c - c + a * b as tensor cores add, a whole row of sums at once,
 * for numbers that are finite: sum_products of sem/matrix.c says what is done.
 * Compiled once for each vector extension, as lanes.c is.
 *
 * A product of two elements is exact in f32, unless it is very small or large.
 * Multiplied by the power of two that makes the last digit that is kept an
 * integer's, and converted to one, it is cut off as it should be. Where that
 * would not be exact, the same is done with significands and exponents apart.
 */
#include <string.h>

#include "interp/lanes.h"
#include "sem/sem.h"

enum { MAX_ELEMENTS = 512, MAX_SUMS = 256, MAX_N = 32 };

/* Terms are cut off below so many digits of fraction. */
enum { DIGITS = 25 };
/* The exponent of zero: below all others, and so is its sum with any. */
enum { NO_EXPONENT = -65536 };

static inline int32_t
exponent_of(uint32_t bits)
{
    int32_t e = (int32_t)(bits >> 23 & 0xff);
    return bits & 0x7fffffff ? (e ? e : 1) - 127 : NO_EXPONENT;
}

/* ---- products in f32 ---- */

/* Elements and their exponents, those of subnormal numbers the smallest. */
typedef struct {
    float value[MAX_ELEMENTS];
    int32_t exp[MAX_ELEMENTS];
} numbers;

/* False: some are not finite. */
static bool
take_halves(const uint16_t *restrict halves, unsigned count,
            numbers *restrict x)
{
    uint32_t special = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t v = halves[i], e = v >> 10 & 31;
        float tiny = (float)(int32_t)(v & 0x3ff) * 0x1p-24f;
        uint32_t bits =
            e ? ((v & 0x7fff) << 13) + (112u << 23) : sem_bits_f32(tiny);
        x->value[i] = sem_f32_bits(bits | (v & 0x8000) << 16);
        x->exp[i] = v & 0x7fff ? (int32_t)(e ? e : 1) - 15 : NO_EXPONENT;
        special |= e == 31 ? 1 : 0;
    }
    return !special;
}

/* The same of numbers with the exponents of f32. */
static inline __attribute__((always_inline)) uint32_t
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

/*
 * One row: c += n products of each column; a: its elements from the first of
 * these, b: [n][cols] likewise. odd: where something is lost the last bit is
 * set, so that rounding it once more rounds the sum. 0: it is right.
 *
 * Up to 16 terms, each below 4 * 2^DIGITS, have room in 32 bits.
 */
static inline __attribute__((always_inline)) uint32_t
add_row(const float *restrict a, const int32_t *restrict ae,
        const float *restrict b, const int32_t *restrict be, unsigned n,
        unsigned cols, bool odd, float *restrict c)
{
    enum { LOWEST = -90, HIGHEST = 126, MOST = 2000000000 };
    int32_t top[MAX_N];
    uint32_t sum[MAX_N], strange = 0;
    float scale[MAX_N];
    for (unsigned j = 0; j < cols; j++)
        top[j] = exponent_of(sem_bits_f32(c[j]));
    for (unsigned i = 0; i < n; i++) {
        __asm__ volatile(""); /* or gcc takes columns one by one */
        for (unsigned j = 0; j < cols; j++) {
            int32_t e = ae[i] + be[i * cols + j];
            top[j] = e > top[j] ? e : top[j];
        }
    }
    for (unsigned j = 0; j < cols; j++) {
        top[j] = top[j] < -1024 ? 0 : top[j]; /* all terms are 0 */
        strange |= top[j] < LOWEST || top[j] > HIGHEST ? 1 : 0;
        scale[j] = sem_f32_bits((uint32_t)(127 + DIGITS - top[j]) << 23);
        sum[j] = 0;
    }
    if (strange)
        return 1;
    for (unsigned i = 0; i < n; i++) {
        __asm__ volatile("");
        for (unsigned j = 0; j < cols; j++) {
            float product = a[i] * b[i * cols + j];
            sum[j] += (uint32_t)(int32_t)(product * scale[j]);
        }
    }
    for (unsigned j = 0; j < cols; j++) {
        int32_t total =
            (int32_t)(sum[j] + (uint32_t)(int32_t)(c[j] * scale[j]));
        uint32_t sign = (uint32_t)total & 0x80000000;
        uint32_t size = sign ? 0 - (uint32_t)total : (uint32_t)total;
        strange |= size > MOST ? 1 : 0;
        float nearest = (float)(int32_t)size;
        uint32_t v = sem_bits_f32(nearest);
        v -= (int32_t)nearest > (int32_t)size ? 1 : 0;
        v |= (odd & ((int32_t)sem_f32_bits(v) != (int32_t)size)) ? 1 : 0;
        uint32_t unit = (uint32_t)(127 - DIGITS + top[j]) << 23;
        v = sem_bits_f32(sem_f32_bits(v) * sem_f32_bits(unit));
        c[j] = sem_f32_bits(v | sign);
    }
    return strange;
}

/* ---- products of significands ---- */

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

/* Which products are added at once: those of a chunk along k. */
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

/* False: not all of it is exact so; c: worthless then. */
static bool
sum_in_floats(const sw_matrix *mx, bool wmma, const numbers *a,
              const numbers *b, float *restrict c)
{
    for (unsigned from = 0; from < mx->k;) {
        chunk p = chunk_from(mx, wmma, from);
        const float *bv = b->value + from * mx->n;
        const int32_t *be = b->exp + from * mx->n;
        uint32_t strange = !are_finite(c, (unsigned)mx->m * mx->n);
        for (unsigned row = 0; row < mx->m && !strange; row++) {
            const float *av = a->value + row * mx->k + from;
            const int32_t *ae = a->exp + row * mx->k + from;
            if (mx->n == 8)
                strange = add_row(av, ae, bv, be, p.n, 8, p.odd, c + row * 8);
            else if (mx->n == 16)
                strange = add_row(av, ae, bv, be, p.n, 16, p.odd, c + row * 16);
            else
                strange = add_row(av, ae, bv, be, p.n, 32, p.odd, c + row * 32);
        }
        if (strange)
            return false;
        from += p.n;
    }
    return true;
}

static bool
sum_apart(const sw_matrix *mx, bool wmma, const numbers *a, const numbers *b,
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

bool
SW_LANE_FLOATS(SW_VARIANT)(const sw_matrix *mx, bool wmma,
                           const sw_matrix_elements *a,
                           const sw_matrix_elements *b, float *c)
{
    numbers left, right;
    float kept[MAX_SUMS];
    size_t bytes = (size_t)mx->m * mx->n * sizeof *c;
    if (!take_numbers(mx->atype, a, (unsigned)mx->m * mx->k, &left) ||
        !take_numbers(mx->btype, b, (unsigned)mx->n * mx->k, &right))
        return false;
    memcpy(kept, c, bytes);
    if (sum_in_floats(mx, wmma, &left, &right, c))
        return true;
    memcpy(c, kept, bytes);
    return sum_apart(mx, wmma, &left, &right, c);
}
