/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* spmv.cu - a sparse matrix times a vector: a row a thread, or a warp. */
#include "device.h"
#include "problems/spmv.h"

__global__ void spmv_scalar(int rows, const int *start, const int *column,
                            const float *value, const float *x, float *y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = start[r]; i < start[r + 1]; i++)
        sum += value[i] * x[column[i]];
    y[r] = sum;
}

__global__ void spmv_vector(int rows, const int *start, const int *column,
                            const float *value, const float *x, float *y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows)
        return;
    float sum = 0;
    for (int i = start[r] + lane; i < start[r + 1]; i += 32)
        sum += value[i] * x[column[i]];
    for (int s = 16; s > 0; s /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, s);
    if (lane == 0)
        y[r] = sum;
}

typedef void (*kernel)(int, const int *, const int *, const float *,
                       const float *, float *);

template <kernel K> static void run(const char *name, size_t threads_a_row)
{
    spmv m = spmv_create();
    device_array<int> start(m.start, m.rows + 1), column(m.column, m.nnz);
    device_array<float> value(m.value, m.nnz), x(m.x, m.rows), y(m.rows);
    bench b = bench_start(name, 8.0 * m.nnz + 12.0 * m.rows, 2.0 * m.nnz);
    unsigned blocks = m.rows * threads_a_row / SPMV_BLOCK;
    while (bench_next(&b)) {
        K<<<blocks, SPMV_BLOCK>>>((int)m.rows, start, column, value, x, y);
        device_wait();
    }
    bench_end(&b, spmv_check(&m, y.get()));
}

BENCH_MAIN({"spmv_scalar", [] { run<spmv_scalar>("spmv_scalar", 1); }},
           {"spmv_vector", [] { run<spmv_vector>("spmv_vector", 32); }})
