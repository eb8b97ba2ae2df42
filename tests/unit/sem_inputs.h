/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sem_inputs.h - the inputs on which sem_truth.def was measured: all pairs of
 * 40 corner values, then random ones. ORDER: changing anything here makes
 * every digest wrong.
 */
#ifndef SW_TEST_SEM_INPUTS_H
#define SW_TEST_SEM_INPUTS_H
#include <stdint.h>

enum {
    INPUT_I16,
    INPUT_I32,
    INPUT_I64,
    INPUT_F16,
    INPUT_BF16,
    INPUT_F32,
    INPUT_F64,
    INPUT_SH, /* shift amounts and positions */
    INPUT_P,
    INPUT_F16X2,
    INPUT_BF16X2,
    INPUT_LANE /* as SH, modulo 32 */
};
enum { INPUT_COUNT = 2560, INPUT_CORNERS = 40 };

/* The splitmix64 finaliser. */
static inline uint64_t
input_mix(uint64_t z)
{
    z += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline uint64_t
input_corner_int(unsigned i, unsigned bits)
{
    const uint64_t top = UINT64_C(1) << (bits - 1);
    const uint64_t values[INPUT_CORNERS] = {0,
                                            1,
                                            2,
                                            3,
                                            4,
                                            5,
                                            7,
                                            8,
                                            15,
                                            16,
                                            17,
                                            31,
                                            32,
                                            33,
                                            63,
                                            64,
                                            65,
                                            100,
                                            127,
                                            128,
                                            255,
                                            256,
                                            0xffff,
                                            0x7fff,
                                            0x8000,
                                            0x8001,
                                            -1ull,
                                            -2ull,
                                            -3ull,
                                            top,
                                            top - 1,
                                            top + 1,
                                            -128ull,
                                            -129ull,
                                            0x5555555555555555,
                                            0xaaaaaaaaaaaaaaaa,
                                            0x80000000,
                                            0x7fffffff,
                                            0xffffffff,
                                            0x0123456789abcdef};
    return values[i] & (top | (top - 1));
}

/* eb exponent and fb fraction bits; odd i negative. */
static inline uint64_t
input_corner_float(unsigned i, unsigned eb, unsigned fb)
{
    uint64_t em = (UINT64_C(1) << eb) - 1, fm = (UINT64_C(1) << fb) - 1;
    uint64_t bias = em >> 1, unit = UINT64_C(1) << fb, one = bias << fb;
    uint64_t quiet = UINT64_C(1) << (fb - 1);
    uint64_t large = bias + 31 > em - 1 ? em - 1 : bias + 31;
    uint64_t small = bias > 14 + fb ? bias - fb : 1;
    const uint64_t values[INPUT_CORNERS / 2] = {
        0,
        one,
        one + unit,
        em << fb,
        em << fb | 1,
        em << fb | quiet | 5,
        1,
        fm,
        unit,
        (em << fb) - 1,
        one + 1,
        one - 1,
        unit + 1,
        one - unit,
        one + unit + quiet,
        (bias + (eb == 5 ? 10 : 30)) << fb | fm,
        large << fb,
        small << fb,
        fm >> 1,
        (em << fb) - unit};
    return values[i >> 1] | (uint64_t)(i & 1) << (eb + fb);
}

/* Random bits r with exponents near 1, near the ends, or anywhere. */
static inline uint64_t
input_random_float(uint64_t r, unsigned eb, unsigned fb)
{
    uint64_t em = (UINT64_C(1) << eb) - 1, sign = r >> 55 & 1;
    uint64_t f = r & ((UINT64_C(1) << fb) - 1), e = r >> 56 & em;
    unsigned how = r >> 52 & 7;
    if (how >= 3) {
        int spread = how >= 6 ? (int)fb + 2 : 8;
        int64_t q = (int64_t)(em >> 1) +
                    (int)((r >> 60) % (unsigned)(2 * spread + 1)) - spread;
        e = q < 0 ? 0 : q > (int64_t)em ? em : (uint64_t)q;
    } else {
        e = how == 2 ? r >> 60 & 1 : input_mix(r) >> 9 & em;
    }
    return sign << (eb + fb) | e << fb | f;
}

/* Case i of operand k (0..3). */
static inline uint64_t
input_value(unsigned kind, unsigned k, unsigned i)
{
    if (kind == INPUT_LANE)
        return input_value(INPUT_SH, k, i) & 31;
    uint64_t r = input_mix(input_mix((uint64_t)i * 8 + k) + kind * 1000003u);
    unsigned n = INPUT_CORNERS, next = (i * 37 + 11) % INPUT_COUNT;
    unsigned c = (k == 0 ? i : k == 1 ? i / n : i * 7 + i / n) % n;
    bool corner = i < n * n, small = !(r >> 40 & 3);
    switch (kind) {
    case INPUT_I16:
        return corner ? input_corner_int(c, 16) : r & 0xffff;
    case INPUT_I32:
        return corner ? input_corner_int(c, 32)
                      : (uint32_t)r >> (small ? r >> 50 & 31 : 0);
    case INPUT_I64:
        return corner  ? input_corner_int(c, 64)
               : small ? input_mix(r) >> (r >> 50 & 63)
                       : r;
    case INPUT_F16:
        return corner        ? input_corner_float(c, 5, 10)
               : r >> 33 & 1 ? r >> 3 & 0xffff
                             : input_random_float(r, 5, 10);
    case INPUT_BF16:
        return corner ? input_corner_float(c, 8, 7)
                      : input_random_float(r, 8, 7);
    case INPUT_F32:
        return corner ? input_corner_float(c, 8, 23)
                      : input_random_float(r, 8, 23);
    case INPUT_F64:
        return corner ? input_corner_float(c, 11, 52)
                      : input_random_float(r, 11, 52) ^
                            (input_mix(r) & 0xfffffffffffff);
    case INPUT_SH:
        return corner ? input_corner_int(c, 32) : r & (r >> 40 & 1 ? 63 : 31);
    case INPUT_P:
        return r >> 17 & 1;
    case INPUT_F16X2:
        return input_value(INPUT_F16, k, i) | input_value(INPUT_F16, k, next)
                                                  << 16;
    default:
        return input_value(INPUT_BF16, k, i) | input_value(INPUT_BF16, k, next)
                                                   << 16;
    }
}

#endif
