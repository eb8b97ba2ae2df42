// SPDX-License-Identifier: Apache-2.0
// Integer functions beside arithmetic of 64 bits: every pair of 8-bit numbers,
// and pairs of others from a generator. arg0: comparisons, and how many failed.
// options: -cl-std=CL3.0
// run: bytes grid=256 block=256
// arg: out u32 2
// expect: EXACT arg0: 1441792 0
// run: words grid=64 block=256
// arg: out u32 2
// expect: EXACT arg0: 327680 0
// run: longs grid=64 block=64
// arg: out u32 2
// expect: EXACT arg0: 49152 0
// run: vectors
// arg: out u32 2
// expect: EXACT arg0: 9 0
#define CHECK(a, b)                                                            \
    do {                                                                       \
        atomic_inc(&out[0]);                                                   \
        if ((a) != (b))                                                        \
            atomic_inc(&out[1]);                                               \
    } while (0)

#define BYTES(T, U, least, most)                                               \
    {                                                                          \
        T x = (T)get_group_id(0), y = (T)get_local_id(0);                      \
        long a = x, b = y;                                                     \
        CHECK(add_sat(x, y), clamp(a + b, (long)least, (long)most));           \
        CHECK(sub_sat(x, y), clamp(a - b, (long)least, (long)most));           \
        CHECK(hadd(x, y), (a + b) >> 1);                                       \
        CHECK(rhadd(x, y), (a + b + 1) >> 1);                                  \
        CHECK(abs_diff(x, y), a > b ? a - b : b - a);                          \
        CHECK(abs(x), a < 0 ? -a : a);                                         \
        CHECK(mul_hi(x, y), (a * b) >> 8);                                     \
        CHECK(mad_hi(x, y, y), (T)(((a * b) >> 8) + b));                       \
        CHECK(mad_sat(x, y, x), clamp(a * b + a, (long)least, (long)most));    \
        CHECK(max(x, y) + min(x, y), a + b);                                   \
        uint n = y & 7, u = (U)x;                                              \
        CHECK((U)rotate(x, y), (u << n | u >> (8 - n)) & 255);                 \
    }

kernel void
bytes(global uint *out)
{
    BYTES(char, uchar, -128, 127)
    BYTES(uchar, uchar, 0, 255)
}

static ulong
any_number(ulong seed)
{
    seed = (seed + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111eb;
    seed ^= seed >> 31;
    return seed & 3 ? seed : (seed & 4 ? ~0ul : 0) + (seed >> 60);
}

#define WORDS(T, U, least, most)                                               \
    {                                                                          \
        T x = (T)any_number(get_global_id(0));                                 \
        T y = (T)any_number(get_global_id(0) + 1000000);                       \
        long a = x, b = y;                                                     \
        CHECK(add_sat(x, y), clamp(a + b, (long)least, (long)most));           \
        CHECK(sub_sat(x, y), clamp(a - b, (long)least, (long)most));           \
        CHECK(hadd(x, y), (a + b) >> 1);                                       \
        CHECK(rhadd(x, y), (a + b + 1) >> 1);                                  \
        CHECK(abs_diff(x, y), a > b ? a - b : b - a);                          \
        CHECK(mul_hi(x, y), (T)((least ? (ulong)((a * b) >> 32)                \
                                       : (ulong)a * (ulong)b >> 32)));         \
        uint n = y & 31, u = (U)x;                                             \
        CHECK((U)rotate(x, y), n ? u << n | u >> (32 - n) : u);                \
        CHECK(popcount(x), popcount((long)(U)x));                              \
        CHECK(clz(x), clz((long)(U)x) - 32);                                   \
        CHECK((ulong)upsample(x, (U)y), (ulong)a << 32 | (U)y);                \
    }

kernel void
words(global uint *out)
{
    WORDS(int, uint, INT_MIN, INT_MAX)
    WORDS(uint, uint, 0, UINT_MAX)
}

/* The product's upper half by halves. */
static ulong
high(ulong a, ulong b)
{
    ulong al = (uint)a, ah = a >> 32, bl = (uint)b, bh = b >> 32;
    ulong low = al * bl, mid = ah * bl + (low >> 32);
    ulong other = al * bh + (uint)mid;
    return ah * bh + (mid >> 32) + (other >> 32);
}

kernel void
longs(global uint *out)
{
    long x = (long)any_number(get_global_id(0));
    long y = (long)any_number(get_global_id(0) + 77777);
    long z = (long)any_number(get_global_id(0) + 99999);
    ulong u = (ulong)x, v = (ulong)y, w = (ulong)z;
    CHECK(mul_hi(u, v), high(u, v));
    CHECK((ulong)mul_hi(x, y),
          high(u, v) - (x < 0 ? v : 0) - (y < 0 ? u : 0));
    CHECK(add_sat(x, y), (x ^ (long)(u + v)) < 0 && (x ^ y) >= 0
                             ? (x < 0 ? LONG_MIN : LONG_MAX)
                             : (long)(u + v));
    CHECK(sub_sat(u, v), u < v ? 0 : u - v);
    CHECK(mad_sat(u, v, w), high(u, v) || u * v + w < w ? ULONG_MAX
                                                        : u * v + w);
    int small = (int)x >> 4, few = (int)y;
    CHECK(mad_sat((long)small, (long)few, (long)few), (long)small * few + few);
    /* 2 * LONG_MAX + LONG_MIN is LONG_MAX - 1. */
    CHECK(mad_sat(LONG_MAX, 2L, x), x == LONG_MIN ? LONG_MAX - 1 : LONG_MAX);
    CHECK(mad_sat(LONG_MIN, 2L, y), LONG_MIN);
    CHECK(rotate(u, v), v & 63 ? u << (v & 63) | u >> (64 - (v & 63)) : u);
    CHECK(hadd(u, v), (u >> 1) + (v >> 1) + (u & v & 1));
    CHECK(bit_reverse(bit_reverse(u)), u);
    CHECK(bitfield_extract_unsigned(bitfield_insert(u, v, 5, 20), 5, 20),
          v & 0xfffff);
}

kernel void
vectors(global uint *out)
{
    int4 x = (int4)(INT_MAX, INT_MIN, 5, -7), y = (int4)(1, -1, 6, 3);
    CHECK(all(add_sat(x, y) == (int4)(INT_MAX, INT_MIN, 11, -4)), 1);
    CHECK(all(max(x, 0) == (int4)(INT_MAX, 0, 5, 0)), 1);
    CHECK(all(clamp(x, -6, 4) == (int4)(4, -6, 4, -6)), 1);
    CHECK(all(mul24(y, y) == (int4)(1, 1, 36, 9)), 1);
    CHECK(all(mad24(y, y, y) == (int4)(2, 0, 42, 12)), 1);
    CHECK(all(ctz(y) == (int4)(0, 0, 1, 0)), 1);
    CHECK(all(shuffle(x, (uint4)(3, 2, 1, 4)) == x.wzyx), 1);
    CHECK(all(shuffle2(x, y, (uint4)(0, 4, 7, 11)) ==
              (int4)(x.x, y.x, y.w, x.w)), 1);
    CHECK(all(upsample((char2)(-1, 2), (uchar2)(0, 255)) ==
              (short2)(-256, 767)), 1);
}
