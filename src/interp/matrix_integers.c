/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_integers.c - c + a * b of integers of 8, 4 and 1 bits, as
 * sw_sem_matrix_mma has it: modulo 2^32, or clamped once. Compiled once for
 * each vector extension, as lanes.c is; matrix_rows.h says how registers lie.
 *
 * In which order products are added is all the same, so words of a and b are
 * cut into pieces that the machine multiplies: pairs of 16 bits, or four bytes
 * where it has an instruction for them. Sums of products have room in 32 bits.
 */
#include "interp/matrix_rows.h"

enum { MAX_PIECES = 4 * SW_MATRIX_LENGTH };

/* TURNED: b's bytes have no signs, else a's. */
typedef enum { PAIRS, BYTES, BYTES_TURNED, BITS_OF_BOTH, BITS_OF_ONE } kind;

/* ---- pieces ---- */

static inline ALWAYS bool
has_bytes(kind how)
{
    return how == BYTES || how == BYTES_TURNED;
}

static inline ALWAYS bool
has_bits(kind how)
{
    return how == BITS_OF_BOTH || how == BITS_OF_ONE;
}

static inline bool
has_sign(sw_type type)
{
    return type == SW_T_S8 || type == SW_T_S4;
}

/* Of each half of a word element number i, to 16 bits. */
static inline ALWAYS row_words
take_pair(row_words v, unsigned bits, bool is_signed, unsigned i)
{
    int16_t down = (int16_t)(16 - bits), up = (int16_t)(down - (int)(i * bits));
    row_halves top = (row_halves)v << up;
    return is_signed ? (row_words)(top >> down)
                     : (row_words)((row_uhalves)top >> (uint16_t)down);
}

/* Of each byte element number i, to 8 bits. */
static inline ALWAYS row_words
take_bytes(row_words v, unsigned bits, bool is_signed, unsigned i)
{
    if (bits == 8)
        return v;
    v = v >> 4 * i & 0x0f0f0f0f;
    return is_signed ? (row_words)((row_bytes)(v ^ 0x08080808) - 8) : v;
}

/* Piece i of `each` that a word is cut into. */
static inline ALWAYS row_words
take_piece(kind how, row_words v, unsigned bits, bool is_signed, unsigned i)
{
    return has_bits(how)    ? v
           : has_bytes(how) ? take_bytes(v, bits, is_signed, i)
                            : take_pair(v, bits, is_signed, i);
}

/* ---- products ---- */

