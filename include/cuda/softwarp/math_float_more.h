/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_float_more.h - the second half of math_float.h: roots and
 * lengths, remainders, error functions and gamma. The same rules hold.
 */
#ifndef SOFTWARP_MATH_FLOAT_MORE_H
#define SOFTWARP_MATH_FLOAT_MORE_H
#include "math_float.h"
#pragma GCC system_header

/* ---- roots and lengths ---- */
__SW_DEV__ float
cbrtf(float x)
{
    float a = __builtin_fabsf(x);
    float r = __sw_ex2_ftzf(__fmul_rn(__log2f(a), -0x1.555556p-1f));
    float q = __fmul_rn(a, r);
    float d = __sw_fma(q, -__fmul_rn(r, q), 1.0f);
    float y = __sw_fma(q, __fmul_rn(d, 0x1.555556p-2f), q);
    float twice = __fadd_rn(x, x);
    return twice == x ? twice : x < 0.0f ? -y : y;
}
__SW_DEV__ float
rcbrtf(float x)
{
    float a = __builtin_fabsf(x);
    float r = __sw_ex2_ftzf(__fmul_rn(__log2f(a), -0x1.555556p-2f));
    float d = __sw_fma(__fmul_rn(r, r), -__fmul_rn(a, r), 1.0f);
    float y = __sw_fma(d, __fmul_rn(r, 0x1.555556p-2f), r);
    float twice = __fadd_rn(x, x);
    if (twice == x)
        return __int_as_float(__float_as_int(twice) ^ 0x7f800000);
    return x < 0.0f ? -y : y;
}
__SW_DEV__ float
rsqrtf(float x)
{
    return __sw_rsqrtf(x);
}
__SW_DEV__ float
__frsqrt_rn(float x)
{
    bool tiny = __builtin_fabsf(x) < 0x1p-126f;
    float a = tiny ? __fmul_rn(x, 0x1p+24f) : x;
    unsigned bits = __float_as_uint(a);
    if (bits - 0x00800000u >= 0x7f000000u)
        return __sw_rsqrt_ftzf(a);
    unsigned m = (bits & 0x00ffffffu) | 0x3f000000u;
    int e = (int)(m - bits) + (tiny ? 0x0c000000 : 0);
    float v = __uint_as_float(m);
    float r = __sw_rsqrt_ftzf(v);
    float s = __fmul_rn(r, r);
    float d = __sw_fma(__sw_fma(r, r, -s), -v, __sw_fma(s, -v, 1.0f));
    float y = __sw_fma(__sw_fma(0.375f, d, 0.5f), __fmul_rn(r, d), r);
    return __int_as_float((e >> 1) + __float_as_int(y));
}

/* A power of two that brings x near 1, and one that undoes it. */
__SW_DEV__ float
__sw_scale_downf(float x)
{
    return __uint_as_float(0x7e800000u - (__float_as_uint(x) & 0xfe000000u));
}
__SW_DEV__ float
__sw_scale_backf(float x)
{
    return __uint_as_float((__float_as_uint(x) & 0xfe000000u) | 0x00800000u);
}
/* |x|, a subnormal becoming 0 where those are flushed. */
__SW_DEV__ float
__sw_absf(float x)
{
    return __sw_ftz() ? __nvvm_fabs_ftz_f(x) : __builtin_fabsf(x);
}
/* The larger and the smaller of two magnitudes, NaN counting as largest. */
__SW_DEV__ void
__sw_sort2f(float x, float y, float *lo, float *hi)
{
    int a = __float_as_int(__sw_absf(x));
    int b = __float_as_int(__sw_absf(y));
    *lo = __int_as_float(a < b ? a : b);
    *hi = __int_as_float(a < b ? b : a);
}
__SW_DEV__ float
hypotf(float x, float y)
{
    float lo, hi;
    __sw_sort2f(x, y, &lo, &hi);
    float k = __sw_scale_downf(hi);
    float a = __fmul_rn(lo, k), b = __fmul_rn(hi, k);
    float r = __sw_sqrtf(__sw_fma(b, b, __fmul_rn(a, a)));
    r = __fmul_rn(r, __sw_scale_backf(hi));
    return lo == __SW_INFF ? __SW_INFF : lo == 0.0f ? hi : r;
}
__SW_DEV__ float
rhypotf(float x, float y)
{
    float lo, hi;
    __sw_sort2f(x, y, &lo, &hi);
    float k = __sw_scale_downf(hi);
    float a = __fmul_rn(lo, k), b = __fmul_rn(hi, k);
    float r = __sw_rsqrtf(__sw_fma(b, b, __fmul_rn(a, a)));
    return lo == __SW_INFF ? 0.0f : __fmul_rn(r, k);
}
/* Scaled sum of squares of three or four; *hi the largest magnitude, *sum of
 * the magnitudes. */
