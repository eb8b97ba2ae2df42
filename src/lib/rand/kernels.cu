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
