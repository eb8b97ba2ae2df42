/* SPDX-License-Identifier: Apache-2.0 */
/* observe.c - see run/observe.h. */
#include "jit/run/observe.h"

#include "jit/inline_counter.h"
#include "jit/run/warp.h"

void
sw_jit_observe(sw_run *run, uint32_t ins, uint32_t mask,
               const uint64_t addr[SW_WARP_LANES], uint32_t bytes, bool is_row)
{
    const sw_dins *d = &run->code->ins[ins];
    sw_space space = (sw_space)d->ins->space;
    const sw_blk *blk = run->warp->blk;
    const struct sw_inline_counter *counter = blk->observer->inline_counter;
    bool is_plain = space == SW_SPACE_SHARED || space == SW_SPACE_GLOBAL ||
                    space == SW_SPACE_CONST;
    if (counter->access && is_plain) {
        sw_ev_access access = {.fn = run->code->fn,
                               .ins = d->ins,
                               .index = run->code->first + ins,
                               .mask = mask,
                               .space = space,
                               .bytes = bytes,
                               .is_row = is_row,
                               .addr = addr};
        counter->access(blk->observer->arg, blk->observer_state, &access);
        return;
    }
    sw_interp_observe_at(run, ins, mask);
    if (is_plain)
        sw_interp_observe_in(run, d->ins, mask, space, addr, bytes);
    else
        sw_interp_observe(run, d, mask, addr, bytes);
}

void
sw_jit_observe_at(sw_run *run, const sw_counter_access *a, uint32_t mask,
                  uint64_t start)
{
    uint64_t addr[SW_WARP_LANES];
    for (int i = 0; i < SW_WARP_LANES; i++)
        addr[i] = start + (uint64_t)a->at[i];
    sw_jit_observe(run, a->ins, mask, addr, a->bytes, a->is_row);
}

/* ---- what compiled code calls ---- */

void
sw_jit_help_access(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask,
                   const uint64_t addr[SW_WARP_LANES], uint32_t bytes,
                   uint32_t table, uint32_t warp)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx) + warp);
    uint64_t *slots = ctx->block->slots;
    const sw_counter_access *a =
        table == SW_JIT_NONE ? NULL : &jw->variant->accesses[table];
    if (a && mask != UINT32_MAX && sw_jit_count_groups(slots, a, mask, addr))
        return;
    sw_jit_observe(&jw->run, ins, mask, addr, bytes, false);
    if (a && mask == UINT32_MAX)
        sw_jit_predict_strides(slots, a, addr);
}

/* Where offsets of what the instruction moves count from. */
static uint64_t
shared_of(const sw_jit_ctx *ctx, uint32_t ins)
{
    const sw_code *code = sw_jit_of(sw_jit_warp_of(ctx))->run.code;
    return code->ins[ins].ins->space == SW_SPACE_SHARED
               ? (uint64_t)(uintptr_t)ctx->shared
               : 0;
}

void
sw_jit_help_access_at(sw_jit_ctx *ctx, uint32_t table, uint32_t mask,
                      uint64_t start, uint32_t warp)
{
    sw_jit_warp *jw = sw_jit_of(sw_jit_warp_of(ctx) + warp);
    const sw_counter_access *a = &jw->variant->accesses[table];
    if (!sw_jit_count_at(ctx->block->slots, a, mask, start))
        sw_jit_observe_at(&jw->run, a, mask, start - shared_of(ctx, a->ins));
}

void
sw_jit_help_access_fused(sw_jit_ctx *ctx, uint32_t ins, const uint32_t masks[],
                         const uint64_t addr[][SW_WARP_LANES], uint64_t start,
                         uint32_t bytes, uint32_t tables)
{
    const sw_variant *n = sw_jit_of(sw_jit_warp_of(ctx))->variant;
    const sw_counter_access *a =
        tables == SW_JIT_NONE ? NULL : &n->accesses[tables];
    uint64_t *slots = ctx->block->slots;
    if (!addr) {
        uint32_t left = sw_jit_count_fused(slots, a, n->fused, masks, start);
        for (; left; left &= left - 1) {
            uint32_t w = (uint32_t)__builtin_ctz(left);
            sw_jit_observe_at(&sw_jit_of(sw_jit_warp_of(ctx) + w)->run, &a[w],
                              masks[w], start - shared_of(ctx, ins));
        }
        return;
    }
    uint64_t shared = shared_of(ctx, ins), offset[SW_WARP_LANES];
    for (uint32_t w = 0; w < n->fused; w++) {
        if (!masks[w] ||
            (a && sw_jit_count_groups(slots, &a[w], masks[w], addr[w])))
            continue;
        for (int i = 0; i < SW_WARP_LANES; i++)
            offset[i] = addr[w][i] - shared;
        sw_jit_observe(&sw_jit_of(sw_jit_warp_of(ctx) + w)->run, ins, masks[w],
                       offset, bytes, false);
        if (a && masks[w] == UINT32_MAX)
            sw_jit_predict_strides(slots, &a[w], addr[w]);
    }
}
