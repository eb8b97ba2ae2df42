/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tune.h - the numbers of all libraries by which heuristics decide
 * (base/tune.h). sw_rt_init sets them as SOFTWARP_TUNE says.
 */
#ifndef SW_RT_TUNE_H
#define SW_RT_TUNE_H
#include "base/tune.h"

/* The tables of all folders that have a tune.def, *count of them; static. */
const sw_tune_table *const *sw_rt_tune_tables(size_t *count);

#endif
