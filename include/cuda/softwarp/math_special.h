/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_special.h - the functions few programs use: inverse error
 * functions and the gamma functions in double, Bessel functions, lengths of
 * vectors of any size. Float Bessel functions go through double.
 */
#ifndef SOFTWARP_MATH_SPECIAL_H
#define SOFTWARP_MATH_SPECIAL_H
#include "math_double_more.h"
#include "math_exact.h"
#pragma GCC system_header

/* ---- lengths ---- */
__SW_DEV_BIG__ double
__sw_norm_parts(int n, const double *p, double *scale)
{
    double big = 0.0, sum = 0.0;
    for (int i = 0; i < n; i++)
        big = __builtin_fmax(big, __builtin_fabs(p[i]));
    *scale = big;
    if (big == __SW_INF)
        return 1.0;
    double k = big == 0.0 ? 1.0 : __sw_scale_down(big);
    for (int i = 0; i < n; i++) {
        double v = __dmul_rn(p[i], k);
        sum = __sw_fma(v, v, sum);
    }
    *scale = k;
    return __dsqrt_rn(sum);
}
__SW_DEV_BIG__ double
norm(int n, const double *p)
{
    double k, r = __sw_norm_parts(n, p, &k);
    return k == __SW_INF ? k : __ddiv_rn(r, k);
}
__SW_DEV_BIG__ double
rnorm(int n, const double *p)
{
    double k, r = __sw_norm_parts(n, p, &k);
    return k == __SW_INF ? 0.0 : __ddiv_rn(k, r);
}
/* Squares of floats fit a double's exponent. */
__SW_DEV_BIG__ double
__sw_sum_of_squares(int n, const float *p, bool *infinite)
{
    double sum = 0.0;
    *infinite = false;
    for (int i = 0; i < n; i++) {
        double v = (double)p[i];
        *infinite = *infinite || __builtin_fabs(v) == __SW_INF;
        sum = __sw_fma(v, v, sum);
    }
    return sum;
}
__SW_DEV_BIG__ float
normf(int n, const float *p)
{
    bool infinite;
    double s = __sw_sum_of_squares(n, p, &infinite);
    return infinite ? __SW_INFF : __double2float_rn(__dsqrt_rn(s));
}
__SW_DEV_BIG__ float
rnormf(int n, const float *p)
{
    bool infinite;
    double s = __sw_sum_of_squares(n, p, &infinite);
    return infinite ? 0.0f : __double2float_rn(__ddiv_rn(1.0, __dsqrt_rn(s)));
}

