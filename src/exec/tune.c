/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "exec/tune.h"

#define SW_TUNE_LIBRARY exec
#define SW_TUNE_ROWS    "exec/tune.def"
#include "base/tune_table.def"
