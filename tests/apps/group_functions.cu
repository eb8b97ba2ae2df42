/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* Cooperative groups: ranks, partitions, shuffles, votes, reductions, scans,
 * and the barrier of a whole grid. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int failures;

#define SAME(got, want)                                                        \
    do {                                                                       \
        auto g_ = (got);                                                       \
        decltype(g_) w_ = (want);                                              \
        if (!(g_ == w_)) {                                                     \
            atomicAdd(&failures, 1);                                           \
            printf("thread %d, line %d: %s\n", (int)threadIdx.x, __LINE__,     \
                   #got);                                                      \
        }                                                                      \
    } while (0)

__global__ void
blocks(const int *in)
{
    cg::thread_block block = cg::this_thread_block();
    int rank = (int)block.thread_rank();
    SAME(block.size(), 64u);
    auto warp = cg::tiled_partition<32>(block);
    auto tile = cg::tiled_partition<8>(warp);
    SAME(warp.thread_rank(), (unsigned)rank % 32);
    SAME(warp.meta_group_rank(), (unsigned)rank / 32);
    SAME(tile.size(), 8u);
    SAME(tile.thread_rank(), (unsigned)rank % 8);
    SAME(tile.shfl(rank, 2), rank / 8 * 8 + 2);
    SAME(tile.shfl_down(rank, 1), rank % 8 < 7 ? rank + 1 : rank);
    SAME(tile.shfl_xor(rank * 0.5, 3), (rank ^ 3) * 0.5);
    SAME(tile.ballot(rank % 8 < 3), 7u);
    SAME(tile.any(rank % 8 == 5), 1);
    SAME(tile.all(rank % 8 == 5), 0);
    SAME(cg::reduce(tile, 1, cg::plus<int>()), 8);
    SAME(cg::reduce(warp, rank, cg::greater<int>()), rank / 32 * 32 + 31);
    SAME(cg::inclusive_scan(tile, 1), rank % 8 + 1);
    SAME(cg::exclusive_scan(warp, 2), rank % 32 * 2);
    if (rank % 3 == 0) {
        cg::coalesced_group some = cg::coalesced_threads();
        unsigned first = rank / 32 * 32 % 3 ? 3 - rank / 32 * 32 % 3 : 0;
        SAME(some.size(), (32 - first + 2) / 3);
        SAME(some.thread_rank(), (rank % 32 - first) / 3);
        SAME(some.shfl(rank, 1), (int)(rank / 32 * 32 + first + 3));
        SAME(cg::reduce(some, 1, cg::plus<int>()), (int)some.size());
        SAME(some.ballot(1), (1u << some.size()) - 1);
    }
    warp.sync();
    auto half = cg::binary_partition(warp, rank % 4 == 0);
    SAME(half.size(), rank % 4 == 0 ? 8u : 24u);
#if __CUDA_ARCH__ >= 700
    auto like = cg::labeled_partition(warp, rank % 4);
    SAME(like.size(), 8u);
    SAME(like.meta_group_rank(), (unsigned)rank % 4);
#endif
    cg::thread_group any = cg::tiled_partition(block, 16);
    SAME((int)any.thread_rank(), rank % 16);
    any.sync();
    __shared__ int copy[64];
    cg::memcpy_async(block, copy, in, sizeof copy);
    cg::wait(block);
    SAME(copy[63 - rank], 63 - rank);
}

__device__ int seen[8];

__global__ void
grids()
{
    cg::grid_group grid = cg::this_grid();
    SAME(grid.size(), 8ull * 32);
    for (int round = 1; round <= 3; round++) {
        if (threadIdx.x == 0)
            seen[blockIdx.x] = round;
        grid.sync();
        SAME(*(volatile int *)&seen[(blockIdx.x + 3) % 8], round);
        grid.sync();
    }
}

int
main()
{
    int in[64], *d, n = -1;
    for (int i = 0; i < 64; i++)
        in[i] = i;
    if (cudaMalloc(&d, sizeof in) ||
        cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice))
        return 1;
    blocks<<<2, 64>>>(d);
    cudaError_t e = cudaLaunchCooperativeKernel((void *)grids, dim3(8),
                                                dim3(32), nullptr);
    if (e)
        printf("cooperative launch: %s\n", cudaGetErrorName(e));
    if (cudaDeviceSynchronize() ||
        cudaMemcpyFromSymbol(&n, failures, sizeof n))
        n = -1;
    printf("%d failed\n", n);
    return n != 0;
}
