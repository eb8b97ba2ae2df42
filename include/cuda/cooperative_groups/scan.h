/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups/scan.h - running results over the members of a tile or a
 * coalesced group: inclusive of the own value, or of those before it.
 */
#ifndef SOFTWARP_COOPERATIVE_GROUPS_SCAN_H
#define SOFTWARP_COOPERATIVE_GROUPS_SCAN_H
#include "../cooperative_groups.h"
#pragma clang system_header

namespace cooperative_groups
{
template <typename G, typename T, typename Op>
__SW_DEV__ T
inclusive_scan(const G &g, T v, Op op)
{
    unsigned rank = g.thread_rank();
    for (unsigned d = 1; d < g.num_threads(); d *= 2) {
        T before = g.shfl_up(v, d);
        if (rank >= d)
            v = op(before, v);
    }
    return v;
}
template <typename G, typename T>
__SW_DEV__ T
inclusive_scan(const G &g, T v)
{
    return inclusive_scan(g, v, plus<T>());
}
/* The first member gets T(). */
template <typename G, typename T, typename Op>
__SW_DEV__ T
exclusive_scan(const G &g, T v, Op op)
{
    T before = g.shfl_up(inclusive_scan(g, v, op), 1);
    return g.thread_rank() == 0 ? T() : before;
}
template <typename G, typename T>
__SW_DEV__ T
exclusive_scan(const G &g, T v)
{
    return exclusive_scan(g, v, plus<T>());
}
} // namespace cooperative_groups

#endif
