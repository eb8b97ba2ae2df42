/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers of tune.def, by which the interpreter decides;
 * base/tune.h says who sets them, and when.
 */
#ifndef SW_INTERP_TUNE_H
#define SW_INTERP_TUNE_H
#include "base/tune.h"

typedef struct {
#define TUNE SW_TUNE_FIELD
#include "interp/tune.def"
#undef TUNE
} sw_interp_numbers;

extern sw_interp_numbers sw_interp_tune;
extern const sw_tune_table sw_interp_tune_table;

#endif
