/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/common.h - the few macros all device headers share. Every device
 * function is static and inline, so what a program does not call costs it
 * nothing. Needs nothing from the other headers.
 */
#ifndef SOFTWARP_COMMON_H
#define SOFTWARP_COMMON_H
#pragma GCC system_header

/* A small device function, always inlined; a big one, where clang decides;
 * one for both sides. Their instructions count as those of the line that
 * calls them. */
#ifdef __CUDA__
#define __SW_DEV__                                                             \
    static __attribute__((device, always_inline, unused, nodebug)) inline
#define __SW_DEV_BIG__ static __attribute__((device, unused, nodebug)) inline
#define __SW_HD__                                                              \
    static __attribute__((host, device, always_inline, unused, nodebug)) inline
#else /* a host compiler: what is for both sides is there */
#define __SW_HD__ static __attribute__((unused)) inline
#endif

#ifdef __CUDA__
/* A function that says whether an address is in that space (PTX's name). */
#define __SW_IS_IN(name, space)                                                \
    __SW_DEV__ unsigned name(const void *p)                                    \
    {                                                                          \
        unsigned is;                                                           \
        __asm__("{ .reg .pred %%p; isspacep." space " %%p, %1;"                \
                " selp.u32 %0, 1, 0, %%p; }"                                   \
                : "=r"(is)                                                     \
                : "l"(p));                                                     \
        return is;                                                             \
    }

#endif
typedef unsigned long long __sw_u64;
typedef long long __sw_s64;

#ifdef __CUDA__
/* Are subnormal floats flushed? Known to the back end only; folds away. */
__SW_DEV__ bool
__sw_ftz(void)
{
    return __nvvm_reflect("__CUDA_FTZ") != 0;
}
#endif

#endif
