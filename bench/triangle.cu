/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* triangle.cu - a sparse triangular system: each thread a row, which waits for
 * the rows that it needs, of its own warp too. */
#include "device.h"
#include "problems/triangle.h"

__global__ void
triangle_rows(int rows, const int *start, const int *column, const float *value,
              volatile float *x, volatile int *is_there)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    float sum = 1;
    int k = start[r], end = start[r + 1];
    bool done = false;
    while (!done) {
        while (k < end && is_there[column[k]]) {
            __threadfence();
            sum -= value[k] * x[column[k]];
            k++;
        }
        if (k == end) {
            x[r] = sum;
            __threadfence();
            is_there[r] = 1;
            done = true;
        }
    }
}

static void
run(void)
{
    triangle t = triangle_create();
    size_t rows = t.rows, n = rows * TRIANGLE_ENTRIES;
    device_array<int> start(t.start, rows + 1), column(t.column, n);
    device_array<float> value(t.value, n), x(rows);
    device_array<int> is_there(rows);
    bench b = bench_start("triangle_rows", 0, 0);
    while (bench_next(&b)) {
        CUDA(cudaMemset(is_there, 0, rows * sizeof(int)));
        triangle_rows<<<rows / TRIANGLE_BLOCK, TRIANGLE_BLOCK>>>(
            t.rows, start, column, value, x, is_there);
        device_wait();
    }
    bench_end(&b, triangle_check(&t, x.get()));
}

BENCH_MAIN({"triangle_rows", run})
