/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy_public.c - include/softwarp/occupancy.h: the public face of
 * occupancy.h, and what to change for one block more. No state.
 */
#include "softwarp/occupancy.h"

#include <assert.h>

#include "device/occupancy.h"

enum { SMEM_STEP = 512 };

/* ORDER: the public names are those of SW_OCC_LIMITS. */
static_assert((int)SW_OCCUPANCY_WARPS == (int)SW_OCC_WARPS, "order");
static_assert((int)SW_OCCUPANCY_BLOCKS == (int)SW_OCC_BLOCKS, "order");
static_assert((int)SW_OCCUPANCY_REGISTERS == (int)SW_OCC_REGS, "order");
static_assert((int)SW_OCCUPANCY_SHARED_MEMORY == (int)SW_OCC_SMEM, "order");
static_assert((int)SW_OCCUPANCY_BARRIERS == (int)SW_OCC_BARRIERS, "order");
static_assert((int)SW_OCCUPANCY_RESOURCES == (int)SW_OCC_COUNT, "order");

static sw_occ_kernel
kernel_of(const sw_occupancy_launch *launch)
{
    return (sw_occ_kernel){
        .threads = launch->threads,
        .regs = launch->registers,
        .static_smem = launch->static_smem,
        .dynamic_smem = launch->dynamic_smem,
        .barriers = launch->barriers,
        .carveout = launch->carveout,
    };
}

/* The most registers a thread may have for `blocks` blocks, whatever their
 * shared memory; 0: none will do. */
static uint32_t
registers_for(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
              uint32_t blocks)
{
    sw_occ_kernel trial = *kernel;
    sw_occ occ = {0};
    trial.static_smem = trial.dynamic_smem = 0;
    if (trial.regs > limits->max_regs_thread)
        trial.regs = limits->max_regs_thread;
    for (; trial.regs > 0; trial.regs--)
        if (sw_occupancy(limits, &trial, &occ) == SW_OK && occ.blocks >= blocks)
            return trial.regs;
    return 0;
}

static void
find_next(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
          sw_occupancy_result *r)
{
    uint32_t next = r->blocks + 1, registers = 0, bytes = UINT32_MAX;
    bool by_regs = r->room[SW_OCC_REGS] < next;
    bool by_smem = r->room[SW_OCC_SMEM] < next;
    sw_occ_kernel bare = *kernel;
    if (!by_regs && !by_smem)
        return;
    if (by_regs && !(registers = registers_for(limits, kernel, next)))
        return;
    bare.regs = 0;
    bare.static_smem = 0;
    /* The carveout is a wish; what is asked for here, it follows. */
    bare.carveout = 0;
    if (by_smem &&
        sw_occupancy_dynamic_smem(limits, &bare, next, &bytes) != SW_OK)
        return;
    bare = *kernel;
    if (by_regs)
        bare.regs = registers;
    if (by_smem) {
        bare.static_smem = 0;
        bare.dynamic_smem = bytes;
    }
    sw_occ occ = {0};
    if (sw_occupancy(limits, &bare, &occ) != SW_OK || occ.blocks < next)
        return;
    r->next_blocks = occ.blocks;
    r->next_registers = registers;
    r->next_smem = bytes;
}

static int
compute(const sw_cc_limits *limits, const sw_occupancy_launch *launch,
        sw_occupancy_result *result)
{
    sw_occ_kernel kernel = kernel_of(launch);
    sw_occ occ = {0};
    if (launch->carveout < -1 || sw_occupancy(limits, &kernel, &occ) != SW_OK)
        return SW_OCCUPANCY_INVALID;

    sw_occupancy_result r = {
        .cc = limits->cc,
        .blocks = occ.blocks,
        .warps = occ.warps,
        .max_warps = occ.max_warps,
        .percent = occ.percent,
        .limiter = (sw_occupancy_resource)occ.limiter,
        .registers_per_block = occ.regs_block,
        .smem_per_block = occ.smem_block,
        .smem_per_sm = occ.smem_sm,
        .next_smem = UINT32_MAX,
    };
    for (int i = 0; i < SW_OCC_COUNT; i++)
        r.room[i] = occ.room[i];
    if (kernel.threads <= limits->max_threads_block)
        find_next(limits, &kernel, &r);

    uint32_t threads = 0, blocks = 0;
    if (sw_occupancy_block_size(limits, &kernel, NULL, NULL, 0, &threads,
                                &blocks) == SW_OK) {
        uint32_t warp = limits->warp_size;
        uint32_t warps = (threads + warp - 1) / warp * blocks;
        if (warps > r.warps) {
            r.best_threads = threads;
            r.best_warps = warps;
        }
    }
    *result = r;
    return SW_OCCUPANCY_OK;
}

int
sw_occupancy_of_capability(int cc_times_10, const sw_occupancy_launch *launch,
                           sw_occupancy_result *result)
{
    return compute(sw_device_limits(cc_times_10), launch, result);
}

int
sw_occupancy_of_device(const char *name, const sw_occupancy_launch *launch,
                       sw_occupancy_result *result)
{
    const sw_device_info *device = name ? sw_device_find(name) : NULL;
    if (!device)
        return SW_OCCUPANCY_NO_DEVICE;
    return compute(sw_device_limits((int)device->cc), launch, result);
}

const char *
sw_occupancy_resource_name(sw_occupancy_resource resource)
{
    if ((unsigned)resource >= SW_OCCUPANCY_RESOURCES)
        return "?";
    return sw_occ_limit_text((sw_occ_limit)resource);
}

size_t
sw_occupancy_curve(int cc_times_10, const sw_occupancy_launch *launch,
                   sw_occupancy_axis axis, sw_occupancy_point *points,
                   size_t room)
{
    const sw_cc_limits *limits = sw_device_limits(cc_times_10);
    sw_occ_kernel kernel = kernel_of(launch);
    sw_occ occ = {0};
    uint32_t first = 0, last = 0, step = 1;
    if (launch->carveout < -1 || sw_occupancy(limits, &kernel, &occ) != SW_OK)
        return 0;
    switch (axis) {
    case SW_OCCUPANCY_OVER_THREADS:
        first = step = limits->warp_size;
        last = limits->max_threads_block;
        break;
    case SW_OCCUPANCY_OVER_REGISTERS:
        first = 1;
        last = limits->max_regs_thread;
        break;
    case SW_OCCUPANCY_OVER_SMEM:
        step = SMEM_STEP;
        last = limits->smem_block_optin;
        kernel.static_smem = 0;
        break;
    default:
        return 0;
    }

    size_t n = 0;
    for (uint32_t x = first; x <= last; x += step, n++) {
        if (n >= room)
            continue;
        *(axis == SW_OCCUPANCY_OVER_THREADS     ? &kernel.threads
          : axis == SW_OCCUPANCY_OVER_REGISTERS ? &kernel.regs
                                                : &kernel.dynamic_smem) = x;
        (void)sw_occupancy(limits, &kernel, &occ);
        points[n] = (sw_occupancy_point){x, occ.warps};
    }
    return n;
}
