/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host_defines.h - the words that CUDA adds to C++, for clang's CUDA mode and
 * for plain host compilers (where they vanish or keep their host meaning).
 */
#ifndef __HOST_DEFINES_H__
#define __HOST_DEFINES_H__

#ifdef __CUDA__ /* clang's CUDA mode, device pass or host pass */
#define __host__               __attribute__((host))
#define __device__             __attribute__((device))
#if defined(__SOFTWARP_NESTED__) && defined(__CUDA_ARCH__)
/* `softwarp cc` makes kernels of them (src/cc/nested.c). */
#define __global__ __attribute__((host)) __attribute__((device)) __attribute__((used)) __attribute__((annotate("softwarp.kernel")))
#else
#define __global__             __attribute__((global))
#endif
#define __shared__             __attribute__((shared))
#define __constant__           __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __device_builtin__
#define __cudart_builtin__
#define __grid_constant__ /* before 20 clang has no such thing */
/* What `softwarp cc` makes directives of. */
#define __cluster_dims__(...)                                                  \
    __attribute__((annotate("softwarp.cluster_dims", ##__VA_ARGS__)))
#define __block_size__(...)
#define __maxnreg__(n) __attribute__((maxnreg(n)))
/* The host's variable is the device's: softwarp_host_runtime.h. */
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("softwarp_managed")))
#endif
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __device_builtin__
#define __cudart_builtin__
#define __grid_constant__
#define __cluster_dims__(...)
#define __block_size__(...)
#endif

#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __no_return__   __attribute__((noreturn))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __inline_hint__ __inline__
/* __noinline__ is a keyword of clang here; elsewhere the C++ library uses it
 * as the name of an attribute. */
#define __align__(n)         __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#if defined(__CUDA__) && __cplusplus >= 201103L
/* nvcc takes `__shared__ alignas(16) int x`; clang knows no alignas after the
 * attribute that __shared__ is, only another such attribute. */
template <unsigned long long __N>
constexpr unsigned long long
__sw_alignas()
{
    return __N ? __N : 1;
}
template <typename... T> struct __sw_alignments {
    static constexpr unsigned long long most = 1;
};
template <typename T, typename... More> struct __sw_alignments<T, More...> {
    static constexpr unsigned long long rest = __sw_alignments<More...>::most;
    static constexpr unsigned long long most = alignof(T) > rest ? alignof(T)
                                                                 : rest;
};
template <typename... T>
constexpr unsigned long long
__sw_alignas()
{
    return __sw_alignments<T...>::most;
}
#define alignas(...) __attribute__((aligned(__sw_alignas<__VA_ARGS__>())))
#endif
#define __thread__ __thread
#define __import__
#define __export__
#define __location__(a) __annotate__(a)
#define __annotate__(a) __attribute__((a))
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define __specialization_static static
#endif
