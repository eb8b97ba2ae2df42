/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/math_float.h - the float functions of CUDA's math library whose
 * result bits programs depend on. Each computes the same sequence of rounded
 * operations as the vendor's library does, so that a program gets the same
 * bits here as on a device. Therefore every product, sum and fused
 * multiply-add is written out: __fmul_rn and __fadd_rn never fuse. The few
 * plain operators at a function's ends may fuse with the caller's, as there.
 */
#ifndef SOFTWARP_MATH_FLOAT_H
#define SOFTWARP_MATH_FLOAT_H
#include "arith.h"
#include "common.h"
#include "math_decls.h"
#pragma GCC system_header

#define __SW_INFF __builtin_inff()
#define __SW_NANF __int_as_float(0x7fffffff)

__SW_DEV__ float
__sw_fma(float a, float b, float c)
{
    return __builtin_fmaf(a, b, c);
}
__SW_DEV__ double
__sw_fma(double a, double b, double c)
{
    return __builtin_fma(a, b, c);
}

/* Horner's rule, highest coefficient first, fused. */
template <typename T>
__SW_DEV__ T
__sw_poly(T, T r)
{
    return r;
}
template <typename T, typename... __C>
__SW_DEV__ T
__sw_poly(T x, T r, T c, __C... rest)
{
    return __sw_poly<T>(x, __sw_fma(r, x, c), rest...);
}

__SW_DEV__ float
__sw_rcpf(float x)
{
    return __nvvm_rcp_approx_ftz_f(x);
}
__SW_DEV__ float
__sw_ex2_ftzf(float x)
{
    return __nvvm_ex2_approx_ftz_f(x);
}
__SW_DEV__ float
__sw_rsqrt_ftzf(float x)
{
    return __nvvm_rsqrt_approx_ftz_f(x);
}

/* The square root as the compiler was told: rounded, or approximate. */
__SW_DEV__ float
__sw_sqrtf(float x)
{
#ifdef __SOFTWARP_APPROX_SQRT__
    return __sw_ftz() ? __nvvm_sqrt_approx_ftz_f(x) : __nvvm_sqrt_approx_f(x);
#else
    return __builtin_sqrtf(x);
#endif
}

/* ---- trigonometry ---- */

/* 192 bits of 2/pi, least significant word first. */
static __attribute__((device))
const unsigned __sw_two_over_pi[6] = {0x3c439041u, 0xdb629599u, 0xf534ddc0u,
                                      0xfc2757d1u, 0x4e441529u, 0xa2f9836eu};

/* |x| >= 105615, finite: x times enough bits of 2/pi in integers; the
 * remainder in [-pi/4, pi/4] and the quadrant. */
__SW_DEV_BIG__ float
__sw_reduce_bigf(float x, int *quadrant)
{
    unsigned bits = __float_as_uint(x);
    unsigned ia = bits << 8 | 0x80000000u;
    unsigned e = ((bits >> 23) & 255) - 128;
    unsigned q = e >> 5;
    unsigned w[7];
    __sw_u64 carry = 0;
#pragma unroll
    for (int i = 0; i < 6; i++) {
        __sw_u64 p = (__sw_u64)__sw_two_over_pi[i] * ia + carry;
        w[i] = (unsigned)p;
        carry = p >> 32;
    }
    w[6] = (unsigned)carry;
    unsigned hi = q == 0 ? w[6] : q == 1 ? w[5] : q == 2 ? w[4] : w[3];
    unsigned lo = q == 0 ? w[5] : q == 1 ? w[4] : q == 2 ? w[3] : w[2];
    unsigned low = q == 0 ? w[4] : q == 1 ? w[3] : q == 2 ? w[2] : w[1];
    hi = __funnelshift_l(lo, hi, e);
    lo = __funnelshift_l(low, lo, e);
    unsigned sign = bits & 0x80000000u;
    unsigned top = hi << 2 | lo >> 30;
    unsigned rest = lo << 2;
    unsigned half = top >> 31;
    unsigned n = (hi >> 30) + half;
    *quadrant = (int)(sign ? 0u - n : n);
    if (half) {
        top = ~top;
        rest = ~rest;
        sign ^= 0x80000000u;
    }
    double d = (double)(long long)((__sw_u64)top << 32 | rest);
    float r = __double2float_rn(__dmul_rn(d, 0x1.921fb54442d19p-64));
    return sign ? -r : r;
}