__SW_DEV__ float
__sw_squares3f(float x, float y, float z, float *hi, float *sum)
{
    x = __builtin_fabsf(x), y = __builtin_fabsf(y), z = __builtin_fabsf(z);
    *sum = __fadd_rn(__fadd_rn(x, y), z);
    float m = __builtin_fmaxf(x, y);
    *hi = __builtin_fmaxf(m, z);
    float k = __sw_scale_downf(*hi);
    float a = __fmul_rn(__builtin_fminf(m, z), k);
    float b = __fmul_rn(__builtin_fminf(x, y), k);
    float c = __fmul_rn(*hi, k);
    return __sw_fma(c, c, __sw_fma(b, b, __fmul_rn(a, a)));
}
__SW_DEV__ float
__sw_squares4f(float x, float y, float z, float w, float *hi, float *sum)
{
    x = __builtin_fabsf(x), y = __builtin_fabsf(y);
    z = __builtin_fabsf(z), w = __builtin_fabsf(w);
    *sum = __fadd_rn(z, __fadd_rn(__fadd_rn(x, y), w));
    float m = __builtin_fmaxf(x, y);
    float n = __builtin_fmaxf(m, z);
    *hi = __builtin_fmaxf(n, w);
    float k = __sw_scale_downf(*hi);
    float a = __fmul_rn(__builtin_fminf(n, w), k);
    float b = __fmul_rn(__builtin_fminf(m, z), k);
    float c = __fmul_rn(__builtin_fminf(x, y), k);
    float d = __fmul_rn(*hi, k);
    return __sw_fma(d, d, __sw_fma(c, c, __sw_fma(b, b, __fmul_rn(a, a))));
}
__SW_DEV__ float
__sw_normf_of(float squares, float hi, float sum)
{
    float r = __fmul_rn(__sw_sqrtf(squares), __sw_scale_backf(hi));
    return hi == __SW_INFF ? __SW_INFF : sum > hi ? r : sum;
}
__SW_DEV__ float
__sw_rnormf_of(float squares, float hi, float sum)
{
    float r = __fmul_rn(__sw_rsqrtf(squares), __sw_scale_downf(hi));
    return hi == __SW_INFF ? 0.0f : sum <= __SW_INFF ? r : sum;
}
__SW_DEV__ float
norm3df(float x, float y, float z)
{
    float hi, sum;
    float s = __sw_squares3f(x, y, z, &hi, &sum);
    return __sw_normf_of(s, hi, sum);
}
__SW_DEV__ float
rnorm3df(float x, float y, float z)
{
    float hi, sum;
    float s = __sw_squares3f(x, y, z, &hi, &sum);
    return __sw_rnormf_of(s, hi, sum);
}
__SW_DEV__ float
norm4df(float x, float y, float z, float w)
{
    float hi, sum;
    float s = __sw_squares4f(x, y, z, w, &hi, &sum);
    return __sw_normf_of(s, hi, sum);
}
__SW_DEV__ float
rnorm4df(float x, float y, float z, float w)
{
    float hi, sum;
    float s = __sw_squares4f(x, y, z, w, &hi, &sum);
    return __sw_rnormf_of(s, hi, sum);
}

/* ---- remainders ---- */

/* |x| mod |y|, and the low bits of the quotient: by one division where the
 * quotient is below 2**23, else 23 bits of it at a time. */
