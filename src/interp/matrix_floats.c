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
enum { MAX_GROUPS = 8, MAX_EXPONENTS = 4 };

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
    e = exponents_of_halves(v, 10, -128, special) & 0x00ff00ff;
    none += 0x00800080;
    if (other)
        none = exponents_of_halves(*other, 10, -128, special) & 0x00ff00ff;
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

/* Those of bytes are clamped, or that of two zeros were none of zero. */
static inline ALWAYS row_words
add_exponents(unsigned bits, row_words a, row_words b)
{
    if (bits == 16)
        return (row_words)((row_halves)a + (row_halves)b);
#if defined(__AVX512BW__)
    return (row_words)_mm512_adds_epi8((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (row_words)_mm256_adds_epi8((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return (row_words)_mm_adds_epi8((__m128i)a, (__m128i)b);
#else
    row_words both = (row_words)((row_bytes)(a & b) < 0);
    return pick(both, both & 0x80808080,
                (row_words)((row_bytes)a + (row_bytes)b));
#endif
}

static inline ALWAYS row_words
most_of(unsigned bits, row_words a, row_words b)
{
#if defined(__AVX512BW__)
    __m512i x = (__m512i)a, y = (__m512i)b;
    return (row_words)(bits == 8    ? _mm512_max_epi8(x, y)
                       : bits == 16 ? _mm512_max_epi16(x, y)
                                    : _mm512_max_epi32(x, y));
#elif defined(__AVX2__)
    __m256i x = (__m256i)a, y = (__m256i)b;
    return (row_words)(bits == 8    ? _mm256_max_epi8(x, y)
                       : bits == 16 ? _mm256_max_epi16(x, y)
                                    : _mm256_max_epi32(x, y));
#else
    return bits == 8    ? pick((row_words)((row_bytes)a > (row_bytes)b), a, b)
           : bits == 16 ? pick((row_words)((row_halves)a > (row_halves)b), a, b)
                        : pick((row_words)((row_ints)a > (row_ints)b), a, b);
#endif
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

/* What tells whether all of it was exact: of all sums bits of the exponents of
 * the largest terms, less than the least there may be; the largest ones; the
 * largest of products; and sizes. */
typedef struct {
    row_words low, high, top, size;
} limits;

/* Exponents in f32's bits. LEAST, MOST: so that digits have exponents too. Up
 * to 16 terms, each below 4 * 2^DIGITS, and c have no room in 32 bits if they
 * are all as large: what is more than MOST_SIZE may have wrapped. */
#define FIELD(e) ((uint32_t)(127 + (e)) << 23)
enum { LEAST = -90, MOST = 126, MOST_SIZE = 2000000000 };

#define TOP(i)                                                                 \
    x = SPREAD(a->exponent[w], i);                                             \
    for (unsigned odd = 0; odd < 2; odd++) {                                   \
        row_words e = add_exponents(f.bits, x, b->exponent[w].word[odd][i]);   \
        top[odd] = w || (i) ? most_of(f.bits, top[odd], e) : e;                \
    }

/* Of even columns' sums and odd ones' the exponents that their largest products
 * have, as factors have them, in the upper bits; negative: all are 0. */
static inline ALWAYS void
find_tops(form f, const rows *a, const columns *b, row_words top[2])
{
    row_words x;
    for (unsigned w = 0; w < f.exponents; w++) {
        TOP(0)
        TOP(1)
        TOP(2)
        TOP(3)
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        top[odd] = most_of(f.bits, top[odd], top[odd] << 16);
        if (f.bits == 8)
            top[odd] = most_of(f.bits, top[odd], top[odd] << 8);
    }
}
#undef TOP

/* The largest exponent of a sum's terms in f32's bits; top: as from find_tops,
 * where bits below are no matter. */
static inline ALWAYS row_words
find_field(form f, row_words top, row_words c, limits *seen)
{
    row_words none = (row_words)((row_ints)top >> 31), field = {0};
    if (f.bits == 8) {
        field = (row_words)((row_ints)top >> 1) + ((127u - 30) << 23);
    } else {
        row_words t = most_of(32, (row_words)((row_ints)top >> 16), field);
        seen->top = most_of(32, seen->top, t);
        field = (t - (254 - 127)) << 23;
    }
    field = most_of(32, field, c & 0x7f800000) & 0xff800000;
    seen->high = most_of(32, seen->high, field);
    seen->low |= (field - FIELD(LEAST)) & ~none;
    return field;
}

static inline ALWAYS row_words
largest_size(row_words most, row_words total)
{
#if defined(__AVX512BW__)
    return (row_words)_mm512_max_epu32((__m512i)most,
                                       _mm512_abs_epi32((__m512i)total));
#elif defined(__AVX2__)
    return (row_words)_mm256_max_epu32((__m256i)most,
                                       _mm256_abs_epi32((__m256i)total));
#else
    row_words sign = (row_words)((row_ints)total >> 31);
    row_words size = (total ^ sign) - sign;
    return pick((row_words)(size > most), size, most);
#endif
}

static inline ALWAYS bool
is_exact(const limits *seen)
{
    for (unsigned i = 0; i < W; i++)
        if (seen->low[i] >> 31 || seen->high[i] > FIELD(MOST) ||
            seen->top[i] > 127 + 127 + MOST || seen->size[i] > MOST_SIZE)
            return false;
    return true;
}

#define ADD(i)                                                                 \
    x = (row_floats)SPREAD(a->element[g], i);                                  \
    for (unsigned odd = 0; odd < 2; odd++)                                     \
        sum[odd] += (row_words) __builtin_convertvector(                       \
            x * (row_floats)b->element[g].word[odd][i] * scale[odd],           \
            row_ints);

static inline ALWAYS void
add_products(form f, const rows *a, const columns *b, const row_floats scale[2],
             row_words sum[2])
{
    row_floats x;
    for (unsigned g = 0; g < f.groups; g++) {
        ADD(0)
        ADD(1)
        ADD(2)
        ADD(3)
    }
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
    row_ints sign = total >> 31; /* what is too large is refused later */
    row_ints size =
        (row_ints)(((row_words)total ^ (row_words)sign) - (row_words)sign);
    row_floats nearest = __builtin_convertvector(size, row_floats);
    row_ints bits = (row_ints)nearest;
    bits += __builtin_convertvector(nearest, row_ints) > size; /* - 1 */
    if (odd)
        bits |=
            (__builtin_convertvector((row_floats)bits, row_ints) != size) & 1;
    return (row_floats)(bits | (sign & INT32_MIN));
#endif
}

/* c += products. Where all products are 0 that is c, whose exponent may be too
 * small for all else, but + 0. */
static inline ALWAYS void
add_chunk(form f, const rows *a, const columns *b, row_floats c[2], bool to_odd,
          limits *seen)
{
    row_words top[2], field[2], sum[2];
    row_floats scale[2];
    find_tops(f, a, b, top);
    for (unsigned odd = 0; odd < 2; odd++) {
        field[odd] = find_field(f, top[odd], (row_words)c[odd], seen);
        scale[odd] = (row_floats)(FIELD(127 + DIGITS) - field[odd]);
        sum[odd] =
            (row_words) __builtin_convertvector(c[odd] * scale[odd], row_ints);
    }
    add_products(f, a, b, scale, sum);
    for (unsigned odd = 0; odd < 2; odd++) {
        row_floats unit = (row_floats)(field[odd] - (DIGITS << 23));
        row_words all = (row_words)(cut((row_ints)sum[odd], to_odd) * unit);
        row_words none = (row_words)((row_ints)top[odd] < 0);
        seen->size = largest_size(seen->size, sum[odd]);
        c[odd] = (row_floats)pick(none, (row_words)(c[odd] + 0.0f), all);
    }
}

/* ---- c and d ---- */

/* Even or odd columns of some rows of c, or of d: registers by themselves, or
 * halves of one. */
static inline ALWAYS void
take_sums(bool are_halves, const void *const c[2], unsigned at, row_floats v[2])
{
    for (unsigned odd = 0; odd < 2; odd++) {
        const uint32_t *reg = c[are_halves ? 0 : odd];
        v[odd] = are_halves ? take_float(SW_T_F16, load_row(reg + at), odd)
                            : (row_floats)load_row(reg + at);
    }
}

/* To nearest, in the lower halves of words. */
static inline ALWAYS row_words
round_to_half(row_floats v)
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

/* keep_sign: of those that are 0. */
static inline ALWAYS row_words
half_of_float(row_floats v, bool keep_sign)
{
    row_words half = round_to_half(v);
    return keep_sign ? half & UINT32_MAX
                     : half & (row_words)((half & 0x7fff) != 0);
}

static inline ALWAYS void
put_sums(bool are_halves, const row_floats v[2], bool keep_sign, unsigned at,
         uint32_t (*out)[REG_WORDS])
{
    if (!are_halves) {
        store_row(out[0] + at, (row_words)v[0]);
        store_row(out[1] + at, (row_words)v[1]);
        return;
    }
    row_words low = half_of_float(v[0], keep_sign);
    row_words high = half_of_float(v[1], keep_sign);
    store_row(out[0] + at, low | high << 16);
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
    row_words v[SW_MATRIX_LENGTH][PARTS], x[PARTS];
    for (unsigned k = 0; k < tiles; k++)
        for (unsigned part = 0; part < PARTS; part++)
            v[k][part] = load_row((const uint32_t *)b[regs[k]] + part * W);
    for (unsigned g = 0; g < f.groups; g++) {
        for (unsigned part = 0; part < PARTS; part++)
            x[part] =
                (row_words)take_float(f.type, v[g / each][part], g % each);
        take_columns(x, &to->element[g]);
    }
    unsigned pair = tiles > f.exponents ? 2 : 1;
    for (unsigned w = 0; w < f.exponents; w++) {
        for (unsigned part = 0; part < PARTS; part++)
            x[part] = take_exponents(f.type, v[w * pair][part],
                                     pair > 1 ? &v[w * pair + 1][part] : NULL,
                                     special);
        take_columns(x, &to->exponent[w]);
    }
}

static inline ALWAYS void
take_rows_of(form f, const void *const a[], const uint8_t *regs, unsigned at,
             rows *to, row_words *special)
{
    unsigned tiles = tiles_of(f), each = f.groups / tiles;
    row_words v[SW_MATRIX_LENGTH];
    for (unsigned k = 0; k < tiles; k++)
        v[k] = load_row((const uint32_t *)a[regs[k]] + at);
    for (unsigned g = 0; g < f.groups; g++)
        to->element[g] = take_float(f.type, v[g / each], g % each);
    unsigned pair = tiles > f.exponents ? 2 : 1;
    for (unsigned w = 0; w < f.exponents; w++)
        to->exponent[w] = take_exponents(
            f.type, v[w * pair], pair > 1 ? &v[w * pair + 1] : NULL, special);
}

enum { MAX_CHUNKS = 2 };

/* Sums of a few rows, of all chunks. add_last: c is not their first term, but
 * added to them, which are of d's type before. */
static inline ALWAYS void
add_chunks(form f, unsigned chunks, const rows *a, const columns *b,
           row_floats c[2], bool to_half, bool to_odd, bool add_last,
           limits *seen)
{
    row_floats sum[2] = {c[0], c[1]};
    if (add_last)
        sum[0] = sum[1] = (row_floats){0};
    for (unsigned i = 0; i < chunks; i++) {
        add_chunk(f, &a[i], &b[i], sum, to_odd, seen);
        for (unsigned odd = 0; odd < 2 && add_last && to_half; odd++)
            sum[odd] = float_of_half(half_of_float(sum[odd], !to_odd));
    }
    for (unsigned odd = 0; odd < 2; odd++) {
        seen->high = most_of(32, seen->high, (row_words)c[odd] & 0x7f800000);
        if (add_last)
            sum[odd] += c[odd];
        c[odd] = sum[odd];
    }
}

static inline ALWAYS bool
multiply(form f, bool add_last, const sw_matrix_plan *plan,
         const sw_matrix_tiles *t, const void *const a[], const void *const b[],
         const void *const c[], uint32_t (*out)[REG_WORDS])
{
    const sw_matrix *mx = plan->mx;
    bool from_half = mx->ctype == SW_T_F16, to_half = mx->dtype == SW_T_F16;
    bool to_odd = from_half && to_half;
    unsigned tiles = tiles_of(f), chunks = t->k / tiles;
    columns right[SW_MATRIX_COLUMNS][MAX_CHUNKS];
    row_words special = {0};
    limits seen = {{0}, {0}, {0}, {0}};
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
                take_sums(from_half, c + t->at[2][tile], at, v);
                add_chunks(f, chunks, left, right[col], v, to_half, to_odd,
                           add_last, &seen);
                put_sums(to_half, v, add_last || !from_half, at, out + to);
            }
        }
    special &= special_bits(f.type);
    uint32_t any = 0;
    for (unsigned i = 0; i < W; i++)
        any |= special[i];
    return !any && is_exact(&seen);
}

#define MULTIPLY(name, ...)                                                    \
    static bool name(const sw_matrix_plan *plan, const void *const a[],        \
                     const void *const b[], const void *const c[],             \
                     uint32_t(*out)[REG_WORDS])                                \
    {                                                                          \
        return multiply((form){__VA_ARGS__}, false, plan, &plan->tiles, a, b,  \
                        c, out);                                               \
    }
MULTIPLY(multiply_f16_8, SW_T_F16, 8, 2, 1)
MULTIPLY(multiply_f16_16, SW_T_F16, 8, 4, 1)
MULTIPLY(multiply_f16_32, SW_T_F16, 8, 8, 2)
MULTIPLY(multiply_bf16_8, SW_T_BF16, 16, 2, 1)
MULTIPLY(multiply_bf16_16, SW_T_BF16, 16, 4, 2)
MULTIPLY(multiply_bf16_32, SW_T_BF16, 16, 8, 4)
MULTIPLY(multiply_tf32_4, SW_T_TF32, 16, 1, 1)
MULTIPLY(multiply_tf32_8, SW_T_TF32, 16, 2, 1)

/* ---- bytes ---- */

/* Two bytes of each word, 0 or 1 the lower ones, to f16. */
static inline ALWAYS row_words
halves_of_bytes(sw_type type, row_words v, unsigned part)
{
    v = v >> 16 * part & 0xffff;
    v = (v & 0xff) | (v & 0xff00) << 8;
    if (type == SW_T_E5M2)
        return v << 8;
    row_words sign = (v & 0x00800080) << 8;
    row_halves size = (row_halves)(v & 0x007f007f), one = size, two;
    row_halves is_low = size < 4, is_lowest;
    one += size & is_low;
    is_lowest = one < 4;
    two = one + (one & is_lowest); /* 4 to 7, or 0 */
    row_halves tiny = ((8 + is_low + is_lowest) << 10) | ((two & 3) << 8);
    row_halves half = (size << 7) + (8 << 10), is_tiny = size < 8;
    half = (half & ~is_tiny) | (tiny & is_tiny & (size != 0));
    return sign | (row_words)(half | (0x7fff & (size == 0x7f)));
}

/* Registers of halves: of a tile's lower bytes, of all along k, and of its
 * upper ones. */
static void
widen(sw_type type, unsigned count, unsigned tiles, const uint8_t *from,
      const void *const regs[], uint32_t (*to)[REG_WORDS])
{
    for (unsigned i = 0; i < count * tiles; i++)
        for (unsigned part = 0; part < 2; part++) {
            const uint32_t *reg = regs[from[i]];
            uint32_t *half =
                to[i / tiles * 2 * tiles + part * tiles + i % tiles];
            for (unsigned at = 0; at < REG_WORDS; at += W)
                store_row(half + at,
                          halves_of_bytes(type, load_row(reg + at), part));
        }
}

/* The lower two bytes of each word are one sum in f16, to which the upper two
 * are added; c comes last. */
static bool
multiply_bytes(const sw_matrix_plan *plan, const void *const a[],
               const void *const b[], const void *const c[],
               uint32_t (*out)[REG_WORDS])
{
    __attribute__((aligned(64))) uint32_t left[SW_MATRIX_TILES][REG_WORDS],
        right[SW_MATRIX_TILES][REG_WORDS];
    const void *x[SW_MATRIX_TILES], *y[SW_MATRIX_TILES];
    sw_matrix_tiles t = plan->tiles;
    if (2 * t.k * t.m > SW_MATRIX_TILES || 2 * t.k * t.n > SW_MATRIX_TILES)
        return false;
    widen(plan->mx->atype, t.m, t.k, t.at[0], a, left);
    widen(plan->mx->btype, t.n, t.k, t.at[1], b, right);
    for (unsigned i = 0; i < SW_MATRIX_TILES; i++) {
        t.at[0][i] = t.at[1][i] = (uint8_t)i;
        x[i] = left[i];
        y[i] = right[i];
    }
    t.k *= 2;
    if (t.k == 2)
        return multiply((form){SW_T_F16, 8, 2, 1}, true, plan, &t, x, y, c,
                        out);
    return multiply((form){SW_T_F16, 8, 4, 1}, true, plan, &t, x, y, c, out);
}

bool
SW_LANE_FLOATS(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                           const void *const b[], const void *const c[],
                           uint32_t (*out)[REG_WORDS])
{
    bool is_long = plan->tiles.k == 2;
    bool is_sparse = plan->mx->sparse && plan->tiles.k == 4;
    if (plan->tiles.k > 2 && !is_sparse)
        return false;
    switch (plan->mx->atype) {
    case SW_T_E4M3:
    case SW_T_E5M2:
        return multiply_bytes(plan, a, b, c, out);
    case SW_T_F16:
        if (is_sparse)
            return multiply_f16_32(plan, a, b, c, out);
        return (is_long ? multiply_f16_16 : multiply_f16_8)(plan, a, b, c, out);
    case SW_T_BF16:
        if (is_sparse)
            return multiply_bf16_32(plan, a, b, c, out);
        return (is_long ? multiply_bf16_16 : multiply_bf16_8)(plan, a, b, c,
                                                              out);
    default:
        is_long &= !plan->wmma;
        return (is_long ? multiply_tf32_8 : multiply_tf32_4)(plan, a, b, c,
                                                             out);
    }
}