__SW_DEV__ float
__sw_reducef(float x, int *quadrant)
{
    int n = __float2int_rn(__fmul_rn(x, 0x1.45f306p-1f));
    float k = (float)n;
    float r = __sw_fma(k, -0x1.921fb4p+0f, x);
    r = __sw_fma(k, -0x1.4442d0p-24f, r);
    r = __sw_fma(k, -0x1.84698ap-48f, r);
    if (__builtin_fabsf(x) >= 0x1.9c8f00p+16f) {
        if (__builtin_fabsf(x) == __SW_INFF) {
            r = __fmul_rn(x, 0.0f);
            n = 0;
        } else {
            r = __sw_reduce_bigf(x, &n);
        }
    }
    *quadrant = n;
    return r;
}

/* sin(r + n pi/2) */
__SW_DEV__ float
__sw_sin_quadrantf(float r, int n)
{
    bool even = (n & 1) == 0;
    float s = __fmul_rn(r, r);
    float x = even ? r : 1.0f;
    float c = even ? -0x1.9a82a6p-13f
                   : __sw_fma(0x1.975800p-16f, s, -0x1.6c0fdap-10f);
    c = __sw_fma(c, s, even ? 0x1.110bc8p-7f : 0x1.555576p-5f);
    c = __sw_fma(c, s, even ? -0x1.555550p-3f : -0x1.fffffep-2f);
    float y = __sw_fma(c, __sw_fma(s, x, 0.0f), x);
    return n & 2 ? __sw_fma(y, -1.0f, 0.0f) : y;
}

__SW_DEV__ float
__sw_sinf(float x)
{
    int n;
    float r = __sw_reducef(x, &n);
    return __sw_sin_quadrantf(r, n);
}
__SW_DEV__ float
__sw_cosf(float x)
{
    int n;
    float r = __sw_reducef(x, &n);
    return __sw_sin_quadrantf(r, n + 1);
}
__SW_DEV__ void
__sw_sincosf(float x, float *sin_out, float *cos_out)
{
    int n;
    float r = __sw_reducef(x, &n);
    *sin_out = __sw_sin_quadrantf(r, n);
    *cos_out = __sw_sin_quadrantf(r, n + 1);
}
__SW_DEV__ float
__sw_tanf(float x)
{
    int n;
    float r = __sw_reducef(x, &n);
    float s = __fmul_rn(r, r);
    float c = __sw_poly(s, 0x1.320000p-7f, 0x1.ac0000p-9f, 0x1.8e0000p-6f,
                        0x1.b60000p-5f, 0x1.112870p-3f, 0x1.555510p-2f);
    float t = __sw_fma(c, __fmul_rn(s, r), r);
    if (__builtin_fabsf(r) == 0x1.016878p-11f)
        t = r;
    return n & 1 ? __sw_rcpf(-t) : t;
}

