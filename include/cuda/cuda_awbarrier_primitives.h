/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_awbarrier_primitives.h - barriers in shared memory at which threads
 * arrive and later wait, as functions.
 *
 * For devices from 8.0 on they are the mbarrier instructions. Before, a barrier
 * is one word: who is expected (bits 0..20), how many of them are missing (bits
 * 21..41), and the number of the phase. A token is what the word was before the
 * arrival.
 */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#include "cuda_runtime.h"
#ifndef __CUDACC_RTC__
#include "softwarp/async.h"
#include <stdint.h>
#endif
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

typedef uint64_t __mbarrier_t;
typedef uint64_t __mbarrier_token_t;

enum {
    __SW_MBARRIER_MISSING = 21,
    __SW_MBARRIER_PHASE = 42,
    __SW_MBARRIER_MAX = (1 << 20) - 1
};

__SW_HD__ constexpr uint32_t
__mbarrier_maximum_count()
{
    return __SW_MBARRIER_MAX;
}

#if __SW_HAS_ASYNC

/* expected_count: 1 to __mbarrier_maximum_count(). */
__SW_DEV__ void
__mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
    __sw_mbar_init(barrier, expected_count);
}

__SW_DEV__ void
__mbarrier_inval(__mbarrier_t *barrier)
{
    __sw_mbar_inval(barrier);
}

__SW_DEV__ __mbarrier_token_t
__mbarrier_arrive(__mbarrier_t *barrier)
{
    return __sw_mbar_arrive(barrier);
}

__SW_DEV__ __mbarrier_token_t
__mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    return __sw_mbar_arrive_and_drop(barrier);
}

/* Has the phase ended in which the token was given; the one of that parity? */
__SW_DEV__ bool
__mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    return __sw_mbar_test(barrier, token);
}

__SW_DEV__ bool
__mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity)
{
    return __sw_mbar_test_parity(barrier, phase_parity);
}

#else

/* expected_count: 1 to __mbarrier_maximum_count(). */
__SW_DEV__ void
__mbarrier_init(__mbarrier_t *barrier, uint32_t expected_count)
{
    *(volatile __mbarrier_t *)barrier =
        (uint64_t)expected_count << __SW_MBARRIER_MISSING | expected_count;
    __threadfence_block();
}

__SW_DEV__ void
__mbarrier_inval(__mbarrier_t *barrier)
{
    *(volatile __mbarrier_t *)barrier = 0;
}

/* The last of a phase begins the next, in which `drop` fewer are expected. */
__SW_DEV__ __mbarrier_token_t
__sw_mbarrier_arrive(__mbarrier_t *barrier, uint64_t drop)
{
    unsigned long long *word = (unsigned long long *)barrier;
    uint64_t mask = (1ull << __SW_MBARRIER_MISSING) - 1;
    uint64_t old = *(volatile __mbarrier_t *)barrier, seen, now;

    __threadfence_block();
    while (true) {
        now = old - (1ull << __SW_MBARRIER_MISSING) - drop;
        if ((now >> __SW_MBARRIER_MISSING & mask) == 0)
            now = ((now >> __SW_MBARRIER_PHASE) + 1) << __SW_MBARRIER_PHASE |
                  (now & mask) << __SW_MBARRIER_MISSING | (now & mask);
        seen = atomicCAS(word, (unsigned long long)old,
                         (unsigned long long)now);
        if (seen == old)
            return old;
        old = seen;
    }
}

__SW_DEV__ __mbarrier_token_t
__mbarrier_arrive(__mbarrier_t *barrier)
{
    return __sw_mbarrier_arrive(barrier, 0);
}

__SW_DEV__ __mbarrier_token_t
__mbarrier_arrive_and_drop(__mbarrier_t *barrier)
{
    return __sw_mbarrier_arrive(barrier, 1);
}

/* Has the phase ended in which the token was given; the one of that parity? */
__SW_DEV__ bool
__mbarrier_test_wait(__mbarrier_t *barrier, __mbarrier_token_t token)
{
    uint64_t word = *(volatile __mbarrier_t *)barrier;

    __threadfence_block();
    return (word ^ token) >> __SW_MBARRIER_PHASE != 0;
}

__SW_DEV__ bool
__mbarrier_test_wait_parity(__mbarrier_t *barrier, bool phase_parity)
{
    uint64_t word = *(volatile __mbarrier_t *)barrier;

    __threadfence_block();
    return (word >> __SW_MBARRIER_PHASE & 1) != phase_parity;
}

#endif

/* The same, waiting about max_sleep_nanosec for it. */
__SW_DEV__ bool
__mbarrier_try_wait(__mbarrier_t *barrier, __mbarrier_token_t token,
                    uint32_t max_sleep_nanosec)
{
    if (__mbarrier_test_wait(barrier, token))
        return true;
    __nanosleep(max_sleep_nanosec);
    return __mbarrier_test_wait(barrier, token);
}

__SW_DEV__ bool
__mbarrier_try_wait_parity(__mbarrier_t *barrier, bool phase_parity,
                           uint32_t max_sleep_nanosec)
{
    if (__mbarrier_test_wait_parity(barrier, phase_parity))
        return true;
    __nanosleep(max_sleep_nanosec);
    return __mbarrier_test_wait_parity(barrier, phase_parity);
}

/* How many were missing before the arrival. */
__SW_DEV__ uint32_t
__mbarrier_token_pending_count(__mbarrier_token_t token)
{
#if __SW_HAS_ASYNC
    return __sw_mbar_pending(token);
#else
    return token >> __SW_MBARRIER_MISSING &
           ((1u << __SW_MBARRIER_MISSING) - 1);
#endif
}

#endif
#endif
