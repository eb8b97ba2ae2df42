/* SPDX-License-Identifier: Apache-2.0 */
/*
 * video.h - the video instructions: scalar (vadd ... vset, PTX ISA 9.7.17) and
 * SIMD on two halves or four bytes (vadd2 ... vset4, 9.7.18).
 *
 * Both take everything that is not a value from sw_video. Intermediate results
 * are exact (64 bits, vmad 128); only saturation, merging and the 32-bit
 * destination narrow them.
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

/* The second operation on c, or the insertion of part dsel into c. */
static inline uint32_t
sem_video_finish(const sw_video *v, int64_t x, uint32_t c)
{
    uint32_t r = (uint32_t)x;
    bool sign = v->dtype == SW_T_S32;
    switch (v->op2) {
    case 1:
        return r + c;
    case 2:
        return (sign ? (int32_t)r < (int32_t)c : r < c) ? r : c;
    case 3:
        return (sign ? (int32_t)r > (int32_t)c : r > c) ? r : c;
    case 4:
        break;
    default:
        return r;
    }
    if (!v->dsel)
        return r;
    unsigned shift = v->dsel < 5 ? 8u * (v->dsel - 1) : 16u * (v->dsel - 5);
    uint32_t mask = (v->dsel < 5 ? 0xffu : 0xffffu) << shift;
    return (c & ~mask) | (r << shift & mask);
}

/* vmad: {-}a * {-}b + {-}c (+ 1), shifted right by scale. */
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
    sw_u128 addend = sign ? (sw_u128)(sw_s128)(int32_t)c : c;
    p += addend + lsb;
    int64_t x = (int64_t)(p >> v->scale);
    if (v->sat && !sign && (uint64_t)x > UINT32_MAX)
        return UINT32_MAX;
    return (uint32_t)(v->sat && sign ? sem_video_clamp(x, 32, true) : x);
}

static inline uint32_t
sem_video_scalar(sw_op op, const sw_video *v, sw_cmp cmp, uint32_t a,
                 uint32_t b, uint32_t c)
{
    bool shift = op == SW_OP_VSHL || op == SW_OP_VSHR;
    int64_t x = sem_video_part(a, v->asel, v->atype == SW_T_S32);
    int64_t y = sem_video_part(b, v->bsel, !shift && v->btype == SW_T_S32);
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
    case SW_OP_VSHL: /* |x| < 2^32 and n <= 32: up to 2^63 */
        r = (int64_t)((uint64_t)x << n);
        if (x >= 0 && r < 0)
            r = INT64_MAX;
        break;
    case SW_OP_VSHR:
        r = x >> n;
        break;
    case SW_OP_VMAD:
        return sem_video_mad(v, x, y, c);
    default:
        return sem_video_finish(v, sem_video_cmp(x, y, cmp), c);
    }
    unsigned bits = v->dsel == 0 ? 32 : v->dsel < 5 ? 8 : 16;
    if (v->sat)
        r = sem_video_clamp(r, bits, v->dtype == SW_T_S32);
    else if (op == SW_OP_VSHL)
        r = (int64_t)((uint64_t)x << n);
    return sem_video_finish(v, r, c);
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
