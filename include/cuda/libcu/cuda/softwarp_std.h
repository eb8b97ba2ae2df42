/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda/softwarp_std.h - what the headers of cuda/ have in common: how device
 * code of either side pauses, orders its memory, and what scopes there are.
 *
 * This folder comes last in the search path, so that a library of the same
 * names, if the compiler is given one, is taken whole in place of it.
 */
#ifndef SOFTWARP_CUDA_STD_H
#define SOFTWARP_CUDA_STD_H
#include "cuda_runtime.h"
#include "softwarp/async.h"
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#pragma GCC system_header

#define __SW_CU__ __attribute__((host, device)) inline

namespace cuda
{
namespace std
{
/* What the host's library computes at compile time it computes in kernels. */
using namespace ::std;

/* Before C++20 the host's is not computed at compile time. */
template <typename T>
__SW_CU__ void
swap(T &a, T &b)
{
    T t = ::std::move(a);
    a = ::std::move(b);
    b = ::std::move(t);
}

enum memory_order {
    memory_order_relaxed = __ATOMIC_RELAXED,
    memory_order_consume = __ATOMIC_CONSUME,
    memory_order_acquire = __ATOMIC_ACQUIRE,
    memory_order_release = __ATOMIC_RELEASE,
    memory_order_acq_rel = __ATOMIC_ACQ_REL,
    memory_order_seq_cst = __ATOMIC_SEQ_CST,
};
} // namespace std

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

enum thread_scope {
    thread_scope_system,
    thread_scope_device,
    thread_scope_block,
    thread_scope_thread,
};

/* Between threads of a scope; of all fences of order seq_cst, if it is `total`,
 * there is one order. */
__SW_CU__ void
__sw_fence(bool needed, bool total, thread_scope scope)
{
    if (!needed)
        return;
#ifdef __CUDA_ARCH__
    if (scope == thread_scope_block || scope == thread_scope_thread) {
        __threadfence_block();
        return;
    }
#if __CUDA_ARCH__ >= 700
    if (!total) {
        if (scope == thread_scope_device)
            __asm__ volatile("fence.acq_rel.gpu;" ::: "memory");
        else
            __asm__ volatile("fence.acq_rel.sys;" ::: "memory");
        return;
    }
#endif
    if (scope == thread_scope_device)
        __threadfence();
    else
        __threadfence_system();
#else
    (void)scope;
    __atomic_thread_fence(total ? __ATOMIC_SEQ_CST : __ATOMIC_ACQ_REL);
#endif
}
__SW_CU__ bool
__sw_releases(memory_order o)
{
    return o == memory_order_release || o == memory_order_acq_rel ||
           o == memory_order_seq_cst;
}
__SW_CU__ bool
__sw_acquires(memory_order o)
{
    return o != memory_order_relaxed && o != memory_order_release;
}
/* Between two looks at something that others change. */
__SW_CU__ void
__sw_pause(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    __nanosleep(64);
#endif
}
__SW_CU__ unsigned long long
__sw_now_ns(void)
{
#ifdef __CUDA_ARCH__
    unsigned long long t;
    __asm__ volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
#else
    return (unsigned long long)::std::chrono::duration_cast<
               ::std::chrono::nanoseconds>(
               ::std::chrono::steady_clock::now().time_since_epoch())
        .count();
#endif
}

/* A number of bytes that is a multiple of A, as are both addresses. */
template <::std::size_t __A> struct aligned_size_t {
    static constexpr ::std::size_t align = __A;
    ::std::size_t value;
    __SW_CU__ explicit constexpr aligned_size_t(::std::size_t n) : value(n)
    {
    }
    __SW_CU__ constexpr operator ::std::size_t() const
    {
        return value;
    }
};

/* Bytes copied by the threads of a group: by cp.async where the device has it
 * and the addresses allow it, which somebody has to wait for; else at once. */
template <typename __G>
__SW_CU__ void
__sw_group_copy(const __G &g, void *to, const void *from, ::std::size_t bytes)
{
    ::std::size_t rank = g.thread_rank(), n = g.size();
#if __SW_HAS_ASYNC
    ::std::size_t unit = ((::std::size_t)to | (::std::size_t)from | bytes) & 15;
    unit = unit == 0 ? 16 : unit % 8 == 0 ? 8 : unit % 4 == 0 ? 4 : 0;
    if (unit && __sw_may_copy(to, from)) {
        for (::std::size_t i = rank; i < bytes / unit; i += n)
            __sw_copy_async((char *)to + i * unit,
                            (const char *)from + i * unit, unit, 0);
        return;
    }
#endif
    if ((((::std::size_t)to | (::std::size_t)from | bytes) & 15) == 0) {
        for (::std::size_t i = rank; i < bytes / 16; i += n)
            ((uint4 *)to)[i] = ((const uint4 *)from)[i];
    } else if ((((::std::size_t)to | (::std::size_t)from | bytes) & 3) == 0) {
        for (::std::size_t i = rank; i < bytes / 4; i += n)
            ((unsigned *)to)[i] = ((const unsigned *)from)[i];
    } else {
        for (::std::size_t i = rank; i < bytes; i += n)
            ((char *)to)[i] = ((const char *)from)[i];
    }
}
/* The group of one thread. */
struct __sw_alone {
    __SW_CU__ ::std::size_t thread_rank() const
    {
        return 0;
    }
    __SW_CU__ ::std::size_t size() const
    {
        return 1;
    }
};
} // namespace cuda

#endif