__SW_DEV_BIG__ float
__sw_remf(float x, float y, unsigned *quotient)
{
    float r = __builtin_fabsf(x), b = __builtin_fabsf(y);
    *quotient = 0;
    if (r < b)
        return r;
    float big = __fmul_rn(b, 0x1p+23f);
    if (r <= big) {
        float q = __builtin_truncf(__fdividef(r, b));
        float d = __sw_fma(-b, q, r);
        unsigned bits = __float_as_uint(d);
        if (bits >= __float_as_uint(b)) {
            if (bits > 0x80000000u) {
                q = __fadd_rn(q, -1.0f);
                if (d < -b)
                    q = __fadd_rn(q, -1.0f);
            } else {
                q = __fadd_rn(q, 1.0f);
                if (d >= __fadd_rn(b, b)) {
                    q = __fadd_rn(q, 1.0f);
                    if (__sw_fma(-3.0f, b, d) >= 0.0f)
                        q = __fadd_rn(q, 1.0f);
                }
            }
        }
        *quotient = __float2uint_rz(q);
        return __sw_fma(-b, q, r);
    }
    unsigned rb = __float_as_uint(r), bb = __float_as_uint(big);
    unsigned m = (rb & 0x007fffffu) | 0x3f800000u;
    unsigned left = (rb - ((bb - 0x0b800000u) & 0xff800000u)) & 0xff800000u;
    unsigned q = 0;
    float f = __uint_as_float(m);
    if (left != 0) {
        float d = __uint_as_float((bb & 0x007fffffu) | 0x3f800000u);
        float inv = __sw_rcpf(d);
        do {
            unsigned step = left < 0x0b800000u ? left : 0x0b800000u;
            float n = __uint_as_float(step + m);
            float t = __sw_fma(n, inv, -0.0f);
            t = __sw_fma(__sw_fma(-d, t, n), inv, t);
            t = __builtin_truncf(__fmaf_rz(__sw_fma(-d, t, n), inv, t));
            f = __sw_fma(-d, t, n);
            left -= step;
            m = __float_as_uint(f);
            q = (q << (step >> 23)) + __float2uint_rz(t);
        } while (left != 0 && m != 0);
    }
    *quotient = q << (left < 0x02000000u ? left >> 23 : 3);
    float back = !(b > 0.0f) || rb >= 0x7f800000u
                     ? __SW_NANF
                     : __uint_as_float(bb & 0xff800000u);
    return __fmul_rn(back, __fmul_rn(f, 0x1p-23f));
}
__SW_DEV__ float
fmodf(float x, float y)
{
    unsigned q;
    float r = __sw_remf(x, y, &q);
    return __builtin_fabsf(r) <= __SW_INFF ? __builtin_copysignf(r, x) : r;
}
__SW_DEV__ float
remquof(float x, float y, int *quotient)
{
    unsigned q;
    float b = __builtin_fabsf(y);
    float r = __sw_remf(x, y, &q);
    float twice = __fadd_rn(r, r);
    if (twice > b || ((q & 1) && twice == b)) {
        r = __fsub_rn(r, b);
        q++;
    }
    if (r != r) {
        *quotient = 0;
        return r;
    }
    int low = (int)(q & 7);
    *quotient = (__float_as_int(x) ^ __float_as_int(y)) < 0 ? -low : low;
    return __float_as_int(x) < 0 ? -r : r;
}
__SW_DEV__ float
remainderf(float x, float y)
{
    int q;
    return remquof(x, y, &q);
}

