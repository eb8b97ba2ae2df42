/* SPDX-License-Identifier: Apache-2.0 */
/*
 * static.c - only in libsoftwarp-jit, which LLVM is a part of: functions that
 * nobody outside sees and the linker takes instead of the system's.
 *
 * What LLVM wants to be called at exit() is forgotten: a compilation may be at
 * work on a thread of its own while the program exits, and needs LLVM's tables
 * until the process is gone. Memory is llvm/heap.h's, except where a sanitizer
 * looks at all of it.
 */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "jit/llvm/heap.h"

int __cxa_atexit(void (*fn)(void *), void *arg, void *library);

int
__cxa_atexit(void (*fn)(void *), void *arg, void *library)
{
    (void)fn;
    (void)arg;
    (void)library;
    return 0;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_WATCHED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define IS_WATCHED 1
#endif
#endif
#ifndef IS_WATCHED

/* What is not llvm/heap.h's is the program's, as what strdup() returns. */
typedef enum { ALIGNED, REALLOC, FREE, OTHERS } other;

static uintptr_t
find(other which)
{
    static const char *const names[OTHERS] = {"aligned_alloc", "realloc",
                                              "free"};
    static atomic_uintptr_t found[OTHERS];
    uintptr_t fn = atomic_load_explicit(&found[which], memory_order_relaxed);
    if (!fn) {
        fn = (uintptr_t)dlsym(RTLD_DEFAULT, names[which]);
        atomic_store_explicit(&found[which], fn, memory_order_relaxed);
    }
    return fn;
}

static void *
take(size_t bytes, size_t align)
{
    void *p = sw_jit_heap_alloc(bytes, align);
    if (p)
        return p;
    void *(*fn)(size_t, size_t) = (void *(*)(size_t, size_t))find(ALIGNED);
    return fn(align > 16 ? align : 16, bytes);
}

void *
malloc(size_t bytes)
{
    return take(bytes, 0);
}

void *
aligned_alloc(size_t align, size_t bytes)
{
    return take(bytes, align);
}

void *
calloc(size_t count, size_t each)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, each, &bytes))
        return NULL;
    void *p = take(bytes, 0);
    return p ? memset(p, 0, bytes) : NULL;
}

void
free(void *p)
{
    if (!p)
        return;
    if (sw_jit_heap_owns(p))
        sw_jit_heap_free(p);
    else
        ((void (*)(void *))find(FREE))(p);
}

void *
realloc(void *p, size_t bytes)
{
    if (!p)
        return take(bytes, 0);
    if (!sw_jit_heap_owns(p))
        return ((void *(*)(void *, size_t))find(REALLOC))(p, bytes);
    size_t had = sw_jit_heap_size(p);
    if (bytes <= had && bytes > had / 4)
        return p;
    void *to = take(bytes, 0);
    if (to) {
        memcpy(to, p, had < bytes ? had : bytes);
        sw_jit_heap_free(p);
    }
    return to;
}

#endif
