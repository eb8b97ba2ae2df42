/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random_numbers.cu - curand_kernel.h: states from seeds, subsequences and
 * offsets, and every function of the generators whose normal numbers come in
 * pairs. Digests and values are what the vendor's headers give with nvcc.
 */
// env: SOFTWARP_ENGINE=interp
// expect: EXACT xorwow: 48 bytes
// expect: EXACT xorwow -1 0: 8ae722efc3c9d818, first a7fd78d5
// expect: EXACT xorwow 0 0.3: 201ef5ee3e19e382, first 28ff4cc2
// expect: EXACT xorwow 1 0.3: 69bd9210b16dc93c, first 3e23fd33
// expect: EXACT xorwow 2 0.3: 477036a1437c5ec7, first 3fe35107cdff4cc2
// expect: EXACT xorwow 3 0.3: 6ad3087fa7714009, first bf947f91
// expect: EXACT xorwow 4 0.3: bf06269f191ff1cd, first bfe65251cdec8593
// expect: EXACT xorwow 5 0.3: 5f1a08cb67ab3bc7, first bf947f91
// expect: EXACT xorwow 6 0.3: b45e7b385f372046, first bfe65251cdec8593
// expect: EXACT xorwow 7 0.3: 9e2e740d947ef6a9, first 3e405545
// expect: EXACT xorwow 8 0.3: 4d568b91b15e4157, first 3fda64477e462259
// expect: EXACT xorwow 9 0.3: ee2cc274e9931e7e, first 3e405545
// expect: EXACT xorwow 10 0.3: 775c9a820e4820f3, first 3fda64477e462259
// expect: EXACT xorwow 11 0.5: 074592c85ef48cbe, first 1
// expect: EXACT xorwow 11 70: 61451003f0c4790d, first 3e
// expect: EXACT xorwow 11 5000: 59cabcdac7013957, first 1357
// expect: EXACT philox: 64 bytes
// expect: EXACT philox -1 0: a709906e20a7f10a, first 6a244eb6
// expect: EXACT philox 0 0.3: 64b5642afdd20631, first 2933769
// expect: EXACT philox 1 0.3: 1f6cd72562e5d871, first 3c24cdda
// expect: EXACT philox 2 0.3: 82f97a61f876f88f, first 3f8499bb50000000
// expect: EXACT philox 3 0.3: d1924ea47f8407bc, first 400a53f2
// expect: EXACT philox 4 0.3: 39e2dba098a53c27, first bfff9be3fcfaa933
// expect: EXACT philox 5 0.3: 13e98088c85a8fe0, first 400a53f2
// expect: EXACT philox 6 0.3: ed599fdc90e443c1, first bfff9be3fcfaa933
// expect: EXACT philox 7 0.3: 519c08d888136264, first 4254dbe2
// expect: EXACT philox 8 0.3: 2ccbafd82857a506, first 3fa80b3166738481
// expect: EXACT philox 9 0.3: b3809a61b59a24c0, first 4254dbe2
// expect: EXACT philox 10 0.3: b5fe2b7b302ebb5b, first 3fa80b3166738481
// expect: EXACT philox 11 0.5: fcec11954bc4b74d, first 1
// expect: EXACT philox 11 70: 496fe94deb192a0b, first 33
// expect: EXACT philox 11 5000: 54c905213a32a311, first 12fc
// expect: EXACT mrg32k3a: 48 bytes
// expect: EXACT mrg32k3a -1 0: 80a8d704dc81edfe, first ffdcd59f
// expect: EXACT mrg32k3a 0 0.3: bceedaab1a43920c, first 1c3bfde7
// expect: EXACT mrg32k3a 1 0.3: 066dd056fbce2fd5, first 3de1dfef
// expect: EXACT mrg32k3a 2 0.3: 73e2255488c5a022, first 3fbc3bfde70cfa4a
// expect: EXACT mrg32k3a 3 0.3: c33c105422070398, first bff25f6d
// expect: EXACT mrg32k3a 4 0.3: d70b3bc19a7401cd, first bffe4bee2849318d
// expect: EXACT mrg32k3a 5 0.3: 4e01c45862222f5a, first bff25f6d
// expect: EXACT mrg32k3a 6 0.3: 2959c76e5d90497e, first bffe4bee2849318d
// expect: EXACT mrg32k3a 7 0.3: 3ad828867557d5f8, first 3d5d2167
// expect: EXACT mrg32k3a 8 0.3: 4566005980dbf0c6, first 3faba42b6d1a2797
// expect: EXACT mrg32k3a 9 0.3: 250deb8286ab4058, first 3d5d2167
// expect: EXACT mrg32k3a 10 0.3: d548f9969dd5a040, first 3faba42b6d1a2797
// expect: EXACT mrg32k3a 11 0.5: 37bbdcb220cd6ac3, first 1
// expect: EXACT mrg32k3a 11 70: 0980b4c6e7070b7a, first 3c
// expect: EXACT mrg32k3a 11 5000: b55f74e811157b5b, first 1302
// expect: EXACT mrg32k3a -2 0: 01f528fecf9bbced, first 92d8ce97
// expect: EXACT fours 0 0.3: 2ccc751d42da8f9e, first 2051e913
// expect: EXACT fours 1 0.3: f6ceedbb48677a77, first 3e0147a4
// expect: EXACT fours 2 0.3: 4a7e0e5cbeb9fd2c, first 3fcdb4589d47a44e
// expect: EXACT fours 3 0.3: 6418bc4739de4a23, first 3fcdb4589d47a44e
// expect: EXACT fours 4 0.3: 8b593fbee0f16a0f, first 40016109
// expect: EXACT fours 5 0.3: 71072d40c33cb5cf, first 3ff3ce4312a5a88e
// expect: EXACT fours 6 0.3: 595e3998d4baf45a, first 4227d35a
// expect: EXACT fours 7 0.3: 66c7ce0671ccfab8, first 4026248253260c9e
// expect: EXACT fours 8 70: 41452c9878d8f24f, first 3c
// expect: EXACT fours 8 5000: 9649416805139c22, first 13e0
#include <cstdio>
#include <curand_kernel.h>

