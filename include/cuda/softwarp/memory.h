/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/memory.h - loads and stores that say how to cache:
 * __ldg, __ldcg, __ldca, __ldcs, __ldlu, __ldcv, __stwb, __stcg, __stcs and
 * __stwt, for all scalar and vector types. Needs the vector types.
 */
#ifndef SOFTWARP_MEMORY_H
#define SOFTWARP_MEMORY_H
#include "common.h"
#pragma GCC system_header

/* One type: T, then PTX's type suffix, asm constraint and a carrier that the
 * constraint takes. */
#define __SW_LD1(name, ptx, clobber, T, suffix, c, R)                          \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R r;                                                                   \
        __asm__ volatile(ptx suffix " %0, [%1];"                               \
                         : "=" c(r)                                            \
                         : "l"(p)                                              \
                         : clobber);                                           \
        return (T)r;                                                           \
    }
#define __SW_LD2(name, ptx, clobber, T, E, suffix, c, R)                       \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R x, y;                                                                \
        __asm__ volatile(ptx ".v2" suffix " {%0, %1}, [%2];"                   \
                         : "=" c(x), "=" c(y)                                  \
                         : "l"(p)                                              \
                         : clobber);                                           \
        T r;                                                                   \
        r.x = (E)x, r.y = (E)y;                                                \
        return r;                                                              \
    }
#define __SW_LD4(name, ptx, clobber, T, E, suffix, c, R)                       \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R x, y, z, w;                                                          \
        __asm__ volatile(ptx ".v4" suffix " {%0, %1, %2, %3}, [%4];"           \
                         : "=" c(x), "=" c(y), "=" c(z), "=" c(w)              \
                         : "l"(p)                                              \
                         : clobber);                                           \
        T r;                                                                   \
        r.x = (E)x, r.y = (E)y, r.z = (E)z, r.w = (E)w;                        \
        return r;                                                              \
    }
#define __SW_ST1(name, ptx, T, suffix, c, R)                                   \
    __SW_DEV__ void name(T *p, T v)                                            \
    {                                                                          \
        __asm__ volatile(ptx suffix " [%0], %1;" ::"l"(p), c((R)v)             \
                         : "memory");                                          \
    }
#define __SW_ST2(name, ptx, T, E, suffix, c, R)                                \
    __SW_DEV__ void name(T *p, T v)                                            \
    {                                                                          \
        __asm__ volatile(ptx ".v2" suffix " [%0], {%1, %2};" ::"l"(p),         \
                         c((R)v.x), c((R)v.y)                                  \
                         : "memory");                                          \
    }
#define __SW_ST4(name, ptx, T, E, suffix, c, R)                                \
    __SW_DEV__ void name(T *p, T v)                                            \
    {                                                                          \
        __asm__ volatile(ptx ".v4" suffix " [%0], {%1, %2, %3, %4};" ::"l"(p), \
                         c((R)v.x), c((R)v.y), c((R)v.z), c((R)v.w)            \
                         : "memory");                                          \
    }

/* All types: F1, F2, F4 are applied to one, two and four elements. */
#define __SW_TYPES(F1, F2, F4, ...)                                            \
    F1(__VA_ARGS__, char, ".s8", "r", int)                                     \
    F1(__VA_ARGS__, signed char, ".s8", "r", int)                              \
    F1(__VA_ARGS__, unsigned char, ".u8", "r", unsigned)                       \
    F1(__VA_ARGS__, short, ".s16", "h", short)                                 \
    F1(__VA_ARGS__, unsigned short, ".u16", "h", unsigned short)               \
    F1(__VA_ARGS__, int, ".s32", "r", int)                                     \
    F1(__VA_ARGS__, unsigned, ".u32", "r", unsigned)                           \
    F1(__VA_ARGS__, long, ".s64", "l", long)                                   \
    F1(__VA_ARGS__, unsigned long, ".u64", "l", unsigned long)                 \
    F1(__VA_ARGS__, long long, ".s64", "l", long long)                         \
    F1(__VA_ARGS__, unsigned long long, ".u64", "l", unsigned long long)       \
    F1(__VA_ARGS__, float, ".f32", "f", float)                                 \
    F1(__VA_ARGS__, double, ".f64", "d", double)                               \
    F2(__VA_ARGS__, char2, signed char, ".s8", "r", int)                       \
    F2(__VA_ARGS__, uchar2, unsigned char, ".u8", "r", unsigned)               \
    F2(__VA_ARGS__, short2, short, ".s16", "h", short)                         \
    F2(__VA_ARGS__, ushort2, unsigned short, ".u16", "h", unsigned short)      \
    F2(__VA_ARGS__, int2, int, ".s32", "r", int)                               \
    F2(__VA_ARGS__, uint2, unsigned, ".u32", "r", unsigned)                    \
    F2(__VA_ARGS__, longlong2, long long, ".s64", "l", long long)              \
    F2(__VA_ARGS__, ulonglong2, unsigned long long, ".u64", "l",               \
       unsigned long long)                                                     \
    F2(__VA_ARGS__, float2, float, ".f32", "f", float)                         \
    F2(__VA_ARGS__, double2, double, ".f64", "d", double)                      \
    F4(__VA_ARGS__, char4, signed char, ".s8", "r", int)                       \
    F4(__VA_ARGS__, uchar4, unsigned char, ".u8", "r", unsigned)               \
    F4(__VA_ARGS__, short4, short, ".s16", "h", short)                         \
    F4(__VA_ARGS__, ushort4, unsigned short, ".u16", "h", unsigned short)      \
    F4(__VA_ARGS__, int4, int, ".s32", "r", int)                               \
    F4(__VA_ARGS__, uint4, unsigned, ".u32", "r", unsigned)                    \
    F4(__VA_ARGS__, float4, float, ".f32", "f", float)

