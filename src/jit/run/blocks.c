/* SPDX-License-Identifier: Apache-2.0 */
/*
 * blocks.c - whole blocks in compiled code, one after another: on one fiber
 * where warps do not meet at barriers, in a block loop where code goes on by
 * itself (abi.h), or as a barrier ring of fibers.
 */
#include "jit/run/record.h"
#include "jit/run/warp.h"
#include "jit/tune.h"

/* Whether each block is told of by itself. */
static bool
is_told(const sw_blk *blk)
{
    return blk->observer && sw_jit_records(blk->program);
}

/* Begins the next block in a context that is clean, and ends the one before. */
static void
next_block(sw_blk *blk, sw_jit_warp *first, uint64_t index)
{
    bool tells = is_told(blk);
    if (tells && index != first->first) {
        sw_jit_record_drain(&first->ctx);
        sw_engine_observe_end(blk);
    }
    sw_engine_next_block(blk, index, first->lanes_ended);
    first->lanes_ended = false;
    for (int k = 0; k < 3; k++)
        first->block.ctaid[k] = blk->ctaid[k];
    first->block.first_x = first->block.last_x = blk->ctaid[0];
    if (first->block.slots)
        first->block.slots[SW_JIT_SLOT_BLOCKS]++;
    if (tells) {
        sw_engine_observe_begin(blk);
        sw_jit_record_begin(blk, first);
    }
}

void
sw_jit_open_counters(const sw_blk *blk, sw_jit_warp *first)
{
    first->block.slots = NULL;
    if (blk->observer && !sw_jit_records(blk->program))
        first->block.slots = blk->observer->inline_counter->slots(
            blk->observer->arg, blk->observer_state, &first->variant->counters);
}

/* Where the blocks of a block loop end that begins with this one: with the row
 * or what is to be run. Observers want to be asked. */
static uint32_t
last_of_block_loop(const sw_blk *blk, const sw_jit_warp *first, uint64_t index)
{
    /* Of as many blocks each warp takes its piece of a row: the next warp wants
     * to find what it shares. */
    uint32_t x = blk->ctaid[0];
    uint64_t more = blk->nctaid[0] - x - 1, left = first->end - index - 1;
    if (blk->observer || blk->cluster ||
        first->variant->block_loop == SW_JIT_NO_LOOP)
        return x;
    more = left < more ? left : more;
    if (first->variant->block_loop == SW_JIT_BY_WARPS &&
        more >= sw_jit_tune.block_loop_blocks)
        more = sw_jit_tune.block_loop_blocks - 1;
    return x + (uint32_t)more;
}

/* Where warps have phases, each goes through the blocks by itself. */
static void
run_phases(const sw_blk *blk, sw_jit_warp *first)
{
    for (uint32_t i = 0; i < blk->warp_count; i++) {
        sw_jit_warp *jw = sw_jit_of(&blk->warps[i]);
        sw_jit_all_live(&jw->ctx);
        jw->ctx.follow = NULL;
        first->block.ctaid[0] = first->block.first_x;
        jw->entry(&jw->ctx);
    }
}

/* Puts the warps of a block in a row. */
static void
run_block_loop(const sw_blk *blk, sw_jit_warp *first)
{
    sw_jit_ctx *next = NULL;
    for (uint32_t i = blk->warp_count; i > 0;) {
        i -= sw_jit_fused_warps_of(first);
        sw_jit_ctx *ctx = &sw_jit_of(&blk->warps[i])->ctx;
        sw_jit_all_live(ctx);
        ctx->follow = next;
        next = ctx;
    }
    first->block.lead = next;
    first->entry(next);
}

static void
run_by_warps(const sw_blk *blk, sw_jit_warp *first)
{
    const sw_fiber *mine = first->plain;
    for (uint32_t i = 0; i < blk->warp_count && first->plain == mine;
         i += sw_jit_fused_warps_of(first)) {
        sw_jit_warp *jw = sw_jit_of(&blk->warps[i]);
        first->block.now = &jw->ctx;
        sw_jit_all_live(&jw->ctx);
        jw->entry(&jw->ctx);
    }
}

/* The warp to which a fiber was given. */
static sw_jit_warp *
owner_of(const sw_blk *blk, const sw_jit_warp *first, const sw_fiber *fiber)
{
    uint32_t i = 0;
    while (sw_jit_of(&blk->warps[i])->fiber != fiber)
        i += sw_jit_fused_warps_of(first);
    return sw_jit_of(&blk->warps[i]);
}

