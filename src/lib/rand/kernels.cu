/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernels.cu - the device's side of cuRAND's host generators, on the generators
 * of curand_kernel.h: compiled to PTX when Softwarp is built.
 *
 * XORWOW and MRG32k3a: `threads` states, which take turns: unit i of all that a
 * generator makes is the next one of state i % threads. A unit is one number, or
 * two normal ones. Philox: four numbers of 32 bits at a time, of subsequence
 * q % threads at q / threads, q being how many such fours are before; of doubles,
 * eight for four.
 */
#include <curand_kernel.h>

#define THREAD (blockIdx.x * blockDim.x + threadIdx.x)

/* State t, of which the first offset % threads have made one unit more. */
#define SEED(name, type)                                                       \
    extern "C" __global__ void seed_##name(type *states,                       \
                                           unsigned long long seed,            \
                                           unsigned long long offset,          \
                                           unsigned threads)                   \
    {                                                                          \
        unsigned t = THREAD;                                                   \
        if (t < threads)                                                       \
            curand_init(seed, t, offset / threads + (t < offset % threads),    \
                        &states[t]);                                           \
    }

/* `units` of them, the first of state `start`. */
#define MAKE(kind, name, type, out_type, P, expression)                        \
    extern "C" __global__ void kind##_##name(                                  \
        type *states, unsigned threads, unsigned start, out_type *out,         \
        unsigned long long units, P mean, P stddev)                            \
    {                                                                          \
        unsigned t = THREAD;                                                   \
        if (t >= threads || t >= units)                                        \
            return;                                                            \
        type *place = &states[(start + t) % threads];                          \
        type s = *place;                                                       \
        for (unsigned long long i = t; i < units; i += threads)                \
            out[i] = expression;                                               \
        *place = s;                                                            \
    }

__device__ static float2
scale(float2 z, float mean, float stddev)
{
    return make_float2(stddev * z.x + mean, stddev * z.y + mean);
}
__device__ static double2
scale(double2 z, double mean, double stddev)
{
    return make_double2(stddev * z.x + mean, stddev * z.y + mean);
}

#define ALL(name, type)                                                        \
    SEED(name, type)                                                           \
    MAKE(bits, name, type, unsigned, float, curand(&s))                        \
    MAKE(uniform, name, type, float, float, curand_uniform(&s))                \
    MAKE(uniform_double, name, type, double, double,                           \
         curand_uniform_double(&s))                                            \
    MAKE(normal, name, type, float2, float,                                    \
         scale(curand_normal2(&s), mean, stddev))                              \
    MAKE(normal_double, name, type, double2, double,                           \
         scale(curand_normal2_double(&s), mean, stddev))                       \
    MAKE(log_normal, name, type, float2, float,                                \
         curand_log_normal2(&s, mean, stddev))                                 \
    MAKE(log_normal_double, name, type, double2, double,                       \
         curand_log_normal2_double(&s, mean, stddev))

ALL(xorwow, curandStateXORWOW)
ALL(mrg32k3a, curandStateMRG32k3a)

/* `n` numbers from number `first` on, by fours, which take so many `words` of
 * random bits. */
#define PHILOX(kind, out_type, P, words, expression)                           \
    extern "C" __global__ void kind##_philox(                                  \
        unsigned long long seed, unsigned threads, unsigned long long first,   \
        out_type *out, unsigned long long n, P mean, P stddev)                 \
    {                                                                          \
        unsigned long long q = first / 4 + THREAD;                             \
        unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;  \
        for (; q * 4 < first + n; q += step) {                                 \
            curandStatePhilox4_32_10 s;                                        \
            curand_init(seed, q % threads, q / threads * words, &s);           \
            expression;                                                        \
            for (unsigned k = 0; k < 4; k++) {                                 \
                unsigned long long at = q * 4 + k;                             \
                if (at >= first && at < first + n)                             \
                    out[at - first] = v[k];                                    \
            }                                                                  \
        }                                                                      \
    }
#define FOUR(T, u)   T v[4] = {u.x, u.y, u.z, u.w}
#define TWICE(a, b)  double v[4] = {a.x, a.y, b.x, b.y}

