/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups/scan.h - running results over the members of a tile or a
 * coalesced group: inclusive of the own value, or of those before it.
 */
#ifndef SOFTWARP_COOPERATIVE_GROUPS_SCAN_H
#define SOFTWARP_COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

namespace cooperative_groups
{
template <typename __G, typename T, typename Op>
__SW_DEV__ T
inclusive_scan(const __G &g, T v, Op op)
{
    unsigned rank = g.thread_rank();
    for (unsigned d = 1; d < g.num_threads(); d *= 2) {
        T before = g.shfl_up(v, d);
        if (rank >= d)
            v = op(before, v);
    }
    return v;
}
/* Several warps: each scans its own, what comes before them goes in front. */
template <unsigned __N, typename __P, typename T, typename Op>
__SW_DEV__ typename details::only_if<(__N > 32), T>::type
inclusive_scan(const thread_block_tile<__N, __P> &g, T v, Op op)
{
    v = inclusive_scan(thread_block_tile<32>(g, 0), v, op);
    unsigned own = g.thread_rank() / 32;
    return g.__sw_of_warps(v, 31, [v, own, &op](T *w, unsigned) {
        T before = w[0];
        for (unsigned i = 1; i < own; i++)
            before = op(before, w[i]);
        return own ? op(before, v) : v;
    });
}
template <typename __G, typename T>
__SW_DEV__ T
inclusive_scan(const __G &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
/* The first member gets T(). */
template <typename __G, typename T, typename Op>
__SW_DEV__ T
exclusive_scan(const __G &g, T v, Op op)
{
    T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <unsigned __N, typename __P, typename T, typename Op>
__SW_DEV__ typename details::only_if<(__N > 32), T>::type
exclusive_scan(const thread_block_tile<__N, __P> &g, T v, Op op)
{
    thread_block_tile<32> warp(g, 0);
    v = inclusive_scan(warp, v, op);
    T within = warp.shfl_up(v, 1);
    unsigned own = g.thread_rank() / 32;
    bool first = warp.thread_rank() == 0;
    return g.__sw_of_warps(v, 31, [within, own, first, &op](T *w, unsigned) {
        if (own == 0)
            return first ? T() : within;
        T before = w[0];
        for (unsigned i = 1; i < own; i++)
            before = op(before, w[i]);
        return first ? before : op(before, within);
    });
}
template <typename __G, typename T>
__SW_DEV__ T
exclusive_scan(const __G &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}

/*
 * The group's members follow each other from what the atomic object holds,
 * which becomes what the last of them has reached.
 */
template <typename __G, typename __A, typename __V, typename Op>
__SW_DEV__ auto
inclusive_scan_update(const __G &g, __A &to, __V &&v, Op op)
    -> decltype(to.load())
{
    decltype(to.load()) r = inclusive_scan(g, (decltype(to.load()))v, op), old;
    unsigned last = g.num_threads() - 1;
    if (g.thread_rank() == last)
        old = __sw_update(to, r, op);
    old = g.shfl(old, last);
    return op(old, r);
}
template <typename __G, typename __A, typename __V>
__SW_DEV__ auto
inclusive_scan_update(const __G &g, __A &to, __V &&v) -> decltype(to.load())
{
    return inclusive_scan_update(g, to, v, plus<decltype(to.load())>());
}
template <typename __G, typename __A, typename __V, typename Op>
__SW_DEV__ auto
exclusive_scan_update(const __G &g, __A &to, __V &&v, Op op)
    -> decltype(to.load())
{
    using T = decltype(to.load());
    T r = inclusive_scan(g, (T)v, op), old;
    unsigned last = g.num_threads() - 1;
    if (g.thread_rank() == last)
        old = __sw_update(to, r, op);
    old = g.shfl(old, last);
    T before = exclusive_scan(g, (T)v, op);
    return g.thread_rank() == 0 ? old : op(old, before);
}
template <typename __G, typename __A, typename __V>
__SW_DEV__ auto
exclusive_scan_update(const __G &g, __A &to, __V &&v) -> decltype(to.load())
{
    return exclusive_scan_update(g, to, v, plus<decltype(to.load())>());
}
} // namespace cooperative_groups

#endif
#endif
