/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - what a kernel would take of a device's registers. */
#include "device/occupancy.h"
#include "rt/module.h"

static uint32_t
product(const uint32_t n[3])
{
    uint64_t all = (uint64_t)(n[0] ? n[0] : 1) * (n[1] ? n[1] : 1);
    all = n[0] && all <= UINT32_MAX ? all * (n[2] ? n[2] : 1) : 0;
    return all <= UINT32_MAX ? (uint32_t)all : 0;
}

sw_registers
sw_rt_registers(const sw_fn *fn, const sw_cc_limits *limits, uint32_t most)
{
    uint32_t threads = product(fn->reqntid);
    if (!threads)
        threads = product(fn->maxntid);
    uint32_t bound = sw_occ_bound_registers(limits, threads, fn->minnctapersm);
    sw_registers_target target = {.cc = limits->cc,
                                  .full = sw_occ_full_registers(limits),
                                  .most = limits->max_regs_thread};
    if (bound && bound < target.most)
        target.most = bound;
    if (fn->maxnreg && fn->maxnreg < target.most)
        target.most = fn->maxnreg;
    if (most && most < target.most)
        target.most = most;
    return sw_registers_estimate(fn, &target);
}
