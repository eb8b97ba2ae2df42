/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/libc.h - the pieces of the C library that kernels may call:
 * printf, assert, malloc and free, memory moves, clocks, traps. What the
 * device itself provides (vprintf, __assertfail, malloc, free) is only
 * declared. operator new and delete come with clang's <new>.
 */
#ifndef SOFTWARP_LIBC_H
#define SOFTWARP_LIBC_H
#include "common.h"
#include "heap_decls.h"
#ifdef __CUDACC_RTC__
#include "rtc.h"
#else
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#endif
#pragma GCC system_header

extern "C" {
/* The compiler turns printf into vprintf with the arguments in a buffer. */
__attribute__((device)) int vprintf(const char *format, const char *args);
__attribute__((device)) int printf(const char *format, ...);
__attribute__((device, noreturn)) void
__assertfail(const char *expression, const char *file, unsigned line,
             const char *function, size_t char_bytes);
}
/* operator new and delete: need the two of heap_decls.h. */
#ifdef __CUDACC_RTC__
#include "rtc_new.h"
#else
#include <new>
#endif

/* What the assert macro of the C library calls. */
__attribute__((device, noreturn, unused)) static inline void
__assert_fail(const char *expression, const char *file, unsigned line,
              const char *function)
{
    __assertfail(expression, file, line, function, 1);
}

__SW_DEV__ void *
memcpy(void *to, const void *from, size_t bytes)
{
    return __builtin_memcpy(to, from, bytes);
}
__SW_DEV__ void *
memset(void *to, int value, size_t bytes)
{
    return __builtin_memset(to, value, bytes);
}
__SW_DEV__ void *
memmove(void *to, const void *from, size_t bytes)
{
    char *t = (char *)to;
    const char *f = (const char *)from;
    if (t <= f)
        for (size_t i = 0; i < bytes; i++)
            t[i] = f[i];
    else
        for (size_t i = bytes; i-- > 0;)
            t[i] = f[i];
    return to;
}

__SW_DEV__ clock_t
clock(void)
{
    return __nvvm_read_ptx_sreg_clock();
}
__SW_DEV__ long long
clock64(void)
{
    return __nvvm_read_ptx_sreg_clock64();
}
__SW_DEV__ unsigned long long
__globaltimer(void)
{
    unsigned long long t;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__SW_DEV__ void
__nanosleep(unsigned ns)
{
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns));
}
__SW_DEV__ void
__trap(void)
{
    __asm__ volatile("trap;");
}
__SW_DEV__ void
__brkpt(int = 0)
{
    __asm__ volatile("brkpt;");
}
/* Counts an event for a profiler; the counter must be a constant. */
#define __prof_trigger(counter) __asm__ volatile("pmevent \t%0;" ::"n"(counter))

__SW_DEV__ unsigned
__isGlobal(const void *p)
{
    return __nvvm_isspacep_global(p);
}
__SW_DEV__ unsigned
__isShared(const void *p)
{
    return __nvvm_isspacep_shared(p);
}
__SW_DEV__ unsigned
__isConstant(const void *p)
{
    return __nvvm_isspacep_const(p);
}
__SW_DEV__ unsigned
__isLocal(const void *p)
{
    return __nvvm_isspacep_local(p);
}

/* A parameter of the kernel, which is __grid_constant__. */
__SW_IS_IN(__isGridConstant, "param")
__SW_DEV__ size_t
__cvta_generic_to_grid_constant(const void *p)
{
    size_t raw;
    __asm__("cvta.to.param.u64 %0, %1;" : "=l"(raw) : "l"(p));
    return raw;
}
__SW_DEV__ void *
__cvta_grid_constant_to_generic(size_t raw)
{
    void *p;
    __asm__("cvta.param.u64 %0, %1;" : "=l"(p) : "l"(raw));
    return p;
}

#define __SW_CVTA(space, number)                                               \
    __SW_DEV__ size_t __cvta_generic_to_##space(const void *p)                 \
    {                                                                          \
        return (size_t)(const __attribute__((address_space(number))) char *)p; \
    }                                                                          \
    __SW_DEV__ void *__cvta_##space##_to_generic(size_t raw)                   \
    {                                                                          \
        return (void *)(__attribute__((address_space(number))) char *)raw;     \
    }
__SW_CVTA(global, 1)
__SW_CVTA(shared, 3)
__SW_CVTA(constant, 4)
__SW_CVTA(local, 5)
#undef __SW_CVTA

#endif
