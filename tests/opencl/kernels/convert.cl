// SPDX-License-Identifier: Apache-2.0
// Conversions: every number of 8 and 16 bits to each type of integers, halves
// and floats to integers in each rounding, integers to floats. arg0:
// comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: whole grid=256 block=256
// arg: out u32 2
// expect: EXACT arg0: 1048576 0
// run: halves grid=256 block=256
// arg: out u32 2
// expect: EXACT arg0: 1048576 0
// run: floats grid=64 block=256
// arg: out u32 2
// expect: EXACT arg0: 262144 0
// run: to_floats grid=64 block=256
// arg: out u32 2
// expect: EXACT arg0: 163840 0
// run: edges
// arg: out u32 2
// expect: EXACT arg0: 19 0
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)
#define NEAREST(T, x, least, most)                                             \
    ((x) < (least) ? (T)(least) : (x) > (most) ? (T)(most) : (T)(x))

#define EACH_SMALL(S)                                                          \
    {                                                                          \
        S x = (S)get_global_id(0);                                             \
        long a = x;                                                            \
        CHECK(convert_char_sat(x), NEAREST(char, a, -128, 127));               \
        CHECK(convert_uchar_sat(x), NEAREST(uchar, a, 0, 255));                \
        CHECK(convert_short_sat_rte(x), NEAREST(short, a, -32768, 32767));     \
        CHECK(convert_ushort_sat(x), NEAREST(ushort, a, 0, 65535));            \
        CHECK(convert_uint_sat(x), NEAREST(uint, a, 0, 0xffffffff));           \
        CHECK(convert_ulong_sat(x), a < 0 ? 0ul : (ulong)a);                   \
        CHECK(convert_uchar(x), (uchar)a);                                     \
        CHECK(convert_long(x), a);                                             \
    }

kernel void
whole(global uint *out)
{
    EACH_SMALL(short)
    EACH_SMALL(ushort)
}

/* By doubles, which hold all of it. */
static double
rounded(double x, int way)
{
    double down = floor(x), up = ceil(x);
    if (way == 1)
        return trunc(x);
    if (way == 2)
        return up;
    if (way == 3)
        return down;
    if (x - down != up - x)
        return x - down < up - x ? down : up;
    return fmod(down, 2.0) == 0 ? down : up;
}

#define EACH_WAY(T, least, most, x)                                            \
    {                                                                          \
        double a = x;                                                          \
        CHECK(convert_##T##_sat_rte(x),                                        \
              isnan(a) ? (T)0 : NEAREST(T, rounded(a, 0), least, most));       \
        CHECK(convert_##T##_sat(x),                                            \
              isnan(a) ? (T)0 : NEAREST(T, rounded(a, 1), least, most));       \
        CHECK(convert_##T##_sat_rtp(x),                                        \
              isnan(a) ? (T)0 : NEAREST(T, rounded(a, 2), least, most));       \
        CHECK(convert_##T##_sat_rtn(x),                                        \
              isnan(a) ? (T)0 : NEAREST(T, rounded(a, 3), least, most));       \
    }

kernel void
halves(global uint *out)
{
    half x = as_half((ushort)get_global_id(0));
    EACH_WAY(char, -128, 127, x)
    EACH_WAY(ushort, 0, 65535, x)
    EACH_WAY(int, INT_MIN, INT_MAX, x)
    EACH_WAY(uint, 0, UINT_MAX, x)
}

static uint
any_number(uint seed)
{
    seed = (seed ^ seed >> 16) * 0x7feb352du;
    seed = (seed ^ seed >> 15) * 0x846ca68bu;
    return seed ^ seed >> 16;
}

kernel void
floats(global uint *out)
{
    /* of all exponents, and near the limits of integers */
    uint bits = any_number((uint)get_global_id(0));
    float x = as_float(bits & 1 ? bits : (bits & 0x87ffffff) | 0x40000000);
    EACH_WAY(uchar, 0, 255, x)
    EACH_WAY(short, -32768, 32767, x)
    EACH_WAY(int, INT_MIN, INT_MAX, x)
    EACH_WAY(uint, 0, UINT_MAX, x)
}

