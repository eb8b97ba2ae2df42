/* SPDX-License-Identifier: Apache-2.0 */
/* turn.h - inside interp: matrices of eight rows of eight elements of 16 bits.
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
#undef STEP

#endif
