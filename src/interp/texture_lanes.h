/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_lanes.h - what texture_lanes.c and texture_filter.c, compiled once
 * for each vector extension, share: vectors, and places in fixed point.
 */
#ifndef SW_TEXTURE_LANES_H
#define SW_TEXTURE_LANES_H
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "interp/lanes.h"
#include "interp/texture.h"
#include "sem/sem.h"
#include "sem/texture.h"

/* Texels may be written meanwhile, and lie as the guest program wants. */
#define UNCHECKED                                                              \
    __attribute__((no_sanitize("thread"), no_sanitize("alignment")))
#define ALIGNED __attribute__((aligned(64)))
#define ALWAYS  __attribute__((always_inline))

typedef uint32_t __attribute__((may_alias, aligned(1))) word32;
typedef uint16_t __attribute__((may_alias)) word16;
typedef uint8_t __attribute__((may_alias)) word8;
typedef uint64_t __attribute__((may_alias, aligned(1))) word64;
typedef uint32_t __attribute__((vector_size(16), may_alias, aligned(1))) quad;
typedef uint64_t __attribute__((vector_size(16))) pair;
typedef int32_t __attribute__((vector_size(32), may_alias)) eight;
typedef int32_t __attribute__((vector_size(32), may_alias, aligned(1)))
eight_words;
typedef uint16_t __attribute__((vector_size(16), may_alias, aligned(1)))
eight_halves;
typedef uint8_t __attribute__((vector_size(8), may_alias, aligned(1)))
eight_bytes;

/* As long as the machine's: of longer ones gcc moves each element by itself.
 * EVEN and ODD elements; elements of both by turns, from the LOW and the HIGH
 * halves of each 16 bytes, and so of PAIRS of elements. */
#ifdef __AVX512F__
#define WIDE 16
#define EVEN(a, b)                                                             \
    __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22,   \
                            24, 26, 28, 30)
#define ODD(a, b)                                                              \
    __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23,   \
                            25, 27, 29, 31)
#define LOW(a, b)                                                              \
    __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25,    \
                            12, 28, 13, 29)
#define HIGH(a, b)                                                             \
    __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27,  \
                            14, 30, 15, 31)
#define LOW_PAIRS(a, b)                                                        \
    __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25,    \
                            12, 13, 28, 29)
#define HIGH_PAIRS(a, b)                                                       \
    __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27,  \
                            14, 15, 30, 31)
#elif defined __AVX2__
#define WIDE            8
#define EVEN(a, b)      __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define ODD(a, b)       __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define LOW(a, b)       __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13)
#define HIGH(a, b)      __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15)
#define LOW_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define HIGH_PAIRS(a, b)                                                       \
    __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#else
#define WIDE             4
#define EVEN(a, b)       __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define ODD(a, b)        __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define LOW(a, b)        __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define HIGH(a, b)       __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define LOW_PAIRS(a, b)  __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define HIGH_PAIRS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#endif
typedef uint32_t __attribute__((vector_size(4 * WIDE), may_alias, aligned(1)))
words;
typedef int32_t __attribute__((vector_size(4 * WIDE), may_alias, aligned(1)))
ints;
typedef float __attribute__((vector_size(4 * WIDE), may_alias, aligned(1)))
floats;

/* The elements from i on of a row of lanes. */
#define AT(row, i)       (*(words *)(void *)&(row)[i])
#define CONST_AT(row, i) (*(const words *)(const void *)&(row)[i])
#define EACH(i)          for (int i = 0; i < 32; i += WIDE)

#define OWN(name)      SW_LANE_JOIN(name, SW_VARIANT)
#define add_layers     OWN(sw_lanes_layers_)
#define read_texels    OWN(sw_lanes_texels_)
#define read_pairs     OWN(sw_lanes_pairs_)
#define are_readable   OWN(sw_lanes_readable_)
#define log_texels     OWN(sw_lanes_log_)
#define read_channel   OWN(sw_lanes_channel_)
#define fetch_filtered OWN(sw_lanes_filter_)

sw_tex_fetch fetch_filtered; /* texture_filter.c */

/* ---- in texture_lanes.c ---- */

/* Adds where the layers are. */
void add_layers(const sw_tex_plan *p, const uint32_t *layer,
                int32_t *restrict at);
/* The words of the lanes' texels; of a single word its low bits if a texel has
 * fewer. */
void read_texels(const sw_tex_plan *p, const int32_t *at,
                 uint32_t *const word[4]);
/* The words of texels of one word, and of those behind them. */
void read_pairs(const sw_tex_plan *p, const int32_t *at, uint32_t *first,
                uint32_t *second);
/* Whether all of them are accessible. */
bool are_readable(const sw_tex_plan *p, const sw_tex_checks *checks,
                  const int32_t *at);
/* left: NULL, or all ones where a lane has no texel. */
void log_texels(const sw_tex_plan *p, const sw_tex_checks *checks,
                const int32_t *offset, const uint32_t *left);
/* Channel k of the words; not of texels that are PLAIN. */
void read_channel(const sw_tex_plan *p, uint32_t *const word[4], unsigned k,
                  sw_tex_format format, uint32_t *restrict v);

/* ---- numbers ---- */

static inline void
fill(uint32_t *v, uint32_t x)
{
    for (int i = 0; i < 32; i += WIDE)
        *(words *)&v[i] = (words){0} + x;
}

/* Of a where all bits of `mask` are ones, of b where none is. */
static inline words
pick(words mask, words a, words b)
{
    return (a & mask) | (b & ~mask);
}

static inline bool
is_zero(words x)
{
#if WIDE == 16
    return !_mm512_test_epi32_mask((__m512i)x, (__m512i)x);
#elif WIDE == 8
    return _mm256_testz_si256((__m256i)x, (__m256i)x);
#else
    uint64_t half[2];
    memcpy(half, &x, sizeof half);
    return !(half[0] | half[1]);
#endif
}

static inline bool
is_any(const uint32_t *v)
{
    words any = {0};
    EACH(i)
    any |= CONST_AT(v, i);
    return !is_zero(any);
}

/* Where lanes access neighbours, in rows of eight. */
static inline bool
are_rows(const int32_t *at, int32_t texel)
{
    eight ramp = {0, 1, 2, 3, 4, 5, 6, 7}, apart = {0};
    ramp *= texel;
    for (int i = 0; i < 32; i += 8)
        apart |= *(const eight *)(const void *)&at[i] ^ (ramp + at[i]);
#if WIDE > 4
    return _mm256_testz_si256((__m256i)apart, (__m256i)apart);
#else
    quad half[2];
    memcpy(half, &apart, sizeof half);
    return is_zero(half[0] | half[1]);
#endif
}

/* x / y for whole numbers, y 2^n - 1 below 2^16 and x no larger in magnitude
 * (or one larger); inverse: 1 / y. What is lost of the product is found out and
 * added: equal to the quotient for all of them. */
static inline float
quotient(float x, float y, float inverse)
{
#ifdef __FMA__
    float q = x * inverse;
    return __builtin_fmaf(__builtin_fmaf(-q, y, x), inverse, q);
#else
    (void)inverse;
    return x / y;
#endif
}

/* sem_texture_half, of all kinds of numbers alike. */
static inline words
half_bits(words h)
{
    words digits = (h & 0x7fff) << 13;
    words v = (words)((floats)digits * 0x1p112f);
    v |= (words)(digits >= 0x0f800000) & 0x7f800000;
    return v | (h & 0x8000) << 16;
}

#endif
