/* SPDX-License-Identifier: Apache-2.0 */
/*
 * int.h - integer arithmetic, logic, shifts and bit fields of 16, 32 and 64
 * bits. Total, unsigned inside; signed numbers come and go as their bits.
 *
 * Names: sem_<op>_<type>, where type b32 means that signedness is no matter.
 * The common ones of every width are in int_body.h. Does NOT do the scalar
 * and SIMD video instructions (video.h).
 */
#ifndef SW_SEM_INT_H
#define SW_SEM_INT_H
#include "sem/float.h"

#define SEM_U     uint16_t
#define SEM_S     int16_t
#define SEM_W     uint32_t
#define SEM_WS    int32_t
#define SEM_BITS  16
#define SEM_B(x)  sem_##x##_b16
#define SEM_UN(x) sem_##x##_u16
#define SEM_SN(x) sem_##x##_s16
#include "sem/int_body.h"

#define SEM_U     uint32_t
#define SEM_S     int32_t
#define SEM_W     uint64_t
#define SEM_WS    int64_t
#define SEM_BITS  32
#define SEM_B(x)  sem_##x##_b32
#define SEM_UN(x) sem_##x##_u32
#define SEM_SN(x) sem_##x##_s32
#include "sem/int_body.h"

#define SEM_U     uint64_t
#define SEM_S     int64_t
#define SEM_W     sw_u128
#define SEM_WS    sw_s128
#define SEM_BITS  64
#define SEM_B(x)  sem_##x##_b64
#define SEM_UN(x) sem_##x##_u64
#define SEM_SN(x) sem_##x##_s64
#include "sem/int_body.h"

/* ---- division ---- */

/*
 * "Division by zero yields an unspecified, machine-specific value": all ones
 * for the quotient and for the remainder. The lowest number by -1 wraps to
 * itself, remainder 0.
 *
 * Quotients of up to 32 bits by way of f64, which vectorises: a / b is an
 * integer or at least 2^-32 away from one, further than f64 can err. The low
 * bits of the truncated quotient + 1.5 * 2^52 are the integer.
 */
static inline uint32_t
sem_quotient(double a, double b)
{
    double q = __builtin_trunc(a / (b < 0 || b > 0 ? b : 1));
    return b < 0 || b > 0 ? (uint32_t)sem_bits_f64(q + 0x1.8p52) : UINT32_MAX;
}

static inline uint32_t
sem_div_u32(uint32_t a, uint32_t b)
{
    return sem_quotient((double)a, (double)b);
}

static inline uint32_t
sem_div_s32(uint32_t a, uint32_t b)
{
    return sem_quotient((double)(int32_t)a, (double)(int32_t)b);
}

static inline uint32_t
sem_rem_u32(uint32_t a, uint32_t b)
{
    return b ? a - sem_div_u32(a, b) * b : UINT32_MAX;
}

static inline uint32_t
sem_rem_s32(uint32_t a, uint32_t b)
{
    return b ? a - sem_div_s32(a, b) * b : UINT32_MAX;
}

static inline uint16_t
sem_div_u16(uint16_t a, uint16_t b)
{
    return (uint16_t)sem_div_u32(a, b);
}

static inline uint16_t
sem_div_s16(uint16_t a, uint16_t b)
{
    return (uint16_t)sem_quotient((double)(int16_t)a, (double)(int16_t)b);
}

static inline uint16_t
sem_rem_u16(uint16_t a, uint16_t b)
{
    return (uint16_t)sem_rem_u32(a, b);
}

static inline uint16_t
sem_rem_s16(uint16_t a, uint16_t b)
{
    return (uint16_t)sem_rem_s32((uint32_t)(int16_t)a, (uint32_t)(int16_t)b);
}

