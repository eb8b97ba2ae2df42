/* SPDX-License-Identifier: Apache-2.0 */
/*
 * osr.c - on-stack replacement: a block that the interpreter has begun goes on
 * in compiled code. Blocks that begin later do so there anyway; this is for
 * those that run long, of grids of few.
 *
 * The block gets a variant of its own for that (sw_variant.osr), by warps
 * alone. From then on each warp is as one that has left compiled code, but the
 * interpreter stops it where lanes come back to the first instruction of an
 * outermost loop. If all others wait behind that loop, as they would in
 * compiled code, it goes on from there on its fiber. It may leave again and
 * come back, but not without end, nor if it left to wait for lanes of its own.
 * With the next block all is as before.
 */
#include "jit/run/deopt.h"
#include "jit/run/warp.h"
#include "jit/tune.h"

enum { TOLD = 8 }; /* messages of a variant that a warp comes in */

/* ---- the block ---- */

static void
open_warp(sw_warp *warp, sw_variant *variant)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_iwarp *iw = warp->state;
    sw_variant *base = jw->base;
    sw_jit_close(jw);
    jw->base = base;
    jw->variant = variant;
    jw->is_set_up = jw->is_native = jw->has_left = jw->was_interpreted = true;
    iw->stops = variant->stops;
    iw->stop_count = variant->entry_count;
}

bool
sw_jit_osr_begin(sw_blk *blk)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    sw_variant *variant = sw_variant_find_osr(first->variant);
    if (!variant)
        return false;
    for (uint32_t i = 0; i < blk->warp_count; i++)
        open_warp(&blk->warps[i], variant);
    for (uint32_t i = 0; i < blk->warp_count; i++)
        sw_jit_set_up(&blk->warps[i], sw_jit_of(&blk->warps[i]));
    sw_jit_check_windows(blk, first);
    sw_jit_set_up_block(blk);
    sw_jit_open_counters(blk, first);
    return true;
}

/* ---- its warps ---- */

static const sw_jit_osr_entry *
entry_at(const sw_variant *variant, uint32_t ins)
{
    for (uint32_t i = 0; i < variant->entry_count; i++)
        if (variant->stops[i] == ins)
            return &variant->osr_entries[i];
    return NULL;
}

static const sw_jit_reconv_point *
point_at(const sw_variant *variant, const sw_jit_osr_entry *entry,
         const sw_path *p)
{
    const sw_jit_reconv_point *points = variant->points + entry->first_point;
    for (uint32_t i = 0; i < entry->points; i++)
        if (points[i].ins == p->pc && points[i].position == p->position)
            return &points[i];
    return NULL;
}

static bool
is_plain(const sw_iwarp *iw, const sw_path *p)
{
    return p->state == SW_PATH_RUN && p->frame == iw->root && !p->meets;
}

/* A warp as it would come in. */
typedef struct {
    const sw_jit_osr_entry *entry;
    uint32_t coming, waiting; /* lanes */
    const sw_jit_reconv_point
        *points[SW_WARP_LANES]; /* of each path that waits, */
    uint32_t masks[SW_WARP_LANES], count;
} arrival;

/* Somebody is at an entry, and all others wait at reconvergence points behind
 * it. */
static bool
look_who_is_there(const sw_warp *warp, const sw_variant *variant, arrival *a)
{
    const sw_iwarp *iw = warp->state;
    if (iw->current >= iw->path_count)
        return false;
    const sw_path *p = &iw->paths[iw->current];
    *a = (arrival){.entry = entry_at(variant, p->pc), .coming = p->mask};
    if (!a->entry || !is_plain(iw, p) ||
        (a->entry->needs_all && warp->ended & warp->lanes))
        return false;
    for (uint32_t i = 0; i < iw->path_count; i++) {
        const sw_path *q = &iw->paths[i];
        if (q == p)
            continue;
        const sw_jit_reconv_point *point = point_at(variant, a->entry, q);
        if (!point || !is_plain(iw, q))
            return false;
        a->points[a->count] = point;
        a->masks[a->count++] = q->mask;
        a->waiting |= q->mask;
    }
    return true;
}

/* From the interpreter's registers to those that the code expects; all of them,
 * or nothing has been changed. */
static bool
contract_all(const sw_variant *variant, const arrival *a, uint8_t *regs)
{
    const sw_jit_osr_entry *entry = a->entry;
    const uint32_t *stack_map = variant->stack_map + entry->first;
    sw_jit_location_parts *all = sw_alloc((entry->count + 1) * sizeof *all);
    bool ok = true;
    for (uint32_t i = 0; i < entry->count && ok; i++) {
        uint32_t lanes = (i < entry->living ? a->coming : 0) |
                         (i >= entry->waiting ? a->waiting : 0);
        if (lanes)
            ok = sw_jit_contract(&variant->locations[stack_map[i]],
                                 variant->lanes, regs, lanes, &all[i]);
    }
    for (uint32_t i = 0; i < entry->count && ok; i++)
        sw_jit_put_parts(&variant->locations[stack_map[i]], &all[i], regs);
    sw_free(all);
    return ok;
}

static void
come_in(sw_warp *warp, sw_jit_warp *jw, const arrival *a)
{
    sw_jit_ctx *ctx = &jw->ctx;
    uint32_t live = warp->lanes & ~warp->ended;
    sw_interp_resume(warp, live);
    sw_interp_open(warp, &jw->run);
    jw->has_left = jw->is_waiting = jw->has_run = jw->awaits = false;
    jw->entry = jw->variant->entries[a->entry->partition];
    ctx->entrance = a->entry->entrance;
    ctx->handed[0] = a->coming;
    ctx->live[0] = live;
    for (uint32_t i = 0; i < a->count; i++)
        ctx->pending[a->points[i]->mask] |= a->masks[i];
    if (jw->variant->has_local_rows)
        sw_jit_mix_local(ctx->local, ctx->local_stride, SW_WARP_LANES);
}

void
sw_jit_osr_end(const sw_warp *warp)
{
    sw_iwarp *iw = warp->state;
    iw->stop_count = 0;
}

/* It would often be in vain. */
static void
wait_longer(sw_jit_warp *jw, sw_iwarp *iw)
{
    iw->passes = 1u << jw->osr_refused;
    jw->osr_refused += jw->osr_refused < sw_jit_tune.osr_passes;
}

bool
sw_jit_osr_enter(sw_warp *warp)
{
    arrival a;
    sw_jit_warp *jw = sw_jit_of(warp);
    sw_iwarp *iw = warp->state;
    if (!iw->has_stopped)
        return false;
    if (jw->osr_count >= sw_jit_tune.osr_entries) {
        sw_jit_osr_end(warp);
        return false;
    }
    if (!look_who_is_there(warp, jw->variant, &a) || !sw_jit_get_fiber(jw)) {
        wait_longer(jw, iw);
        return false;
    }
    if (!contract_all(jw->variant, &a, iw->root->regs)) {
        sw_jit_put_fiber(jw);
        sw_jit_osr_end(warp); /* it would be so again */
        return false;
    }
    if (atomic_fetch_add(&jw->variant->comings, 1) < TOLD)
        sw_log(SW_LOG_DEBUG, "%s: a warp goes on in compiled code",
               jw->variant->program->kernel->name);
    come_in(warp, jw, &a);
    jw->osr_count++;
    return true;
}
