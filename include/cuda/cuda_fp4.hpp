/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_fp4.hpp - an old name of cuda_fp4.h. */
#include "cuda_fp4.h"
