/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: see lib.h. */
#ifndef SW_CUFFT_REFUSAL_H
#define SW_CUFFT_REFUSAL_H
#include "cuda/cufft.h"

#define SW_LIB_REFUSED CUFFT_NOT_SUPPORTED

#endif