/* sin(r pi + n pi/2), |r| <= 1/4 */
__SW_DEV__ float
__sw_sinpi_quadrantf(float r, int n)
{
    bool even = (n & 1) == 0;
    float s = __fmul_rn(r, r);
    float c =
        even ? -0x1.2f5992p-1f : __sw_fma(0x1.d09c24p-3f, s, -0x1.55a5c0p+0f);
    c = __sw_fma(c, s, even ? 0x1.466b20p+1f : 0x1.03c19ep+2f);
    c = __sw_fma(c, s, even ? -0x1.4abbecp+2f : -0x1.3bd3ccp+2f);
    float y =
        __sw_fma(c, __sw_fma(s, even ? r : 1.0f, 0.0f), even ? 0.0f : 1.0f);
    if (even)
        y = __sw_fma(0x1.921fb6p+1f, r, y);
    return n & 2 ? __fsub_rn(0.0f, y) : y;
}
__SW_DEV__ float
sinpif(float x)
{
    float k = __builtin_rintf(__fadd_rn(x, x));
    float y = __sw_sinpi_quadrantf(__sw_fma(-k, 0.5f, x), __float2int_rz(k));
    return __builtin_truncf(x) == x ? __fmul_rn(x, 0.0f) : y;
}
__SW_DEV__ float
cospif(float x)
{
    if (__builtin_fabsf(x) > 0x1p24f)
        x = __fmul_rn(x, 0.0f);
    float k = __builtin_rintf(__fadd_rn(x, x));
    return __sw_sinpi_quadrantf(__sw_fma(-k, 0.5f, x), __float2int_rz(k) + 1);
}
__SW_DEV__ void
sincospif(float x, float *sin_out, float *cos_out)
{
    *sin_out = sinpif(x);
    *cos_out = cospif(x);
}

__SW_DEV__ float
atanf(float x)
{
    float a = __builtin_fabsf(x);
    float t = a > 1.0f ? __sw_rcpf(a) : a;
    float s = __fmul_rn(t, t);
    float c = __sw_poly(s, 0x1.412154p-9f, -0x1.d7c29ep-7f, 0x1.4672fcp-5f,
                        -0x1.2914f4p-4f, 0x1.aed642p-4f, -0x1.223d10p-3f,
                        0x1.995ec0p-3f, -0x1.55544ep-2f);
    float y = __sw_fma(__fmul_rn(s, c), t, t);
    if (a > 1.0f)
        y = __sw_fma(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, -y);
    return a <= __SW_INFF ? __builtin_copysignf(y, x) : y;
}
__SW_DEV__ float
atan2f(float y, float x)
{
    float ax = __builtin_fabsf(x), ay = __builtin_fabsf(y);
    bool steep = ay > ax, left = __float_as_int(x) < 0;
    float big = steep ? ay : ax;
    float t = __fdiv_rn(steep ? ax : ay, big);
    float s = __fmul_rn(t, t);
    float c = __sw_poly(s, 0x1.66e216p-9f, -0x1.00ee90p-6f, 0x1.59b564p-5f,
                        -0x1.325a20p-4f, 0x1.b3d4d8p-4f, -0x1.22f962p-3f,
                        0x1.9979c0p-3f, -0x1.5554fap-2f);
    float r = __sw_fma(__fmul_rn(s, c), t, t);
    if (steep)
        r = __sw_fma(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, left ? r : -r);
    else if (left)
        r = __sw_fma(0x1.ddcb02p+0f, 0x1.aee9d6p+0f, -r);
    if (ax == ay)
        r = left ? 0x1.2d97c8p+1f : 0x1.921fb6p-1f;
    if (big == 0.0f)
        r = left ? 0x1.921fb6p+1f : 0.0f;
    float sum = __fadd_rn(ax, ay);
    return sum <= __SW_INFF ? __builtin_copysignf(r, y) : sum;
}

