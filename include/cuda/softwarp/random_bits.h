/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/random_bits.h - random integers of all generators: curand_init,
 * curand, and skipping ahead.
 *
 * A generator's sequence is cut into subsequences: of 2^67 numbers (XORWOW),
 * of 2^66 (Philox), of 2^76 inside of sequences of 2^127 (MRG32k3a, whose
 * subsequences from number 2^51 on are those of the next sequences; the
 * vendor's states are all 0 there).
 *
 * Included by curand_kernel.h only.
 */
#ifndef SOFTWARP_RANDOM_BITS_H
#define SOFTWARP_RANDOM_BITS_H
#include "common.h"
#pragma GCC system_header

#ifdef QUALIFIERS
#define __SW_RANDOM_BIG QUALIFIERS
#else
#define QUALIFIERS      __SW_DEV__
#define __SW_RANDOM_BIG __SW_DEV_BIG__
#endif

/* Tables: the device's copy, and the host's for functions of both. Not const,
 * as the device's constant memory is the program's. */
#ifdef __CUDA_ARCH__
#define __SW_RANDOM_TABLE static __attribute__((device)) unsigned int
#else
#define __SW_RANDOM_TABLE static const unsigned int
#endif

/* What the jumps by d * 16^k steps and subsequences are, at 15 * k + d - 1. */
#define JUMP5_STEP
__SW_RANDOM_TABLE __sw_xorwow_steps[16 * 15][5] = {
#include "random_jumps.def"
};
#undef JUMP5_STEP
#define JUMP5_SEQUENCE
__SW_RANDOM_TABLE __sw_xorwow_sequences[16 * 15][5] = {
#include "random_jumps.def"
};
#undef JUMP5_SEQUENCE

/* The jumps by 2^k steps, subsequences and sequences, of both parts. */
#define JUMP6_STEP
__SW_RANDOM_TABLE __sw_mrg_steps[64][6] = {
#include "random_jumps.def"
};
#undef JUMP6_STEP
#define JUMP6_SUBSEQUENCE
__SW_RANDOM_TABLE __sw_mrg_subsequences[64][6] = {
#include "random_jumps.def"
};
#undef JUMP6_SUBSEQUENCE
#define JUMP6_SEQUENCE
__SW_RANDOM_TABLE __sw_mrg_sequences[64][6] = {
#include "random_jumps.def"
};
#undef JUMP6_SEQUENCE

template <class __S>
QUALIFIERS void
__sw_random_no_extra(__S *state)
{
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

/* XORWOW: Marsaglia, Xorshift RNGs, 2003, section 3.1. */

enum { __SW_XORWOW_COUNT = 362437 };

/* The word that follows the five. */
QUALIFIERS unsigned int
__sw_xorwow_next(const unsigned int v[5])
{
    unsigned int t = v[0] ^ v[0] >> 2;

    return v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

QUALIFIERS void
__sw_xorwow_push(unsigned int v[5], unsigned int word)
{
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4], v[4] = word;
}

QUALIFIERS unsigned int
curand(curandStateXORWOW_t *state)
{
    __sw_xorwow_push(state->v, __sw_xorwow_next(state->v));
    return state->v[4] + (state->d += __SW_XORWOW_COUNT);
}

/* By value, so that a state may stay in registers. */
struct __sw_xorwow_words {
    unsigned int v[5];
};

/* Digit by digit of n, of which a table has the polynomials: the sum of those
 * of the next 160 states that the polynomial names. */
__SW_RANDOM_BIG __sw_xorwow_words
__sw_xorwow_jump(__sw_xorwow_words state, unsigned long long n,
                 const unsigned int table[16 * 15][5])
{
    for (; n; n >>= 4, table += 15) {
        unsigned int digit = n & 15;
        __sw_xorwow_words sum = {{0, 0, 0, 0, 0}};

        if (!digit)
            continue;
#pragma nounroll
        for (int word = 0; word < 5; word++) {
            unsigned int bits = table[digit - 1][word];

#pragma nounroll
            for (int i = 0; i < 32; i++, bits >>= 1) {
                unsigned int mask = 0u - (bits & 1);

                for (int j = 0; j < 5; j++)
                    sum.v[j] ^= state.v[j] & mask;
                __sw_xorwow_push(state.v, __sw_xorwow_next(state.v));
            }
        }
        state = sum;
    }
    return state;
}

QUALIFIERS void
__sw_xorwow_move(curandStateXORWOW_t *state, unsigned long long n,
                 const unsigned int table[16 * 15][5])
{
    __sw_xorwow_words words;

    for (int i = 0; i < 5; i++)
        words.v[i] = state->v[i];
    words = __sw_xorwow_jump(words, n, table);
    for (int i = 0; i < 5; i++)
        state->v[i] = words.v[i];
}

QUALIFIERS void
skipahead(unsigned long long n, curandStateXORWOW_t *state)
{
    __sw_xorwow_move(state, n, __sw_xorwow_steps);
    state->d += __SW_XORWOW_COUNT * (unsigned int)n;
}

/* The counter is where it was after 2^67 steps. */
QUALIFIERS void
skipahead_sequence(unsigned long long n, curandStateXORWOW_t *state)
{
    __sw_xorwow_move(state, n, __sw_xorwow_sequences);
}

QUALIFIERS void
curand_init(unsigned long long seed, unsigned long long subsequence,
            unsigned long long offset, curandStateXORWOW_t *state)
{
    unsigned int low = ((unsigned int)seed ^ 0xaad26b49u) * 1099087573u;
    unsigned int high =
        ((unsigned int)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;

    /* Marsaglia's first values, with the seed in them. */
    state->d = 6615241u + low + high;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    __sw_random_no_extra(state);
}

/* Philox: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1,
 * 2, 3, 2011, section 3.3. */

#define PHILOX_W32_0   (0x9E3779B9)
#define PHILOX_W32_1   (0xBB67AE85)
#define PHILOX_M4x32_0 (0xD2511F53)
#define PHILOX_M4x32_1 (0xCD9E8D57)

QUALIFIERS uint4
curand_Philox4x32_10(uint4 c, uint2 k)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long x = (unsigned long long)PHILOX_M4x32_0 * c.x;
        unsigned long long z = (unsigned long long)PHILOX_M4x32_1 * c.z;

        c.x = (unsigned int)(z >> 32) ^ c.y ^ k.x;
        c.z = (unsigned int)(x >> 32) ^ c.w ^ k.y;
        c.y = (unsigned int)z;
        c.w = (unsigned int)x;
        k.x += PHILOX_W32_0;
        k.y += PHILOX_W32_1;
    }
    return c;
}

/* Adds n to the lower half of the counter, with a carry, or to the upper. */
QUALIFIERS void
__sw_philox_add(uint4 *ctr, unsigned long long n, bool upper)
{
    unsigned long long low = (unsigned long long)ctr->y << 32 | ctr->x;
    unsigned long long high = (unsigned long long)ctr->w << 32 | ctr->z;

    if (upper) {
        high += n;
    } else {
        low += n;
        high += low < n;
    }
    ctr->x = (unsigned int)low;
    ctr->y = (unsigned int)(low >> 32);
    ctr->z = (unsigned int)high;
    ctr->w = (unsigned int)(high >> 32);
}

QUALIFIERS void
__sw_philox_move(curandStatePhilox4_32_10_t *state, unsigned long long n,
                 bool upper)
{
    __sw_philox_add(&state->ctr, n, upper);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

/* Word i of a and b, one after the other. */
QUALIFIERS unsigned int
__sw_philox_word(const uint4 &a, const uint4 &b, unsigned int i)
{
    const uint4 &from = i < 4 ? a : b;

    switch (i & 3) {
    case 0:
        return from.x;
    case 1:
        return from.y;
    case 2:
        return from.z;
    default:
        return from.w;
    }
}

QUALIFIERS unsigned int
curand(curandStatePhilox4_32_10_t *state)
{
    unsigned int number =
        __sw_philox_word(state->output, state->output, state->STATE);

    if (++state->STATE == 4) {
        __sw_philox_move(state, 1, false);
        state->STATE = 0;
    }
    return number;
}

/* The next four numbers. */
QUALIFIERS uint4
curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 old = state->output, numbers;
    unsigned int i = state->STATE;

    __sw_philox_move(state, 1, false);
    numbers.x = __sw_philox_word(old, state->output, i);
    numbers.y = __sw_philox_word(old, state->output, i + 1);
    numbers.z = __sw_philox_word(old, state->output, i + 2);
    numbers.w = __sw_philox_word(old, state->output, i + 3);
    return numbers;
}

QUALIFIERS void
skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    unsigned int word = state->STATE + (n & 3);

    state->STATE = word & 3;
    __sw_philox_move(state, n / 4 + word / 4, false);
}

