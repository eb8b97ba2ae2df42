/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.cu - a kernel for each row of functions.def: out[i] is the function
 * of a[i], b[i], c[i], d[i]; without a, the one argument is the float whose
 * bits are base + i. With LESS_PRECISE the rows of those options.
 */
typedef float f32;
typedef double f64;
typedef long long i64;

__device__ f32
argument(const f32 *a, unsigned base, unsigned i)
{
    return a ? a[i] : __uint_as_float(base + i);
}
__device__ f64
argument(const f64 *a, unsigned base, unsigned i)
{
    (void)base;
    return a[i];
}
__device__ int
to_int(double x)
{
    return __double2int_rz(x);
}
__device__ long
to_long(double x)
{
    return (long)__double2ll_rz(x);
}

/* Of functions with two results, one; f is the function for T. */
#define PARTS(T, f)                                                            \
    __device__ T part_sincos_sin(T x)                                          \
    {                                                                          \
        T s, c;                                                                \
        sincos##f(x, &s, &c);                                                  \
        return s;                                                              \
    }                                                                          \
    __device__ T part_sincos_cos(T x)                                          \
    {                                                                          \
        T s, c;                                                                \
        sincos##f(x, &s, &c);                                                  \
        return c;                                                              \
    }                                                                          \
    __device__ T part_sincospi_sin(T x)                                        \
    {                                                                          \
        T s, c;                                                                \
        sincospi##f(x, &s, &c);                                                \
        return s;                                                              \
    }                                                                          \
    __device__ T part_sincospi_cos(T x)                                        \
    {                                                                          \
        T s, c;                                                                \
        sincospi##f(x, &s, &c);                                                \
        return c;                                                              \
    }                                                                          \
    __device__ T part_frexp_fraction(T x)                                      \
    {                                                                          \
        int e;                                                                 \
        return frexp##f(x, &e);                                                \
    }                                                                          \
    __device__ i64 part_frexp_exponent(T x)                                    \
    {                                                                          \
        int e;                                                                 \
        frexp##f(x, &e);                                                       \
        return e;                                                              \
    }                                                                          \
    __device__ T part_modf_fraction(T x)                                       \
    {                                                                          \
        T whole;                                                               \
        return modf##f(x, &whole);                                             \
    }                                                                          \
    __device__ T part_modf_integer(T x)                                        \
    {                                                                          \
        T whole;                                                               \
        modf##f(x, &whole);                                                    \
        return whole;                                                          \
    }                                                                          \
    __device__ T part_remquo_remainder(T x, T y)                               \
    {                                                                          \
        int q;                                                                 \
        return remquo##f(x, y, &q);                                            \
    }                                                                          \
    __device__ i64 part_remquo_quotient(T x, T y)                              \
    {                                                                          \
        int q;                                                                 \
        remquo##f(x, y, &q);                                                   \
        return q;                                                              \
    }                                                                          \
    __device__ T part_norm(T x, T y, T z, T w)                                 \
    {                                                                          \
        T p[4] = {x, y, z, w};                                                 \
        return norm##f(4, p);                                                  \
    }                                                                          \
    __device__ T part_rnorm(T x, T y, T z, T w)                                \
    {                                                                          \
        T p[4] = {x, y, z, w};                                                 \
        return rnorm##f(4, p);                                                 \
    }
PARTS(f32, f)
PARTS(f64, )

#define ROW(id, name, T, R, expression, ...)                                   \
    extern "C" __global__ void k_##id(                             \
        const T *a, const T *b, const T *c, const T *d, R *out, unsigned base, \
        unsigned n)                                                            \
    {                                                                          \
        unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                    \
        if (i >= n)                                                            \
            return;                                                            \
        T x = argument(a, base, i);                                            \
        T y = b ? b[i] : 0, z = c ? c[i] : 0, w = d ? d[i] : 0;                \
        (void)y, (void)z, (void)w;                                             \
        out[i] = expression;                                                   \
    }
#include "functions.def"
