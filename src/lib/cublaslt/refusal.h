/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: see lib.h. */
#ifndef SW_CUBLASLT_REFUSAL_H
#define SW_CUBLASLT_REFUSAL_H
#include "cuda/cublas_api.h"

#define SW_LIB_REFUSED CUBLAS_STATUS_NOT_SUPPORTED

#endif