/* ---- error functions and their inverses ---- */
__SW_DEV_BIG__ double
normcdf(double x)
{
    if (__builtin_fabs(x) > 38.5)
        x = __builtin_copysign(38.5, x);
    double hi = __dmul_rn(x, -0x1.6a09e667f3bcdp-1);
    double lo = __sw_fma(x, 0x1.bdd3413b26456p-55,
                         __sw_fma(x, -0x1.6a09e667f3bcdp-1, -hi));
    double t = __dadd_rn(hi, lo);
    double y = erfc(t);
    if ((unsigned)__double2hiint(x) >= 0xbff00001u)
        y = __sw_fma(__dmul_rn(__dmul_rn(t, -2.0), y),
                     __dadd_rn(__dsub_rn(hi, t), lo), y);
    return y * 0.5;
}
/* log(x) of a normal x, good enough for what follows. */
__SW_DEV__ double
__sw_log_short(double x)
{
    unsigned h = (unsigned)__double2hiint(x);
    double m = __hiloint2double((int)((h & 0x801fffffu) | 0x3fe00000u),
                                __double2loint(x));
    /* the exponent rounded down to even; m in [1/2, 2) */
    double k = (double)(int)(((h >> 20) & 2046) - 1022);
    double d = __dadd_rn(m, -1.0);
    double r = __sw_rcp(__dadd_rn(m, 1.0));
    double q = __dmul_rn(d, r);
    q = __sw_fma(__sw_fma(-q, d, __sw_fma(-2.0, q, d)), r, q);
    double s = __dmul_rn(q, q);
    double c = __sw_poly(s, 0x1.5c5c218c775c9p-4, 0x1.55cf59cdc5d89p-5,
                         0x1.efd18cf6ebb9cp-5, 0x1.10682edcb8d1bp-4,
                         0x1.3b1dd3ac7fc96p-4, 0x1.745cb459b54a6p-4,
                         0x1.c71c741a0669fp-4, 0x1.249249209112ep-3,
                         0x1.99999999a06c1p-3, 0x1.5555555555535p-2);
    double y = __sw_fma(__dmul_rn(s, c), q, q);
    return __sw_fma(k, __SW_LN2_HI, __dadd_rn(y, y));
}
/* erfinv(x) / x, from l = log(1 - x * x) > -6.25 */
__SW_DEV__ double
__sw_erfinv_centre(double l)
{
    double t = __dsub_rn(-3.125, l);
    return __sw_poly(
        t, -0x1.135d2e746e627p-68, -0x1.8ddf93324d327p-63,
        0x1.7b83eef0b7c9fp-60, 0x1.9ba72cd589b91p-57, -0x1.33689090a6b96p-53,
        0x1.82e11898132ep-56, 0x1.de4acfd9e26bap-48, -0x1.6d33eed66c487p-45,
        -0x1.6f2167040d8e2p-44, 0x1.72a22c2d77e2p-39, -0x1.c8859c4e5c0afp-37,
        -0x1.dc583d118a561p-35, 0x1.20f47ccf46b3cp-30, -0x1.1a9e38dc84d6p-28,
        -0x1.f36cd6d3d46a9p-26, 0x1.c6b4f5d03b787p-22, -0x1.6e8a5434ae8a2p-20,
        -0x1.d1d1f7b8736f6p-17, 0x1.879c2a212f024p-13, -0x1.845769484fca8p-11,
        -0x1.8b6c33114f909p-8, 0x1.ebd80d9b13e28p-3, 0x1.a755e7c99ae86p+0);
}
__SW_DEV_BIG__ double
erfinv(double x)
{
    double a = __builtin_fabs(x), c;
    if (!(__sw_high_abs(x) < 1.875f)) {
        c = a != a ? x : a == 1.0 ? __SW_INF : __SW_NAN;
        return __dmul_rn(x, c);
    }
    double l = __sw_log_short(__sw_fma(x, -x, 1.0));
    if ((unsigned)__double2hiint(l) < 0xc0190000u) {
        c = __sw_erfinv_centre(l);
    } else {
        double s = __dsqrt_rn(-l);
        if (__double2hiint(s) < 0x40100000) {
            double t = __dadd_rn(s, -3.25);
            c = __sw_poly(t, 0x1.3040f87dbd932p-29, 0x1.85cbe52878635p-24,
                          -0x1.2777453dd3955p-22, 0x1.395abcd554c6cp-26,
                          0x1.936388a3790adp-20, -0x1.0d5db812b5083p-18,
                          0x1.8860cd5d652f6p-19, 0x1.a29a0cacdfb23p-17,
                          -0x1.8cef1f80281f2p-15, 0x1.1e684d0b9188ap-14,
                          0x1.932cd54c8a222p-16, -0x1.7448a89ef8aa3p-12,
                          0x1.f3cc55ad40c25p-11, -0x1.ba924132f38b1p-10,
                          0x1.468eeca533cf8p-9, -0x1.ebadabb891bbdp-9,
                          0x1.5ffcfe5b76afcp-8, 0x1.0158a6d641d39p+0,
                          0x1.8abcc380d5a48p+1);
        } else {
            double t = __dadd_rn(s, -5.0);
            c = __sw_poly(t, -0x1.dcec3a7785389p-36, -0x1.18feec0e38727p-32,
                          0x1.9e6bf2dda45e3p-30, -0x1.0468fb24e2f5fp-28,
                          0x1.05ac6a8fba182p-27, -0x1.0102e495fb9cp-26,
                          0x1.f4c20e1334af8p-26, -0x1.22d220fdf9c3ep-24,
                          0x1.ebc8bb824cb54p-23, -0x1.0a8d40ea372ccp-20,
                          0x1.2fbd29d093d2bp-18, -0x1.4a3497e1e0facp-16,
                          0x1.3ebf4eb00938fp-14, -0x1.c2f36a8fc5d53p-13,
                          -0x1.22ea5df04047cp-13, 0x1.02a30d1fba0dcp+0,
                          0x1.3664ddd1ad7fbp+2);
        }
    }
    return __dmul_rn(x, c);
}
__SW_DEV_BIG__ double
erfcinv(double x)
{
    double other = __dadd_rn(2.0, -x);
    if (x >= 0x1.fa4d2ad8f904dp-11 && x <= 0x1.ffc0b65aa4e0ep+0) {
        double c = __sw_erfinv_centre(__sw_log_short(__dmul_rn(other, x)));
        return __sw_fma(c, -x, c);
    }
    bool right = __double2hiint(x) > 0x3fefffff;
    double v = right ? other : x, y;
    if (__int_as_float(__double2hiint(v)) >= 0x1.57fe5ep-41f) {
        double t = -__sw_log_short(v);
        double r = __sw_rsqrt_refine(t, __sw_rsqrt_approx(t));
        double n = __sw_poly(r, 0x1.be9222591afabp-1, 0x1.0a0e7333839aap+1,
                             0x1.8768cf7e57d5cp+1, 0x1.b77e7e28da583p+1,
                             0x1.34f26a4f99cf9p+0, 0x1.1f674adb019edp-3,
                             0x1.5ddae9506431dp-8, 0x1.ada49aa32489cp-15);
        double d = __sw_poly(
            r, __dadd_rn(r, 0x1.1e90ff51c2197p+1), 0x1.11ea3a7cf382p+2,
            0x1.1a0e4a4749594p+2, 0x1.d4e977d38c14dp+1, 0x1.37fd567ec0d5fp+0,
            0x1.1fb9d7f676033p-3, 0x1.5ddcdf98946e4p-8, 0x1.ada42d79d8dbbp-15);
        y = __ddiv_rn(n, __dmul_rn(r, d));
    } else {
        double r = rsqrt(-log(v));
        double n = __sw_poly(r, 0x1.8e2101c71b0bfp-1, 0x1.a2013964e259cp+0,
                             0x1.abfe90921be68p-2, 0x1.7e41314de00d4p-6,
                             0x1.11bd487102e94p-12);
        double d = __sw_poly(r, __dadd_rn(r, 0x1.59895c30baa54p+0),
                             0x1.ae8e5956a143fp+0, 0x1.acce85ff7383dp-2,
                             0x1.7e43b6cac34fep-6, 0x1.11bd08289eb12p-12);
        y = __ddiv_rn(n, __dmul_rn(r, d));
    }
    return right ? -y : y;
}
__SW_DEV__ double
normcdfinv(double x)
{
    double y = erfcinv(__dadd_rn(x, x));
    return __dadd_rn(__sw_fma(-0x1.6a09e667f3bccp+0, y,
                              __dmul_rn(y, -0x1.21165f626cdd5p-53)),
                     0.0);
}

