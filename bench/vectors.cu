/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* vectors.cu - long vectors added, scaled and added, copied: a thread an
 * element. */
#include "device.h"
#include "problems/vectors.h"

__global__ void vecadd(size_t n, const float *x, const float *y, float *z)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        z[i] = x[i] + y[i];
}

__global__ void saxpy(size_t n, float a, const float *x, float *y)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

__global__ void copy(size_t n, const float *x, float *y)
{
    size_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i];
}

static unsigned blocks(size_t n)
{
    return (unsigned)((n + VECTORS_BLOCK - 1) / VECTORS_BLOCK);
}

static void run_vecadd(void)
{
    vectors v = vectors_create();
    device_array<float> x(v.x, v.n), y(v.y, v.n), z(v.n);
    bench b = bench_start("vecadd", 12.0 * v.n, v.n);
    while (bench_next(&b)) {
        vecadd<<<blocks(v.n), VECTORS_BLOCK>>>(v.n, x, y, z);
        device_wait();
    }
    bench_end(&b, vectors_check_add(&v, z.get()));
}

static void run_saxpy(void)
{
    vectors v = vectors_create();
    device_array<float> x(v.x, v.n), y(v.y, v.n);
    bench b = bench_start("saxpy", 12.0 * v.n, 2.0 * v.n);
    while (bench_next(&b)) {
        saxpy<<<blocks(v.n), VECTORS_BLOCK>>>(v.n, SAXPY_A, x, y);
        device_wait();
    }
    bench_end(&b, vectors_check_saxpy(&v, y.get(), b.runs));
}

static void run_copy(void)
{
    vectors v = vectors_create();
    device_array<float> x(v.x, v.n), y(v.n);
    bench b = bench_start("copy", 8.0 * v.n, 0);
    while (bench_next(&b)) {
        copy<<<blocks(v.n), VECTORS_BLOCK>>>(v.n, x, y);
        device_wait();
    }
    bench_end(&b, bench_same(y.get(), v.x, v.n, sizeof(float)));
}

BENCH_MAIN({"vecadd", run_vecadd}, {"saxpy", run_saxpy}, {"copy", run_copy})
