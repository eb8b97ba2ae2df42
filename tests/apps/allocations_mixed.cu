/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// cc: -O2
// expect: EXACT either array: 0 wrong
// expect: EXACT arrays by lane: 0 wrong
// expect: EXACT vectors and structures: 0 wrong
// expect: EXACT atomic: 0 wrong
// expect: EXACT one after the other: 0 wrong
// expect: EXACT parameters by index: 0 wrong
// expect: EXACT one of them outside: an illegal memory access was encountered
// expect: ERROR illegal address: ld of 4 bytes outside the allocations
// expect: ERROR thread: \(3,0,0\)
/* Lanes of a warp that access different allocations, and parts of a parameter
 * that an index chooses. */
#include "check.h"

#include <vector>

enum { N = 5000, BLOCK = 128, ARRAYS = 4, FAR = 3 << 20 };

struct item {
    int a, b, c, d, e;
};

/* Each in pages of its own, with others between. */
struct arrays {
    float *in[ARRAYS];
    float *out[ARRAYS];
    float4 *wide[2];
    item *items[2];
    unsigned *bins[2];
    double factor[3];
    unsigned char bytes[7];
};

static int wrong;

static void
report(const char *what)
{
    printf("%s: %d wrong\n", what, wrong);
    wrong = 0;
}

template <typename T>
static T *
allocate(size_t n)
{
    T *p;
    CK(cudaMalloc(&p, n * sizeof *p + FAR));
    CK(cudaMemset(p, 0, n * sizeof *p));
    return p;
}

__host__ __device__ unsigned
choose(int i)
{
    return (unsigned)i * 2654435761u >> 20;
}

__global__ void
either(arrays m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    float v = choose(i) & 1 ? m.in[0][i] : m.in[1][i];
    if (choose(i) & 2)
        m.out[0][i] = v;
    else
        m.out[1][i] = v + 1;
}

__global__ void
by_lane(arrays m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        m.out[i % ARRAYS][N - 1 - i] = m.in[choose(i) % ARRAYS][i] * 2;
}

__global__ void
wide(arrays m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    const float4 v = m.wide[choose(i) & 1][i];
    m.wide[~choose(i) & 1][i] = make_float4(v.w, v.z, v.y, v.x);
    item *t = &m.items[choose(i) >> 1 & 1][i];
    t->a = i;
    t->e = (int)v.x;
}

__global__ void
atomics(arrays m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N)
        return;
    unsigned *bins = m.bins[i & 1];
    atomicAdd(&bins[choose(i) % 61], 1);
    unsigned was = atomicMax(&bins[64 + i / 2], (unsigned)i + 1);
    m.out[0][i] = (float)was;
}

/* All lanes have the same array, one after the other. */
__global__ void
in_turn(arrays m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < 2 * ARRAYS; k++) {
        if (i < N)
            sum += m.in[k % ARRAYS][i];
        if (threadIdx.x == 0)
            atomicAdd(&m.bins[k & 1][k], (unsigned)k);
    }
    if (i < N)
        m.out[0][i] = sum;
}

__global__ void
parameters(arrays m, int turns)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double sum = m.factor[i % 3] + m.bytes[i / 3 % 7];
    for (int k = 0; k < turns; k++)
        sum += m.factor[k] * m.bytes[2 * k];
    if (i < N)
        m.out[0][i] = (float)sum;
}

__global__ void
outside(const float *a, float *out)
{
    int i = threadIdx.x;
    out[i] = a[i == 3 ? -(1ll << 45) : i * 100000];
}

