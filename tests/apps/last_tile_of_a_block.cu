/* SPDX-License-Identifier: Apache-2.0 */
// expect: EXACT thread 0: tile 0 of 4
// expect: EXACT thread 32: tile 1 of 4
// expect: EXACT thread 64: tile 2 of 4
// expect: EXACT thread 96: tile 3 of 4
/* A block of 120 threads has a fourth tile of 32, not all of which is there. */
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

__global__ void
tiles()
{
    auto t = cg::tiled_partition<32>(cg::this_thread_block());
    if (t.thread_rank() == 0)
        printf("thread %d: tile %u of %u\n", threadIdx.x,
               (unsigned)t.meta_group_rank(), (unsigned)t.meta_group_size());
}

int
main()
{
    tiles<<<1, 120>>>();
    return cudaDeviceSynchronize();
}
