// SPDX-License-Identifier: Apache-2.0
// The math functions of floats beside those of doubles, at numbers of all
// magnitudes: errors in ulp are within OpenCL's bounds (OpenCL C 3.0, 7.4), or
// the vendor's guide's where that is narrower. Then the edges. arg0:
// comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: one grid=32 block=256
// arg: out u32 2
// expect: EXACT arg0: 319488 0
// run: two grid=32 block=256
// arg: out u32 2
// expect: EXACT arg0: 106496 0
// run: native grid=32 block=256
// arg: out u32 2
// expect: EXACT arg0: 147456 0
// run: wide grid=32 block=64
// arg: out u32 2
// expect: EXACT arg0: 24576 0
// run: edges
// arg: out u32 2
// expect: EXACT arg0: 66 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)

static uint
any_number(uint seed)
{
    seed = (seed ^ seed >> 16) * 0x7feb352du;
    seed = (seed ^ seed >> 15) * 0x846ca68bu;
    return seed ^ seed >> 16;
}

/* A float: every fourth of any magnitude, others from 2^-16 to 2^16. */
static float
any_float(uint seed)
{
    uint bits = any_number(seed);
    if (bits & 3)
        bits = (bits & 0x87ffffff) | ((bits >> 27 & 1) ? 0x38000000 : 0x40000000);
    return as_float(bits);
}

static bool
is_within(float got, double want, double ulps)
{
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if ((float)want == got)
        return true;
    if (isinf(got) || isinf((float)want))
        return fabs(want) > 0x1.fffffcp127 && fabs(got) > 0x1.fffff0p127f;
    int e = max(want == 0 ? -126 : ilogb(want), -126);
    return fabs((double)got - want) <= ulps * ldexp(1.0, e - 23);
}

#define ONE(name, ulps)                                                        \
    CHECK(is_within(name(x), name((double)x), ulps), true)

kernel void
one(global uint *out)
{
    float x = any_float((uint)get_global_id(0));
    float unit = fmod(x, 1.0f);
    ONE(sin, 2.0);
    ONE(cos, 2.0);
    ONE(tan, 4.0);
    ONE(exp, 2.0);
    ONE(exp2, 2.5);
    ONE(exp10, 2.5);
    ONE(expm1, 1.5);
    ONE(log, 1.0);
    ONE(log2, 3.0);
    ONE(log10, 3.0);
    ONE(log1p, 2.0);
    ONE(sqrt, 0.5);
    ONE(rsqrt, 2.0);
    ONE(cbrt, 1.0);
    ONE(sinh, 4.0);
    ONE(cosh, 4.0);
    ONE(tanh, 5.0);
    ONE(atan, 2.0);
    ONE(atanpi, 5.0);
    ONE(asinh, 4.0);
    ONE(acosh, 4.0);
    ONE(erf, 3.0);
    ONE(erfc, 8.0);
    ONE(tgamma, 11.0);
    ONE(sinpi, 4.0);
    ONE(cospi, 4.0);
    ONE(tanpi, 6.0);
    ONE(floor, 0);
    ONE(ceil, 0);
    ONE(trunc, 0);
    ONE(rint, 0);
    ONE(round, 0);
    x = unit;
    ONE(asin, 4.0);
    ONE(acos, 4.0);
    ONE(asinpi, 5.0);
    ONE(acospi, 5.0);
    ONE(atanh, 5.0);
    ONE(logb, 0);
    CHECK(ilogb(x), x == 0     ? FP_ILOGB0
                    : isnan(x) ? FP_ILOGBNAN
                               : (int)logb(x));
}

#define TWO(name, ulps)                                                        \
    CHECK(is_within(name(x, y), name((double)x, (double)y), ulps), true)