static inline uint64_t
sem_div_u64(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

static inline uint64_t
sem_rem_u64(uint64_t a, uint64_t b)
{
    return b ? a % b : UINT64_MAX;
}

static inline uint64_t
sem_div_s64(uint64_t a, uint64_t b)
{
    if (!b)
        return UINT64_MAX;
    return b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
}

static inline uint64_t
sem_rem_s64(uint64_t a, uint64_t b)
{
    if (!b)
        return UINT64_MAX;
    return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
}

/* ---- saturation (.sat: s32 only) ---- */

static inline uint32_t
sem_clamp_s32(int64_t x)
{
    return x > INT32_MAX   ? (uint32_t)INT32_MAX
           : x < INT32_MIN ? (uint32_t)INT32_MIN
                           : (uint32_t)x;
}

static inline uint32_t
sem_add_s32(uint32_t a, uint32_t b, sw_fmode m)
{
    return m & SW_FM_SAT ? sem_clamp_s32((int64_t)(int32_t)a + (int32_t)b)
                         : a + b;
}

static inline uint32_t
sem_sub_s32(uint32_t a, uint32_t b, sw_fmode m)
{
    return m & SW_FM_SAT ? sem_clamp_s32((int64_t)(int32_t)a - (int32_t)b)
                         : a - b;
}

static inline uint32_t
sem_mad_hi_sat_s32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    uint32_t hi = sem_mul_hi_s32(a, b);
    return sem_add_s32(hi, c, m);
}

/* ---- relu of min and max (s32, s16x2) ---- */

static inline uint32_t
sem_min_relu_s32(uint32_t a, uint32_t b, sw_fmode m)
{
    uint32_t r = sem_min_s32(a, b);
    return m & SW_FM_RELU ? sem_max_s32(r, 0) : r;
}

static inline uint32_t
sem_max_relu_s32(uint32_t a, uint32_t b, sw_fmode m)
{
    uint32_t r = sem_max_s32(a, b);
    return m & SW_FM_RELU ? sem_max_s32(r, 0) : r;
}

/* ---- 24-bit products ---- */

static inline uint32_t
sem_mul24_lo_u32(uint32_t a, uint32_t b)
{
    return (a & 0xffffff) * (b & 0xffffff);
}

static inline uint32_t
sem_mul24_hi_u32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16);
}

static inline int32_t
sem_s24(uint32_t a)
{
    return (int32_t)(a << 8) >> 8;
}

static inline uint32_t
sem_mul24_lo_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)sem_s24(a) * (uint32_t)sem_s24(b);
}

static inline uint32_t
sem_mul24_hi_s32(uint32_t a, uint32_t b)
{
    return (uint32_t)((uint64_t)((int64_t)sem_s24(a) * sem_s24(b)) >> 16);
}

static inline uint32_t
sem_mad24_lo_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return sem_mul24_lo_u32(a, b) + c;
}

static inline uint32_t
sem_mad24_lo_s32(uint32_t a, uint32_t b, uint32_t c)
{
    return sem_mul24_lo_s32(a, b) + c;
}

static inline uint32_t
sem_mad24_hi_u32(uint32_t a, uint32_t b, uint32_t c)
{
    return sem_mul24_hi_u32(a, b) + c;
}

static inline uint32_t
sem_mad24_hi_s32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    return sem_add_s32(sem_mul24_hi_s32(a, b), c, m);
}

/* ---- counting and finding bits; results are u32 ---- */

static inline uint32_t
sem_popc_b32(uint32_t a)
{
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101u >> 24;
}

static inline uint32_t
sem_popc_b64(uint64_t a)
{
    return sem_popc_b32((uint32_t)a) + sem_popc_b32((uint32_t)(a >> 32));
}

static inline uint32_t
sem_clz_b32(uint32_t a)
{
    return a ? (uint32_t)__builtin_clz(a) : 32;
}

static inline uint32_t
sem_clz_b64(uint64_t a)
{
    return a ? (uint32_t)__builtin_clzll(a) : 64;
}

