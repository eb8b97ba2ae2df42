/* SPDX-License-Identifier: Apache-2.0 */
/* math_functions_dbl_ptx3.h - what it used to declare is part of the language here. */
#include "cuda_runtime.h"
