/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/random_real.h - random floats and doubles of all generators:
 * uniform, normal and log-normal.
 *
 * Three kinds of generators: XORWOW and Philox, whose normal numbers come in
 * pairs from two (float) or four (double) numbers; MRG32k3a, whose numbers
 * become floats and doubles by a factor of their own; all others, whose every
 * result comes from one number.
 *
 * Included by curand_kernel.h only.
 */
#ifndef SOFTWARP_RANDOM_REAL_H
#define SOFTWARP_RANDOM_REAL_H
#include "random_bits.h"
#pragma GCC system_header

#define __SW_RANDOM_PAIRED(X)                                                  \
    X(curandStateXORWOW_t)                                                     \
    X(curandStatePhilox4_32_10_t)                                              \
    X(curandStateMRG32k3a_t)
#define __SW_RANDOM_SINGLE(X)                                                  \
    X(curandStateMtgp32_t)                                                     \
    X(curandStateSobol32_t)                                                    \
    X(curandStateScrambledSobol32_t)                                           \
    X(curandStateSobol64_t)                                                    \
    X(curandStateScrambledSobol64_t)

/* Uniform: more than 0, at most 1. */

QUALIFIERS float
_curand_uniform(unsigned int x)
{
    return x * CURAND_2POW32_INV + CURAND_2POW32_INV / 2;
}

QUALIFIERS float
_curand_uniform(unsigned long long x)
{
    return _curand_uniform((unsigned int)(x >> 32));
}

QUALIFIERS float4
_curand_uniform4(uint4 x)
{
    return make_float4(_curand_uniform(x.x), _curand_uniform(x.y),
                       _curand_uniform(x.z), _curand_uniform(x.w));
}

QUALIFIERS double
_curand_uniform_double(unsigned int x)
{
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE;
}

QUALIFIERS double
_curand_uniform_double(unsigned long long x)
{
    return (x >> 11) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 2;
}

/* 53 bits of two numbers. */
QUALIFIERS unsigned long long
__sw_random_53(unsigned int x, unsigned int y)
{
    return x ^ (unsigned long long)y << 21;
}

QUALIFIERS double
_curand_uniform_double_hq(unsigned int x, unsigned int y)
{
    return __sw_random_53(x, y) * CURAND_2POW53_INV_DOUBLE +
           CURAND_2POW53_INV_DOUBLE / 2;
}

#define __SW_RANDOM_UNIFORM(STATE)                                             \
    QUALIFIERS float curand_uniform(STATE *state)                              \
    {                                                                          \
        return _curand_uniform(curand(state));                                 \
    }
#define __SW_RANDOM_UNIFORM_DOUBLE(STATE)                                      \
    QUALIFIERS double curand_uniform_double(STATE *state)                      \
    {                                                                          \
        return _curand_uniform_double(curand(state));                          \
    }
__SW_RANDOM_UNIFORM(curandStateXORWOW_t)
__SW_RANDOM_UNIFORM(curandStatePhilox4_32_10_t)
__SW_RANDOM_UNIFORM_DOUBLE(curandStatePhilox4_32_10_t)
__SW_RANDOM_SINGLE(__SW_RANDOM_UNIFORM)
__SW_RANDOM_SINGLE(__SW_RANDOM_UNIFORM_DOUBLE)
#undef __SW_RANDOM_UNIFORM
#undef __SW_RANDOM_UNIFORM_DOUBLE

QUALIFIERS double
curand_uniform_double(curandStateXORWOW_t *state)
{
    unsigned int x = curand(state), y = curand(state);

    return _curand_uniform_double_hq(x, y);
}

QUALIFIERS double
curand_uniform_double(curandStateMRG32k3a_t *state)
{
    return curand_MRG32k3a(state) * 2.3283065498378288e-10;
}

QUALIFIERS float
curand_uniform(curandStateMRG32k3a_t *state)
{
    return (float)curand_uniform_double(state);
}

QUALIFIERS float4
curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    return _curand_uniform4(curand4(state));
}

QUALIFIERS double2
curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 x = curand4(state);

    return make_double2(_curand_uniform_double_hq(x.x, x.y),
                        _curand_uniform_double_hq(x.z, x.w));
}

QUALIFIERS double4
curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
    double2 a = curand_uniform2_double(state);
    double2 b = curand_uniform2_double(state);

    return make_double4(a.x, a.y, b.x, b.y);
}

/* Normal: Box and Muller, A note on the generation of random normal deviates,
 * 1958. A radius from u, an angle v: of floats in radians, of doubles in
 * half turns. */

QUALIFIERS float2
__sw_random_polar(float u, float v)
{
    float radius = sqrtf(-2.0f * logf(u));
    float2 at;

#ifdef __CUDA_ARCH__
    __sincosf(v, &at.x, &at.y);
#else
    at.x = sinf(v);
    at.y = cosf(v);
#endif
    at.x *= radius;
    at.y *= radius;
    return at;
}

