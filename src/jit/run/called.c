/* SPDX-License-Identifier: Apache-2.0 */
/*
 * called.c - functions that compiled code calls by compiled code: what a warp
 * has of each; how a warp leaves from within them. See tier/callable.c for
 * which ones they are, emit/called.c for their code.
 */
#include "jit/run/deopt.h"
#include "jit/run/warp.h"

enum { ROW_ALIGN = 64 };

/* ---- what a warp has of them ---- */

static sw_jit_called *
called_of(sw_jit_ctx *ctx)
{
    return (sw_jit_called *)ctx;
}

static void
open_one(sw_warp *warp, sw_jit_warp *jw, sw_jit_called *c,
         const sw_variant *variant, void (*const *helpers)(void))
{
    const sw_interp_code *all = warp->blk->program->code;
    const sw_code *code = &all->codes[variant->of];
    uint32_t rows = code->param_count + code->ret_count;
    c->variant = variant;
    sw_iwarp *iw = warp->state;
    c->run = (sw_run){.warp = warp,
                      .iw = iw,
                      .lanes = sw_interp_lanes(),
                      .frame = &c->frame,
                      .code = code};
    c->run.x.base[1] = code->consts;
    c->frame = (sw_frame){.code = code, .up = iw->root, .depth = 1};
    c->rows = sw_alloc((size_t)SW_JIT_ARGUMENT_BYTES * (rows + 1));
    c->ctx = jw->ctx;
    c->ctx.is_called = true;
    c->ctx.helpers = helpers;
    c->ctx.live[0] = UINT32_MAX;
    c->ctx.syms = variant->syms;
    c->ctx.partitions = variant->entries;
    c->ctx.call =
        (uint32_t(*)(sw_jit_ctx *, uint32_t))(sw_jit_code *)variant->entry;
    c->ctx.rows = c->rows + -(uintptr_t)c->rows % ROW_ALIGN;
    c->ctx.windows =
        sw_alloc((variant->site_count + 1) * sizeof(sw_jit_window));
    c->site_count = variant->site_count;
    c->ctx.plans = sw_alloc((variant->site_count + 1) * sizeof(sw_tex_plan *));
    for (uint32_t i = 0; i < variant->site_count; i++)
        c->ctx.windows[i] = SW_JIT_NO_WINDOW;
}

void
sw_jit_called_open(sw_warp *warp, sw_jit_warp *jw, void (*const *helpers)(void))
{
    const sw_variant *n = jw->variant;
    if (!n->called_count)
        return;
    jw->called_count = n->called_count;
    jw->called = sw_alloc(n->called_count * sizeof(sw_jit_called *));
    jw->called_ctxs = sw_alloc(n->called_count * sizeof(sw_jit_ctx *));
    jw->ctx.called = jw->called_ctxs;
    for (uint32_t i = 0; i < n->called_count; i++) {
        if (!n->called[i])
            continue;
        jw->called[i] = sw_alloc(sizeof **jw->called);
        open_one(warp, jw, jw->called[i], n->called[i], helpers);
        jw->called_ctxs[i] = &jw->called[i]->ctx;
    }
}

void
sw_jit_called_close(sw_jit_warp *jw)
{
    for (uint32_t i = 0; i < jw->called_count; i++) {
        sw_jit_called *c = jw->called[i];
        if (!c)
            continue;
        for (uint32_t k = 0; k < c->site_count; k++)
            sw_free(c->ctx.plans[k]);
        sw_free(c->ctx.plans);
        sw_free(c->ctx.windows);
        sw_free(c->rows);
        sw_free(c);
    }
    sw_free(jw->called);
    sw_free(jw->called_ctxs);
}

void
sw_jit_called_forget(sw_jit_warp *jw)
{
    for (uint32_t i = 0; i < jw->called_count; i++) {
        sw_jit_called *c = jw->called[i];
        for (uint32_t k = 0; c && k < c->site_count; k++)
            c->ctx.windows[k] = SW_JIT_NO_WINDOW;
    }
}

void
sw_jit_called_enter(sw_jit_ctx *ctx)
{
    sw_jit_called *c = called_of(ctx);
    c->run.x.base[0] = c->frame.regs = ctx->frames[0];
    c->frame.local = (uint32_t)ctx->frame_at;
    c->frame.top =
        c->frame.local + c->run.code->fn->frame_bytes + SW_CALL_BYTES;
    c->frame.live = UINT32_MAX;
}

/* ---- leaving ---- */

static void
add_left(sw_jit_warp *jw, sw_frame *frame, uint32_t ins, uint32_t position,
         uint32_t mask)
{
    if (!mask)
        return;
    jw->left[jw->left_count++] = (sw_jit_left){frame, ins, position, mask};
    frame->live |= mask;
}

/* The frame whose caller was not known is called here. */
static void
adopt(sw_jit_warp *jw, sw_frame *up, uint32_t ins)
{
    sw_frame *orphan = jw->orphan;
    if (!orphan)
        return;
    orphan->up = up;
    orphan->return_pc = ins;
    orphan->call = up->code->ins[ins - 1].aux;
    up->live |= orphan->live;
    jw->orphan = NULL;
}

void
sw_jit_called_side_exit(sw_jit_ctx *ctx, uint32_t side_exit,
                        const uint32_t *mask)
{
    sw_jit_called *c = called_of(ctx);
    const sw_variant *n = c->variant;
    const sw_code *code = c->run.code;
    const sw_fn *fn = code->fn;
    const sw_jit_side_exit *x = &n->side_exits[side_exit];
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx));
    sw_jit_called_enter(ctx);
    sw_jit_tell_of_side_exit(ctx, x);
    sw_jit_expand_fused(ctx, x);
    sw_frame *frame = sw_interp_new_frame(c->run.iw, code);
    memcpy(frame->regs, ctx->frames[0], code->junk);
    frame->up = NULL;
    frame->live = 0;
    frame->local = c->frame.local;
    frame->top = c->frame.top;
    adopt(jw, frame, x->ins);
    uint32_t at = 0;
    add_left(jw, frame, x->ins, code->positions[code->ins[x->ins].block],
             mask[0]);
    for (uint32_t b = 0; b < fn->block_count; b++) {
        add_left(jw, frame, at, code->positions[b], ctx->pending[b]);
        at += fn->blocks[b]->count;
    }
    for (uint32_t l = 1; l < n->latch_count; l++)
        add_left(jw, frame, n->latches[l].ins, n->latches[l].position,
                 ctx->pending[fn->block_count + l]);
    jw->orphan = frame;
    ctx->left = frame->live;
}

static uint32_t
depth_of(sw_frame *frame)
{
    uint32_t depth = 0;
    for (const sw_frame *f = frame->up; f; f = f->up)
        depth++;
    return depth;
}

void
sw_jit_called_end(sw_warp *warp, uint32_t ins)
{
    sw_jit_warp *jw = sw_jit_of(warp);
    adopt(jw, jw->run.iw->root, ins);
    for (uint32_t i = 0; i < jw->left_count; i++) {
        const sw_jit_left *l = &jw->left[i];
        for (sw_frame *f = l->frame; f; f = f->up)
            f->depth = depth_of(f);
        sw_interp_add_path_in(jw->run.iw, l->frame, l->ins, l->position,
                              l->mask);
    }
    jw->left_count = 0;
}
