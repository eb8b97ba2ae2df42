/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/sync.h - barriers, fences, votes, shuffles, matches and warp
 * reductions. The old forms without a mask act on the lanes that are active.
 */
#ifndef SOFTWARP_SYNC_H
#define SOFTWARP_SYNC_H
#include "common.h"
#pragma GCC system_header

/* __syncthreads() itself is known to the compiler. */
__SW_DEV__ int
__syncthreads_count(int p)
{
    return __nvvm_bar0_popc(p);
}
__SW_DEV__ int
__syncthreads_and(int p)
{
    return __nvvm_bar0_and(p);
}
__SW_DEV__ int
__syncthreads_or(int p)
{
    return __nvvm_bar0_or(p);
}
__SW_DEV__ void
__threadfence_block(void)
{
    __nvvm_membar_cta();
}
__SW_DEV__ void
__threadfence(void)
{
    __nvvm_membar_gl();
}
__SW_DEV__ void
__threadfence_system(void)
{
    __nvvm_membar_sys();
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
__SW_DEV__ void
__syncwarp(unsigned mask = 0xffffffffu)
{
    __nvvm_bar_warp_sync(mask);
}
__SW_DEV__ unsigned
__activemask(void)
{
    return __nvvm_activemask();
}
__SW_DEV__ int
__all_sync(unsigned mask, int p)
{
    return __nvvm_vote_all_sync(mask, p);
}
__SW_DEV__ int
__any_sync(unsigned mask, int p)
{
    return __nvvm_vote_any_sync(mask, p);
}
__SW_DEV__ int
__uni_sync(unsigned mask, int p)
{
    return __nvvm_vote_uni_sync(mask, p);
}
__SW_DEV__ unsigned
__ballot_sync(unsigned mask, int p)
{
    return __nvvm_vote_ballot_sync(mask, p);
}
__SW_DEV__ int
__all(int p)
{
    return __nvvm_vote_all_sync(__nvvm_activemask(), p);
}
__SW_DEV__ int
__any(int p)
{
    return __nvvm_vote_any_sync(__nvvm_activemask(), p);
}
__SW_DEV__ unsigned
__ballot(int p)
{
    return __nvvm_vote_ballot_sync(__nvvm_activemask(), p);
}
__SW_DEV__ void
__barrier_sync(unsigned id)
{
    __nvvm_barrier_sync(id);
}
__SW_DEV__ void
__barrier_sync_count(unsigned id, unsigned n)
{
    __nvvm_barrier_sync_cnt(id, n);
}
__SW_DEV__ unsigned
__fns(unsigned mask, unsigned base, int offset)
{
    return (unsigned)__nvvm_fns((int)mask, (int)base, offset);
}

/* Shuffles. PTX's last operand holds the segment mask (bits 8..12) and the
 * clamp (bits 0..4). Wider values travel as two halves. L is the type of what
 * names the lane: all overloads, those of half too, have the same. */
#define __SW_SHFL(kind, op, clamp, L)                                          \
    __SW_DEV__ int __shfl##kind##_sync(unsigned mask, int v, L lane,           \
                                       int width = 32)                         \
    {                                                                          \
        return __nvvm_shfl_sync_##op##_i32(mask, v, (int)lane,                 \
                                           ((32 - width) << 8) | clamp);       \
    }                                                                          \
    __SW_DEV__ unsigned __shfl##kind##_sync(unsigned mask, unsigned v,         \
                                            L lane, int width = 32)            \
    {                                                                          \
        return (unsigned)__shfl##kind##_sync(mask, (int)v, lane, width);       \
    }                                                                          \
    __SW_DEV__ float __shfl##kind##_sync(unsigned mask, float v,               \
                                         L lane, int width = 32)               \
    {                                                                          \
        return __nvvm_shfl_sync_##op##_f32(mask, v, (int)lane,                 \
                                           ((32 - width) << 8) | clamp);       \
    }                                                                          \
    __SW_DEV__ unsigned long long __shfl##kind##_sync(                         \
        unsigned mask, unsigned long long v, L lane, int width = 32)           \
    {                                                                          \
        unsigned lo = __shfl##kind##_sync(mask, (unsigned)v, lane, width);     \
        unsigned hi =                                                          \
            __shfl##kind##_sync(mask, (unsigned)(v >> 32), lane, width);       \
        return (unsigned long long)hi << 32 | lo;                              \
    }                                                                          \
    __SW_DEV__ long long __shfl##kind##_sync(unsigned mask, long long v,       \
                                             L lane, int width = 32)           \
    {                                                                          \
        return (long long)__shfl##kind##_sync(mask, (unsigned long long)v,     \
                                              lane, width);                    \
    }                                                                          \
    __SW_DEV__ unsigned long __shfl##kind##_sync(                              \
        unsigned mask, unsigned long v, L lane, int width = 32)                \
    {                                                                          \
        return (unsigned long)__shfl##kind##_sync(mask, (unsigned long long)v, \
                                                  lane, width);                \
    }                                                                          \
    __SW_DEV__ long __shfl##kind##_sync(unsigned mask, long v, L lane,         \
                                        int width = 32)                        \
    {                                                                          \
        return (long)__shfl##kind##_sync(mask, (unsigned long long)v, lane,    \
                                         width);                               \
    }                                                                          \
    __SW_DEV__ double __shfl##kind##_sync(unsigned mask, double v,             \
                                          L lane, int width = 32)              \
    {                                                                          \
        return __builtin_bit_cast(                                             \
            double, __shfl##kind##_sync(                                       \
                        mask, __builtin_bit_cast(unsigned long long, v), lane, \
                        width));                                               \
    }
