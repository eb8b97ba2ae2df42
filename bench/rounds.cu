/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3 -fmad=false
/* rounds.cu - one block that runs long: with the default engine its first
 * launch begins in the interpreter. */
#include "device.h"
#include "problems/rounds.h"

__global__ void
rounds_block(float *x, int rounds)
{
    __shared__ float s[ROUNDS_VALUES];
    int t = threadIdx.x, before = (t + ROUNDS_VALUES - 1) % ROUNDS_VALUES,
        behind = (t + 1) % ROUNDS_VALUES;
    s[t] = x[t];
    __syncthreads();
    for (int r = 0; r < rounds; r++) {
        float y = rounds_mean(s[before], s[t], s[behind]);
        __syncthreads();
        s[t] = y;
        __syncthreads();
    }
    x[t] = s[t];
}

static void
run(void)
{
    float first[ROUNDS_VALUES];
    device_array<float> x(ROUNDS_VALUES);
    rounds_fill(first);
    bench b = bench_start("rounds_block", 0, 0);
    while (bench_next(&b)) {
        x.set(first);
        rounds_block<<<1, ROUNDS_VALUES>>>(x, rounds_count());
        device_wait();
    }
    bench_end(&b, rounds_check(x.get()));
}

BENCH_MAIN({"rounds_block", run})
