/* SPDX-License-Identifier: Apache-2.0 */
/*
 * device_launch_parameters.h - threadIdx, blockIdx, blockDim, gridDim and
 * warpSize: objects whose members read the special registers.
 *
 * They have no address. Outside clang's CUDA mode nothing is declared.
 */
#ifndef __DEVICE_LAUNCH_PARAMETERS_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#include "vector_types.h"

#ifdef __CUDA__
#define SW_SREG_MEMBER(member, sreg)                                           \
    __declspec(property(get = sw_get_##member)) unsigned int member;           \
    static __device__ __forceinline__                                          \
        __attribute__((nodebug)) unsigned int sw_get_##member(void)            \
    {                                                                          \
        return (unsigned int)__nvvm_read_ptx_sreg_##sreg##_##member();         \
    }
#define SW_SREG_VECTOR(name, sreg)                                             \
    struct sw_sreg_##name {                                                    \
        SW_SREG_MEMBER(x, sreg)                                                \
        SW_SREG_MEMBER(y, sreg)                                                \
        SW_SREG_MEMBER(z, sreg)                                                \
        __device__ __forceinline__ __attribute__((nodebug))                    \
        operator uint3(void) const                                             \
        {                                                                      \
            return uint3{x, y, z};                                             \
        }                                                                      \
        __device__ __forceinline__ __attribute__((nodebug))                    \
        operator dim3(void) const                                              \
        {                                                                      \
            return dim3(x, y, z);                                              \
        }                                                                      \
        sw_sreg_##name(const sw_sreg_##name &) = default;                      \
        void operator=(const sw_sreg_##name &) = delete;                       \
        void *operator&(void) const = delete;                                  \
                                                                               \
      private:                                                                 \
        sw_sreg_##name(void) = default;                                        \
    };                                                                         \
    extern const __device__ __attribute__((weak)) sw_sreg_##name name;

SW_SREG_VECTOR(threadIdx, tid)
SW_SREG_VECTOR(blockIdx, ctaid)
SW_SREG_VECTOR(blockDim, ntid)
SW_SREG_VECTOR(gridDim, nctaid)
#undef SW_SREG_VECTOR
#undef SW_SREG_MEMBER

__attribute__((device)) const int warpSize = 32;
#endif
#endif
