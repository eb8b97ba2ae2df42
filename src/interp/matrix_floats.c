/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_floats.c - c + a * b as tensor cores add, for numbers that are finite:
 * sum_products of sem/matrix.c says what is done. Compiled once for each vector
 * extension, as lanes.c is; matrix_rows.h says how registers lie.
 *
 * A product of two elements is exact in f32, unless it is very small or large.
 * Multiplied by the power of two that makes the last digit that is kept an
 * integer's, and converted to one, it is cut off as it should be. Where that
 * would not be exact, matrix_apart.c is asked.
 */
#include "interp/matrix_rows.h"
#include "sem/sem.h"

/* Terms are cut off below so many digits of fraction. */
enum { DIGITS = 25 };

/* Products that are added at once: four for each group of elements, which are
 * those of the same place in their registers' words; and the most words that
 * have the exponents of so many. */
enum { MAX_GROUPS = 4, MAX_EXPONENTS = 2 };

/* ---- elements ---- */

/* From halves, the lower ones of words. */
static inline ALWAYS row_floats
float_of_half(row_words v)
{
#if defined(__AVX512BW__)
    return (row_floats)_mm512_cvtph_ps(_mm512_cvtepi32_epi16((__m512i)v));
#else
    row_words e = v & 0x7c00, sign = (v & 0x8000) << 16;
    row_floats tiny =
        __builtin_convertvector((row_ints)(v & 0x3ff), row_floats);
    row_words bits = ((v & 0x7fff) << 13) + (112u << 23);
    row_words is_tiny = (row_words)(e == 0),
              is_special = (row_words)(e == 0x7c00);
    bits = (bits & ~is_tiny) | ((row_words)(tiny * 0x1p-24f) & is_tiny);
    return (row_floats)(bits | sign | (is_special & 0x7f800000));
#endif
}

/* Element i of each word. */
static inline ALWAYS row_floats
take_float(sw_type type, row_words v, unsigned i)
{
    if (type == SW_T_F16)
        return float_of_half(v >> 16 * i & 0xffff);
    if (type == SW_T_BF16)
        return (row_floats)(v << (16 - 16 * i) & 0xffff0000);
    return (row_floats)(v & 0xffffe000);
}

/*
 * The largest exponent of a sum's products is looked for in as few bits as the
 * type's exponents need: a word has those of two registers, in bytes (f16) or
 * halves (tf32), or of one, in halves (bf16). They are what elements have in
 * their bits, but 1 where that is 0; that of zero is below all, and so is its
 * sum with any: negative.
 */
static inline ALWAYS row_words
exponents_of_halves(row_words v, unsigned fraction, int16_t none,
                    row_words *special)
{
    row_halves size = (row_halves)(v & 0x7fff7fff);
    row_halves e = size >> (int16_t)fraction;
    *special |= (row_words)(e + 1);
    e -= e == 0;
    return (row_words)(e | ((size == 0) & none));
}

static inline ALWAYS row_words
exponents_of_words(row_words v, row_words *special)
{
    row_words size = v & 0x7fffe000, e = size >> 23;
    *special |= e + 1;
    e -= (row_words)(e == 0);
    return (e | ((row_words)(size == 0) & 0xc000)) & 0xffff;
}

/* A word of exponents; other: of the second register, if there is one. */
static inline ALWAYS row_words
take_exponents(sw_type type, row_words v, const row_words *other,
               row_words *special)
{
    row_words e, none = {0};
    if (type == SW_T_BF16)
        return exponents_of_halves(v, 7, -16384, special);
    if (type == SW_T_TF32) {
        e = exponents_of_words(v, special);
        none += 0xc000;
        return e | (other ? exponents_of_words(*other, special) : none) << 16;
    }
    e = exponents_of_halves(v, 10, -64, special) & 0x00ff00ff;
    none += 0x00c000c0;
    if (other)
        none = exponents_of_halves(*other, 10, -64, special) & 0x00ff00ff;
    return e | none << 8;
}

/* What exponents that are those of infinities and NaNs have, plus 1. */
static inline ALWAYS uint32_t
special_bits(sw_type type)
{
    return type == SW_T_F16    ? 0x00200020
           : type == SW_T_BF16 ? 0x01000100
                               : 0x00000100;
}

/* ---- exponents ---- */

static inline ALWAYS row_words
pick(row_words which, row_words a, row_words b)
{
    return (a & which) | (b & ~which);
}

