/* SPDX-License-Identifier: Apache-2.0 */
/*
 * turn.h - inside interp: matrices that are turned, columns becoming rows of 16
 * or 32 bytes: eight rows of eight elements of 16 bits, both ways, and of eight
 * elements 16 rows of 8 bits, four of 32 or 64.
 */
#ifndef SW_TURN_H
#define SW_TURN_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Memory may be written meanwhile, and lies as the guest program wants. */
#define UNCHECKED                                                              \
    __attribute__((no_sanitize("thread"), no_sanitize("alignment")))

typedef uint16_t halves __attribute__((vector_size(16)));

/* Neighbours of two vectors in turn: the lower half of what that makes, or the
 * upper one. */
static inline halves
zip_low(halves a, halves b)
{
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

static inline halves
zip_high(halves a, halves b)
{
    return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

#define STEP(to, from)                                                         \
    halves to##0 = zip_low(from##0, from##4);                                  \
    halves to##1 = zip_high(from##0, from##4);                                 \
    halves to##2 = zip_low(from##1, from##5);                                  \
    halves to##3 = zip_high(from##1, from##5);                                 \
    halves to##4 = zip_low(from##2, from##6);                                  \
    halves to##5 = zip_high(from##2, from##6);                                 \
    halves to##6 = zip_low(from##3, from##7);                                  \
    halves to##7 = zip_high(from##3, from##7);

/* Eight rows of eight, so many bytes apart, become columns: element c of row r,
 * 8r + c of 64, changes its number's bits with each step. Nothing lies in
 * memory between, or it would be waited for. */
static inline UNCHECKED void
turn(const uint8_t *from, size_t from_row, uint8_t *to, size_t to_row)
{
    halves v0, v1, v2, v3, v4, v5, v6, v7;
    memcpy(&v0, from, sizeof v0);
    memcpy(&v1, from + from_row, sizeof v1);
    memcpy(&v2, from + 2 * from_row, sizeof v2);
    memcpy(&v3, from + 3 * from_row, sizeof v3);
    memcpy(&v4, from + 4 * from_row, sizeof v4);
    memcpy(&v5, from + 5 * from_row, sizeof v5);
    memcpy(&v6, from + 6 * from_row, sizeof v6);
    memcpy(&v7, from + 7 * from_row, sizeof v7);
    STEP(x, v)
    STEP(y, x)
    STEP(z, y)
    memcpy(to, &z0, sizeof z0);
    memcpy(to + to_row, &z1, sizeof z1);
    memcpy(to + 2 * to_row, &z2, sizeof z2);
    memcpy(to + 3 * to_row, &z3, sizeof z3);
    memcpy(to + 4 * to_row, &z4, sizeof z4);
    memcpy(to + 5 * to_row, &z5, sizeof z5);
    memcpy(to + 6 * to_row, &z6, sizeof z6);
    memcpy(to + 7 * to_row, &z7, sizeof z7);
}

typedef uint8_t octets __attribute__((vector_size(16)));

static inline octets
zip_octets_low(octets a, octets b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5,
                                   21, 6, 22, 7, 23);
}

static inline octets
zip_octets_high(octets a, octets b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28,
                                   13, 29, 14, 30, 15, 31);
}

/* Row `at` and the eighth after it, their elements in turn. */
static inline UNCHECKED octets
zip_rows(const uint8_t *at, size_t row)
{
    uint64_t low, high;
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + 8 * row, sizeof high);
    typedef uint64_t word __attribute__((vector_size(16)));
    return zip_octets_low((octets)(word){low, 0}, (octets)(word){high, 0});
}

#define STEP_OCTETS(to, from)                                                  \
    octets to##0 = zip_octets_low(from##0, from##4);                           \
    octets to##1 = zip_octets_high(from##0, from##4);                          \
    octets to##2 = zip_octets_low(from##1, from##5);                           \
    octets to##3 = zip_octets_high(from##1, from##5);                          \
    octets to##4 = zip_octets_low(from##2, from##6);                           \
    octets to##5 = zip_octets_high(from##2, from##6);                          \
    octets to##6 = zip_octets_low(from##3, from##7);                           \
    octets to##7 = zip_octets_high(from##3, from##7);

/* 16 rows of eight bytes become eight of 16. */
static inline UNCHECKED void
turn_octets(const uint8_t *from, size_t row, uint8_t *to)
{
    octets v0 = zip_rows(from, row), v1 = zip_rows(from + row, row);
    octets v2 = zip_rows(from + 2 * row, row);
    octets v3 = zip_rows(from + 3 * row, row);
    octets v4 = zip_rows(from + 4 * row, row);
    octets v5 = zip_rows(from + 5 * row, row);
    octets v6 = zip_rows(from + 6 * row, row);
    octets v7 = zip_rows(from + 7 * row, row);
    STEP_OCTETS(x, v)
    STEP_OCTETS(y, x)
    STEP_OCTETS(z, y)
    memcpy(to, &z0, sizeof z0);
    memcpy(to + 16, &z1, sizeof z1);
    memcpy(to + 32, &z2, sizeof z2);
    memcpy(to + 48, &z3, sizeof z3);
    memcpy(to + 64, &z4, sizeof z4);
    memcpy(to + 80, &z5, sizeof z5);
    memcpy(to + 96, &z6, sizeof z6);
    memcpy(to + 112, &z7, sizeof z7);
}
#undef STEP_OCTETS

/* Four rows of eight words become eight of four. */
static inline UNCHECKED void
turn_words(const uint8_t *from, size_t row, uint8_t *to)
{
    typedef uint32_t four __attribute__((vector_size(16)));
    for (unsigned half = 0; half < 2; half++, from += 16, to += 64) {
        four a, b, c, d;
        memcpy(&a, from, sizeof a);
        memcpy(&b, from + row, sizeof b);
        memcpy(&c, from + 2 * row, sizeof c);
        memcpy(&d, from + 3 * row, sizeof d);
        four low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
        four high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
        four low2 = __builtin_shufflevector(c, d, 0, 4, 1, 5);
        four high2 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
        a = __builtin_shufflevector(low, low2, 0, 1, 4, 5);
        b = __builtin_shufflevector(low, low2, 2, 3, 6, 7);
        c = __builtin_shufflevector(high, high2, 0, 1, 4, 5);
        d = __builtin_shufflevector(high, high2, 2, 3, 6, 7);
        memcpy(to, &a, sizeof a);
        memcpy(to + 16, &b, sizeof b);
        memcpy(to + 32, &c, sizeof c);
        memcpy(to + 48, &d, sizeof d);
    }
}

/* Four rows of eight numbers of 64 bits become eight of four. */
static inline UNCHECKED void
turn_longs(const uint8_t *from, size_t row, uint8_t *to)
{
    typedef uint64_t two __attribute__((vector_size(16)));
    for (unsigned pair = 0; pair < 4; pair++, from += 16, to += 64) {
        two a, b, c, d;
        memcpy(&a, from, sizeof a);
        memcpy(&b, from + row, sizeof b);
        memcpy(&c, from + 2 * row, sizeof c);
        memcpy(&d, from + 3 * row, sizeof d);
        two low = __builtin_shufflevector(a, b, 0, 2);
        two high = __builtin_shufflevector(a, b, 1, 3);
        two low2 = __builtin_shufflevector(c, d, 0, 2);
        two high2 = __builtin_shufflevector(c, d, 1, 3);
        memcpy(to, &low, sizeof low);
        memcpy(to + 16, &low2, sizeof low2);
        memcpy(to + 32, &high, sizeof high);
        memcpy(to + 48, &high2, sizeof high2);
    }
}
#undef STEP

#endif