QUALIFIERS void
skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    __sw_philox_move(state, n, true);
}

QUALIFIERS void
curand_init(unsigned long long seed, unsigned long long subsequence,
            unsigned long long offset, curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    __sw_philox_add(&state->ctr, subsequence, true);
    skipahead(offset, state);
    __sw_random_no_extra(state);
}

/* MRG32k3a: L'Ecuyer, Good parameters and implementations for combined
 * multiple recursive random number generators, 1999, figure I. */

enum __sw_mrg : unsigned int {
    __SW_MRG_M1 = 4294967087u,
    __SW_MRG_M2 = 4294944443u
};

/* The numbers that follow the three of each part. */
QUALIFIERS unsigned int
__sw_mrg_next1(const unsigned int s[3])
{
    return (1403580ull * s[1] + 810728ull * (__SW_MRG_M1 - s[0])) % __SW_MRG_M1;
}

QUALIFIERS unsigned int
__sw_mrg_next2(const unsigned int s[3])
{
    return (527612ull * s[2] + 1370589ull * (__SW_MRG_M2 - s[0])) % __SW_MRG_M2;
}

QUALIFIERS void
__sw_mrg_push(unsigned int s[3], unsigned int number)
{
    s[0] = s[1], s[1] = s[2], s[2] = number;
}

