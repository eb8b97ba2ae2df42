/* SPDX-License-Identifier: Apache-2.0 */
// cc: -O3
/* queens.cu - queens on chessboards, by recursion, a board each thread. */
#include "device.h"
#include "problems/queens.h"

__global__ void
queens_8(int *out)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = queens_of(i);
}

static void
run(void)
{
    device_array<int> out(queens_boards());
    bench b = bench_start("queens_8", 0, 0);
    while (bench_next(&b)) {
        queens_8<<<queens_boards() / QUEENS_BLOCK, QUEENS_BLOCK>>>(out);
        device_wait();
    }
    bench_end(&b, queens_check(out.get()));
}

BENCH_MAIN({"queens_8", run})
