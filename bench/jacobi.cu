/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* jacobi.cu - sweeps over a plane, a launch each. */
#include "device.h"
#include "problems/jacobi.h"

__global__ void jacobi_sweep(float *to, const float *from, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1)
        return;
    const float *p = from + y * n + x;
    to[y * n + x] = 0.25f * (p[-1] + p[1] + p[-n] + p[n]);
}

static void run(void)
{
    jacobi j = jacobi_create();
    size_t all = j.n * j.n;
    device_array<float> one(j.in, all), other(j.in, all);
    float *plane[] = {one, other};
    bench b = bench_start("jacobi", 8.0 * all * JACOBI_SWEEPS,
                          4.0 * all * JACOBI_SWEEPS);
    dim3 block(JACOBI_BLOCK_X, JACOBI_BLOCK_Y);
    dim3 grid(j.n / block.x, j.n / block.y);
    while (bench_next(&b)) {
        one.set(j.in);
        bench_go(&b);
        for (int s = 0; s < JACOBI_SWEEPS; s++)
            jacobi_sweep<<<grid, block>>>(plane[~s & 1], plane[s & 1],
                                          (int)j.n);
        device_wait();
    }
    bench_end(&b,
              jacobi_check(&j, JACOBI_SWEEPS % 2 ? other.get() : one.get()));
}

BENCH_MAIN({"jacobi", run})