/* For asin and acos: x, or sqrt((1 - x) / 2) where x > 0.56. */
__SW_DEV__ float
__sw_half_anglef(float a)
{
    float h = __sw_fma(0.5f, -a, 0.5f);
    float r = __sw_rsqrt_ftzf(h);
    float s = __fmul_rn(h, r);
    float root = __sw_fma(s, __sw_fma(-s, __fmul_rn(r, 0.5f), 0.5f), s);
    return a > 0x1.1eb852p-1f ? (a == 1.0f ? 0.0f : root) : a;
}
__SW_DEV__ float
asinf(float x)
{
    float a = __builtin_fabsf(x);
    float t = __sw_half_anglef(a);
    float s = __fmul_rn(t, t);
    float c = __sw_poly(s, 0x1.9ba5eep-5f, 0x1.33952ep-6f, 0x1.7f21d0p-5f,
                        0x1.32799ep-4f, 0x1.555808p-3f);
    float y = __sw_fma(__fmul_rn(s, c), t, t);
    if (a > 0x1.1eb852p-1f)
        y = __sw_fma(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, __fmul_rn(y, -2.0f));
    return y <= __SW_INFF ? __builtin_copysignf(y, x) : y;
}
__SW_DEV__ float
acosf(float x)
{
    float a = __builtin_fabsf(x);
    float t = __builtin_copysignf(__sw_half_anglef(a), x);
    float s = __fmul_rn(t, t);
    float c = __sw_poly(s, 0x1.21d9dep-5f, 0x1.163576p-6f, 0x1.f80518p-6f,
                        0x1.6e4272p-5f, 0x1.3327b6p-4f, 0x1.55558cp-3f);
    float y = __sw_fma(__fmul_rn(s, c), t, t);
    bool far = a > 0x1.1eb852p-1f;
    if (!(x > 0x1.1eb852p-1f))
        y = __sw_fma(0x1.ddcb02p-1f, 0x1.aee9d6p+0f, far ? y : -y);
    return far ? __fadd_rn(y, y) : y;
}

/* ---- exponentials and logarithms ---- */

/* 2**(i + f) from i + f = x * (hi + lo), where x * scale + 0.5 is in (0, 1). */
__SW_DEV__ float
__sw_expf_with(float x, float scale, float hi, float lo)
{
    float t = __nvvm_saturate_f(__sw_fma(x, scale, 0.5f));
    t = __fmaf_rd(t, 252.0f, 0x1.800002p+23f);
    float k = __fadd_rn(t, -0x1.8000fep+23f);
    float f = __sw_fma(x, lo, __sw_fma(x, hi, -k));
    float p = __int_as_float(__float_as_int(t) << 23);
    return __sw_ex2_ftzf(f) * p;
}
__SW_DEV__ float
__sw_expf(float x)
{
    return __sw_expf_with(x, 0x1.77313ap-8f, 0x1.715476p+0f, 0x1.4ae0c0p-26f);
}
__SW_DEV__ float
__sw_exp10f(float x)
{
    return __sw_expf_with(x, 0x1.aff4c4p-7f, 0x1.a934f0p+1f, 0x1.2f346ep-24f);
}

/* exp(x) / 2**shift; `magic` is 1.5 * 2**23 + 127 - shift. */
__SW_DEV__ float
__sw_exp_scaledf(float x, float magic)
{
    float k = __builtin_truncf(__fmul_rn(x, 0x1.715476p+0f));
    k = __builtin_fabsf(k) > 126.0f ? __builtin_copysignf(126.0f, k) : k;
    float f = __sw_fma(k, 0x1.05c610p-29f, __sw_fma(k, -0x1.62e430p-1f, x));
    float p = __int_as_float(__float_as_int(__fadd_rn(k, magic)) << 23);
    return __fmul_rn(__sw_ex2_ftzf(__fmul_rn(f, 0x1.715476p+0f)), p);
}

