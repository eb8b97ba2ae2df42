/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "opt/tune.h"

#define VARIABLE sw_opt_tune

sw_opt_numbers sw_opt_tune = {
#define TUNE SW_TUNE_INITIAL
#include "opt/tune.def"
#undef TUNE
};

#define TUNE SW_TUNE_CHECK
#include "opt/tune.def"
#undef TUNE

static const sw_tune_row rows[] = {
#define TUNE SW_TUNE_ROW
#include "opt/tune.def"
#undef TUNE
};

const sw_tune_table sw_opt_tune_table = {"opt", rows,
                                         sizeof rows / sizeof *rows};
