/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* sparse.cu - reads, or writes, all over an array. */
#include "device.h"
#include "problems/sparse.h"

__global__ void gather(float *out, const float *in, const unsigned *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[index[i]];
}

__global__ void scatter(float *out, const float *in, const unsigned *index)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[i]] = in[i];
}

typedef void (*kernel)(float *, const float *, const unsigned *);

template <kernel K> static void run(const char *name)
{
    sparse s = sparse_create();
    device_array<float> in(s.in, s.n), out(s.n);
    device_array<unsigned> index(s.index, s.n);
    bench b = bench_start(name, 12.0 * s.n, 0);
    while (bench_next(&b)) {
        K<<<s.n / SPARSE_BLOCK, SPARSE_BLOCK>>>(out, in, index);
        device_wait();
    }
    bench_end(&b, K == gather ? sparse_check_gather(&s, out.get())
                              : sparse_check_scatter(&s, out.get()));
}

BENCH_MAIN({"gather", [] { run<gather>("gather"); }},
           {"scatter", [] { run<scatter>("scatter"); }})