QUALIFIERS double2
__sw_random_polar(double u, double v)
{
    double radius = sqrt(-2.0 * log(u));
    double2 at;

#ifdef __CUDA_ARCH__
    sincospi(v, &at.x, &at.y);
#else
    at.x = sin(v * CURAND_PI_DOUBLE);
    at.y = cos(v * CURAND_PI_DOUBLE);
#endif
    at.x *= radius;
    at.y *= radius;
    return at;
}

QUALIFIERS float2
_curand_box_muller(unsigned int x, unsigned int y)
{
    return __sw_random_polar(_curand_uniform(x), y * CURAND_2POW32_INV_2PI +
                                                     CURAND_2POW32_INV_2PI / 2);
}

QUALIFIERS double2
_curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0,
                          unsigned int y1)
{
    return __sw_random_polar(_curand_uniform_double_hq(x0, x1),
                             __sw_random_53(y0, y1) *
                                     (CURAND_2POW53_INV_DOUBLE * 2) +
                                 CURAND_2POW53_INV_DOUBLE);
}

template <typename __R>
QUALIFIERS float2
curand_box_muller(__R *state)
{
    unsigned int x = curand(state), y = curand(state);

    return _curand_box_muller(x, y);
}

template <typename __R>
QUALIFIERS double2
curand_box_muller_double(__R *state)
{
    unsigned int x0 = curand(state), x1 = curand(state);
    unsigned int y0 = curand(state), y1 = curand(state);

    return _curand_box_muller_double(x0, x1, y0, y1);
}

QUALIFIERS float2
curand_box_muller(curandStateMRG32k3a_t *state)
{
    float x = curand_uniform(state), y = curand_uniform(state) * CURAND_2PI;

    return __sw_random_polar(x, y);
}

QUALIFIERS double2
curand_box_muller_double(curandStateMRG32k3a_t *state)
{
    double x = curand_uniform_double(state);
    double y = curand_uniform_double(state) * 2.0;

    return __sw_random_polar(x, y);
}

template <typename __R>
QUALIFIERS float4
curand_box_muller4(__R *state)
{
    float2 a = curand_box_muller(state), b = curand_box_muller(state);

    return make_float4(a.x, a.y, b.x, b.y);
}

template <typename __R>
QUALIFIERS double4
curand_box_muller4_double(__R *state)
{
    double2 a = curand_box_muller_double(state);
    double2 b = curand_box_muller_double(state);

    return make_double4(a.x, a.y, b.x, b.y);
}

/* Normal of one number: the inverse of the distribution function, whose upper
 * half is the lower one mirrored. Zero on the host. */

QUALIFIERS float
_curand_normal_icdf(unsigned int x)
{
#ifdef __CUDA_ARCH__
    bool upper = x > 0x80000000u;
    float p = _curand_uniform(upper ? ~x : x);

    return (upper ? -CURAND_SQRT2 : CURAND_SQRT2) * erfcinvf(2.0f * p);
#else
    return x * 0.0f;
#endif
}

QUALIFIERS float
_curand_normal_icdf(unsigned long long x)
{
    return _curand_normal_icdf((unsigned int)(x >> 32));
}

QUALIFIERS double
__sw_random_icdf(double p, bool upper)
{
#ifdef __CUDA_ARCH__
    return (upper ? -CURAND_SQRT2_DOUBLE : CURAND_SQRT2_DOUBLE) *
           erfcinv(2.0 * p);
#else
    return p * 0 * upper;
#endif
}

QUALIFIERS double
_curand_normal_icdf_double(unsigned int x)
{
    bool upper = x > 0x80000000u;

    return __sw_random_icdf((upper ? ~x : x) * CURAND_2POW32_INV_DOUBLE +
                                CURAND_2POW32_INV_DOUBLE / 2,
                            upper);
}

QUALIFIERS double
_curand_normal_icdf_double(unsigned long long x)
{
    bool upper = x >> 11 > 1ull << 52;

    return __sw_random_icdf(_curand_uniform_double(upper ? ~x : x), upper);
}

/* One result, or the one kept from before. */

template <class __S>
QUALIFIERS float
__sw_random_normal(__S *state)
{
    if (state->boxmuller_flag == EXTRA_FLAG_NORMAL) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    float2 pair = curand_box_muller(state);
    state->boxmuller_extra = pair.y;
    state->boxmuller_flag = EXTRA_FLAG_NORMAL;
    return pair.x;
}

template <class __S>
QUALIFIERS double
__sw_random_normal_double(__S *state)
{
    if (state->boxmuller_flag_double == EXTRA_FLAG_NORMAL) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    double2 pair = curand_box_muller_double(state);
    state->boxmuller_extra_double = pair.y;
    state->boxmuller_flag_double = EXTRA_FLAG_NORMAL;
    return pair.x;
}