static inline ALWAYS row_words
add_pairs(row_words sum, row_words a, row_words b)
{
#if defined(__AVX512BW__)
    return sum + (row_words)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return sum + (row_words)_mm256_madd_epi16((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
    return sum + (row_words)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    row_ints low = ((row_ints)(a << 16) >> 16) * ((row_ints)(b << 16) >> 16);
    return sum + (row_words)(low + ((row_ints)a >> 16) * ((row_ints)b >> 16));
#endif
}

/* Bytes without signs by bytes with signs, where there is an instruction (which
 * is not among those of all processors that this is compiled for). */
static inline ALWAYS row_words
add_bytes(row_words sum, row_words without, row_words with)
{
#if defined(__AVX512BW__)
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(without), "vm"(with));
#else
    (void)without, (void)with;
#endif
    return sum;
}

/* The bits that are set, counted in bytes. */
static inline ALWAYS row_words
add_bits(row_words sum, row_words v)
{
    v -= v >> 1 & 0x55555555;
    v = (v & 0x33333333) + (v >> 2 & 0x33333333);
    return sum + ((v + (v >> 4)) & 0x0f0f0f0f);
}

static inline ALWAYS row_words
sum_bytes(row_words v)
{
    v = (v & 0x00ff00ff) + (v >> 8 & 0x00ff00ff);
    return (v & 0xffff) + (v >> 16);
}

static inline ALWAYS row_words
add_products(kind how, row_words sum, row_words a, row_words b)
{
    return how == PAIRS          ? add_pairs(sum, a, b)
           : how == BYTES        ? add_bytes(sum, a, b)
           : how == BYTES_TURNED ? add_bytes(sum, b, a)
           : how == BITS_OF_BOTH ? add_bits(sum, a & b)
                                 : add_bits(sum, a ^ b);
}

/* Of twice as many rows as a vector has the sums of even columns and of odd
 * ones: as many as the machine has the patience to add to in turn. */
enum { VECTORS = 2 };

typedef struct {
    row_words of[VECTORS][2];
} sums;

#define ADD(i)                                                                 \
    for (unsigned v = 0; v < VECTORS; v++) {                                   \
        row_words x = SPREAD(a[p][v], i);                                      \
        s->of[v][0] = add_products(how, s->of[v][0], x, b[p].word[0][i]);      \
        s->of[v][1] = add_products(how, s->of[v][1], x, b[p].word[1][i]);      \
    }

static inline ALWAYS void
multiply_rows(kind how, row_words (*a)[VECTORS], const row_columns *b,
              unsigned pieces, sums *s)
{
    for (unsigned p = 0; p < pieces; p++) {
        ADD(0)
        ADD(1)
        ADD(2)
        ADD(3)
    }
}
#undef ADD

/* ---- matrices ---- */

/* What all rows are multiplied with. flip: of a, so that its bytes have signs
 * where b's have none, or none where they have; sums begin with what that adds
 * or takes away. */
typedef struct {
    row_columns column[SW_MATRIX_COLUMNS][MAX_PIECES];
    row_words begin[SW_MATRIX_COLUMNS][2];
    row_words flip;
    unsigned pieces; /* of all words of a tile's rows */
} factors;

static inline ALWAYS unsigned
pieces_of_word(kind how, unsigned bits)
{
    return how == PAIRS ? 16 / bits : has_bytes(how) ? 8 / bits : 1;
}

static inline ALWAYS void
take_right(kind how, unsigned bits, const sw_matrix_plan *plan,
           const void *const b[], factors *f)
{
    const sw_matrix_tiles *t = &plan->tiles;
    bool is_signed = has_sign(plan->mx->btype);
    unsigned each = pieces_of_word(how, bits);
    for (unsigned col = 0; col < t->n; col++)
        for (unsigned k = 0; k < t->k; k++) {
            const uint32_t *reg = b[t->at[1][col * t->k + k]];
            for (unsigned i = 0; i < each; i++) {
                row_words v[PARTS];
                for (unsigned part = 0; part < PARTS; part++)
                    v[part] = take_piece(how, load_row(reg + part * W), bits,
                                         is_signed, i);
                take_columns(v, &f->column[col][k * each + i]);
            }
        }
}

static inline ALWAYS row_words
add_ones(row_words sum, row_words v, bool is_signed)
{
    row_words one = (row_words){0} + 0x01010101;
    return is_signed ? add_bytes(sum, one, v) : add_bytes(sum, v, one);
}

static inline ALWAYS void
begin_sums(kind how, const sw_matrix_plan *plan, factors *f)
{
    bool is_signed = has_sign(plan->mx->atype);
    for (unsigned col = 0; col < plan->tiles.n; col++)
        f->begin[col][0] = f->begin[col][1] = (row_words){0};
    f->flip = (row_words){0};
    if (!has_bytes(how) || is_signed != has_sign(plan->mx->btype))
        return;
    f->flip += 0x80808080;
    for (unsigned col = 0; col < plan->tiles.n; col++)
        for (unsigned odd = 0; odd < 2; odd++) {
            row_words sum = {0}, other = {0};
            for (unsigned p = 0; p < f->pieces; p++) {
                const row_words *v = f->column[col][p].word[odd];
                sum = add_ones(add_ones(sum, v[0], is_signed), v[1], is_signed);
                other =
                    add_ones(add_ones(other, v[2], is_signed), v[3], is_signed);
            }
            sum = (sum + other) << 7;
            f->begin[col][odd] = is_signed ? -sum : sum;
        }
}

static inline ALWAYS row_words
add_sums(row_words a, row_words b, bool clamped)
{
    row_words sum = a + b, most = (row_words)((row_ints)a >> 31) ^ 0x7fffffff;
    row_words over = (row_words)((row_ints)((sum ^ a) & (sum ^ b)) >> 31);
    over &= clamped ? UINT32_MAX : 0;
    return (sum & ~over) | (most & over);
}

/* Some rows of a tile, from word `at` of registers on. */
static inline ALWAYS void
put_sums(kind how, const sums *s, const void *const c[2], unsigned at,
         bool clamped, uint32_t (*out)[REG_WORDS])
{
    for (unsigned v = 0; v < VECTORS; v++, at += W)
        for (unsigned odd = 0; odd < 2; odd++) {
            row_words sum = s->of[v][odd];
            row_words old = load_row((const uint32_t *)c[odd] + at);
            if (has_bits(how))
                sum = sum_bytes(sum);
            store_row(out[odd] + at, add_sums(old, sum, clamped));
        }
}

static inline ALWAYS void
multiply(kind how, unsigned bits, const sw_matrix_plan *plan,
         const void *const a[], const void *const b[], const void *const c[],
         uint32_t (*out)[REG_WORDS])
{
    const sw_matrix_tiles *t = &plan->tiles;
    bool is_signed = has_sign(plan->mx->atype), clamped = plan->mx->satfinite;
    unsigned each = pieces_of_word(how, bits);
    factors f;
    f.pieces = t->k * each;
    take_right(how, bits, plan, b, &f);
    begin_sums(how, plan, &f);
    for (unsigned row = 0; row < t->m; row++)
        for (unsigned at = 0; at < REG_WORDS; at += VECTORS * W) {
            row_words left[MAX_PIECES][VECTORS];
            for (unsigned k = 0; k < t->k; k++)
                for (unsigned v = 0; v < VECTORS; v++) {
                    const uint32_t *reg = a[t->at[0][row * t->k + k]];
                    row_words words = load_row(reg + at + v * W);
                    for (unsigned i = 0; i < each; i++)
                        left[k * each + i][v] =
                            take_piece(how, words, bits, is_signed, i) ^ f.flip;
                }
            for (unsigned col = 0; col < t->n; col++) {
                unsigned tile = row * t->n + col;
                const row_words *begin = f.begin[col];
                sums s = {{{begin[0], begin[1]}, {begin[0], begin[1]}}};
                multiply_rows(how, left, f.column[col], f.pieces, &s);
                put_sums(how, &s, c + t->at[2][tile], at, clamped,
                         out + t->at[3][tile]);
            }
        }
}

#define MULTIPLY(name, how, bits)                                              \
    static void name(const sw_matrix_plan *plan, const void *const a[],        \
                     const void *const b[], const void *const c[],             \
                     uint32_t(*out)[REG_WORDS])                                \
    {                                                                          \
        multiply(how, bits, plan, a, b, c, out);                               \
    }
MULTIPLY(multiply_pairs_8, PAIRS, 8)
MULTIPLY(multiply_pairs_4, PAIRS, 4)
MULTIPLY(multiply_and, BITS_OF_BOTH, 1)
MULTIPLY(multiply_xor, BITS_OF_ONE, 1)
#if defined(__AVX512BW__)
MULTIPLY(multiply_bytes_8, BYTES, 8)
MULTIPLY(multiply_bytes_4, BYTES, 4)
MULTIPLY(multiply_turned_8, BYTES_TURNED, 8)
MULTIPLY(multiply_turned_4, BYTES_TURNED, 4)
#endif

void
SW_LANE_INTEGERS(SW_VARIANT)(const sw_matrix_plan *plan, const void *const a[],
                             const void *const b[], const void *const c[],
                             uint32_t (*out)[REG_WORDS])
{
    const sw_matrix *mx = plan->mx;
    bool is_byte = mx->atype == SW_T_S8 || mx->atype == SW_T_U8;
    if (mx->atype == SW_T_B1) {
        (mx->bit_op ? multiply_and : multiply_xor)(plan, a, b, c, out);
        return;
    }
#if defined(__AVX512BW__)
    if (plan->has_dots) {
        if (has_sign(mx->btype))
            (is_byte ? multiply_bytes_8 : multiply_bytes_4)(plan, a, b, c, out);
        else
            (is_byte ? multiply_turned_8 : multiply_turned_4)(plan, a, b, c,
                                                              out);
        return;
    }
#endif
    (is_byte ? multiply_pairs_8 : multiply_pairs_4)(plan, a, b, c, out);
}
