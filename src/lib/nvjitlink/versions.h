/* SPDX-License-Identifier: Apache-2.0 */
/*
 * versions.h - functions under the names that headers of the versions give to
 * them: __nvJitLinkCreate_12_4 is nvJitLinkCreate.
 */
#ifndef SW_NVJITLINK_VERSIONS_H
#define SW_NVJITLINK_VERSIONS_H
#include "cuda/nvJitLink.h"

#define NVJITLINK_ALIAS(function, version)                                     \
    extern __typeof__(nvJitLink##function) __nvJitLink##function##_##version   \
        __attribute__((alias("sw_do_nvJitLink" #function)));

#define NVJITLINK_FUNCTION(function)                                           \
    NVJITLINK_ALIAS(function, 12_0)                                            \
    NVJITLINK_ALIAS(function, 12_1)                                            \
    NVJITLINK_ALIAS(function, 12_2)                                            \
    NVJITLINK_ALIAS(function, 12_3)                                            \
    NVJITLINK_ALIAS(function, 12_4)                                            \
    NVJITLINK_ALIAS(function, 12_5)                                            \
    NVJITLINK_ALIAS(function, 12_6)                                            \
    NVJITLINK_ALIAS(function, 12_7)                                            \
    NVJITLINK_ALIAS(function, 12_8)                                            \
    NVJITLINK_ALIAS(function, 12_9)                                            \
    NVJITLINK_ALIAS(function, 13_0)

#define NVJITLINK_VERSIONS                                                     \
    NVJITLINK_FUNCTION(AddData)                                                \
    NVJITLINK_FUNCTION(AddFile)                                                \
    NVJITLINK_FUNCTION(Complete)                                               \
    NVJITLINK_FUNCTION(Create)                                                 \
    NVJITLINK_FUNCTION(Destroy)                                                \
    NVJITLINK_FUNCTION(GetErrorLog)                                            \
    NVJITLINK_FUNCTION(GetErrorLogSize)                                        \
    NVJITLINK_FUNCTION(GetInfoLog)                                             \
    NVJITLINK_FUNCTION(GetInfoLogSize)                                         \
    NVJITLINK_FUNCTION(GetLinkedCubin)                                         \
    NVJITLINK_FUNCTION(GetLinkedCubinSize)                                     \
    NVJITLINK_FUNCTION(GetLinkedPtx)                                           \
    NVJITLINK_FUNCTION(GetLinkedPtxSize)

#endif
