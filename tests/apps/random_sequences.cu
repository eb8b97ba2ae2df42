/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_sequences.cu - curand_kernel.h: Sobol sequences, MTGP32 generators
 * and tables of discrete distributions. Digests and values are what the
 * vendor's headers give with nvcc.
 */
// env: SOFTWARP_ENGINE=interp
// expect: EXACT sobol32: 140 bytes
// expect: EXACT sobol32 0: a223fba31a696f2a, first ff4a7c15
// expect: EXACT sobol32 1: 40332a76c24ff91a, first 3f7f4a7c
// expect: EXACT sobol32 2: 9c1f79b1c8f7609a, first 3fefe94f82c00000
// expect: EXACT sobol32 3: b67f4aed0b4e4859, first 40318710
// expect: EXACT sobol32 4: e50be76bb68bf29c, first 400630e1f16c3c29
// expect: EXACT sobol32 5: 170e04eae7453e97, first 4316be39
// expect: EXACT sobol32 6: c319549c52b99d57, first 4062d7c69e088028
// expect: EXACT sobol32 7: 8b2a3f762993a73e, first 306
// expect: EXACT sobol32 8: 85eac2d84db34047, first 84c
// expect: EXACT scrambled32: 140 bytes
// expect: EXACT scrambled32 0: f8fb390beb3a7518, first ff4a4c2c
// expect: EXACT scrambled32 1: 0f1d4058aa4117d8, first 3f7f4a4c
// expect: EXACT scrambled32 2: 0cd0c127c7e510e6, first 3fefe94985a00000
// expect: EXACT scrambled32 3: c2ebe32042bbac45, first 40318191
// expect: EXACT scrambled32 4: cdebc9642f591d29, first 4006303229848790
// expect: EXACT scrambled32 5: 21d5d5b9f0e8e5a6, first 4316a83a
// expect: EXACT scrambled32 6: acccd1d377900636, first 4062d506f8c44320
// expect: EXACT scrambled32 7: 9170c9aec549b91e, first 306
// expect: EXACT scrambled32 8: 6d54319bef17dca1, first 84c
// expect: EXACT sobol64: 536 bytes
// expect: EXACT sobol64 0: ae59d8987894038f, first 9e3779b97f4a7c15
// expect: EXACT sobol64 1: 5b89b9eff58fc525, first 3f1e377a
// expect: EXACT sobol64 2: f307cecc42d53923, first 3fe3c6ef372fe950
// expect: EXACT sobol64 3: 3f0c3e4a22b6d0fa, first 3e99c3b8
// expect: EXACT sobol64 4: b48e2091149dbb26, first 3fd3387730228672
// expect: EXACT sobol64 5: cf7193627b3243c2, first 400ff1d9
// expect: EXACT sobol64 6: 1cfbcd84af5b395e, first 4001fe3b4416f35c
// expect: EXACT sobol64 7: 000f6794d429fb78, first 2c4
// expect: EXACT sobol64 8: 4c117c3e09d48a4e, first 7dd
// expect: EXACT scrambled64: 536 bytes
// expect: EXACT scrambled64 0: e5646b0755a82ded, first 9e3778a60eb178de
// expect: EXACT scrambled64 1: 9357d6cca20180b0, first 3f1e3779
// expect: EXACT scrambled64 2: e256e2942c733d34, first 3fe3c6ef14c1d630
// expect: EXACT scrambled64 3: 228b73cc8c1044a4, first 3e99c3b3
// expect: EXACT scrambled64 4: 57afc3d9bd46b122, first 3fd338767b9101a9
// expect: EXACT scrambled64 5: 5124c182f1342384, first 400ff1d7
// expect: EXACT scrambled64 6: f28c584a20c8ef76, first 4001fe3aedc9dc27
// expect: EXACT scrambled64 7: 613fd495f1b63d3e, first 2c4
// expect: EXACT scrambled64 8: 469035f57079e404, first 7dd
// expect: EXACT mtgp32: 4112 bytes, 40804
// expect: EXACT mtgp32 0: a03556f88bac28b5, first 3efd3141
// expect: EXACT mtgp32 1: 154d03a2f7d9bc75, first 3e7bf4c5
// expect: EXACT mtgp32 2: cd8fa914051cfb86, first 3fcf7e98a1000000
// expect: EXACT mtgp32 3: 1fb9f07c0d822074, first bf2fdd3f
// expect: EXACT mtgp32 4: 46b7091a9e3aba92, first bfe5fba7e4631091
// expect: EXACT mtgp32 5: c8f9869c6536defa, first 410a416d
// expect: EXACT mtgp32 6: 5d846f987b154be8, first 4021482d8fe22b2d
// expect: EXACT mtgp32 7: 9b2ab6af23b3939d, first 1
// expect: EXACT discrete 5: 81f03ae892382cae, first 8
// expect: EXACT discrete 7: a26ea87f12d6b8ae, first 4bd
#include <cstdio>
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include "check.h"

