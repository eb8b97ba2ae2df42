/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* reduction.cu - an array added up. Two kernels by threads alone, each with a
 * run of its own or all in stride; three by blocks: trees in shared memory,
 * divergent and not, and shuffles. */
#include "device.h"
#include "problems/reduction.h"

enum { BLOCK = REDUCTION_BLOCK, RUN = REDUCTION_RUN };

/* Each thread a run of neighbours: those of a warp lie a run apart. */
__global__ void red_interleaved(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = t * RUN; i < (t + 1) * RUN && i < n; i++)
        sum += in[i];
    out[t] = sum;
}

__global__ void red_coalesced(const float *in, float *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int i = t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    out[t] = sum;
}

__global__ void red_divergent(const float *in, float *out, int)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int s = 1; s < BLOCK; s *= 2) {
        if (t % (2 * s) == 0)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__global__ void red_sequential(const float *in, float *out, int)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* The last warp does without barriers: it adds in volatile memory. */
__global__ void red_volatile(const float *in, float *out, int)
{
    __shared__ float part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int s = BLOCK / 2; s > 32; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t < 32) {
        volatile float *last = part;
        last[t] += last[t + 32];
        last[t] += last[t + 16];
        last[t] += last[t + 8];
        last[t] += last[t + 4];
        last[t] += last[t + 2];
        last[t] += last[t + 1];
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

__device__ float warp_sum(float v)
{
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffffu, v, s);
    return v;
}

__global__ void red_shuffle(const float *in, float *out, int)
{
    __shared__ float part[BLOCK / 32];
    int t = threadIdx.x;
    float v = warp_sum(in[blockIdx.x * BLOCK + t]);
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < BLOCK / 32 ? part[t] : 0);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

typedef void (*kernel)(const float *, float *, int);

template <kernel K> static void run(const char *name, bool by_block)
{
    reduction r = reduction_create();
    device_array<float> in(r.in, r.n), out(r.parts);
    bench b = bench_start(name, 4.0 * r.n, r.n);
    unsigned blocks = by_block ? r.parts : r.parts / BLOCK;
    while (bench_next(&b)) {
        K<<<blocks, BLOCK>>>(in, out, (int)r.n);
        device_wait();
    }
    bench_end(&b, reduction_check(&r, out.get(), out.n));
}

BENCH_MAIN({"red_interleaved",
            [] { run<red_interleaved>("red_interleaved", false); }},
           {"red_coalesced",
            [] { run<red_coalesced>("red_coalesced", false); }},
           {"red_divergent", [] { run<red_divergent>("red_divergent", true); }},
           {"red_sequential",
            [] { run<red_sequential>("red_sequential", true); }},
           {"red_volatile", [] { run<red_volatile>("red_volatile", true); }},
           {"red_shuffle", [] { run<red_shuffle>("red_shuffle", true); }})
// check: race-shared (the last warp of red_volatile, in step without a word)
