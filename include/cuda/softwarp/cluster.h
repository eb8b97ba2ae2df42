/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/cluster.h - what sm_90_rt.h declares: a cluster's shape, barrier and
 * shared memory, and sums of float vectors in global memory. Without clusters
 * each block is one by itself.
 */
#ifndef SOFTWARP_CLUSTER_H
#define SOFTWARP_CLUSTER_H
#include "common.h"
#pragma GCC system_header

#define __SW_CLUSTER_DIM(name, sreg)                                           \
    __SW_DEV__ dim3 name(void)                                                 \
    {                                                                          \
        unsigned x, y, z;                                                      \
        __asm__("mov.u32 %0, %%" sreg ".x;" : "=r"(x));                        \
        __asm__("mov.u32 %0, %%" sreg ".y;" : "=r"(y));                        \
        __asm__("mov.u32 %0, %%" sreg ".z;" : "=r"(z));                        \
        return dim3(x, y, z);                                                  \
    }
__SW_CLUSTER_DIM(__clusterDim, "cluster_nctaid")
__SW_CLUSTER_DIM(__clusterRelativeBlockIdx, "cluster_ctaid")
__SW_CLUSTER_DIM(__clusterGridDimInClusters, "nclusterid")
__SW_CLUSTER_DIM(__clusterIdx, "clusterid")
#undef __SW_CLUSTER_DIM

__SW_DEV__ unsigned
__clusterRelativeBlockRank(void)
{
    unsigned rank;
    __asm__("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}
__SW_DEV__ unsigned
__clusterSizeInBlocks(void)
{
    unsigned n;
    __asm__("mov.u32 %0, %%cluster_nctarank;" : "=r"(n));
    return n;
}
__SW_DEV__ unsigned
__clusterDimIsSpecified(void)
{
    unsigned is;
    __asm__("{ .reg .pred %%p; mov.pred %%p, %%is_explicit_cluster;"
            " selp.u32 %0, 1, 0, %%p; }"
            : "=r"(is));
    return is;
}

__SW_DEV__ void
__cluster_barrier_arrive(void)
{
    __asm__ volatile("barrier.cluster.arrive;" ::: "memory");
}
__SW_DEV__ void
__cluster_barrier_arrive_relaxed(void)
{
    __asm__ volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
}
__SW_DEV__ void
__cluster_barrier_wait(void)
{
    __asm__ volatile("barrier.cluster.wait;" ::: "memory");
}
__SW_DEV__ void
__threadfence_cluster(void)
{
    __asm__ volatile("fence.acq_rel.cluster;" ::: "memory");
}

__SW_IS_IN(__isCtaShared, "shared::cta")
__SW_IS_IN(__isClusterShared, "shared::cluster")

/* Where block `rank` has what this one has at p; which block's memory it is. */
__SW_DEV__ void *
__cluster_map_shared_rank(const void *p, unsigned rank)
{
    void *mapped;
    __asm__("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(p), "r"(rank));
    return mapped;
}
__SW_DEV__ unsigned
__cluster_query_shared_rank(const void *p)
{
    unsigned rank;
    __asm__("getctarank.u64 %0, %1;" : "=r"(rank) : "l"(p));
    return rank;
}

#define __SW_ADD_VECTOR(name, scope)                                           \
    __SW_DEV__ float2 name(float2 *p, float2 v)                                \
    {                                                                          \
        float2 old;                                                            \
        __asm__ volatile("atom." scope "global.add.v2.f32 {%0, %1}, [%2],"     \
                         " {%3, %4};"                                          \
                         : "=f"(old.x), "=f"(old.y)                            \
                         : "l"(__cvta_generic_to_global(p)), "f"(v.x),         \
                           "f"(v.y)                                            \
                         : "memory");                                          \
        return old;                                                            \
    }                                                                          \
    __SW_DEV__ float4 name(float4 *p, float4 v)                                \
    {                                                                          \
        float4 old;                                                            \
        __asm__ volatile("atom." scope "global.add.v4.f32"                     \
                         " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"          \
                         : "=f"(old.x), "=f"(old.y), "=f"(old.z), "=f"(old.w)  \
                         : "l"(__cvta_generic_to_global(p)), "f"(v.x),         \
                           "f"(v.y), "f"(v.z), "f"(v.w)                        \
                         : "memory");                                          \
        return old;                                                            \
    }
__SW_ADD_VECTOR(atomicAdd, "")
__SW_ADD_VECTOR(atomicAdd_block, "cta.")
__SW_ADD_VECTOR(atomicAdd_system, "sys.")
#undef __SW_ADD_VECTOR

#endif