/* The fiber's function for warps that meet at no barrier: all of them, one
 * after another. If one has to wait after all, the fiber is its own from then
 * on. */
static void
run_plain(void *arg)
{
    sw_blk *blk = arg;
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    sw_fiber *mine = first->plain;
    while (true) {
        uint64_t b = first->first;
        while (b < first->end && !(first->done && sw_engine_is_stopped(blk))) {
            if (b > first->first)
                next_block(blk, first, b);
            first->block.last_x = last_of_block_loop(blk, first, b);
            if (first->variant->block_loop == SW_JIT_NO_LOOP)
                run_by_warps(blk, first);
            else if (first->variant->phases > 1)
                run_phases(blk, first);
            else
                run_block_loop(blk, first);
            while (first->plain != mine) {
                sw_jit_warp *jw = owner_of(blk, first, mine);
                sw_jit_end_warp(jw);
                sw_jit_wait_turn(jw, SW_STOP_DONE);
            }
            first->done += first->block.last_x - first->block.first_x + 1;
            b = first->first + first->done;
        }
        sw_fiber_leave(mine, mine);
    }
}

void
sw_jit_break_plain(const sw_blk *blk, sw_jit_warp *first, sw_jit_warp *running)
{
    uint32_t at = sw_jit_warp_of(&running->ctx)->index;
    running->fiber = first->plain;
    running->ctx.fiber = running->fiber;
    running->has_run = true;
    first->plain = NULL;
    first->done += first->block.ctaid[0] - first->block.first_x;
    first->block.last_x = first->block.ctaid[0];
    for (uint32_t i = 0; i < blk->warp_count;
         i += sw_jit_fused_warps_of(first)) {
        sw_jit_warp *other = sw_jit_of(&blk->warps[i]);
        other->ctx.follow = NULL;
        if (i < at)
            sw_jit_end_alone(other);
        else if (i > at)
            sw_jit_all_live(&other->ctx);
    }
}

static void
run_blocks_plain(sw_blk *blk, sw_jit_warp *first)
{
    if (!first->plain)
        first->plain = sw_fiber_get(run_plain, blk);
    if (!first->plain)
        return;
    sw_fiber_enter(first->plain, first->variant->flushes);
}

/* Puts the warps of a block in a ring, so that they need not come back here at
 * their barriers. */
static bool
form_ring(const sw_blk *blk, sw_jit_warp *first)
{
    uint32_t fused = sw_jit_fused_warps_of(first);
    sw_jit_warp *before = sw_jit_of(&blk->warps[blk->warp_count - fused]);
    for (uint32_t i = 0; i < blk->warp_count; i += fused) {
        sw_jit_warp *jw = sw_jit_of(&blk->warps[i]);
        if (!sw_jit_get_fiber(jw)) { /* each warp says so when its turn comes */
            while (i >= fused)
                sw_jit_of(&blk->warps[i -= fused])->ctx.ring = NULL;
            return false;
        }
        sw_fiber_fn *entry = (sw_fiber_fn *)(sw_jit_code *)jw->entry;
        sw_fiber_begin_code(jw->fiber, entry, &jw->ctx, sw_jit_come_back, jw);
        jw->has_run = false;
        sw_jit_all_live(&jw->ctx);
        jw->ctx.ring = &first->ring;
        jw->ctx.red = 0;
        jw->ctx.wait = SW_JIT_NO_RED;
        jw->ctx.before = &before->ctx;
        before->ctx.next = &jw->ctx;
        before = jw;
    }
    first->ring = (sw_jit_barrier_ring){.live = blk->warp_count / fused,
                                        .root = first->fiber};
    sw_jit_record_meet(blk, true);
    return true;
}

/* A warp that can go on in a ring from where it is: at the barrier. */
static bool
may_join(const sw_jit_warp *jw, const sw_jit_warp *running)
{
    return jw->variant == running->variant && jw->fiber && !jw->has_left &&
           jw->ctx.wait == SW_JIT_NO_RED &&
           (jw == running || (jw->is_waiting && !jw->awaits &&
                              jw->barrier == 0 && !jw->has_run));
}