/* ---- gamma ---- */
__SW_DEV_BIG__ double
__sw_lgamma_pos(double a)
{
    int h = __double2hiint(a);
    if (h > 0x401fffff) {
        double l = log(a);
        double r = __sw_rcp(a);
        double s = __dmul_rn(r, r);
        double c = __sw_poly(s, -0x1.ac321034783f9p-10, 0x1.b68b992738fbfp-11,
                             -0x1.380d01e4f7b8cp-11, 0x1.a019fa29f7264p-11,
                             -0x1.6c16c16b2acecp-9, 0x1.5555555555545p-4);
        c = __sw_fma(c, r, 0x1.d67f1c864beaep-1);
        l = __sw_scale(l, -1);
        double e = __dadd_rn(a, -0.5);
        double y = __dadd_rn(__sw_fma(l, e, c), __sw_fma(l, e, -a));
        return a == __SW_INF ? a : y;
    }
    if (h > 0x4007ffff) {
        double t = __dadd_rn(a, -3.0);
        double n = __sw_poly(t, -0x1.f7040bb18fb05p+11, -0x1.22b7730207ef3p+18,
                             -0x1.85a0db81de7dp+22, -0x1.a992b8ba94677p+25,
                             -0x1.ac5cb6957cc2p+27, -0x1.c0e2b308774bep+28,
                             -0x1.6ba13dcae7f67p+29, -0x1.cf33b9c3d120cp+29);
        double d = __sw_poly(t, __dadd_rn(t, -0x1.ff62e0be189fep+9),
                             -0x1.074face10c93fp+17, -0x1.1b662f8d75791p+22,
                             -0x1.ee64ab4d207f7p+25, -0x1.9051687c9951ap+28,
                             -0x1.2b866bf0b853dp+30, -0x1.4e2130e9dc133p+30);
        return __dadd_rn(t, __ddiv_rn(n, d));
    }
    if (h > 0x3ff7ffff) {
        double t = __dadd_rn(a, -2.0);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.52636124338b3p-27, -0x1.1fa71d78c0ee2p-24,
                         0x1.d111f31e61306p-23, -0x1.0502bbe1b2706p-21,
                         0x1.06850b2970292p-20, -0x1.108474875033dp-19,
                         0x1.24accc62909dcp-18, -0x1.3cb25209e63bep-17,
                         0x1.581cbbc8cdc7bp-16, -0x1.78e04b85c7597p-15,
                         0x1.a12730cf45051p-14, -0x1.d3fd354062012p-13,
                         0x1.0b36b0b4de323p-11, -0x1.38ac5c6d0317ap-10,
                         0x1.7add6eaab19fcp-9, -0x1.e404fc20e4d5bp-8,
                         0x1.51322ac7da39p-6, -0x1.13e001a5578a3p-4,
                         0x1.4a34cc4a60fa3p-2, 0x1.b0ee6072093cfp-2));
    }
    if (h > 0x3fe66665) {
        double t = __dsub_rn(1.0, a);
        return __dmul_rn(t,
                         __sw_poly(t, 0x1.81f6d2a4c431p-7, 0x1.3eb504359eb88p-5,
                                   0x1.e35d8deb06317p-5, 0x1.ed469a8b6eccep-5,
                                   0x1.cc1b1c357befep-5, 0x1.d7154db67f79fp-5,
                                   0x1.fcc622cf2f7bbp-5, 0x1.11747a4d1cc43p-4,
                                   0x1.24ce16a21b8acp-4, 0x1.3b1c21a7bcbp-4,
                                   0x1.556723452ed57p-4, 0x1.748c00891544fp-4,
                                   0x1.9a0207808cf4p-4, 0x1.c80673b8ae26bp-4,
                                   0x1.010b364b7e555p-3, 0x1.2703a1d239658p-3,
                                   0x1.5b40cb1137e6ep-3, 0x1.a8b9c17ac4f03p-3,
                                   0x1.151322ac7cb52p-2, 0x1.9a4d55beab1d4p-2,
                                   0x1.a51a6625307d6p-1, 0x1.2788cfc6fb619p-1));
    }
    double c = __sw_poly(
        a, -0x1.844988bfe659p-24, 0x1.7b77ceb0625e8p-21, -0x1.98c69c8710cc4p-22,
        -0x1.6527a5a11cf6ep-16, 0x1.0ec2950b1b5dep-13, -0x1.c4d80c24ba278p-13,
        -0x1.315b4e8cc0d09p-10, 0x1.d917f15d5002p-8, -0x1.3b4abb41cb6fap-7,
        -0x1.59af1275b712p-5, 0x1.5512321a168ap-3, -0x1.5815e8fdce74cp-5,
        -0x1.4fcf4026add1ap-1, 0x1.2788cfc6fb5c8p-1);
    return -log(__sw_fma(__dmul_rn(c, a), a, a));
}
/* The derivative of log(gamma) at 12, 13, ..., 24. */
static __attribute__((device)) const double __sw_digamma_12[13] = {
    0x1.38a9234f5821cp+1, 0x1.4353cdfa02cc7p+1, 0x1.4d2c6b83db6a0p+1,
    0x1.5650fdccfffc4p+1, 0x1.5ed986558884dp+1, 0x1.66d986558884dp+1,
    0x1.6e610ddd100c5p+1, 0x1.757d7fa42c7e2p+1, 0x1.7c3a215354e9ep+1,
    0x1.82a087b9bb505p+1, 0x1.88b8e93fd3b1dp+1, 0x1.8e8a5d9ceaf7ap+1,
    0x1.941b0fb32dc00p+1};
/* lgamma(d - n), n in [11, 23], d small: where the two terms of the reflection
 * nearly cancel, by the Taylor series of -log(gamma(n + 1 - d)) and of
 * log(pi / sin(pi d)). */
__SW_DEV_BIG__ double
__sw_lgamma_at_pole(double d, int n)
{
    double factorial = 1.0;
    for (int k = 2; k <= n; k++)
        factorial *= (double)k;
    double a = __builtin_fabs(d);
    double t = __dmul_rn(a, factorial), tl = __sw_fma(a, factorial, -t);
    double r = __drcp_rn((double)(n + 1));
    /* the second and the third derivative of log(gamma) at n + 1 */
    double second = __dmul_rn(
        r, __sw_poly(r, 0x1.8618618618618p-6, 0.0, -0x1.1111111111111p-5, 0.0,
                     0x1.5555555555555p-3, 0.5, 1.0));
    double third = -__dmul_rn(__dmul_rn(r, r), __sw_poly(r, 0.5, 1.0, 1.0));
    double c = __sw_poly(d, 0x1.151322ac7d848p-1,
                         __dmul_rn(third, 0x1.5555555555555p-3),
                         __sw_fma(second, -0.5, 0x1.a51a6625307d3p+0),
                         __sw_digamma_12[n - 11]);
    return __sw_fma(c, d, -__dadd_rn(log(t), __ddiv_rn(tl, t)));
}
__SW_DEV_BIG__ double
lgamma(double x)
{
    double a = __builtin_fabs(x);
    if (!(a <= __SW_INF))
        return __dadd_rn(x, x);
    double y = __sw_lgamma_pos(a);
    if (__double2hiint(x) >= 0)
        return y;
    if (a == __builtin_trunc(a))
        return __SW_INF;
    if (__double2hiint(a) < 0x3c000000)
        return -log(a);
    double n = __builtin_rint(a), d = __dsub_rn(n, a);
    if (n >= 11.0 && n <= 23.0 && __builtin_fabs(d) < 0x1p-10)
        return __sw_lgamma_at_pole(d, (int)n);
    double s = __builtin_fabs(sinpi(a));
    return __dsub_rn(log(__ddiv_rn(0x1.921fb54442d18p+1, __dmul_rn(a, s))), y);
}
/* Stirling's series in r = 1 / a, times r. */
__SW_DEV__ double
__sw_stirling(double a)
{
    double r = __sw_rcp(a);
    double c = __sw_poly(
        r, -0x1.4bee47c38a637p-9, 0x1.3c25da81303d5p-8, -0x1.b7c37a96cfc72p-9,
        0x1.5a85abde1e324p-12, 0x1.a8b28f07b3f05p-11, -0x1.a15d1d45a282fp-15,
        -0x1.367d3468cb5bep-11, 0x1.2471b0e9f1005p-14, 0x1.9b1004744d5c4p-11,
        -0x1.e13ce69ab4b7fp-13, -0x1.5f7268ecf8a01p-9, 0x1.c71c71c71acep-9,
        0x1.5555555555556p-4);
    return __dmul_rn(r, c);
}
/* a >= 4: a**(a - 1/2) * exp(-a) * sqrt(2 pi) * (1 + series) */
__SW_DEV_BIG__ double
__sw_gamma_stirling(double a)
{
    double ll, l = __sw_log_pair(a, &ll);
    double e = __dadd_rn(a, -0.5);
    double p = __dmul_rn(l, e);
    double pl = __sw_fma(ll, e, __sw_fma(l, e, -p));
    double s = __dadd_rn(p, pl);
    double d = __dsub_rn(s, a);
    double lo = __dadd_rn(__dadd_rn(pl, __dsub_rn(p, s)),
                          __dsub_rn(__dsub_rn(s, d), a));
    double f = __dadd_rn(d, lo);
    double fl = __dadd_rn(lo, __dsub_rn(d, f));
    double g = exp(f);
    g = __sw_fma(fl, g, g);
    g = __sw_fma(g, 0x1.40d931ff62706p+1, __dmul_rn(g, -0x1.a6a0d6f814637p-53));
    if (a >= 0x1.573fae561f648p+7)
        return __SW_INF;
    return __sw_fma(__sw_stirling(a), g, g);
}
/* 1 / gamma(1 + t) for t around 0 */
__SW_DEV__ double
__sw_gamma_inverse(double t)
{
    return __sw_poly(
        t, 0x1.81b4960fcf5c9p-28, -0x1.af7049ae8a594p-23, 0x1.301d46d4b22f5p-20,
        -0x1.50272aeed0fc4p-20, -0x1.51ce1a40516f8p-16, 0x1.0c8aa7419084cp-13,
        -0x1.c3650196bad8ap-13, -0x1.31711365a3e26p-10, 0x1.d919c52a7df35p-8,
        -0x1.3b4af28386f4dp-7, -0x1.59af103c37b4dp-5, 0x1.5512320b439efp-3,
        -0x1.5815e8fa26f4fp-5, -0x1.4fcf4026afa2bp-1, 0x1.2788cfc6fb619p-1,
        1.0);
}
/* x <= -4, no integer: by reflection, with the powers in two steps where one
 * would leave the range. */