/* The old forms: functions of these types, not of any type, so that programs may
 * have ones of their own for others. */
#define __SW_SHFL_OLD(kind, L, T)                                              \
    __SW_DEV__ T __shfl##kind(T v, L lane, int width = 32)                     \
    {                                                                          \
        return __shfl##kind##_sync(__nvvm_activemask(), v, lane, width);       \
    }
#define __SW_SHFL_OLD_ALL(kind, L)                                             \
    __SW_SHFL_OLD(kind, L, int)                                                \
    __SW_SHFL_OLD(kind, L, unsigned)                                           \
    __SW_SHFL_OLD(kind, L, long)                                               \
    __SW_SHFL_OLD(kind, L, unsigned long)                                      \
    __SW_SHFL_OLD(kind, L, long long)                                          \
    __SW_SHFL_OLD(kind, L, unsigned long long)                                 \
    __SW_SHFL_OLD(kind, L, float)                                              \
    __SW_SHFL_OLD(kind, L, double)

__SW_SHFL(, idx, 0x1f, int)
__SW_SHFL(_up, up, 0, unsigned)
__SW_SHFL(_down, down, 0x1f, unsigned)
__SW_SHFL(_xor, bfly, 0x1f, int)
__SW_SHFL_OLD_ALL(, int)
__SW_SHFL_OLD_ALL(_up, unsigned)
__SW_SHFL_OLD_ALL(_down, unsigned)
__SW_SHFL_OLD_ALL(_xor, int)
#undef __SW_SHFL_OLD_ALL
#undef __SW_SHFL_OLD
#undef __SW_SHFL
#else
__SW_DEV__ int
__all(int p)
{
    return __nvvm_vote_all(p);
}
__SW_DEV__ int
__any(int p)
{
    return __nvvm_vote_any(p);
}
__SW_DEV__ unsigned
__ballot(int p)
{
    return __nvvm_vote_ballot(p);
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
/* Matches compare bits: 32 or 64 of them. */
#define __SW_MATCH(type, raw, bits)                                            \
    __SW_DEV__ unsigned __match_any_sync(unsigned mask, type v)                \
    {                                                                          \
        return __nvvm_match_any_sync_i##bits(mask,                             \
                                             __builtin_bit_cast(raw, v));      \
    }                                                                          \
    __SW_DEV__ unsigned __match_all_sync(unsigned mask, type v, int *pred)     \
    {                                                                          \
        return __nvvm_match_all_sync_i##bits##p(                               \
            mask, __builtin_bit_cast(raw, v), pred);                           \
    }
__SW_MATCH(int, unsigned, 32)
__SW_MATCH(unsigned, unsigned, 32)
__SW_MATCH(float, unsigned, 32)
__SW_MATCH(long, long, 64)
__SW_MATCH(unsigned long, long, 64)
__SW_MATCH(long long, long, 64)
__SW_MATCH(unsigned long long, long, 64)
__SW_MATCH(double, long, 64)
#undef __SW_MATCH
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __SW_REDUX(name, type, op)                                             \
    __SW_DEV__ type __reduce_##name##_sync(unsigned mask, type v)              \
    {                                                                          \
        return (type)__nvvm_redux_sync_##op((int)v, (int)mask);                \
    }
__SW_REDUX(add, int, add)
__SW_REDUX(add, unsigned, add)
__SW_REDUX(min, int, min)
__SW_REDUX(min, unsigned, umin)
__SW_REDUX(max, int, max)
__SW_REDUX(max, unsigned, umax)
__SW_REDUX(and, unsigned, and)
__SW_REDUX(or, unsigned, or)
__SW_REDUX(xor, unsigned, xor)
#undef __SW_REDUX
#endif

/* ---- grids that begin before the one ahead has ended ---- */

/* Waits for the grids that this one depends on. */
__SW_DEV__ void
cudaGridDependencySynchronize(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
/* Lets the grids that depend on this one begin. */
__SW_DEV__ void
cudaTriggerProgrammaticLaunchCompletion(void)
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Counts an event of a profiler's, 0 to 15. */
#define __prof_trigger(event) asm volatile("pmevent " #event ";")

#endif