void
sw_jit_enter_ring(sw_jit_ctx *ctx)
{
    const sw_blk *blk = sw_jit_warp_of(ctx)->blk;
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]),
                *running = sw_jit_of(sw_jit_warp_of(ctx));
    uint32_t fused = sw_jit_fused_warps_of(running), live = 0;
    for (uint32_t i = 0; i < blk->warp_count; i += fused) {
        if (blk->warps[i].stop == SW_STOP_DONE)
            continue;
        if (!may_join(sw_jit_of(&blk->warps[i]), running))
            return;
        live++;
    }
    if (live < 2)
        return;
    sw_jit_ctx *before = ctx;
    uint32_t at = sw_jit_warp_of(ctx)->index;
    for (uint32_t n = 0; n < blk->warp_count; n += fused) {
        uint32_t i = (at + n) % blk->warp_count;
        sw_jit_warp *jw = sw_jit_of(&blk->warps[i]);
        if (blk->warps[i].stop == SW_STOP_DONE) {
            memset(jw->ctx.live, 0, sizeof jw->ctx.live); /* as it is known */
            continue;
        }
        jw->ctx.ring = &first->ring;
        jw->ctx.red = 0;
        jw->ctx.before = before;
        before->next = &jw->ctx;
        before = &jw->ctx;
    }
    before->next = ctx;
    ctx->before = before;
    first->ring = (sw_jit_barrier_ring){.live = live, .root = running->fiber};
    first->has_joined = true;
    sw_jit_record_meet(blk, true);
}

void
sw_jit_end_ring(const sw_blk *blk)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    if (!first->has_joined)
        return;
    sw_jit_record_meet(blk, false);
    first->has_joined = false;
    for (uint32_t i = 0; i < blk->warp_count; i += sw_jit_fused_warps_of(first))
        sw_jit_end_alone(sw_jit_of(&blk->warps[i]));
}

static void
run_blocks_in_ring(sw_blk *blk, sw_jit_warp *first)
{
    for (uint64_t b = first->first; b < first->end; b++) {
        if (b > first->first)
            next_block(blk, first, b);
        if (!form_ring(blk, first)) {
            first->is_clean = false;
            return;
        }
        sw_fiber_enter(first->fiber, first->variant->flushes);
        if (first->ring.live) { /* somebody waits for something else */
            first->is_clean = false;
            return;
        }
        first->done++;
        if (sw_engine_is_stopped(blk))
            return;
    }
}

static uint64_t
run_blocks(sw_blk *blk, uint64_t begin, uint64_t count)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    if (!sw_jit_is_ready(blk, first->variant) || !first->is_clean) {
        sw_engine_begin_block(blk, begin);
        if (!first->is_native)
            return 0;
        first->is_clean = true;
    } else {
        blk->index = UINT64_MAX - 1;
        first->block.slots = NULL;
        first->first = begin;
        next_block(blk, first, begin);
        if (!is_told(blk))
            sw_engine_observe_begin(blk);
        sw_jit_set_up_block(blk);
        sw_jit_check_windows(blk, first);
    }
    /* The blocks of a row have one place for that. */
    sw_jit_open_counters(blk, first);
    first->first = begin;
    first->end = begin + count;
    first->done = 0;
    if (!blk->program->info.uses_barrier ||
        sw_jit_fused_warps_of(first) ==
            blk->warp_count) /* who meets is there */
        run_blocks_plain(blk, first);
    else if (sw_fiber_is_plain())
        run_blocks_in_ring(blk, first);
    if (first->done < count && sw_engine_is_stopped(blk) && first->is_clean)
        first->done = count; /* the rest is given up */
    for (uint32_t i = 0; i < blk->warp_count; i++)
        sw_jit_take_count(&blk->warps[i], sw_jit_of(&blk->warps[i]));
    if (first->done < count) {
        first->is_clean = false;
    } else {
        sw_jit_record_drain(&first->ctx);
        sw_engine_observe_end(blk);
    }
    return first->done;
}

uint64_t
sw_jit_run_blocks(sw_blk *blk, uint64_t begin, uint64_t count)
{
    sw_jit_warp *first = sw_jit_of(&blk->warps[0]);
    sw_jit_find_variant(blk, first);
    sw_variant *base = first->base;
    if (!sw_jit_is_ready(blk, base) || !sw_variant_is_autotuned(base))
        return run_blocks(blk, begin, count);
    uint64_t start = sw_time_ns();
    sw_variant *variant = sw_variant_choose(base, first->variant, start);
    if (variant != first->variant)
        sw_jit_change_variant(blk, variant);
    uint64_t done = run_blocks(blk, begin, count), end = sw_time_ns();
    if (done == count)
        sw_variant_note_run(base, variant, count, end - start, end);
    return done;
}
