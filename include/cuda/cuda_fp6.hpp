/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_fp6.hpp - an old name of cuda_fp6.h. */
#include "cuda_fp6.h"