static inline ALWAYS row_words
add_exponents(unsigned bits, row_words a, row_words b)
{
    return bits == 8 ? (row_words)((row_bytes)a + (row_bytes)b)
                     : (row_words)((row_halves)a + (row_halves)b);
}

static inline ALWAYS row_words
most_of(unsigned bits, row_words a, row_words b)
{
#if defined(__AVX512BW__)
    __m512i x = (__m512i)a, y = (__m512i)b;
    return (row_words)(bits == 8 ? _mm512_max_epi8(x, y)
                                 : _mm512_max_epi16(x, y));
#elif defined(__AVX2__)
    __m256i x = (__m256i)a, y = (__m256i)b;
    return (row_words)(bits == 8 ? _mm256_max_epi8(x, y)
                                 : _mm256_max_epi16(x, y));
#else
    return bits == 8 ? pick((row_words)((row_bytes)a > (row_bytes)b), a, b)
                     : pick((row_words)((row_halves)a > (row_halves)b), a, b);
#endif
}

/* The largest number of each word. */
static inline ALWAYS row_ints
greatest(unsigned bits, row_words v)
{
    v = most_of(bits, v, v << 16);
    if (bits == 8)
        v = most_of(bits, v, v << 8);
    return (row_ints)v >> (int)(32 - bits);
}

/* ---- sums ---- */

/* What some rows are multiplied with: elements in f32, and exponents. */
typedef struct {
    row_columns element[MAX_GROUPS], exponent[MAX_EXPONENTS];
} columns;

typedef struct {
    row_floats element[MAX_GROUPS];
    row_words exponent[MAX_EXPONENTS];
} rows;

/* How products of a type are made. */
typedef struct {
    sw_type type;
    unsigned bits;              /* of an exponent */
    unsigned groups, exponents; /* of products added at once */
} form;

#define TOP(i)                                                                 \
    e = add_exponents(f.bits, SPREAD(a->exponent[w], i),                       \
                      b->exponent[w].word[odd][i]);                            \
    top = w || (i) ? most_of(f.bits, top, e) : e;

/* Of each sum the exponent that the largest product has, as its factors have
 * them; negative: all are 0. */
static inline ALWAYS row_ints
find_top(form f, const rows *a, const columns *b, unsigned odd)
{
    row_words top = {0}, e;
    for (unsigned w = 0; w < f.exponents; w++) {
        TOP(0)
        TOP(1)
        TOP(2)
        TOP(3)
    }
    return greatest(f.bits, top);
}
#undef TOP

/* The power of two of a sum's last digit, and 1 / that. */
typedef struct {
    row_floats unit, scale;
} digit;

/* top: as from find_top. strange: negative where not all is finite, or exact in
 * f32. */
static inline ALWAYS digit
find_digit(form f, row_ints top, row_floats c, row_ints *strange)
{
    enum { LOWEST = 127 - 90, HIGHEST = 127 + 126 };
    row_ints none = top >> 31, bits = (row_ints)c;
    row_ints own = (row_ints)((row_words)bits << 1 >> 24);
    row_ints zero = ((row_words)bits << 1 == 0) & none;
    int32_t bias = f.bits == 8 ? 127 - 30 : 127 - 254;
    row_ints t = (top + bias) | (none & INT32_MIN);
    t = (row_ints)pick((row_words)(t > own), (row_words)t, (row_words)own);
    t = (t & ~zero) | (127 & zero);
    *strange |= (t - LOWEST) | (HIGHEST - t);
    return (digit){(row_floats)((t - DIGITS) << 23),
                   (row_floats)((127 + 127 + DIGITS - t) << 23)};
}

#define ADD(i)                                                                 \
    product = (row_floats)SPREAD(a->element[g], i) *                           \
              (row_floats)b->element[g].word[odd][i];                          \
    sum += (row_words) __builtin_convertvector(product * scale, row_ints);

static inline ALWAYS row_words
add_products(form f, const rows *a, const columns *b, unsigned odd,
             row_floats scale)
{
    row_words sum = {0};
    row_floats product;
    for (unsigned g = 0; g < f.groups; g++) {
        ADD(0)
        ADD(1)
        ADD(2)
        ADD(3)
    }
    return sum;
}
#undef ADD

/* A number of digits in f32, cut; odd: where something is lost the last bit is
 * set, so that rounding it once more rounds the number. */
