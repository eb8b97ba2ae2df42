/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_compiled.cu - curand_kernel.h in compiled kernels: a quarter of a
 * circle by throwing darts, with states kept in memory as programs do, and
 * sums of normal and Poisson numbers. The numbers are what the vendor's
 * headers give with nvcc.
 */
// env: SOFTWARP_ENGINE=jit
// expect: EXACT xorwow: 80246 of 102400 inside, 1d65dc33
// expect: EXACT philox: 80316 of 102400 inside, 24eae17d
// expect: EXACT mrg32k3a: 80593 of 102400 inside, 93ab9687
#include <cstdio>
#include <curand_kernel.h>

#include "check.h"

enum { BLOCKS = 4, THREADS = 128, ALL = BLOCKS * THREADS, DARTS = 200 };

template <class S> __global__ void set_up(S *states, unsigned long long seed)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    curand_init(seed, i, i & 3, &states[i]);
}

template <class S> __global__ void throw_darts(S *states, unsigned *hits)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    S state = states[i];
    unsigned inside = 0;

    for (int dart = 0; dart < DARTS; dart++) {
        float x = curand_uniform(&state), y = curand_uniform(&state);
        inside += x * x + y * y <= 1.0f;
    }
    states[i] = state;
    atomicAdd(hits, inside);
}

template <class S> __global__ void bells(S *states, unsigned *sum)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    S state = states[i];
    unsigned bits = 0;

    for (int k = 0; k < 5; k++)
        bits = bits * 31 + __float_as_uint(curand_normal(&state));
    bits += curand_poisson(&state, 3.5);
    states[i] = state;
    atomicAdd(sum, bits);
}

template <class S> static void run(const char *name)
{
    unsigned *counts;
    S *states;

    CK(cudaMallocManaged(&counts, 2 * sizeof *counts));
    CK(cudaMalloc(&states, ALL * sizeof *states));
    counts[0] = counts[1] = 0;
    set_up<<<BLOCKS, THREADS>>>(states, 20240229);
    throw_darts<<<BLOCKS, THREADS>>>(states, counts);
    bells<<<BLOCKS, THREADS>>>(states, counts + 1);
    CK(cudaDeviceSynchronize());
    printf("%s: %u of %d inside, %08x\n", name, counts[0], ALL * DARTS,
           counts[1]);
}

int main()
{
    run<curandState>("xorwow");
    run<curandStatePhilox4_32_10_t>("philox");
    run<curandStateMRG32k3a_t>("mrg32k3a");
}
