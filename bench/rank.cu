/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* rank.cu - C := C + A * A^T; each sum stays in memory, as far as the compiler
 * can tell. */
#include "device.h"
#include "problems/rank.h"

__global__ void
rank_in_memory(const float *a, float *c, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        for (int k = 0; k < n; k++)
            c[i * n + j] += a[i * n + k] * a[j * n + k];
}

static void
run(void)
{
    rank r = rank_create();
    unsigned n = (unsigned)r.n;
    device_array<float> a(r.a, r.n * r.n), c(r.n * r.n);
    bench b = bench_start("rank_in_memory", rank_bytes(&r), rank_flops(&r));
    dim3 block(RANK_X, RANK_Y), grid(n / RANK_X, n / RANK_Y);
    while (bench_next(&b)) {
        c.set(r.before);
        bench_go(&b);
        rank_in_memory<<<grid, block>>>(a, c, (int)n);
        device_wait();
    }
    bench_end(&b, rank_check(&r, c.get()));
}

BENCH_MAIN({"rank_in_memory", run})
