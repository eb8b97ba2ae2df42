/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/random_count.h - random counts: Poisson's distribution and those
 * that curand.h makes tables of.
 *
 * Included by curand_kernel.h only.
 */
#ifndef SOFTWARP_RANDOM_COUNT_H
#define SOFTWARP_RANDOM_COUNT_H
#include "random_real.h"
#pragma GCC system_header

/* A normal number, moved and rounded. */
QUALIFIERS unsigned int
__sw_random_rounded(double normal, double mean, double stddev)
{
    return (unsigned int)(stddev * normal + mean + 0.5);
}

/* Knuth, The Art of Computer Programming, volume 2, section 3.4.1: how many
 * uniform numbers have a product of more than e^-mean. */
template <class __S>
QUALIFIERS unsigned int
__sw_poisson_few(__S *state, float mean)
{
    float left = expf(mean);

    for (unsigned int k = 0;; k++) {
        left *= curand_uniform(state);
        if (!(left > 1.0f))
            return k;
    }
}

/* Functions of the device with an error of some bits; the factors in front
 * and behind are doubles. */

QUALIFIERS float
__sw_rough_rsqrt(float x)
{
#ifdef __CUDA_ARCH__
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x;
#else
    return 1.0f / sqrtf(x);
#endif
}

QUALIFIERS float
__sw_rough_exp(float x)
{
#ifdef __CUDA_ARCH__
    x = x * 1.4426950408889634;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x;
#else
    return expf(x);
#endif
}

QUALIFIERS float
__sw_rough_log(float x)
{
#ifdef __CUDA_ARCH__
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x * 0.6931471805599453;
#else
    return logf(x);
#endif
}

QUALIFIERS float
__sw_rough_rcp(float x)
{
#ifdef __CUDA_ARCH__
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(x));
    return x;
#else
    return 1.0f / x;
#endif
}

/* What approximates the regularised incomplete gamma function of a mean: the
 * square of a logistic function of a line. */
struct __sw_gamma_line {
    float slope, height;
};

QUALIFIERS __sw_gamma_line
__sw_gamma_line_of(float mean)
{
    __sw_gamma_line line;

    line.slope =
        1.43248035f * __sw_rough_rsqrt(mean - 0.124009793f) + 0.000253610749f;
    line.height =
        0.21096735f * __sw_rough_rsqrt(mean - 1.97381164f) + 0.94201734f;
    return line;
}

QUALIFIERS float
__sw_gamma(float mean, float x)
{
    __sw_gamma_line line = __sw_gamma_line_of(mean);
    float t = 1.0f + __sw_rough_exp(line.slope * (mean - x) - line.height);

    return __sw_rough_rcp(t * t);
}

/* The x with __sw_gamma(mean, x) == y. */
QUALIFIERS float
__sw_gamma_inverse(float mean, float y)
{
    __sw_gamma_line line = __sw_gamma_line_of(mean);
    float t = line.height + __sw_rough_log(__sw_rough_rsqrt(y) - 1.0f);

    return -t * __sw_rough_rcp(line.slope) + mean;
}

/* The logarithm of (n - 1)!; of large n by approximation 5404 of Hart and
 * others, Computer Approximations, 1968. */
QUALIFIERS double
__sw_log_factorial_below(int n)
{
    if (n <= 8) {
        switch (n) {
        case 3:
            return 0.6931471805599453;
        case 4:
            return 1.791759469228055;
        case 5:
            return 3.1780538303479458;
        case 6:
            return 4.787491742782046;
        case 7:
            return 6.579251212010101;
        case 8:
            return 8.525161361065415;
        default:
            return 0;
        }
    }
    double x = (float)n, r = 1.0 / x, t = r * r;
    double sum = -0.1633436431e-2;
    sum = sum * t + 0.83645878922e-3;
    sum = sum * t - 0.5951896861197e-3;
    sum = sum * t + 0.793650576493454e-3;
    sum = sum * t - 0.277777777735865004e-2;
    sum = sum * t + 0.833333333333331018375e-1;
    sum = sum * r + 0.918938533204672;
    double product = 0.5 * log(x) * (x - 0.5);
    return product - x + (product + sum);
}

/* By rejection: a candidate from the approximated distribution function is
 * taken in proportion to its true probability. */
template <class __S>
QUALIFIERS unsigned int
__sw_poisson_some(__S *state, float mean)
{
    float log_mean = __sw_rough_log(mean);

    while (true) {
        float x = floorf(__sw_gamma_inverse(mean, curand_uniform(state)));
        float height = curand_uniform(state);
        float bound = (__sw_gamma(mean, x + 1.0f) - __sw_gamma(mean, x)) * 1.3f;
        float lowered = (float)__sw_log_factorial_below((int)(1.0f + x));

        height *= bound;
        if (height < __sw_rough_exp(-mean + x * log_mean - lowered) &&
            bound >= 1e-20)
            return (unsigned int)x;
    }
}

#define __SW_RANDOM_POISSON(STATE)                                             \
    QUALIFIERS unsigned int curand_poisson(STATE *state, double lambda)        \
    {                                                                          \
        if (lambda < 64)                                                       \
            return __sw_poisson_few(state, (float)lambda);                     \
        if (lambda > 4000)                                                     \
            return __sw_random_rounded(curand_normal_double(state), lambda,    \
                                       sqrt(lambda));                          \
        return __sw_poisson_some(state, (float)lambda);                        \
    }
