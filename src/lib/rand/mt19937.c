/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mt19937.c - the generator MT19937: 8192 Mersenne Twisters, twister i being
 * i * 2^2048 numbers ahead of the one that the seed makes. Eight numbers of
 * each make a turn (kernels.cu), so a call that needs few numbers needs few
 * twisters: they are made when they are needed, a batch at a time.
 *
 * Jumping: the recurrence is linear over GF(2), so words a jump of J ahead are
 * sums of the next 19937 words, those that the polynomial t^J mod phi names,
 * phi being the recurrence's characteristic polynomial (Haramoto and others,
 * Efficient jump ahead for F2-linear random number generators, 2008). All
 * batches use the polynomials of the first one, from a base of their own.
 */
#include <pthread.h>
#include <string.h>

#include "lib/rand/generator.h"

enum {
    DEGREE = 19937,
    WORDS = 312, /* of 64 bits, of a polynomial */
    STATE = 624, /* words of 32 bits, of a twister */
    TWISTERS = 8192,
    BATCH = 128,
    BATCHES = TWISTERS / BATCH,
    TURN = 8 * TWISTERS, /* numbers */
    CYCLE = 78 * TURN,   /* use all words of the states */
    AHEAD = DEGREE + STATE,
    BLOCK = 208,
    MOST_BLOCKS = 1024
};

typedef uint64_t polynomial[WORDS];

/* Exponents of phi below DEGREE, and t^(2^2048) mod phi. Both follow from the
 * recurrence: phi by Berlekamp's and Massey's method from its numbers. */
static const uint16_t phi[] = {
#define PHI(...) __VA_ARGS__
#define JUMP(...)
#include "lib/rand/mt19937.def"
#undef PHI
#undef JUMP
};
static const polynomial jump = {
#define PHI(...)
#define JUMP(...) __VA_ARGS__
#include "lib/rand/mt19937.def"
#undef PHI
#undef JUMP
};

/* Jumps by 0, 1, ... twisters, and by 0, 1, ... batches. */
static polynomial by_twister[BATCH], by_batch[BATCHES];

/* p += q * t^shift, of `words` words. */
static void
add_shifted(uint64_t *p, const uint64_t *q, size_t words, unsigned shift)
{
    unsigned word = shift / 64, bit = shift % 64;
    for (size_t i = 0; i < words; i++) {
        p[i + word] ^= q[i] << bit;
        if (bit)
            p[i + word + 1] ^= q[i] >> (64 - bit);
    }
}

/* p of 2 * WORDS words mod phi, a word at a time from the top. */
static void
reduce(uint64_t *p)
{
    for (unsigned i = 2 * WORDS; i-- > WORDS - 1;) {
        unsigned base = 64 * i;
        uint64_t high;
        while ((high = base >= DEGREE ? p[i] : p[i] >> (DEGREE - base)) != 0) {
            unsigned from = base >= DEGREE ? base - DEGREE : 0;
            p[i] ^= base >= DEGREE ? high : high << (DEGREE - base);
            for (size_t k = 0; k < sizeof phi / sizeof *phi; k++)
                add_shifted(p, &high, 1, from + phi[k]);
        }
    }
}

/* out = a * b mod phi; four bits of b at a time. */
static void
multiply(const polynomial a, const polynomial b, polynomial out)
{
    uint64_t multiples[16][WORDS + 1] = {{0}};
    uint64_t product[2 * WORDS + 2] = {0};
    for (unsigned digit = 1; digit < 16; digit++)
        for (unsigned bit = 0; bit < 4; bit++)
            if (digit >> bit & 1)
                add_shifted(multiples[digit], a, WORDS, bit);
    for (unsigned nibble = 16; nibble-- > 0;) {
        for (unsigned i = 2 * WORDS + 1; i > 0; i--)
            product[i] = product[i] << 4 | product[i - 1] >> 60;
        product[0] <<= 4;
        for (unsigned i = 0; i < WORDS; i++)
            for (unsigned k = 0; k <= WORDS; k++)
                product[i + k] ^= multiples[b[i] >> 4 * nibble & 15][k];
    }
    reduce(product);
    memcpy(out, product, sizeof(polynomial));
}

static void
fill(void)
{
    by_twister[0][0] = by_batch[0][0] = 1;
    for (unsigned i = 1; i < BATCH; i++)
        multiply(by_twister[i - 1], jump, by_twister[i]);
    multiply(by_twister[BATCH - 1], jump, by_batch[1]);
    for (unsigned i = 2; i < BATCHES; i++)
        multiply(by_batch[i - 1], by_batch[1], by_batch[i]);
}

static uint32_t
next_word(const uint32_t *x)
{
    uint32_t y = (x[0] & 0x80000000U) | (x[1] & 0x7fffffffU);
    return x[397] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfU : 0);
}

/* The words that a twister of this seed gives, `from` being the first. */
static void
start(uint32_t seed, uint32_t *x, size_t from, size_t count)
{
    uint32_t *all = sw_alloc((STATE + from + count) * sizeof *all);
    all[0] = seed;
    for (uint32_t i = 1; i < STATE; i++)
        all[i] = 1812433253U * (all[i - 1] ^ all[i - 1] >> 30) + i;
    for (size_t i = STATE; i < STATE + from + count; i++)
        all[i] = next_word(all + i - STATE);
    memcpy(x, all + STATE + from, count * sizeof *x);
    sw_free(all);
}