/* log(x), x > 0 normal or scaled; the exponent's offset in `shift`. */
__SW_DEV__ float
__sw_logf(float x)
{
    float shift = 0.0f;
    if (x < 0x1p-126f) {
        x = __fmul_rn(x, 0x1p+23f);
        shift = -23.0f;
    }
    unsigned bits = __float_as_uint(x);
    unsigned e = (bits - 0x3f2aaaabu) & 0xff800000u;
    float m = __fadd_rn(__uint_as_float(bits - e), -1.0f);
    float k = __sw_fma((float)(int)e, 0x1p-23f, shift);
    float c = __sw_poly(m, -0x1.0aa04ep-3f, 0x1.2073ecp-3f, -0x1.f19b98p-4f,
                        0x1.1e52aap-3f, -0x1.55b172p-3f, 0x1.99da16p-3f,
                        -0x1.fffe44p-3f, 0x1.5554f0p-2f, -0x1.000000p-1f);
    float y = __sw_fma(__fmul_rn(m, c), m, m);
    y = __sw_fma(k, 0x1.62e430p-1f, y);
    if (bits >= 0x7f800000u)
        y = __sw_fma(x, __SW_INFF, __SW_INFF);
    return x == 0.0f ? -__SW_INFF : y;
}
__SW_DEV__ float
__sw_log2f(float x)
{
    float shift = 0.0f;
    if (x < 0x1p-126f) {
        x = __fmul_rn(x, 0x1p+23f);
        shift = -23.0f;
    }
    unsigned bits = __float_as_uint(x);
    unsigned e = (bits - 0x3f3504f3u) & 0xff800000u;
    float m = __fadd_rn(__uint_as_float(bits - e), -1.0f);
    float k = __sw_fma((float)(int)e, 0x1p-23f, shift);
    float c = __sw_poly(m, 0x1.8d64fep-4f, -0x1.58fe60p-3f, 0x1.5f9e54p-3f,
                        -0x1.6e9c86p-3f, 0x1.a417e8p-3f, -0x1.ec7916p-3f,
                        0x1.277f32p-2f, -0x1.715492p-2f, 0x1.ec7094p-2f,
                        -0x1.715476p-1f);
    c = __fmul_rn(m, c);
    c = __fmul_rn(m, c);
    float y = __fadd_rn(k, __sw_fma(m, 0x1.715476p+0f, c));
    if (bits >= 0x7f800000u)
        y = __sw_fma(x, __SW_INFF, __SW_INFF);
    return x == 0.0f ? -__SW_INFF : y;
}
__SW_DEV__ float
__sw_log10f(float x)
{
    return __fmul_rn(__sw_logf(x), 0x1.bcb7b2p-2f);
}
__SW_DEV__ float
log1pf(float x)
{
    unsigned bits = __float_as_uint(x);
    unsigned e =
        (__float_as_uint(__fadd_rz(x, 1.0f)) - 0x3f400000u) & 0xff800000u;
    float one = __sw_fma(0.25f, __uint_as_float(0x40800000u - e), -1.0f);
    float m = __fadd_rn(one, __uint_as_float(bits - e));
    float c = __sw_poly(m, -0x1.737ef0p-5f, 0x1.b00024p-4f, -0x1.0ef1c0p-3f,
                        0x1.28c8eap-3f, -0x1.54d1bap-3f, 0x1.995f3cp-3f,
                        -0x1.000084p-2f, 0x1.5555ccp-2f, -0x1.000000p-1f);
    float y = __sw_fma(__fmul_rn(m, c), m, m);
    y = __sw_fma(__fmul_rn((float)(int)e, 0x1p-23f), 0x1.62e430p-1f, y);
    if (bits >= 0x7f800000u) {
        if ((int)bits >= (int)0xbf800001u)
            y = __sw_fma(x, __SW_INFF, __SW_INFF);
        if (x == 0.0f)
            y = -0.0f;
    }
    return y;
}
__SW_DEV__ float
expm1f(float x)
{
    float k = __builtin_fabsf(x) < 0x1.a3d70ap-2f
                  ? 0.0f
                  : __builtin_rintf(__fmul_rn(x, 0x1.715476p+0f));
    float r = __sw_fma(-k, 0x1.62e400p-1f, x);
    r = __sw_fma(-k, 0x1.7f7d1cp-20f, r);
    bool top = k == 128.0f;
    float j = top ? __fadd_rn(k, -1.0f) : k;
    float p = __sw_ex2f(j);
    float c = __sw_poly(r, 0x1.6bd7ccp-10f, 0x1.12acc6p-7f, 0x1.5557c6p-5f,
                        0x1.5553ecp-3f, 0x1.fffffcp-2f);
    c = __sw_fma(__fmul_rn(r, c), r, r);
    float y = __sw_fma(c, p, __fadd_rn(p, -1.0f));
    y = top ? __fadd_rn(y, y) : y;
    y = j > 128.0f ? __SW_INFF : y;
    y = j < -25.0f ? -1.0f : y;
    return x == 0.0f ? __fadd_rn(x, x) : y;
}

