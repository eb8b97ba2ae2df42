/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sync.cl - barriers and fences (OpenCL C 3.0, 6.15.8 and 6.15.12.5). What
 * lanes write is seen by their block behind a barrier whatever memory its flags
 * name.
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

/* ---- which memory a generic pointer is for ---- */

static INLINE bool
is_local(const void *p)
{
    uint is;
    __asm__("{ .reg .pred %%q; isspacep.shared %%q, %1; selp.u32 %0, 1, 0, %%q; }"
            : "=r"(is)
            : "l"(p));
    return is;
}
static INLINE bool
is_private(const void *p)
{
    uint is;
    __asm__("{ .reg .pred %%q; isspacep.local %%q, %1; selp.u32 %0, 1, 0, %%q; }"
            : "=r"(is)
            : "l"(p));
    return is;
}

OVER cl_mem_fence_flags
get_fence(const void *p)
{
    return is_local(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}
OVER cl_mem_fence_flags
get_fence(void *p)
{
    return is_local(p) ? CLK_LOCAL_MEM_FENCE : CLK_GLOBAL_MEM_FENCE;
}

/*
 * clang calls these for to_global and its kind. Casts would become ones between
 * kinds of memory where the pointer's own is known.
 */
#define CAST(space, instruction, condition)                                    \
    space void *__to_##space(void *p);                                         \
    space void *__to_##space(void *p)                                          \
    {                                                                          \
        ulong to;                                                              \
        __asm__(instruction " %0, %1;" : "=l"(to) : "l"(p));                   \
        return condition ? (space void *)to : (space void *)0;                 \
    }
CAST(global, "cvta.to.global.u64", !is_local(p) && !is_private(p))
CAST(local, "cvta.to.shared.u64", is_local(p))
CAST(private, "mov.b64", is_private(p))
