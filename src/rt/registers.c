/* SPDX-License-Identifier: Apache-2.0 */
/* registers.c - what a kernel would take of a device's registers. */
#include "device/occupancy.h"
#include "front/fatbin/cubin.h"
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

/* A device runs machine code of its own major capability, up to its minor one;
 * that with a letter 'a' only if both are the same (nvcc's manual, GPU
 * Generations). */
static bool
can_run(const sw_fatbin_entry *e, uint32_t cc)
{
    return e->kind == SW_FATBIN_ELF && e->module == 0 &&
           e->arch / 10 == cc / 10 && e->arch <= cc &&
           (e->variant != 'a' || e->arch == cc);
}

void
sw_rt_machine_registers(const sw_fatbin *fatbin, uint32_t cc, sw_map *out)
{
    const sw_fatbin_entry *best = NULL;
    for (uint32_t i = 0; i < fatbin->count; i++) {
        const sw_fatbin_entry *e = &fatbin->entries[i];
        if (can_run(e, cc) && (!best || e->arch > best->arch))
            best = e;
    }
    if (!best)
        return;
    sw_arena *arena = sw_arena_create();
    sw_str bytes;
    sw_elf elf;
    sw_diag diag; /* what is wrong with it is nobody's concern: PTX runs */
    sw_diag_init(&diag);
    if (sw_fatbin_unpack(arena, best, &bytes, &diag) == SW_OK &&
        sw_elf_is(bytes) && sw_elf_open(bytes, "", &elf, &diag) == SW_OK)
        sw_cubin_registers(&elf, out);
    sw_diag_finish(&diag);
    sw_arena_destroy(arena);
}
