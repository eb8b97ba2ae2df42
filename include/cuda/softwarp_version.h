/* SPDX-License-Identifier: Apache-2.0 */
/*
 * softwarp_version.h - the generation of CUDA that these headers speak.
 *
 * 13.0 unless CUDART_VERSION_OVERRIDE says otherwise, as `softwarp cc --cuda=N`
 * has it: the runtime library is compiled once for each of 11.8, 12.9 and 13.0.
 */
#ifndef SOFTWARP_VERSION_H
#define SOFTWARP_VERSION_H
#ifdef CUDART_VERSION_OVERRIDE
#define CUDART_VERSION CUDART_VERSION_OVERRIDE
#else
#define CUDART_VERSION 13000
#endif
#define CUDA_VERSION CUDART_VERSION
#define __CUDART_API_VERSION CUDART_VERSION
#define __CUDA_API_VERSION CUDA_VERSION

#if defined(CUDA_ENABLE_PER_THREAD_DEFAULT_STREAM) ||                          \
    defined(CUDART_API_PER_THREAD_DEFAULT_STREAM) ||                           \
    defined(__CUDA_API_PER_THREAD_DEFAULT_STREAM)
#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define CUDA_API_PER_THREAD_DEFAULT_STREAM 1
#endif
#endif

/* Bytes, for records whose alignment is more than their members'. */
#define SW_CUDA_ALIGN(n) __attribute__((aligned(n)))
/* A default argument where the language has them. */
#ifdef __cplusplus
#define SW_CUDA_DEFAULT(value) = value
#else
#define SW_CUDA_DEFAULT(value)
#endif
#endif
