/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - faults of instructions that are about no address. */
#include "interp/interp.h"

void
sw_interp_fault_trap(sw_run *run, const sw_dins *d, uint32_t mask)
{
    unsigned lane = (unsigned)__builtin_ctz(mask);
    if (d->ins->op == SW_OP_BRKPT)
        sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                        SW_E_LAUNCH_FAILED, SW_FAULT_PLAIN, 0,
                        "breakpoint: brkpt without a debugger");
    else if (d->ins->sub == 1)
        sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                        SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                        "the instruction '%s' is not supported; `softwarp "
                        "support` with its name says what to do instead",
                        d->ins->aux ? (const char *)d->ins->aux : "?");
    else
        sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                        SW_E_LAUNCH_FAILED, SW_FAULT_PLAIN, 0,
                        "trap: the kernel stopped itself");
}

bool
sw_interp_check_barrier(sw_run *run, const sw_dins *d, uint32_t id,
                        uint32_t expected, unsigned lane)
{
    uint32_t count = d->ins->imm ? SW_BARRIERS : SW_NAMED_BARRIERS;
    if (id < count && expected % SW_WARP_LANES == 0 &&
        (d->ins->sub != SW_BAR_ARRIVE || expected))
        return true;
    sw_engine_fault(run->warp, run->code->fn, d->ins, lane,
                    SW_E_ILLEGAL_INSTRUCTION, SW_FAULT_PLAIN, 0,
                    "barrier %u with a count of %u threads: barriers are "
                    "0 to %d, counts multiples of the warp size",
                    id, expected, SW_NAMED_BARRIERS - 1);
    return false;
}
