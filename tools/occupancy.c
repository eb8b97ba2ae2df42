/* SPDX-License-Identifier: Apache-2.0 */
/*
 * occupancy.c - `softwarp occupancy`: how many blocks of a kernel one
 * multiprocessor holds, what limits them, and what would help.
 */
#include "device/occupancy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools.h"

static const char help[] =
    "usage: softwarp occupancy (--cc X.Y | --device NAME) --threads N\n"
    "           [--regs N] [--smem BYTES] [--barriers N] [--carveout PERCENT]\n"
    "           [--json]\n"
    "  --threads N   threads per block\n"
    "  --regs N      registers per thread\n"
    "  --smem BYTES  shared memory per block\n";

/* A number of 0 to 10^9; false if `text` is none. */
static bool
parse_count(const char *text, uint32_t *out)
{
    uint64_t value = 0;
    if (!sw_str_to_u64(sw_str_of(text), 10, &value) || value > 1000000000)
        return false;
    *out = (uint32_t)value;
    return true;
}

static void
print_row(const char *label, uint32_t blocks)
{
    if (blocks == UINT32_MAX)
        printf("  %-24s no limit\n", label);
    else
        printf("  %-24s %u blocks\n", label, (unsigned)blocks);
}

/* The most registers a thread may have for `blocks` blocks, whatever their
 * shared memory; 0: none will do. */
static uint32_t
regs_for(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
         uint32_t blocks)
{
    sw_occ_kernel trial = *kernel;
    sw_occ occ = {0};
    trial.dynamic_smem = 0;
    if (trial.regs > limits->max_regs_thread)
        trial.regs = limits->max_regs_thread;
    for (; trial.regs > 0; trial.regs--)
        if (sw_occupancy(limits, &trial, &occ) == SW_OK && occ.blocks >= blocks)
            return trial.regs;
    return 0;
}

/* What would let one more block in, where registers or shared memory or both
 * stand in its way. */
static void
advise_resources(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
                 const sw_occ *occ)
{
    uint32_t next = occ->blocks + 1, regs = 0, bytes = 0;
    bool by_regs = occ->room[SW_OCC_REGS] < next;
    bool by_smem = occ->room[SW_OCC_SMEM] < next;
    sw_occ_kernel bare = *kernel;
    bare.regs = 0;
    if (by_regs && !(regs = regs_for(limits, kernel, next)))
        return;
    if (by_smem &&
        sw_occupancy_dynamic_smem(limits, &bare, next, &bytes) != SW_OK)
        return;
    if (!by_regs && !by_smem)
        return;
    printf("  with ");
    if (by_regs)
        printf("%u registers a thread (-maxrregcount=%u)%s", (unsigned)regs,
               (unsigned)regs, by_smem ? " and " : "");
    if (by_smem)
        printf("%u bytes of shared memory a block", (unsigned)bytes);
    printf(" there would be %u %s\n", (unsigned)next,
           next == 1 ? "block" : "blocks");
}

static void
advise_size(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
            const sw_occ *occ)
{
    uint32_t threads = 0, blocks = 0;
    uint32_t warp = limits->warp_size;
    if (sw_occupancy_block_size(limits, kernel, NULL, NULL, 0, &threads,
                                &blocks) == SW_OK) {
        uint32_t warps = (threads + warp - 1) / warp * blocks;
        if (warps > occ->warps)
            printf("  blocks of %u threads would give %u warps (%.1f%%)\n",
                   (unsigned)threads, (unsigned)warps,
                   100.0 * warps / occ->max_warps);
    }
    if (kernel->threads % warp)
        printf("  %u threads leave %u lanes of the last warp idle\n",
               (unsigned)kernel->threads,
               (unsigned)(warp - kernel->threads % warp));
}

static void
advise(const sw_cc_limits *limits, const sw_occ_kernel *kernel,
       const sw_occ *occ)
{
    puts("advice");
    if (kernel->threads > limits->max_threads_block) {
        printf("  no launch: at most %u threads a block\n",
               (unsigned)limits->max_threads_block);
        return;
    }
    advise_resources(limits, kernel, occ);
    if (occ->limiter == SW_OCC_BLOCKS && occ->warps < occ->max_warps)
        puts("  larger blocks would fill the block slots with more warps");
    advise_size(limits, kernel, occ);
    if (occ->warps == occ->max_warps)
        puts("  none: as many warps as the multiprocessor can hold");
}