/* log2(a) as a sum hi + lo, for powers; with one more term if `precise`. */
__SW_DEV__ float
__sw_log2_pairf(float a, float *lo, bool precise)
{
    float shift = 0.0f;
    if (a < 0x1p-126f) {
        a = __fmul_rn(a, 0x1p+24f);
        shift = -24.0f;
    }
    unsigned bits = __float_as_uint(a);
    unsigned e = (bits - 0x3f3504f3u) & 0xff800000u;
    float m = __uint_as_float(bits - e);
    float k = __sw_fma((float)(int)e, 0x1p-23f, shift);
    float d = __fadd_rn(m, -1.0f);
    float r = __sw_rcpf(__fadd_rn(m, 1.0f));
    float q = __fmul_rn(__fadd_rn(d, d), r);
    float s = __fmul_rn(q, q);
    float t = __fsub_rn(d, q);
    float ql = __fmul_rn(r, __sw_fma(-q, d, __fadd_rn(t, t)));
    float p = __sw_poly(s, 0x1.5865c8p-11f, 0x1.a5cfb6p-9f, 0x1.2776e6p-6f,
                        0x1.ec709ep-4f);
    p = __fmul_rn(p, s);
    float hi = __sw_fma(q, 0x1.715476p+0f, k);
    float l = __sw_fma(q, 0x1.715476p+0f, __fsub_rn(k, hi));
    l = __sw_fma(ql, 0x1.715476p+0f, l);
    l = __sw_fma(q, 0x1.4abc68p-26f, l);
    if (precise)
        l = __sw_fma(__fmul_rn(p, 3.0f), ql, l);
    l = __sw_fma(p, q, l);
    float sum = __fadd_rn(hi, l);
    *lo = __fadd_rn(l, -__fadd_rn(sum, -hi));
    return sum;
}
/* 2**(k + f), k an integer, |f| <= 1/2. */
__SW_DEV__ float
__sw_exp2_partsf(float k, float f)
{
    float c = __sw_poly(f, 0x1.3f971cp-13f, 0x1.5f0bdap-10f, 0x1.3b30acp-7f,
                        0x1.c6af76p-5f, 0x1.ebfbd8p-3f, 0x1.62e430p-1f, 1.0f);
    int split = k > 0.0f ? 0 : (int)0x83000000u;
    c = __fmul_rn(c, __int_as_float(split + 0x7f000000));
    return __fmul_rn(c, __int_as_float((__float2int_rz(k) << 23) - split));
}
__SW_DEV__ float
__sw_powf(float x, float y)
{
    float half = __builtin_truncf(__fmul_rn(y, 0.5f));
    float parity = __builtin_fabsf(__fsub_rn(y, __fadd_rn(half, half)));
    float a = __builtin_fabsf(x);
    float lo;
    float hi = __sw_log2_pairf(a, &lo, true);
    float p = __fmul_rn(hi, y);
    float k = __builtin_rintf(p);
    float f = __sw_fma(lo, y, __sw_fma(hi, y, -p));
    f = __fadd_rn(f, __fsub_rn(p, k));
    float r = __sw_exp2_partsf(k, f);
    if (__builtin_fabsf(p) > 152.0f)
        r = p < 0.0f ? 0.0f : __SW_INFF;
    if (x == 1.0f || y == 0.0f)
        return 1.0f;
    if (!(a <= __SW_INFF) || !(__builtin_fabsf(y) <= __SW_INFF))
        return __fadd_rn(x, y);
    if (x == 0.0f || a == __SW_INFF) {
        int bits = __float_as_int(__fadd_rn(x, x));
        if (y < 0.0f)
            bits ^= 0x7f800000;
        return __int_as_float(parity == 1.0f ? bits : bits & 0x7fffffff);
    }
    if (x == -1.0f && __builtin_fabsf(y) == __SW_INFF)
        return 1.0f;
    if (x < 0.0f) {
        if (__builtin_floorf(y) != y)
            return __SW_NANF;
        return parity == 1.0f ? -r : r;
    }
    return r;
}

