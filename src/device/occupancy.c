/* SPDX-License-Identifier: Apache-2.0 */
/* occupancy.c - see occupancy.h; no state, no allocation. */
#include "device/occupancy.h"

/* No limit by this resource. */
#define UNLIMITED UINT32_MAX

const char *
sw_occ_limit_text(sw_occ_limit limit)
{
#define SW_ROW(name, text) [SW_OCC_##name] = text,
    static const char *const texts[] = {SW_OCC_LIMITS(SW_ROW)};
#undef SW_ROW
    SW_ASSERT(limit < SW_OCC_COUNT);
    return texts[limit];
}

static uint64_t
round_up(uint64_t n, uint64_t unit)
{
    return unit ? (n + unit - 1) / unit * unit : n;
}

static uint32_t
clamp32(uint64_t n)
{
    return n < UNLIMITED ? (uint32_t)n : UNLIMITED;
}

/*
 * Later editions of the spreadsheet double the unit of 2.x for eight register
 * counts (21, 22, 29, 30, 37, 38, 45, 46); the edition followed here does not.
 */
static void
count_regs_spreadsheet(const sw_cc_limits *limits, uint32_t warps,
                       uint32_t regs, sw_occ *occ)
{
    uint64_t thread_regs = (uint64_t)regs * limits->warp_size;
    uint64_t counted = round_up(warps, limits->warp_gran);
    uint64_t block = 0;
    if (limits->regs_per_block)
        block = round_up(counted * thread_regs, limits->reg_unit);
    else
        block = round_up(thread_regs, limits->reg_unit) * counted;
    occ->regs_block = clamp32(block);
    occ->room[SW_OCC_REGS] = regs > limits->max_regs_thread ? 0
                             : regs ? clamp32(limits->regs_sm / block)
                                    : UNLIMITED;
}

/*
 * Each slice of the register file holds whole warps. Whether one block may be
 * launched at all is asked of the block rounded up to all slices, and of 6.0 as
 * if it had the four slices of its family.
 */
static void
count_regs_runtime(const sw_cc_limits *limits, uint32_t warps, uint32_t regs,
                   sw_occ *occ)
{
    uint64_t warp =
        round_up((uint64_t)regs * limits->warp_size, limits->reg_unit);
    uint32_t slices = limits->subpartitions;
    uint32_t checked = limits->cc == 60 ? 4 : slices;

    occ->regs_block = clamp32(warp * warps);
    if (warp * round_up(warps, checked) > limits->regs_block_max ||
        regs > limits->max_regs_thread)
        occ->room[SW_OCC_REGS] = 0;
    else if (warp)
        occ->room[SW_OCC_REGS] =
            clamp32(limits->regs_sm / slices / warp * slices / warps);
    else
        occ->room[SW_OCC_REGS] = UNLIMITED;
}

/* The smallest configuration of shared memory that holds `bytes`. */
static uint32_t
smem_config(const sw_cc_limits *limits, uint64_t bytes)
{
    for (uint32_t i = 0; i < limits->smem_configs; i++)
        if ((uint64_t)limits->smem_config_kb[i] * 1024 >= bytes)
            return limits->smem_config_kb[i] * 1024;
    return limits->smem_sm;
}

static uint32_t
smem_per_sm(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
            uint64_t block)
{
    uint64_t wanted = limits->smem_sm;
    if (kernel->carveout > 0)
        wanted = (uint64_t)limits->smem_sm * (uint32_t)kernel->carveout / 100;
    else if (kernel->carveout < 0)
        wanted = 0;
    if (kernel->carveout == 0 || limits->smem_configs < 2)
        return limits->smem_sm;
    return smem_config(limits, wanted > block ? wanted : block);
}

uint64_t
sw_occ_shared_block(const sw_cc_limits *limits, uint64_t bytes)
{
    return round_up(bytes + limits->smem_reserved, limits->smem_unit);
}

static void
count_smem(const sw_cc_limits *limits, const sw_occ_kernel *kernel, sw_occ *occ)
{
    uint64_t block = sw_occ_shared_block(limits, (uint64_t)kernel->static_smem +
                                                     kernel->dynamic_smem);
    uint64_t most = (uint64_t)limits->smem_block_optin + limits->smem_reserved;

    occ->smem_block = clamp32(block);
    occ->smem_sm = smem_per_sm(limits, kernel, block);
    bool is_refused =
        kernel->is_bounded && kernel->dynamic_smem > kernel->dynamic_bound;
    occ->room[SW_OCC_SMEM] = block > most || is_refused ? 0
                             : block ? clamp32(occ->smem_sm / block)
                                     : UNLIMITED;
}

