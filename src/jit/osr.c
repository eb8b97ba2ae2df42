/* SPDX-License-Identifier: Apache-2.0 */
/*
 * osr.c - on-stack replacement: a block that the interpreter has begun goes on
 * in compiled code. Blocks that begin later do so there anyway; this is for
 * those that run long, of grids of few.
 *
 * The block gets a form of its own for that (sw_native.osr), by warps alone.
 * From then on each warp is as one that has left compiled code, but the
 * interpreter stops it where it comes to the first instruction of an outermost
 * loop with all its lanes, and it goes on from there on its fiber. It may leave
 * again and come back, but not without end, nor if it left to wait for lanes of
 * its own. With the next block all is as before.
 */
#include "jit/leave.h"
#include "jit/warp.h"

enum {
    MOST = 64, /* times that a warp comes in during a block */
    TOLD = 8   /* messages of that */
};

/* ---- the block ---- */

static void
open_warp(sw_warp *warp, sw_native *form)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_iwarp *iw = warp->state;
    sw_native *base = jw->base;
    sw_jit_close(jw);
    jw->base = base;
    jw->native = form;
    jw->is_set_up = jw->is_native = jw->has_left = jw->was_interpreted = true;
    iw->stops = form->stops;
    iw->stop_count = form->entry_count;
}

bool
sw_jit_osr_begin(sw_blk *blk)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    sw_native *form = sw_native_find_osr(first->native);
    if (!form)
        return false;
    for (uint32_t i = 0; i < blk->warp_count; i++)
        open_warp(&blk->warps[i], form);
    for (uint32_t i = 0; i < blk->warp_count; i++)
        sw_jit_set_up(&blk->warps[i], sw_jit_of(&blk->warps[i]));
    sw_jit_check_windows(blk, first);
    sw_jit_set_up_block(blk);
    sw_jit_open_tally(blk, first);
    return true;
}

/* ---- its warps ---- */

static const sw_jit_osr_entry *
entry_of(const sw_warp *warp, const sw_native *form)
{
    const sw_iwarp *iw = warp->state;
    const sw_path *p = &iw->paths[0];
    uint32_t live = warp->lanes & ~warp->ended;
    if (iw->path_count != 1 || p->state != SW_PATH_RUN ||
        p->frame != iw->root || p->mask != live || p->meets)
        return NULL;
    for (uint32_t i = 0; i < form->entry_count; i++)
        if (form->stops[i] == p->pc)
            return live == warp->lanes || !form->osr_entries[i].needs_all
                       ? &form->osr_entries[i]
                       : NULL;
    return NULL;
}

/* From the interpreter's registers to those that the code expects; all of them,
 * or nothing has been changed. */
static bool
contract_all(const sw_native *form, const sw_jit_osr_entry *entry,
             uint8_t *regs, uint32_t live)
{
    sw_jit_parts_of_form *all = sw_alloc((entry->count + 1) * sizeof *all);
    bool ok = true;
    for (uint32_t i = 0; i < entry->count && ok; i++)
        ok = sw_jit_contract(&form->forms[form->uses[entry->first + i]],
                             form->lanes, regs, live, &all[i]);
    for (uint32_t i = 0; i < entry->count && ok; i++)
        sw_jit_put_parts(&form->forms[form->uses[entry->first + i]], &all[i],
                         regs);
    sw_free(all);
    return ok;
}

static void
come_in(sw_warp *warp, sw_jit_warp *jw, const sw_jit_osr_entry *entry)
{
    sw_jit_ctx *ctx = &jw->ctx;
    uint32_t live = warp->lanes & ~warp->ended;
    sw_interp_resume(warp, live);
    sw_interp_open(warp, &jw->run);
    jw->has_left = jw->is_waiting = jw->has_run = jw->awaits = false;
    jw->entry = jw->native->entries[entry->part];
    ctx->entrance = entry->entrance;
    ctx->handed[0] = ctx->live[0] = live;
    if (jw->native->has_local_rows)
        sw_jit_mix_local(ctx->local, ctx->local_stride, SW_WARP_LANES);
}

void
sw_jit_osr_end(const sw_warp *warp)
{
    sw_iwarp *iw = warp->state;
    iw->stop_count = 0;
}

bool
sw_jit_osr_enter(sw_warp *warp)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_iwarp *iw = warp->state;
    if (!iw->stop_count)
        return false;
    if (jw->osr_count >= MOST) {
        sw_jit_osr_end(warp);
        return false;
    }
    const sw_jit_osr_entry *entry = entry_of(warp, jw->native);
    if (!entry || !sw_jit_get_fiber(jw))
        return false;
    if (!contract_all(jw->native, entry, iw->root->regs, iw->paths[0].mask)) {
        sw_jit_put_fiber(jw);
        sw_jit_osr_end(warp); /* it would be so again */
        return false;
    }
    if (atomic_fetch_add(&jw->native->comings, 1) < TOLD)
        sw_log(SW_LOG_DEBUG, "%s: a warp goes on in compiled code",
               jw->native->program->kernel->name);
    come_in(warp, jw, entry);
    jw->osr_count++;
    return true;
}
