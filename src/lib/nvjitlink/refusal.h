/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: lib/common/lib.h. */
#ifndef SW_NVJITLINK_REFUSAL_H
#define SW_NVJITLINK_REFUSAL_H
#include "cuda/nvJitLink.h"

#define SW_LIB_REFUSED NVJITLINK_ERROR_INTERNAL

#endif
