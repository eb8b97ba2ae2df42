/* SPDX-License-Identifier: Apache-2.0 */
/*
 * curand_discrete.h - what a discrete distribution is made of. Pointers are
 * the device's but for those called host_*.
 */
#ifndef CURANDDISCRETE_H_
#define CURANDDISCRETE_H_
#include "curand.h"

/* Probabilities that add up, of shift, shift + 1, ... */
struct curandDistributionShift_st {
    curandDistribution_t probability;
    curandDistribution_t host_probability;
    unsigned int shift;
    unsigned int length;
    unsigned int host_gen;
};

/* Of cell j, the part below V[j] is for j and the part above for K[j]. */
struct curandHistogramM2_st {
    curandHistogramM2V_t V;
    curandHistogramM2V_t host_V;
    curandHistogramM2K_t K;
    curandHistogramM2K_t host_K;
    unsigned int host_gen;
};

/* A square histogram of `length` cells, of numbers from `shift` on. */
struct curandDistributionM2Shift_st {
    curandHistogramM2_t histogram;
    curandHistogramM2_t host_histogram;
    unsigned int shift;
    unsigned int length;
    unsigned int host_gen;
};

/* method: CURAND_M2, or a normal distribution, rounded. */
struct curandDiscreteDistribution_st {
    curandDiscreteDistribution_t self_host_ptr;
    curandDistributionM2Shift_t M2;
    curandDistributionM2Shift_t host_M2;
    double stddev;
    double mean;
    curandMethod_t method;
    unsigned int host_gen;
};

#endif
