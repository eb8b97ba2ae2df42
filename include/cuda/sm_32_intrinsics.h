/* SPDX-License-Identifier: Apache-2.0 */
/* sm_32_intrinsics.h - what it used to declare is part of the language here. */
#include "cuda_runtime.h"
