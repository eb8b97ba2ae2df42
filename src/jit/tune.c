/* SPDX-License-Identifier: Apache-2.0 */
/* tune.c - see tune.h. */
#include "jit/tune.h"

#define VARIABLE sw_jit_tune

sw_jit_numbers sw_jit_tune = {
#define TUNE SW_TUNE_INITIAL
#include "jit/tune.def"
#undef TUNE
};

#define TUNE SW_TUNE_CHECK
#include "jit/tune.def"
#undef TUNE

static const sw_tune_row rows[] = {
#define TUNE SW_TUNE_ROW
#include "jit/tune.def"
#undef TUNE
};

const sw_tune_table sw_jit_tune_table = {"jit", rows,
                                         sizeof rows / sizeof *rows};
