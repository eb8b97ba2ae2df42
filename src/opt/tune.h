/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers of tune.def, by which the passes decide;
 * base/tune.h says who sets them, and when.
 */
#ifndef SW_OPT_TUNE_H
#define SW_OPT_TUNE_H
#include "base/tune.h"

typedef struct {
#define TUNE SW_TUNE_FIELD
#include "opt/tune.def"
#undef TUNE
} sw_opt_numbers;

extern sw_opt_numbers sw_opt_tune;
extern const sw_tune_table sw_opt_tune_table;

#endif