/* ---- error functions ---- */
__SW_DEV__ float
erff(float x)
{
    float a = __builtin_fabsf(x);
    bool far = a >= 0x1.00c1fcp+0f;
    float s = far ? a : __fmul_rn(x, x);
    float t = far ? -a : x;
    float c = far ? __sw_poly(s, 0x1.d69874p-14f, -0x1.5c00b6p-10f,
                              0x1.13233ep-7f, -0x1.49b334p-5f, 0x1.46aa32p-3f,
                              0x1.d369f2p-1f, 0x1.421428p-1f)
                  : __sw_poly(s, 0x1.63d2d4p-14f, -0x1.ae9a40p-11f,
                              0x1.55abd4p-8f, -0x1.b837cep-6f, 0x1.ce315ep-4f,
                              -0x1.812758p-2f, 0x1.06eba6p-3f);
    float y = __sw_fma(c, t, t);
    if (far)
        y = __builtin_copysignf(__fsub_rn(1.0f, __sw_ex2_ftzf(y)), x);
    return y;
}
/* exp(a * a) * erfc(a), 0 <= a < 10.055 */
__SW_DEV__ float
__sw_erfcxf(float a)
{
    float r = __sw_rcpf(__fadd_rn(a, 4.0f));
    float q = __fmul_rn(__fadd_rn(a, -4.0f), r);
    float d = __sw_fma(-q, a, __sw_fma(-4.0f, __fadd_rn(q, 1.0f), a));
    q = __sw_fma(r, d, q);
    float c = __sw_poly(q, 0x1.d34122p-11f, 0x1.cdc0b6p-8f, -0x1.03f696p-6f,
                        0x1.2a6e76p-5f, -0x1.10f8b4p-4f, 0x1.8043aap-4f,
                        -0x1.9da848p-4f, 0x1.16e9bcp-4f, 0x1.f7e2e0p-7f,
                        -0x1.1df1a8p-3f, 0x1.3ba592p+0f);
    r = __sw_rcpf(__sw_fma(2.0f, a, 1.0f));
    float y = __fmul_rn(c, r);
    d = __fsub_rn(__sw_fma(a, __fmul_rn(y, -2.0f), c), y);
    return __sw_fma(d, r, y);
}
__SW_DEV__ float
erfcf(float x)
{
    float a = __builtin_fabsf(x);
    float y = __sw_erfcxf(a);
    float s = __fmul_rn(a, a);
    float e = __sw_exp_scaledf(-s, 0x1.8000fep+23f);
    y = __fmul_rn(y, __sw_fma(e, __sw_fma(-a, a, s), e));
    y = a > 0x1.41c290p+3f ? 0.0f : y;
    return x < 0.0f ? __fsub_rn(2.0f, y) : y;
}
__SW_DEV__ float
erfcxf(float x)
{
    float a = __builtin_fabsf(x);
    float y;
    if (a < 0x1.41c290p+3f) {
        y = __sw_erfcxf(a);
    } else {
        float r = __fdividef(0.25f, __fmul_rn(a, 0.25f));
        float s = __fmul_rn(r, r);
        float c = __sw_poly(s, 6.5625f, -1.875f, 0.75f, -0.5f, 1.0f);
        y = __fmul_rn(__fmul_rn(r, 0x1.20dd76p-1f), c);
    }
    if (!(x < 0.0f))
        return y;
    float s = __fmul_rz(a, a);
    float t = __nvvm_saturate_f(__sw_fma(s, 0x1.77313ap-8f, 0.5f));
    t = __fmaf_rd(t, 252.0f, 0x1.800002p+23f);
    float k = __fadd_rn(t, -0x1.8000fep+23f);
    float p = __int_as_float(__float_as_int(t) << 23);
    float e = __sw_ex2_ftzf(
        __sw_fma(s, 0x1.4ae0c0p-26f, __sw_fma(s, 0x1.715476p+0f, -k)));
    float twice = __sw_fma(e, p, __fmul_rn(e, p));
    if (twice == __SW_INFF)
        return twice;
    return __fsub_rn(__sw_fma(twice, __sw_fma(a, a, -s), twice), y);
}
/* Central part of the inverse, from t = -log2(1 - x * x). */
__SW_DEV__ float
__sw_erfinv_centref(float t)
{
    return __sw_poly(t, -0x1.14c6e0p-32f, 0x1.43ec8ap-27f, -0x1.02dfb4p-23f,
                     0x1.d1f08cp-23f, 0x1.0e8554p-17f, -0x1.09b69ap-15f,
                     -0x1.95fd42p-11f, 0x1.6b804ep-8f, 0x1.495c1ep-3f,
                     0x1.c5bf88p-1f);
}
__SW_DEV__ float
erfinvf(float x)
{
    float t = -__nvvm_lg2_approx_ftz_f(__sw_fma(x, -x, 1.0f));
    if (!(t > 0x1.066666p+3f))
        return __fmul_rn(x, __sw_erfinv_centref(t));
    float r = __sw_rsqrt_ftzf(t);
    float c = __sw_poly(r, -0x1.2e0942p-1f, -0x1.53754ap-1f, 0x1.98d5b8p+0f,
                        -0x1.59b5dap-1f, -0x1.860a6ep-4f, 0x1.abb372p-1f);
    float y = __fmul_rn(__fmul_rn(r, t), c);
    return __builtin_copysignf(t == __SW_INFF ? t : y, x);
}
__SW_DEV__ float
erfcinvf(float x)
{
    float other = __fadd_rn(2.0f, -x);
    if (x >= 0x1.bda512p-9f && x <= 0x1.ff212ep+0f) {
        float t = -__nvvm_lg2_approx_ftz_f(__fmul_rn(other, x));
        float c = __sw_erfinv_centref(t);
        return __sw_fma(c, -x, c);
    }
    bool right = x > 1.0f;
    float t = -__log2f(right ? other : x);
    float r = __sw_rsqrt_ftzf(t);
    float y = t == __SW_INFF ? t : __fmul_rn(r, t);
    float c = __sw_poly(r, -0x1.f8e7e2p+5f, 0x1.fdf052p+6f, -0x1.c86c38p+6f,
                        0x1.e29b36p+5f, -0x1.5ca366p+4f, 0x1.9dea08p+2f,
                        -0x1.d53c0ap+0f, -0x1.f0e3e8p-6f, 0x1.aa6eeap-1f);
    return __fmul_rn(c, right ? -y : y);
}
__SW_DEV__ float
normcdfinvf(float x)
{
    return __sw_fma(-0x1.6a09e6p+0f, erfcinvf(__fadd_rn(x, x)), 0.0f);
}
__SW_DEV__ float
normcdff(float x)
{
    if (__builtin_fabsf(x) > 14.5f)
        x = __builtin_copysignf(14.5f, x);
    float hi = __fmul_rn(x, -0x1.6a09e6p-1f);
    float lo = __sw_fma(x, -0x1.9fcef4p-27f, __sw_fma(x, -0x1.6a09e6p-1f, -hi));
    float t = __fadd_rn(hi, lo);
    float y = erfcf(t);
    if (x < -1.0f)
        y = __sw_fma(__fmul_rn(__fmul_rn(t, -2.0f), y),
                     __fadd_rn(__fsub_rn(hi, t), lo), y);
    return y * 0.5f;
}