/* ---- hyperbolic functions ---- */
__SW_DEV__ float
sinhf(float x)
{
    float a = __builtin_fabsf(x);
    float e = __sw_exp_scaledf(a, 0x1.8000fap+23f);
    float s = __fmul_rn(x, x);
    if (a >= 1.0f)
        return __builtin_copysignf(
            __sw_fma(2.0f, e, __nvvm_div_approx_ftz_f(-0.125f, e)), x);
    float c = __sw_poly(s, 0x1.7a15b4p-19f, 0x1.9ffe92p-13f, 0x1.111134p-7f,
                        0x1.555556p-3f);
    return __sw_fma(__fmul_rn(s, c), x, x);
}
__SW_DEV__ float
coshf(float x)
{
    float e = __sw_exp_scaledf(__builtin_fabsf(x), 0x1.8000fap+23f);
    return __sw_fma(2.0f, e, __nvvm_div_approx_ftz_f(0.125f, e));
}
__SW_DEV__ float
__sw_tanhf(float x)
{
    float a = __builtin_fabsf(x);
    if (a >= 0x1.333334p-1f) {
        float e = __sw_ex2_ftzf(__fmul_rn(a, 0x1.715476p+1f));
        float y = __sw_fma(__sw_rcpf(__fadd_rn(e, 1.0f)), -2.0f, 1.0f);
        return __builtin_copysignf(a >= 0x1.205968p+3f ? 1.0f : y, x);
    }
    float s = __fmul_rn(x, x);
    float c = __sw_poly(s, 0x1.01e104p-6f, -0x1.ac795cp-5f, 0x1.10b282p-3f,
                        -0x1.5553dap-2f, 0.0f);
    return __sw_fma(c, x, x);
}
__SW_DEV__ float
asinhf(float x)
{
    float a = __builtin_fabsf(x);
    float s = __sw_fma(x, x, 1.0f);
    float r = __sw_rcpf(__sw_fma(s, __sw_rsqrt_ftzf(s), 1.0f));
    bool big = a > 0x1p+23f;
    float t = big ? a : __sw_fma(a, __fmul_rn(a, r), a);
    float y = log1pf(t);
    y = big ? __fadd_rn(y, 0x1.62e430p-1f) : y;
    return a <= __SW_INFF ? __builtin_copysignf(y, x) : y;
}
__SW_DEV__ float
acoshf(float x)
{
    float d = x - 1.0f;
    bool big = __float_as_uint(d) > 0x4b000000u;
    float s = __sw_fma(x, x, -1.0f);
    float r = __sw_rsqrt_ftzf(s);
    float q = __fmul_rn(s, r);
    float root = __sw_fma(__sw_fma(-q, q, s), __fmul_rn(r, 0.5f), q);
    root = s == 0.0f ? 0.0f : root;
    float y = log1pf(__fadd_rn(d, big ? -0x1.000002p+0f : root));
    return big ? __fadd_rn(y, 0x1.62e430p-1f) : y;
}
__SW_DEV__ float
atanhf(float x)
{
    float a = __builtin_fabsf(x);
    float r = __sw_rcpf(__fsub_rn(1.0f, a));
    float t = a > 0x1p+126f ? -2.0f : __fmul_rn(a, __fadd_rn(r, r));
    return __builtin_copysignf(0.5f, x) * log1pf(t);
}

#endif
