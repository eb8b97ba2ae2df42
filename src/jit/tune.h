/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers of tune.def, by which the compiler decides;
 * base/tune.h says who sets them, and when.
 */
#ifndef SW_JIT_TUNE_H
#define SW_JIT_TUNE_H
#include "base/tune.h"

typedef struct {
#define TUNE SW_TUNE_FIELD
#include "jit/tune.def"
#undef TUNE
} sw_jit_numbers;

extern sw_jit_numbers sw_jit_tune;
extern const sw_tune_table sw_jit_tune_table;

#endif
