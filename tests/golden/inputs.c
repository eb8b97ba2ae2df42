/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inputs.c - the inputs of evaluation i. ORDER: changing anything here makes
 * every recorded digest wrong.
 *
 * i < 1600: all pairs of 40 corner values; then random; [4096, 68096): all
 * triples of them; [69632, 135168): all values of 16 bits in the first source;
 * then random.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "golden/golden.h"
#include "unit/sem_inputs.h"

enum {
    PAIRS = INPUT_CORNERS * INPUT_CORNERS,
    TRIPLES_AT = GOLDEN_SAMPLE,
    TRIPLES = PAIRS * INPUT_CORNERS,
    ALL_AT = TRIPLES_AT + TRIPLES + 1536
};

static uint64_t
random_of(const char *kind, unsigned k, uint32_t i)
{
    uint64_t h = 0;
    for (const char *c = kind; *c; c++)
        h = h * 31 + (uint8_t)*c;
    return input_mix(input_mix((uint64_t)i * 32 + k) + h * 1000003u);
}

/* Which corner value input i of source k is; -1: none. */
static int
corner_of(unsigned k, uint32_t i)
{
    const unsigned n = INPUT_CORNERS;
    if (i >= TRIPLES_AT && i < TRIPLES_AT + TRIPLES) {
        i -= TRIPLES_AT;
        return (int)((k % 3 == 0 ? i : k % 3 == 1 ? i / n : i / PAIRS) % n);
    }
    if (i >= PAIRS)
        return -1;
    return (int)((k == 0 ? i : k == 1 ? i / n : i * 7 + i / n * k) % n);
}

/* About the square root of the smallest normal number (N), it itself or 0 (M),
 * its reciprocal (L), the smallest normal f32 in f64 (S): all within a few of
 * the last digits, often on the other side. */
static uint64_t
edge_input(char range, unsigned eb, unsigned fb, uint64_t r)
{
    uint64_t bias = (UINT64_C(1) << (eb - 1)) - 1, sign = r >> 63;
    unsigned digits = fb == 52 ? 30 : fb / 2;
    uint64_t steps = input_mix(r) & ((UINT64_C(2) << (r >> 8) % digits) - 1);
    uint64_t e = range == 'N'   ? bias - (bias - 1) / 2 - (r >> 40 & bias & 1)
                 : range == 'L' ? 2 * bias - 1
                 : range == 'S' ? bias - 126
                                : 1;
    if (range == 'M' && !(r >> 50 & 3))
        return sign << (eb + fb) | (r >> 52 & 1 ? steps : 0);
    uint64_t v = e << fb;
    v = r >> 55 & 1 ? v + steps : v - steps;
    return sign << (eb + fb) | v;
}

/* range: W anything, F finite, T near one; others: edge_input. */
static uint64_t
float_input(char range, unsigned eb, unsigned fb, unsigned k, uint32_t i,
            uint64_t r)
{
    int corner = corner_of(k, i);
    uint64_t em = (UINT64_C(1) << eb) - 1, fm = (UINT64_C(1) << fb) - 1;
    uint64_t low = input_mix(r) & fm;
    if (strchr("NMLS", range))
        return edge_input(range, eb, fb, r);
    if (range == 'T') {
        uint64_t e = (em >> 1) - 4 + (r >> 40) % 9;
        bool zero = (r >> 48 & 31) == 0;
        return (r >> 63) << (eb + fb) | (zero ? 0 : e << fb | low);
    }
    uint64_t v = corner >= 0
                     ? input_corner_float((unsigned)corner, eb, fb)
                     : input_random_float(r, eb, fb) ^ (fb > 23 ? low : 0);
    if (fb + eb == 15 && k == 0 && i >= ALL_AT && i < ALL_AT + 65536)
        v = i - ALL_AT;
    if (range == 'F' && (v >> fb & em) == em)
        v ^= (em >> 1) << fb;
    return v;
}

static uint64_t
int_input(unsigned bits, unsigned k, uint32_t i, uint64_t r)
{
    int corner = corner_of(k, i);
    if (bits == 8)
        return k == 0 || i < 65536 ? (k ? i >> 8 : i) & 0xff : r & 0xff;
    if (bits == 16 && k == 0 && i >= ALL_AT && i < ALL_AT + 65536)
        return i - ALL_AT;
    if (corner >= 0)
        return input_corner_int((unsigned)corner, bits);
    bool small = !(r >> 40 & 3);
    uint64_t v = bits == 64 ? input_mix(r) : r & ((UINT64_C(1) << bits) - 1);
    return small ? v >> (r >> 50 & (bits - 1)) : v;
}

/* Member masks: the same for the 32 lanes of a warp, never empty. */
static uint64_t
mask_input(uint32_t i)
{
    uint64_t r = input_mix(i / 32 + 77);
    unsigned at = r >> 8 & 31;
    uint32_t m = (uint32_t)(r >> 32);
    switch (i / 32 % 8) {
    case 0:
        return 0xffffffff;
    case 1:
        return 1u << at;
    case 2:
        return 0xffffffffu >> at;
    case 3:
        return 0xffffffffu << at;
    case 4:
        return i / 256 & 1 ? 0x55555555u : 0xffff0000u >> (r >> 16 & 16);
    case 5:
        return (m & m >> 7) | 1u << at;
    default:
        return m | 1u << at;
    }
}

