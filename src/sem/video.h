/* SPDX-License-Identifier: Apache-2.0 */
/*
 * video.h - the video instructions: scalar (vadd ... vset, PTX ISA 9.7.17) and
 * SIMD on two halves or four bytes (vadd2 ... vset4, 9.7.18).
 *
 * Both take everything that is not a value from sw_video. Where the PTX ISA and
 * an H200 (sm_90, whose compiler builds these from other instructions) differ,
 * this file does what the H200 does, and says so: results are exact only where
 * no comment says otherwise.
 */
#ifndef SW_SEM_VIDEO_H
#define SW_SEM_VIDEO_H
#include "sem/cmp.h"

/* Part sel (0 whole, 1..4 bytes, 5 and 6 halves), extended by sign. */
static inline int64_t
sem_video_part(uint32_t v, unsigned sel, bool sign)
{
    if (!sel)
        return sign ? (int64_t)(int32_t)v : (int64_t)v;
    if (sel < 5) {
        uint32_t b = v >> (8 * (sel - 1)) & 0xff;
        return sign ? (int64_t)(int8_t)b : (int64_t)b;
    }
    uint32_t h = v >> (sel == 6 ? 16 : 0) & 0xffff;
    return sign ? (int64_t)(int16_t)h : (int64_t)h;
}

static inline int64_t
sem_video_clamp(int64_t x, unsigned bits, bool sign)
{
    int64_t max = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;
    int64_t min = sign ? -max - 1 : 0;
    return x < min ? min : x > max ? max : x;
}

static inline bool
sem_video_cmp(int64_t a, int64_t b, sw_cmp cmp)
{
    return sem_cmp_s64((uint64_t)a, (uint64_t)b, cmp, 0);
}

/* Is x, an exact result of op, a number without sign to .min and .max? */
static inline bool
sem_video_unsigned(sw_op op, const sw_video *v)
{
    bool a = v->atype != SW_T_S32, b = v->btype != SW_T_S32;
    switch (op) {
    case SW_OP_VABSDIFF:
        return true;
    case SW_OP_VMIN:
        return a && b;
    case SW_OP_VMAX:
        return a || b;
    case SW_OP_VSHL:
    case SW_OP_VSHR:
        return a && !v->sat;
    case SW_OP_VSET:
        return v->dtype != SW_T_S32;
    default:
        return false;
    }
}

/*
 * Is r, the low half of x, more than c? By the type of d; but where the result
 * is of the other kind, a number with the top bit is more than any c. PTX ISA:
 * always by the type of d. Of vshl without .sat all 64 bits are compared.
 */
static inline bool
sem_video_more(sw_op op, const sw_video *v, int64_t x, uint32_t c)
{
    bool sign = op == SW_OP_VSET ? v->atype == SW_T_S32 : v->dtype == SW_T_S32;
    uint32_t r = (uint32_t)x;
    bool other = sem_video_unsigned(op, v) == (v->dtype == SW_T_S32);
    if (op == SW_OP_VABSDIFF && x > UINT32_MAX)
        return true;
    if (op == SW_OP_VSHL && !v->sat)
        return sign ? x > (int32_t)c : (uint64_t)x > c;
    if (op != SW_OP_VSET && other && r >> 31)
        return true;
    return sign ? (int32_t)r > (int32_t)c : r > c;
}

/* The second operation on c, or the insertion of part dsel into c. To d.h1 a
 * device gives the upper half of the result; PTX ISA: the lower. */
static inline uint32_t
sem_video_finish(sw_op op, const sw_video *v, int64_t x, uint32_t c)
{
    uint32_t r = (uint32_t)x;
    switch (v->op2) {
    case 1:
        return r + c;
    case 2:
        return sem_video_more(op, v, x, c) ? c : r;
    case 3:
        return sem_video_more(op, v, x, c) ? r : c;
    case 4:
        break;
    default:
        return r;
    }
    if (!v->dsel)
        return r;
    unsigned shift = v->dsel < 5 ? 8u * (v->dsel - 1) : 16u * (v->dsel - 5);
    uint32_t mask = (v->dsel < 5 ? 0xffu : 0xffffu) << shift;
    return (c & ~mask) | ((v->dsel == 6 ? r : r << shift) & mask);
}

/*
 * vmad: {-}a * {-}b + {-}c (+ 1), shifted right by scale. Where nothing has a
 * sign, a device extends c by its sign all the same, and the shift is logical;
 * PTX ISA: c has no sign.
 */
static inline uint32_t
sem_video_mad(const sw_video *v, int64_t a, int64_t b, uint32_t c)
{
    bool neg = v->neg_a != v->neg_b;
    bool sign = v->atype == SW_T_S32 || v->btype == SW_T_S32 || neg || v->neg_c;
    sw_u128 p = (sw_u128)((sw_s128)a * b);
    bool lsb = v->po || neg || v->neg_c;
    if (!v->po && neg)
        p = ~p;
    else if (!v->po && v->neg_c)
        c = ~c;
    p += (sw_u128)(sw_s128)(int32_t)c + lsb;
    int64_t x =
        sign ? (int64_t)(p >> v->scale) : (int64_t)((uint64_t)p >> v->scale);
    return (uint32_t)(v->sat ? sem_video_clamp(x, 32, sign) : x);
}