sw_status
sw_occupancy(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
             sw_occ *out)
{
    if (!kernel->threads || kernel->carveout > 100)
        return SW_E_INVAL;

    uint64_t warps =
        ((uint64_t)kernel->threads + limits->warp_size - 1) / limits->warp_size;
    bool too_many = kernel->threads > limits->max_threads_block;
    bool spreadsheet = kernel->method == SW_OCC_SPREADSHEET ||
                       (kernel->method == SW_OCC_AUTO && limits->cc < 30);
    sw_occ occ = {.max_warps = limits->max_warps_sm};

    occ.room[SW_OCC_WARPS] =
        too_many ? 0 : clamp32(limits->max_warps_sm / warps);
    occ.room[SW_OCC_BLOCKS] = limits->max_blocks_sm;
    occ.room[SW_OCC_BARRIERS] =
        limits->barriers_sm
            ? limits->barriers_sm / (kernel->barriers ? kernel->barriers : 1)
            : UNLIMITED;
    if (spreadsheet)
        count_regs_spreadsheet(limits, clamp32(warps), kernel->regs, &occ);
    else
        count_regs_runtime(limits, clamp32(warps), kernel->regs, &occ);
    count_smem(limits, kernel, &occ);

    sw_occ_limit least = SW_OCC_WARPS;
    for (int i = 1; i < SW_OCC_COUNT; i++)
        if (occ.room[i] < occ.room[least])
            least = (sw_occ_limit)i;
    occ.limiter = least;
    occ.blocks = occ.room[least];
    occ.warps = occ.blocks * (occ.blocks ? (uint32_t)warps : 0);
    occ.percent = 100.0 * occ.warps / occ.max_warps;
    *out = occ;
    return SW_OK;
}

/* Registers a thread of `threads` that share a register file. */
static uint32_t
share_registers(const sw_cc_limits *limits, uint32_t regs, uint64_t threads)
{
    uint64_t share = regs / (threads ? threads : 1);
    uint32_t unit =
        limits->regs_per_block ? 1 : limits->reg_unit / limits->warp_size;
    share -= share % (unit ? unit : 1);
    return share < limits->max_regs_thread ? (uint32_t)share
                                           : limits->max_regs_thread;
}

uint32_t
sw_occ_full_registers(const sw_cc_limits *limits)
{
    return share_registers(limits, limits->regs_sm, limits->max_threads_sm);
}

uint32_t
sw_occ_bound_registers(const sw_cc_limits *limits, uint32_t threads,
                       uint32_t blocks)
{
    uint64_t warps = round_up(threads, limits->warp_size);
    uint32_t most = share_registers(limits, limits->regs_block_max, warps);
    uint32_t all = share_registers(limits, limits->regs_sm, warps * blocks);
    return blocks && all < most ? all : most;
}

uint32_t
sw_occ_most_threads(const sw_cc_limits *limits, uint32_t regs)
{
    sw_occ_kernel kernel = {.threads = limits->max_threads_block, .regs = regs};
    sw_occ occ;
    for (; kernel.threads; kernel.threads -= limits->warp_size)
        if (sw_occupancy(limits, &kernel, &occ) == SW_OK &&
            occ.room[SW_OCC_REGS])
            break;
    return kernel.threads;
}

sw_status
sw_occupancy_dynamic_smem(const sw_cc_limits *limits,
                          const sw_occ_kernel *kernel, uint32_t blocks,
                          uint32_t *bytes)
{
    sw_occ_kernel trial = *kernel;
    sw_occ occ = {0};
    *bytes = 0;
    trial.dynamic_smem = 0;
    if (!blocks || sw_occupancy(limits, &trial, &occ) || occ.blocks < blocks)
        return SW_E_INVAL;

    /* What a block may have of the largest configuration, in whole units. */
    uint32_t fixed = kernel->static_smem + limits->smem_reserved;
    uint32_t share = limits->smem_sm / blocks;
    uint32_t most = limits->smem_block_optin + limits->smem_reserved;
    if (share > most)
        share = most;
    share -= share % limits->smem_unit;
    *bytes = share > fixed ? share - fixed : 0;
    return SW_OK;
}

sw_status
sw_occupancy_available_smem(const sw_cc_limits *limits,
                            const sw_occ_kernel *kernel, uint32_t blocks,
                            uint32_t *bytes)
{
    sw_occ_kernel trial = *kernel;
    sw_occ occ = {0};
    *bytes = 0;
    trial.dynamic_smem = 0;
    if (!blocks || sw_occupancy(limits, &trial, &occ) || occ.blocks < blocks)
        return SW_E_INVAL;

    uint32_t most = limits->smem_block_optin + limits->smem_reserved;
    uint32_t share =
        blocks == 1 ? most : smem_per_sm(limits, kernel, 1) / blocks;
    if (share > most)
        share = most;
    share -= share % limits->smem_unit;
    share = share > kernel->static_smem ? share - kernel->static_smem : 0;
    *bytes = kernel->is_bounded && share > kernel->dynamic_bound
                 ? kernel->dynamic_bound
                 : share;
    return SW_OK;
}

sw_status
sw_occupancy_block_size(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
                        sw_occ_smem_fn smem_of, void *user, uint32_t limit,
                        uint32_t *threads, uint32_t *blocks)
{
    uint32_t warp = limits->warp_size;
    uint32_t most = limits->max_threads_block;
    uint32_t best_warps = 0;
    if (limit && limit < most)
        most = limit;
    *threads = *blocks = 0;

    for (uint32_t size = (uint32_t)round_up(most, warp); size; size -= warp) {
        sw_occ_kernel trial = *kernel;
        sw_occ occ = {0};
        trial.threads = size < most ? size : most;
        if (smem_of)
            trial.dynamic_smem = smem_of(trial.threads, user);
        if (sw_occupancy(limits, &trial, &occ) == SW_OK &&
            occ.warps > best_warps) {
            best_warps = occ.warps;
            *threads = trial.threads;
            *blocks = occ.blocks;
        }
    }
    return best_warps ? SW_OK : SW_E_INVAL;
}
