/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_fp16.hpp - an old name of cuda_fp16.h. */
#include "cuda_fp16.h"
