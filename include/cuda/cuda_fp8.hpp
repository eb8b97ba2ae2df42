/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_fp8.hpp - an old name of cuda_fp8.h. */
#include "cuda_fp8.h"