kernel void
two(global uint *out)
{
    uint i = (uint)get_global_id(0);
    float x = any_float(i), y = any_float(i + 1000000);
    int n = (int)any_number(i) >> (i & 31);
    TWO(pow, 8.0);
    TWO(atan2, 3.0);
    TWO(atan2pi, 6.0);
    TWO(hypot, 4.0);
    TWO(fdim, 0.5);
    TWO(fmod, 0);
    TWO(remainder, 0);
    TWO(maxmag, 0);
    CHECK(is_within(ldexp(x, n), ldexp((double)x, clamp(n, -600, 600)), 0.5),
          true);
    CHECK(is_within(pown(x, n), pown((double)x, n), 16.0), true);
    CHECK(is_within(rootn(x, n), rootn((double)x, n), 16.0), true);
    CHECK(is_within(fma(x, y, x), (double)x * y + x, 0.5001), true);
    x = fabs(x);
    TWO(powr, 8.0);
}

/* Roughly: to 2^-10 of the number, or of 1 where the guide says so. */
#define ROUGH(f, want, least)                                                  \
    CHECK(fabs((double)(f) - (double)(want)) <=                                \
              0x1p-10 * fmax(fabs((double)(want)), least), true)

kernel void
native(global uint *out)
{
    float x = (float)(get_global_id(0) + 1) * 0.001f, y = 2.5f;
    float angle = x - 4;
    angle = clamp(angle, -3.1f, 3.1f);
    ROUGH(native_sin(angle), sin(angle), 1.0);
    ROUGH(native_cos(angle), cos(angle), 1.0);
    ROUGH(native_tan(angle / 4), tan(angle / 4), 1.0);
    ROUGH(native_exp(x), exp(x), 0.0);
    ROUGH(native_exp2(x), exp2(x), 0.0);
    ROUGH(native_exp10(x), exp10(x), 0.0);
    ROUGH(native_log(x), log(x), 1.0);
    ROUGH(native_log2(x), log2(x), 1.0);
    ROUGH(native_log10(x), log10(x), 1.0);
    ROUGH(native_sqrt(x), sqrt(x), 0.0);
    ROUGH(native_rsqrt(x), rsqrt(x), 0.0);
    ROUGH(native_recip(x), 1 / x, 0.0);
    ROUGH(native_divide(y, x), y / x, 0.0);
    ROUGH(native_powr(x, y), pow(x, y), 0.0);
    ROUGH(half_sin(x), sin(x), 1.0);
    ROUGH(half_exp(x), exp(x), 0.0);
    ROUGH(half_divide(y, x), y / x, 0.0);
    ROUGH(half_powr(x, y), pow(x, y), 0.0);
}

/* What doubles' functions that are made of others must give back, and that
 * vectors are their elements. */
kernel void
wide(global uint *out)
{
    uint i = (uint)get_global_id(0);
    double x = fabs((double)any_float(i)) + 0x1p-100, e = 0x1p-50;
    x = isfinite(x) ? x : 1.5;
    int n = (int)(i % 9) + 1;
    double y = 1.0 / (1.0 + x);
    CHECK(fabs(pown(rootn(x, n), n) / x - 1) < n * e, true);
    CHECK(fabs(rootn(x, -n) * rootn(x, n) - 1) < e, true);
    CHECK(fabs(acospi(y) + asinpi(y) - 0.5) < e, true);
    CHECK(fabs(tan(M_PI * 0.25 * y) / tanpi(0.25 * y) - 1) < 8 * e, true);
    CHECK(fabs(atan2pi(x, 1.0) + atan2pi(1.0, x) - 0.5) < e, true);
    double2 v = (double2)(x, y);
    float4 f = (float4)((float)x, any_float(i + 1), 2, 3);
    half2 h = (half2)((half)0.5f, (half)2.0f);
    CHECK(all(as_long2(log(v)) == (long2)(as_long(log(x)), as_long(log(y)))), 1);
    CHECK(all(as_int4(sin(f)) == (int4)(as_int(sin(f.x)), as_int(sin(f.y)),
                                        as_int(sin(2.0f)), as_int(sin(3.0f)))),
          1);
    CHECK(all(exp2(h) == (half2)((half)sqrt(2.0f), 4.0h)), 1);
    int2 exponent;
    double2 fraction = frexp(v, &exponent);
    CHECK(all(ldexp(fraction, exponent) == v), 1);
    double2 whole, part = fract(v, &whole);
    CHECK(all(part + whole == v), 1);
    CHECK(all(modf(-v, &whole) + whole == -v), 1);
    float4 cosine, sine = sincos(f, &cosine);
    CHECK(all(as_int4(cosine) == as_int4(cos(f)) &
              as_int4(sine) == as_int4(sin(f))), 1);
}