/* Eight times which two of four numbers there are, in ascending order, or which
 * one of two, as the first two digits or the second. */
static uint64_t
sparse_input(char of, uint64_t r)
{
    static const uint8_t pairs[] = {0x4, 0x8, 0x9, 0xc, 0xd, 0xe};
    uint64_t v = 0;
    for (unsigned i = 0; i < 8; i++, r >>= 8)
        v = v << 4 | (of == '2' ? r & 1 ? 0xe : 0x4 : pairs[(r & 0xff) % 6]);
    return v;
}

static uint64_t
float_bits(double v)
{
    float f = (float)v;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* A number of 24 bits in [0, 1). */
static double
unit_of(uint64_t r)
{
    return (double)(r >> 40) * 0x1p-24;
}

/* Coordinates of textures of about 32 texels, some on a grid of weights. */
static uint64_t
coordinate_input(const char *kind, uint64_t r)
{
    double u = unit_of(r);
    unsigned how = r & 15;
    if (!strcmp(kind, "TEXEL"))
        return (uint32_t)((int)(u * 48) - 8);
    if (!strcmp(kind, "LAYER"))
        return (uint64_t)(u * 7);
    if (!strcmp(kind, "LOD"))
        return float_bits(how ? u * 6 - 1 : floor(u * 6 * 512) / 512 - 1);
    if (!strcmp(kind, "GRAD"))
        return float_bits((u - 0.5) * (how & 1 ? 0.5 : 0.0625));
    if (!strcmp(kind, "CUBE"))
        return float_bits(u * 2 - 1);
    bool texels = !strcmp(kind, "TEXu");
    double at = texels ? u * 56 - 12 : u * 4 - 1.5;
    if (how < 3)
        at = floor(at * (texels ? 512 : 16384)) / (texels ? 512 : 16384);
    if (how == 3)
        at *= 1000;
    if (how == 4 && (r >> 4 & 31) == 0)
        return r >> 9 & 1 ? 0x7fc00000 : r >> 10 & 1 ? 0x7f800000 : 0xff800000;
    return float_bits(at);
}

/* kind is NAME followed by a range; two halves for NAME X2. */
static bool
float_kind(const char *kind, unsigned k, uint32_t i, uint64_t *out)
{
    static const struct {
        const char *name;
        unsigned exponent, fraction;
        bool pair;
    } formats[] = {{"F16X2", 5, 10, true}, {"BF16X2", 8, 7, true},
                   {"F16", 5, 10, false},  {"BF16", 8, 7, false},
                   {"F32", 8, 23, false},  {"F64", 11, 52, false}};
    size_t n = strlen(kind) - 1;
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (strlen(formats[f].name) != n || memcmp(kind, formats[f].name, n))
            continue;
        unsigned e = formats[f].exponent, m = formats[f].fraction;
        uint64_t r = random_of(kind, k, i);
        *out = float_input(kind[n], e, m, k, i, r);
        if (formats[f].pair)
            *out |= float_input(kind[n], e, m, k + 1, i + 11, input_mix(r))
                    << 16;
        return true;
    }
    return false;
}

uint64_t
golden_input(const char *kind, unsigned bits, unsigned k, uint32_t i)
{
    uint64_t r = random_of(kind, k, i), v;
    if (float_kind(kind, k, i, &v))
        return v;
    if (*kind == 'I')
        return int_input((unsigned)atoi(kind + 1), k, i, r);
    if (!strcmp(kind, "P"))
        return r >> 17 & 1;
    if (!strcmp(kind, "SH")) {
        int corner = corner_of(k, i);
        return corner >= 0 ? input_corner_int((unsigned)corner, 32)
                           : r >> 8 & (r >> 40 & 1 ? 63 : 31);
    }
    if (!strcmp(kind, "LANE"))
        return r >> 8 & 31;
    if (!strcmp(kind, "FEW"))
        return (uint64_t)((int64_t)(r >> 8 & 7) - 3);
    if (!strcmp(kind, "RARE"))
        return i / 32 % 2 || (r >> 20 & 63) ? 5 + i / 32 : r & 3;
    if (!strcmp(kind, "MASK"))
        return mask_input(i);
    if (!strcmp(kind, "FP8T") || !strcmp(kind, "FP8W")) {
        uint64_t tame = (r & 0x83838383) | 0x28282828 | (r >> 8 & 0x10101010);
        return kind[3] == 'T' ? tame : r & 0xffffffff;
    }
    if (!strncmp(kind, "SP", 2))
        return kind[3] == 'X' ? r & 0xffffffff : sparse_input(kind[2], r);
    if (!strncmp(kind, "TEX", 3) || !strcmp(kind, "LAYER") ||
        !strcmp(kind, "LOD") || !strcmp(kind, "GRAD") || !strcmp(kind, "CUBE"))
        return coordinate_input(kind, r);
    fprintf(stderr, "forms.def: no kind %s of %u bits\n", kind, bits);
    exit(2);
}
