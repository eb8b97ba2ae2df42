/* SPDX-License-Identifier: Apache-2.0 */
/*
 * async.cl - copies between global and local memory, prefetch (OpenCL C 3.0,
 * 6.15.11). A copy is done when the call returns, up to the barrier of
 * wait_group_events.
 */
#include "library.clh"

OVER void
wait_group_events(int count, event_t *events)
{
    __nvvm_bar_sync(0);
}

#define NUMBER                                                                 \
    ((get_local_id(2) * get_local_size(1) + get_local_id(1)) *                 \
         get_local_size(0) +                                                   \
     get_local_id(0))
#define GROUP (get_local_size(0) * get_local_size(1) * get_local_size(2))

/* By all work-items of the group; the source or the target has gaps. */
#define COPIES(T)                                                              \
    OVER event_t async_work_group_copy(local T *to, const global T *from,      \
                                       size_t count, event_t event)            \
    {                                                                          \
        for (size_t i = NUMBER, step = GROUP; i < count; i += step)            \
            to[i] = from[i];                                                   \
        return event;                                                          \
    }                                                                          \
    OVER event_t async_work_group_copy(global T *to, const local T *from,      \
                                       size_t count, event_t event)            \
    {                                                                          \
        for (size_t i = NUMBER, step = GROUP; i < count; i += step)            \
            to[i] = from[i];                                                   \
        return event;                                                          \
    }                                                                          \
    OVER event_t async_work_group_strided_copy(                                \
        local T *to, const global T *from, size_t count, size_t stride,        \
        event_t event)                                                         \
    {                                                                          \
        for (size_t i = NUMBER, step = GROUP; i < count; i += step)            \
            to[i] = from[i * stride];                                          \
        return event;                                                          \
    }                                                                          \
    OVER event_t async_work_group_strided_copy(                                \
        global T *to, const local T *from, size_t count, size_t stride,        \
        event_t event)                                                         \
    {                                                                          \
        for (size_t i = NUMBER, step = GROUP; i < count; i += step)            \
            to[i * stride] = from[i];                                          \
        return event;                                                          \
    }                                                                          \
    OVER void prefetch(const global T *p, size_t count)                        \
    {                                                                          \
    }
#define COPIES_OF(n, T) COPIES(T##n)
#define ALL_COPIES(T)                                                          \
    COPIES(T)                                                                  \
    WIDTHS(COPIES_OF, T)
ALL_COPIES(char)
ALL_COPIES(uchar)
ALL_COPIES(short)
ALL_COPIES(ushort)
ALL_COPIES(int)
ALL_COPIES(uint)
ALL_COPIES(long)
ALL_COPIES(ulong)
ALL_COPIES(half)
ALL_COPIES(float)
ALL_COPIES(double)
