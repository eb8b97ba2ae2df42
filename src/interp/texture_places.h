/* SPDX-License-Identifier: Apache-2.0 */
/*
 * texture_places.h - from coordinates to texels along an axis, for a vector of
 * lanes: parts of texture_lanes.c and texture_filter.c. What is not taken is
 * all ones in a mask.
 */
#ifndef SW_TEXTURE_PLACES_H
#define SW_TEXTURE_PLACES_H
#include "interp/texture_lanes.h"

/* ---- what C has no operators for ---- */

#if WIDE == 16
#define OF(name) _mm512_##name
#define FLOATS   __m512
#define INTS     __m512i
#elif WIDE == 8
#define OF(name) _mm256_##name
#define FLOATS   __m256
#define INTS     __m256i
#elif defined __SSE4_1__
#define OF(name) _mm_##name
#define FLOATS   __m128
#define INTS     __m128i
#endif

/* b if one is no number, as `a > b ? a : b` is. */
static inline ALWAYS floats
larger(floats a, floats b)
{
#ifdef OF
    return (floats)OF(max_ps)((FLOATS)a, (FLOATS)b);
#else
    return (floats)pick((words)(a > b), (words)a, (words)b);
#endif
}

static inline ALWAYS floats
smaller(floats a, floats b)
{
#ifdef OF
    return (floats)OF(min_ps)((FLOATS)a, (FLOATS)b);
#else
    return (floats)pick((words)(a < b), (words)a, (words)b);
#endif
}

static inline ALWAYS ints
larger_int(ints a, ints b)
{
#ifdef OF
    return (ints)OF(max_epi32)((INTS)a, (INTS)b);
#else
    return (ints)pick((words)(a > b), (words)a, (words)b);
#endif
}

static inline ALWAYS ints
smaller_int(ints a, ints b)
{
#ifdef OF
    return (ints)OF(min_epi32)((INTS)a, (INTS)b);
#else
    return (ints)pick((words)(a < b), (words)a, (words)b);
#endif
}

/* Of numbers of 16 bits with sign, the second one none below 0. */
static inline ALWAYS words
small_product(words a, words b)
{
#ifdef OF
    return (words)OF(madd_epi16)((INTS)a, (INTS)b);
#else
    return a * b;
#endif
}

static inline ALWAYS floats
round_down(floats x)
{
#if WIDE == 16
    return (floats)_mm512_roundscale_ps((FLOATS)x, _MM_FROUND_TO_NEG_INF |
                                                       _MM_FROUND_NO_EXC);
#elif defined OF
    return (floats)OF(floor_ps)((FLOATS)x);
#else
    for (int i = 0; i < WIDE; i++)
        x[i] = __builtin_floorf(x[i]);
    return x;
#endif
}

static inline ALWAYS ints
whole(floats x)
{
    return __builtin_convertvector(x, ints);
}

static inline ALWAYS floats
as_floats(words x)
{
    return (floats)x;
}

static inline ALWAYS floats
all_floats(float x)
{
    return (floats){0} + x;
}

static inline ALWAYS ints
all_ints(int32_t x)
{
    return (ints){0} + x;
}

static inline ALWAYS floats
no_nan(floats x)
{
    return (floats)((words)x & (words)(x == x));
}

/* `quotient` of each. */
static inline ALWAYS floats
quotients(floats x, float y)
{
    floats by = all_floats(y);
#if defined OF && defined __FMA__
    floats inverse = all_floats(1 / y), q = x * inverse;
    FLOATS rest = OF(fnmadd_ps)((FLOATS)q, (FLOATS)by, (FLOATS)x);
    return (floats)OF(fmadd_ps)(rest, (FLOATS)inverse, (FLOATS)q);
#else
    return x / by;
#endif
}

/* ---- numbers ---- */

/* (n * size + round) / 2^shift, rounded down: n at least -2^21, at most 2^22,
 * size at most 2^18. */
static inline ALWAYS ints
scaled(ints n, int32_t size, int32_t round, int shift)
{
    return ((n >> 10) * size + (((n & 1023) * size + round) >> 10)) >>
           (shift - 10);
}

/* Coordinates from 0 to 1 have 21 bits of fraction, rounded down; NaN is 0. */
static inline ALWAYS ints
unit_clamp(words c)
{
    floats x = larger(as_floats(c), all_floats(0));
    return whole(smaller(x, all_floats(1)) * 0x1p21f);
}

/* Those that are outside are not where they were, but outside. */
static inline ALWAYS ints
unit_border(words c)
{
    floats x = larger(no_nan(as_floats(c)), all_floats(-1));
    return whole(round_down(smaller(x, all_floats(2)) * 0x1p21f));
}

/* What is left of it by a period; so is infinity 0. */
static inline ALWAYS ints
unit_repeat(words c, float period)
{
    words finite = (words)((ints)(c & 0x7fffffff) < 0x7f800000);
    floats x = round_down(as_floats(c & finite) * 0x1p21f);
    return whole(x - round_down(x * (1 / period)) * period);
}

/* So many periods are left to sem. */
static inline ALWAYS words
is_far(words c)
{
    const ints most = all_ints(0x4a000000); /* 2^21 */
    ints x = (ints)(c & 0x7fffffff);
    return (words)(x > most) & (words)(x < 0x7f800000);
}

/* ---- the nearest texel ---- */

/* Numbers of texels along axis k, all of which are there; *left: those that
 * were not; *far: coordinates that are too large. */
static inline ALWAYS ints
nearest(const sw_tex_plan *p, unsigned k, sw_tex_place place, words c,
        words *left, words *far)
{
    int32_t size = (int32_t)p->axis[k].size, last = size - 1;
    floats x = as_floats(c);
    words in;
    ints n;
    switch (place) {
    case SW_PLACE_INT:
        in = (words)(c < (uint32_t)size);
        *left |= ~in;
        return (ints)(c & in);
    case SW_PLACE_CLAMP:
        x = larger(x, all_floats(0));
        return whole(smaller(x, all_floats((float)last)));
    case SW_PLACE_BORDER:
        x = no_nan(x);
        in = (words)(x >= 0) & (words)(x < all_floats((float)last + 1));
        *left |= ~in;
        return whole((floats)((words)x & in));
    case SW_PLACE_UNIT_CLAMP:
        n = scaled(unit_clamp(c), size, 0, 21);
        return smaller_int(n, all_ints(last));
    case SW_PLACE_UNIT_BORDER:
        n = unit_border(c);
        in = (words)((words)n < 1u << 21);
        *left |= ~in;
        return scaled((ints)((words)n & in), size, 0, 21);
    case SW_PLACE_UNIT_WRAP:
        *far |= is_far(c);
        return scaled(unit_repeat(c, 0x1p21f), size, 0, 21);
    default:
        *far |= is_far(c);
        n = scaled(unit_repeat(c, 0x1p22f), size, 0, 21);
        return smaller_int(n, 2 * size - 1 - n);
    }
}

#endif
