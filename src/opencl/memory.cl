/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.cl - vloadn, vstoren and those of halves (OpenCL C 3.0, 6.15.7).
 * Pointers are aligned as elements are, but for vloada and vstorea.
 */
#include "library.clh"

#define SPACES(M, ...)                                                         \
    M(__generic, __VA_ARGS__)                                                  \
    M(global, __VA_ARGS__)                                                     \
    M(local, __VA_ARGS__)
#define READ_SPACES(M, ...)                                                    \
    SPACES(M, __VA_ARGS__)                                                     \
    M(constant, __VA_ARGS__)

#define P(i)         p[i]
#define PUT_2        p[0] = x.s0; p[1] = x.s1
#define PUT_3        PUT_2; p[2] = x.s2
#define PUT_4        PUT_3; p[3] = x.s3
#define PUT_8        PUT_4; p[4] = x.s4; p[5] = x.s5; p[6] = x.s6; p[7] = x.s7
#define PUT_16                                                                 \
    PUT_8; p[8] = x.s8; p[9] = x.s9; p[10] = x.sa; p[11] = x.sb;               \
    p[12] = x.sc; p[13] = x.sd; p[14] = x.se; p[15] = x.sf
#define GET_2(E)     E(0), E(1)
#define GET_3(E)     GET_2(E), E(2)
#define GET_4(E)     GET_3(E), E(3)
#define GET_8(E)     GET_4(E), E(4), E(5), E(6), E(7)
#define GET_16(E)                                                              \
    GET_8(E), E(8), E(9), E(10), E(11), E(12), E(13), E(14), E(15)

#define LOAD(n, space, T)                                                      \
    OVER T##n vload##n(size_t offset, const space T *from)                     \
    {                                                                          \
        const space T *p = from + offset * n;                                  \
        return (T##n)(GET_##n(P));                                             \
    }
#define STORE(n, space, T)                                                     \
    OVER void vstore##n(T##n x, size_t offset, space T *to)                    \
    {                                                                          \
        space T *p = to + offset * n;                                          \
        PUT_##n;                                                               \
    }
#define LOADS(space, T)  WIDTHS(LOAD, space, T)
#define STORES(space, T) WIDTHS(STORE, space, T)
#define PLAIN(T)                                                               \
    READ_SPACES(LOADS, T)                                                      \
    SPACES(STORES, T)
PLAIN(char)
PLAIN(uchar)
PLAIN(short)
PLAIN(ushort)
PLAIN(int)
PLAIN(uint)
PLAIN(long)
PLAIN(ulong)
PLAIN(half)
PLAIN(float)
PLAIN(double)

/* ---- halves in memory ---- */

/* A vector of 3 is aligned, and has its place, as one of 4 in vloada. */
#define PLACE_2  2
#define PLACE_3  4
#define PLACE_4  4
#define PLACE_8  8
#define PLACE_16 16
#define H(i)     (float)p[i]

#define LOAD_HALF(n, space)                                                    \
    OVER float##n vload_half##n(size_t offset, const space half *from)         \
    {                                                                          \
        const space half *p = from + offset * n;                               \
        return (float##n)(GET_##n(H));                                         \
    }                                                                          \
    OVER float##n vloada_half##n(size_t offset, const space half *from)        \
    {                                                                          \
        const space half *p = from + offset * PLACE_##n;                       \
        return (float##n)(GET_##n(H));                                         \
    }
#define LOAD_HALVES(space, unused)                                             \
    OVER float vload_half(size_t offset, const space half *p)                  \
    {                                                                          \
        return (float)p[offset];                                               \
    }                                                                          \
    OVER float vloada_half(size_t offset, const space half *p)                 \
    {                                                                          \
        return (float)p[offset];                                               \
    }                                                                          \
    WIDTHS(LOAD_HALF, space)
READ_SPACES(LOAD_HALVES, )

#define ROUND(name, r)                                                         \
    static INLINE OVER half round_##name(float x)                              \
    {                                                                          \
        short y;                                                               \
        __asm__("cvt.r" r ".f16.f32 %0, %1;" : "=h"(y) : "f"(x));              \
        return as_half(y);                                                     \
    }                                                                          \
    static INLINE OVER half round_##name(double x)                             \
    {                                                                          \
        short y;                                                               \
        __asm__("cvt.r" r ".f16.f64 %0, %1;" : "=h"(y) : "d"(x));              \
        return as_half(y);                                                     \
    }
ROUND(rte, "n")
ROUND(rtz, "z")
ROUND(rtp, "p")
ROUND(rtn, "m")

#define STORE_HALF(n, space, T, suffix, rounding)                              \
    OVER void vstore_half##n##suffix(T##n v, size_t offset, space half *to)    \
    {                                                                          \
        space half *p = to + offset * n;                                       \
        half##n x = round_vector_##rounding(v);                                \
        PUT_##n;                                                               \
    }                                                                          \
    OVER void vstorea_half##n##suffix(T##n v, size_t offset, space half *to)   \
    {                                                                          \
        space half *p = to + offset * PLACE_##n;                               \
        half##n x = round_vector_##rounding(v);                                \
        PUT_##n;                                                               \
    }
#define ROUND_VECTOR(n, T, rounding)                                           \
    static INLINE OVER half##n round_vector_##rounding(T##n x)                 \
    {                                                                          \
        return (half##n)(EACH_1_##n(round_##rounding));                        \
    }
#define ROUND_VECTORS(rounding)                                                \
    WIDTHS(ROUND_VECTOR, float, rounding)                                      \
    WIDTHS(ROUND_VECTOR, double, rounding)
ROUND_VECTORS(rte)
ROUND_VECTORS(rtz)
ROUND_VECTORS(rtp)
ROUND_VECTORS(rtn)
#define STORE_HALVES(space, T, suffix, rounding)                               \
    OVER void vstore_half##suffix(T x, size_t offset, space half *p)           \
    {                                                                          \
        p[offset] = round_##rounding(x);                                       \
    }                                                                          \
    OVER void vstorea_half##suffix(T x, size_t offset, space half *p)          \
    {                                                                          \
        p[offset] = round_##rounding(x);                                       \
    }                                                                          \
    WIDTHS(STORE_HALF, space, T, suffix, rounding)
#define STORE_ROUNDED(T)                                                       \
    SPACES(STORE_HALVES, T, , rte)                                             \
    SPACES(STORE_HALVES, T, _rte, rte)                                         \
    SPACES(STORE_HALVES, T, _rtz, rtz)                                         \
    SPACES(STORE_HALVES, T, _rtp, rtp)                                         \
    SPACES(STORE_HALVES, T, _rtn, rtn)
STORE_ROUNDED(float)
STORE_ROUNDED(double)
