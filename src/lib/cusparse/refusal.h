/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: see lib.h. */
#ifndef SW_CUSPARSE_REFUSAL_H
#define SW_CUSPARSE_REFUSAL_H
#include "cuda/cusparse.h"

#define SW_LIB_REFUSED CUSPARSE_STATUS_NOT_SUPPORTED

#endif
