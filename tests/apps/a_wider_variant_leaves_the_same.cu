/* SPDX-License-Identifier: Apache-2.0 */
// env: SOFTWARP_ENGINE=jit SOFTWARP_CACHE=0
// env: SOFTWARP_JIT_WIDEN=0 SOFTWARP_LOG=debug
// cc: -O2
// expect: EXACT exchanges: 0 wrong
// expect: EXACT split by bits: 0 wrong
// expect: EXACT ways of their own: 0 wrong
// expect: EXACT one index: an illegal memory access was encountered
// expect: ERROR compiled .*exchanges.* for 256 lanes
// expect: ERROR compiled .*split.* for 256 lanes
// expect: ERROR thread: \(77,0,0\)
/* Kernels that get a second variant, of more fused warps, while they run: what both
 * leave behind is the same, and so is a fault. */
#include <algorithm>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { THREADS = 256, BLOCKS = 64, TIMES = 40 };

__global__ void
exchanges(unsigned *x)
{
    __shared__ unsigned s[THREADS];
    unsigned i = threadIdx.x;
    s[i] = x[blockIdx.x * THREADS + i];
    __syncthreads();
    for (int step = 0; step < THREADS; step++) {
        if (i % 2 == step % 2 && i + 1 < THREADS && s[i] > s[i + 1]) {
            unsigned t = s[i];
            s[i] = s[i + 1];
            s[i + 1] = t;
        }
        __syncthreads();
    }
    x[blockIdx.x * THREADS + i] = s[i];
}

__global__ void
split(unsigned *x)
{
    __shared__ unsigned s[THREADS], sum[THREADS];
    unsigned i = threadIdx.x, mine = x[blockIdx.x * THREADS + i];
    for (int bit = 0; bit < 12; bit++) {
        unsigned zero = !(mine >> bit & 1);
        sum[i] = zero;
        __syncthreads();
        for (unsigned d = 1; d < THREADS; d *= 2) {
            unsigned more = i >= d ? sum[i - d] : 0;
            __syncthreads();
            sum[i] += more;
            __syncthreads();
        }
        unsigned zeros = sum[THREADS - 1], before = sum[i] - zero;
        s[zero ? before : zeros + i - before] = mine;
        __syncthreads();
        mine = s[i];
        __syncthreads();
    }
    x[blockIdx.x * THREADS + i] = mine;
}

static __host__ __device__ unsigned
way(unsigned n, const unsigned *table)
{
    unsigned steps = 0;
    while (n != 1 && steps < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps += 1 + (table[n % 1024] & 1);
    }
    return steps;
}

__global__ void
ways(const unsigned *table, const unsigned *x, unsigned *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = way(x[i] + 1, table);
}

__global__ void
one_index(const unsigned *x, unsigned *y, int far)
{
    __shared__ unsigned s[THREADS];
    unsigned i = threadIdx.x;
    s[i] = x[i];
    __syncthreads();
    for (int k = 0; k < 3; k++) {
        if (s[i ^ 1] % 3 == (unsigned)k)
            s[i] += k;
        __syncthreads();
    }
    y[i] = i == 77 ? x[(long)far * 1000000] : s[i];
}

static int wrong;

static void
report(const char *what)
{
    printf("%s: %d wrong\n", what, wrong);
    wrong = 0;
}

int
main()
{
    enum { N = THREADS * BLOCKS };
    std::vector<unsigned> x(N), y(N), table(1024);
    unsigned *dx, *dy, *dt;
    cudaMalloc(&dx, N * sizeof *dx);
    cudaMalloc(&dy, N * sizeof *dy);
    cudaMalloc(&dt, 1024 * sizeof *dt);
    for (int k = 0; k < 2 * TIMES; k++) {
        for (int i = 0; i < N; i++)
            x[i] = (unsigned)(i * 7919u + k * 104729u) % 4096;
        cudaMemcpy(dx, x.data(), N * sizeof *dx, cudaMemcpyHostToDevice);
        if (k < TIMES)
            exchanges<<<BLOCKS, THREADS>>>(dx);
        else
            split<<<BLOCKS, THREADS>>>(dx);
        cudaMemcpy(y.data(), dx, N * sizeof *dx, cudaMemcpyDeviceToHost);
        for (int b = 0; b < BLOCKS; b++)
            std::sort(x.begin() + b * THREADS, x.begin() + (b + 1) * THREADS);
        for (int i = 0; i < N; i++)
            wrong += x[i] != y[i];
        if (k == TIMES - 1)
            report("exchanges");
    }
    report("split by bits");
    for (int i = 0; i < 1024; i++)
        table[i] = i * 2654435761u >> 7;
    cudaMemcpy(dt, table.data(), 4096, cudaMemcpyHostToDevice);
    for (int k = 0; k < TIMES; k++) {
        for (int i = 0; i < N; i++)
            x[i] = (unsigned)(i * 31u + k * 1009u) % 100000;
        cudaMemcpy(dx, x.data(), N * sizeof *dx, cudaMemcpyHostToDevice);
        ways<<<BLOCKS, THREADS>>>(dt, dx, dy);
        cudaMemcpy(y.data(), dy, N * sizeof *dx, cudaMemcpyDeviceToHost);
        for (int i = 0; i < N; i++)
            wrong += way(x[i] + 1, table.data()) != y[i];
    }
    report("ways of their own");
    for (int k = 0; k < 4; k++)
        one_index<<<BLOCKS, THREADS>>>(dx, dy, 0);
    cudaDeviceSynchronize();
    one_index<<<1, THREADS>>>(dx, dy, 1);
    printf("one index: %s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
// check: race-shared race-global oob-global (neighbours that meet; a fault is meant)
