/* SPDX-License-Identifier: Apache-2.0 */
/* sm_11_atomic_functions.h - what it used to declare is part of the language here. */
#include "cuda_runtime.h"
