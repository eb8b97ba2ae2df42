/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "opt/tune.h"

#define SW_TUNE_LIBRARY opt
#define SW_TUNE_ROWS    "opt/tune.def"
#include "base/tune_table.def"
