/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "exec/tune.h"

#define VARIABLE sw_exec_tune

sw_exec_numbers sw_exec_tune = {
#define TUNE SW_TUNE_INITIAL
#include "exec/tune.def"
#undef TUNE
};

#define TUNE SW_TUNE_CHECK
#include "exec/tune.def"
#undef TUNE

static const sw_tune_row rows[] = {
#define TUNE SW_TUNE_ROW
#include "exec/tune.def"
#undef TUNE
};

const sw_tune_table sw_exec_tune_table = {"exec", rows,
                                          sizeof rows / sizeof *rows};
