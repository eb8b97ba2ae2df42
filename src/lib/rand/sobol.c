/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sobol.c - Sobol's quasirandom generators, of 32 and of 64 bits: for each
 * dimension n / dimensions numbers in turn, from Joe and Kuo's direction
 * vectors.
 *
 * joe_kuo.bin has what these are made of: S. Joe, F. Y. Kuo, Constructing Sobol
 * sequences with better two-dimensional projections, 2008 (the table
 * new-joe-kuo-6.21201 that they publish with it; joe_kuo.LICENSE). A dimension
 * after the first is, bit by bit from the lowest: 5 bits of the degree s of its
 * polynomial, the s - 1 inner coefficients from the lowest on, and for i from 0
 * to s - 1 the i upper bits of the odd number m[i].
 */
#include <pthread.h>

#include "lib/rand/generator.h"

__asm__(".section .rodata\n"
        "sw_joe_kuo: .incbin \"" SW_LIB_TABLE "\"\n"
        ".text\n");
extern const unsigned char sw_joe_kuo[] __attribute__((visibility("hidden")));

enum { WARP = 32, BLOCK = 256, MOST_BLOCKS = 64 };

static curandDirectionVectors32_t vectors32[SW_RAND_DIMENSIONS];
static curandDirectionVectors64_t vectors64[SW_RAND_DIMENSIONS];

static uint64_t
read_bits(size_t *at, unsigned n)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < n; i++, (*at)++)
        value |= (uint64_t)(sw_joe_kuo[*at / 8] >> *at % 8 & 1) << i;
    return value;
}

/* Bratley and Fox, Algorithm 659, 1988: v[i] = m[i] / 2^(i+1) as a fraction of
 * 64 bits, of which fractions of 32 bits are the upper halves. */
static void
read_dimension(size_t *at, unsigned long long v[64])
{
    unsigned s = (unsigned)read_bits(at, 5);
    uint64_t inner = read_bits(at, s - 1);
    for (unsigned i = 0; i < s; i++)
        v[i] = (read_bits(at, i) << 1 | 1) << (63 - i);
    for (unsigned i = s; i < 64; i++) {
        v[i] = v[i - s] ^ v[i - s] >> s;
        for (unsigned k = 1; k < s; k++)
            if (inner >> (s - 1 - k) & 1)
                v[i] ^= v[i - k];
    }
}

static void
fill(void)
{
    size_t at = 0;
    for (unsigned i = 0; i < 64; i++)
        vectors64[0][i] = 1ULL << (63 - i);
    for (unsigned d = 1; d < SW_RAND_DIMENSIONS; d++)
        read_dimension(&at, vectors64[d]);
    for (unsigned d = 0; d < SW_RAND_DIMENSIONS; d++)
        for (unsigned i = 0; i < 32; i++)
            vectors32[d][i] = (unsigned)(vectors64[d][i] >> 32);
}

static void
make_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
}

curandStatus_t
curandGetDirectionVectors32(curandDirectionVectors32_t *vectors[],
                            curandDirectionVectorSet_t set)
{
    NEEDS(vectors && set == CURAND_DIRECTION_VECTORS_32_JOEKUO6, OUT_OF_RANGE);
    make_tables();
    *vectors = vectors32;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
curandGetDirectionVectors64(curandDirectionVectors64_t *vectors[],
                            curandDirectionVectorSet_t set)
{
    NEEDS(vectors && set == CURAND_DIRECTION_VECTORS_64_JOEKUO6, OUT_OF_RANGE);
    make_tables();
    *vectors = vectors64;
    return CURAND_STATUS_SUCCESS;
}

static curandStatus_t
load_vectors(curandGenerator_t g)
{
    bool is_long = g->row->type == CURAND_RNG_QUASI_SOBOL64;
    size_t bytes =
        g->dimensions * (is_long ? sizeof *vectors64 : sizeof *vectors32);
    const void *from = is_long ? (void *)vectors64 : (void *)vectors32;
    if (g->states)
        return CURAND_STATUS_SUCCESS;
    make_tables();
    TRY_AS(curandStatus_t, sw_rand_allocate(&g->states, bytes));
    NEEDS(cuMemcpyHtoD(g->states, from, bytes) == CUDA_SUCCESS,
          INITIALIZATION_FAILED);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
sw_rand_make_sobol(curandGenerator_t g, const sw_rand_request *r)
{
    TRY_AS(curandStatus_t, load_vectors(g));
    unsigned long long first = g->next, each = r->n / g->dimensions;
    unsigned block = each < BLOCK ? (unsigned)(each + WARP - 1) / WARP * WARP
                                  : (unsigned)BLOCK;
    unsigned long long blocks = (each + block - 1) / block;
    CUdeviceptr out = r->out;
    void *args[] = {&g->states, &g->dimensions, &first,   &each,
                    &out,       r->mean,        r->stddev};
    TRY_AS(curandStatus_t,
           sw_rand_launch(g, sw_rand_kinds[r->kind].name,
                          blocks < MOST_BLOCKS ? (unsigned)blocks : MOST_BLOCKS,
                          g->dimensions, block, args));
    g->next += each;
    return CURAND_STATUS_SUCCESS;
}