__SW_DEV_BIG__ double
__sw_gamma_reflected(double x)
{
    if (x <= -185.0) {
        double f = __builtin_floor(x);
        double h = __builtin_floor(__dmul_rn(f, 0.5));
        return __dsub_rn(f, __dadd_rn(h, h)) == 1.0 ? -0.0 : 0.0;
    }
    double k = __builtin_rint(__sw_scale(x, 1));
    double s = __sw_sin_quadrant(__sw_times_pi(__sw_fma(-k, 0.5, x)),
                                 (int)__double2ll_rz(k));
    double a = __builtin_fabs(x);
    int n;
    double e = __sw_exp_poly(__sw_exp_reduce(a, &n));
    if (n < 1023) {
        e = __dmul_rn(e, __sw_pow2(n));
    } else {
        unsigned all = (unsigned)(n + 2046) << 20;
        unsigned half = (all >> 1) & 0xfff00000u;
        e = __dmul_rn(e, __hiloint2double((int)half, 0));
        e = __dmul_rn(e, __hiloint2double((int)(all - half), 0));
    }
    double num =
        __sw_fma(e, 0x1.40d931ff62706p+0, __dmul_rn(e, -0x1.a6a0d6f814637p-54));
    double q = __ddiv_rn(num, __dmul_rn(a, __sw_fma(__sw_stirling(a), s, s)));
    double b = __dadd_rn(a, -0.5);
    if (x > -143.125)
        return __dmul_rn(__sw_pow_abs(a, -b), q);
    double p = __sw_pow_abs(a, -__sw_scale(b, -1));
    return __dmul_rn(p, __dmul_rn(q, p));
}
__SW_DEV_BIG__ double
tgamma(double x)
{
    if (x >= 4.0)
        return __sw_gamma_stirling(x);
    if (x >= 0.0) {
        /* gamma(x) = (x - 1) (x - 2) ... gamma(t + 1), |t| <= 1/2 */
        double p = 1.0, t = x;
        if (x >= 3.5) {
            p = __dadd_rn(x, -1.0);
            t = __dadd_rn(x, -1.0);
        }
        if (x >= 2.5) {
            p = __sw_fma(t, p, -p);
            t = __dadd_rn(t, -1.0);
        }
        if (x >= 1.5) {
            p = __sw_fma(t, p, -p);
            t = __dadd_rn(t, -1.0);
        }
        if (x >= 0.5)
            return __ddiv_rn(p, __sw_gamma_inverse(__dadd_rn(t, -1.0)));
        return __ddiv_rn(p, __dmul_rn(x, __sw_gamma_inverse(t)));
    }
    if (!(x < 0.0))
        return __dadd_rn(x, x);
    if (__builtin_trunc(x) == x)
        return __SW_NAN;
    if (x <= -4.0)
        return __sw_gamma_reflected(x);
    double t = x, q = x;
    if (x <= -3.5) {
        t = __dadd_rn(x, 1.0);
        q = __sw_fma(x, x, x);
    }
    if (x <= -2.5) {
        q = __sw_fma(t, q, q);
        t = __dadd_rn(t, 1.0);
    }
    if (x <= -1.5) {
        q = __sw_fma(t, q, q);
        t = __dadd_rn(t, 1.0);
    }
    if (x <= -0.5) {
        q = __sw_fma(t, q, q);
        t = __dadd_rn(t, 1.0);
    }
    return __drcp_rn(__dmul_rn(q, __sw_gamma_inverse(t)));
}

/* ---- Bessel functions: about each of the first zeros z + zl a polynomial,
 * then amplitude and phase ---- */
