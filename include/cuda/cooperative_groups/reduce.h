/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups/reduce.h - one value of all members of a tile or a
 * coalesced group, given to every member or to memory.
 */
#ifndef SOFTWARP_COOPERATIVE_GROUPS_REDUCE_H
#define SOFTWARP_COOPERATIVE_GROUPS_REDUCE_H
#include "../cooperative_groups.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

namespace cooperative_groups
{
/* A tile: butterfly, so the order of operations is that of a tree. */
template <unsigned __N, typename __P, typename T, typename Op>
__SW_DEV__ typename details::only_if<(__N <= 32), T>::type
reduce(const thread_block_tile<__N, __P> &g, T v, Op op)
{
#pragma unroll
    for (unsigned d = __N / 2; d > 0; d /= 2)
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
/* Several warps: each reduces its own, then all do theirs. */
template <unsigned __N, typename __P, typename T, typename Op>
__SW_DEV__ typename details::only_if<(__N > 32), T>::type
reduce(const thread_block_tile<__N, __P> &g, T v, Op op)
{
    v = reduce(thread_block_tile<32>(g, 0), v, op);
    return g.__sw_of_warps(v, 0, [&op](T *w, unsigned n) {
        T r = w[0];
        for (unsigned i = 1; i < n; i++)
            r = op(r, w[i]);
        return r;
    });
}

/* The result goes to memory, or changes an atomic object there. */
template <typename __G, typename T, typename __V, typename Op>
__SW_DEV__ void
reduce_store_async(const __G &g, T *to, __V &&v, Op &&op)
{
    T r = reduce(g, (T)v, op);
    if (g.thread_rank() == 0)
        *to = r;
}
template <typename __G, typename __A, typename __V, typename Op>
__SW_DEV__ auto
reduce_update_async(const __G &g, __A &to, __V &&v, Op &&op)
    -> decltype(to.load(), void())
{
    decltype(to.load()) r = reduce(g, (decltype(to.load()))v, op);
    if (g.thread_rank() == 0)
        (void)__sw_update(to, r, op);
}
} // namespace cooperative_groups

#endif
#endif
