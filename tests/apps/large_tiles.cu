/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT 0 failed
/* Tiles of more than a warp: ranks, barriers, votes, reductions and scans; and
 * results of groups that go to memory or into atomic objects. */
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <new>

#include "check.h"

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

template <unsigned N>
__global__ void
tiles()
{
    __shared__ cg::block_tile_memory<1024> memory;
    __shared__ int turn[1024 / N];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<N>(block);
    int thread = (int)block.thread_rank(), rank = thread % (int)N;
    int first = thread - rank, last = first + (int)N - 1;
    SAME(tile.size(), N);
    SAME(tile.thread_rank(), (unsigned)rank);
    SAME(tile.meta_group_rank(), (unsigned)thread / N);
    SAME(tile.meta_group_size(), 1024 / N);
    SAME(tile.shfl(thread, 37), first + 37);
    SAME(tile.any(thread == 700), first <= 700 && 700 <= last);
    SAME(tile.all(thread < 512), last < 512);
    SAME(cg::reduce(tile, thread, cg::greater<int>()), last);
    SAME(cg::reduce(tile, 1.5, cg::plus<double>()), N * 1.5);
    SAME(cg::inclusive_scan(tile, 2), 2 * rank + 2);
    SAME(cg::exclusive_scan(tile, 3), 3 * rank);
    SAME(cg::exclusive_scan(tile, thread, cg::greater<int>()),
         rank ? thread - 1 : 0);
    /* The last tile meets most often. */
    int rounds = thread / (int)N + 1, *mine = &turn[thread / N];
    for (int i = 0; i < rounds; i++) {
        if (rank == i % (int)N)
            *mine = i;
        tile.sync();
        SAME(*(volatile int *)mine, i);
        tile.sync();
    }
    auto warp = cg::tiled_partition<32>(tile);
    SAME(warp.meta_group_size(), N / 32);
    SAME(warp.meta_group_rank(), (unsigned)rank / 32);
    SAME(cg::reduce(warp, 1, cg::plus<int>()), 32);
}

using counter = cuda::atomic<int, cuda::thread_scope_device>;

__global__ void
into_memory(int *sums, counter *total, int *most, int *places)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    auto large = cg::tiled_partition<128>(block);
    int thread = (int)cg::this_grid().thread_rank();
    cg::reduce_store_async(tile, &sums[thread / 16], thread, cg::plus<int>());
    cg::reduce_update_async(large, *total, 1, cg::plus<int>());
    cuda::atomic_ref<int, cuda::thread_scope_device> highest(*most);
    cg::reduce_update_async(tile, highest, thread, cg::greater<int>());

    /* Every third thread takes a place; each place is taken once. */
    __shared__ counter *next;
    if (thread % 256 == 0)
        next = total + 1;
    block.sync();
    int takes = thread % 3 == 0;
    int place = cg::exclusive_scan_update(tile, *next, takes);
    if (takes)
        atomicAdd(&places[place], 1);
    int end = cg::inclusive_scan_update(large, total[2], 2, cg::plus<int>());
    SAME(end % 2, 0);
    atomicAdd(&places[end / 2 - 1], 1000);
}

int
main()
{
    tiles<64><<<2, 1024>>>();
    tiles<128><<<1, 1024>>>();
    tiles<256><<<1, 1024>>>();
    tiles<512><<<1, 1024>>>();
    CK(cudaDeviceSynchronize());

    const int n = 768;
    int *sums, *most, *places;
    counter *total;
    CK(cudaMallocManaged(&sums, n / 16 * sizeof *sums));
    CK(cudaMallocManaged(&most, sizeof *most));
    CK(cudaMallocManaged(&places, n * sizeof *places));
    CK(cudaMallocManaged(&total, 3 * sizeof *total));
    for (int i = 0; i < n; i++)
        places[i] = 0;
    for (int i = 0; i < 3; i++)
        new (&total[i]) counter(0);
    *most = -1;
    into_memory<<<n / 256, 256>>>(sums, total, most, places);
    CK(cudaDeviceSynchronize());
    for (int i = 0; i < n / 16; i++)
        MUST(sums[i] == 256 * i + 120);
    MUST(total[0].load() == n && total[1].load() == n / 3 && *most == n - 1);
    for (int i = 0; i < n; i++)
        MUST(places[i] == 1000 + (i < n / 3));
    int failed;
    CK(cudaMemcpyFromSymbol(&failed, failures, sizeof failed));
    printf("%d failed\n", failed);
    return failed != 0;
}