static void
print_text(const char *name, const sw_cc_limits *limits,
           const sw_occ_kernel *kernel, const sw_occ *occ)
{
    printf("%s, compute capability %u.%u\n", name, (unsigned)(limits->cc / 10),
           (unsigned)(limits->cc % 10));
    printf("  %u blocks, %u of %u warps: occupancy %.2f%%\n",
           (unsigned)occ->blocks, (unsigned)occ->warps,
           (unsigned)occ->max_warps, occ->percent);
    printf("  limited by %s\n", sw_occ_limit_text(occ->limiter));
    puts("room for");
    for (int i = 0; i < SW_OCC_COUNT; i++)
        print_row(sw_occ_limit_text((sw_occ_limit)i), occ->room[i]);
    puts("a block takes");
    printf("  %-24s %u\n", "warps",
           (unsigned)((kernel->threads + limits->warp_size - 1) /
                      limits->warp_size));
    printf("  %-24s %u of %u\n", "registers", (unsigned)occ->regs_block,
           (unsigned)limits->regs_sm);
    printf("  %-24s %u of %u bytes\n", "shared memory",
           (unsigned)occ->smem_block, (unsigned)occ->smem_sm);
    advise(limits, kernel, occ);
}

static void
print_json(const sw_cc_limits *limits, const sw_occ *occ)
{
    printf("{\"cc\": \"%u.%u\", \"blocks\": %u, \"warps\": %u, \"max_warps\": "
           "%u, \"percent\": %.4f, \"limiter\": \"%s\", "
           "\"registers_per_block\": %u, \"smem_per_block\": %u, "
           "\"smem_per_sm\": %u}\n",
           (unsigned)(limits->cc / 10), (unsigned)(limits->cc % 10),
           (unsigned)occ->blocks, (unsigned)occ->warps,
           (unsigned)occ->max_warps, occ->percent,
           sw_occ_limit_text(occ->limiter), (unsigned)occ->regs_block,
           (unsigned)occ->smem_block, (unsigned)occ->smem_sm);
}

/* "9.0" as 90 if there is such a row; else NULL and a sentence. */
static const sw_cc_limits *
find_capability(const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    int cc = *text && !*end && value >= 1 && value < 100
                 ? (int)(value * 10 + 0.5)
                 : 0;
    if (!cc) {
        fprintf(stderr, "softwarp: error: \"%s\" is no compute capability\n",
                text);
        return NULL;
    }
    const sw_cc_limits *limits = sw_device_limits(cc);
    if ((int)limits->cc != cc)
        fprintf(stderr,
                "softwarp: warning: %d.%d is not known; %u.%u is taken\n",
                cc / 10, cc % 10, (unsigned)(limits->cc / 10),
                (unsigned)(limits->cc % 10));
    return limits;
}

static const sw_device_info *
find_device(const char *name)
{
    const sw_device_info *device = sw_device_find(name);
    if (!device) {
        sw_buf near;
        sw_buf_init(&near);
        sw_device_near(name, 5, &near);
        fprintf(stderr,
                "softwarp: error: no single device is called \"%s\"%s%s\n",
                name, near.n ? "; did you mean " : "", near.p);
        sw_buf_finish(&near);
    }
    return device;
}

int
sw_tool_occupancy(int argc, char **argv)
{
    const sw_device_info *device = sw_device_default();
    const sw_cc_limits *limits = NULL;
    const char *name = NULL;
    sw_occ_kernel kernel = {0};
    sw_occ occ = {0};
    uint32_t carveout = 0;
    bool json = false;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        uint32_t *number = !strcmp(argv[i], "--threads") ? &kernel.threads
                           : !strcmp(argv[i], "--regs")  ? &kernel.regs
                           : !strcmp(argv[i], "--smem")  ? &kernel.dynamic_smem
                           : !strcmp(argv[i], "--barriers") ? &kernel.barriers
                           : !strcmp(argv[i], "--carveout") ? &carveout
                                                            : NULL;
        if (number) {
            if (!parse_count(value, number)) {
                fprintf(stderr, "softwarp: error: %s needs a number\n",
                        argv[i]);
                return 2;
            }
            i++;
        } else if (!strcmp(argv[i], "--cc")) {
            if (!(limits = find_capability(value)))
                return 2;
            i++;
        } else if (!strcmp(argv[i], "--device")) {
            if (!(device = find_device(value)))
                return 1;
            limits = sw_device_limits((int)device->cc);
            name = device->name;
            i++;
        } else if (!strcmp(argv[i], "--json")) {
            json = true;
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(help, stdout);
            return 0;
        } else {
            fprintf(stderr, "softwarp: error: \"%s\" is not understood\n%s",
                    argv[i], help);
            return 2;
        }
    }
    if (!limits) {
        limits = sw_device_limits((int)device->cc);
        name = device->name;
    }
    kernel.carveout = carveout > 100 ? 100 : (int32_t)carveout;
    if (sw_occupancy(limits, &kernel, &occ)) {
        fprintf(stderr, "softwarp: error: --threads is missing or 0\n%s", help);
        return 2;
    }
    if (json)
        print_json(limits, &occ);
    else
        print_text(name ? name : limits->arch, limits, &kernel, &occ);
    return 0;
}
