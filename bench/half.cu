/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3 -arch=sm_80
/* half.cu - y = a x + y in half precision, two elements at a time. */
#include <cuda_fp16.h>

#include "device.h"
#include "problems/half.h"

__global__ void haxpy(__half2 *out, const __half2 *x, const __half2 *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = __hfma2(__float2half2_rn(HALF_A), x[i], y[i]);
}

static void run(void)
{
    half_vectors h = half_create();
    size_t n = h.n / 2;
    device_array<__half2> x((const __half2 *)h.x, n);
    device_array<__half2> y((const __half2 *)h.y, n), out(n);
    bench b = bench_start("haxpy", 6.0 * h.n, 2.0 * h.n);
    while (bench_next(&b)) {
        haxpy<<<n / HALF_BLOCK, HALF_BLOCK>>>(out, x, y, (int)n);
        device_wait();
    }
    bench_end(&b, half_check(&h, (const uint16_t *)out.get()));
}

BENCH_MAIN({"haxpy", run})