PHILOX(bits, unsigned, float, 4, uint4 u = curand4(&s); FOUR(unsigned, u))
PHILOX(uniform, float, float, 4, float4 u = curand_uniform4(&s); FOUR(float, u))
PHILOX(uniform_double, double, double, 8,
       double2 a = curand_uniform2_double(&s);
       double2 b = curand_uniform2_double(&s);
       TWICE(a, b))
PHILOX(normal, float, float, 4, float4 z = curand_normal4(&s);
       float2 a = scale(make_float2(z.x, z.y), mean, stddev);
       float2 b = scale(make_float2(z.z, z.w), mean, stddev);
       float4 u = make_float4(a.x, a.y, b.x, b.y);
       FOUR(float, u))
PHILOX(normal_double, double, double, 8,
       double2 a = scale(curand_normal2_double(&s), mean, stddev);
       double2 b = scale(curand_normal2_double(&s), mean, stddev);
       TWICE(a, b))
PHILOX(log_normal, float, float, 4,
       float4 u = curand_log_normal4(&s, mean, stddev);
       FOUR(float, u))
PHILOX(log_normal_double, double, double, 8,
       double2 a = curand_log_normal2_double(&s, mean, stddev);
       double2 b = curand_log_normal2_double(&s, mean, stddev);
       TWICE(a, b))

/* ---- Poisson's distribution: the device's functions ---- */

#define POISSON(name, type)                                                    \
    MAKE(poisson, name, type, unsigned, double, curand_poisson(&s, mean))
POISSON(xorwow, curandStateXORWOW)
POISSON(mrg32k3a, curandStateMRG32k3a)

/* Each number of a subsequence of its own, as it takes any number of words. */
extern "C" __global__ void
poisson_philox(unsigned long long seed, unsigned threads,
               unsigned long long first, unsigned *out, unsigned long long n,
               double mean, double stddev)
{
    unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;
    for (unsigned long long i = THREAD; i < n; i += step) {
        curandStatePhilox4_32_10 s;
        curand_init(seed, first + i, 0, &s);
        out[i] = curand_poisson(&s, mean);
    }
}

/* ---- generators of which each result comes from one word x ---- */

/* The count up to which probabilities add up to a uniform number; of large means
 * a rounded normal number, for words of 64 bits from a mean on that lies between
 * 1000 and 5000 on a device. e^-mean is taken in parts of 500, as it might
 * vanish. */
template <class W>
__device__ static unsigned
poisson_of(W x, double mean)
{
    const double MOST = sizeof x == 8 ? 4000 : 20000;
    double u = _curand_uniform_double(x), p = 1, sum = 1;
    unsigned k = 0;
    if (mean > MOST)
        return (unsigned)(sqrt(mean) * _curand_normal_icdf(x) + mean + 0.5);
    for (double left = mean; left > 0; left -= 500) {
        double factor = exp(left > 500 ? -500.0 : -left);
        p *= factor;
        sum *= factor;
        while (u > sum && p > 0) {
            k++;
            p *= mean / k;
            sum += p;
        }
    }
    return k;
}

#define EACH_KIND(X, name, W, uniform_, uniform_double_)                       \
    X(bits, name, W, W, float, x)                                              \
    X(uniform, name, W, float, float, uniform_(x))                             \
    X(uniform_double, name, W, double, double, uniform_double_(x))             \
    X(normal, name, W, float, float, stddev *_curand_normal_icdf(x) + mean)    \
    X(normal_double, name, W, double, double,                                  \
      stddev *_curand_normal_icdf_double(x) + mean)                            \
    X(log_normal, name, W, float, float,                                       \
      expf(mean + stddev * _curand_normal_icdf(x)))                            \
    X(log_normal_double, name, W, double, double,                              \
      exp(mean + stddev * _curand_normal_icdf_double(x)))                      \
    X(poisson, name, W, unsigned, double, poisson_of(x, mean))

