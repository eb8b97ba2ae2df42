/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matrix_rows.h - inside interp: fragments of matrices as vectors, for the
 * files that are compiled once for each vector extension.
 *
 * A register of a fragment is a tile: eight rows of a (columns of b) of four
 * words along k, one after the other; of c and d two registers are eight rows
 * of four words, one of even columns and one of odd ones (sem/matrix.c). So a
 * vector of a register of c has a few rows, each beside the same four columns,
 * and so has one of a with a word of each row in four copies, and one of b with
 * words of four columns in as many copies as there are rows. Nothing is put
 * anywhere else to be multiplied.
 */
#ifndef SW_MATRIX_ROWS_H
#define SW_MATRIX_ROWS_H
#include <stdint.h>
#include <string.h>

#include "interp/lanes.h"
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ALWAYS __attribute__((always_inline))

/* Words of a vector: no more than the machine's have, of which gcc would move
 * each by itself. */
#if defined(__AVX512BW__)
enum { W = 16 };
#elif defined(__AVX2__)
enum { W = 8 };
#else
enum { W = 4 };
#endif
enum { REG_WORDS = 32, PARTS = REG_WORDS / W };

/* As they lie in registers, which begin anywhere that words do. */
#define VECTOR(type, name, bytes)                                              \
    typedef type __attribute__((vector_size(bytes), may_alias)) name;
VECTOR(uint32_t, row_words, 4 * W)
VECTOR(int32_t, row_ints, 4 * W)
VECTOR(int16_t, row_halves, 4 * W)
VECTOR(uint16_t, row_uhalves, 4 * W)
VECTOR(int8_t, row_bytes, 4 * W)
VECTOR(float, row_floats, 4 * W)
VECTOR(uint32_t, four_words, 16)

static inline ALWAYS row_words
load_row(const uint32_t *at)
{
    row_words v;
    memcpy(&v, at, sizeof v);
    return v;
}

static inline ALWAYS void
store_row(uint32_t *at, row_words v)
{
    memcpy(at, &v, sizeof v);
}

/* Word i (a literal) of each row in all four of it. */
#if defined(__AVX512BW__)
#define SPREAD(v, i)                                                           \
    __builtin_shufflevector(v, v, i, i, i, i, (i) + 4, (i) + 4, (i) + 4,       \
                            (i) + 4, (i) + 8, (i) + 8, (i) + 8, (i) + 8,       \
                            (i) + 12, (i) + 12, (i) + 12, (i) + 12)
#elif defined(__AVX2__)
#define SPREAD(v, i)                                                           \
    __builtin_shufflevector(v, v, i, i, i, i, (i) + 4, (i) + 4, (i) + 4,       \
                            (i) + 4)
#else
#define SPREAD(v, i) __builtin_shufflevector(v, v, i, i, i, i)
#endif

/* Words along k of eight columns: [odd][word]. */
typedef struct {
    row_words word[2][4];
} row_columns;

#if defined(__AVX512BW__)

/* Every eighth word of two vectors, in four copies. */
#define COLUMNS(i)                                                             \
    __builtin_shufflevector(low, high, i, (i) + 8, (i) + 16, (i) + 24, i,      \
                            (i) + 8, (i) + 16, (i) + 24, i, (i) + 8, (i) + 16, \
                            (i) + 24, i, (i) + 8, (i) + 16, (i) + 24)

/* Columns of the 32 words of a register of b. */
static inline ALWAYS void
take_columns(const row_words from[PARTS], row_columns *to)
{
    row_words low = from[0], high = from[1];
    to->word[0][0] = COLUMNS(0);
    to->word[0][1] = COLUMNS(1);
    to->word[0][2] = COLUMNS(2);
    to->word[0][3] = COLUMNS(3);
    to->word[1][0] = COLUMNS(4);
    to->word[1][1] = COLUMNS(5);
    to->word[1][2] = COLUMNS(6);
    to->word[1][3] = COLUMNS(7);
}
#undef COLUMNS

#else

/* Four words as each row. */
static inline ALWAYS row_words
repeat(four_words v)
{
#if defined(__AVX2__)
    return (row_words)_mm256_broadcastsi128_si256((__m128i)v);
#else
    return (row_words)v;
#endif
}

static inline ALWAYS void
take_columns(const row_words from[PARTS], row_columns *to)
{
    const uint32_t *word = (const uint32_t *)from;
    for (unsigned odd = 0; odd < 2; odd++, word += 4) {
        four_words a, b, c, d;
        memcpy(&a, word, sizeof a);
        memcpy(&b, word + 8, sizeof b);
        memcpy(&c, word + 16, sizeof c);
        memcpy(&d, word + 24, sizeof d);
        four_words low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        four_words high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        four_words low2 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        four_words high2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        to->word[odd][0] =
            repeat(__builtin_shufflevector(low, low2, 0, 1, 4, 5));
        to->word[odd][1] =
            repeat(__builtin_shufflevector(low, low2, 2, 3, 6, 7));
        to->word[odd][2] =
            repeat(__builtin_shufflevector(high, high2, 0, 1, 4, 5));
        to->word[odd][3] =
            repeat(__builtin_shufflevector(high, high2, 2, 3, 6, 7));
    }
}

#endif

#endif
