/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_double_more.h - the second half of math_double.h: roots and
 * lengths, remainders, error functions. The same rules hold.
 */
#ifndef SOFTWARP_MATH_DOUBLE_MORE_H
#define SOFTWARP_MATH_DOUBLE_MORE_H
#include "math_double.h"
#include "math_exact.h"
#pragma GCC system_header

/* ---- roots and lengths ---- */
__SW_DEV__ double
rsqrt(double x)
{
    double r;
    __asm__("rsqrt.approx.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
/* |x| = m * 8**n with m in [1/2, 4); n returned. */
__SW_DEV__ int
__sw_cube_split(double x, double *m)
{
    double a = __builtin_fabs(x);
    int less = 0;
    unsigned e = (unsigned)__double2hiint(a) >> 20;
    if (e == 0) {
        a = __dmul_rn(a, 0x1p+54);
        e = (unsigned)__double2hiint(a) >> 20;
        less = 18;
    }
    int n = __float2int_rn(__fmul_rn((float)((int)e - 1022), 0x1.555556p-2f));
    *m = __sw_scale(a, -3 * n);
    return n - less;
}
__SW_DEV__ double
cbrt(double x)
{
    double m;
    int n = __sw_cube_split(x, &m);
    float g = __sw_ex2_ftzf(__fmul_rn(
        __nvvm_lg2_approx_ftz_f(__double2float_rn(m)), 0x1.555556p-2f));
    double r = (double)g;
    double s = __dmul_rn(r, r);
    double q = __sw_rcp(__sw_fma(__sw_scale(s, 1), r, m));
    double y = __sw_fma(r, __dmul_rn(q, __sw_fma(s, -r, m)), r);
    double twice = __dadd_rn(x, x);
    if (twice == x || x != x)
        return twice;
    return __builtin_copysign(__sw_scale(y, n), x);
}
__SW_DEV__ double
rcbrt(double x)
{
    double m;
    int n = __sw_cube_split(x, &m);
    float g = __sw_ex2_ftzf(__fmul_rn(
        __nvvm_lg2_approx_ftz_f(__double2float_rn(m)), -0x1.555556p-2f));
    double r = (double)g;
    double s = __dmul_rn(r, r), t = __dmul_rn(m, r);
    double e = __sw_fma(s, -t, 1.0);
    e = __sw_fma(s, -__sw_fma(m, r, -t), e);
    e = __sw_fma(t, -__sw_fma(r, r, -s), e);
    double y = __sw_fma(__sw_fma(0x1.c71c71c71c71cp-3, e, 0x1.5555555555555p-2),
                        __dmul_rn(e, r), r);
    double twice = __dadd_rn(x, x);
    if (twice == x)
        return __hiloint2double(__double2hiint(x) ^ 0x7ff00000, 0);
    return x != x ? twice : __builtin_copysign(__sw_scale(y, -n), x);
}

__SW_DEV__ double
__sw_scale_down(double x)
{
    return __hiloint2double(
        (int)(0x7fd00000u - ((unsigned)__double2hiint(x) & 0xffc00000u)), 0);
}
__SW_DEV__ double
__sw_scale_back(double x)
{
    return __hiloint2double(
        (int)(((unsigned)__double2hiint(x) & 0xffc00000u) | 0x00100000u), 0);
}
__SW_DEV__ double
__sw_sqrt_of_sum(double s)
{
    double t = __builtin_fmin(s, 0x1.fffffffffffffp+1023);
    return __dmul_rn(s, __sw_rsqrt_refine(t, __sw_rsqrt_approx(t)));
}
__SW_DEV__ void
__sw_sort2(double x, double y, double *lo, double *hi)
{
    /* By their bits: abs.f64 may leave the sign of a NaN. */
    long long a = __double_as_longlong(x) & 0x7fffffffffffffff;
    long long b = __double_as_longlong(y) & 0x7fffffffffffffff;
    *lo = __longlong_as_double(a < b ? a : b);
    *hi = __longlong_as_double(a < b ? b : a);
}
__SW_DEV__ double
hypot(double x, double y)
{
    double lo, hi;
    __sw_sort2(x, y, &lo, &hi);
    double k = __sw_scale_down(hi);
    double a = __dmul_rn(k, lo), b = __dmul_rn(k, hi);
    double r = __sw_sqrt_of_sum(__sw_fma(b, b, __dmul_rn(a, a)));
    if ((unsigned)__double2hiint(lo) >= 0x7ff00000u)
        return lo;
    return lo == 0.0 ? hi : __dmul_rn(r, __sw_scale_back(hi));
}
__SW_DEV__ double
rhypot(double x, double y)
{
    double lo, hi;
    __sw_sort2(x, y, &lo, &hi);
    double k = __sw_scale_down(hi);
    double a = __dmul_rn(k, lo), b = __dmul_rn(k, hi);
    double s = __sw_fma(b, b, __dmul_rn(a, a));
    double r = __dmul_rn(k, __sw_rsqrt_refine(s, __sw_rsqrt_approx(s)));
    if ((unsigned)__double2hiint(r) < 0x7ff00000u)
        return r;
    if (lo == __SW_INF || hi == __SW_INF)
        return 0.0;
    return hi <= __SW_INF ? __SW_INF : __dadd_rn(hi, lo);
}
__SW_DEV__ double
__sw_squares3(double x, double y, double z, double *hi, double *sum)
{
    x = __builtin_fabs(x), y = __builtin_fabs(y), z = __builtin_fabs(z);
    *sum = __dadd_rn(__dadd_rn(x, y), z);
    double m = __builtin_fmax(x, y);
    *hi = __builtin_fmax(m, z);
    double k = __sw_scale_down(*hi);
    double a = __dmul_rn(__builtin_fmin(m, z), k);
    double b = __dmul_rn(__builtin_fmin(x, y), k);
    double c = __dmul_rn(*hi, k);
    return __sw_fma(c, c, __sw_fma(b, b, __dmul_rn(a, a)));
}
/* x * x + y, y >= 0; what rounding took from it goes to *rest. */
__SW_DEV__ double
__sw_add_square(double x, double y, double *rest)
{
    double z = __sw_fma(x, x, y), p = __dmul_rn(x, x);
    double big = __builtin_fmax(p, y), small = __builtin_fmin(p, y);
    double lost = __dadd_rn(__dsub_rn(big, z), small);
    *rest = __dadd_rn(*rest, __dadd_rn(lost, __sw_fma(x, x, -p)));
    return z;
}
__SW_DEV__ double
__sw_squares4(double x, double y, double z, double w, double *hi, double *sum,
              double *rest)
{
    x = __builtin_fabs(x), y = __builtin_fabs(y);
    z = __builtin_fabs(z), w = __builtin_fabs(w);
    *sum = __dadd_rn(__dadd_rn(__dadd_rn(x, y), z), w);
    double m = __builtin_fmax(x, y);
    double n = __builtin_fmax(m, z);
    *hi = __builtin_fmax(n, w);
    double k = __sw_scale_down(*hi);
    double a = __dmul_rn(__builtin_fmin(n, w), k);
    double b = __dmul_rn(__builtin_fmin(m, z), k);
    double c = __dmul_rn(__builtin_fmin(x, y), k);
    double d = __dmul_rn(*hi, k);
    *rest = 0.0;
    double s = __sw_add_square(a, 0.0, rest);
    s = __sw_add_square(b, s, rest);
    s = __sw_add_square(c, s, rest);
    return __sw_add_square(d, s, rest);
}
__SW_DEV__ double
__sw_norm_of(double squares, double hi, double sum)
{
    if ((unsigned)__double2hiint(hi) >= 0x7ff00000u)
        return hi;
    if (!(sum > hi))
        return sum;
    return __dmul_rn(__sw_sqrt_of_sum(squares), __sw_scale_back(hi));
}
/* Near 1 / sqrt(s + rest): with the bits of a device, but where those are nearly
 * a whole bit off or more. */
__SW_DEV__ double
__sw_rsqrt_of_sum(double s, double rest)
{
    double r = __sw_rsqrt_refine(s, __sw_rsqrt_approx(s));
    double t = __dmul_rn(r, r), tl = __sw_fma(r, r, -t);
    double e = __sw_fma(-s, t, 1.0); /* 1 - (s + rest) * r * r */
    e = __sw_fma(-s, tl, __sw_fma(-rest, t, e));
    bool far = __builtin_fabs(e) > 0x1.6p-52;
    return far ? __sw_fma(__dmul_rn(e, 0.5), r, r) : r;
}
__SW_DEV__ double
__sw_rnorm_of(double root, double hi, double sum)
{
    if (hi == __SW_INF)
        return 0.0;
    if (!(sum > 0.0))
        return __dadd_rn(sum, __SW_INF);
    return __dmul_rn(__sw_scale_down(hi), root);
}
__SW_DEV__ double
norm3d(double x, double y, double z)
{
    double hi, sum;
    double s = __sw_squares3(x, y, z, &hi, &sum);
    return __sw_norm_of(s, hi, sum);
}
__SW_DEV__ double
rnorm3d(double x, double y, double z)
{
    double hi, sum;
    double s = __sw_squares3(x, y, z, &hi, &sum);
    return __sw_rnorm_of(__sw_rsqrt_refine(s, __sw_rsqrt_approx(s)), hi, sum);
}
__SW_DEV__ double
norm4d(double x, double y, double z, double w)
{
    double hi, sum, rest;
    double s = __sw_squares4(x, y, z, w, &hi, &sum, &rest);
    return __sw_norm_of(s, hi, sum);
}
__SW_DEV__ double
rnorm4d(double x, double y, double z, double w)
{
    double hi, sum, rest;
    double s = __sw_squares4(x, y, z, w, &hi, &sum, &rest);
    return __sw_rnorm_of(__sw_rsqrt_of_sum(s, rest), hi, sum);
}

/* ---- remainders: exact, so any way will do ---- */

/* |x| mod |y|, finite and not zero, and the quotient's low bits. */
__SW_DEV_BIG__ double
__sw_rem(double x, double y, unsigned *quotient)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    *quotient = 0;
    if (a < b)
        return a;
    int ea, eb;
    double ma = frexp(a, &ea), mb = frexp(b, &eb);
    __sw_u64 r = __double2ull_rz(__dmul_rn(ma, 0x1p+53));
    __sw_u64 d = __double2ull_rz(__dmul_rn(mb, 0x1p+53));
    unsigned q = 0;
    for (int n = ea - eb; n >= 0; n--) {
        q <<= 1;
        if (r >= d) {
            r -= d;
            q |= 1;
        }
        if (n > 0)
            r <<= 1;
    }
    *quotient = q;
    return ldexp(__ull2double_rn(r), eb - 53);
}
__SW_DEV__ double
fmod(double x, double y)
{
    unsigned q;
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    if (!(a <= __SW_INF) || !(b <= __SW_INF))
        return __dadd_rn(x, y);
    if (a == __SW_INF || b == 0.0)
        return __SW_NAN;
    return __builtin_copysign(__sw_rem(x, y, &q), x);
}
__SW_DEV__ double
remquo(double x, double y, int *quotient)
{
    unsigned q;
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    *quotient = 0;
    if (!(a <= __SW_INF) || !(b <= __SW_INF))
        return __dadd_rn(x, y);
    if (a == __SW_INF || b == 0.0)
        return __SW_NAN;
    double r = __sw_rem(x, y, &q);
    /* twice r against b without overflow or loss */
    double rest = __dsub_rn(b, r);
    if (r > rest || ((q & 1) && r == rest)) {
        r = __dsub_rn(r, b);
        q++;
    }
    int low = (int)(q & 7);
    *quotient = (__double2hiint(x) ^ __double2hiint(y)) < 0 ? -low : low;
    return __double2hiint(x) < 0 ? -r : r;
}
__SW_DEV__ double
remainder(double x, double y)
{
    int q;
    return remquo(x, y, &q);
}

/* ---- error functions ---- */
__SW_DEV__ double
erf(double x)
{
    double a = __builtin_fabs(x);
    double c = __sw_poly(
        a, -0x1.0679afba6f279p-48, 0x1.7088fdb46fa5fp-43,
        -0x1.df9f9b976a9b2p-39, 0x1.7f1f5590cc332p-35, -0x1.a28a3cd2d56c4p-32,
        0x1.485ee67835925p-29, -0x1.76db45919f583p-27, 0x1.2d698d98c8d71p-25,
        -0x1.20a2c7155d5c6p-24, -0x1.1d29b37ca1397p-27, 0x1.2ef6cc0f67a49p-21,
        -0x1.102b892333b6fp-19, 0x1.a30375ba9a84ep-19, 0x1.aad18dedea43ep-19,
        -0x1.f05355bc5b225p-16, 0x1.0e37a3108bc8bp-14, 0x1.b292d828e5cb2p-16,
        -0x1.356626ebf9bfap-11, 0x1.bca68f73d6afcp-10, -0x1.b6b69ebbc280bp-13,
        -0x1.396685912a453p-6, 0x1.a4f4e2a1abef8p-4, 0x1.45f306dc9c8bbp-1,
        0x1.06eba8214db69p-3);
    double t = __sw_fma(c, a, a);
    double tl = __sw_fma(c, a, __dsub_rn(a, t));
    float k = __builtin_rintf(__fmul_rn(__double2float_rn(t), -0x1.715476p+0f));
    double r = __sw_fma(-(double)k, __SW_LN2_HI, -t);
    double e = __dadd_rn(r, __sw_fma(__sw_expm1_tail(r), r, -tl));
    double p = (double)__sw_ex2_ftzf(k);
    double y = __sw_fma(-e, p, __dsub_rn(1.0, p));
    if (a >= 0x1.7afb48dc96626p+2)
        y = 1.0;
    return __builtin_copysign(y, x);
}
/* exp(a * a) * erfc(a), a >= 0 finite */
__SW_DEV__ double
__sw_erfcx(double a)
{
    double r = __sw_rcp(__dadd_rn(a, 4.0));
    double q = __dmul_rn(__dadd_rn(a, -4.0), r);
    double d = __sw_fma(-q, a, __sw_fma(-4.0, __dadd_rn(q, 1.0), a));
    q = __sw_fma(r, d, q);
    double c = __sw_poly(
        q, -0x1.8774ad4e0bfd7p-32, -0x1.4e1c6fd03d328p-27,
        -0x1.330149f7a56b6p-27, 0x1.bedded8376273p-24, 0x1.f9254c3abf22bp-25,
        -0x1.b9068c2148cf0p-21, 0x1.4c6454db34009p-22, 0x1.7f1c378f2311dp-18,
        -0x1.78e051c6d5c58p-17, -0x1.995b4ead14a90p-16, 0x1.3be27cf0a29b2p-13,
        -0x1.a1def3e81672ep-13, -0x1.8d4abe68c1713p-11, 0x1.49c67210dd6b4p-8,
        -0x1.096238568e357p-6, 0x1.3079edf8c2dc9p-5, -0x1.0fb06dff601fcp-4,
        0x1.7fee004dfbcdcp-4, -0x1.9ddb23c3db8c6p-4, 0x1.16ecefcfa5fdap-4,
        0x1.f7f5df66fb6d6p-7, -0x1.1df1ad154a29dp-3, 0x1.3ba5916e9fd7fp+0);
    r = __sw_rcp(__sw_fma(2.0, a, 1.0));
    double y = __dmul_rn(c, r);
    d = __dadd_rn(__sw_fma(a, __dmul_rn(y, -2.0), c), -y);
    return __sw_fma(d, r, y);
}
__SW_DEV_BIG__ double
erfc(double x)
{
    double a = __builtin_fabs(x);
    bool neg = __double2hiint(x) < 0;
    if ((unsigned)__double2hiint(a) >= 0x7ff00000u) {
        if (a == __SW_INF)
            return neg ? 2.0 : 0.0;
        return __dadd_rn(x, x);
    }
    double y = __sw_erfcx(a);
    double s = __dmul_rn(a, a);
    int n;
    double e = __sw_exp_poly(__sw_exp_reduce(-s, &n));
    e = __sw_scale_far(e, n);
    y = __dmul_rn(y, __sw_fma(e, __sw_fma(-a, a, s), e));
    if ((unsigned)__double2hiint(a) > 0x403b4000u)
        y = 0.0;
    return neg ? __dsub_rn(2.0, y) : y;
}
__SW_DEV_BIG__ double
erfcx(double x)
{
    double y;
    if (__sw_high_abs(x) < 3.0f) {
        y = __sw_erfcx(__builtin_fabs(x));
    } else {
        double r = __drcp_rn(x);
        double s = __dmul_rn(r, r);
        double c = __sw_poly(s, -29.53125, 6.5625, -1.875, 0.75, -0.5, 1.0);
        y = __dmul_rn(__dmul_rn(r, 0x1.20dd750429b6dp-1), c);
    }
    if (__double2hiint(x) >= 0)
        return y;
    double s = __dmul_rn(x, x);
    double e = exp(s);
    e = __dadd_rn(e, e);
    if (e == __SW_INF)
        return e;
    return __dsub_rn(__sw_fma(e, __sw_fma(x, x, -s), e), y);
}

#endif
