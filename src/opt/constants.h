/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constants.h - floating-point instructions on numbers that are known, as a
 * device's assembler makes them. Read off its output for sm_90:
 *   - div.approx and div.full by a constant are products with its rounded
 *     reciprocal;
 *   - sin, cos, lg2, ex2, rcp, sqrt and rsqrt of a constant are computed
 *     beforehand, and then rounded correctly, not approximate.
 */
#ifndef SW_CONSTANTS_H
#define SW_CONSTANTS_H
#include "ir/ir.h"

/* Changes a function that nobody executes yet. */
void sw_opt_constants(sw_fn *fn);

#endif
