/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: lib/common/lib.h. */
#ifndef SW_RAND_REFUSAL_H
#define SW_RAND_REFUSAL_H
#include "cuda/curand.h"

#define SW_LIB_REFUSED CURAND_STATUS_TYPE_ERROR

#endif
