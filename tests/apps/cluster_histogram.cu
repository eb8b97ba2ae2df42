/* SPDX-License-Identifier: Apache-2.0 */
// cc: -arch=sm_90
// device: H200
// expect: EXACT 0 wrong
/* Clusters: a histogram whose bins lie in the shared memory of several blocks,
 * launched with the dimensions of its clusters; kernels that have their own;
 * what the groups say of them, and the numbers of occupancy. */
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

static int wrong;

#define SAME(got, want)                                                        \
    do {                                                                       \
        long g_ = (long)(got), w_ = (long)(want);                              \
        if (g_ != w_) {                                                        \
            wrong++;                                                           \
            printf("line %d: %s is %ld, not %ld\n", __LINE__, #got, g_, w_);   \
        }                                                                      \
    } while (0)

/* Each block of the cluster has some of the bins. */
__global__ void
histogram(int *bins, int nbins, int bins_per_block, const int *in, int n)
{
    extern __shared__ int smem[];
    cg::cluster_group cluster = cg::this_cluster();
    int first = (int)cg::this_grid().thread_rank();
    unsigned rank = cluster.block_rank();
    for (int i = (int)threadIdx.x; i < bins_per_block; i += (int)blockDim.x)
        smem[i] = 0;
    cluster.sync();
    for (int i = first; i < n; i += (int)(blockDim.x * gridDim.x)) {
        int bin = in[i] < 0 ? 0 : in[i] >= nbins ? nbins - 1 : in[i];
        int *there = cluster.map_shared_rank(smem, bin / bins_per_block);
        atomicAdd(there + bin % bins_per_block, 1);
    }
    cluster.sync();
    int *mine = bins + rank * (unsigned)bins_per_block;
    for (int i = (int)threadIdx.x; i < bins_per_block; i += (int)blockDim.x)
        atomicAdd(mine + i, smem[i]);
}

static void
count(unsigned cluster, int nbins)
{
    const int n = 50000, threads = 128;
    std::vector<int> in(n), want(nbins), got(nbins);
    unsigned seed = 1;
    for (int &v : in) {
        seed = seed * 1664525u + 1013904223u;
        v = (int)(seed >> 16) % (nbins + 20) - 10;
        want[v < 0 ? 0 : v >= nbins ? nbins - 1 : v]++;
    }
    int *d_in, *d_bins;
    cudaMalloc(&d_in, n * sizeof(int));
    cudaMalloc(&d_bins, nbins * sizeof(int));
    cudaMemcpy(d_in, in.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(d_bins, 0, nbins * sizeof(int));

    int per_block = nbins / (int)cluster;
    cudaLaunchConfig_t config = {};
    config.gridDim = 4 * cluster;
    config.blockDim = threads;
    config.dynamicSmemBytes = per_block * sizeof(int);
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (cluster > 8) {
        SAME(cudaLaunchKernelEx(&config, histogram, d_bins, nbins, per_block,
                                (const int *)d_in, n),
             cudaErrorInvalidClusterSize);
        SAME(cudaGetLastError(), cudaErrorInvalidClusterSize);
        cudaFuncSetAttribute((const void *)histogram,
                             cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    }
    SAME(cudaLaunchKernelEx(&config, histogram, d_bins, nbins, per_block,
                            (const int *)d_in, n),
         cudaSuccess);
    SAME(cudaDeviceSynchronize(), cudaSuccess);
    cudaMemcpy(got.data(), d_bins, nbins * sizeof(int), cudaMemcpyDeviceToHost);
    for (int i = 0; i < nbins; i++)
        SAME(got[i], want[i]);

    int clusters = 0, most = 0;
    SAME(cudaOccupancyMaxActiveClusters(&clusters, histogram, &config),
         cudaSuccess);
    SAME(clusters, cluster == 2 ? 528 : cluster == 8 ? 124 : 58);
    SAME(cudaOccupancyMaxPotentialClusterSize(&most, histogram, &config),
         cudaSuccess);
    SAME(most, cluster > 8 ? 16 : 8);
    cudaFree(d_in);
    cudaFree(d_bins);
}

/* What the groups say; two clusters of 2 x 2 blocks of 8 x 4 threads. */
__global__ void __cluster_dims__(2, 2, 1) tell(unsigned *out)
{
    __shared__ int word;
    cg::cluster_group c = cg::this_cluster();
    cg::grid_group grid = cg::this_grid();
    unsigned *o = out + (blockIdx.y * gridDim.x + blockIdx.x) * 16;
    auto token = c.barrier_arrive();
    c.barrier_wait(std::move(token));
    if (threadIdx.x == 3 && threadIdx.y == 1) {
        o[0] = c.block_rank() * 10 + c.num_blocks();
        o[1] = c.thread_rank();
        o[2] = c.num_threads() + c.size();
        o[3] = c.block_index().x * 10 + c.block_index().y;
        o[4] = c.thread_index().x * 100 + c.thread_index().y;
        o[5] = c.dim_blocks().x * 10 + c.dim_blocks().y;
        o[6] = c.dim_threads().x * 100 + c.dim_threads().y;
        o[7] = c.query_shared_rank(c.map_shared_rank(&word, 3));
        o[8] = (unsigned)(grid.cluster_rank() * 10 + grid.num_clusters());
        o[9] = grid.cluster_index().x * 10 + grid.dim_clusters().x;
    }
    c.sync();
}

template <int N>
__global__ void
__cluster_dims__(N) own(unsigned *out)
{
    if (threadIdx.x == 0 && blockIdx.x == 0)
        *out = cg::this_cluster().num_blocks();
}

__global__ void
__cluster_dims__() must_be_said(unsigned *out)
{
    *out = cg::this_cluster().num_blocks();
}

int
main()
{
    count(2, 600);
    count(8, 800);
    count(16, 1600);

    unsigned *out, h[8 * 16];
    cudaMalloc(&out, sizeof h);
    tell<<<dim3(4, 2), dim3(8, 4)>>>(out);
    SAME(cudaDeviceSynchronize(), cudaSuccess);
    cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
    for (unsigned b = 0; b < 8; b++) {
        const unsigned *o = h + b * 16;
        unsigned x = b % 4 % 2, y = b / 4, rank = 2 * y + x;
        SAME(o[0], rank * 10 + 4);
        SAME(o[1], rank * 32 + 11);
        SAME(o[2], 256);
        SAME(o[3], x * 10 + y);
        SAME(o[4], (x * 8 + 3) * 100 + y * 4 + 1);
        SAME(o[5], 22);
        SAME(o[6], 1608);
        SAME(o[7], 3);
        SAME(o[8], b % 4 / 2 * 10 + 2);
        SAME(o[9], b % 4 / 2 * 10 + 2);
    }
    own<3><<<6, 32>>>(out);
    cudaMemcpy(h, out, 4, cudaMemcpyDeviceToHost);
    SAME(h[0], 3);
    own<4><<<6, 32>>>(out);
    SAME(cudaGetLastError(), cudaErrorInvalidClusterSize);
    must_be_said<<<2, 1>>>(out);
    SAME(cudaGetLastError(), cudaErrorInvalidClusterSize);
    cudaFuncAttributes a;
    SAME(cudaFuncGetAttributes(&a, tell), cudaSuccess);
    SAME(a.clusterDimMustBeSet, 1);
    SAME(a.requiredClusterWidth * 100 + a.requiredClusterHeight * 10 +
             a.requiredClusterDepth,
         221);
    cudaFree(out);
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