static inline ALWAYS row_floats
cut(row_ints total, bool odd)
{
#if defined(__AVX512BW__)
    __m512 v = _mm512_cvt_roundepi32_ps((__m512i)total,
                                        _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    row_ints bits = (row_ints)v;
    if (odd)
        bits |= ((row_ints)_mm512_cvttps_epi32(v) != total) & 1;
    return (row_floats)bits;
#else
    row_ints sign = total >> 31, size = (total ^ sign) - sign;
    row_floats nearest = __builtin_convertvector(size, row_floats);
    row_ints bits = (row_ints)nearest;
    bits += __builtin_convertvector(nearest, row_ints) > size; /* - 1 */
    if (odd)
        bits |=
            (__builtin_convertvector((row_floats)bits, row_ints) != size) & 1;
    return (row_floats)(bits | (sign & INT32_MIN));
#endif
}

/*
 * c += products. Up to 16 terms, each below 4 * 2^DIGITS, and c have no room in
 * 32 bits if they are all as large: what is more than MOST may have wrapped.
 */
static inline ALWAYS row_floats
add_chunk(form f, const rows *a, const columns *b, unsigned odd, row_floats c,
          bool to_odd, row_ints *strange)
{
    enum { MOST = 2000000000 };
    row_ints top = find_top(f, a, b, odd);
    digit d = find_digit(f, top, c, strange);
    row_ints own = __builtin_convertvector(c * d.scale, row_ints);
    row_words total = add_products(f, a, b, odd, d.scale) + (row_words)own;
    row_words sign = (row_words)((row_ints)total >> 31);
    *strange |= (row_ints)(MOST - ((total ^ sign) - sign));
    return cut((row_ints)total, to_odd) * d.unit;
}

/* ---- c and d ---- */

/* Even or odd columns of some rows of c, or of d: registers by themselves, or
 * halves of one. */
static inline ALWAYS row_floats
take_sums(bool is_half, const void *const c[2], unsigned at, unsigned odd)
{
    if (!is_half)
        return (row_floats)load_row((const uint32_t *)c[odd] + at);
    return take_float(SW_T_F16, load_row((const uint32_t *)c[0] + at), odd);
}

/* To nearest, in the lower halves of words. */
static inline ALWAYS row_words
half_of_float(row_floats v)
{
#if defined(__AVX512BW__)
    return (row_words)_mm512_cvtepu16_epi32(
        _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT));
#elif defined(__F16C__)
    return (row_words)_mm256_cvtepu16_epi32(
        _mm256_cvtps_ph((__m256)v, _MM_FROUND_TO_NEAREST_INT));
#else
    row_words half;
    for (unsigned i = 0; i < W; i++)
        half[i] = sem_f16_of_f32(v[i]);
    return half;
#endif
}

/* keep_sign: of 0. */
static inline ALWAYS void
put_halves(const row_floats v[2], bool keep_sign, uint32_t *out)
{
    row_words low = half_of_float(v[0]), high = half_of_float(v[1]);
    if (!keep_sign) {
        low &= (row_words)((low & 0x7fff) != 0);
        high &= (row_words)((high & 0x7fff) != 0);
    }
    store_row(out, low | high << 16);
}

/* ---- matrices ---- */

/* Tiles along k that are multiplied at once are the elements' of a few rows, or
 * columns: all that there are, but of tf32 in wmma. */
static inline ALWAYS unsigned
tiles_of(form f)
{
    return f.type == SW_T_TF32 ? f.groups : f.groups / 2;
}

static inline ALWAYS void
take_columns_of(form f, const void *const b[], const uint8_t *regs, columns *to,
                row_words *special)
{
    unsigned tiles = tiles_of(f), each = f.groups / tiles;
    row_words v[2][PARTS], x[PARTS];
    for (unsigned k = 0; k < tiles; k++)
        for (unsigned part = 0; part < PARTS; part++)
            v[k][part] = load_row((const uint32_t *)b[regs[k]] + part * W);
    for (unsigned g = 0; g < f.groups; g++) {
        for (unsigned part = 0; part < PARTS; part++)
            x[part] =
                (row_words)take_float(f.type, v[g / each][part], g % each);
        take_columns(x, &to->element[g]);
    }
    for (unsigned w = 0; w < f.exponents; w++) {
        for (unsigned part = 0; part < PARTS; part++)
            x[part] = take_exponents(f.type, v[w][part],
                                     tiles > f.exponents ? &v[1][part] : NULL,
                                     special);
        take_columns(x, &to->exponent[w]);
    }
}

