/* SPDX-License-Identifier: Apache-2.0 */
/* refusal.h - what a call returns that is not supported: see lib.h. */
#ifndef SW_NVML_REFUSAL_H
#define SW_NVML_REFUSAL_H
#define NVML_NO_UNVERSIONED_FUNC_DEFS
#include "cuda/nvml.h"

#define SW_LIB_REFUSED         NVML_ERROR_NOT_SUPPORTED
#define SW_LIB_REFUSES_QUIETLY 1

#endif