__SW_DEV__ double
__sw_bessel_from(double a, double z, double zl)
{
    return __dadd_rn(__dadd_rn(a, -z), zl);
}
__SW_DEV_BIG__ double
__sw_bessel_far(double a, double phase, double amplitude, double shift)
{
    int n;
    double r = __sw_reduce(phase, &n);
    double t =
        __sw_fma((double)(n & 3), 0x1.921fb54442d18p+0, __dadd_rn(r, -shift));
    double k = __dmul_rn(rsqrt(a), 0x1.9884533d43651p-1);
    return __dmul_rn(__dmul_rn(amplitude, k), cos(t));
}
__SW_DEV_BIG__ double
j0(double x)
{
    double a = __builtin_fabs(x), t;
    if (a <= 0x1.fb319f277bbe5p+1) {
        t = __sw_bessel_from(a, 0x1.33d152e971b40p+1, 0x1.0f539d7da258ep-53);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.0d18564c48c61p-51, -0x1.cf8f9a8c294bcp-48,
                         0x1.fab983cae498bp-44, 0x1.cd7c018579b88p-40,
                         -0x1.bdd2342d64fddp-36, -0x1.5c2d9416b1e2bp-32,
                         0x1.2951d73174dd5p-28, 0x1.7ff99802caeb5p-25,
                         -0x1.1cce305c4c9f7p-21, -0x1.232c77e29e1bbp-18,
                         0x1.6ed3b9f0ef757p-15, 0x1.15382ba096a62p-12,
                         -0x1.1f992590d1ae4p-9, -0x1.1bb1cbe1a465fp-7,
                         0x1.cfae864368d84p-5, 0x1.ba1deea0294a3p-4,
                         -0x1.09cdb3655128p-1));
    }
    if (a <= 0x1.c58fd1a62f5ecp+2) {
        t = __sw_bessel_from(a, 0x1.6148f5b2c2e45p+2, -0x1.75054cd60a517p-54);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.cb0a8f126b343p-52, 0x1.83fd1f333eb61p-48,
                         -0x1.100e33e3fb413p-43, -0x1.846076d004627p-40,
                         0x1.e2f1d4f90720dp-36, 0x1.1d03b1e4a119bp-32,
                         -0x1.41d72b1b3bce9p-28, -0x1.2da37ce2a9ef8p-25,
                         0x1.32e6d9974f763p-21, 0x1.ad77d744a1879p-19,
                         -0x1.863f481a37337p-15, -0x1.6f641f418f0f4p-13,
                         0x1.27e31fe9a969ep-9, 0x1.2f7ffe9025628p-8,
                         -0x1.b2150cb41e8bfp-5, -0x1.f8f72e7a848dep-6,
                         0x1.5c6e60a097823p-2));
    }
    if (a <= 0x1.471fcb6a7a8c0p+3) {
        t = __sw_bessel_from(a, 0x1.14eb56cccdecap+3, 0x1.51970714c7c25p-52);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.db7ffcf659e24p-52, -0x1.4b3a71aaac629p-48,
                         0x1.17ec150ecdce7p-43, 0x1.438f5ea1d10b2p-40,
                         -0x1.edae7ec2c9e87p-36, -0x1.cadd2c4b91f58p-33,
                         0x1.4582c8ee12204p-28, 0x1.ceda451dd20f8p-26,
                         -0x1.30e8cc3165e2fp-21, -0x1.3324842bb1a2ep-19,
                         0x1.7800bc54fbddbp-15, 0x1.d79605276949ap-14,
                         -0x1.0e0d60385a629p-9, -0x1.48e63600d82f3p-9,
                         0x1.68b984ec6493ap-5, 0x1.00f7fcf183e0bp-6,
                         -0x1.15f7977a772d4p-2));
    }
    if (a == __SW_INF)
        return 0.0;
    double r = __sw_rcp(a), s = __dmul_rn(r, r);
    double phase =
        __sw_fma(__sw_poly(s, -0x1.602fe1c34685ep+21, 0x1.ecd4523b12b84p+17,
                           -0x1.7a2fc1972f05ap+13, 0x1.eba131f7e5bebp+8,
                           -0x1.73b92e6e7cc7dp+4, 0x1.a31bee63a2f08p+0,
                           -0x1.ad320104d5d05p-3, 0x1.0aaaa9c76d07ep-4,
                           -0x1.ffffffffdacecp-4),
                 r, a);
    double amplitude = __sw_poly(
        s, -0x1.115cb8c11a9dcp+14, 0x1.927467a655012p+10, -0x1.751787e247bd4p+6,
        0x1.704c4e5fc36b2p+2, -0x1.15b747a2fd531p-1, 0x1.a7feacf6cb79bp-4,
        -0x1.fffffeddcf548p-5, 0x1.fffffffffc9e5p-1);
    return __sw_bessel_far(a, phase, amplitude, 0x1.921fb54442d18p-1);
}
__SW_DEV_BIG__ double
__sw_j1_abs(double a)
{
    double t;
    if (a <= 0x1.353aabad7b784p+1)
        return __dmul_rn(
            a, __sw_poly(a, 0x1.20e4adcde2ad3p-47, -0x1.dd167a0dc3f55p-43,
                         0x1.503f5a491e487p-42, 0x1.1f29940c2403ap-35,
                         0x1.4cf9302eacdefp-39, -0x1.84a53dbbca436p-28,
                         0x1.779bee4f63bccp-38, 0x1.6c160e414f3fp-21,
                         0x1.f3d2f12430699p-39, -0x1.c71c72c0ced04p-15,
                         0x1.59bca506f1128p-41, 0x1.5555555506982p-9,
                         0x1.5ba0b425f1bfbp-46, -0x1.0000000000065p-4,
                         0x1.729a7253fb679p-55, 0x1p-1));
    if (a <= 0x1.5b1d0574614eap+2) {
        t = __sw_bessel_from(a, 0x1.ea75575af6f09p+1, 0x1.60155a9d1b256p-53);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.8d3cdbb60175ep-48, 0x1.1011a1df02dadp-43,
                         0x1.6013ac1e5e222p-40, -0x1.ec315d96d5f03p-36,
                         -0x1.03be1b4b57207p-32, 0x1.45695f8b660f7p-28,
                         0x1.17069fcfcfff4p-25, -0x1.33825c36745ebp-21,
                         -0x1.9799d4f90931bp-19, 0x1.83a06e2f7df13p-15,
                         0x1.6e4c2d53a7cf6p-13, -0x1.24b3409957b1cp-9,
                         -0x1.537544c3325dfp-8, 0x1.b589d1da138e2p-5,
                         0x1.ae8a39f51ad13p-5, -0x1.9c6cf582cbf7fp-2));
    }
    if (a <= 0x1.13065e54c1aa9p+3) {
        t = __sw_bessel_from(a, 0x1.c0ff5f3b47250p+2, 0x1.b226d9d243827p-54);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.3eb867515fad6p-48, -0x1.0e8363db649a9p-43,
                         -0x1.3b7dd4a6608fbp-40, 0x1.ec5e01482c75p-36,
                         0x1.c62bb9e882103p-33, -0x1.4462eed732a23p-28,
                         -0x1.d48dcad7dc59bp-26, 0x1.3026df29167e9p-21,
                         0x1.4255b0119666cp-19, -0x1.796a751b32693p-15,
                         -0x1.07358bbdba284p-13, 0x1.13fbc7d6927b1p-9,
                         0x1.9a4b292e3dd75p-9, -0x1.80c83bdeee4fbp-5,
                         -0x1.5e70dc60362bfp-6, 0x1.33518b3874e8ap-2));
    }
    if (a == __SW_INF)
        return 0.0;
    double r = __sw_rcp(a), s = __dmul_rn(r, r);
    double phase =
        __sw_fma(__sw_poly(s, -0x1.da26b212fdc9ap+25, 0x1.a30ac6857beep+22,
                           -0x1.764222ad7c91p+18, 0x1.eb02e0c306857p+13,
                           -0x1.351859fa2b23bp+9, 0x1.e65a07af51f42p+4,
                           -0x1.2f2b817f77a57p+1, 0x1.7bcc34da069fdp-2,
                           -0x1.4fffff8a44463p-3, 0x1.7ffffffff5cd7p-2),
                 r, a);
    double amplitude = __sw_poly(
        s, 0x1.d02ea3f2f6751p+13, -0x1.9c06322a3f8bep+10, 0x1.b89354da77324p+6,
        -0x1.e352294653188p+2, 0x1.9bc7db16bd7a7p-1, -0x1.8bfe1c3a4f741p-3,
        0x1.7fffff0d00be2p-3, 0x1.00000000068ccp+0);
    return __sw_bessel_far(a, phase, amplitude, 0x1.2d97c7f3321d2p+1);
}
__SW_DEV__ double
j1(double x)
{
    double a = __builtin_fabs(x);
    if (a < 0x1.4484bfeebc2a0p-100)
        return __dmul_rn(x, 0.5);
    double y = __sw_j1_abs(a);
    return x < 0.0 ? -y : y;
}
__SW_DEV_BIG__ double
y0(double x)
{
    double a = __builtin_fabs(x), t;
    if (x < 0.0)
        return __SW_NAN;
    if (a <= 0x1.97f4a8f9d3f28p-1) {
        double s = __dmul_rn(a, a);
        double c = __sw_poly(s, 0x1.efbd0a1b77c65p-55, -0x1.3098c51c18514p-46,
                             0x1.23102d2f5f2f5p-38, -0x1.a5f2dee7d526ep-31,
                             0x1.bb77e758b38afp-24, -0x1.3d1a206ec4f36p-17,
                             0x1.183dcd3ed6294p-11, -0x1.03921cf04f123p-6,
                             0x1.5db69d7753176p-3);
        t = __sw_bessel_from(s, 0x1.ba96740000000p-2, 0x1.5a30c80000000p-30);
        return __sw_fma(__dmul_rn(log(a), 0x1.45f306dc9c883p-1), j0(a),
                        __dmul_rn(t, c));
    }
    if (a <= 0x1.0347c4ab37b18p+1) {
        t = __sw_bessel_from(a, 0x1.c982eb8d417eap-1, -0x1.ea9d270347f83p-56);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.1630132d75fc3p-15, 0x1.d054b05d3c52dp-12,
                         -0x1.6dac0b314b2e5p-9, 0x1.6a5d1de76263fp-7,
                         -0x1.fd16652824592p-6, 0x1.0f69a9cc79fbdp-4,
                         -0x1.cce40ef15583ep-4, 0x1.446b11780e4fcp-3,
                         -0x1.89ae7e19621f7p-3, 0x1.acba1b38ef7b8p-3,
                         -0x1.b4166a03bbfa5p-3, 0x1.acca4d5d4889ap-3,
                         -0x1.a1455932b9392p-3, 0x1.96d8db8d844ecp-3,
                         -0x1.8f7fb77522edfp-3, 0x1.8c0926abc9abp-3,
                         -0x1.8d35b8fea468cp-3, 0x1.9424b8a0c8f94p-3,
                         -0x1.a396a7f3403efp-3, 0x1.c068086c37055p-3,
                         -0x1.cf18e6a4c5c4ep-3, 0x1.c3b1338af4239p-3,
                         -0x1.f7e38a46d70dbp-2, 0x1.c24371844b88ap-1));
    }
    if (a <= 0x1.61663b5d9a628p+2) {
        t = __sw_bessel_from(a, 0x1.fa9534d98569cp+1, 0x1.f06ae7804384ep-54);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.aea62ac8bda68p-50, -0x1.2434958151ac7p-50,
                         0x1.1c24a40d33fe1p-46, 0x1.37cd62fa08ca4p-45,
                         -0x1.3902e0298c52ap-43, -0x1.ddaad11cab40fp-46,
                         -0x1.209d9f06d7de4p-42, 0x1.bb9f464468e1ap-39,
                         -0x1.8f67b07d1b44p-37, 0x1.7c8d60f9eaecfp-35,
                         -0x1.9703405b49a8dp-33, 0x1.a6b64e76417e4p-31,
                         -0x1.f6b5afb2f1359p-29, 0x1.4526b71c21ec1p-26,
                         -0x1.776dbcbbc8e1dp-26, -0x1.3b211fc2df90ep-22,
                         -0x1.486372e8562dcp-18, 0x1.ab2c1fbc3a254p-15,
                         0x1.99827653353b8p-13, -0x1.1e32bc4ed7084p-9,
                         -0x1.c116fdc599a09p-8, 0x1.df6d59bf50c77p-5,
                         0x1.a09c92903680bp-5, -0x1.9c34256a12a0bp-2));
    }
    if (a <= 0x1.14ef30c0c06edp+3) {
        t = __sw_bessel_from(a, 0x1.c581dc4e72103p+2, 0x1.9774a495f56cfp-54);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.1cb3aba718b8ep-48, -0x1.f443bb4f53d75p-44,
                         -0x1.70f737bd6a786p-40, 0x1.f0e9a20459e14p-36,
                         0x1.fa6b137d5e108p-33, -0x1.44296729fb7fap-28,
                         -0x1.0a2813a80dfaap-25, 0x1.34aa737a83eb4p-21,
                         0x1.6a9227332d03cp-19, -0x1.8177e4f93c81ep-15,
                         -0x1.26dd71e391775p-13, 0x1.1d35e85fd7b22p-9,
                         0x1.b2f14a955285cp-9, -0x1.8969c64cbf388p-5,
                         -0x1.5aef611fc4d5ap-6, 0x1.334cca0697a5ap-2));
    }
    if (a == __SW_INF)
        return 0.0;
    double r = __sw_rcp(a), s = __dmul_rn(r, r);
    double phase =
        __sw_fma(__sw_poly(s, 0x1.a86a64be101dcp+25, -0x1.709c79aac5813p+22,
                           0x1.42a31c980a287p+18, -0x1.9cbe68930485dp+13,
                           0x1.f583e14e8a4e8p+8, -0x1.74a629c65068p+4,
                           0x1.a32a7af17fae9p+0, -0x1.ad32497785cd6p-3,
                           0x1.0aaaa9fb75f7bp-4, -0x1.ffffffffe320fp-4),
                 r, a);
    double amplitude = __sw_poly(
        s, -0x1.5e91e6ac3ad03p+13, 0x1.3f56a049cdde7p+10, -0x1.572d39dfb8433p+6,
        0x1.6a6041caa59e5p+2, -0x1.155e3a049388p-1, 0x1.a7fb92f417f7fp-4,
        -0x1.fffffb12e32f5p-5, 0x1.ffffffffeced5p-1);
    return __sw_bessel_far(a, phase, amplitude, 0x1.2d97c7f3321d2p+1);
}
__SW_DEV_BIG__ double
y1(double x)
{
    double a = __builtin_fabs(x), t;
    if (x <= 0.0)
        return x == 0.0 ? -__SW_INF : __SW_NAN;
    if (a < 0x0.730d67819e8d2p-1022)
        return __ddiv_rn(-0x1.45f306dc9c883p-1, a);
    if (a <= 0x1.4c6f208132576p+0) {
        double s = __dmul_rn(a, a);
        double c = __sw_poly(s, 0x1.249f90687428cp-42, -0x1.f0b5b1fb7b95ep-35,
                             0x1.32e589311fa14p-27, -0x1.0a780aa4a92e9p-20,
                             0x1.2c7dbffcaec2bp-14, -0x1.835b97894ba4ap-9,
                             0x1.bd3975c75b4a3p-5, -0x1.91866143cbc8ap-3);
        t = __dmul_rn(__sw_fma(j1(a), log(a), -__drcp_rn(a)),
                      0x1.45f306dc9c883p-1);
        return __sw_fma(a, c, t);
    }
    if (a <= 0x1.9b510ec2adc83p+1) {
        t = __sw_bessel_from(a, 0x1.193bed4dff243p+1, 0x1.bd1e50d219bfdp-55);
        return __dmul_rn(
            t, __sw_poly(t, -0x1.b87b0be2aa15p-29, 0x1.833aae4d8b975p-27,
                         -0x1.4e279b423e68fp-27, 0x1.29dc6a747eb4fp-30,
                         -0x1.1d15534496cd8p-25, 0x1.eec8d48fecep-24,
                         -0x1.d1180af70a134p-23, 0x1.c8386a0ea1388p-22,
                         -0x1.01a014e7f325p-20, 0x1.1fb752010a32p-19,
                         -0x1.3aa0aff4e332bp-18, 0x1.584a6c77f67p-17,
                         -0x1.794c520fc2ebbp-16, 0x1.9d18d2d35cc71p-15,
                         -0x1.c3fb7315c4599p-14, 0x1.eea7adecce927p-13,
                         -0x1.0b2d85257446fp-11, 0x1.17ab4b1fe5d5bp-10,
                         -0x1.5429dc6516c0dp-9, 0x1.e671c7d0b090bp-8,
                         -0x1.3a6dec36fb27cp-8, -0x1.0d2af4e931fd1p-5,
                         -0x1.e56f82217b964p-4, 0x1.0aa48442f014bp-1));
    }
    if (a <= 0x1.c0d26d5a541cbp+2) {
        t = __sw_bessel_from(a, 0x1.5b7fe4e87b02ep+2, -0x1.dfe7bac228e8cp-52);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.a3c76069f1d8cp-52, 0x1.69a30996793e2p-51,
                         -0x1.dd8432fe756e7p-50, -0x1.43158eee220f7p-46,
                         0x1.8d44491230f5ap-45, -0x1.38842eaf4edbcp-43,
                         0x1.4958dafbfaf5ap-40, -0x1.449a60e664848p-38,
                         0x1.38bc8cd594a76p-39, -0x1.a798002141323p-32,
                         0x1.80b4198956aaap-28, 0x1.b62b5f21bacd4p-26,
                         -0x1.255e729fb6aaep-21, -0x1.80618f6bae5aap-19,
                         0x1.85b940f8e8d36p-15, 0x1.337c7e10e14e8p-13,
                         -0x1.1be6db99332cap-9, -0x1.10a329e2be9b8p-8,
                         0x1.a15d92dfe3fcfp-5, 0x1.00b9f8571c9bep-5,
                         -0x1.5c7c556f0c19ap-2));
    }
    if (a <= 0x1.2585c739acdddp+3) {
        t = __sw_bessel_from(a, 0x1.13127ae6169b4p+3, -0x1.479cc068d9046p-52);
        return __dmul_rn(
            t, __sw_poly(t, 0x1.09ccc22945996p-52, -0x1.3515f67644276p-43,
                         -0x1.2c5b978e9f5c7p-40, 0x1.ec1151613913cp-36,
                         0x1.9e38d13c4a824p-33, -0x1.41e75e1088eb5p-28,
                         -0x1.a384ebb13cfe1p-26, 0x1.2becb27f8c8f8p-21,
                         0x1.176e72b989fd8p-19, -0x1.6f7bab102f822p-15,
                         -0x1.b50d7e1d278e1p-14, 0x1.07a678d60004fp-9,
                         0x1.3ced2a2e69115p-9, -0x1.6395dfe49fcd4p-5,
                         -0x1.02b3933cf21b1p-6, 0x1.15f993fceab5cp-2));
    }
    if (a == __SW_INF)
        return 0.0;
    double r = __sw_rcp(a), s = __dmul_rn(r, r);
    double phase =
        __sw_fma(__sw_poly(s, -0x1.43281a050209cp+26, 0x1.024e99ba46e7bp+23,
                           -0x1.a6875d7dfbd65p+18, 0x1.032c041790233p+14,
                           -0x1.39f895bc22946p+9, 0x1.e77cc78ecd2d8p+4,
                           -0x1.2f368d0117be9p+1, 0x1.7bcc786009a25p-2,
                           -0x1.4fffffc51bc7ap-3, 0x1.7ffffffffb5eap-2),
                 r, a);
    double amplitude = __sw_poly(
        s, 0x1.13db326ecebfep+14, -0x1.c26e89385d5b1p+10, 0x1.c6ab923c6f55ep+6,
        -0x1.e61eaf3bd2fa1p+2, 0x1.9bf15d9b97dd1p-1, -0x1.8bfecf93d7d19p-3,
        0x1.7fffff756aa6cp-3, 0x1.0000000003646p+0);
    return __sw_bessel_far(a, phase, amplitude, 0x1.f6a7a2955385ep+1);
}
/* Upwards while the order is below x; else down from far above (Miller), and
 * scaled by the known sum J0 + 2 J2 + 2 J4 + ... = 1. */
