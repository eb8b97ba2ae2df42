/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fp8.h - the 8-bit formats e4m3 (no infinity) and e5m2: conversions only, as
 * devices have no arithmetic on them outside matrix instructions. Values are
 * their bits in the low byte.
 */
#ifndef SW_SEM_FP8_H
#define SW_SEM_FP8_H
#include "sem/half.h"

/* Nearest even; .satfinite (always given in PTX) to the largest number, NaN
 * to 0x7f. */
static inline uint8_t
sem_e4m3_of_f32(float x, sw_fmode m)
{
    return (uint8_t)sem_narrow(SEM_FMT_E4M3, (double)x, m);
}

static inline uint8_t
sem_e5m2_of_f32(float x, sw_fmode m)
{
    return (uint8_t)sem_narrow(SEM_FMT_E5M2, (double)x, m);
}

static inline uint16_t
sem_f16_of_fp8(sem_fmt fmt, uint8_t v, sw_fmode m)
{
    sem_soft s = sem_soft_unpack(fmt, v);
    if ((m & SW_FM_RELU) && s.neg && s.cls != SEM_NAN)
        s = (sem_soft){.cls = SEM_ZERO};
    return (uint16_t)sem_soft_pack(SEM_FMT_F16, SW_RND_RN, s);
}

static inline uint16_t
sem_f16_of_e4m3(uint8_t v, sw_fmode m)
{
    return sem_f16_of_fp8(SEM_FMT_E4M3, v, m);
}

static inline uint16_t
sem_f16_of_e5m2(uint8_t v, sw_fmode m)
{
    return sem_f16_of_fp8(SEM_FMT_E5M2, v, m);
}

static inline float
sem_f32_of_e4m3(uint8_t v)
{
    return sem_f32_of_f16(sem_f16_of_e4m3(v, 0));
}

static inline float
sem_f32_of_e5m2(uint8_t v)
{
    return sem_f32_of_f16(sem_f16_of_e5m2(v, 0));
}

#endif