static inline ALWAYS void
take_rows_of(form f, const void *const a[], const uint8_t *regs, unsigned at,
             rows *to, row_words *special)
{
    unsigned tiles = tiles_of(f), each = f.groups / tiles;
    row_words v[2];
    for (unsigned k = 0; k < tiles; k++)
        v[k] = load_row((const uint32_t *)a[regs[k]] + at);
    for (unsigned g = 0; g < f.groups; g++)
        to->element[g] = take_float(f.type, v[g / each], g % each);
    for (unsigned w = 0; w < f.exponents; w++)
        to->exponent[w] = take_exponents(
            f.type, v[w], tiles > f.exponents ? &v[1] : NULL, special);
}

enum { MAX_CHUNKS = 2 };

static inline ALWAYS bool
multiply(form f, const sw_matrix_plan *plan, const void *const a[],
         const void *const b[], const void *const c[],
         uint32_t (*out)[REG_WORDS])
{
    const sw_matrix *mx = plan->mx;
    const sw_matrix_tiles *t = &plan->tiles;
    bool from_half = mx->ctype == SW_T_F16, to_half = mx->dtype == SW_T_F16;
    bool to_odd = from_half && to_half;
    unsigned tiles = tiles_of(f), chunks = t->k / tiles;
    columns right[SW_MATRIX_COLUMNS][MAX_CHUNKS];
    row_words special = {0};
    row_ints strange = {0};
    for (unsigned col = 0; col < t->n; col++)
        for (unsigned i = 0; i < chunks; i++)
            take_columns_of(f, b, &t->at[1][col * t->k + i * tiles],
                            &right[col][i], &special);
    for (unsigned row = 0; row < t->m; row++)
        for (unsigned at = 0; at < REG_WORDS; at += W) {
            rows left[MAX_CHUNKS];
            for (unsigned i = 0; i < chunks; i++)
                take_rows_of(f, a, &t->at[0][row * t->k + i * tiles], at,
                             &left[i], &special);
            for (unsigned col = 0; col < t->n; col++) {
                unsigned tile = row * t->n + col, to = t->at[3][tile];
                row_floats v[2];
                for (unsigned odd = 0; odd < 2; odd++) {
                    v[odd] = take_sums(from_half, c + t->at[2][tile], at, odd);
                    for (unsigned i = 0; i < chunks; i++)
                        v[odd] = add_chunk(f, &left[i], &right[col][i], odd,
                                           v[odd], to_odd, &strange);
                    if (!to_half)
                        store_row(out[to + odd] + at, (row_words)v[odd]);
                }
                if (to_half)
                    put_halves(v, !from_half, out[to] + at);
            }
        }
    special &= special_bits(f.type);
    special |= (row_words)strange & 0x80000000;
    uint32_t any = 0;
    for (unsigned i = 0; i < W; i++)
        any |= special[i];
    return !any;
}

#define MULTIPLY(name, ...)                                                    \
    static bool name(const sw_matrix_plan *plan, const void *const a[],        \
                     const void *const b[], const void *const c[],             \
                     uint32_t(*out)[REG_WORDS])                                \
    {                                                                          \
        return multiply((form){__VA_ARGS__}, plan, a, b, c, out);              \
    }
MULTIPLY(multiply_f16_8, SW_T_F16, 8, 2, 1)
MULTIPLY(multiply_f16_16, SW_T_F16, 8, 4, 1)
MULTIPLY(multiply_bf16_8, SW_T_BF16, 16, 2, 1)
MULTIPLY(multiply_bf16_16, SW_T_BF16, 16, 4, 2)
MULTIPLY(multiply_tf32_4, SW_T_TF32, 16, 1, 1)
MULTIPLY(multiply_tf32_8, SW_T_TF32, 16, 2, 1)

bool
SW_LANE_FLOATS(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                           const void *const b[], const void *const c[],
                           uint32_t (*out)[REG_WORDS])
{
    bool is_long = plan->tiles.k == 2;
    if (plan->tiles.k > 2)
        return false;
    switch (plan->mx->atype) {
    case SW_T_F16:
        return (is_long ? multiply_f16_16 : multiply_f16_8)(plan, a, b, c, out);
    case SW_T_BF16:
        return (is_long ? multiply_bf16_16 : multiply_bf16_8)(plan, a, b, c,
                                                              out);
    default:
        is_long &= !plan->wmma;
        return (is_long ? multiply_tf32_8 : multiply_tf32_4)(plan, a, b, c,
                                                             out);
    }
}
