/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: lib/common/lib.h. */
#ifndef SW_NVRTC_REFUSAL_H
#define SW_NVRTC_REFUSAL_H
#include "cuda/nvrtc.h"

#define SW_LIB_REFUSED NVRTC_ERROR_INVALID_INPUT

#endif
