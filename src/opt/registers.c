/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.c - see registers.h.
 *
 * What is live at once is a lower bound. An assembler takes more: it moves
 * loads up so that several are under way together, and each then holds a
 * result and part of an address until it is used; it keeps some registers for
 * itself; and 64-bit values want even pairs. All constants here were fitted to
 * the kernels of tests/data/registers.csv; docs/occupancy.md says how.
 */
#include "opt/registers.h"

#include "opt/liveness.h"

enum {
    BASE = 3,         /* the stack pointer, and temporaries of addresses */
    OVERLAP_FROM = 2, /* words loaded in a block that cost nothing more */
    OVERLAP_MOST = 6, /* words that an assembler has under way */
    LEAST = 4,
    MOST = 255 /* what is beyond is spilled */
};

/* Liveness sets larger than this are not made. */
#define LIVENESS_MAX_BITS ((uint64_t)1 << 30)

/* 32-bit words that one block loads. */
static uint32_t
loaded_words(const sw_block *block)
{
    uint32_t words = 0;
    for (uint32_t i = 0; i < block->count; i++) {
        const sw_ins *ins = block->ins[i];
        bool loads = (ins->op == SW_OP_LD && ins->space != SW_SPACE_PARAM) ||
                     ins->op == SW_OP_ATOM || ins->op == SW_OP_TEX;
        if (loads)
            words +=
                ins->ndst * (sw_type_bits((sw_type)ins->type) > 32 ? 2u : 1u);
    }
    return words;
}

uint32_t
sw_registers_estimate(const sw_fn *fn)
{
    uint32_t loads = OVERLAP_FROM;
    if ((uint64_t)fn->block_count * fn->reg_count > LIVENESS_MAX_BITS)
        return 0;
    sw_cfg *cfg = sw_cfg_create(fn);
    sw_liveness *live = sw_liveness_create(fn, cfg);
    uint32_t n = live->max_live_words + BASE;
    sw_liveness_destroy(live);
    sw_cfg_destroy(cfg);

    for (uint32_t b = 0; b < fn->block_count; b++) {
        uint32_t words = loaded_words(fn->blocks[b]);
        loads = words > loads ? words : loads;
    }
    loads = loads < OVERLAP_MOST ? loads : OVERLAP_MOST;
    /* A result, and half of an address: others are offsets from the first. */
    n += ((loads - OVERLAP_FROM) * 3 + 1) / 2;
    n = (n + 1) / 2 * 2;
    uint32_t most = fn->maxnreg && fn->maxnreg < MOST ? fn->maxnreg : MOST;
    return n < LEAST ? LEAST : n < most ? n : most;
}