template <class __S>
QUALIFIERS float
__sw_random_log_normal(__S *state, float mean, float stddev)
{
    if (state->boxmuller_flag == EXTRA_FLAG_LOG_NORMAL) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    float2 pair = curand_box_muller(state);
    state->boxmuller_extra = expf(mean + stddev * pair.y);
    state->boxmuller_flag = EXTRA_FLAG_LOG_NORMAL;
    return expf(mean + stddev * pair.x);
}

template <class __S>
QUALIFIERS double
__sw_random_log_normal_double(__S *state, double mean, double stddev)
{
    if (state->boxmuller_flag_double == EXTRA_FLAG_LOG_NORMAL) {
        state->boxmuller_flag_double = 0;
        return state->boxmuller_extra_double;
    }
    double2 pair = curand_box_muller_double(state);
    state->boxmuller_extra_double = exp(mean + stddev * pair.y);
    state->boxmuller_flag_double = EXTRA_FLAG_LOG_NORMAL;
    return exp(mean + stddev * pair.x);
}

#define __SW_RANDOM_NORMAL(STATE)                                              \
    QUALIFIERS float curand_normal(STATE *state)                               \
    {                                                                          \
        return __sw_random_normal(state);                                      \
    }                                                                          \
    QUALIFIERS double curand_normal_double(STATE *state)                       \
    {                                                                          \
        return __sw_random_normal_double(state);                               \
    }                                                                          \
    QUALIFIERS float2 curand_normal2(STATE *state)                             \
    {                                                                          \
        return curand_box_muller(state);                                       \
    }                                                                          \
    QUALIFIERS double2 curand_normal2_double(STATE *state)                     \
    {                                                                          \
        return curand_box_muller_double(state);                                \
    }                                                                          \
    QUALIFIERS float curand_log_normal(STATE *state, float mean, float stddev) \
    {                                                                          \
        return __sw_random_log_normal(state, mean, stddev);                    \
    }                                                                          \
    QUALIFIERS double curand_log_normal_double(STATE *state, double mean,      \
                                               double stddev)                  \
    {                                                                          \
        return __sw_random_log_normal_double(state, mean, stddev);             \
    }                                                                          \
    QUALIFIERS float2 curand_log_normal2(STATE *state, float mean,             \
                                         float stddev)                         \
    {                                                                          \
        float2 v = curand_box_muller(state);                                   \
                                                                               \
        return make_float2(expf(mean + stddev * v.x),                          \
                           expf(mean + stddev * v.y));                         \
    }                                                                          \
    QUALIFIERS double2 curand_log_normal2_double(STATE *state, double mean,    \
                                                 double stddev)                \
    {                                                                          \
        double2 v = curand_box_muller_double(state);                           \
                                                                               \
        return make_double2(exp(mean + stddev * v.x),                          \
                            exp(mean + stddev * v.y));                         \
    }
__SW_RANDOM_PAIRED(__SW_RANDOM_NORMAL)
#undef __SW_RANDOM_NORMAL

#define __SW_RANDOM_NORMAL(STATE)                                              \
    QUALIFIERS float curand_normal(STATE *state)                               \
    {                                                                          \
        return _curand_normal_icdf(curand(state));                             \
    }                                                                          \
    QUALIFIERS double curand_normal_double(STATE *state)                       \
    {                                                                          \
        return _curand_normal_icdf_double(curand(state));                      \
    }                                                                          \
    QUALIFIERS float curand_log_normal(STATE *state, float mean, float stddev) \
    {                                                                          \
        return expf(mean + stddev * curand_normal(state));                     \
    }                                                                          \
    QUALIFIERS double curand_log_normal_double(STATE *state, double mean,      \
                                               double stddev)                  \
    {                                                                          \
        return exp(mean + stddev * curand_normal_double(state));               \
    }
__SW_RANDOM_SINGLE(__SW_RANDOM_NORMAL)
#undef __SW_RANDOM_NORMAL

/* Four at once of Philox. */

QUALIFIERS float4
curand_normal4(curandStatePhilox4_32_10_t *state)
{
    return curand_box_muller4(state);
}

QUALIFIERS double4
curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
    return curand_box_muller4_double(state);
}

QUALIFIERS float4
curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float2 a = curand_log_normal2(state, mean, stddev);
    float2 b = curand_log_normal2(state, mean, stddev);

    return make_float4(a.x, a.y, b.x, b.y);
}

QUALIFIERS double4
curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
                          double stddev)
{
    double2 a = curand_log_normal2_double(state, mean, stddev);
    double2 b = curand_log_normal2_double(state, mean, stddev);

    return make_double4(a.x, a.y, b.x, b.y);
}

#endif
