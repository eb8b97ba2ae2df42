/* SPDX-License-Identifier: Apache-2.0 */
/*
 * integer.cl - the integer functions (OpenCL C 3.0, 6.15.3), those of
 * cl_khr_extended_bit_ops, and the vectors' shuffle, shuffle2 (6.15.13).
 */
#include "library.clh"

/* MIN and MAX, and a type twice as wide, of each type. */
#define WIDER_char   short
#define WIDER_uchar  ushort
#define WIDER_short  int
#define WIDER_ushort uint
#define WIDER_int    long
#define WIDER_uint   ulong
#define LEAST(T, U)  ((T)(IS_SIGNED(T) ? (U)1 << (8 * sizeof(T) - 1) : (U)0))
#define MOST(T, U)   ((T)~LEAST(T, U))
#define IS_SIGNED(T) ((T)-1 < 0)

/* The nearest T to an int. */
#define WITHIN(T, U, x)                                                        \
    ((x) > (int)MOST(T, U)    ? MOST(T, U)                                     \
     : (x) < (int)LEAST(T, U) ? LEAST(T, U)                                    \
                              : (T)(x))

/* ---- sums and differences ---- */

#define SUMS(T, U, bits)                                                       \
    PURE U abs(T x)                                                            \
    {                                                                          \
        return x < 0 ? (U)0 - (U)x : (U)x;                                     \
    }                                                                          \
    PURE U abs_diff(T x, T y)                                                  \
    {                                                                          \
        return x > y ? (U)x - (U)y : (U)y - (U)x;                              \
    }                                                                          \
    PURE T add_sat(T x, T y)                                                   \
    {                                                                          \
        return sizeof(T) < sizeof(int)                                         \
                   ? WITHIN(T, U, (int)x + (int)y)                             \
                   : (T)__builtin_elementwise_add_sat(x, y);                    \
    }                                                                          \
    PURE T sub_sat(T x, T y)                                                   \
    {                                                                          \
        return sizeof(T) < sizeof(int)                                         \
                   ? WITHIN(T, U, (int)x - (int)y)                             \
                   : (T)__builtin_elementwise_sub_sat(x, y);                    \
    }                                                                          \
    PURE T hadd(T x, T y)                                                      \
    {                                                                          \
        return (T)((x & y) + ((x ^ y) >> 1));                                  \
    }                                                                          \
    PURE T rhadd(T x, T y)                                                     \
    {                                                                          \
        return (T)((x | y) - ((x ^ y) >> 1));                                  \
    }                                                                          \
    PURE T max(T x, T y)                                                       \
    {                                                                          \
        return x > y ? x : y;                                                  \
    }                                                                          \
    PURE T min(T x, T y)                                                       \
    {                                                                          \
        return x < y ? x : y;                                                  \
    }                                                                          \
    PURE T clamp(T x, T low, T high)                                           \
    {                                                                          \
        return min(max(x, low), high);                                         \
    }                                                                          \
    PURE T rotate(T x, T by)                                                   \
    {                                                                          \
        U n = (U)by & (bits - 1);                                              \
        return (T)((U)((U)x << n) | (U)((U)x >> ((bits - n) & (bits - 1))));   \
    }                                                                          \
    PURE T clz(T x)                                                            \
    {                                                                          \
        return x ? (T)(__builtin_clzl((ulong)(U)x) - (64 - bits)) : (T)bits;   \
    }                                                                          \
    PURE T ctz(T x)                                                            \
    {                                                                          \
        return x ? (T)__builtin_ctzl((ulong)(U)x) : (T)bits;                   \
    }                                                                          \
    PURE T popcount(T x)                                                       \
    {                                                                          \
        return (T)__builtin_popcountl((ulong)(U)x);                            \
    }
INTEGERS(SUMS)

#define SUM_VECTORS(T, U, bits)                                                \
    VECTORS_1(abs, U, T)                                                       \
    VECTORS_2(abs_diff, U, T, T)                                               \
    VECTORS_2(add_sat, T, T, T)                                                \
    VECTORS_2(sub_sat, T, T, T)                                                \
    VECTORS_2(hadd, T, T, T)                                                   \
    VECTORS_2(rhadd, T, T, T)                                                  \
    VECTORS_2(max, T, T, T)                                                    \
    VECTORS_2(min, T, T, T)                                                    \
    VECTORS_3(clamp, T, T, T, T)                                               \
    VECTORS_2(rotate, T, T, T)                                                 \
    VECTORS_1(clz, T, T)                                                       \
    VECTORS_1(ctz, T, T)                                                       \
    VECTORS_1(popcount, T, T)                                                  \
    WIDTHS(BY_SCALAR, T)