int
main(void)
{
    const int blocks = (N + BLOCK - 1) / BLOCK;
    arrays m = {};
    std::vector<float> in[ARRAYS], out[ARRAYS];
    auto start = [&] {
        for (int k = 0; k < ARRAYS; k++)
            CK(cudaMemset(m.out[k], 0, N * sizeof(float)));
    };
    auto fetch = [&] {
        CK(cudaDeviceSynchronize());
        for (int k = 0; k < ARRAYS; k++) {
            out[k].resize(N);
            CK(cudaMemcpy(out[k].data(), m.out[k], N * sizeof(float),
                          cudaMemcpyDeviceToHost));
        }
    };
    for (int k = 0; k < ARRAYS; k++) {
        m.in[k] = allocate<float>(N);
        m.out[k] = allocate<float>(N);
        for (int i = 0; i < N; i++)
            in[k].push_back((float)(k * 10000 + i));
        CK(cudaMemcpy(m.in[k], in[k].data(), N * sizeof(float),
                      cudaMemcpyHostToDevice));
    }
    for (int k = 0; k < 2; k++) {
        m.wide[k] = allocate<float4>(N);
        m.items[k] = allocate<item>(N);
        m.bins[k] = allocate<unsigned>(N);
    }
    for (int k = 0; k < 3; k++)
        m.factor[k] = k + 0.5;
    for (int k = 0; k < 7; k++)
        m.bytes[k] = (unsigned char)(250 + k);

    start();
    either<<<blocks, BLOCK>>>(m);
    fetch();
    for (int i = 0; i < N; i++) {
        float v = in[choose(i) & 1 ? 0 : 1][i];
        bool first = choose(i) & 2;
        wrong += out[0][i] != (first ? v : 0);
        wrong += out[1][i] != (first ? 0 : v + 1);
    }
    report("either array");

    start();
    by_lane<<<blocks, BLOCK>>>(m);
    fetch();
    for (int i = 0; i < N; i++)
        for (int k = 0; k < ARRAYS; k++)
            wrong += out[k][N - 1 - i] !=
                     (k == i % ARRAYS ? in[choose(i) % ARRAYS][i] * 2 : 0);
    report("arrays by lane");

    std::vector<float4> four(2 * N);
    std::vector<item> items(2 * N);
    for (int i = 0; i < 2 * N; i++)
        four[i] = make_float4((float)i, i + 0.25f, i + 0.5f, i + 0.75f);
    for (int k = 0; k < 2; k++)
        CK(cudaMemcpy(m.wide[k], &four[k * N], N * sizeof(float4),
                      cudaMemcpyHostToDevice));
    wide<<<blocks, BLOCK>>>(m);
    for (int k = 0; k < 2; k++) {
        CK(cudaMemcpy(&four[k * N], m.wide[k], N * sizeof(float4),
                      cudaMemcpyDeviceToHost));
        CK(cudaMemcpy(&items[k * N], m.items[k], N * sizeof(item),
                      cudaMemcpyDeviceToHost));
    }
    for (int i = 0; i < N; i++) {
        int from = (int)(choose(i) & 1), at = (int)(choose(i) >> 1 & 1);
        const float4 v = four[(1 - from) * N + i];
        const item t = items[at * N + i], none = items[(1 - at) * N + i];
        int first = from * N + i;
        wrong += v.w != (float)first || v.x != first + 0.75f;
        wrong += t.a != i || t.e != first || t.b || t.c || t.d;
        wrong += none.a || none.e;
    }
    report("vectors and structures");

    atomics<<<blocks, BLOCK>>>(m);
    fetch();
    std::vector<unsigned> bins(2 * N), want(2 * N);
    for (int k = 0; k < 2; k++)
        CK(cudaMemcpy(&bins[k * N], m.bins[k], N * sizeof(unsigned),
                      cudaMemcpyDeviceToHost));
    for (int i = 0; i < N; i++) {
        want[(i & 1) * N + choose(i) % 61]++;
        want[(i & 1) * N + 64 + i / 2] = (unsigned)i + 1;
        wrong += out[0][i] != 0;
    }
    wrong += bins != want;
    report("atomic");

    for (int k = 0; k < 2; k++)
        CK(cudaMemset(m.bins[k], 0, N * sizeof(unsigned)));
    in_turn<<<blocks, BLOCK>>>(m);
    fetch();
    for (int i = 0; i < N; i++)
        wrong += out[0][i] != 2 * (in[0][i] + in[1][i] + in[2][i] + in[3][i]);
    for (int k = 0; k < 2 * ARRAYS; k++) {
        unsigned n;
        CK(cudaMemcpy(&n, m.bins[k & 1] + k, sizeof n, cudaMemcpyDeviceToHost));
        wrong += n != (unsigned)(blocks * k);
    }
    report("one after the other");

    parameters<<<blocks, BLOCK>>>(m, 3);
    fetch();
    for (int i = 0; i < N; i++) {
        double sum = m.factor[i % 3] + m.bytes[i / 3 % 7];
        for (int k = 0; k < 3; k++)
            sum += m.factor[k] * m.bytes[2 * k];
        wrong += out[0][i] != (float)sum;
    }
    report("parameters by index");

    outside<<<1, 4>>>(m.in[0], m.out[0]);
    printf("one of them outside: %s\n",
           cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: oob-global (an address far outside is meant)
