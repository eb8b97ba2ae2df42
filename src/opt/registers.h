/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.h - how many registers a thread of a kernel would take on a
 * device: an estimate, where no machine code says it.
 *
 * Reads a function, changes nothing. Does NOT know what a vendor's assembler
 * unrolls or hoists; docs/occupancy.md says how far off it is. No state; any
 * thread.
 */
#ifndef SW_OPT_REGISTERS_H
#define SW_OPT_REGISTERS_H
#include "ir/ir.h"

/*
 * 32-bit registers a thread of `fn`, without the functions it calls. 0 if the
 * function is too large to be looked at.
 */
uint32_t sw_registers_estimate(const sw_fn *fn);

#endif
