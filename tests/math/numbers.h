/* SPDX-License-Identifier: Apache-2.0 */
/* numbers.h - for the files that define references: the arguments as MPFR
 * numbers, and macros for the functions' heads. */
#ifndef TESTS_MATH_NUMBERS_H
#define TESTS_MATH_NUMBERS_H
#include "reference.h"

typedef struct {
    mpfr_t x, y, z, w; /* the arguments */
    mpfr_t t[5];       /* of 320 bits, for what lies between */
} numbers;
/* Of this thread, until the next call in it. */
numbers *numbers_of(const math_args *a);

#define EXACT(name)                                                            \
    bool exact_##name(mpfr_ptr r, const math_args *a, math_mode mode)
#define FAST_F32(name) double fast_f32_##name(const math_args *a, double got)
#define FAST_F64(name)                                                         \
    long double fast_f64_##name(const math_args *a, double got)
#define EXACT_1(name, function)                                                \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        return function(r, numbers_of(a)->x, MPFR_RNDZ) != 0;                  \
    }
#define EXACT_2(name, function)                                                \
    EXACT(name)                                                                \
    {                                                                          \
        (void)mode;                                                            \
        numbers *n = numbers_of(a);                                            \
        return function(r, n->x, n->y, MPFR_RNDZ) != 0;                        \
    }
/* Expressions of x, y, z: one in double, one in long double. */
#define FAST_3(name, in_double, in_long)                                       \
    FAST_F32(name)                                                             \
    {                                                                          \
        (void)got;                                                             \
        double x = a->v[0], y = a->v[1], z = a->v[2];                          \
        (void)x, (void)y, (void)z;                                             \
        return in_double;                                                      \
    }                                                                          \
    FAST_F64(name)                                                             \
    {                                                                          \
        (void)got;                                                             \
        long double x = a->v[0], y = a->v[1], z = a->v[2];                     \
        (void)x, (void)y, (void)z;                                             \
        return in_long;                                                        \
    }
#define FAST_2(name, in_double, in_long) FAST_3(name, in_double, in_long)
#define FAST_1(name, in_double, in_long) FAST_3(name, in_double, in_long)

#endif
