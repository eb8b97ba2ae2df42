/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* histogram.cu - counts of bytes: a block counts in shared memory, then adds
 * its counts to everybody's; or all threads count in global memory. */
#include "device.h"
#include "problems/histogram.h"

__global__ void histogram_kernel(unsigned *out, const uchar4 *in, int n)
{
    __shared__ unsigned bins[HISTOGRAM_BINS];
    bins[threadIdx.x] = 0; /* as many threads as bins */
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        uchar4 four = in[i];
        atomicAdd(&bins[four.x], 1);
        atomicAdd(&bins[four.y], 1);
        atomicAdd(&bins[four.z], 1);
        atomicAdd(&bins[four.w], 1);
    }
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void histogram_global(unsigned *out, const uchar4 *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        uchar4 four = in[i];
        atomicAdd(&out[four.x], 1);
        atomicAdd(&out[four.y], 1);
        atomicAdd(&out[four.z], 1);
        atomicAdd(&out[four.w], 1);
    }
}

typedef void (*kernel)(unsigned *, const uchar4 *, int);

template <kernel K> static void run(const char *name)
{
    histogram h = histogram_create();
    device_array<uchar4> in((const uchar4 *)h.in, h.n / 4);
    device_array<unsigned> out(HISTOGRAM_BINS);
    bench b = bench_start(name, h.n, 0);
    while (bench_next(&b)) {
        out.zero();
        bench_go(&b);
        K<<<HISTOGRAM_BLOCKS, HISTOGRAM_BLOCK>>>(
            out, in, (int)(h.n / 4));
        device_wait();
    }
    bench_end(&b, histogram_check(&h, out.get()));
}

BENCH_MAIN({"histogram", [] { run<histogram_kernel>("histogram"); }},
           {"histogram_global",
            [] { run<histogram_global>("histogram_global"); }})