/* The state of the first twister of a batch, and AHEAD words from there on. */
static void
base_of(const uint32_t *x, unsigned batch, uint32_t *out)
{
    memset(out, 0, STATE * sizeof *out);
    for (unsigned bit = 0; bit < DEGREE; bit++)
        if (by_batch[batch][bit / 64] >> bit % 64 & 1)
            for (unsigned i = 0; i < STATE; i++)
                out[i] ^= x[bit + i];
    for (unsigned i = STATE; i < AHEAD; i++)
        out[i] = next_word(out + i - STATE);
}

/* Where the polynomials and a batch's words are in g->extra. */
enum { EXTRA_WORDS = sizeof by_twister, EXTRA = EXTRA_WORDS + AHEAD * 4 };

static curandStatus_t
prepare(curandGenerator_t g)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, fill);
    TRY_AS(curandStatus_t, sw_rand_allocate(&g->extra, EXTRA));
    TRY_AS(curandStatus_t,
           sw_rand_allocate(&g->states, (size_t)TWISTERS * STATE * 4));
    NEEDS(cuMemcpyHtoD(g->extra, by_twister, sizeof by_twister) == CUDA_SUCCESS,
          INITIALIZATION_FAILED);
    return CURAND_STATUS_SUCCESS;
}

/* One more batch of twisters, up to `last`. */
static curandStatus_t
make_batch(curandGenerator_t g, const uint32_t *x, unsigned last)
{
    unsigned batch = (unsigned)(g->made / BATCH);
    unsigned first = (unsigned)(g->made % BATCH);
    unsigned end = last - batch * BATCH < BATCH ? last - batch * BATCH : BATCH;
    uint32_t *words = sw_alloc(AHEAD * sizeof *words);
    base_of(x, batch, words);
    CUresult copied = cuMemcpyHtoD(g->extra + EXTRA_WORDS, words, AHEAD * 4);
    sw_free(words);
    NEEDS(copied == CUDA_SUCCESS, INITIALIZATION_FAILED);
    CUdeviceptr from = g->extra + first * sizeof(polynomial);
    CUdeviceptr ahead = g->extra + EXTRA_WORDS;
    CUdeviceptr states = g->states + g->made * STATE * 4;
    void *args[] = {&from, &ahead, &states};
    TRY_AS(curandStatus_t,
           sw_rand_launch(g, "jump", end - first, 1, BLOCK, args));
    NEEDS(sw_lib_wait(g->stream) == CUDA_SUCCESS, LAUNCH_FAILURE);
    g->made += end - first;
    return CURAND_STATUS_SUCCESS;
}

/* Twisters up to `last`, of the cycle that g->next is in: if not all are there,
 * that is the first one. */
static curandStatus_t
make_twisters(curandGenerator_t g, unsigned last)
{
    curandStatus_t status = CURAND_STATUS_SUCCESS;
    if (g->made >= last)
        return status;
    TRY_AS(curandStatus_t, prepare(g));
    uint32_t *x = sw_alloc(AHEAD * sizeof *x);
    start((uint32_t)g->seed, x, 0, AHEAD);
    while (g->made < last && status == CURAND_STATUS_SUCCESS)
        status = make_batch(g, x, last);
    sw_free(x);
    return status;
}

/* Numbers that lie in one cycle. */
static curandStatus_t
make_part(curandGenerator_t g, const sw_rand_request *r, CUdeviceptr out,
          unsigned n)
{
    unsigned first = (unsigned)(g->next % CYCLE);
    unsigned blocks = (n + BLOCK - 1) / BLOCK;
    void *args[] = {&g->states, &first, &out, &n, r->mean, r->stddev};
    unsigned long long end = (unsigned long long)first + n;
    TRY_AS(curandStatus_t,
           make_twisters(g, end < TURN ? (unsigned)(end + 7) / 8 : TWISTERS));
    TRY_AS(curandStatus_t,
           sw_rand_launch(g, sw_rand_kinds[r->kind].name,
                          blocks < MOST_BLOCKS ? blocks : MOST_BLOCKS, 1, BLOCK,
                          args));
    if (end == CYCLE) {
        void *states[] = {&g->states};
        TRY_AS(curandStatus_t,
               sw_rand_launch(g, "twist", TWISTERS / BATCH, 1, BATCH, states));
    }
    g->next += n;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t
sw_rand_make_mt19937(curandGenerator_t g, const sw_rand_request *r)
{
    CUdeviceptr out = r->out;
    for (size_t left = r->n; left > 0;) {
        size_t n = CYCLE - g->next % CYCLE;
        n = n < left ? n : left;
        TRY_AS(curandStatus_t, make_part(g, r, out, (unsigned)n));
        out += n * sw_rand_kinds[r->kind].bytes;
        left -= n;
    }
    return CURAND_STATUS_SUCCESS;
}
