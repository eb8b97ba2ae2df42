/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.c - places for registers in a frame. A register that more than one
 * block mentions, or that comes around a loop, has a place of its own; the
 * others, most of those that compilers make, share places from their first
 * write to their last mention in their block. Lanes of other paths may be in
 * other blocks meanwhile; they use other lanes of the places.
 */
#include <string.h>

#include "interp/interp.h"
#include "opt/cfg.h"
#include "opt/liveness.h"

enum { LINE = 64, PRED_BYTES = 4 };
/* Larger functions get a place for each register: the sets would be huge. */
#define SETS_MAX_BITS ((uint64_t)1 << 28)
#define NO_PLACE      UINT32_MAX

typedef struct {
    const sw_fn *fn;
    uint32_t *offset;    /* NO_PLACE: none yet */
    uint32_t *last;      /* in this block: last instruction that mentions it,
                            plus one */
    uint64_t *is_global; /* bit set of registers */
    sw_vec holes[SW_CLASS_COUNT]; /* uint32_t offsets free in this block */
    sw_vec used[SW_CLASS_COUNT];  /* uint32_t all shared places */
    uint32_t end;
    uint32_t now; /* index of the instruction, plus one */
} placer;

static bool
is_global(const placer *pl, sw_reg reg)
{
    return pl->is_global[reg / 64] >> (reg % 64) & 1;
}

static uint32_t
fresh_place(placer *pl, sw_class cls)
{
    uint32_t at = pl->end;
    pl->end +=
        cls == SW_CLASS_PRED ? PRED_BYTES : sw_class_bytes(cls) * SW_WARP_LANES;
    return at;
}

static void
note_mention(void *data, sw_reg reg)
{
    placer *pl = data;
    pl->last[reg] = pl->now;
}

static void
open_place(void *data, sw_reg reg)
{
    placer *pl = data;
    sw_class cls = pl->fn->regs[reg].cls;
    if (is_global(pl, reg) || pl->offset[reg] != NO_PLACE)
        return;
    sw_vec *holes = &pl->holes[cls];
    if (!holes->count) {
        /* Predicates come by the line, so that vectors stay aligned. */
        unsigned n = cls == SW_CLASS_PRED ? LINE / PRED_BYTES : 1;
        for (unsigned i = 0; i < n; i++) {
            uint32_t at = fresh_place(pl, cls);
            *(uint32_t *)sw_vec_push(&pl->used[cls]) = at;
            *(uint32_t *)sw_vec_push(holes) = at;
        }
    }
    pl->offset[reg] = *(uint32_t *)sw_vec_at(holes, holes->count - 1);
    holes->count--;
}

/* After its last mention a place is free for what the next instructions
 * write. */
static void
close_place(void *data, sw_reg reg)
{
    placer *pl = data;
    if (is_global(pl, reg) || pl->last[reg] != pl->now)
        return;
    pl->last[reg] = 0;
    sw_class cls = pl->fn->regs[reg].cls;
    *(uint32_t *)sw_vec_push(&pl->holes[cls]) = pl->offset[reg];
}

static void
place_block(placer *pl, const sw_block *block)
{
    for (int c = 0; c < SW_CLASS_COUNT; c++) {
        sw_vec_clear(&pl->holes[c]);
        for (size_t i = 0; i < pl->used[c].count; i++)
            *(uint32_t *)sw_vec_push(&pl->holes[c]) =
                *(uint32_t *)sw_vec_at(&pl->used[c], i);
    }
    for (pl->now = 1; pl->now <= block->count; pl->now++) {
        const sw_ins *ins = block->ins[pl->now - 1];
        sw_ins_visit_reads(ins, note_mention, pl);
        sw_ins_visit_writes(ins, note_mention, pl);
    }
    for (pl->now = 1; pl->now <= block->count; pl->now++) {
        const sw_ins *ins = block->ins[pl->now - 1];
        sw_ins_visit_reads(ins, open_place, pl);
        sw_ins_visit_writes(ins, open_place, pl);
        sw_ins_visit_reads(ins, close_place, pl);
        sw_ins_visit_writes(ins, close_place, pl);
    }
}