__SW_RANDOM_PAIRED(__SW_RANDOM_POISSON)
#undef __SW_RANDOM_POISSON

QUALIFIERS uint4
curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
    uint4 k;

    if (lambda > 4000) {
        double4 normal = curand_normal4_double(state);
        double stddev = sqrt(lambda);

        k.x = __sw_random_rounded(normal.x, lambda, stddev);
        k.y = __sw_random_rounded(normal.y, lambda, stddev);
        k.z = __sw_random_rounded(normal.z, lambda, stddev);
        k.w = __sw_random_rounded(normal.w, lambda, stddev);
    } else {
        k.x = curand_poisson(state, lambda);
        k.y = curand_poisson(state, lambda);
        k.z = curand_poisson(state, lambda);
        k.w = curand_poisson(state, lambda);
    }
    return k;
}

/* Of one number. Uniform without 1, which the sum below may never reach. */

QUALIFIERS double
__sw_random_below_1(unsigned int x)
{
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE / 2;
}

QUALIFIERS double
__sw_random_below_1(unsigned long long x)
{
    return (x >> 11) * CURAND_2POW53_INV_DOUBLE + CURAND_2POW53_INV_DOUBLE / 4;
}

/* Fishman, Discrete-event simulation, 2001, section 8.13: adds up the
 * probabilities of 0, 1, ... Means are taken in parts of 500, as e^-mean
 * might vanish. */
template <typename T>
__SW_RANDOM_BIG unsigned int
__sw_poisson_sum(T number, double mean)
{
    double u = __sw_random_below_1(number), p = 1, sum = 1;
    unsigned int k = 0;
    int done = 0;

    do {
        double factor = exp(mean > done + 500.0 ? -500.0 : done - mean);

        p *= factor;
        sum *= factor;
        done += 500;
        while (u > sum) {
            k++;
            p *= mean / k;
            sum += p;
        }
    } while (done < mean);
    return k;
}

template <typename T>
QUALIFIERS unsigned int
_curand_poisson(T x, double lambda)
{
    if (lambda < 1000)
        return __sw_poisson_sum(x, lambda);
    return __sw_random_rounded(_curand_normal_icdf_double(x), lambda,
                               sqrt(lambda));
}

#define __SW_RANDOM_POISSON(STATE)                                             \
    QUALIFIERS unsigned int curand_poisson(STATE *state, double lambda)        \
    {                                                                          \
        return _curand_poisson(curand(state), lambda);                         \
    }
__SW_RANDOM_SINGLE(__SW_RANDOM_POISSON)
#undef __SW_RANDOM_POISSON

/* Marsaglia, Tsang and Wang, Fast generation of discrete random variables,
 * 2004: a square histogram, whose cells are of two counts each. */
template <typename T>
QUALIFIERS unsigned int
_curand_M2_double(T x, curandDistributionM2Shift_t table)
{
    double u = _curand_uniform_double(x);
    int cell = (int)floor(table->length * u);

    return table->shift +
           (u < table->histogram->V[cell] ? cell : table->histogram->K[cell]);
}

template <typename T>
QUALIFIERS unsigned int
_curand_discrete(T x, curandDiscreteDistribution_t distribution)
{
    if (distribution->method == CURAND_M2)
        return _curand_M2_double(x, distribution->M2);
    return __sw_random_rounded(_curand_normal_icdf_double(x),
                               distribution->mean, distribution->stddev);
}

#define __SW_RANDOM_DISCRETE(STATE)                                            \
    QUALIFIERS unsigned int curand_discrete(                                   \
        STATE *state, curandDiscreteDistribution_t discrete_distribution)      \
    {                                                                          \
        if (discrete_distribution->method == CURAND_M2)                        \
            return _curand_M2_double(curand(state),                            \
                                     discrete_distribution->M2);               \
        return __sw_random_rounded(curand_normal_double(state),                \
                                   discrete_distribution->mean,                \
                                   discrete_distribution->stddev);             \
    }
__SW_RANDOM_PAIRED(__SW_RANDOM_DISCRETE)
__SW_RANDOM_SINGLE(__SW_RANDOM_DISCRETE)
#undef __SW_RANDOM_DISCRETE

QUALIFIERS uint4
curand_discrete4(curandStatePhilox4_32_10_t *state,
                 curandDiscreteDistribution_t discrete_distribution)
{
    curandDiscreteDistribution_t of = discrete_distribution;
    uint4 k;

    if (of->method == CURAND_M2) {
        uint4 x = curand4(state);

        k.x = _curand_M2_double(x.x, of->M2);
        k.y = _curand_M2_double(x.y, of->M2);
        k.z = _curand_M2_double(x.z, of->M2);
        k.w = _curand_M2_double(x.w, of->M2);
    } else {
        double4 normal = curand_normal4_double(state);

        k.x = __sw_random_rounded(normal.x, of->mean, of->stddev);
        k.y = __sw_random_rounded(normal.y, of->mean, of->stddev);
        k.z = __sw_random_rounded(normal.z, of->mean, of->stddev);
        k.w = __sw_random_rounded(normal.w, of->mean, of->stddev);
    }
    return k;
}

#endif