/* The next number, from 1 to 4294967087. */
QUALIFIERS double
curand_MRG32k3a(curandStateMRG32k3a_t *state)
{
    unsigned int a = __sw_mrg_next1(state->s1), b = __sw_mrg_next2(state->s2);

    __sw_mrg_push(state->s1, a);
    __sw_mrg_push(state->s2, b);
    return a > b ? a - b : a - b + __SW_MRG_M1;
}

/* Spread over 32 bits. */
QUALIFIERS unsigned int
curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)(curand_MRG32k3a(state) * 1.000000048662);
}

/* By value, so that a state may stay in registers. */
struct __sw_mrg_words {
    unsigned int s1[3], s2[3];
};

/* Bit by bit of n: three sums of five numbers, of which a row of the table
 * has the factors. */
__SW_RANDOM_BIG __sw_mrg_words
__sw_mrg_jump(__sw_mrg_words state, unsigned long long n,
              const unsigned int table[64][6])
{
    for (; n; n >>= 1, table++) {
        unsigned int a[5], b[5];

        if (!(n & 1))
            continue;
        for (int i = 0; i < 3; i++) {
            a[i] = state.s1[i];
            b[i] = state.s2[i];
        }
        for (int i = 0; i < 2; i++) {
            a[3 + i] = __sw_mrg_next1(a + i);
            b[3 + i] = __sw_mrg_next2(b + i);
        }
        for (int i = 0; i < 3; i++) {
            unsigned long long x = 0, y = 0;

            for (int j = 0; j < 3; j++) {
                unsigned int p = (*table)[j], q = (*table)[3 + j];

                x += (unsigned long long)p * a[i + j] % __SW_MRG_M1;
                y += (unsigned long long)q * b[i + j] % __SW_MRG_M2;
            }
            state.s1[i] = (unsigned int)(x % __SW_MRG_M1);
            state.s2[i] = (unsigned int)(y % __SW_MRG_M2);
        }
    }
    return state;
}

QUALIFIERS void
__sw_mrg_move(curandStateMRG32k3a_t *state, unsigned long long n,
              const unsigned int table[64][6])
{
    __sw_mrg_words words;

    for (int i = 0; i < 3; i++) {
        words.s1[i] = state->s1[i];
        words.s2[i] = state->s2[i];
    }
    words = __sw_mrg_jump(words, n, table);
    for (int i = 0; i < 3; i++) {
        state->s1[i] = words.s1[i];
        state->s2[i] = words.s2[i];
    }
}