/* A register that two blocks mention is none of theirs, live or not. */
static void
note_block(void *data, sw_reg reg)
{
    placer *pl = data;
    if (pl->last[reg] && pl->last[reg] != pl->now)
        pl->is_global[reg / 64] |= (uint64_t)1 << (reg % 64);
    pl->last[reg] = pl->now;
}

static void
find_globals(placer *pl, const sw_cfg *cfg)
{
    const sw_fn *fn = pl->fn;
    size_t words = fn->reg_count / 64 + 1;
    if ((uint64_t)fn->block_count * fn->reg_count > SETS_MAX_BITS) {
        memset(pl->is_global, 0xff, words * sizeof *pl->is_global);
        return;
    }
    for (uint32_t b = 0; b < fn->block_count; b++) {
        pl->now = b + 1;
        for (uint32_t i = 0; i < fn->blocks[b]->count; i++) {
            sw_ins_visit_reads(fn->blocks[b]->ins[i], note_block, pl);
            sw_ins_visit_writes(fn->blocks[b]->ins[i], note_block, pl);
        }
    }
    memset(pl->last, 0, fn->reg_count * sizeof *pl->last);
    /* Of the others, those that come around a loop to their own block. */
    sw_liveness *live = sw_liveness_create(fn, cfg);
    for (uint32_t b = 0; b < fn->block_count; b++)
        for (size_t w = 0; w < live->words; w++)
            pl->is_global[w] |=
                live->in[b * live->words + w] | live->out[b * live->words + w];
    /* Formals are written by the caller and read at the return. */
    for (uint32_t i = 0; i < fn->param_count + fn->ret_count; i++) {
        const sw_opnd *o = i < fn->param_count ? &fn->params[i]
                                               : &fn->rets[i - fn->param_count];
        if (o->kind == SW_OPND_REG)
            pl->is_global[o->reg / 64] |= (uint64_t)1 << (o->reg % 64);
    }
    sw_liveness_destroy(live);
}

uint32_t
sw_interp_place_registers(const sw_fn *fn, const sw_cfg *cfg, uint32_t *offset)
{
    size_t words = fn->reg_count / 64 + 1;
    placer pl = {.fn = fn, .offset = offset};
    pl.last = sw_alloc(fn->reg_count * sizeof *pl.last);
    pl.is_global = sw_alloc(words * sizeof *pl.is_global);
    for (int c = 0; c < SW_CLASS_COUNT; c++) {
        sw_vec_init(&pl.holes[c], sizeof(uint32_t));
        sw_vec_init(&pl.used[c], sizeof(uint32_t));
    }
    find_globals(&pl, cfg);
    for (sw_reg r = 0; r < fn->reg_count; r++)
        offset[r] = NO_PLACE;
    /* Vectors first: they stay aligned. */
    for (sw_reg r = 1; r < fn->reg_count; r++)
        if (is_global(&pl, r) && fn->regs[r].cls != SW_CLASS_PRED)
            offset[r] = fresh_place(&pl, fn->regs[r].cls);
    for (sw_reg r = 1; r < fn->reg_count; r++)
        if (is_global(&pl, r) && fn->regs[r].cls == SW_CLASS_PRED)
            offset[r] = fresh_place(&pl, SW_CLASS_PRED);
    pl.end = (pl.end + LINE - 1) / LINE * LINE;
    for (uint32_t b = 0; b < fn->block_count; b++)
        place_block(&pl, fn->blocks[b]);
    for (sw_reg r = 0; r < fn->reg_count; r++)
        if (offset[r] == NO_PLACE)
            offset[r] = 0; /* never mentioned */
    for (int c = 0; c < SW_CLASS_COUNT; c++) {
        sw_vec_finish(&pl.holes[c]);
        sw_vec_finish(&pl.used[c]);
    }
    sw_free(pl.last);
    sw_free(pl.is_global);
    return (pl.end + LINE - 1) / LINE * LINE;
}