/* Number `index` of a dimension whose vectors these are. */
template <class W>
__device__ static W
sobol(const W *vectors, W index)
{
    W x = 0;
    for (W gray = index ^ index >> 1; gray; gray >>= 1)
        x ^= *vectors++ & (W)0 - (gray & 1);
    return x;
}

/* Of each dimension `each` numbers from number `first` on. */
#define SOBOL(kind, name, W, out_type, P, expression)                          \
    extern "C" __global__ void kind##_##name(                                  \
        const W *vectors, unsigned dimensions, unsigned long long first,       \
        unsigned long long each, out_type *out, P mean, P stddev)              \
    {                                                                          \
        unsigned long long step = (unsigned long long)gridDim.x * blockDim.x;  \
        unsigned d = blockIdx.y;                                               \
        for (unsigned long long i = THREAD; i < each; i += step) {             \
            W x = sobol(vectors + d * sizeof(W) * 8, (W)(first + i));          \
            out[d * each + i] = expression;                                    \
        }                                                                      \
    }
EACH_KIND(SOBOL, sobol32, unsigned, _curand_uniform, _curand_uniform_double)
EACH_KIND(SOBOL, sobol64, unsigned long long, _curand_uniform,
          _curand_uniform_double)

/* ---- MTGP32 ---- */

__device__ static const struct {
    unsigned char pos, sh1, sh2;
    unsigned recurrence[4], tempering[4];
} mtgp_sets[CURAND_NUM_MTGP32_PARAMS] = {
#include <softwarp/random_mtgp.def>
};

__device__ static unsigned
mtgp_row(const unsigned basis[4], unsigned row)
{
    unsigned sum = 0;
    for (unsigned bit = 0; bit < 4; bit++)
        sum ^= basis[bit] & 0u - (row >> bit & 1);
    return sum;
}

/* The first words of state b, as curand_mtgp32_host.h makes them. */
__device__ static void
mtgp_init(curandStateMtgp32_t *state, unsigned b, unsigned seed)
{
    unsigned hidden = mtgp_row(mtgp_sets[b].recurrence, 4) ^
                      mtgp_row(mtgp_sets[b].recurrence, 8) << 16;
    unsigned filler = hidden + (hidden >> 16);
    filler = (filler + (filler >> 8) & 0xff) * 0x01010101u;
    state->s[0] = seed;
    for (unsigned i = 1; i < MTGPDC_N; i++)
        state->s[i] =
            (i == 1 ? hidden : filler) ^
            1812433253u * (state->s[i - 1] ^ state->s[i - 1] >> 30) + i;
}

/* A block each state; the tables of all come before what rounds have made. */
extern "C" __global__ void
seed_mtgp32(curandStateMtgp32_t *states, mtgp32_kernel_params_t *tables,
            unsigned long long seed, unsigned threads)
{
    unsigned b = blockIdx.x, t = threadIdx.x;
    if (t < 16) {
        tables->param_tbl[b][t] = mtgp_row(mtgp_sets[b].recurrence, t);
        tables->temper_tbl[b][t] = mtgp_row(mtgp_sets[b].tempering, t);
    }
    for (unsigned i = t; i < MTGP32_STATE_SIZE; i += blockDim.x)
        states[b].s[i] = 0;
    __syncthreads();
    if (t)
        return;
    tables->mask[0] = 0xfff80000;
    tables->pos_tbl[b] = mtgp_sets[b].pos;
    tables->sh1_tbl[b] = mtgp_sets[b].sh1;
    tables->sh2_tbl[b] = mtgp_sets[b].sh2;
    mtgp_init(&states[b], b, (unsigned)(seed ^ seed >> 32) + 1 + b);
    states[b].offset = 0;
    states[b].pIdx = b;
    states[b].k = tables;
}

/* `n` numbers from number `first` on. `kept`: [states][256], the numbers of the
 * last of the `made` rounds. */
