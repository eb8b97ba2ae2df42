/* SPDX-License-Identifier: Apache-2.0 */
/* device_double_functions.h - what it used to declare is part of the language here. */
#include "cuda_runtime.h"
