/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers of tune.def, by which grids are divided among workers;
 * base/tune.h says who sets them, and when.
 */
#ifndef SW_EXEC_TUNE_H
#define SW_EXEC_TUNE_H
#include "base/tune.h"

typedef struct {
#define TUNE SW_TUNE_FIELD
#include "exec/tune.def"
#undef TUNE
} sw_exec_numbers;

extern sw_exec_numbers sw_exec_tune;
extern const sw_tune_table sw_exec_tune_table;

#endif