/*
 * .sat. As on a device, not as in the PTX ISA: sums and differences too large
 * for u32 wrap; parts of d hold their largest number for whatever is less
 * than 0 or too large; shifts saturate to 32 bits alone, from 34 bits.
 */
static inline int64_t
sem_video_saturate(sw_op op, const sw_video *v, int64_t x)
{
    bool sign = v->dtype == SW_T_S32;
    if (op == SW_OP_VSHL || op == SW_OP_VSHR) {
        x = (int64_t)((uint64_t)x << 30) >> 30;
        return sem_video_clamp(x, 32, sign);
    }
    if (v->dsel) {
        unsigned bits = v->dsel < 5 ? 8 : 16;
        int64_t max = (INT64_C(1) << (sign ? bits - 1 : bits)) - 1;
        return x < 0 || x > max ? max : x;
    }
    if (!sign)
        return x < 0 ? 0 : op == SW_OP_VABSDIFF ? x : (int64_t)(uint32_t)x;
    return sem_video_clamp(x, 32, true);
}

static inline uint32_t
sem_video_scalar(sw_op op, const sw_video *v, sw_cmp cmp, uint32_t a,
                 uint32_t b, uint32_t c)
{
    bool shift = op == SW_OP_VSHL || op == SW_OP_VSHR;
    bool whole = op == SW_OP_VMAD; /* whole factors have signs to a device */
    bool sign_a = v->atype == SW_T_S32 || (whole && !v->asel);
    bool sign_b = v->btype == SW_T_S32 || (whole && !v->bsel);
    int64_t x = sem_video_part(a, v->asel, sign_a);
    int64_t y = sem_video_part(b, v->bsel, !shift && sign_b);
    int64_t n = v->wrap ? y & 31 : y > 32 ? 32 : y;
    int64_t r;
    switch (op) {
    case SW_OP_VADD:
        r = x + y;
        break;
    case SW_OP_VSUB:
        r = x - y;
        break;
    case SW_OP_VABSDIFF:
        r = x < y ? y - x : x - y;
        break;
    case SW_OP_VMIN:
        r = x < y ? x : y;
        break;
    case SW_OP_VMAX:
        r = x > y ? x : y;
        break;
    case SW_OP_VSHL:
        r = (int64_t)((uint64_t)x << n);
        break;
    case SW_OP_VSHR:
        r = x >> n;
        break;
    case SW_OP_VMAD:
        return sem_video_mad(v, x, y, c);
    default:
        return sem_video_finish(op, v, sem_video_cmp(x, y, cmp), c);
    }
    if (v->sat)
        r = sem_video_saturate(op, v, r);
    return sem_video_finish(op, v, r, c);
}

static inline int64_t
sem_video_simd_one(sw_op op, int64_t x, int64_t y, sw_cmp cmp)
{
    switch (op) {
    case SW_OP_VADD2:
    case SW_OP_VADD4:
        return x + y;
    case SW_OP_VSUB2:
    case SW_OP_VSUB4:
        return x - y;
    case SW_OP_VAVRG2:
    case SW_OP_VAVRG4: /* halves are rounded away from zero */
        return x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
    case SW_OP_VABSDIFF2:
    case SW_OP_VABSDIFF4:
        return x < y ? y - x : x - y;
    case SW_OP_VMIN2:
    case SW_OP_VMIN4:
        return x < y ? x : y;
    case SW_OP_VMAX2:
    case SW_OP_VMAX4:
        return x > y ? x : y;
    default:
        return sem_video_cmp(x, y, cmp);
    }
}

/* Selector digits choose among the parts of {b, a}, a's lowest first. Parts
 * outside the mask come from c; with .add the parts of the mask and c add up.
 */
static inline uint32_t
sem_video_simd(sw_op op, const sw_video *v, sw_cmp cmp, bool bytes, uint32_t a,
               uint32_t b, uint32_t c)
{
    uint64_t all = (uint64_t)b << 32 | a;
    unsigned parts = bytes ? 4 : 2, bits = bytes ? 8 : 16;
    uint32_t mask = (1u << bits) - 1, r = v->op2 == 1 ? c : 0;
    unsigned written = v->dmask ? v->dmask : 15;
    for (unsigned i = 0; i < parts; i++) {
        uint32_t xa =
            (uint32_t)(all >>
                       (bits * (v->amask >> (4 * i) & (2 * parts - 1)))) &
            mask;
        uint32_t xb =
            (uint32_t)(all >>
                       (bits * (v->bmask >> (4 * i) & (2 * parts - 1)))) &
            mask;
        unsigned sel = bytes ? 1 : 5;
        int64_t x = sem_video_part(xa, sel, v->atype == SW_T_S32);
        int64_t y = sem_video_part(xb, sel, v->btype == SW_T_S32);
        int64_t d = sem_video_simd_one(op, x, y, cmp);
        if (v->sat)
            d = sem_video_clamp(d, bits, v->dtype == SW_T_S32);
        bool on = written >> i & 1;
        if (v->op2 == 1)
            r += on ? (uint32_t)d : 0;
        else
            r |= (on ? (uint32_t)d & mask : c >> (bits * i) & mask)
                 << (bits * i);
    }
    return r;
}

#endif