__SW_DEV_BIG__ double
jn(int n, double x)
{
    if (n < 0)
        return __SW_NAN;
    if (n == 0)
        return j0(x);
    if (n == 1)
        return j1(x);
    double a = __builtin_fabs(x), y;
    if (a != a)
        return __dadd_rn(x, x);
    if (a == 0.0 || a == __SW_INF)
        return n & 1 ? __builtin_copysign(0.0, x) : 0.0;
    double step = 2.0 / a;
    if (a < 0x1p-30) { /* (x / 2)**n / n!, the next term is nothing beside it */
        y = 1.0;
        for (int k = 1; k <= n && y != 0.0; k++)
            y *= 0.5 * a / k;
    } else if (a > (double)n) {
        double before = j0(a);
        y = j1(a);
        for (int k = 1; k < n; k++) {
            double next = k * step * y - before;
            before = y;
            y = next;
        }
    } else {
        int top = (n + (int)__dsqrt_rn(60.0 * n) + 16) & ~1;
        double above = 0.0, here = 1.0, sum = 0.0;
        y = 0.0;
        for (int k = top; k > 0; k--) {
            double below = k * step * here - above;
            above = here;
            here = below;
            if (__builtin_fabs(here) > 1e200) {
                here *= 1e-200;
                above *= 1e-200;
                y *= 1e-200;
                sum *= 1e-200;
            }
            if (k & 1)
                sum += here;
            if (k == n)
                y = above;
        }
        y /= 2.0 * sum - here;
    }
    return x < 0.0 && (n & 1) ? -y : y;
}
__SW_DEV_BIG__ double
yn(int n, double x)
{
    if (n < 0)
        return __SW_NAN;
    if (n == 0)
        return y0(x);
    double y = y1(x);
    if (n == 1 || !(x > 0.0) || y == -__SW_INF)
        return y;
    if (x == __SW_INF)
        return 0.0;
    double step = 2.0 / x, before = y0(x);
    for (int k = 1; k < n && y > -__SW_INF; k++) {
        double next = k * step * y - before;
        before = y;
        y = next;
    }
    return y;
}
/* exp(a) / sqrt(a) * c in two halves, against overflow */
__SW_DEV__ double
__sw_bessel_i_far(double a, double c)
{
    double e = exp(__dmul_rn(a, 0.5));
    double r = __sw_rsqrt_refine(a, __sw_rsqrt_approx(a));
    return __dmul_rn(e, __dmul_rn(__dmul_rn(c, r), e));
}
__SW_DEV_BIG__ double
cyl_bessel_i0(double x)
{
    double a = __builtin_fabs(x);
    if ((unsigned)__double2hiint(a) - 1076238844u < 127526404u)
        return __sw_bessel_i_far(
            a,
            __sw_poly(__sw_rcp(a), 0x1.2f851fc237b1dp+32, 0x1.fefdd4ff37461p+32,
                      -0x1.a8a1907f57f7p+32, 0x1.10b6852851c22p+31,
                      -0x1.925fc57ccb35p+28, 0x1.85261a7176974p+25,
                      -0x1.06bfa24be44dbp+22, 0x1.003cc0da58b08p+18,
                      -0x1.6e73aa6a2c47ap+13, 0x1.85e17bc10541ap+8,
                      -0x1.16c6690365068p+3, 0x1.934e08086004cp-2,
                      0x1.6aa7c7d428943p-4, 0x1.6eac2735a091ep-5,
                      0x1.debaa90561e71p-6, 0x1.cb94ddfd23f7p-6,
                      0x1.9884533d30179p-5, 0x1.9884533d43657p-2));
    return __sw_poly(
        __dmul_rn(x, x), 0x1.4d7f592957da6p-130, 0x1.8c41d50ab516fp-122,
        0x1.95dda3f2c417bp-111, 0x1.367189a01363ep-101, 0x1.e90745678b866p-92,
        0x1.416d14fa3a4bdp-82, 0x1.69d021fde720ep-73, 0x1.5601014e9543p-64,
        0x1.0b313c032523p-55, 0x1.522a42ffef89p-47, 0x1.522a440809476p-39,
        0x1.02e85c07ba843p-31, 0x1.23456789b9de8p-24, 0x1.c71c71c71b63cp-18,
        0x1.c71c71c71c7c2p-12, 0x1.ffffffffffffbp-7, 0x1p-2, 1.0);
}
__SW_DEV_BIG__ double
cyl_bessel_i1(double x)
{
    double a = __builtin_fabs(x);
    if ((unsigned)__double2hiint(a) - 1076232192u < 127533056u)
        return __builtin_copysign(
            __sw_bessel_i_far(
                a, __sw_poly(__sw_rcp(a), 0x1.8729da7e5a092p+30,
                             -0x1.a9923a6810426p+33, 0x1.15d3db3c5ffep+33,
                             -0x1.4d2d89a3913c1p+31, 0x1.dcdff9b080398p+28,
                             -0x1.c5f2e01fb2ff9p+25, 0x1.2fcfb5fd5415p+22,
                             -0x1.26d4cd831fc06p+18, 0x1.a49abc2cad407p+13,
                             -0x1.bf09a8d0b4bcfp+8, 0x1.3f8f8f6f2689p+3,
                             -0x1.d6e31961ece73p-2, -0x1.bbdc121c5123bp-4,
                             -0x1.d76aacf55fc53p-5, -0x1.4f1c4ff86494bp-5,
                             -0x1.7efc0e3c7167ep-5, -0x1.32633e6decf48p-3,
                             0x1.9884533d43649p-2)),
            x);
    double s = __dmul_rn(x, x);
    double c = __sw_poly(
        s, 0x1.68d52e367973fp-125, 0x1.76b71c28918bp-117,
        0x1.8082fe6606acbp-106, 0x1.0ec04908e2753p-96, 0x1.8d983808a730dp-87,
        0x1.e21624af0555ap-78, 0x1.f18024073231ep-69, 0x1.ab810d07c53a4p-60,
        0x1.2c97677fab629p-51, 0x1.522a42918d8a1p-43, 0x1.27e4fb8f617fcp-35,
        0x1.845c8a0abd799p-28, 0x1.6c16c16c369a2p-21, 0x1.c71c71c71a4b2p-15,
        0x1.5555555555681p-9, 0x1.ffffffffffff1p-5);
    return __sw_fma(x, __dmul_rn(c, s), __dmul_rn(x, 0.5));
}
#define __SW_BY_DOUBLE(name)                                                   \
    __SW_DEV__ float name##f(float x)                                          \
    {                                                                          \
        return __double2float_rn(name((double)x));                             \
    }
__SW_BY_DOUBLE(j0)
__SW_BY_DOUBLE(j1)
__SW_BY_DOUBLE(y0)
__SW_BY_DOUBLE(y1)
__SW_BY_DOUBLE(cyl_bessel_i0)
__SW_BY_DOUBLE(cyl_bessel_i1)
#undef __SW_BY_DOUBLE
__SW_DEV__ float
jnf(int n, float x)
{
    return __double2float_rn(jn(n, (double)x));
}
__SW_DEV__ float
ynf(int n, float x)
{
    return __double2float_rn(yn(n, (double)x));
}

#endif
