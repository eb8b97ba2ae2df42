/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_awbarrier.h - cuda_awbarrier_primitives.h as a class.
 */
#ifndef _CUDA_AWBARRIER_H_
#define _CUDA_AWBARRIER_H_
#include "cuda_awbarrier_primitives.h"
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

namespace nvcuda
{
namespace experimental
{
class awbarrier
{
    __mbarrier_t barrier;

  public:
    class arrival_token
    {
        friend class awbarrier;
        __mbarrier_token_t token;

      public:
        __attribute__((device)) uint32_t pending_count() const
        {
            return __mbarrier_token_pending_count(token);
        }
    };

    awbarrier() = default;
    awbarrier(const awbarrier &) = delete;
    awbarrier &operator=(const awbarrier &) = delete;

    /* By one thread, before the others know of the barrier. */
    friend __attribute__((device)) inline void init(awbarrier *b,
                                                    uint32_t expected_count)
    {
        __mbarrier_init(&b->barrier, expected_count);
    }
    friend __attribute__((device)) inline void inval(awbarrier *b)
    {
        __mbarrier_inval(&b->barrier);
    }
    __attribute__((device)) arrival_token arrive()
    {
        arrival_token t;
        t.token = __mbarrier_arrive(&barrier);
        return t;
    }
    __attribute__((device)) arrival_token arrive_and_drop()
    {
        arrival_token t;
        t.token = __mbarrier_arrive_and_drop(&barrier);
        return t;
    }
    __attribute__((device)) bool try_wait(arrival_token t, uint32_t max_ns)
    {
        return __mbarrier_try_wait(&barrier, t.token, max_ns);
    }
    __attribute__((device)) bool try_wait_parity(bool phase, uint32_t max_ns)
    {
        return __mbarrier_try_wait_parity(&barrier, phase, max_ns);
    }
    __attribute__((device)) bool timed_wait(arrival_token t, uint32_t cycles)
    {
        long long start = clock64();
        while (!try_wait(t, 100))
            if (clock64() - start > cycles)
                return false;
        return true;
    }
    __attribute__((device)) bool timed_wait_parity(bool phase, uint32_t cycles)
    {
        long long start = clock64();
        while (!try_wait_parity(phase, 100))
            if (clock64() - start > cycles)
                return false;
        return true;
    }
    __attribute__((device)) void wait(arrival_token t)
    {
        while (!try_wait(t, 100))
            ;
    }
    __attribute__((device)) void arrive_and_wait()
    {
        wait(arrive());
    }
    __attribute__((host, device)) static constexpr uint32_t max()
    {
        return __mbarrier_maximum_count();
    }
};
} // namespace experimental
} // namespace nvcuda

#endif
#endif
