/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative.cu - threads that wait for each other, in groups of every size:
 * tiles of a warp, the block, and the whole grid.
 *
 * A cooperative launch promises that all blocks are there at the same time, so
 * they may wait for each other; a grid larger than the device holds is refused.
 */
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <vector>

#include "example.h"

namespace cg = cooperative_groups;

/* Prefix sums over the whole array in one launch: each step adds the element
 * `d` before, and no block may begin a step before all have ended the last. */
__global__ void scan(int *a, int *b, int n)
{
    cg::grid_group grid = cg::this_grid();
    int i = (int)grid.thread_rank();
    for (int d = 1; d < n; d *= 2) {
        if (i < n)
            b[i] = a[i] + (i >= d ? a[i - d] : 0);
        grid.sync();
        int *t = a;
        a = b;
        b = t;
    }
}

/* Sums within tiles of 8 threads, without shared memory. */
__global__ void tile_sums(int *out, const int *in)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int i = blockIdx.x * blockDim.x + block.thread_rank();
    int v = in[i];
    for (int s = (int)tile.size() / 2; s > 0; s /= 2)
        v += tile.shfl_down(v, s);
    if (tile.thread_rank() == 0)
        out[i / 8] = v;
}

/* The threads that happen to be here together take one ticket block: one
 * atomic for all of them. */
__global__ void count_odd(int *counter, const int *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 2 != 0) {
        cg::coalesced_group here = cg::coalesced_threads();
        if (here.thread_rank() == 0)
            atomicAdd(counter, (int)here.size());
    }
}

int main(int argc, char **argv)
{
    const int threads = 128, blocks = example_is_quick(argc, argv) ? 4 : 32;
    int n = threads * blocks;
    std::vector<int> in(n), sums(n), tiles(n / 8, 0), got(n);
    int odd = 0;
    for (int i = 0; i < n; i++) {
        in[i] = i * 7919 % 97;
        sums[i] = in[i] + (i ? sums[i - 1] : 0);
        tiles[i / 8] += in[i];
        odd += in[i] % 2;
    }
    const size_t bytes = n * sizeof(int);
    int *d_in, *d_a, *d_b;
    CUDA(cudaMalloc(&d_in, bytes));
    CUDA(cudaMalloc(&d_a, bytes));
    CUDA(cudaMalloc(&d_b, bytes));
    CUDA(cudaMemcpy(d_in, in.data(), bytes, cudaMemcpyHostToDevice));

    int can = 0;
    CUDA(cudaDeviceGetAttribute(&can, cudaDevAttrCooperativeLaunch, 0));
    if (can) {
        CUDA(cudaMemcpy(d_a, d_in, bytes, cudaMemcpyDeviceToDevice));
        void *args[] = {&d_a, &d_b, &n};
        CUDA(cudaLaunchCooperativeKernel((void *)scan, dim3(blocks),
                                         dim3(threads), args, 0, 0));
        int steps = 0;
        for (int d = 1; d < n; d *= 2)
            steps++;
        CUDA(cudaMemcpy(got.data(), steps % 2 ? d_b : d_a, bytes,
                        cudaMemcpyDeviceToHost));
        verify("grid-wide barriers", got.data(), sums.data(), n);
    }

    tile_sums<<<blocks, threads>>>(d_a, d_in);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(got.data(), d_a, bytes / 8, cudaMemcpyDeviceToHost));
    verify("tiles of eight threads", got.data(), tiles.data(), n / 8);

    CUDA(cudaMemset(d_b, 0, sizeof(int)));
    count_odd<<<blocks, threads>>>(d_b, d_in);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(got.data(), d_b, sizeof(int), cudaMemcpyDeviceToHost));
    verify("coalesced threads", got.data(), &odd, 1);
    CUDA(cudaFree(d_in));
    CUDA(cudaFree(d_a));
    CUDA(cudaFree(d_b));
    return example_wrong != 0;
}
