/* SPDX-License-Identifier: Apache-2.0 */
/*
 * convert.cl - convert_T[_sat][_rounding] (OpenCL C 3.0, 6.4.3). By PTX's own
 * cvt, which rounds as told, gives the nearest integer there is where a number
 * is too large (PTX ISA, cvt), and 0 for NaN where neither side has 64 bits.
 */
#include "library.clh"

#define ROUNDINGS(M, ...)                                                      \
    M(rte, n, __VA_ARGS__)                                                     \
    M(rtz, z, __VA_ARGS__)                                                     \
    M(rtp, p, __VA_ARGS__)                                                     \
    M(rtn, m, __VA_ARGS__)

/* ---- floats to integers of 32 and 64 bits ---- */

#define TO_INTEGER(rounding, r, D, d, dr, S, s, sr)                            \
    static INLINE OVER D to_##D##_##rounding(S x)                              \
    {                                                                          \
        D y;                                                                   \
        __asm__("cvt.r" #r "i." d "." s " %0, %1;" : dr(y) : sr(x));           \
        return sizeof(D) + sizeof(S) > 8 && x != x ? (D)0 : y;                 \
    }
ROUNDINGS(TO_INTEGER, int, "s32", "=r", float, "f32", "f")
ROUNDINGS(TO_INTEGER, uint, "u32", "=r", float, "f32", "f")
ROUNDINGS(TO_INTEGER, long, "s64", "=l", float, "f32", "f")
ROUNDINGS(TO_INTEGER, ulong, "u64", "=l", float, "f32", "f")
ROUNDINGS(TO_INTEGER, int, "s32", "=r", double, "f64", "d")
ROUNDINGS(TO_INTEGER, uint, "u32", "=r", double, "f64", "d")
ROUNDINGS(TO_INTEGER, long, "s64", "=l", double, "f64", "d")
ROUNDINGS(TO_INTEGER, ulong, "u64", "=l", double, "f64", "d")

/* The type that a number is converted by. */
#define BY_char   int
#define BY_uchar  int
#define BY_short  int
#define BY_ushort int
#define BY_int    int
#define BY_uint   uint
#define BY_long   long
#define BY_ulong  ulong
#define BY_half   float
#define BY_float  float
#define BY_double double
#define LEAST_char   CHAR_MIN
#define LEAST_uchar  0
#define LEAST_short  SHRT_MIN
#define LEAST_ushort 0
#define LEAST_int    INT_MIN
#define LEAST_uint   0
#define LEAST_long   LONG_MIN
#define LEAST_ulong  0
#define MOST_char    CHAR_MAX
#define MOST_uchar   UCHAR_MAX
#define MOST_short   SHRT_MAX
#define MOST_ushort  USHRT_MAX
#define MOST_int     INT_MAX
#define MOST_uint    UINT_MAX
#define MOST_long    LONG_MAX
#define MOST_ulong   ULONG_MAX

/* ---- integers to integers ---- */

/* The nearest D to a number of the type that S is converted by. */
#define NEAREST(D, S, x)                                                       \
    (LESS_LEAST(D, S, x) ? (D)LEAST_##D                                        \
     : MORE_MOST(D, S, x) ? (D)MOST_##D                                        \
                          : (D)(x))
#define IS_NEGATIVE(S, x)      ((S)-1 < (S)0 && (long)(x) < 0)
#define LESS_LEAST(D, S, x)    (IS_NEGATIVE(S, x) && (long)(x) < (long)LEAST_##D)
#define MORE_MOST(D, S, x)     (!IS_NEGATIVE(S, x) && (ulong)(x) > (ulong)MOST_##D)

#define INTEGER_PAIR(D, S)                                                     \
    PURE D convert_##D(S x)                                                    \
    {                                                                          \
        return (D)x;                                                           \
    }                                                                          \
    PURE D convert_##D##_sat(S x)                                              \
    {                                                                          \
        return NEAREST(D, S, x);                                               \
    }                                                                          \
    WIDTHS(INTEGER_VECTORS, D, S)                                              \
    ROUNDINGS(INTEGER_ROUNDED, D, S)
#define INTEGER_VECTORS(n, D, S)                                               \
    PURE D##n convert_##D##n(S##n x)                                           \
    {                                                                          \
        return __builtin_convertvector(x, D##n);                               \
    }                                                                          \
    PURE D##n convert_##D##n##_sat(S##n x)                                     \
    {                                                                          \
        return (D##n)(EACH_1_##n(convert_##D##_sat));                          \
    }
/* There is nothing to be rounded. */
#define INTEGER_ROUNDED(rounding, r, D, S)                                     \
    PURE D convert_##D##_##rounding(S x)                                       \
    {                                                                          \
        return convert_##D(x);                                                 \
    }                                                                          \
    PURE D convert_##D##_sat_##rounding(S x)                                   \
    {                                                                          \
        return convert_##D##_sat(x);                                           \
    }                                                                          \
    WIDTHS(INTEGER_ROUNDED_VECTORS, rounding, D, S)
#define INTEGER_ROUNDED_VECTORS(n, rounding, D, S)                             \
    PURE D##n convert_##D##n##_##rounding(S##n x)                              \
    {                                                                          \
        return convert_##D##n(x);                                              \
    }                                                                          \
    PURE D##n convert_##D##n##_sat_##rounding(S##n x)                          \
    {                                                                          \
        return convert_##D##n##_sat(x);                                        \
    }

/* ---- floats to integers: toward zero unless told ---- */

#define FLOAT_TO_INTEGER(D, S)                                                 \
    ROUNDINGS(FLOAT_TO_INTEGER_ROUNDED, D, S, BY_##D)                          \
    PURE D convert_##D(S x)                                                    \
    {                                                                          \
        return convert_##D##_rtz(x);                                           \
    }                                                                          \
    PURE D convert_##D##_sat(S x)                                              \
    {                                                                          \
        return convert_##D##_sat_rtz(x);                                       \
    }                                                                          \
    WIDTHS(EACH_CONVERSION, D, S, )                                            \
    WIDTHS(EACH_CONVERSION, D, S, _sat)
#define FLOAT_TO_INTEGER_ROUNDED(...) FLOAT_TO_INTEGER_BY(__VA_ARGS__)
#define FLOAT_TO_INTEGER_BY(rounding, r, D, S, B)                              \
    PURE D convert_##D##_##rounding(S x)                                       \
    {                                                                          \
        return (D)to_##B##_##rounding((BY_##S)x);                              \
    }                                                                          \
    PURE D convert_##D##_sat_##rounding(S x)                                   \
    {                                                                          \
        B y = to_##B##_##rounding((BY_##S)x);                                  \
        return NEAREST(D, B, y);                                               \
    }                                                                          \
    WIDTHS(EACH_CONVERSION, D, S, _##rounding)                                 \
    WIDTHS(EACH_CONVERSION, D, S, _sat_##rounding)
#define EACH_CONVERSION(n, D, S, suffix)                                       \
    PURE D##n convert_##D##n##suffix(S##n x)                                   \
    {                                                                          \
        return (D##n)(EACH_1_##n(convert_##D##suffix));                        \
    }

/* ---- to floats: to the nearest unless told ---- */

#define TO_FLOAT(rounding, r, D, d, dr, T, S, s, sr)                           \
    static INLINE OVER D to_##D##_##rounding(S x)                              \
    {                                                                          \
        T y;                                                                   \
        __asm__("cvt.r" #r "." d "." s " %0, %1;" : dr(y) : sr(x));            \
        return as_##D(y);                                                      \
    }
#define TO_FLOATS(S, s, sr)                                                    \
    ROUNDINGS(TO_FLOAT, half, "f16", "=h", short, S, s, sr)                    \
    ROUNDINGS(TO_FLOAT, float, "f32", "=f", float, S, s, sr)
TO_FLOATS(int, "s32", "r")
TO_FLOATS(uint, "u32", "r")
TO_FLOATS(long, "s64", "l")
TO_FLOATS(ulong, "u64", "l")
TO_FLOATS(double, "f64", "d")
ROUNDINGS(TO_FLOAT, half, "f16", "=h", short, float, "f32", "f")
ROUNDINGS(TO_FLOAT, double, "f64", "=d", double, int, "s32", "r")
ROUNDINGS(TO_FLOAT, double, "f64", "=d", double, uint, "u32", "r")
ROUNDINGS(TO_FLOAT, double, "f64", "=d", double, long, "s64", "l")
ROUNDINGS(TO_FLOAT, double, "f64", "=d", double, ulong, "u64", "l")
/* What is exact. */
#define EXACT(rounding, r, D, S)                                               \
    static INLINE OVER D to_##D##_##rounding(S x)                              \
    {                                                                          \
        return (D)x;                                                           \
    }
ROUNDINGS(EXACT, float, float)
ROUNDINGS(EXACT, double, float)
ROUNDINGS(EXACT, double, double)

#define TO_FLOAT_PAIR(D, S)                                                    \
    PURE D convert_##D(S x)                                                    \
    {                                                                          \
        return (D)x;                                                           \
    }                                                                          \
    ROUNDINGS(FLOAT_ROUNDED, D, S)                                             \
    WIDTHS(EACH_CONVERSION, D, S, )
#define FLOAT_ROUNDED(rounding, r, D, S)                                       \
    PURE D convert_##D##_##rounding(S x)                                       \
    {                                                                          \
        return to_##D##_##rounding((BY_##S)x);                                 \
    }                                                                          \
    WIDTHS(EACH_CONVERSION, D, S, _##rounding)

/* ---- all pairs ---- */

#define FROM_INTEGERS(M, D)                                                    \
    M(D, char) M(D, uchar) M(D, short) M(D, ushort)                            \
    M(D, int) M(D, uint) M(D, long) M(D, ulong)
#define FROM_FLOATS(M, D) M(D, half) M(D, float) M(D, double)
#define INTEGER(D)                                                             \
    FROM_INTEGERS(INTEGER_PAIR, D)                                             \
    FROM_FLOATS(FLOAT_TO_INTEGER, D)
INTEGER(char)
INTEGER(uchar)
INTEGER(short)
INTEGER(ushort)
INTEGER(int)
INTEGER(uint)
INTEGER(long)
INTEGER(ulong)
#define FLOATING(D)                                                            \
    FROM_INTEGERS(TO_FLOAT_PAIR, D)                                            \
    FROM_FLOATS(TO_FLOAT_PAIR, D)
FLOATING(half)
FLOATING(float)
FLOATING(double)
