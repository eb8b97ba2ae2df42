/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: see lib.h. */
#ifndef SW_CUSOLVER_REFUSAL_H
#define SW_CUSOLVER_REFUSAL_H
#include "cuda/cusolver_common.h"

#define SW_LIB_REFUSED CUSOLVER_STATUS_NOT_SUPPORTED

#endif
