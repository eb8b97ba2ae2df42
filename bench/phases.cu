/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3 -arch=sm_90
/* phases.cu - blocks that put a row into shared memory, wait, read it, and wait
 * again: at the block's barrier, at a cuda::barrier, at an mbarrier; and with a
 * warp that brings rows into places which the others set free. */
#include <cuda/barrier>

#include "device.h"
#include "problems/phases.h"

enum { ROW = PHASES_ROW, GROUP = PHASES_GROUP, PLACES = 4, WARP = 32 };

__global__ void
phases_sync(float *out, const float *in)
{
    __shared__ float row[ROW];
    int t = threadIdx.x;
    float sum = 0;
    in += (size_t)blockIdx.x * GROUP * ROW;
    for (int k = 0; k < GROUP; k++) {
        row[t] = in[k * ROW + t];
        __syncthreads();
        sum += row[t] * row[ROW - 1 - t];
        __syncthreads();
    }
    out[blockIdx.x * ROW + t] = sum;
}

__global__ void
phases_object(float *out, const float *in)
{
    __shared__ float row[ROW];
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    int t = threadIdx.x;
    float sum = 0;
    if (t == 0)
        init(&bar, ROW);
    __syncthreads();
    in += (size_t)blockIdx.x * GROUP * ROW;
    for (int k = 0; k < GROUP; k++) {
        row[t] = in[k * ROW + t];
        bar.arrive_and_wait();
        sum += row[t] * row[ROW - 1 - t];
        bar.arrive_and_wait();
    }
    out[blockIdx.x * ROW + t] = sum;
}

/* ---- instructions ---- */

typedef unsigned long long mbarrier;

__device__ void
make(mbarrier *b, int n)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(b)),
                 "r"(n));
}

__device__ void
arrive(mbarrier *b)
{
    mbarrier token;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(token)
                 : "r"((unsigned)__cvta_generic_to_shared(b))
                 : "memory");
}

__device__ void
await(mbarrier *b, int parity)
{
    int done = 0;
    while (!done)
        asm volatile("{ .reg .pred p;\n"
                     "mbarrier.try_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"((unsigned)__cvta_generic_to_shared(b)), "r"(parity)
                     : "memory");
}

__global__ void
phases_mbar(float *out, const float *in)
{
    __shared__ float row[ROW];
    __shared__ mbarrier bar;
    int t = threadIdx.x;
    float sum = 0;
    if (t == 0)
        make(&bar, ROW);
    __syncthreads();
    in += (size_t)blockIdx.x * GROUP * ROW;
    for (int k = 0; k < GROUP; k++) {
        row[t] = in[k * ROW + t];
        arrive(&bar);
        await(&bar, 0);
        sum += row[t] * row[ROW - 1 - t];
        arrive(&bar);
        await(&bar, 1);
    }
    out[blockIdx.x * ROW + t] = sum;
}

/* The last warp brings rows. */
__global__ void
phases_queue(float *out, const float *in)
{
    __shared__ float row[PLACES][ROW];
    __shared__ mbarrier full[PLACES], empty[PLACES];
    int t = threadIdx.x;
    float sum = 0;
    if (t < PLACES) {
        make(&full[t], WARP);
        make(&empty[t], ROW);
    }
    __syncthreads();
    in += (size_t)blockIdx.x * GROUP * ROW;
    if (t >= ROW) {
        for (int k = 0; k < GROUP; k++) {
            int at = k % PLACES;
            if (k >= PLACES)
                await(&empty[at], (k / PLACES - 1) & 1);
            for (int i = t - ROW; i < ROW; i += WARP)
                row[at][i] = in[k * ROW + i];
            arrive(&full[at]);
        }
        return;
    }
    for (int k = 0; k < GROUP; k++) {
        int at = k % PLACES;
        await(&full[at], k / PLACES & 1);
        sum += row[at][t] * row[at][ROW - 1 - t];
        arrive(&empty[at]);
    }
    out[blockIdx.x * ROW + t] = sum;
}

template <void (*K)(float *, const float *), int THREADS>
static void
run(const char *name)
{
    phases p = phases_create();
    device_array<float> in(p.in, p.n), out(p.groups * ROW);
    bench b = bench_start(name, 4.0 * p.n, 2.0 * p.n);
    while (bench_next(&b)) {
        K<<<p.groups, THREADS>>>(out, in);
        device_wait();
    }
    bench_end(&b, phases_check(&p, out.get()));
}

static void
run_sync(void)
{
    run<phases_sync, ROW>("phases_sync");
}
static void
run_object(void)
{
    run<phases_object, ROW>("phases_object");
}
static void
run_mbar(void)
{
    run<phases_mbar, ROW>("phases_mbar");
}
static void
run_queue(void)
{
    run<phases_queue, ROW + WARP>("phases_queue");
}

BENCH_MAIN({"phases_sync", run_sync}, {"phases_object", run_object},
           {"phases_mbar", run_mbar}, {"phases_queue", run_queue})
