/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "interp/tune.h"

#define SW_TUNE_LIBRARY interp
#define SW_TUNE_ROWS    "interp/tune.def"
#include "base/tune_table.def"