QUALIFIERS void
skipahead(unsigned long long n, curandStateMRG32k3a_t *state)
{
    __sw_mrg_move(state, n, __sw_mrg_steps);
}

QUALIFIERS void
skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    __sw_mrg_move(state, n, __sw_mrg_subsequences);
}

QUALIFIERS void
skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state)
{
    __sw_mrg_move(state, n, __sw_mrg_sequences);
}

QUALIFIERS void
curand_init(unsigned long long seed, unsigned long long subsequence,
            unsigned long long offset, curandStateMRG32k3a_t *state)
{
    unsigned long long low = (unsigned int)seed ^ 0x55555555u;
    unsigned long long high = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;

    for (int i = 0; i < 3; i++) {
        state->s1[i] = state->s2[i] = 12345;
        if (seed) {
            state->s1[i] = (i & 1 ? high : low) * 12345 % __SW_MRG_M1;
            state->s2[i] = (i & 1 ? low : high) * 12345 % __SW_MRG_M2;
        }
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    __sw_random_no_extra(state);
}

/* Sobol: Antonov and Saleev, An economic method of computing LP-tau sequences,
 * 1979: number i + 1 differs from number i by the vector of i's lowest 0. */

template <class __S, class T>
QUALIFIERS T
__sw_sobol_next(__S *state, T index)
{
    enum { LAST = sizeof(T) * 8 - 1 };
    T number = state->x;
    int zero = ~index ? __builtin_ctzll((unsigned long long)~index) : LAST;

    state->x ^= state->direction_vectors[zero];
    state->i++;
    return number;
}

template <class __S, class T>
QUALIFIERS void
__sw_sobol_skip(__S *state, T n)
{
    state->i += n;
    state->x = state->c;
    T gray = state->i ^ state->i >> 1;
    for (unsigned int bit = 0; bit < sizeof(T) * 8; bit++)
        if (gray >> bit & 1)
            state->x ^= state->direction_vectors[bit];
}

template <class __S, class T>
QUALIFIERS void
__sw_sobol_init(__S *state, const T *vectors, T c, T offset)
{
    for (unsigned int bit = 0; bit < sizeof(T) * 8; bit++)
        state->direction_vectors[bit] = vectors[bit];
    state->i = 0;
    state->c = c;
    __sw_sobol_skip(state, offset);
}

/* skipahead of Sobol generators is a template over the pointer to a state,
 * which programs may name. */
template <class T> struct __sw_sobol {
};

#define __SW_SOBOL(STATE, WORD)                                                \
    QUALIFIERS WORD curand(STATE *state)                                       \
    {                                                                          \
        return __sw_sobol_next(state, state->i);                               \
    }                                                                          \
    template <> struct __sw_sobol<STATE *> {                                   \
        typedef WORD word;                                                     \
    };
__SW_SOBOL(curandStateSobol32_t, unsigned int)
__SW_SOBOL(curandStateScrambledSobol32_t, unsigned int)
__SW_SOBOL(curandStateSobol64_t, unsigned long long)
__SW_SOBOL(curandStateScrambledSobol64_t, unsigned long long)
#undef __SW_SOBOL

template <typename T>
QUALIFIERS void
skipahead(typename __sw_sobol<T>::word n, T state)
{
    __sw_sobol_skip(state, n);
}

#define __SW_SOBOL(STATE, SCRAMBLED, WORD)                                     \
    QUALIFIERS void curand_init(const WORD *direction_vectors, WORD offset,    \
                                STATE *state)                                  \
    {                                                                          \
        __sw_sobol_init(state, direction_vectors, (WORD)0, offset);            \
    }                                                                          \
    QUALIFIERS void curand_init(const WORD *direction_vectors,                 \
                                WORD scramble_c, WORD offset,                  \
                                SCRAMBLED *state)                              \
    {                                                                          \
        __sw_sobol_init(state, direction_vectors, scramble_c, offset);         \
    }
__SW_SOBOL(curandStateSobol32_t, curandStateScrambledSobol32_t, unsigned int)
__SW_SOBOL(curandStateSobol64_t, curandStateScrambledSobol64_t,
           unsigned long long)
#undef __SW_SOBOL

/* MTGP: Saito and Matsumoto, Variants of Mersenne Twister suitable for graphic
 * processors, 2013. All threads of a block take numbers together. */

/* Word i of those that come next. */
QUALIFIERS unsigned int
__sw_mtgp_word(const curandStateMtgp32_t *state, unsigned int i)
{
    const mtgp32_kernel_params_t *k = state->k;
    const unsigned int *s = state->s;
    int set = state->pIdx;
    unsigned int at = i + state->offset;
    unsigned int x = (s[at & MTGP32_STATE_MASK] & k->mask[0]) ^
                     s[(at + 1) & MTGP32_STATE_MASK];
    unsigned int y = s[(at + k->pos_tbl[set]) & MTGP32_STATE_MASK];

    x ^= x << k->sh1_tbl[set];
    y = x ^ y >> k->sh2_tbl[set];
    return y ^ k->param_tbl[set][y & 15];
}

/* Which row of a tempering table is for word i. */
QUALIFIERS unsigned int
__sw_mtgp_row(const curandStateMtgp32_t *state, unsigned int i)
{
    unsigned int pos = state->k->pos_tbl[state->pIdx];
    unsigned int t =
        state->s[(i + state->offset + pos - 1) & MTGP32_STATE_MASK];

    t ^= t >> 16;
    t ^= t >> 8;
    return t & 15;
}

/* All threads have read; `first` of them moves the ring by n. */
QUALIFIERS void
__sw_mtgp_done(curandStateMtgp32_t *state, bool first, unsigned int n)
{
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
    if (first)
        state->offset = (state->offset + n) & MTGP32_STATE_MASK;
#ifdef __CUDA_ARCH__
    __syncthreads();
#endif
}

/* Number `index` of the next n. */
QUALIFIERS unsigned int
__sw_mtgp_number(curandStateMtgp32_t *state, unsigned int index, unsigned int n)
{
    unsigned int word = __sw_mtgp_word(state, index);

    state->s[(index + state->offset + MTGPDC_N) & MTGP32_STATE_MASK] = word;
    word ^= state->k->temper_tbl[state->pIdx][__sw_mtgp_row(state, index)];
    __sw_mtgp_done(state, index == 0, n);
    return word;
}

/* As a float from 1 to less than 2. The new word goes to s[index] whatever the
 * offset, as with the vendor: the numbers are not those of the recurrence. */
QUALIFIERS float
__sw_mtgp_single(curandStateMtgp32_t *state, unsigned int index, unsigned int n,
                 bool first)
{
    unsigned int word = __sw_mtgp_word(state, index);
    float number;

    state->s[index] = word;
    word =
        word >> 9 ^
        state->k->single_temper_tbl[state->pIdx][__sw_mtgp_row(state, index)];
    __sw_mtgp_done(state, first, n);
    __builtin_memcpy(&number, &word, sizeof number);
    return number;
}

/* For n threads of the block, of which this is number `index`. */
QUALIFIERS unsigned int
curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index,
                       unsigned char n)
{
    return __sw_mtgp_number(state, index, n);
}