#define MTGP32(kind, name, W, out_type, P, expression)                         \
    extern "C" __global__ void kind##_##name(                                  \
        curandStateMtgp32_t *states, unsigned *kept, unsigned long long first, \
        unsigned long long made, out_type *out, unsigned long long n, P mean,  \
        P stddev)                                                              \
    {                                                                          \
        unsigned b = blockIdx.x, t = threadIdx.x;                              \
        unsigned long long round = (unsigned long long)gridDim.x * blockDim.x; \
        for (unsigned long long r = first / round; r * round < first + n;      \
             r++) {                                                            \
            if (r >= made)                                                     \
                kept[THREAD] = curand(&states[b]);                             \
            unsigned x = kept[THREAD];                                         \
            unsigned long long at = r * round + b * blockDim.x + t;            \
            if (at >= first && at < first + n)                                 \
                out[at - first] = expression;                                  \
        }                                                                      \
    }
EACH_KIND(MTGP32, mtgp32, unsigned, _curand_uniform, _curand_uniform_double)

/* ---- MT19937: Matsumoto and Nishimura, Mersenne Twister, 1998 ---- */

enum { MT_WORDS = 624, MT_MIDDLE = 397, MT_JUMP_WORDS = 624 };

/* The next words of a block's state: those of `x` that its polynomial names, the
 * lowest bit first, added up. */
extern "C" __global__ void
jump_mt19937(const unsigned *polynomials, const unsigned *x, unsigned *states)
{
    const unsigned *polynomial = polynomials + blockIdx.x * MT_JUMP_WORDS;
    unsigned *state = states + blockIdx.x * MT_WORDS;
    for (unsigned i = threadIdx.x; i < MT_WORDS; i += blockDim.x) {
        unsigned sum = 0;
        for (unsigned word = 0; word < MT_JUMP_WORDS; word++)
            for (unsigned bits = polynomial[word]; bits; bits &= bits - 1)
                sum ^= x[i + 32 * word + (__ffs(bits) - 1)];
        state[i] = sum;
    }
}

/* All states go on by their 624 words. */
extern "C" __global__ void
twist_mt19937(unsigned *states)
{
    unsigned *s = states + THREAD * MT_WORDS;
    for (unsigned i = 0; i < MT_WORDS; i++) {
        unsigned y = (s[i] & 0x80000000u) |
                     (s[(i + 1) % MT_WORDS] & 0x7fffffffu);
        s[i] = s[(i + MT_MIDDLE) % MT_WORDS] ^ y >> 1 ^
               (0u - (y & 1) & 0x9908b0dfu);
    }
}

__device__ static const unsigned short mt_starts[8] = {0,   113, 170, 283,
                                                       340, 397, 510, 567};
__device__ static const unsigned short mt_runs[11] = {
    1, 57, 114, 171, 227, 284, 341, 398, 454, 511, 568};

/* Eight numbers of each of 8192 states make a turn, 78 turns use all words up:
 * the first takes words apart, seven more each run of 56, word by word. */
__device__ static unsigned
mt_number(const unsigned *states, unsigned at)
{
    unsigned turn = at >> 16, lane = at & 7;
    const unsigned *s = states + (at >> 3 & 8191) * MT_WORDS;
    unsigned y = s[turn ? mt_runs[(turn - 1) / 7] + 7 * lane + (turn - 1) % 7
                        : mt_starts[lane]];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

/* This generator's own: exact, and rounded once. */
__device__ static double
mt_uniform_double(unsigned x)
{
    return x * CURAND_2POW32_INV_DOUBLE + CURAND_2POW32_INV_DOUBLE / 2;
}

__device__ static float
mt_uniform(unsigned x)
{
    return (float)mt_uniform_double(x);
}

/* `n` numbers from number `first` on, all of the words that there are. */
#define MT19937(kind, name, W, out_type, P, expression)                        \
    extern "C" __global__ void kind##_##name(                                  \
        const unsigned *states, unsigned first, out_type *out, unsigned n,     \
        P mean, P stddev)                                                      \
    {                                                                          \
        for (unsigned i = THREAD; i < n; i += gridDim.x * blockDim.x) {        \
            unsigned x = mt_number(states, first + i);                         \
            out[i] = expression;                                               \
        }                                                                      \
    }
EACH_KIND(MT19937, mt19937, unsigned, mt_uniform, mt_uniform_double)
