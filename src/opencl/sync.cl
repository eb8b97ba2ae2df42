/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.cl - barriers and fences (OpenCL C 3.0, 6.15.8 and 6.15.12.5), copies
 * between global and local memory (6.15.11), prefetch. What lanes write is seen
 * by their block behind a barrier whatever memory its flags name.
 */
#include "library.clh"

SYNC void
barrier(cl_mem_fence_flags flags)
{
    __nvvm_bar_sync(0);
}

SYNC void
work_group_barrier(cl_mem_fence_flags flags)
{
    __nvvm_bar_sync(0);
}

SYNC void
work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    if (scope == memory_scope_device || scope == memory_scope_all_svm_devices)
        __nvvm_membar_sys();
    __nvvm_bar_sync(0);
}

SYNC void
sub_group_barrier(cl_mem_fence_flags flags)
{
    __nvvm_bar_warp_sync(~0u);
}

SYNC void
sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    if (scope == memory_scope_device || scope == memory_scope_all_svm_devices)
        __nvvm_membar_sys();
    else if (scope == memory_scope_work_group)
        __nvvm_membar_cta();
    __nvvm_bar_warp_sync(~0u);
}

OVER void
mem_fence(cl_mem_fence_flags flags)
{
    __nvvm_membar_cta();
}

OVER void
read_mem_fence(cl_mem_fence_flags flags)
{
    __nvvm_membar_cta();
}

OVER void
write_mem_fence(cl_mem_fence_flags flags)
{
    __nvvm_membar_cta();
}

/* ---- copies: done when the call returns, up to the barrier ---- */

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
