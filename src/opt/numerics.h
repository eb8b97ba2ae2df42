/* SPDX-License-Identifier: Apache-2.0 */
/*
 * numerics.h - the floating point of older devices: instructions changed into
 * those that compute what a device of a generation computes.
 *
 * The rules, and which generation has them, are numerics.def; they are about
 * f32 and, below capability 1.3, f64. Nothing else changes: a loaded module is
 * executed as it is, by any engine, and a device from 2.0 on costs nothing.
 */
#ifndef SW_NUMERICS_H
#define SW_NUMERICS_H
#include "ir/ir.h"

enum {
#define RULE(name, what) SW_NUM_BIT_##name,
#include "opt/numerics.def"
    SW_NUM_BITS
};
enum {
    SW_NUM_NONE,
#define RULE(name, what) SW_NUM_##name = 1 << SW_NUM_BIT_##name,
#include "opt/numerics.def"
};

/* The rules (SW_NUM_) of a compute capability, times ten. */
unsigned sw_numerics_of(unsigned cc);
/* The rules of a generation ("gt200", "off") or of a compute capability
 * ("1.3"), in *rules. False, *rules untouched, if there is none of this name.
 * Small and capital letters are the same. */
bool sw_numerics_find(const char *name, unsigned *rules);
/* The names, with ", " between them, added to the text. */
void sw_numerics_names(sw_buf *text);

/*
 * Changes the functions of a linked and contracted module that nobody executes
 * yet; for every module, with rules or without. Warnings: that doubles are
 * demoted, and functions in which they cannot be.
 */
void sw_opt_apply_numerics(sw_module *module, unsigned rules, sw_diag *diag);

#endif