#ifdef __CUDA_ARCH__
#define __SW_RANDOM_THREADS (blockDim.x * blockDim.y * blockDim.z)

/* The thread's number as this function counts: by rows of blockDim.x, but by
 * planes of blockDim.z * blockDim.y. */
QUALIFIERS unsigned int
curand(curandStateMtgp32_t *state)
{
    return __sw_mtgp_number(state,
                            blockDim.z * blockDim.y * threadIdx.z +
                                blockDim.x * threadIdx.y + threadIdx.x,
                            __SW_RANDOM_THREADS);
}

QUALIFIERS float
curand_mtgp32_single(curandStateMtgp32_t *state)
{
    return __sw_mtgp_single(state, blockDim.z * blockDim.y + threadIdx.x,
                            __SW_RANDOM_THREADS, threadIdx.x == 0);
}

QUALIFIERS float
curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index,
                              unsigned char n)
{
    return __sw_mtgp_single(state, index, n, threadIdx.x == 0);
}
#else
QUALIFIERS unsigned int curand(curandStateMtgp32_t *state);
QUALIFIERS float curand_mtgp32_single(curandStateMtgp32_t *state);
QUALIFIERS float curand_mtgp32_single_specific(curandStateMtgp32_t *state,
                                               unsigned char index,
                                               unsigned char n);
#endif

#endif
