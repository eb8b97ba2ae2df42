/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp/async.h - the instructions of devices from 8.0 on that copy to
 * shared memory while the thread goes on, and of barriers in shared memory, as
 * functions. They are there if __SW_HAS_ASYNC is 1; older devices copy at once.
 */
#ifndef SOFTWARP_ASYNC_H
#define SOFTWARP_ASYNC_H
#include <stddef.h>
#include <stdint.h>
#pragma GCC system_header

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define __SW_HAS_ASYNC 1
#else
#define __SW_HAS_ASYNC 0
#endif

#if __SW_HAS_ASYNC

#define __SW_ASYNC__                                                           \
    static __attribute__((device, always_inline, unused, nodebug)) inline

__SW_ASYNC__ uint32_t
__sw_shared(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

/* Can a copy be asynchronous? Its size is looked at apart. */
__SW_ASYNC__ bool
__sw_may_copy(const void *to, const void *from)
{
    return __isShared(to) && __isGlobal(from);
}

/* bytes: 4, 8 or 16, of which the last `zeros` become 0. */
__SW_ASYNC__ void
__sw_copy_async(void *to, const void *from, size_t bytes, size_t zeros)
{
    size_t global = __cvta_generic_to_global(from);
    uint32_t some = (uint32_t)(bytes - zeros);
    if (bytes == 16)
        __asm__ volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                             __sw_shared(to)),
                         "l"(global), "r"(some)
                         : "memory");
    else if (bytes == 8)
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(
                             __sw_shared(to)),
                         "l"(global), "r"(some)
                         : "memory");
    else
        __asm__ volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                             __sw_shared(to)),
                         "l"(global), "r"(some)
                         : "memory");
}

__SW_ASYNC__ void
__sw_commit_async(void)
{
    __asm__ volatile("cp.async.commit_group;" ::: "memory");
}

#define __SW_WAIT_CASE(n)                                                      \
    case n:                                                                    \
        __asm__ volatile("cp.async.wait_group " #n ";" ::: "memory");          \
        break;

/* For all groups but the last n; of many for some more. */
__SW_ASYNC__ void
__sw_wait_async(size_t n)
{
    switch (n) {
        __SW_WAIT_CASE(0)
        __SW_WAIT_CASE(1)
        __SW_WAIT_CASE(2)
        __SW_WAIT_CASE(3)
        __SW_WAIT_CASE(4)
        __SW_WAIT_CASE(5)
        __SW_WAIT_CASE(6)
    default:
        __asm__ volatile("cp.async.wait_group 7;" ::: "memory");
    }
}
#undef __SW_WAIT_CASE

/* ---- barriers in shared memory ---- */

__SW_ASYNC__ void
__sw_mbar_init(uint64_t *b, uint32_t count)
{
    __asm__ volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(__sw_shared(b)),
                     "r"(count)
                     : "memory");
}

__SW_ASYNC__ void
__sw_mbar_inval(uint64_t *b)
{
    __asm__ volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(__sw_shared(b))
                     : "memory");
}

__SW_ASYNC__ uint64_t
__sw_mbar_arrive(uint64_t *b)
{
    uint64_t state;
    __asm__ volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(__sw_shared(b))
                     : "memory");
    return state;
}

/* n arrivals of which the phase does not end: others are to come. */
__SW_ASYNC__ void
__sw_mbar_arrive_some(uint64_t *b, uint32_t n)
{
    __asm__ volatile(
        "{ .reg .b64 s;\n"
        "mbarrier.arrive.noComplete.shared.b64 s, [%0], %1; }" ::"r"(
            __sw_shared(b)),
        "r"(n)
        : "memory");
}

__SW_ASYNC__ uint64_t
__sw_mbar_arrive_and_drop(uint64_t *b)
{
    uint64_t state;
    __asm__ volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];"
                     : "=l"(state)
                     : "r"(__sw_shared(b))
                     : "memory");
    return state;
}

/* The phase does not end before the thread's copies of until now have. */
__SW_ASYNC__ void
__sw_mbar_arrive_async(uint64_t *b)
{
    __asm__ volatile(
        "cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(__sw_shared(b))
        : "memory");
}

__SW_ASYNC__ bool
__sw_mbar_test(uint64_t *b, uint64_t state)
{
    uint32_t done;
    __asm__ volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.shared.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(__sw_shared(b)), "l"(state)
                     : "memory");
    return done;
}

__SW_ASYNC__ bool
__sw_mbar_test_parity(uint64_t *b, bool parity)
{
    uint32_t done;
    __asm__ volatile("{ .reg .pred p;\n"
                     "mbarrier.test_wait.parity.shared.b64 p, [%1], %2;\n"
                     "selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(__sw_shared(b)), "r"((uint32_t)parity)
                     : "memory");
    return done;
}

__SW_ASYNC__ uint32_t
__sw_mbar_pending(uint64_t state)
{
    uint32_t count;
    __asm__("mbarrier.pending_count.b64 %0, %1;" : "=r"(count) : "l"(state));
    return count;
}

#endif
#endif