#include "check.h"

enum { THREADS = 64, COUNT = 5 };

struct digest {
    unsigned long long sum, first;
};

/* FNV's, word by word. */
__device__ void add(digest &d, unsigned long long x)
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

template <class T> __device__ void add2(digest &d, T v)
{
    add(d, v.x);
    add(d, v.y);
}

template <class T> __device__ void add4(digest &d, T v)
{
    add2(d, v);
    add(d, v.z);
    add(d, v.w);
}

__device__ void add_state(digest &d, const curandStateXORWOW_t &s)
{
    add(d, s.d);
    for (int i = 0; i < 5; i++)
        add(d, s.v[i]);
}

__device__ void add_state(digest &d, const curandStateMRG32k3a_t &s)
{
    for (int i = 0; i < 3; i++) {
        add(d, s.s1[i]);
        add(d, s.s2[i]);
    }
}

__device__ void add_state(digest &d, const curandStatePhilox4_32_10_t &s)
{
    add4(d, s.ctr);
    add4(d, s.output);
    add2(d, s.key);
    add(d, s.STATE);
}

/* Vigna's splitmix64. */
__device__ unsigned long long scattered(unsigned long long x)
{
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/* Small numbers for the first threads, then of all magnitudes below 2^51, which
 * is how many subsequences MRG32k3a has. */
__device__ unsigned long long any(int thread, int kind)
{
    if (thread < 8)
        return thread >> kind & 1 ? thread + kind : 0;
    return scattered(thread + 1000 * kind) >> (13 + thread * 11 % 51);
}

template <class S> __global__ void starts(digest *out)
{
    int t = threadIdx.x;
    digest d = {};
    S state;

    curand_init(any(t, 0) << 8, any(t, 1), any(t, 2), &state);
    add_state(d, state);
    skipahead(any(t, 3), &state);
    add_state(d, state);
    skipahead_sequence(any(t, 1) + t, &state);
    add_state(d, state);
    out[t] = d;
}

__global__ void skips_subsequences(digest *out)
{
    digest d = {};
    curandStateMRG32k3a_t state;

    curand_init(threadIdx.x, 1, 2, &state);
    skipahead_subsequence(any(threadIdx.x, 2), &state);
    add_state(d, state);
    out[threadIdx.x] = d;
}

/* Function `f` of those that all three generators have. */
template <class S>
__global__ void functions(digest *out, int f, double mean, double stddev)
{
    digest d = {};
    S state;

    curand_init(42, threadIdx.x, 0, &state);
    for (int i = 0; i < COUNT; i++) {
        switch (f) {
        case 0:
            add(d, curand(&state));
            break;
        case 1:
            add(d, curand_uniform(&state));
            break;
        case 2:
            add(d, curand_uniform_double(&state));
            break;
        case 3:
            add(d, curand_normal(&state));
            break;
        case 4:
            add(d, curand_normal_double(&state));
            break;
        case 5:
            add2(d, curand_normal2(&state));
            break;
        case 6:
            add2(d, curand_normal2_double(&state));
            break;
        case 7:
            add(d, curand_log_normal(&state, (float)mean, (float)stddev));
            break;
        case 8:
            add(d, curand_log_normal_double(&state, mean, stddev));
            break;
        case 9:
            add2(d, curand_log_normal2(&state, (float)mean, (float)stddev));
            break;
        case 10:
            add2(d, curand_log_normal2_double(&state, mean, stddev));
            break;
        case 11:
            add(d, curand_poisson(&state, mean));
            break;
        }
    }
    add_state(d, state);
    out[threadIdx.x] = d;
}

/* What only Philox has. */
__global__ void fours(digest *out, int f, double mean, double stddev)
{
    digest d = {};
    curandStatePhilox4_32_10_t state;

    curand_init(42, threadIdx.x, threadIdx.x, &state);
    for (int i = 0; i < COUNT; i++) {
        switch (f) {
        case 0:
            add4(d, curand4(&state));
            break;
        case 1:
            add4(d, curand_uniform4(&state));
            break;
        case 2:
            add2(d, curand_uniform2_double(&state));
            break;
        case 3:
            add4(d, curand_uniform4_double(&state));
            break;
        case 4:
            add4(d, curand_normal4(&state));
            break;
        case 5:
            add4(d, curand_normal4_double(&state));
            break;
        case 6:
            add4(d, curand_log_normal4(&state, (float)mean, (float)stddev));
            break;
        case 7:
            add4(d, curand_log_normal4_double(&state, mean, stddev));
            break;
        case 8:
            add4(d, curand_poisson4(&state, mean));
            break;
        }
    }
    add_state(d, state);
    out[threadIdx.x] = d;
}

static digest *digests;

static void show(const char *name, int f, double mean)
{
    unsigned long long sum = 0;

    CK(cudaDeviceSynchronize());
    for (int i = 0; i < THREADS; i++)
        sum = (sum ^ digests[i].sum) * 0x100000001b3ull;
    printf("%s %d %g: %016llx, first %llx\n", name, f, mean, sum,
           digests[1].first);
}

template <class S> static void show_all(const char *name)
{
    static const double means[] = {0.5, 70, 5000};

    printf("%s: %zu bytes\n", name, sizeof(S));
    starts<S><<<1, THREADS>>>(digests);
    show(name, -1, 0);
    for (int f = 0; f < 11; f++) {
        functions<S><<<1, THREADS>>>(digests, f, 0.3, 1.7);
        show(name, f, 0.3);
    }
    for (double mean : means) {
        functions<S><<<1, THREADS>>>(digests, 11, mean, 0);
        show(name, 11, mean);
    }
}

int main()
{
    CK(cudaMallocManaged(&digests, THREADS * sizeof *digests));
    show_all<curandState>("xorwow");
    show_all<curandStatePhilox4_32_10_t>("philox");
    show_all<curandStateMRG32k3a_t>("mrg32k3a");
    skips_subsequences<<<1, THREADS>>>(digests);
    show("mrg32k3a", -2, 0);
    for (int f = 0; f < 8; f++) {
        fours<<<1, THREADS>>>(digests, f, 0.3, 1.7);
        show("fours", f, 0.3);
    }
    fours<<<1, THREADS>>>(digests, 8, 70, 0);
    show("fours", 8, 70);
    fours<<<1, THREADS>>>(digests, 8, 5000, 0);
    show("fours", 8, 5000);
}
