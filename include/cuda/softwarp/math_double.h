/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_double.h - the double functions of CUDA's math library: the
 * same sequence of rounded operations as on a device, hence the same bits
 * (see math_float.h). Reciprocals start from the device's approximation.
 */
#ifndef SOFTWARP_MATH_DOUBLE_H
#define SOFTWARP_MATH_DOUBLE_H
#include "math_float.h"
#pragma GCC system_header

#define __SW_INF    __builtin_inf()
#define __SW_NAN    __longlong_as_double((long long)0xfff8000000000000ull)
#define __SW_LN2_HI 0x1.62e42fefa39efp-1
#define __SW_LN2_LO 0x1.abc9e3b39803fp-56
#define __SW_LOG2E  0x1.71547652b82fep+0
#define __SW_MAGIC  0x1.8p+52 /* adding it rounds to an integer */

__SW_DEV__ double
__sw_rcp_approx(double x)
{
    return __nvvm_rcp_approx_ftz_d(x);
}
__SW_DEV__ double
__sw_rsqrt_approx(double x)
{
    double r;
    __asm__("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    return r;
}
/* 1 / x to nearly full precision; and 1 / sqrt(x). */
__SW_DEV__ double
__sw_rcp(double x)
{
    double r = __sw_rcp_approx(x);
    double e = __sw_fma(-x, r, 1.0);
    return __sw_fma(__sw_fma(e, e, e), r, r);
}
__SW_DEV__ double
__sw_rsqrt_refine(double x, double r)
{
    double e = __sw_fma(x, -__dmul_rn(r, r), 1.0);
    return __sw_fma(__sw_fma(0.375, e, 0.5), __dmul_rn(e, r), r);
}
/* x with n added to its exponent field. */
__SW_DEV__ double
__sw_scale(double x, int n)
{
    return __hiloint2double(
        (int)((unsigned)__double2hiint(x) + ((unsigned)n << 20)),
        __double2loint(x));
}
__SW_DEV__ double
__sw_pow2(int n)
{
    return __hiloint2double((int)(((unsigned)n << 20) + 0x3ff00000u), 0);
}
/* |x| of the high word, as a float that orders the same way. */
__SW_DEV__ float
__sw_high_abs(double x)
{
    return __builtin_fabsf(__int_as_float(__double2hiint(x)));
}

/* ---- exponentials ---- */
__SW_DEV__ double
__sw_exp_poly(double r)
{
    return __sw_poly(r, 0x1.ade1569ce2bdfp-26, 0x1.28af3fca213eap-22,
                     0x1.71dee62401315p-19, 0x1.a01997c89eb71p-16,
                     0x1.a01a014761f65p-13, 0x1.6c16c1852b7afp-10,
                     0x1.1111111122322p-7, 0x1.55555555502a1p-5,
                     0x1.5555555555511p-3, 0x1.000000000000bp-1, 1.0, 1.0);
}
/* r with x = n ln 2 + r. */
__SW_DEV__ double
__sw_exp_reduce(double x, int *n)
{
    double t = __sw_fma(x, __SW_LOG2E, __SW_MAGIC);
    *n = __double2loint(t);
    t = __dadd_rn(t, -__SW_MAGIC);
    return __sw_fma(t, -__SW_LN2_LO, __sw_fma(t, -__SW_LN2_HI, x));
}
/* y * 2**n in two steps, for results that overflow or are subnormal. */
__SW_DEV__ double
__sw_scale_far(double y, int n)
{
    int h = (n + (int)((unsigned)n >> 31)) >> 1;
    return __dmul_rn(__sw_scale(y, h), __sw_pow2(n - h));
}
__SW_DEV__ double
exp(double x)
{
    int n;
    double y = __sw_exp_poly(__sw_exp_reduce(x, &n));
    float a = __sw_high_abs(x);
    if (a < 0x1.0c4656p+2f)
        return __sw_scale(y, n);
    if (a < 0x1.0e9000p+2f)
        return __sw_scale_far(y, n);
    return x < 0.0 ? 0.0 : __dadd_rn(x, __SW_INF);
}
__SW_DEV__ double
exp2(double x)
{
    double t = __dadd_rn(x, __SW_MAGIC);
    int n = __double2loint(t);
    double r = __dsub_rn(x, __dadd_rn(t, -__SW_MAGIC));
    double y =
        __sw_exp_poly(__sw_fma(r, __SW_LN2_HI, __dmul_rn(r, __SW_LN2_LO)));
    float a = __sw_high_abs(x);
    if (a < 0x1.1fe000p+2f)
        return __sw_scale(y, n);
    if (a < 0x1.219800p+2f)
        return __sw_scale_far(y, n);
    return x != x ? __dadd_rn(x, x) : x < 0.0 ? 0.0 : __SW_INF;
}
__SW_DEV__ double
exp10(double x)
{
    double t = __sw_fma(x, 0x1.a934f0979a371p+1, __SW_MAGIC);
    int n = __double2loint(t);
    t = __dadd_rn(t, -__SW_MAGIC);
    double r = __sw_fma(t, 0x1.9dc1da994fd21p-59,
                        __sw_fma(t, -0x1.34413509f79ffp-2, x));
    r = __sw_fma(r, 0x1.26bb1bbb55516p+1, __dmul_rn(r, -0x1.f48ad494ea3e9p-53));
    double y = __sw_exp_poly(r);
    float a = __sw_high_abs(x);
    if (a < 0x1.e674e2p+1f)
        return __sw_scale(y, n);
    if (a < 0x1.e87370p+1f)
        return __sw_scale_far(y, n);
    return x != x ? __dadd_rn(x, x) : x < 0.0 ? 0.0 : __SW_INF;
}
/* exp(r + n ln 2) / 2**down - 1 / 2**down, r + n ln 2 = x reduced here;
 * *tiny: x is returned as it is. */
__SW_DEV__ double
__sw_expm1_scaled(double x, int down)
{
    int n;
    double r = __sw_exp_reduce(x, &n);
    unsigned twice = (unsigned)__double2hiint(x) << 1;
    if (twice < 0x7fb3e647u) {
        r = x;
        n = down;
    }
    n -= down;
    bool top = n == 1024;
    double p = __sw_pow2(top ? n - 1 : n);
    double c = __sw_poly(r, 0x1.1f4076acd15b6p-29, 0x1.af86d8ebd13cdp-26,
                         0x1.27e5092ba033dp-22, 0x1.71dde6c5f9da1p-19,
                         0x1.a01a018d034e6p-16, 0x1.a01a01b3b6940p-13,
                         0x1.6c16c16c1b5ddp-10, 0x1.111111110f74dp-7,
                         0x1.555555555554dp-5, 0x1.5555555555557p-3, 0.5);
    c = __sw_fma(__dmul_rn(r, c), r, r);
    double y = __sw_fma(c, p, __dsub_rn(p, __sw_pow2(-down)));
    y = top ? __dadd_rn(y, y) : y;
    return twice == 0 ? r : y;
}
__SW_DEV__ double
expm1(double x)
{
    float h = __int_as_float(__double2hiint(x));
    if (h < 0x1.0c5c86p+2f && h > -0x1.950000p+1f)
        return __sw_expm1_scaled(x, 0);
    return x != x ? __dadd_rn(x, x) : x < 0.0 ? -1.0 : __SW_INF;
}

/* ---- logarithms ---- */

/* x = m * 2**e with m in about [0.7, 1.4); false: zero, infinite, negative or
 * NaN, and then *special is the logarithm. */
__SW_DEV__ bool
__sw_log_split(double x, double *m, int *e, double *special)
{
    int n = -1023;
    if (__double2hiint(x) < 0x00100000) {
        x = __dmul_rn(x, 0x1p+54);
        n = -1077;
    }
    unsigned h = (unsigned)__double2hiint(x);
    if (h - 1 >= 0x7fefffffu) {
        *special = __uint_as_float(h) == 0.0f ? -__SW_INF
                                              : __sw_fma(x, __SW_INF, __SW_INF);
        return false;
    }
    n += (int)(h >> 20);
    h = (h & 0x800fffffu) | 0x3ff00000u;
    if ((int)h >= 0x3ff6a09f) {
        h -= 0x00100000u;
        n++;
    }
    *m = __hiloint2double((int)h, __double2loint(x));
    *e = n;
    return true;
}
__SW_DEV__ double
log(double x)
{
    double m, y;
    int e;
    if (!__sw_log_split(x, &m, &e, &y))
        return y;
    double r = __sw_rcp(__dadd_rn(m, 1.0));
    double d = __dadd_rn(m, -1.0);
    double q = __sw_fma(d, r, __dmul_rn(d, r));
    double s = __dmul_rn(q, q);
    double c = __sw_poly(s, 0x1.1380b3ae80f1ep-20, 0x1.0ee258b7a8b04p-18,
                         0x1.3b2669f02676fp-16, 0x1.745cba9ab0956p-14,
                         0x1.c71c72d1b5154p-12, 0x1.24924923be72dp-9,
                         0x1.999999999a3c4p-7, 0x1.5555555555554p-4);
    c = __dmul_rn(s, c);
    double t = __dsub_rn(d, q);
    double ql = __dmul_rn(r, __sw_fma(-q, d, __dadd_rn(t, t)));
    double k = (double)e;
    double hi = __sw_fma(k, __SW_LN2_HI, q);
    double err = __dsub_rn(__sw_fma(-k, __SW_LN2_HI, hi), q);
    double lo = __dsub_rn(__sw_fma(c, q, ql), err);
    return __dadd_rn(hi, __sw_fma(k, __SW_LN2_LO, lo));
}
__SW_DEV__ double
log2(double x)
{
    double y = log(x);
    return __sw_fma(y, __SW_LOG2E, __dmul_rn(y, 0x1.777d0ffda0d24p-56));
}
__SW_DEV__ double
log10(double x)
{
    double y = log(x);
    return __sw_fma(y, 0x1.bcb7b1526e50ep-2,
                    __dmul_rn(y, 0x1.95355baaafad3p-57));
}
__SW_DEV_BIG__ double
log1p(double x)
{
    float h = __int_as_float(__double2hiint(x));
    if (!(h < 0x1.caaaaap+0f && h > -0x1.b33332p+0f))
        return log(__dadd_rn(x, 1.0));
    double p = __dmul_rn(x, __ddiv_rn(x, __dadd_rn(x, 2.0)));
    double q = __dsub_rn(x, p);
    double s = __dmul_rn(q, q);
    double c = __sw_poly(s, 0x1.372fb2fbe14b5p-20, 0x1.087ffceb2dc44p-18,
                         0x1.3b9ff890f468cp-16, 0x1.7457efd51baf8p-14,
                         0x1.c71c8de3ce825p-12, 0x1.249248fa4661fp-9,
                         0x1.99999999d70c4p-7, 0x1.5555555555462p-4);
    return __dadd_rn(x, __sw_fma(__dmul_rn(s, c), q, -p));
}

/* ---- powers ---- */

/* log(a), a > 0, as a sum of two. */
__SW_DEV_BIG__ double
__sw_log_pair(double a, double *lo)
{
    unsigned h = (unsigned)__double2hiint(a);
    int e = (int)(h >> 20);
    if (e == 0) {
        a = __dmul_rn(a, 0x1p+54);
        h = (unsigned)__double2hiint(a);
        e = (int)(h >> 20) - 54;
    }
    e -= 1023;
    h = (h & 0x800fffffu) | 0x3ff00000u;
    if (h >= 0x3ff6a09fu) {
        h -= 0x00100000u;
        e++;
    }
    double m = __hiloint2double((int)h, __double2loint(a));
    double r = __sw_rcp(__dadd_rn(m, 1.0));
    double d = __dadd_rn(m, -1.0);
    double q = __sw_fma(d, r, __dmul_rn(d, r));
    double s = __dmul_rn(q, q);
    double t = __dsub_rn(d, q);
    double ql = __dmul_rn(r, __sw_fma(-q, d, __dadd_rn(t, t)));
    /* c + cl: the series, in twice the precision */
    double p = __sw_poly(s, 0x1.0f5ff7d2cafe2p-20, 0x1.0f5d241ad3b5ap-18,
                         0x1.3b20a75488a3fp-16, 0x1.745cde4faecd5p-14,
                         0x1.c71c7258a578bp-12, 0x1.249249242b910p-9,
                         0x1.9999999999dfbp-7);
    double c = __sw_fma(s, p, 0x1.5555555555555p-4);
    double cl = __sw_fma(s, p, __dsub_rn(0x1.5555555555555p-4, c));
    cl = __dadd_rn(__dadd_rn(cl, 0.0), -0x1.6a4cb00b9e7b0p-59);
    double ch = __dadd_rn(c, cl);
    cl = __dadd_rn(cl, __dsub_rn(c, ch));
    /* s + sl: q squared; u + ul: cubed */
    double sl = __sw_fma(q, __sw_scale(ql, 1), __sw_fma(q, q, -s));
    double u = __dmul_rn(s, q);
    double ul = __sw_fma(sl, q, __sw_fma(s, ql, __sw_fma(s, q, -u)));
    double v = __dmul_rn(ch, u);
    double vl = __sw_fma(cl, u, __sw_fma(ch, ul, __sw_fma(ch, u, -v)));
    double w = __dadd_rn(v, vl);
    double wl = __dadd_rn(vl, __dsub_rn(v, w));
    double x = __dadd_rn(q, w);
    double xl = __dadd_rn(ql, __dadd_rn(wl, __dadd_rn(w, __dsub_rn(q, x))));
    double y = __dadd_rn(x, xl);
    double yl = __dadd_rn(xl, __dsub_rn(x, y));
    double k = (double)e;
    double z = __sw_fma(k, __SW_LN2_HI, y);
    double zl =
        __sw_fma(k, __SW_LN2_LO,
                 __dsub_rn(yl, __dsub_rn(__sw_fma(-k, __SW_LN2_HI, z), y)));
    double l = __dadd_rn(z, zl);
    *lo = __dadd_rn(zl, __dsub_rn(z, l));
    return l;
}
/* a**b, a >= 0: the logarithm times b, exponentiated. */
__SW_DEV_BIG__ double
__sw_pow_abs(double a, double b)
{
    double ll, l = __sw_log_pair(a, &ll);
    /* a huge exponent is brought down, where the product still overflows */
    unsigned bh = (unsigned)__double2hiint(b);
    if (bh << 1 > 0xfdffffffu)
        b = __hiloint2double((int)(bh & 0xff0fffffu), __double2loint(b));
    double g = __dmul_rn(l, b);
    double gl = __sw_fma(ll, b, __sw_fma(l, b, -g));
    double f = __dadd_rn(g, gl);
    double fl = __dadd_rn(gl, __dsub_rn(g, f));
    double res = exp(f);
    if (__builtin_fabs(res) != __SW_INF)
        res = __sw_fma(res, fl, res);
    return res;
}
__SW_DEV_BIG__ double
pow(double x, double y)
{
    double a = __builtin_fabs(x), b = __builtin_fabs(y);
    int xh = __double2hiint(x), yh = __double2hiint(y);
    /* y is an odd integer: its bit of weight one is the last one set */
    unsigned shift = (((unsigned)yh >> 20) & 2047) - 1012;
    bool odd = shift < 64 && ((__sw_u64)__double_as_longlong(y) << shift) ==
                                 0x8000000000000000ull;
    double r = __sw_pow_abs(a, y);
    if (x == 0.0) {
        bool sign = odd && b != 0.5;
        int h = sign ? xh : 0;
        r = __hiloint2double(yh < 0 ? h | 0x7ff00000 : h, 0);
    } else if (xh < 0) {
        r = odd ? -r : r;
        if (__builtin_trunc(y) != y)
            r = __SW_NAN;
    }
    double sum = __dadd_rn(x, y);
    if ((__double2hiint(sum) & 0x7ff00000) == 0x7ff00000) {
        if (!(a <= __SW_INF) || !(b <= __SW_INF)) {
            r = sum;
        } else if (b == __SW_INF) {
            int h = a > 1.0 ? 0x7ff00000 : 0;
            h = yh < 0 ? h ^ 0x7ff00000 : h;
            r = __hiloint2double(x == -1.0 ? 0x3ff00000 : h, 0);
        } else if (a == __SW_INF) {
            int h = yh >= 0 ? 0x7ff00000 : 0;
            if (b != 0.5 && xh < 0 && odd)
                h |= (int)0x80000000u;
            r = __hiloint2double(h, 0);
        }
    }
    return x == 1.0 || y == 0.0 ? 1.0 : r;
}

/* ---- trigonometry ---- */

/* 1152 bits of 2/pi, least significant word first. */
static __attribute__((device))
const unsigned long long __sw_two_over_pi_long[18] = {
    0x6bfb5fb11f8d5d08ull, 0x3d0739f78a5292eaull, 0x7527bac7ebe5f17bull,
    0x4f463f669e5fea2dull, 0x6d367ecf27cb09b7ull, 0xef2f118b5a0a6d1full,
    0x1ff897ffde05980full, 0x9c845f8bbdf9283bull, 0x3991d639835339f4ull,
    0xe99c7026b45f7e41ull, 0xe88235f52ebb4484ull, 0xfe1deb1cb129a73eull,
    0x06492eea09d1921cull, 0xb7246e3a424dd2e0ull, 0xfe5163abdebbc561ull,
    0xdb6295993c439041ull, 0xfc2757d1f534ddc0ull, 0xa2f9836e4e441529ull};

/* |x| >= 2**31: as __sw_reduce_bigf, with four words of the product. */
__SW_DEV_BIG__ double
__sw_reduce_big(double x, int *quadrant)
{
    unsigned h = (unsigned)__double2hiint(x);
    *quadrant = 0;
    if (((h >> 20) & 2047) == 2047)
        return x;
    unsigned e = ((h >> 20) & 2047) - 1024;
    int first = 15 - (int)(e >> 6);
    int last = first + 4 < 18 ? first + 4 : 18;
    __sw_u64 mant =
        ((__sw_u64)__double_as_longlong(x) << 11) | 0x8000000000000000ull;
    __sw_u64 w[5] = {0, 0, 0, 0, 0};
    __sw_u64 carry = 0;
    int n = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
        if (first + i < last) {
            unsigned __int128 p =
                (unsigned __int128)__sw_two_over_pi_long[first + i] * mant +
                carry;
            w[i] = (__sw_u64)p;
            carry = (__sw_u64)(p >> 64);
            n = i + 1;
        }
    w[3] = n == 3 ? carry : w[3];
    __sw_u64 hi = w[3], lo = w[2];
    unsigned sh = e & 63;
    if (sh != 0) {
        hi = hi << sh | lo >> (64 - sh);
        lo = lo << sh | w[1] >> (64 - sh);
    }
    __sw_u64 top = hi << 2 | lo >> 62;
    __sw_u64 rest = lo << 2;
    unsigned half = (unsigned)(hi >> 61) & 1;
    int q = (int)(half + (unsigned)(hi >> 62));
    unsigned sign = h & 0x80000000u;
    *quadrant = sign ? -q : q;
    if (half) {
        unsigned __int128 v = -((unsigned __int128)top << 64 | rest);
        top = (__sw_u64)(v >> 64);
        rest = (__sw_u64)v;
        sign ^= 0x80000000u;
    }
    int z = __clzll((long long)top);
    if (z != 0)
        top = top << z | rest >> (64 - z);
    unsigned __int128 p = (unsigned __int128)top * 0xc90fdaa22168c235ull;
    int one = 0;
    if ((__sw_s64)(p >> 64) > 0) {
        p += p;
        one = 1;
    }
    __sw_u64 m = (__sw_u64)(p >> 64);
    __sw_u64 bits = 0x3fe0000000000000ull - ((__sw_u64)(z + one) << 52);
    bits += (((m + 1) >> 10) + 1) >> 1;
    return __longlong_as_double((long long)(bits | (__sw_u64)sign << 32));
}
__SW_DEV__ double
__sw_reduce(double x, int *quadrant)
{
    double a = __builtin_fabs(x);
    if (a == __SW_INF) {
        *quadrant = 0;
        return __dmul_rn(x, 0.0);
    }
    if (a >= 0x1p+31)
        return __sw_reduce_big(x, quadrant);
    int n = __double2int_rn(__dmul_rn(x, 0x1.45f306dc9c883p-1));
    double k = (double)n;
    double r = __sw_fma(-k, 0x1.921fb54442d18p+0, x);
    r = __sw_fma(-k, 0x1.1a62633145c00p-54, r);
    r = __sw_fma(-k, 0x1.b839a252049c0p-104, r);
    *quadrant = n;
    return r;
}
__SW_DEV__ double
__sw_sin_poly(double r)
{
    double s = __dmul_rn(r, r);
    double c = __sw_poly(s, 0x1.5db65f9785ebap-33, -0x1.ae5f12cb0d246p-26,
                         0x1.71de369ace392p-19, -0x1.a01a019db62a1p-13,
                         0x1.1111111110818p-7, -0x1.5555555555554p-3, 0.0);
    return __sw_fma(c, r, r);
}
__SW_DEV__ double
__sw_cos_poly(double r)
{
    double s = __dmul_rn(r, r);
    return __sw_poly(s, -0x1.8ff8320fd8164p-37, 0x1.1eea7c1ef8528p-29,
                     -0x1.27e4f8e06e6d9p-22, 0x1.a01a019ddbce9p-16,
                     -0x1.6c16c16c15d47p-10, 0x1.5555555555551p-5, -0.5, 1.0);
}
__SW_DEV__ double
__sw_sin_quadrant(double r, int n)
{
    double y = n & 1 ? __sw_cos_poly(r) : __sw_sin_poly(r);
    return n & 2 ? __sw_fma(y, -1.0, 0.0) : y;
}
__SW_DEV__ double
sin(double x)
{
    int n;
    double r = __sw_reduce(x, &n);
    return __sw_sin_quadrant(r, n);
}
__SW_DEV__ double
cos(double x)
{
    int n;
    double r = __sw_reduce(x, &n);
    return __sw_sin_quadrant(r, n + 1);
}
__SW_DEV__ void
sincos(double x, double *sin_out, double *cos_out)
{
    int n;
    double r = __sw_reduce(x, &n);
    double s = __sw_sin_poly(r), c = __sw_cos_poly(r);
    if (n & 1) {
        double t = s;
        s = c;
        c = -t;
    }
    *sin_out = n & 2 ? -s : s;
    *cos_out = n & 2 ? -c : c;
}
__SW_DEV__ double
tan(double x)
{
    int n;
    double r = __sw_reduce(x, &n);
    double s = __dmul_rn(r, r);
    double c = __sw_poly(
        s, 0x1.48dac2799bcb9p-17, -0x1.9757c5b27ebb1p-16, 0x1.980e90fd91e04p-15,
        -0x1.ae2b0417d7e1dp-16, 0x1.19f5341bfba57p-14, 0x1.5e791a00f6919p-14,
        0x1.ff2e7fadec73ap-13, 0x1.34bc1b206da62p-11, 0x1.7db18ef2f83f9p-10,
        0x1.d6d2e7ae49fbcp-9, 0x1.226e3a816a776p-7, 0x1.664f485d25660p-6,
        0x1.ba1ba1babf31dp-5, 0x1.11111111105d2p-3, 0x1.555555555555ep-2);
    c = __dmul_rn(s, c);
    double y = __sw_fma(c, r, r);
    if (!(n & 1))
        return y;
    double q = -__sw_rcp(y);
    double lo = __sw_fma(c, r, -__dsub_rn(y, r));
    return __sw_fma(__sw_fma(q, lo, __sw_fma(y, q, 1.0)), q, q);
}
/* sin(pi r) and friends: r pi in two parts. */
__SW_DEV__ double
__sw_times_pi(double r)
{
    return __sw_fma(r, 0x1.921fb54442d18p+1,
                    __dmul_rn(r, 0x1.1a62633145c07p-53));
}
__SW_DEV__ double
sinpi(double x)
{
    double k = __builtin_rint(__sw_scale(x, 1));
    double r = __sw_times_pi(__sw_fma(-k, 0.5, x));
    double y = __sw_sin_quadrant(r, (int)__double2ll_rz(k));
    return __builtin_trunc(x) == x ? __dmul_rn(x, 0.0) : y;
}
__SW_DEV__ double
cospi(double x)
{
    if ((unsigned)__double2hiint(x) << 1 >= 0x86800001u)
        x = __dmul_rn(x, 0.0);
    double k = __builtin_rint(__sw_scale(x, 1));
    double r = __sw_times_pi(__sw_fma(-k, 0.5, x));
    return __sw_sin_quadrant(r, (int)__double2ll_rz(k) + 1);
}
__SW_DEV__ void
sincospi(double x, double *sin_out, double *cos_out)
{
    *sin_out = sinpi(x);
    *cos_out = cospi(x);
}

__SW_DEV__ double
__sw_atan_poly(double t)
{
    double s = __dmul_rn(t, t);
    double c = __sw_poly(
        s, -0x1.53e1d2a25ff7ep-16, 0x1.d3b63dbb65b49p-13,
        -0x1.312788dde082ep-10, 0x1.f9690c8249315p-9, -0x1.2cf5aabc7cf0dp-7,
        0x1.162b0b2a3bfdep-6, -0x1.a7256feb6fc6bp-6, 0x1.171560ce4a489p-5,
        -0x1.4f44d841450e4p-5, 0x1.7ee3d3f36bb95p-5, -0x1.ad32ae04a9fd1p-5,
        0x1.e17813d66954fp-5, -0x1.11089ca9a5bcdp-4, 0x1.3b12b2db51738p-4,
        -0x1.745d022f8dc5cp-4, 0x1.c71c709dfe927p-4, -0x1.2492491fa1744p-3,
        0x1.99999999840d2p-3, -0x1.555555555544cp-2);
    return __sw_fma(__dmul_rn(s, c), t, t);
}
__SW_DEV__ double
atan(double x)
{
    double a = __builtin_fabs(x), t = a;
    if (a > 1.0) {
        t = __sw_rcp(a);
        if (a == __SW_INF)
            t = 0.0;
    }
    double y = __sw_atan_poly(t);
    return __builtin_copysign(a > 1.0 ? __dsub_rn(0x1.921fb54442d18p+0, y) : y,
                              x);
}
__SW_DEV__ double
atan2(double y, double x)
{
    double ax = __builtin_fabs(x), ay = __builtin_fabs(y);
    bool steep = ay > ax, left = __double2hiint(x) < 0;
    double big = steep ? ay : ax;
    double r;
    if (big == 0.0) {
        r = left ? 0x1.921fb54442d18p+1 : 0.0;
    } else {
        r = __sw_atan_poly(__ddiv_rn(steep ? ax : ay, big));
        if (steep)
            r = __dadd_rn(left ? r : -r, 0x1.921fb54442d18p+0);
        else if (left)
            r = __dsub_rn(0x1.921fb54442d18p+1, r);
        if (ax == ay)
            r = left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
    }
    double sum = __dadd_rn(ax, ay);
    return sum <= __SW_INF ? __builtin_copysign(r, y) : sum;
}
/* s * P(s), the odd part of asin(t) / t - 1 with s = t * t */
__SW_DEV__ double
__sw_asin_poly(double s)
{
    double c = __sw_poly(
        s, 0x1.0066bdc1895e9p-4, -0x1.3823b180754afp-4, 0x1.11e52cc2f79aep-4,
        -0x1.24eaf3526861bp-6, 0x1.1df02a31e6cb7p-6, 0x1.47d18b0eec6ccp-7,
        0x1.d0af961ba53b0p-7, 0x1.1bf7734cf1c48p-6, 0x1.6e91483144ef7p-6,
        0x1.f1c6e0a4f9f81p-6, 0x1.6db6dc27fa92bp-5, 0x1.333333320f91bp-4,
        0x1.5555555555f4dp-3);
    return __dmul_rn(s, c);
}
/* sqrt(x) from the approximate reciprocal root, x normal and positive */
__SW_DEV__ double
__sw_sqrt_plain(double x)
{
    double r = __sw_rsqrt_approx(x);
    double h = __sw_scale(r, -1);
    double s = __dmul_rn(x, r);
    s = __sw_fma(__sw_fma(s, -s, x), h, s);
    return __sw_fma(__sw_fma(s, -s, x), __sw_fma(__sw_fma(r, -s, 1.0), h, h),
                    s);
}
__SW_DEV__ double
asin(double x)
{
    if (__sw_high_abs(x) < 0x1.c4ccccp+0f)
        return __sw_fma(__sw_asin_poly(__dmul_rn(x, x)), x, x);
    double h = __sw_fma(-0.5, __builtin_fabs(x), 0.5);
    double s = h;
    if (h != 0.0)
        s = __double2hiint(h) < 0 ? __SW_NAN : __sw_sqrt_plain(h);
    double t = __dmul_rn(s, -2.0);
    double lo = __sw_fma(t, __sw_asin_poly(h), 0x1.1a62633145c07p-54);
    double y = __dadd_rn(__dadd_rn(__dadd_rn(t, 0x1.921fb54442d18p-1), lo),
                         0x1.921fb54442d18p-1);
    return __builtin_copysign(y, x);
}
__SW_DEV__ double
acos(double x)
{
    double a = __builtin_fabs(x);
    bool neg = __double2hiint(x) < 0;
    if (__double2hiint(a) < 0x3fe26666) {
        double y = __sw_fma(__sw_asin_poly(__dmul_rn(a, a)), a, a);
        return neg ? __dadd_rn(0x1.921fb54442d18p+0,
                               __dadd_rn(y, 0x1.1a62633145c07p-54))
                   : __dadd_rn(0x1.921fb54442d18p+0,
                               -__dadd_rn(y, -0x1.1a62633145c07p-54));
    }
    double d = __dsub_rn(1.0, a);
    double y;
    if (__double2hiint(d) < 1) {
        y = __dmul_rn(a, 0.0);
    } else {
        double c = __sw_poly(
            d, 0x1.715b371155f70p-19, -0x1.ac2fe66faac4bp-20,
            0x1.9a9b88efcd9b8p-18, 0x1.d0f40a8a0c4c3p-18, 0x1.46d4cfa9e0e1fp-16,
            0x1.79c168d1e2422p-15, 0x1.c9a88c3bca540p-14, 0x1.1c4e64bd476dfp-12,
            0x1.6e8ba60009c8fp-11, 0x1.f1c71c62b05a2p-10, 0x1.6db6db6dc9f2cp-8,
            0x1.333333333329cp-6, 0x1.5555555555555p-4);
        double s = __sw_scale(__sw_sqrt_plain(__sw_scale(d, -1)), 1);
        y = __sw_fma(__dmul_rn(d, c), s, s);
    }
    if (__double2hiint(d) < 0)
        y = __dmul_rn(y, __SW_INF);
    return neg ? __dadd_rn(0x1.921fb54442d18p+1,
                           -__dadd_rn(y, -0x1.1a62633145c07p-53))
               : y;
}

/* ---- hyperbolic functions ---- */
__SW_DEV__ double
sinh(double x)
{
    double a = __builtin_fabs(x), y;
    if ((unsigned)__double2hiint(a) < 0x3ff00000u) {
        double s = __dmul_rn(a, a);
        double c = __sw_poly(s, 0x1.b4c75ab274c53p-41, 0x1.611a561d87defp-33,
                             0x1.ae64671b18f5cp-26, 0x1.71de3a465b1e4p-19,
                             0x1.a01a01a02899dp-13, 0x1.11111111110a6p-7,
                             0x1.5555555555556p-3);
        y = __sw_fma(__dmul_rn(s, c), a, a);
    } else {
        double t = __sw_expm1_scaled(a, 1);
        y = __dadd_rn(t, __ddiv_rn(t, __sw_fma(2.0, t, 1.0)));
        if (a >= 0x1.633ce8fb9f87ep+9)
            y = __SW_INF;
    }
    return __builtin_copysign(y, x);
}
__SW_DEV__ double
cosh(double x)
{
    double a = __builtin_fabs(x), y;
    if ((unsigned)__double2hiint(a) < 0x408633cfu) {
        int n;
        double e = __sw_exp_poly(__sw_exp_reduce(a, &n));
        e = __sw_scale(e, n - 2);
        y = __sw_fma(__sw_rcp(e), 0.0625, e);
    } else {
        y = a <= __SW_INF ? __SW_INF : x;
    }
    return __dadd_rn(y, y);
}
/* exp(r) - 1 as r + r * (r * P(r)), for |r| <= ln(2) / 2 */
__SW_DEV__ double
__sw_expm1_tail(double r)
{
    double c = __sw_poly(r, 0x1.ae904a4741b81p-26, 0x1.28a27f89b6999p-22,
                         0x1.71de715ff7e07p-19, 0x1.a019a6b0ac45ap-16,
                         0x1.a01a017eed94fp-13, 0x1.6c16c17f2a71bp-10,
                         0x1.11111111173c4p-7, 0x1.555555555211ap-5,
                         0x1.5555555555540p-3, 0x1.0000000000005p-1);
    return __dmul_rn(r, c);
}
__SW_DEV__ double
tanh(double x)
{
    double a = __builtin_fabs(x);
    if (!(a >= 0x1.4f92224dd2f1ap-1)) {
        double s = __dmul_rn(x, x);
        double c = __sw_poly(s, -0x1.0bc46e2f5e964p-16, 0x1.4359f420afc3dp-14,
                             -0x1.df9f0728c5d84p-13, 0x1.337d1cec4f033p-11,
                             -0x1.7d6e9674335b3p-10, 0x1.d6d000d7aad3dp-9,
                             -0x1.226e1f3cf1ef5p-7, 0x1.664f47ec0c8cfp-6,
                             -0x1.ba1ba1b80ab40p-5, 0x1.111111110fa4ap-3,
                             -0x1.5555555555550p-2, 0.0);
        return __sw_fma(c, x, x);
    }
    double t = __dadd_rn(a, a);
    float k = __builtin_rintf(__fmul_rn(__double2float_rn(t), 0x1.715476p+0f));
    double r = __sw_fma(-(double)k, __SW_LN2_HI, t);
    double p = (double)__sw_ex2_ftzf(k);
    double e = __sw_fma(__sw_expm1_tail(r), r, r);
    double d = __dsub_rn(2.0, __sw_fma(-e, p, __dsub_rn(1.0, p)));
    double y = __sw_fma(2.0, -__sw_rcp(d), 1.0);
    if ((unsigned)__double2hiint(a) > 0x40330fc1u)
        y = 1.0;
    return __builtin_copysign(y, x);
}
__SW_DEV__ double
asinh(double x)
{
    double a = __builtin_fabs(x);
    bool big = (unsigned)__double2hiint(a) > 0x43dfffffu;
    double s = __sw_fma(x, x, 1.0);
    double r = __sw_rsqrt_refine(s, __sw_rsqrt_approx(s));
    double q = __sw_rcp(__sw_fma(s, r, 1.0));
    double y = log1p(big ? a : __sw_fma(a, __dmul_rn(a, q), a));
    return __builtin_copysign(big ? __dadd_rn(y, __SW_LN2_HI) : y, x);
}
__SW_DEV__ double
acosh(double x)
{
    double d = __dadd_rn(x, -1.0);
    unsigned h = (unsigned)__double2hiint(d);
    bool big = h > 0x432fffffu;
    double s = __sw_fma(x, x, -1.0);
    double root = h == 0 ? 0.0 : __sw_sqrt_plain(s);
    double y = log1p(__dadd_rn(d, big ? -0x1.0000000000001p+0 : root));
    return big ? __dadd_rn(y, __SW_LN2_HI) : y;
}
__SW_DEV__ double
atanh(double x)
{
    double a = __builtin_fabs(x);
    double t = __ddiv_rn(__dadd_rn(a, a), __dsub_rn(1.0, a));
    return __builtin_copysign(__dmul_rn(log1p(t), 0.5), x);
}

#endif