static inline uint32_t
sem_brev_b32(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

static inline uint64_t
sem_brev_b64(uint64_t a)
{
    return (uint64_t)sem_brev_b32((uint32_t)a) << 32 |
           sem_brev_b32((uint32_t)(a >> 32));
}

/* "bfind returns 0xffffffff if no non-sign bit is found"; with .shiftamt the
 * left shift that would bring the bit to the top. */
static inline uint32_t
sem_bfind_u64(uint64_t a, sw_fmode m)
{
    if (!a)
        return UINT32_MAX;
    uint32_t z = sem_clz_b64(a);
    return m & SW_FM_SUB ? z : 63 - z;
}

static inline uint32_t
sem_bfind_s64(uint64_t a, sw_fmode m)
{
    return sem_bfind_u64((int64_t)a < 0 ? ~a : a, m);
}

static inline uint32_t
sem_bfind_u32(uint32_t a, sw_fmode m)
{
    if (!a)
        return UINT32_MAX;
    uint32_t z = sem_clz_b32(a);
    return m & SW_FM_SUB ? z : 31 - z;
}

static inline uint32_t
sem_bfind_s32(uint32_t a, sw_fmode m)
{
    return sem_bfind_u32((int32_t)a < 0 ? ~a : a, m);
}

/* fns: position of the offset-th set bit at or above (offset > 0), at or
 * below (offset < 0) base; offset 0: base if that bit is set. Else, and for a
 * base beyond 31, all ones. */
static inline uint32_t
sem_fns_b32(uint32_t mask, uint32_t base, uint32_t offset)
{
    int32_t n = (int32_t)offset;
    if (n == INT32_MIN)
        return 0;
    if (base > 31)
        return UINT32_MAX;
    if (!n)
        return mask >> base & 1 ? base : UINT32_MAX;
    int32_t left = n < 0 ? -n : n;
    for (int32_t i = (int32_t)base; i >= 0 && i < 32; i += n < 0 ? -1 : 1)
        if (mask >> i & 1 && !--left)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* ---- fields ---- */

/* Beyond the top: zero, or the sign bit of the input or of the field for
 * signed types. "pos = b & 0xff, len = c & 0xff", which the 64-bit forms on
 * recent devices do not do. */
static inline uint64_t
sem_bfe_wide(uint64_t a, uint32_t pos, uint32_t len, unsigned bits, bool sign)
{
    uint64_t field = pos < bits ? a >> pos : 0; /* a is zero-extended */
    uint64_t mask = len < 64 ? (UINT64_C(1) << len) - 1 : UINT64_MAX;
    uint64_t at = (uint64_t)pos + len - 1; /* of the field's sign */
    if (at > bits - 1)
        at = bits - 1;
    bool fill = sign && len && a >> at & 1;
    uint32_t have = pos < bits ? bits - pos : 0;
    uint64_t kept = have < 64 ? (UINT64_C(1) << have) - 1 : UINT64_MAX;
    mask &= kept;
    return fill ? field | ~mask : field & mask;
}

static inline uint32_t
sem_bfe_u32(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t pos = b & 0xff, len = c & 0xff;
    uint32_t field = pos < 32 ? a >> (pos & 31) : 0;
    return len < 32 ? field & ((1u << (len & 31)) - 1) : field;
}

static inline uint32_t
sem_bfe_s32(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)sem_bfe_wide(a, b & 0xff, c & 0xff, 32, true);
}

static inline uint64_t
sem_bfe_u64(uint64_t a, uint32_t b, uint32_t c)
{
    return sem_bfe_wide(a, b, c, 64, false);
}

static inline uint64_t
sem_bfe_s64(uint64_t a, uint32_t b, uint32_t c)
{
    return sem_bfe_wide(a, b, c, 64, true);
}

static inline uint32_t
sem_bfi_b32(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t pos = c & 0xff, len = d & 0xff;
    uint32_t ones = len < 32 ? (1u << (len & 31)) - 1 : UINT32_MAX;
    uint32_t mask = pos < 32 ? ones << (pos & 31) : 0;
    return (b & ~mask) | (a << (pos & 31) & mask);
}

static inline uint64_t
sem_bfi_b64(uint64_t a, uint64_t b, uint32_t c, uint32_t d)
{
    uint32_t pos = c, len = d;
    uint64_t ones = len < 64 ? (UINT64_C(1) << (len & 63)) - 1 : UINT64_MAX;
    uint64_t mask = pos < 64 ? ones << (pos & 63) : 0;
    return (b & ~mask) | (a << (pos & 63) & mask);
}

/* szext: a extended from its low b bits; .wrap takes b mod 32, .clamp treats
 * b > 32 as 32. No bits: 0. */
static inline uint32_t
sem_szext(uint32_t a, uint32_t b, bool sign, sw_fmode m)
{
    uint32_t n = m & SW_FM_SUB ? b & 31 : b < 32 ? b : 32;
    if (!n)
        return 0;
    uint32_t up = a << (32 - n);
    return sign ? (uint32_t)((int32_t)up >> (32 - n)) : up >> (32 - n);
}

static inline uint32_t
sem_szext_u32(uint32_t a, uint32_t b, sw_fmode m)
{
    return sem_szext(a, b, false, m);
}

static inline uint32_t
sem_szext_s32(uint32_t a, uint32_t b, sw_fmode m)
{
    return sem_szext(a, b, true, m);
}

/* bmsk: b ones from bit a up; .wrap takes both mod 32, .clamp clamps to 32. */
static inline uint32_t
sem_bmsk_b32(uint32_t a, uint32_t b, sw_fmode m)
{
    uint32_t pos = m & SW_FM_SUB ? a & 31 : a < 32 ? a : 32;
    uint32_t len = m & SW_FM_SUB ? b & 31 : b < 32 ? b : 32;
    uint32_t ones = len < 32 ? (1u << len) - 1 : UINT32_MAX;
    return pos < 32 ? ones << pos : 0;
}

/* ---- dot products ---- */

static inline int32_t
sem_byte(uint32_t a, int i, bool sign)
{
    uint32_t v = a >> (8 * i) & 0xff;
    return sign ? (int8_t)v : (int32_t)v;
}

static inline uint32_t
sem_dp4a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb)
{
    for (int i = 0; i < 4; i++)
        c += (uint32_t)(sem_byte(a, i, sa) * sem_byte(b, i, sb));
    return c;
}