/* ---- gamma ---- */
__SW_DEV_BIG__ float
__sw_lgamma_posf(float a)
{
    if (a >= 0x1.f33334p+2f) {
        float h = __sw_logf(a);
        float r = __sw_rcpf(a);
        float s = __fmul_rn(r, r);
        float c =
            __sw_poly(s, 0x1.97ceaap-11f, -0x1.6c12a6p-9f, 0x1.555546p-4f);
        c = __sw_fma(c, r, 0x1.d67f1cp-1f);
        float p = __fmul_rn(__fmul_rn(h, 0.5f), __fadd_rn(a, -0.5f));
        float y = __fadd_rn(__fsub_rn(p, a), __fadd_rn(p, c));
        return a == __SW_INFF ? a : y;
    }
    if (a >= 3.0f) {
        float t = __fadd_rn(a, -3.0f);
        float n =
            __sw_poly(t, -0x1.7671f6p+9f, -0x1.81edf0p+13f, -0x1.40cac0p+15f,
                      -0x1.796d54p+15f, -0x1.175cb4p+17f);
        float d = __sw_poly(t, __fadd_rn(t, -0x1.034040p+8f), -0x1.50c970p+13f,
                            -0x1.6a0d0cp+16f, -0x1.9308cap+17f);
        return __sw_fma(n, __sw_rcpf(d), t);
    }
    if (a >= 1.5f) {
        float t = __fadd_rn(a, -2.0f);
        return __fmul_rn(t, __sw_poly(t, 0x1.a00ff4p-15f, -0x1.cf4004p-13f,
                                      0x1.1bcdf8p-11f, -0x1.3bc1c4p-10f,
                                      0x1.7a0b6ep-9f, -0x1.e3d620p-8f,
                                      0x1.513450p-6f, -0x1.13e034p-4f,
                                      0x1.4a34ccp-2f, 0x1.b0ee60p-2f));
    }
    if (a >= 0x1.666666p-1f) {
        float t = __fsub_rn(1.0f, a);
        return __fmul_rn(
            t, __sw_poly(t, 0x1.77deecp-5f, 0x1.a8eaeep-4f, 0x1.f700f2p-4f,
                         0x1.052b6ap-3f, 0x1.254ecap-3f, 0x1.5ad0cep-3f,
                         0x1.a8c57ep-3f, 0x1.1514e4p-2f, 0x1.9a4d48p-2f,
                         0x1.a51a64p-1f, 0x1.2788d0p-1f));
    }
    float c = __sw_poly(a, 0x1.d6390cp-9f, -0x1.6690f0p-8f, -0x1.6d95dep-5f,
                        0x1.56aaaap-3f, -0x1.592d8ep-5f, -0x1.4fcdd6p-1f,
                        0x1.2788c6p-1f);
    return -__sw_logf(__sw_fma(__fmul_rn(a, c), a, a));
}
__SW_DEV_BIG__ float
lgammaf(float x)
{
    float a = __builtin_fabsf(x);
    float y = __sw_lgamma_posf(a);
    if (x >= 0.0f)
        return y;
    if (a == __builtin_floorf(a))
        return __SW_INFF;
    if (a < 0x1.d83c94p-64f)
        return -__sw_logf(a);
    float k = __builtin_rintf(__fadd_rn(a, a));
    float r = __fmul_rn(__sw_fma(-k, 0.5f, a), 0x1.921fb6p+1f);
    float s = __builtin_fabsf(__sw_sin_quadrantf(r, __float2int_rz(k)));
    float h = __sw_logf(__fmul_rn(a, s));
    return __sw_fma(__fsub_rn(0x1.250d04p+0f, h), 1.0f, -y);
}
/* Gamma(f3) magnitude by Stirling: a**(a - 1/2) * exp(-a), then a series. */
__SW_DEV_BIG__ float
tgammaf(float x)
{
    float a = __builtin_fabsf(x);
    float y;
    if (a >= 1.5f) {
        bool neg = x < 0.0f;
        float v = a > 0x1.48ccccp+5f ? 0x1.48ccccp+5f : x;
        float b = __builtin_fabsf(v);
        float ll;
        float h = __sw_log2_pairf(b, &ll, false);
        float e = __fadd_rn(b, -0.5f);
        float p = __fmul_rn(h, e);
        float pl = __sw_fma(ll, e, __sw_fma(h, e, -p));
        float q = __fmul_rn(0x1.715476p+0f, b);
        float ql =
            __sw_fma(0x1.4ae0c0p-26f, b, __sw_fma(0x1.715476p+0f, b, -q));
        float d = __fsub_rn(p, q);
        float t = -__fadd_rn(d, q);
        float dl = __fadd_rn(__fadd_rn(p, t), __fadd_rn(-q, -__fadd_rn(d, t)));
        dl = __fadd_rn(__fsub_rn(pl, ql), dl);
        bool huge = b > 33.0f;
        float s = neg ? __fsub_rn(huge ? 48.0f : -0.0f, d) : d;
        float k = __builtin_rintf(s);
        float f = __fadd_rn(__fsub_rn(s, k), neg ? -dl : dl);
        float g = __fmul_rn(__sw_exp2_partsf(k, f), 0x1.40d932p+1f);
        float r = __sw_rcpf(b);
        float c = __sw_poly(r, 0x1.1ef2e2p-14f, -0x1.a87db0p-15f,
                            -0x1.bb4d7cp-12f, 0x1.04157cp-10f, -0x1.2415fap-12f,
                            -0x1.5e9ac8p-9f, 0x1.c70e64p-9f, 0x1.555558p-4f);
        c = __fmul_rn(r, c);
        if (!neg)
            return __sw_fma(c, g, g);
        float w = __sw_fma(c, v, v);
        float n = __builtin_rintf(__fadd_rn(b, b));
        float sn =
            __sw_sinpi_quadrantf(__sw_fma(n, -0.5f, b), __float2int_rz(n));
        float den = __fmul_rn(w, sn);
        float inv = __fdividef(1.0f, den);
        float fix = __fmul_rn(__sw_fma(w, sn, -den), __fmul_rn(inv, inv));
        y = __fmul_rn(__sw_fma(g, inv, -__fmul_rn(g, fix)), 0.5f);
        if (huge)
            y = __fmul_rn(y, 0x1p-48f);
    } else {
        float f = x == 0.0f ? x : __fsub_rn(x, __builtin_rintf(x));
        float m = x < -0.5f ? x : 1.0f;
        if (x <= 0.5f)
            m = __fmul_rn(m, f);
        float c = __sw_poly(f, -0x1.193eccp-10f, 0x1.d207aep-8f,
                            -0x1.3c0160p-7f, -0x1.598a44p-5f, 0x1.551366p-3f,
                            -0x1.58180ap-5f, -0x1.4fcf44p-1f, 0x1.2788d0p-1f);
        y = __fdividef(1.0f, __sw_fma(__sw_fma(c, m, 0.0f), f, m));
        if (!(x < 0.0f))
            return y;
    }
    if (__builtin_truncf(x) == x)
        return __SW_NANF;
    if (x < -0x1.48ccccp+5f && (__float2int_rz(x) & 1))
        return 0.0f;
    return y;
}

#endif
