/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_pipeline_primitives.h - see cuda_pipeline.h. */
#ifndef _CUDA_PIPELINE_PRIMITIVES_H_
#define _CUDA_PIPELINE_PRIMITIVES_H_
#include "cuda_runtime.h"
#ifndef __CUDACC_RTC__
#include "softwarp/async.h"
#include <stdint.h>
#endif
#pragma GCC system_header
#ifdef __CUDA__ /* device code only */

/* 4, 8 or 16 bytes, of which the last `zeros` become 0. */
__SW_DEV__ void
__pipeline_memcpy_async(void *__restrict__ to, const void *__restrict__ from,
                        size_t bytes, size_t zeros = 0)
{
#if __SW_HAS_ASYNC
    if ((bytes == 4 || bytes == 8 || bytes == 16) && __sw_may_copy(to, from)) {
        __sw_copy_async(to, from, bytes, zeros);
        return;
    }
#endif
    unsigned *t = (unsigned *)to;
    const unsigned *f = (const unsigned *)from;
    if (zeros == 0) {
        if (bytes == 16)
            *(uint4 *)t = *(const uint4 *)f;
        else if (bytes == 8)
            *(uint2 *)t = *(const uint2 *)f;
        else
            *t = *f;
        return;
    }
    for (size_t i = 0; i < bytes; i++)
        ((char *)to)[i] = i < bytes - zeros ? ((const char *)from)[i] : 0;
}
__SW_DEV__ void
__pipeline_commit(void)
{
#if __SW_HAS_ASYNC
    __sw_commit_async();
#endif
}
__SW_DEV__ void
__pipeline_wait_prior(size_t n)
{
#if __SW_HAS_ASYNC
    __sw_wait_async(n);
#else
    (void)n;
#endif
}

#endif
#endif