enum { THREADS = 64, COUNT = 5, SETS = 200 };

struct digest {
    unsigned long long sum, first;
};

/* FNV's, word by word. */
__host__ __device__ void add(digest &d, unsigned long long x)
{
    if (!d.first)
        d.first = x;
    d.sum = (d.sum ^ x) * 0x100000001b3ull;
    d.sum ^= d.sum >> 29;
}

__device__ void add(digest &d, unsigned x)
{
    add(d, (unsigned long long)x);
}

__device__ void add(digest &d, float x)
{
    add(d, __float_as_uint(x));
}

__device__ void add(digest &d, double x)
{
    add(d, (unsigned long long)__double_as_longlong(x));
}

/* Function f of those that take one number each. */
template <class S>
__device__ void one(digest &d, S *state, int f, double mean, double stddev)
{
    switch (f) {
    case 0:
        return add(d, curand(state));
    case 1:
        return add(d, curand_uniform(state));
    case 2:
        return add(d, curand_uniform_double(state));
    case 3:
        return add(d, curand_normal(state));
    case 4:
        return add(d, curand_normal_double(state));
    case 5:
        return add(d, curand_log_normal(state, (float)mean, (float)stddev));
    case 6:
        return add(d, curand_log_normal_double(state, mean, stddev));
    default:
        return add(d, curand_poisson(state, mean));
    }
}

__device__ void make(curandStateSobol32_t *s, unsigned *v, int t)
{
    curand_init(v, t * t * t, s);
}

__device__ void make(curandStateScrambledSobol32_t *s, unsigned *v, int t)
{
    curand_init(v, 12345, t * t * t, s);
}

__device__ void make(curandStateSobol64_t *s, unsigned long long *v, int t)
{
    curand_init(v, (1ull << t) - 1, s);
}

__device__ void make(curandStateScrambledSobol64_t *s, unsigned long long *v,
                     int t)
{
    curand_init(v, 1234567890123, (1ull << t) - 1, s);
}

/* Vectors as of no published set: each its own bit and some below. */
template <class S, class WORD>
__global__ void quasirandom(digest *out, int f, double mean, double stddev)
{
    enum { BITS = sizeof(WORD) * 8 };
    digest d = {};
    WORD vectors[BITS];
    S state;

    for (int i = 0; i < BITS; i++)
        vectors[i] =
            ((WORD)0x9e3779b97f4a7c15 >> i / 3 | (WORD)1 << (BITS - 1)) >> i;
    make(&state, vectors, threadIdx.x);
    for (int i = 0; i < COUNT; i++)
        one(d, &state, f, mean, stddev);
    skipahead<S *>(threadIdx.x * threadIdx.x, &state);
    one(d, &state, f, mean, stddev);
    out[threadIdx.x] = d;
}

__global__ void twisters(curandStateMtgp32_t *states, digest *out, int f,
                         double mean, double stddev)
{
    digest d = {};

    for (int i = 0; i < 2 * COUNT; i++)
        one(d, &states[blockIdx.x], f, mean, stddev);
    for (int i = 0; i < COUNT; i++)
        add(d, curand_mtgp32_specific(&states[blockIdx.x], threadIdx.x,
                                      blockDim.x));
    out[blockIdx.x * blockDim.x + threadIdx.x] = d;
}