#define SAME(a, b)   CHECK(as_uint(a), as_uint((float)(b)))
#define IS_NAN(a)    CHECK(isnan(a), 1)

kernel void
edges(global uint *out)
{
    float inf = INFINITY, none = NAN, whole;
    int q, e;
    SAME(pown(none, 0), 1);
    SAME(pown(-0.0f, -3), -inf);
    SAME(pown(-0.0f, 3), -0.0f);
    SAME(pown(-2.0f, 3), -8);
    SAME(pown(-1.0f, INT_MAX), -1);
    SAME(pown(-1.0f, INT_MIN), 1);
    IS_NAN(powr(-1.0f, 2.0f));
    IS_NAN(powr(0.0f, 0.0f));
    IS_NAN(powr(inf, 0.0f));
    IS_NAN(powr(1.0f, inf));
    IS_NAN(powr(2.0f, none));
    SAME(powr(-0.0f, 3.0f), 0);
    SAME(powr(-0.0f, -3.0f), inf);
    SAME(powr(0.0f, -inf), inf);
    SAME(pow(-2.0f, 3.0f), -8);
    IS_NAN(rootn(2.0f, 0));
    IS_NAN(rootn(-8.0f, 2));
    SAME(rootn(-8.0f, 3), -2);
    SAME(rootn(-0.0f, 3), -0.0f);
    SAME(rootn(-0.0f, -3), -inf);
    SAME(rootn(-0.0f, -2), inf);
    SAME(rootn(inf, 5), inf);
    SAME(rootn(inf, -5), 0);
    SAME(rootn(1e-40f, 1), 1e-40f);
    SAME(sinpi(-2.0f), -0.0f);
    SAME(cospi(0.5f), 0);
    SAME(tanpi(0.5f), inf);
    SAME(tanpi(1.5f), -inf);
    SAME(tanpi(1.0f), -0.0f);
    SAME(tanpi(-2.0f), -0.0f);
    IS_NAN(tanpi(inf));
    SAME(atan2pi(0.0f, -1.0f), 1);
    SAME(atan2pi(-0.0f, -0.0f), -1);
    SAME(acospi(1.0f), 0);
    SAME(asinpi(-1.0f), -0.5f);
    SAME(atanpi(inf), 0.5f);
    SAME(fract(-0x1p-30f, &whole), 0x1.fffffep-1f);
    SAME(whole, -1);
    SAME(fract(inf, &whole), 0);
    SAME(whole, inf);
    SAME(fract(-0.0f, &whole), -0.0f);
    SAME(modf(-3.75f, &whole), -0.75f);
    SAME(modf(-inf, &whole), -0.0f);
    SAME(frexp(0.0f, &e), 0);
    CHECK(e, 0);
    SAME(frexp(-10.0f, &e), -0.625f);
    CHECK(e, 4);
    SAME(remquo(-7.0f, 2.0f, &q), 1);
    CHECK(q & 7, -4 & 7);
    SAME(lgamma_r(-0.5f, &q), lgamma(-0.5f));
    CHECK(q, -1);
    CHECK(ilogb(none), FP_ILOGBNAN);
    CHECK(ilogb(0.0), FP_ILOGB0);
    CHECK(ilogb(inf), INT_MAX);
    CHECK(as_uint(nan(5u)), 0x7fc00005u);
    SAME(maxmag(-3.0f, 2.0f), -3);
    SAME(minmag(-3.0f, 2.0f), 2);
    SAME(nextafter(1.0f, 2.0f), 0x1.000002p0f);
    CHECK(nextafter(1.0h, 2.0h), as_half((ushort)0x3c01));
    CHECK(as_ushort(nextafter(0.0h, -1.0h)), 0x8001);
    SAME(fmin(none, 1.0f), 1);
    SAME(fdim(1.0f, 2.0f), 0);
    SAME(round(-2.5f), -3);
    SAME(rint(2.5f), 2);
    SAME(ldexp(1.0f, -149), 0x1p-149f);
    SAME(mad(2.0f, 3.0f, 4.0f), 10);
}
