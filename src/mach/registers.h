/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.h - how many registers a thread of a kernel would take on a
 * device, and what would be spilled: an estimate, where no machine code says
 * it.
 *
 * A small assembler's back half: lowering to the instructions that a machine
 * has, list scheduling, linear scan. Reads a function, changes nothing.
 * docs/occupancy.md says how far off it is. No state; any thread.
 */
#ifndef SW_MACH_REGISTERS_H
#define SW_MACH_REGISTERS_H
#include "ir/ir.h"

typedef struct {
    uint32_t cc;   /* capability times ten */
    uint32_t full; /* registers a thread may have if all threads that fit on a
                      multiprocessor are to */
    uint32_t most; /* more than this is spilled; 0: what the encoding allows */
} sw_registers_target;

typedef struct {
    uint32_t registers; /* a thread, 32-bit; 0: the function is too large */
    /* Bytes of local memory, by instruction as an assembler counts. */
    uint32_t spill_stores, spill_loads;
    uint32_t stack; /* bytes a thread for what is spilled */
} sw_registers;

/* Of `fn` and the functions it calls, as far as they are known. */
sw_registers sw_registers_estimate(const sw_fn *fn,
                                   const sw_registers_target *target);

#endif