/* Whether y is the float next to x in that direction. */
#define IS_ROUNDED(T, next, x, up, down, near, zero)                           \
    (convert_double(up) >= (x) && convert_double(down) <= (x) &&               \
     (up == down || up == next(down, (T)INFINITY)) &&                          \
     (near == up || near == down) &&                                           \
     fabs(convert_double(near) - (x)) <=                                       \
         fmin(fabs(convert_double(up) - (x)),                                  \
              fabs(convert_double(down) - (x))) &&                             \
     zero == ((x) < 0 ? up : down))

kernel void
to_floats(global uint *out)
{
    int x = (int)any_number((uint)get_global_id(0));
    x >>= get_global_id(0) & 31;
    uint u = (uint)x;
    double d = as_double((ulong)any_number(u) << 32 | any_number(u + 1));
    float f = as_float(any_number(u ^ 7));
    d = isfinite(d) ? ldexp(d, -(int)(ilogb(d) / 9 * 8)) : 1.0;
    CHECK(IS_ROUNDED(float, nextafter, (double)x, convert_float_rtp(x),
                     convert_float_rtn(x), convert_float(x),
                     convert_float_rtz(x)), true);
    CHECK(IS_ROUNDED(float, nextafter, (double)u, convert_float_rtp(u),
                     convert_float_rtn(u), convert_float_rte(u),
                     convert_float_rtz(u)), true);
    CHECK(IS_ROUNDED(float, nextafter, d, convert_float_rtp(d),
                     convert_float_rtn(d), convert_float(d),
                     convert_float_rtz(d)), true);
    f = isnan(f) ? 0.1f : ldexp(f, -ilogb(f) / 9 * 8);
    double wide = f;
    if (fabs(f) < 65504.0f)
        CHECK(IS_ROUNDED(half, nextafter, wide, convert_half_rtp(f),
                         convert_half_rtn(f), convert_half(f),
                         convert_half_rtz(f)), true);
    else
        CHECK(fabs(convert_half_rtz(f)), 65504.0h);
    CHECK(convert_double(x), (double)x);
    ulong l = (ulong)u << 32 | any_number(u);
    CHECK(convert_double_rtz(l) <= convert_double_rtp(l), true);
    CHECK((ulong)convert_double_rtz(l >> 1) <= l >> 1, true);
    CHECK((ulong)convert_double_rtp(l >> 1) >= l >> 1, true);
    CHECK(convert_float(l), convert_float_rte(l));
    CHECK(convert_long_sat_rte(convert_double((long)x)), (long)x);
}

kernel void
edges(global uint *out)
{
    CHECK(convert_long_sat((float)NAN), 0L);
    CHECK(convert_long_sat(INFINITY), LONG_MAX);
    CHECK(convert_long_sat(-INFINITY), LONG_MIN);
    CHECK(convert_ulong_sat(-1.5), 0ul);
    CHECK(convert_ulong_sat(1e30), ULONG_MAX);
    CHECK(convert_int_sat(ULONG_MAX), INT_MAX);
    CHECK(convert_ulong_sat(LONG_MIN), 0ul);
    CHECK(convert_char_sat(LONG_MIN), CHAR_MIN);
    CHECK(convert_half(65520.0f), (half)INFINITY);
    CHECK(convert_half_rtz(1e10f), 65504.0h);
    CHECK(all(convert_int4_rte((float4)(0.5f, 1.5f, -2.5f, 2.6f)) ==
              (int4)(0, 2, -2, 3)), 1);
    CHECK(all(convert_uchar4_sat((float4)(-1, 255.9f, 256, NAN)) ==
              (uchar4)(0, 255, 255, 0)), 1);
    CHECK(all(convert_short8_sat((int8)(70000, -70000, 5, 6, 7, 8, 9, 10)) ==
              (short8)(32767, -32768, 5, 6, 7, 8, 9, 10)), 1);
    CHECK(as_uint(convert_float(as_half((ushort)0x0001))), 0x33800000u);
    CHECK(convert_int_sat((double)NAN), 0);
    CHECK(convert_uint_sat((double)NAN), 0u);
    CHECK(convert_char_sat((double)NAN), (char)0);
    CHECK(convert_short_sat_rte((double)NAN), (short)0);
    CHECK(convert_ulong_sat((double)NAN), 0ul);
}