/* sub 1 (.hi): bytes 2 and 3 of b, else 0 and 1. */
static inline uint32_t
sem_dp2a(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, bool hi)
{
    for (int i = 0; i < 2; i++) {
        uint32_t h = a >> (16 * i) & 0xffff;
        int32_t x = sa ? (int16_t)h : (int32_t)h;
        c += (uint32_t)(x * sem_byte(b, i + 2 * hi, sb));
    }
    return c;
}

/* ---- logic of three, funnel shifts, permutation ---- */

/* Bit (a << 2 | b << 1 | c) of the table, for every bit. */
static inline uint32_t
sem_lop3_b32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    uint32_t t = m >> SW_FM_IMM_SHIFT, r = 0;
    for (uint32_t i = 0; i < 8; i++)
        r |= (0u - (t >> i & 1)) & (i & 4 ? a : ~a) & (i & 2 ? b : ~b) &
             (i & 1 ? c : ~c);
    return r;
}

static inline uint32_t
sem_shf_amount(uint32_t c, sw_fmode m)
{
    return m & SW_FM_SUB ? c & 31 : c < 32 ? c : 32;
}

/* "shf.l: upper 32 bits of {b, a} << n". */
static inline uint32_t
sem_shf_l_b32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    uint64_t v = (uint64_t)b << 32 | a;
    return (uint32_t)(v << sem_shf_amount(c, m) >> 32);
}

/* "shf.r: lower 32 bits of {b, a} >> n". */
static inline uint32_t
sem_shf_r_b32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    uint64_t v = (uint64_t)b << 32 | a;
    return (uint32_t)(v >> sem_shf_amount(c, m));
}

/* prmt: the selectors of the modes that are not generic, by mode and c & 3. */
static const uint16_t sem_prmt_selectors[7][4] = {
    [SW_PRMT_F4E] = {0x3210, 0x4321, 0x5432, 0x6543},
    [SW_PRMT_B4E] = {0x5670, 0x6701, 0x7012, 0x0123},
    [SW_PRMT_RC8] = {0x0000, 0x1111, 0x2222, 0x3333},
    [SW_PRMT_ECL] = {0x3210, 0x3211, 0x3222, 0x3333},
    [SW_PRMT_ECR] = {0x0000, 0x1110, 0x2210, 0x3210},
    [SW_PRMT_RC16] = {0x1010, 0x3232, 0x1010, 0x3232},
};

/* Generic mode: nibble i of c picks byte i of {b, a}, its bit 3 asks for the
 * byte's sign instead. The other modes take their selectors from c's low two
 * bits. */
static inline uint32_t
sem_prmt_b32(uint32_t a, uint32_t b, uint32_t c, sw_fmode m)
{
    unsigned mode = (m & SW_FM_SUB) >> SW_FM_SUB_SHIFT;
    if (mode && mode < 7)
        c = sem_prmt_selectors[mode][c & 3];
    uint64_t v = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t sel = c >> (4 * i);
        uint32_t byte = (uint32_t)(v >> (8 * (sel & 7))) & 0xff;
        if (sel & 8)
            byte = byte & 0x80 ? 0xff : 0;
        r |= byte << (8 * i);
    }
    return r;
}

#endif
