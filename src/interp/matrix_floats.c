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
#if defined(__AVX2__)
#include <immintrin.h>
#endif

enum { MAX_ELEMENTS = 512, MAX_SUMS = 256 };

/* Terms are cut off below so many digits of fraction. */
enum { DIGITS = 25 };
/* The exponent of zero: below all others, and so is its sum with any. */
enum { NO_EXPONENT = -65536 };

#define ALIGNED __attribute__((aligned(64)))
#define ALWAYS  __attribute__((always_inline))

static inline int32_t
exponent_of(uint32_t bits)
{
    int32_t e = (int32_t)(bits >> 23 & 0xff);
    return bits & 0x7fffffff ? (e ? e : 1) - 127 : NO_EXPONENT;
}

/* ---- elements ---- */

/* Elements and their exponents, those of subnormal numbers the smallest. */
typedef struct {
    ALIGNED float value[MAX_ELEMENTS];
    ALIGNED int32_t exp[MAX_ELEMENTS];
} numbers;

/* In f32; what is not finite has at least the exponent 16. */
static inline ALWAYS void
widen(const uint16_t *restrict halves, unsigned count, float *restrict value)
{
    unsigned i = 0;
#if defined(__AVX512F__)
    for (; i + 16 <= count; i += 16)
        _mm512_storeu_ps(value + i, _mm512_cvtph_ps(_mm256_loadu_si256(
                                        (const __m256i *)(halves + i))));
#elif defined(__F16C__)
    for (; i + 8 <= count; i += 8)
        _mm256_storeu_ps(value + i, _mm256_cvtph_ps(_mm_loadu_si128(
                                        (const __m128i *)(halves + i))));
#endif
    for (; i < count; i++) {
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
static inline ALWAYS uint32_t
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

/* ---- exponents ---- */

/*
 * The largest exponent of a sum's products is looked for in as few bits as the
 * type's exponents need: a word has those of four elements (f16), two (bf16)
 * or one (tf32) along k. That of zero has as many bits.
 */
typedef struct {
    unsigned bits;
    int32_t least; /* that two numbers other than 0 have together */
} exponents;

static inline ALWAYS exponents
exponents_of(sw_type type)
{
    return type == SW_T_F16    ? (exponents){8, -28}
           : type == SW_T_BF16 ? (exponents){16, -252}
                               : (exponents){32, -252};
}

/* NO_EXPONENT in so many bits. */
static inline ALWAYS int32_t
narrow(int32_t e, unsigned bits)
{
    return e > NO_EXPONENT ? e : bits == 8 ? -64 : bits == 16 ? -16384 : e;
}

typedef union {
    uint32_t word[MAX_ELEMENTS];
    int16_t half[2 * MAX_ELEMENTS];
    int8_t byte[4 * MAX_ELEMENTS];
} packed;

/* Of a matrix [rows][k], to words [rows][k / n]. */
static inline ALWAYS void
pack_rows(const int32_t *restrict exp, unsigned count, unsigned bits,
          packed *restrict to)
{
    for (unsigned i = 0; i < count; i++)
        if (bits == 8)
            to->byte[i] = (int8_t)narrow(exp[i], bits);
        else if (bits == 16)
            to->half[i] = (int16_t)narrow(exp[i], bits);
        else
            to->word[i] = (uint32_t)exp[i];
}

/* Of a matrix [k][cols], to words [k / n][cols]. */
static inline ALWAYS void
pack_columns(const int32_t *restrict exp, unsigned k, unsigned cols,
             unsigned bits, uint32_t *restrict word)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    for (unsigned row = 0; row < k; row += 32 / bits, word += cols)
        for (unsigned j = 0; j < cols; j++) {
            word[j] = 0;
            for (unsigned part = 0; part < 32 / bits; part++)
                word[j] |=
                    ((uint32_t)narrow(exp[(row + part) * cols + j], bits) &
                     mask)
                    << part * bits;
        }
}

/* The largest number of a word. */
static inline ALWAYS int32_t
greatest(uint32_t word, unsigned bits)
{
    int32_t most = (int32_t)word >> (32 - bits);
    for (unsigned at = 0; at + bits < 32; at += bits) {
        int32_t e = (int32_t)(word << (32 - bits - at)) >> (32 - bits);
        most = e > most ? e : most;
    }
    return most;
}

/* ---- vectors ---- */

/* Columns at a time: no vector is longer than the machine's, of which gcc would
 * move each element by itself, nor than a row. */
#define VECTORS(w)                                                             \
    typedef uint32_t __attribute__((vector_size(4 * (w)), may_alias))          \
    words_##w;                                                                 \
    typedef int32_t __attribute__((vector_size(4 * (w)), may_alias)) ints_##w; \
    typedef int16_t __attribute__((vector_size(4 * (w)), may_alias))           \
    halves_##w;                                                                \
    typedef int8_t __attribute__((vector_size(4 * (w)), may_alias)) bytes_##w; \
    typedef float __attribute__((vector_size(4 * (w)), may_alias)) floats_##w;
#if defined(__AVX512BW__)
#define FULL 16
#define MOST_16(bits, a, b)                                                    \
    (words_16) _mm512_max_epi##bits((__m512i)(a), (__m512i)(b))
VECTORS(16)
#endif
#if defined(__AVX2__)
#define EIGHT 8
#define MOST_8(bits, a, b)                                                     \
    (words_8) _mm256_max_epi##bits((__m256i)(a), (__m256i)(b))
VECTORS(8)
#else
#define EIGHT 4
#define PICK(type, a, b)                                                       \
    (words_4)(((type)(a) & ((type)(a) > (type)(b))) |                          \
              ((type)(b) & ~((type)(a) > (type)(b))))
#define MOST_4(bits, a, b)                                                     \
    ((bits) == 8    ? PICK(bytes_4, a, b)                                      \
     : (bits) == 16 ? PICK(halves_4, a, b)                                     \
                    : PICK(ints_4, a, b))
VECTORS(4)
#endif
#if !defined(FULL)
#define FULL EIGHT
#endif

/*
 * top_W: one row of words of exponents of a and `steps` rows of b: those of the
 * sums' largest products.
 * sum_W: the sum of n products of each column, cut off.
 */
#define ROWS(w)                                                                \
    static inline ALWAYS void top_##w(                                         \
        const uint32_t *restrict a, const uint32_t *restrict b,                \
        unsigned steps, unsigned cols, unsigned bits, uint32_t *restrict top)  \
    {                                                                          \
        for (unsigned j = 0; j < cols; j += (w)) {                             \
            words_##w most = {0};                                              \
            for (unsigned i = 0; i < steps; i++) {                             \
                words_##w x = (words_##w){0} + a[i], e;                        \
                words_##w y = *(const words_##w *)&b[i * cols + j];            \
                if (bits == 8)                                                 \
                    e = (words_##w)((bytes_##w)x + (bytes_##w)y);              \
                else if (bits == 16)                                           \
                    e = (words_##w)((halves_##w)x + (halves_##w)y);            \
                else                                                           \
                    e = x + y;                                                 \
                if (i == 0)                                                    \
                    most = e;                                                  \
                else if (bits == 8)                                            \
                    most = MOST_##w(8, most, e);                               \
                else if (bits == 16)                                           \
                    most = MOST_##w(16, most, e);                              \
                else                                                           \
                    most = MOST_##w(32, most, e);                              \
            }                                                                  \
            *(words_##w *)&top[j] = most;                                      \
        }                                                                      \
    }                                                                          \
    static inline ALWAYS void sum_##w(                                         \
        const float *restrict a, const float *restrict b, unsigned n,          \
        unsigned cols, const float *restrict scale, int32_t *restrict sum)     \
    {                                                                          \
        for (unsigned j = 0; j < cols; j += (w)) {                             \
            floats_##w unit = *(const floats_##w *)&scale[j];                  \
            ints_##w all = {0};                                                \
            for (unsigned i = 0; i < n; i++) {                                 \
                floats_##w product =                                           \
                    a[i] * *(const floats_##w *)&b[i * cols + j];              \
                all += __builtin_convertvector(product * unit, ints_##w);      \
            }                                                                  \
            *(ints_##w *)&sum[j] = all;                                        \
        }                                                                      \
    }
#define ROWS_(w) ROWS(w)
ROWS_(EIGHT)
#if defined(__AVX512BW__)
ROWS_(FULL)
#endif
#define TOP_EIGHT SW_LANE_JOIN(top_, EIGHT)
#define SUM_EIGHT SW_LANE_JOIN(sum_, EIGHT)
#define TOP_FULL  SW_LANE_JOIN(top_, FULL)
#define SUM_FULL  SW_LANE_JOIN(sum_, FULL)

/* ---- products in f32 ---- */

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

/* Of each sum the power of two of its last digit, and 1 / that. top: words of
 * exponents, of which it makes the largest, c's among them. False: not all of
 * it is finite, or exact in f32. */
static inline ALWAYS bool
find_scales(exponents e, unsigned count, const float *restrict c,
            uint32_t *restrict top, float *restrict scale)
{
    enum { LOWEST = -90, HIGHEST = 126 };
    int32_t strange = 0; /* negative: yes */
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits = sem_bits_f32(c[i]), raw = bits >> 23 & 0xff;
        int32_t t = greatest(top[i], e.bits), own = (int32_t)raw - 127;
        own += raw ? 0 : 1;
        own = bits << 1 ? own : NO_EXPONENT;
        t = t < e.least ? NO_EXPONENT : t;
        t = own > t ? own : t;
        t = t == NO_EXPONENT ? 0 : t; /* all terms are 0 */
        strange |= (t - LOWEST) | (HIGHEST - t);
        strange |= (int32_t)((raw + 1) << 23); /* not finite */
        top[i] = (uint32_t)t;
        scale[i] = sem_f32_bits((uint32_t)(127 + DIGITS - t) << 23);
    }
    return strange >= 0;
}

/* c, of the sums of what was added to it. False: there was no room. */
static inline ALWAYS bool
finish_sums(const int32_t *restrict sum, const uint32_t *restrict top,
            const float *restrict scale, bool odd, unsigned count,
            float *restrict c)
{
    enum { MOST = 2000000000 };
    uint32_t strange = 0;
    for (unsigned i = 0; i < count; i++) {
        uint32_t total =
            (uint32_t)sum[i] + (uint32_t)(int32_t)(c[i] * scale[i]);
        uint32_t sign = total & 0x80000000;
        uint32_t size = sign ? 0 - total : total;
        strange |= size > MOST ? 1 : 0;
        float nearest = (float)(int32_t)size;
        uint32_t v = sem_bits_f32(nearest);
        v -= (int32_t)nearest > (int32_t)size ? 1 : 0;
        v |= (odd & ((int32_t)sem_f32_bits(v) != (int32_t)size)) ? 1 : 0;
        uint32_t unit = (127 - DIGITS + top[i]) << 23;
        v = sem_bits_f32(sem_f32_bits(v) * sem_f32_bits(unit));
        c[i] = sem_f32_bits(v | sign);
    }
    return !strange;
}

/* What the products of one chunk are made of: words of a's and b's exponents,
 * and elements; k: of a whole row of a. */
typedef struct {
    const uint32_t *ae, *be;
    const float *a, *b;
    unsigned rows, cols, k;
} factors;

/* top: of each sum the words of its products' largest exponents. */
static inline ALWAYS void
find_tops(const factors *f, unsigned n, unsigned bits, uint32_t *restrict top)
{
    unsigned per = 32 / bits;
    for (unsigned row = 0; row < f->rows; row++) {
        const uint32_t *a = f->ae + row * f->k / per;
        if (f->cols == 8)
            TOP_EIGHT(a, f->be, n / per, 8, bits, top + row * 8);
        else
            TOP_FULL(a, f->be, n / per, f->cols, bits, top + row * f->cols);
    }
}

static inline ALWAYS void
add_products(const factors *f, unsigned n, const float *restrict scale,
             int32_t *restrict sum)
{
    for (unsigned row = 0; row < f->rows; row++) {
        const float *a = f->a + row * f->k;
        unsigned at = row * f->cols;
        if (f->cols == 8)
            SUM_EIGHT(a, f->b, n, 8, scale + at, sum + at);
        else
            SUM_FULL(a, f->b, n, f->cols, scale + at, sum + at);
    }
}

/*
 * c += the products of a chunk.
 *
 * Up to 16 terms, each below 4 * 2^DIGITS, have room in 32 bits.
 */
static inline ALWAYS bool
add_chunk(const factors *f, unsigned n, bool odd, exponents e, float *c)
{
    ALIGNED uint32_t top[MAX_SUMS];
    ALIGNED float scale[MAX_SUMS];
    ALIGNED int32_t sum[MAX_SUMS];
    unsigned count = f->rows * f->cols;
    if (n == 16)
        find_tops(f, 16, e.bits, top);
    else
        find_tops(f, n, e.bits, top);
    if (!find_scales(e, count, c, top, scale))
        return false;
    if (n == 16)
        add_products(f, 16, scale, sum);
    else
        add_products(f, n, scale, sum);
    return finish_sums(sum, top, scale, odd, count, c);
}

static inline ALWAYS bool
sum_exponents(const sw_matrix *mx, bool wmma, exponents e, unsigned cols,
              const numbers *a, const numbers *b, float *restrict c)
{
    ALIGNED packed ae, be;
    unsigned m = mx->m, k = mx->k;
    pack_rows(a->exp, m * k, e.bits, &ae);
    pack_columns(b->exp, k, cols, e.bits, be.word);
    for (unsigned from = 0; from < k;) {
        chunk p = chunk_from(mx, wmma, from);
        unsigned word = p.from * e.bits / 32;
        factors f = {.ae = ae.word + word,
                     .be = be.word + word * cols,
                     .a = a->value + p.from,
                     .b = b->value + p.from * cols,
                     .rows = m,
                     .cols = cols,
                     .k = k};
        if (!add_chunk(&f, p.n, p.odd, e, c))
            return false;
        from += p.n;
    }
    return true;
}

/* False: not all of it is exact so; c: worthless then. */
static bool
sum_in_floats(const sw_matrix *mx, bool wmma, const numbers *a,
              const numbers *b, float *c)
{
#define SUM(type)                                                              \
    (mx->n == 8    ? sum_exponents(mx, wmma, exponents_of(type), 8, a, b, c)   \
     : mx->n == 16 ? sum_exponents(mx, wmma, exponents_of(type), 16, a, b, c)  \
                   : sum_exponents(mx, wmma, exponents_of(type), 32, a, b, c))
    return mx->atype == SW_T_F16    ? SUM(SW_T_F16)
           : mx->atype == SW_T_BF16 ? SUM(SW_T_BF16)
                                    : SUM(SW_T_TF32);
#undef SUM
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
