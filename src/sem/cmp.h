/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmp.h - comparisons (setp, set, video) and the classes of testp.
 *
 * With a constant operator each is one comparison. Unordered ones (equ, ltu,
 * ...) hold for NaN; num holds if neither operand is NaN, nan if one is. An
 * operator that the type does not have gives false.
 */
#ifndef SW_SEM_CMP_H
#define SW_SEM_CMP_H
#include "sem/half.h"

static inline bool
sem_cmp_u64(uint64_t a, uint64_t b, sw_cmp cmp, sw_fmode m)
{
    (void)m;
    switch (cmp) {
    case SW_CMP_EQ:
        return a == b;
    case SW_CMP_NE:
        return a != b;
    case SW_CMP_LT:
    case SW_CMP_LO:
        return a < b;
    case SW_CMP_LE:
    case SW_CMP_LS:
        return a <= b;
    case SW_CMP_GT:
    case SW_CMP_HI:
        return a > b;
    case SW_CMP_GE:
    case SW_CMP_HS:
        return a >= b;
    default:
        return false;
    }
}

/* LO, LS, HI, HS compare as unsigned whatever the type. */
static inline bool
sem_cmp_s64(uint64_t a, uint64_t b, sw_cmp cmp, sw_fmode m)
{
    switch (cmp) {
    case SW_CMP_LT:
        return (int64_t)a < (int64_t)b;
    case SW_CMP_LE:
        return (int64_t)a <= (int64_t)b;
    case SW_CMP_GT:
        return (int64_t)a > (int64_t)b;
    case SW_CMP_GE:
        return (int64_t)a >= (int64_t)b;
    default:
        return sem_cmp_u64(a, b, cmp, m);
    }
}

static inline bool
sem_cmp_u32(uint32_t a, uint32_t b, sw_cmp cmp, sw_fmode m)
{
    (void)m;
    switch (cmp) {
    case SW_CMP_EQ:
        return a == b;
    case SW_CMP_NE:
        return a != b;
    case SW_CMP_LT:
    case SW_CMP_LO:
        return a < b;
    case SW_CMP_LE:
    case SW_CMP_LS:
        return a <= b;
    case SW_CMP_GT:
    case SW_CMP_HI:
        return a > b;
    case SW_CMP_GE:
    case SW_CMP_HS:
        return a >= b;
    default:
        return false;
    }
}

static inline bool
sem_cmp_s32(uint32_t a, uint32_t b, sw_cmp cmp, sw_fmode m)
{
    switch (cmp) {
    case SW_CMP_LT:
        return (int32_t)a < (int32_t)b;
    case SW_CMP_LE:
        return (int32_t)a <= (int32_t)b;
    case SW_CMP_GT:
        return (int32_t)a > (int32_t)b;
    case SW_CMP_GE:
        return (int32_t)a >= (int32_t)b;
    default:
        return sem_cmp_u32(a, b, cmp, m);
    }
}

static inline bool
sem_cmp_u16(uint16_t a, uint16_t b, sw_cmp cmp, sw_fmode m)
{
    return sem_cmp_u32(a, b, cmp, m);
}

static inline bool
sem_cmp_s16(uint16_t a, uint16_t b, sw_cmp cmp, sw_fmode m)
{
    switch (cmp) {
    case SW_CMP_LT:
        return (int16_t)a < (int16_t)b;
    case SW_CMP_LE:
        return (int16_t)a <= (int16_t)b;
    case SW_CMP_GT:
        return (int16_t)a > (int16_t)b;
    case SW_CMP_GE:
        return (int16_t)a >= (int16_t)b;
    default:
        return sem_cmp_u16(a, b, cmp, m);
    }
}

static inline bool
sem_cmp_f32(float a, float b, sw_cmp cmp, sw_fmode m)
{
    a = sem_in_f32(a, m);
    b = sem_in_f32(b, m);
    switch (cmp) {
    case SW_CMP_EQ:
        return a == b;
    case SW_CMP_NE:
        return a < b || a > b;
    case SW_CMP_LT:
        return a < b;
    case SW_CMP_LE:
        return a <= b;
    case SW_CMP_GT:
        return a > b;
    case SW_CMP_GE:
        return a >= b;
    case SW_CMP_EQU:
        return !(a < b || a > b);
    case SW_CMP_NEU:
        return a != b;
    case SW_CMP_LTU:
        return !(a >= b);
    case SW_CMP_LEU:
        return !(a > b);
    case SW_CMP_GTU:
        return !(a <= b);
    case SW_CMP_GEU:
        return !(a < b);
    case SW_CMP_NUM:
        return a == a && b == b;
    case SW_CMP_NAN:
        return a != a || b != b;
    default:
        return false;
    }
}

static inline bool
sem_cmp_f64(double a, double b, sw_cmp cmp, sw_fmode m)
{
    (void)m;
    switch (cmp) {
    case SW_CMP_EQ:
        return a == b;
    case SW_CMP_NE:
        return a < b || a > b;
    case SW_CMP_LT:
        return a < b;
    case SW_CMP_LE:
        return a <= b;
    case SW_CMP_GT:
        return a > b;
    case SW_CMP_GE:
        return a >= b;
    case SW_CMP_EQU:
        return !(a < b || a > b);
    case SW_CMP_NEU:
        return a != b;
    case SW_CMP_LTU:
        return !(a >= b);
    case SW_CMP_LEU:
        return !(a > b);
    case SW_CMP_GTU:
        return !(a <= b);
    case SW_CMP_GEU:
        return !(a < b);
    case SW_CMP_NUM:
        return a == a && b == b;
    case SW_CMP_NAN:
        return a != a || b != b;
    default:
        return false;
    }
}

static inline bool
sem_cmp_f16(uint16_t a, uint16_t b, sw_cmp cmp, sw_fmode m)
{
    return sem_cmp_f32(sem_in_f16(a, m), sem_in_f16(b, m), cmp, 0);
}

static inline bool
sem_cmp_bf16(uint16_t a, uint16_t b, sw_cmp cmp, sw_fmode m)
{
    (void)m;
    return sem_cmp_f32(sem_f32_of_bf16(a), sem_f32_of_bf16(b), cmp, 0);
}

/* ---- testp: f32 and f64, no flushing ---- */

static inline bool
sem_testp(unsigned what, uint64_t magnitude, uint64_t inf, uint64_t normal)
{
    switch (what) {
    case SW_TESTP_FINITE:
        return magnitude < inf;
    case SW_TESTP_INFINITE:
        return magnitude == inf;
    case SW_TESTP_NUMBER:
        return magnitude <= inf;
    case SW_TESTP_NOTANUMBER:
        return magnitude > inf;
    case SW_TESTP_NORMAL: /* "zero is considered a normal number" */
        return !magnitude || (magnitude >= normal && magnitude < inf);
    default: /* "subnormal": zero is not */
        return magnitude && magnitude < normal;
    }
}

static inline bool
sem_testp_f32(uint32_t a, unsigned what)
{
    return sem_testp(what, a & 0x7fffffff, 0x7f800000, 0x00800000);
}

static inline bool
sem_testp_f64(uint64_t a, unsigned what)
{
    return sem_testp(what, a & (UINT64_MAX >> 1), UINT64_C(0x7ff0000000000000),
                     UINT64_C(0x0010000000000000));
}

#endif
