/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.cu - adding up an array, in six steps from obvious to good.
 *
 * Blocks cannot wait for each other inside a kernel (cooperative.cu shows when
 * they can), so a sum over all of them takes several launches: the end of one
 * is the barrier. Steps 1 and 2 launch a kernel per level of the tree, the
 * others do the lower levels inside the block and launch two.
 */
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

enum { BLOCKS = 32, THREADS = 128 };

/* 1. Each thread adds up a run of neighbouring elements. Obvious on a CPU; here
 * the 32 reads of a warp lie a run apart and cost a transaction each. Reads
 * from one buffer, writes to another: a thread's result would overwrite what
 * its neighbour has not read yet. */
__global__ void reduce1(const int *in, int *out, int n, int run)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = t * run; i < (t + 1) * run && i < n; i++)
        sum += in[i];
    out[t] = sum;
}

static int *sum1(int *d_in, int n, int *d_ping, int *d_pong)
{
    /* n values to BLOCKS * THREADS, then half as many a launch. */
    for (int left = n, to = BLOCKS * THREADS; left > 1; left = to, to /= 2) {
        int threads = to < THREADS ? to : THREADS;
        reduce1<<<to / threads, threads>>>(d_in, d_ping, left,
                                           (left + to - 1) / to);
        CUDA(cudaGetLastError());
        d_in = d_ping; /* what came out goes in next */
        d_ping = d_pong;
        d_pong = d_in;
    }
    return d_in;
}

/* 2. Thread t takes elements t, t + T, t + 2T...: at any moment a warp reads 32
 * neighbours. And nobody writes what another thread reads, so one buffer is
 * enough. */
__global__ void reduce2(const int *in, int *out, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int sum = 0;
    for (int i = t; i < n; i += gridDim.x * blockDim.x)
        sum += in[i];
    out[t] = sum;
}

static int *sum2(int *d_in, int n, int *d_out, int *)
{
    for (int left = n, to = BLOCKS * THREADS; left > 1; left = to, to /= 2) {
        int threads = to < THREADS ? to : THREADS;
        reduce2<<<to / threads, threads>>>(d_in, d_out, left);
        CUDA(cudaGetLastError());
        d_in = d_out;
    }
    return d_in;
}

/* Steps 3 to 6: as 2 up to one value a thread; then each block adds up its
 * values itself and leaves one. */
__device__ int strided_sum(const int *in, int n)
{
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x)
        sum += in[i];
    return sum;
}

/* 3. A tree in shared memory: neighbours first, then those two apart, four...
 * Every thread tests whether it is its turn, with a costly modulo, and after
 * the first level at least half of every warp idles. */
__global__ void reduce3(const int *in, int *out, int n)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = strided_sum(in, n);
    __syncthreads();
    for (int s = 1; s < THREADS; s *= 2) {
        if (t % (2 * s) == 0)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* 4. The same additions by other threads: the first ones do them all. No
 * modulo, and whole warps have nothing to do. But a warp's accesses are now 2s
 * words apart, so several meet in one bank of the memory. */
__global__ void reduce4(const int *in, int *out, int n)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = strided_sum(in, n);
    __syncthreads();
    for (int s = 1; s < THREADS; s *= 2) {
        int i = 2 * s * t;
        if (i < THREADS)
            part[i] += part[i + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* 5. Adds the upper half to the lower: neighbours in neighbouring banks. */
__global__ void reduce5(const int *in, int *out, int n)
{
    __shared__ int part[THREADS];
    int t = threadIdx.x;
    part[t] = strided_sum(in, n);
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s /= 2) {
        if (t < s)
            part[t] += part[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

/* 6. Since 2012 the lanes of a warp read each other's registers: no shared
 * memory and no barrier but one, to pass on the sums of the warps. */
__device__ int warp_sum(int v)
{
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_down_sync(0xffffffffu, v, s);
    return v; /* right in lane 0 */
}

__global__ void reduce6(const int *in, int *out, int n)
{
    __shared__ int part[THREADS / 32];
    int t = threadIdx.x;
    int v = warp_sum(strided_sum(in, n));
    if (t % 32 == 0)
        part[t / 32] = v;
    __syncthreads();
    if (t < 32) {
        v = warp_sum(t < THREADS / 32 ? part[t] : 0);
        if (t == 0)
            out[blockIdx.x] = v;
    }
}

/* n values to BLOCKS, BLOCKS to one: two launches. */
template <void (*kernel)(const int *, int *, int)>
static int *sum_in_two(int *d_in, int n, int *d_parts, int *d_out)
{
    kernel<<<BLOCKS, THREADS>>>(d_in, d_parts, n);
    CUDA(cudaGetLastError());
    kernel<<<1, THREADS>>>(d_parts, d_out, BLOCKS);
    CUDA(cudaGetLastError());
    return d_out;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int *(*sum)(int *d_in, int n, int *d_one, int *d_other);
    } steps[] = {
        {"reduction 1, several passes", sum1},
        {"reduction 2, coalesced", sum2},
        {"reduction 3, shared memory", sum_in_two<reduce3>},
        {"reduction 4, without the costly test", sum_in_two<reduce4>},
        {"reduction 5, no bank conflicts", sum_in_two<reduce5>},
        {"reduction 6, warp shuffles", sum_in_two<reduce6>},
    };
    /* Not a power of two, not a multiple of anything. */
    const int n = example_is_quick(argc, argv) ? 100003 : 2000003;
    std::vector<int> in(n);
    int want = 0;
    for (int i = 0; i < n; i++)
        want += in[i] = (int)((i * 2654435761u) >> 22) - 500;

    int *d_in, *d_one, *d_other;
    CUDA(cudaMalloc(&d_in, n * sizeof(int)));
    CUDA(cudaMalloc(&d_one, BLOCKS * THREADS * sizeof(int)));
    CUDA(cudaMalloc(&d_other, BLOCKS * THREADS * sizeof(int)));
    CUDA(cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    for (const auto &step : steps) {
        int got;
        CUDA(cudaMemset(d_one, 0, BLOCKS * THREADS * sizeof(int)));
        CUDA(cudaMemset(d_other, 0, BLOCKS * THREADS * sizeof(int)));
        int *d_sum = step.sum(d_in, n, d_one, d_other);
        CUDA(cudaMemcpy(&got, d_sum, sizeof got, cudaMemcpyDeviceToHost));
        verify(step.name, &got, &want, 1);
    }
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_one));
    CUDA(cudaFree(d_other));
    return example_wrong != 0;
}
