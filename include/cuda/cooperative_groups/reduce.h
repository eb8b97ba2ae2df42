/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups/reduce.h - one value of all members of a tile or a
 * coalesced group, given to every member.
 */
#ifndef SOFTWARP_COOPERATIVE_GROUPS_REDUCE_H
#define SOFTWARP_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#pragma clang system_header

namespace cooperative_groups
{
/* A tile: butterfly, so the order of operations is that of a tree. */
template <unsigned N, typename P, typename T, typename Op>
__SW_DEV__ T
reduce(const thread_block_tile<N, P> &g, T v, Op op)
{
#pragma unroll
    for (unsigned d = N / 2; d > 0; d /= 2)
        v = op(v, g.shfl_xor(v, d));
    return v;
}
/* Any number of lanes: halve what is left, member 0 has the result. */
template <typename T, typename Op>
__SW_DEV__ T
reduce(const coalesced_group &g, T v, Op op)
{
    unsigned rank = g.thread_rank();
    for (unsigned n = g.num_threads(); n > 1;) {
        unsigned half = (n + 1) / 2;
        T other = g.shfl_down(v, half);
        if (rank + half < n)
            v = op(v, other);
        n = half;
    }
    return g.shfl(v, 0);
}
#define __SW_CG_ASYNC(name, op)                                                \
    template <typename G, typename P, typename T, typename Op>                 \
    __SW_DEV__ void name##_async(const G &g, P *dst, T v, Op f)                \
    {                                                                          \
        T r = reduce(g, v, f);                                                 \
        if (g.thread_rank() == 0)                                              \
            op;                                                                \
    }
__SW_CG_ASYNC(reduce_store, *dst = r)
#undef __SW_CG_ASYNC
template <typename G, typename T>
__SW_DEV__ void
reduce_update_async(const G &g, T *dst, T v, plus<T> f)
{
    T r = reduce(g, v, f);
    if (g.thread_rank() == 0)
        atomicAdd(dst, r);
}
} // namespace cooperative_groups

#endif
