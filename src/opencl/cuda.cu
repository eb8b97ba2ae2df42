/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda.cu - CUDA's math functions under names that OpenCL C can call, and what
 * OpenCL C has no words for: shared memory of a function's own.
 */
#define NAMED(name) extern "C" __device__ name

#define MATH_1(name)                                                           \
    NAMED(float __sw_##name##_f)(float x)                                      \
    {                                                                          \
        return name##f(x);                                                     \
    }                                                                          \
    NAMED(double __sw_##name##_d)(double x)                                    \
    {                                                                          \
        return name(x);                                                        \
    }
#define MATH_2(name)                                                           \
    NAMED(float __sw_##name##_f)(float x, float y)                             \
    {                                                                          \
        return name##f(x, y);                                                  \
    }                                                                          \
    NAMED(double __sw_##name##_d)(double x, double y)                          \
    {                                                                          \
        return name(x, y);                                                     \
    }

/* CUDA's of double is infinite where the larger number is near the largest one
 * and the other too small to count. */
static __device__ double
careful_hypot(double x, double y)
{
    double a = fabs(x), b = fabs(y), most = fmax(a, b), least = fmin(a, b);
    return least < most * 0x1p-27 && !isinf(most) ? most : hypot(x, y);
}
#define hypot(x, y) careful_hypot(x, y)
#include "math.def"
#undef hypot

NAMED(float __sw_sincos_f)(float x, float *c)
{
    float s;
    sincosf(x, &s, c);
    return s;
}
NAMED(double __sw_sincos_d)(double x, double *c)
{
    double s;
    sincos(x, &s, c);
    return s;
}
NAMED(float __sw_frexp_f)(float x, int *e)
{
    return frexpf(x, e);
}
NAMED(double __sw_frexp_d)(double x, int *e)
{
    return frexp(x, e);
}
/* CUDA's tell three bits of the quotient, OpenCL seven. They are those of what
 * x leaves by 128 y. */
template <typename T>
static __device__ T
remquo_of_seven_bits(T x, T y, int *q)
{
    T unit = fabs(y) * 128, rest = isinf(unit) ? x : fmod(x, unit);
    int low = 0;
    T r = remquo(rest, y, &low);
    *q = 0;
    if (isnan(r))
        return r;
    /* As the quotient is rounded it may be one too large or too small. */
    int n = (int)rint(fabs(rest / y)), wrong = ((abs(low) & 7) - n) & 7;
    n = (n + (wrong > 4 ? wrong - 8 : wrong)) & 127;
    *q = signbit(x) != signbit(y) ? -n : n;
    return r;
}
NAMED(float __sw_remquo_f)(float x, float y, int *q)
{
    return remquo_of_seven_bits(x, y, q);
}
NAMED(double __sw_remquo_d)(double x, double y, int *q)
{
    return remquo_of_seven_bits(x, y, q);
}
NAMED(float __sw_ldexp_f)(float x, int n)
{
    return ldexpf(x, n);
}
NAMED(double __sw_ldexp_d)(double x, int n)
{
    return ldexp(x, n);
}
NAMED(int __sw_ilogb_f)(float x)
{
    return ilogbf(x);
}
NAMED(int __sw_ilogb_d)(double x)
{
    return ilogb(x);
}

/* The approximate functions, of floats. */
#define NATIVE_1(name, call)                                                   \
    NAMED(float __sw_native_##name)(float x)                                   \
    {                                                                          \
        return call(x);                                                        \
    }
NATIVE_1(cos, __cosf)
NATIVE_1(exp, __expf)
NATIVE_1(exp10, __exp10f)
NATIVE_1(log, __logf)
NATIVE_1(log10, __log10f)
NATIVE_1(log2, __log2f)
NATIVE_1(sin, __sinf)
NATIVE_1(tan, __tanf)
NAMED(float __sw_native_divide)(float x, float y)
{
    return __fdividef(x, y);
}
NAMED(float __sw_native_powr)(float x, float y)
{
    return __powf(x, y);
}

/* For group.cl: a word for each warp of a block, and one more. */
__shared__ unsigned long long __sw_scratch[33];
NAMED(void __sw_scratch_put)(unsigned i, unsigned long long x)
{
    __sw_scratch[i] = x;
}
NAMED(unsigned long long __sw_scratch_get)(unsigned i)
{
    return __sw_scratch[i];
}
