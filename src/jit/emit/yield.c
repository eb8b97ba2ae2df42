/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yield.c - loops that go around for long, or wait for what others do: now
 * and then they let other warps and blocks have a turn.
 */
#include "jit/emit/exits.h"

#define B e->ll.builder

/* What the slot of a loop says when so many turns are left. */
static LLVMValueRef
turns_left(const sw_jit_emit *e, uint32_t loop, bool is_fresh)
{
    return sw_jit_i32(e, 2 * sw_jit_back_edges(e->plan, loop) + is_fresh);
}

LLVMValueRef
sw_jit_spin_slot(sw_jit_emit *e, uint32_t loop)
{
    if (sw_jit_is_spread(e->plan, loop))
        return sw_jit_at(e, sw_jit_ctx_of(e),
                         sw_jit_i64(e, offsetof(sw_jit_ctx, turns)));
    if (!e->f.spin_slots[loop])
        e->f.spin_slots[loop] =
            sw_jit_first_slot(e, turns_left(e, loop, false));
    return e->f.spin_slots[loop];
}

void
sw_jit_enter_loops(sw_jit_emit *e, const sw_block *block)
{
    for (uint32_t i = 0; i < block->target_count; i++) {
        uint32_t to = block->targets[i], l = e->plan->cfg->loop[to];
        if (l && e->plan->cfg->loops[l].header == to &&
            e->plan->waits[l] >= SW_JIT_ENDS_BY_OTHERS &&
            !sw_cfg_is_in_loop(e->plan->cfg, l, block->index) &&
            !sw_jit_is_spread(e->plan, l))
            LLVMBuildStore(B, turns_left(e, l, true), sw_jit_spin_slot(e, l));
    }
}

LLVMValueRef
sw_jit_sleep_reason(sw_jit_emit *e)
{
    uint32_t l = e->plan->cfg->loop[e->b.block];
    LLVMValueRef sleeps = sw_jit_i32(e, SW_JIT_SLEEPS);
    if (!l || e->plan->waits[l] < SW_JIT_ENDS_LONG ||
        sw_jit_is_spread(e->plan, l))
        return sleeps;
    LLVMValueRef n = LLVMBuildLoad2(B, e->t.i32, sw_jit_spin_slot(e, l), "");
    return LLVMBuildSelect(
        B, LLVMBuildICmp(B, LLVMIntEQ, n, turns_left(e, l, true), ""),
        sw_jit_i32(e, SW_JIT_SLEEPS | SW_JIT_FRESH), sleeps, "");
}

/* SW_JIT_FOR_OTHERS or 0, i32, of lanes that go around the loop. One thread of
 * a block may do so for all others until all blocks have come: it does not wait
 * for lanes of its own warp that have passed it by, if these come to a barrier,
 * which is that thread's as well, before anybody sees what they do. */
static LLVMValueRef
waits_for_others(sw_jit_emit *e, uint32_t loop)
{
    const sw_cfg *cfg = e->plan->cfg;
    uint32_t head = e->shapes->head[cfg->loops[loop].header];
    LLVMValueRef helps = LLVMConstNull(e->t.mask_type);
    if (head == SW_SHAPES_ROOT ||
        sw_jit_reason_of(e->plan, loop) != SW_JIT_MAY_WAIT)
        return sw_jit_i32(e, 0);
    for (uint32_t i = 0; i < cfg->count + cfg->loop_count; i++) {
        bool is_point = i < cfg->count;
        uint32_t l = is_point ? 0 : i - cfg->count;
        sw_jit_place place = {is_point ? SW_JIT_AT_POINT : SW_JIT_AT_LATCH,
                              is_point ? i : l};
        uint32_t at = is_point ? cfg->sched[i] : cfg->loops[l].latch;
        if (sw_jit_has_point(e->plan, place) && at > cfg->sched[head] &&
            !sw_jit_goes_to_barriers(e->plan,
                                     is_point ? i : cfg->loops[l].header))
            helps = LLVMBuildOr(
                B, helps, sw_jit_load_pending(e, sw_jit_pending_of(e, place)),
                "");
    }
    return LLVMBuildSelect(B, sw_jit_any(e, helps), sw_jit_i32(e, 0),
                           sw_jit_i32(e, SW_JIT_FOR_OTHERS), "");
}

void
sw_jit_count_back_edge(sw_jit_emit *e, uint32_t loop, LLVMValueRef mask)
{
    if (!loop)
        return;
    uint32_t header = e->plan->cfg->loops[loop].header, was = e->b.block;
    LLVMValueRef slot = sw_jit_spin_slot(e, loop);
    LLVMValueRef n = LLVMBuildSub(B, LLVMBuildLoad2(B, e->t.i32, slot, ""),
                                  sw_jit_i32(e, 2), "");
    LLVMBuildStore(B, n, slot);
    LLVMBasicBlockRef rest = sw_jit_block(e, "rest");
    LLVMBasicBlockRef out = sw_jit_block(e, "out");
    LLVMBasicBlockRef on = sw_jit_block(e, "on");
    LLVMValueRef go = LLVMBuildICmp(B, LLVMIntSGT, n, sw_jit_i32(e, 1), "");
    sw_jit_likely(e, LLVMBuildCondBr(B, go, on, rest), true);
    LLVMPositionBuilderAtEnd(B, rest);
    LLVMBuildStore(B, turns_left(e, loop, false), slot);
    LLVMValueRef bits = sw_jit_mask_bits(e, mask);
    uint32_t soon = e->plan->waits[loop] == SW_JIT_ENDS_LONG ? SW_JIT_SOON : 0;
    LLVMValueRef why =
        LLVMBuildOr(B, sw_jit_i32(e, sw_jit_reason_of(e->plan, loop) | soon),
                    waits_for_others(e, loop), "");
    LLVMValueRef fresh = LLVMBuildAnd(B, n, sw_jit_i32(e, 1), "");
    fresh = LLVMBuildMul(B, fresh, sw_jit_i32(e, SW_JIT_FRESH), "");
    LLVMValueRef args[3] = {sw_jit_i32(e, e->plan->first_ins[header]),
                            sw_jit_mask_memory(e, bits),
                            LLVMBuildOr(B, why, fresh, "")};
    LLVMValueRef r = sw_jit_call(e, SW_JIT_SPIN, e->t.i32, args, 3);
    LLVMBuildCondBr(B, LLVMBuildICmp(B, LLVMIntNE, r, sw_jit_i32(e, 0), ""),
                    out, on);
    LLVMPositionBuilderAtEnd(B, out);
    uint64_t *now = e->f.now;
    e->b.block = header;
    e->f.now = (uint64_t *)(uintptr_t)e->plan->live->in +
               header * e->plan->live->words;
    sw_jit_emit_side_exit(e, e->plan->first_ins[header], bits);
    e->f.now = now;
    e->b.block = was;
    LLVMPositionBuilderAtEnd(B, on);
}
