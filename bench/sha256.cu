/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* sha256.cu - a digest a thread: rotations, logic and additions of integers. */
#include "device.h"
#include "problems/sha256.h"

__constant__ uint32_t round_constants[64] = SHA256_K;

__global__ void sha256_kernel(uint32_t *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t h[8];
    sha256_message(h, i, round_constants);
    for (int j = 0; j < 8; j++)
        out[j * n + i] = h[j];
}

static void run(void)
{
    sha256 s = sha256_create();
    device_array<uint32_t> out(8 * s.n);
    bench b = bench_start("sha256", 32.0 * s.n, 0);
    while (bench_next(&b)) {
        sha256_kernel<<<s.n / SHA256_BLOCK, SHA256_BLOCK>>>(out, (int)s.n);
        device_wait();
    }
    bench_end(&b, sha256_check(&s, out.get()));
}

BENCH_MAIN({"sha256", run})
