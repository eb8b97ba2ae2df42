/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/random_state.h - the states of curand_kernel.h, as large and laid
 * out as programs may expect them.
 *
 * boxmuller_extra and boxmuller_extra_double are the second of two normal
 * numbers, kept for the next call if the flag beside says of which function.
 */
#ifndef SOFTWARP_RANDOM_STATE_H
#define SOFTWARP_RANDOM_STATE_H
#include "vector_types.h"

#define EXTRA_FLAG_NORMAL     0x00000001
#define EXTRA_FLAG_LOG_NORMAL 0x00000002

#define __SW_RANDOM_EXTRA                                                      \
    int boxmuller_flag;                                                        \
    int boxmuller_flag_double;                                                 \
    float boxmuller_extra;                                                     \
    double boxmuller_extra_double

/* The counter d and the last five words of the recurrence. */
typedef struct curandStateXORWOW {
    unsigned int d, v[5];
    __SW_RANDOM_EXTRA;
} curandStateXORWOW_t;

typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

/* output is made of ctr and key; output's word STATE is the next number. */
typedef struct curandStatePhilox4_32_10 {
    uint4 ctr;
    uint4 output;
    uint2 key;
    unsigned int STATE;
    __SW_RANDOM_EXTRA;
} curandStatePhilox4_32_10_t;

/* The last three numbers of both recurrences, the oldest first. */
typedef struct curandStateMRG32k3a {
    unsigned int s1[3];
    unsigned int s2[3];
    __SW_RANDOM_EXTRA;
} curandStateMRG32k3a_t;

/* x is the next number, i its index, c what index 0 has. */
typedef struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
} curandStateSobol32_t;

typedef struct curandStateScrambledSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
} curandStateScrambledSobol32_t;

typedef struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
} curandStateSobol64_t;

typedef struct curandStateScrambledSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
} curandStateScrambledSobol64_t;

/* MTGP32 with the period 2^11213 - 1: words of a state, parameter sets. */
#define MTGPDC_MEXP              11213
#define MTGPDC_N                 351
#define MTGPDC_FLOOR_2P          256
#define MTGPDC_CEIL_2P           512
#define MTGP32_STATE_SIZE        1024
#define MTGP32_STATE_MASK        1023
#define CURAND_NUM_MTGP32_PARAMS 200
#define TBL_SIZE                 16

/* One parameter set; poly_sha1 is zero here. */
typedef struct mtgp32_params_fast {
    int mexp;
    int pos;
    int sh1;
    int sh2;
    unsigned int tbl[16];
    unsigned int tmp_tbl[16];
    unsigned int flt_tmp_tbl[16];
    unsigned int mask;
    unsigned char poly_sha1[21];
} mtgp32_params_fast_t;

/* All parameter sets as device code wants them. */
typedef struct mtgp32_kernel_params {
    unsigned int pos_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int param_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int single_temper_tbl[CURAND_NUM_MTGP32_PARAMS][TBL_SIZE];
    unsigned int sh1_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int sh2_tbl[CURAND_NUM_MTGP32_PARAMS];
    unsigned int mask[1];
} mtgp32_kernel_params_t;

/* The state of a block of up to 256 threads: a ring whose oldest word is at
 * `offset`, and the number of its parameter set. */
typedef struct curandStateMtgp32 {
    unsigned int s[MTGP32_STATE_SIZE];
    int offset;
    int pIdx;
    mtgp32_kernel_params_t *k;
} curandStateMtgp32_t;

#endif
