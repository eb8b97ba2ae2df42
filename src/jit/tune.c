/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "jit/tune.h"

#define SW_TUNE_LIBRARY jit
#define SW_TUNE_ROWS    "jit/tune.def"
#include "base/tune_table.def"