#define BY_SCALAR(n, T)                                                        \
    PURE T##n max(T##n x, T y)                                                 \
    {                                                                          \
        return max(x, (T##n)y);                                                \
    }                                                                          \
    PURE T##n min(T##n x, T y)                                                 \
    {                                                                          \
        return min(x, (T##n)y);                                                \
    }                                                                          \
    PURE T##n clamp(T##n x, T low, T high)                                     \
    {                                                                          \
        return clamp(x, (T##n)low, (T##n)high);                                \
    }
INTEGERS(SUM_VECTORS)

/* ---- products ---- */

#define HIGH_OF_WIDER(T, U, bits)                                              \
    PURE T mul_hi(T x, T y)                                                    \
    {                                                                          \
        return (T)(((WIDER_##T)x * (WIDER_##T)y) >> bits);                     \
    }
HIGH_OF_WIDER(char, uchar, 8)
HIGH_OF_WIDER(uchar, uchar, 8)
HIGH_OF_WIDER(short, ushort, 16)
HIGH_OF_WIDER(ushort, ushort, 16)
HIGH_OF_WIDER(int, uint, 32)
HIGH_OF_WIDER(uint, uint, 32)
PURE long
mul_hi(long x, long y)
{
    long r;
    __asm__("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
}
PURE ulong
mul_hi(ulong x, ulong y)
{
    ulong r;
    __asm__("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(x), "l"(y));
    return r;
}

#define PRODUCTS(T, U, bits)                                                   \
    PURE T mad_hi(T x, T y, T z)                                               \
    {                                                                          \
        return (T)((U)mul_hi(x, y) + (U)z);                                    \
    }                                                                          \
    VECTORS_2(mul_hi, T, T, T)                                                 \
    VECTORS_3(mad_hi, T, T, T, T)                                              \
    VECTORS_3(mad_sat, T, T, T, T)
#define MAD_SAT_OF_WIDER(T, U, bits)                                           \
    PURE T mad_sat(T x, T y, T z)                                              \
    {                                                                          \
        WIDER_##T r = (WIDER_##T)x * (WIDER_##T)y + z;                         \
        return r > MOST(T, U)    ? MOST(T, U)                                  \
               : r < LEAST(T, U) ? LEAST(T, U)                                 \
                                 : (T)r;                                       \
    }
MAD_SAT_OF_WIDER(char, uchar, 8)
MAD_SAT_OF_WIDER(uchar, uchar, 8)
MAD_SAT_OF_WIDER(short, ushort, 16)
MAD_SAT_OF_WIDER(ushort, ushort, 16)
MAD_SAT_OF_WIDER(int, uint, 32)
/* The greatest sum of these still has 64 bits. */
MAD_SAT_OF_WIDER(uint, uint, 32)
PURE ulong
mad_sat(ulong x, ulong y, ulong z)
{
    ulong low = x * y, r = low + z;
    return mul_hi(x, y) || r < low ? ULONG_MAX : r;
}
/* The product's two halves, and z, which has a sign, to both. */
PURE long
mad_sat(long x, long y, long z)
{
    ulong low = (ulong)x * (ulong)y, r = low + (ulong)z;
    long high = mul_hi(x, y) + (z >> 63) + (r < low);
    return high > 0 || (high == 0 && r > LONG_MAX) ? LONG_MAX
           : high < -1 || (high == -1 && r <= LONG_MAX)
               ? LONG_MIN
               : (long)r;
}
INTEGERS(PRODUCTS)

#define OF_24(T, extend)                                                       \
    PURE T mul24(T x, T y)                                                     \
    {                                                                          \
        return extend(x) * extend(y);                                          \
    }                                                                          \
    PURE T mad24(T x, T y, T z)                                                \
    {                                                                          \
        return extend(x) * extend(y) + z;                                      \
    }                                                                          \
    VECTORS_2(mul24, T, T, T)                                                  \
    VECTORS_3(mad24, T, T, T, T)
#define SIGNED_24(x)   ((x) << 8 >> 8)
#define UNSIGNED_24(x) ((x) & 0xffffff)
OF_24(int, SIGNED_24)
OF_24(uint, UNSIGNED_24)

#define UPSAMPLE(T, U, W, bits)                                                \
    PURE W upsample(T high, U low)                                             \
    {                                                                          \
        return (W)((W)high << bits) | (W)low;                                  \
    }                                                                          \
    VECTORS_2(upsample, W, T, U)
UPSAMPLE(char, uchar, short, 8)
UPSAMPLE(uchar, uchar, ushort, 8)
UPSAMPLE(short, ushort, int, 16)
UPSAMPLE(ushort, ushort, uint, 16)
UPSAMPLE(int, uint, long, 32)
UPSAMPLE(uint, uint, ulong, 32)

/* ---- bits ---- */

static INLINE ulong
reversed(ulong x)
{
    ulong r;
    __asm__("brev.b64 %0, %1;" : "=l"(r) : "l"(x));
    return r;
}

#define FIELD_MASK(U, bits, count)                                             \
    ((count) >= bits ? (U)~(U)0 : (U)(((U)1 << (count)) - 1))
#define BITS(T, U, S, bits)                                                    \
    PURE T bitfield_insert(T base, T insert, uint offset, uint count)          \
    {                                                                          \
        U mask = count ? (U)(FIELD_MASK(U, bits, count) << offset) : (U)0;     \
        return (T)(((U)base & ~mask) | ((U)((U)insert << offset) & mask));     \
    }                                                                          \
    PURE U bitfield_extract_unsigned(T x, uint offset, uint count)             \
    {                                                                          \
        return count ? (U)((U)x >> offset) & FIELD_MASK(U, bits, count)        \
                     : (U)0;                                                   \
    }                                                                          \
    PURE S bitfield_extract_signed(T x, uint offset, uint count)               \
    {                                                                          \
        return count ? (S)((S)(U)((U)x << (bits - offset - count)) >>          \
                           (bits - count))                                     \
                     : (S)0;                                                   \
    }                                                                          \
    PURE T bit_reverse(T x)                                                    \
    {                                                                          \
        return (T)(reversed((ulong)(U)x) >> (64 - bits));                 \
    }                                                                          \
    VECTORS_1(bit_reverse, T, T)                                               \
    WIDTHS(BIT_VECTORS, T, U, S)
#define BIT_VECTORS(n, T, U, S)                                                \
    PURE T##n bitfield_insert(T##n x, T##n y, uint offset, uint count)         \
    {                                                                          \
        return (T##n)(EACH_2_##n(INSERT));                                     \
    }                                                                          \
    PURE U##n bitfield_extract_unsigned(T##n x, uint offset, uint count)       \
    {                                                                          \
        return (U##n)(EACH_1_##n(EXTRACT_U));                                  \
    }                                                                          \
    PURE S##n bitfield_extract_signed(T##n x, uint offset, uint count)         \
    {                                                                          \
        return (S##n)(EACH_1_##n(EXTRACT_S));                                  \
    }
#define INSERT(x, y) bitfield_insert(x, y, offset, count)
#define EXTRACT_U(x) bitfield_extract_unsigned(x, offset, count)
#define EXTRACT_S(x) bitfield_extract_signed(x, offset, count)
BITS(char, uchar, char, 8)
BITS(uchar, uchar, char, 8)
BITS(short, ushort, short, 16)
BITS(ushort, ushort, short, 16)
BITS(int, uint, int, 32)
BITS(uint, uint, int, 32)
BITS(long, ulong, long, 64)
BITS(ulong, ulong, long, 64)

/* ---- shuffles: only the low bits of the mask count ---- */

#define SHUFFLES(T, U)                                                         \
    SHUFFLES_TO(2, T, U)                                                       \
    SHUFFLES_TO(4, T, U)                                                       \
    SHUFFLES_TO(8, T, U)                                                       \
    SHUFFLES_TO(16, T, U)
#define SHUFFLES_TO(n, T, U)                                                   \
    SHUFFLE(n, 2, T, U)                                                        \
    SHUFFLE(n, 4, T, U)                                                        \
    SHUFFLE(n, 8, T, U)                                                        \
    SHUFFLE(n, 16, T, U)
#define SHUFFLE(n, m, T, U)                                                    \
    PURE T##n shuffle(T##m x, U##n mask)                                       \
    {                                                                          \
        T##n r;                                                                \
        _Pragma("unroll") for (int i = 0; i < n; i++) r[i] =                   \
            x[mask[i] & (m - 1)];                                              \
        return r;                                                              \
    }                                                                          \
    PURE T##n shuffle2(T##m x, T##m y, U##n mask)                              \
    {                                                                          \
        T##n r;                                                                \
        _Pragma("unroll") for (int i = 0; i < n; i++) r[i] =                   \
            mask[i] & m ? y[mask[i] & (m - 1)] : x[mask[i] & (m - 1)];         \
        return r;                                                              \
    }
SHUFFLES(char, uchar)
SHUFFLES(uchar, uchar)
SHUFFLES(short, ushort)
SHUFFLES(ushort, ushort)
SHUFFLES(half, ushort)
SHUFFLES(int, uint)
SHUFFLES(uint, uint)
SHUFFLES(float, uint)
SHUFFLES(long, ulong)
SHUFFLES(ulong, ulong)
SHUFFLES(double, ulong)
