/* SPDX-License-Identifier: Apache-2.0 */
/*
 * common.cl - the common, geometric and relational functions (OpenCL C 3.0,
 * 6.15.4 to 6.15.6) of float, double and half.
 */
#include "library.clh"

#define FLOATS(M) M(half) M(float) M(double)

/* ---- common ---- */

#define COMMON(T)                                                              \
    PURE T max(T x, T y)                                                       \
    {                                                                          \
        return x < y ? y : x;                                                  \
    }                                                                          \
    PURE T min(T x, T y)                                                       \
    {                                                                          \
        return y < x ? y : x;                                                  \
    }                                                                          \
    PURE T clamp(T x, T low, T high)                                           \
    {                                                                          \
        return LESSER(GREATER(x, low), high);                                       \
    }                                                                          \
    PURE T mix(T x, T y, T a)                                                  \
    {                                                                          \
        return x + (y - x) * a;                                                \
    }                                                                          \
    PURE T step(T edge, T x)                                                   \
    {                                                                          \
        return x < edge ? (T)0 : (T)1;                                         \
    }                                                                          \
    PURE T smoothstep(T low, T high, T x)                                      \
    {                                                                          \
        T t = clamp((x - low) / (high - low), (T)0, (T)1);                     \
        return t * t * ((T)3 - (T)2 * t);                                      \
    }                                                                          \
    PURE T sign(T x)                                                           \
    {                                                                          \
        return x > 0 ? (T)1 : x < 0 ? (T)-1 : IS_NAN(x) ? (T)0 : x;             \
    }                                                                          \
    VECTORS_2(max, T, T, T)                                                    \
    VECTORS_2(min, T, T, T)                                                    \
    VECTORS_3(clamp, T, T, T, T)                                               \
    VECTORS_3(mix, T, T, T, T)                                                 \
    VECTORS_2(step, T, T, T)                                                   \
    VECTORS_3(smoothstep, T, T, T, T)                                          \
    VECTORS_1(sign, T, T)                                                      \
    WIDTHS(COMMON_BY_SCALAR, T)
