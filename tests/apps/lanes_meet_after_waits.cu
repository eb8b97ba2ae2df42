/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 wrong
/* A chain of rows, each a warp's: its lanes wait for one of the 32 rows before
 * each, as in triangular solves, then sum in shared memory without a word on
 * where they meet. Devices run on together those that have left the loop, so
 * programs do without. */
#include <cstdio>
#include <vector>

enum { WARPS = 4, ROWS = 2000, PRIME = 10007 };

__global__ void
solve(volatile int *value, volatile int *is_done)
{
    __shared__ int part[WARPS * 32];
    int lane = threadIdx.x % 32;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int before = row - 32 + lane, sum = 0, step = 0;
    while (step < 2) { /* the second time for the row's own carry */
        if (before < 0 || is_done[before]) {
            sum += before < 0 ? 1 : value[before] * (lane + 1 + step);
            step++;
        }
    }
    part[threadIdx.x] = sum;
    for (int other = 16; other > 0; other /= 2)
        if (lane < other)
            part[threadIdx.x] += part[threadIdx.x + other];
    if (lane == 0) {
        value[row] = part[threadIdx.x] % PRIME;
        __threadfence();
        is_done[row] = 1;
    }
}

int
main()
{
    std::vector<int> want(ROWS), got(ROWS);
    for (int r = 0; r < ROWS; r++) {
        int sum = 0;
        for (int lane = 0; lane < 32; lane++)
            for (int step = 0; step < 2; step++) {
                int b = r - 32 + lane;
                sum += b < 0 ? 1 : want[b] * (lane + 1 + step);
            }
        want[r] = sum % PRIME;
    }
    int *value, *is_done, wrong = 0;
    cudaMalloc(&value, ROWS * sizeof *value);
    cudaMalloc(&is_done, ROWS * sizeof *is_done);
    for (int round = 0; round < 3; round++) {
        cudaMemset(is_done, 0, ROWS * sizeof *is_done);
        solve<<<ROWS / WARPS, WARPS * 32>>>(value, is_done);
        cudaMemcpy(got.data(), value, ROWS * sizeof *value,
                   cudaMemcpyDeviceToHost);
        for (int r = 0; r < ROWS; r++)
            wrong += got[r] != want[r];
    }
    printf("%d wrong\n", wrong);
    return 0;
}
// check: race-shared (lanes in step without a word)
