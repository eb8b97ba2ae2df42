/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cooperative_groups/memcpy_async.h - a group copies together: by cp.async to
 * shared memory where the device has that, else at once. wait() is for the
 * copies of each thread and the group's barrier.
 */
#ifndef SOFTWARP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#define SOFTWARP_COOPERATIVE_GROUPS_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#include "../softwarp/async.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

namespace cooperative_groups
{
template <typename __G>
__SW_DEV__ void
__sw_copy(const __G &g, void *to, const void *from, size_t bytes)
{
    size_t rank = g.thread_rank(), n = g.num_threads();
#if __SW_HAS_ASYNC
    size_t unit = ((size_t)to | (size_t)from | bytes) & 15;
    unit = unit == 0 ? 16 : unit % 8 == 0 ? 8 : unit % 4 == 0 ? 4 : 0;
    if (unit && __sw_may_copy(to, from))
        for (size_t i = rank; i < bytes / unit; i += n)
            __sw_copy_async((char *)to + i * unit,
                            (const char *)from + i * unit, unit, 0);
    __sw_commit_async(); /* each call is a stage */
    if (unit && __sw_may_copy(to, from))
        return;
#endif
    if ((((size_t)to | (size_t)from | bytes) & 3) == 0) {
        for (size_t i = rank; i < bytes / 4; i += n)
            ((unsigned *)to)[i] = ((const unsigned *)from)[i];
    } else {
        for (size_t i = rank; i < bytes; i += n)
            ((char *)to)[i] = ((const char *)from)[i];
    }
}
/* `bytes` bytes. */
template <typename __G, typename T>
__SW_DEV__ void
memcpy_async(const __G &g, T *to, const T *from, size_t bytes)
{
    __sw_copy(g, to, from, bytes);
}
template <typename __G, typename T, typename __U>
__SW_DEV__ void
memcpy_async(const __G &g, T *to, const __U *from, size_t bytes)
{
    __sw_copy(g, to, from, bytes);
}
/* The smaller of two numbers of elements. */
template <typename __G, typename T>
__SW_DEV__ void
memcpy_async(const __G &g, T *to, size_t to_count, const T *from,
             size_t from_count)
{
    size_t n = to_count < from_count ? to_count : from_count;
    __sw_copy(g, to, from, n * sizeof(T));
}
template <typename __G>
__SW_DEV__ void
wait(const __G &g)
{
#if __SW_HAS_ASYNC
    __sw_wait_async(0);
#endif
    g.sync();
}
template <unsigned Stages, typename __G>
__SW_DEV__ void
wait_prior(const __G &g)
{
#if __SW_HAS_ASYNC
    __sw_wait_async(Stages);
#endif
    g.sync();
}
} // namespace cooperative_groups

#endif
#endif