__global__ void discrete(curandDiscreteDistribution_t of, digest *out)
{
    int t = threadIdx.x;
    digest d = {};
    curandState x;
    curandStatePhilox4_32_10_t p;
    curandStateMRG32k3a_t m;
    curandStateSobol32_t q;
    unsigned vectors[32];

    for (int i = 0; i < 32; i++)
        vectors[i] = 0x80000000u >> i;
    curand_init(1, t, 0, &x);
    curand_init(1, t, 0, &p);
    curand_init(1, t, 0, &m);
    curand_init(vectors, 3 * t, &q);
    for (int i = 0; i < COUNT; i++) {
        uint4 k = curand_discrete4(&p, of);

        add(d, curand_discrete(&x, of));
        add(d, curand_discrete(&m, of));
        add(d, curand_discrete(&q, of));
        add(d, curand_discrete(&p, of));
        add(d, k.x);
        add(d, k.y);
        add(d, k.z);
        add(d, k.w);
    }
    out[t] = d;
}

static digest *digests;

static void show(const char *name, int f, int count)
{
    digest all = {};

    CK(cudaDeviceSynchronize());
    for (int i = 0; i < count; i++)
        add(all, digests[i].sum);
    printf("%s %d: %016llx, first %llx\n", name, f, all.sum, digests[1].first);
}

template <class S, class WORD> static void show_all(const char *name)
{
    printf("%s: %zu bytes\n", name, sizeof(S));
    for (int f = 0; f < 9; f++) {
        quasirandom<S, WORD><<<1, THREADS>>>(digests, f,
                                             f < 7   ? 0.3
                                             : f < 8 ? 700
                                                     : 2000,
                                             1.7);
        show(name, f, THREADS);
    }
}

int main()
{
    curandStateMtgp32_t *states;
    mtgp32_kernel_params_t *sets;
    curandDiscreteDistribution_t table;
    curandDistributionM2Shift_t m2;

    CK(cudaMallocManaged(&digests, SETS * 128 * sizeof *digests));
    show_all<curandStateSobol32_t, unsigned>("sobol32");
    show_all<curandStateScrambledSobol32_t, unsigned>("scrambled32");
    show_all<curandStateSobol64_t, unsigned long long>("sobol64");
    show_all<curandStateScrambledSobol64_t, unsigned long long>("scrambled64");

    printf("mtgp32: %zu bytes, %zu\n", sizeof *states, sizeof *sets);
    CK(cudaMalloc(&states, SETS * sizeof *states));
    CK(cudaMalloc(&sets, sizeof *sets));
    MUST(!curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, sets));
    for (int f = 0; f < 8; f++) {
        int blocks = f ? 2 : SETS, threads = f ? 64 : 128;

        MUST(!curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213,
                                          sets, blocks, 0x123456789ull));
        twisters<<<blocks, threads>>>(states, digests, f, 2.5, 0.5);
        show("mtgp32", f, blocks * threads);
    }

    CK(cudaMallocManaged(&table, sizeof *table));
    CK(cudaMallocManaged(&m2, sizeof *m2));
    CK(cudaMallocManaged(&m2->histogram, sizeof *m2->histogram));
    CK(cudaMallocManaged(&m2->histogram->V, 10 * sizeof(double)));
    CK(cudaMallocManaged(&m2->histogram->K, 10 * sizeof(unsigned)));
    for (int i = 0; i < 10; i++) {
        m2->histogram->V[i] = (i + 0.37) / 9;
        m2->histogram->K[i] = (7 * i + 3) % 9;
    }
    m2->shift = 5;
    m2->length = 9;
    table->M2 = m2;
    table->mean = 1234.5;
    table->stddev = 17.25;
    for (int method : {CURAND_M2, CURAND_DISCRETE_GAUSS}) {
        table->method = (curandMethod_t)method;
        discrete<<<1, THREADS>>>(table, digests);
        show("discrete", method, THREADS);
    }
}
