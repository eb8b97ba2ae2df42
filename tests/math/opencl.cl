/* SPDX-License-Identifier: Apache-2.0 */
/*
 * opencl.cl - a kernel for each row of opencl.def, as kernels.cu has them for
 * functions.def: out[i] is the function of a[i], b[i], c[i]; without a, the one
 * argument is the float whose bits are base + i.
 */
typedef float f32;
typedef double f64;
typedef long i64;
#define OVER __attribute__((overloadable))

f32 OVER
argument(global const f32 *a, uint base, uint i)
{
    return a ? a[i] : as_float(base + i);
}
f64 OVER
argument(global const f64 *a, uint base, uint i)
{
    return a[i];
}
static int
to_int(double x)
{
    return convert_int_sat_rtz(x);
}

/* Of functions with two results, one. */
#define PARTS(T)                                                               \
    T OVER part_sincos_sin(T x)                                                \
    {                                                                          \
        T c;                                                                   \
        return sincos(x, &c);                                                  \
    }                                                                          \
    T OVER part_sincos_cos(T x)                                                \
    {                                                                          \
        T c;                                                                   \
        sincos(x, &c);                                                         \
        return c;                                                              \
    }                                                                          \
    T OVER part_frexp_fraction(T x)                                            \
    {                                                                          \
        int e;                                                                 \
        return frexp(x, &e);                                                   \
    }                                                                          \
    i64 OVER part_frexp_exponent(T x)                                          \
    {                                                                          \
        int e;                                                                 \
        frexp(x, &e);                                                          \
        return e;                                                              \
    }                                                                          \
    i64 OVER part_ilogb_exponent(T x)                                          \
    {                                                                          \
        return ilogb(x);                                                       \
    }                                                                          \
    T OVER part_modf_fraction(T x)                                             \
    {                                                                          \
        T whole;                                                               \
        return modf(x, &whole);                                                \
    }                                                                          \
    T OVER part_modf_integer(T x)                                              \
    {                                                                          \
        T whole;                                                               \
        modf(x, &whole);                                                       \
        return whole;                                                          \
    }                                                                          \
    T OVER part_remquo_remainder(T x, T y)                                     \
    {                                                                          \
        int q;                                                                 \
        return remquo(x, y, &q);                                               \
    }                                                                          \
    i64 OVER part_remquo_quotient(T x, T y)                                    \
    {                                                                          \
        int q;                                                                 \
        remquo(x, y, &q);                                                      \
        return q;                                                              \
    }
PARTS(f32)
PARTS(f64)

#define ROW(id, name, T, R, expression, ...)                                   \
    kernel void k_##id(global const T *a, global const T *b,                   \
                       global const T *c, global const T *d, global R *out,    \
                       uint base, uint n)                                      \
    {                                                                          \
        uint i = get_global_id(0);                                             \
        if (i >= n)                                                            \
            return;                                                            \
        T x = argument(a, base, i), y = b ? b[i] : 0, z = c ? c[i] : 0;        \
        out[i] = expression;                                                   \
    }
#include "opencl.def"