#define COMMON_BY_SCALAR(n, T)                                                 \
    PURE T##n max(T##n x, T y)                                                 \
    {                                                                          \
        return max(x, (T##n)y);                                                \
    }                                                                          \
    PURE T##n min(T##n x, T y)                                                 \
    {                                                                          \
        return min(x, (T##n)y);                                                \
    }                                                                          \
    PURE T##n clamp(T##n x, T low, T high)                                     \
    {                                                                          \
        return clamp(x, (T##n)low, (T##n)high);                                \
    }                                                                          \
    PURE T##n mix(T##n x, T##n y, T a)                                         \
    {                                                                          \
        return mix(x, y, (T##n)a);                                             \
    }                                                                          \
    PURE T##n step(T edge, T##n x)                                             \
    {                                                                          \
        return step((T##n)edge, x);                                            \
    }                                                                          \
    PURE T##n smoothstep(T low, T high, T##n x)                                \
    {                                                                          \
        return smoothstep((T##n)low, (T##n)high, x);                           \
    }
FLOATS(COMMON)

#define ANGLES(T, up, down)                                                    \
    PURE T degrees(T x)                                                        \
    {                                                                          \
        return up * x;                                                         \
    }                                                                          \
    PURE T radians(T x)                                                        \
    {                                                                          \
        return down * x;                                                       \
    }                                                                          \
    VECTORS_1(degrees, T, T)                                                   \
    VECTORS_1(radians, T, T)
ANGLES(half, 57.295779513082320877h, 0.017453292519943295769h)
ANGLES(float, 57.295779513082320877f, 0.017453292519943295769f)
ANGLES(double, 57.295779513082320877, 0.017453292519943295769)

/* ---- geometric ---- */

#define DOT_1(a, b) ((a) * (b))
#define DOT_2(a, b) ((a).x * (b).x + (a).y * (b).y)
#define DOT_3(a, b) (DOT_2(a, b) + (a).z * (b).z)
#define DOT_4(a, b) (DOT_3(a, b) + (a).w * (b).w)
#define MAXIMUM_1(a) (a)
#define MAXIMUM_2(a) GREATER((a).x, (a).y)
#define MAXIMUM_3(a) GREATER(MAXIMUM_2(a), (a).z)
#define MAXIMUM_4(a) GREATER(MAXIMUM_3(a), (a).w)
#define SUM_1(a)     (a)
#define SUM_2(a)     ((a).x + (a).y)
#define SUM_3(a)     (SUM_2(a) + (a).z)
#define SUM_4(a)     (SUM_3(a) + (a).w)

/*
 * Squares of large and small numbers have no place in T: if the greatest
 * element is outside [least, most], all are scaled by a power of two, so large
 * that the least number that float or double has gets a square of full
 * precision.
 */
#define GEOMETRY(V, T, n, least, most, scale)                                  \
    PURE T dot(V x, V y)                                                       \
    {                                                                          \
        return DOT_##n(x, y);                                                  \
    }                                                                          \
    PURE T length(V x)                                                         \
    {                                                                          \
        T top = MAXIMUM_##n(ABS(x));                                          \
        if (top > most)                                                        \
            return IS_INFINITE(top) ? top                                            \
                              : SQRT(dot(x * (T)(1 / scale),                   \
                                         x * (T)(1 / scale))) * (T)scale;      \
        if (top < least)                                                       \
            return SQRT(dot(x * (T)scale, x * (T)scale)) * (T)(1 / scale);     \
        return SQRT(dot(x, x));                                                \
    }                                                                          \
    PURE T distance(V x, V y)                                                  \
    {                                                                          \
        return length(x - y);                                                  \
    }                                                                          \
    PURE V normalize(V x)                                                      \
    {                                                                          \
        T top = MAXIMUM_##n(ABS(x));                                          \
        if (IS_INFINITE(top)) {                                                      \
            x = COPYSIGN(select_infinite(x), x);                               \
            top = 1;                                                           \
        }                                                                      \
        if (IS_NAN(SUM_##n(x)))                                                 \
            return (V)(T)NAN;                                                  \
        if (top == 0)                                                          \
            return x;                                                          \
        /* Small elements beside a large one keep their bits until the end. */ \
        T down = top > most ? (T)(1 / scale) : (T)1;                           \
        if (top < least)                                                       \
            x *= (T)scale;                                                     \
        V y = x * down;                                                        \
        return x / SQRT(dot(y, y)) * down;                                     \
    }
#define ALL_GEOMETRY(T, I, least, most, scale)                                 \
    MARKS(T, T, I)                                                             \
    MARKS(T##2, T, I##2)                                                       \
    MARKS(T##3, T, I##3)                                                       \
    MARKS(T##4, T, I##4)                                                       \
    GEOMETRY(T, T, 1, least, most, scale)                                      \
    GEOMETRY(T##2, T, 2, least, most, scale)                                   \
    GEOMETRY(T##3, T, 3, least, most, scale)                                   \
    GEOMETRY(T##4, T, 4, least, most, scale)                                   \
    PURE T##3 cross(T##3 a, T##3 b)                                            \
    {                                                                          \
        return (T##3)(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,            \
                      a.x * b.y - a.y * b.x);                                  \
    }                                                                          \
    PURE T##4 cross(T##4 a, T##4 b)                                            \
    {                                                                          \
        return (T##4)(cross(a.xyz, b.xyz), (T)0);                              \
    }
/* 1 where an element is infinite, NaN where it is that, else 0. */
#define MARKS(V, T, I)                                                         \
    static INLINE OVER V select_infinite(V x)                                  \
    {                                                                          \
        V one = (V)(T)1, none = (V)(T)0;                                       \
        V marked = ABS(x) == (V)(T)INFINITY ? one : none;                     \
        return x != x ? x : marked;                                            \
    }
ALL_GEOMETRY(half, short, 0x1p-5h, 0x1p7h, 0x1p8h)
ALL_GEOMETRY(float, int, 0x1p-40f, 0x1p60f, 0x1p90f)
ALL_GEOMETRY(double, long, 0x1p-400, 0x1p500, 0x1p600)

/* The fast ones, of floats: without regard to what has no square. */
#define FAST(V, n)                                                             \
    PURE float fast_length(V x)                                                \
    {                                                                          \
        return SQRT(dot(x, x));                                           \
    }                                                                          \
    PURE float fast_distance(V x, V y)                                         \
    {                                                                          \
        return fast_length(x - y);                                             \
    }                                                                          \
    PURE V fast_normalize(V x)                                                 \
    {                                                                          \
        float square = dot(x, x);                                              \
        return square == 0 ? x : x * (1 / SQRT(square));                       \
    }
FAST(float, 1)
FAST(float2, 2)
FAST(float3, 3)
FAST(float4, 4)

/* ---- relational: 1 of scalars, -1 of elements ---- */

#define RELATION_1(name, T, I, expression)                                     \
    PURE int name(T x)                                                         \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    WIDTHS(RELATION_1_OF, name, T, I)
#define RELATION_1_OF(n, name, T, I)                                           \
    PURE I##n name(T##n x)                                                     \
    {                                                                          \
        return (I##n)(EACH_1_##n(-(I)name));                                   \
    }
#define RELATION_2(name, T, I, expression)                                     \
    PURE int name(T x, T y)                                                    \
    {                                                                          \
        return expression;                                                     \
    }                                                                          \
    WIDTHS(RELATION_2_OF, name, T, I)
#define RELATION_2_OF(n, name, T, I)                                           \
    PURE I##n name(T##n x, T##n y)                                             \
    {                                                                          \
        return (I##n)(EACH_2_##n(-(I)name));                                   \
    }
#define RELATIONS(T, I, U, infinity, least)                                    \
    RELATION_2(isequal, T, I, x == y)                                          \
    RELATION_2(isnotequal, T, I, x != y)                                       \
    RELATION_2(isgreater, T, I, x > y)                                         \
    RELATION_2(isgreaterequal, T, I, x >= y)                                   \
    RELATION_2(isless, T, I, x < y)                                            \
    RELATION_2(islessequal, T, I, x <= y)                                      \
    RELATION_2(islessgreater, T, I, x < y || x > y)                            \
    RELATION_2(isordered, T, I, x == x && y == y)                              \
    RELATION_2(isunordered, T, I, x != x || y != y)                            \
    RELATION_1(isnan, T, I, x != x)                                            \
    RELATION_1(isinf, T, I, MAGNITUDE(x, I) == (I)infinity)                    \
    RELATION_1(isfinite, T, I, MAGNITUDE(x, I) < (I)infinity)                  \
    RELATION_1(isnormal, T, I,                                                 \
               MAGNITUDE(x, I) < (I)infinity && MAGNITUDE(x, I) >= (I)least)   \
    RELATION_1(signbit, T, I, as_##I(x) < 0)
#define MAGNITUDE(x, I) (as_##I(x) & (I)BUT_SIGN_##I)
#define BUT_SIGN_short  0x7fff
#define BUT_SIGN_int    0x7fffffff
#define BUT_SIGN_long   0x7fffffffffffffff
RELATIONS(half, short, ushort, 0x7c00, 0x0400)
RELATIONS(float, int, uint, 0x7f800000, 0x00800000)
RELATIONS(double, long, ulong, 0x7ff0000000000000, 0x0010000000000000)

#define ANY_ALL(T)                                                             \
    PURE int any(T x)                                                          \
    {                                                                          \
        return x < 0;                                                          \
    }                                                                          \
    PURE int all(T x)                                                          \
    {                                                                          \
        return x < 0;                                                          \
    }                                                                          \
    WIDTHS(ANY_ALL_OF, T)
#define ANY_ALL_OF(n, T)                                                       \
    PURE int any(T##n x)                                                       \
    {                                                                          \
        T r = 0;                                                               \
        _Pragma("unroll") for (int i = 0; i < n; i++) r |= x[i];               \
        return r < 0;                                                          \
    }                                                                          \
    PURE int all(T##n x)                                                       \
    {                                                                          \
        T r = -1;                                                              \
        _Pragma("unroll") for (int i = 0; i < n; i++) r &= x[i];               \
        return r < 0;                                                          \
    }
ANY_ALL(char)
ANY_ALL(short)
ANY_ALL(int)
ANY_ALL(long)

/* The bits of the third choose bits; its elements' signs, or a scalar that is
 * not 0, choose elements. */
#define CHOICES(T, I, U)                                                       \
    PURE T bitselect(T x, T y, T z)                                            \
    {                                                                          \
        return as_##T((U)((as_##U(x) & ~as_##U(z)) |                           \
                          (as_##U(y) & as_##U(z))));                           \
    }                                                                          \
    PURE T select(T x, T y, I z)                                               \
    {                                                                          \
        return z ? y : x;                                                      \
    }                                                                          \
    PURE T select(T x, T y, U z)                                               \
    {                                                                          \
        return z ? y : x;                                                      \
    }                                                                          \
    VECTORS_3(bitselect, T, T, T, T)                                           \
    WIDTHS(SELECT_OF, T, I, U)
#define SELECT_OF(n, T, I, U)                                                  \
    PURE T##n select(T##n x, T##n y, I##n z)                                   \
    {                                                                          \
        return z < (I##n)0 ? y : x;                                            \
    }                                                                          \
    PURE T##n select(T##n x, T##n y, U##n z)                                   \
    {                                                                          \
        return as_##I##n(z) < (I##n)0 ? y : x;                                 \
    }
CHOICES(char, char, uchar)
CHOICES(uchar, char, uchar)
CHOICES(short, short, ushort)
CHOICES(ushort, short, ushort)
CHOICES(int, int, uint)
CHOICES(uint, int, uint)
CHOICES(long, long, ulong)
CHOICES(ulong, long, ulong)
CHOICES(half, short, ushort)
CHOICES(float, int, uint)
CHOICES(double, long, ulong)