/* ld.global.nc came with compute capability 3.5; before, a plain load. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 350
#define __SW_LDG1(name, ptx, clobber, T, suffix, c, R)                         \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        return *p;                                                             \
    }
#define __SW_LDG24(name, ptx, clobber, T, E, suffix, c, R)                     \
    __SW_LDG1(name, ptx, clobber, T, suffix, c, R)
__SW_TYPES(__SW_LDG1, __SW_LDG24, __SW_LDG24, __ldg, "ld.global", )
#undef __SW_LDG1
#undef __SW_LDG24
#else
/* Not volatile and no clobber: what __ldg reads does not change. */
#define __SW_LDG1(name, T, suffix, c, R)                                       \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R r;                                                                   \
        __asm__("ld.global.nc" suffix " %0, [%1];" : "=" c(r) : "l"(p));       \
        return (T)r;                                                           \
    }
#define __SW_LDG2(name, T, E, suffix, c, R)                                    \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R x, y;                                                                \
        __asm__("ld.global.nc.v2" suffix " {%0, %1}, [%2];"                    \
                : "=" c(x), "=" c(y)                                           \
                : "l"(p));                                                     \
        T r;                                                                   \
        r.x = (E)x, r.y = (E)y;                                                \
        return r;                                                              \
    }
#define __SW_LDG4(name, T, E, suffix, c, R)                                    \
    __SW_DEV__ T name(const T *p)                                              \
    {                                                                          \
        R x, y, z, w;                                                          \
        __asm__("ld.global.nc.v4" suffix " {%0, %1, %2, %3}, [%4];"            \
                : "=" c(x), "=" c(y), "=" c(z), "=" c(w)                       \
                : "l"(p));                                                     \
        T r;                                                                   \
        r.x = (E)x, r.y = (E)y, r.z = (E)z, r.w = (E)w;                        \
        return r;                                                              \
    }
__SW_TYPES(__SW_LDG1, __SW_LDG2, __SW_LDG4, __ldg)
#undef __SW_LDG1
#undef __SW_LDG2
#undef __SW_LDG4
#endif
__SW_TYPES(__SW_LD1, __SW_LD2, __SW_LD4, __ldca, "ld.global.ca", )
__SW_TYPES(__SW_LD1, __SW_LD2, __SW_LD4, __ldcg, "ld.global.cg", )
__SW_TYPES(__SW_LD1, __SW_LD2, __SW_LD4, __ldcs, "ld.global.cs", )
__SW_TYPES(__SW_LD1, __SW_LD2, __SW_LD4, __ldlu, "ld.global.lu", "memory")
__SW_TYPES(__SW_LD1, __SW_LD2, __SW_LD4, __ldcv, "ld.global.cv", "memory")
__SW_TYPES(__SW_ST1, __SW_ST2, __SW_ST4, __stwb, "st.global.wb")
__SW_TYPES(__SW_ST1, __SW_ST2, __SW_ST4, __stcg, "st.global.cg")
__SW_TYPES(__SW_ST1, __SW_ST2, __SW_ST4, __stcs, "st.global.cs")
__SW_TYPES(__SW_ST1, __SW_ST2, __SW_ST4, __stwt, "st.global.wt")

#undef __SW_TYPES
#undef __SW_LD1
#undef __SW_LD2
#undef __SW_LD4
#undef __SW_ST1
#undef __SW_ST2
#undef __SW_ST4
/* How to cache what the pointer points to: a hint, without effect here. */
__SW_DEV__ void *
__nv_associate_access_property(const void *p, unsigned long long)
{
    return (void *)p;
}

#endif
