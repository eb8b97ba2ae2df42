/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pending.c - the masks of lanes that wait at reconvergence points. Those of
 * few points are values; those of many lie in memory, where a side exit wants
 * them.
 */
#include "jit/emit/exits.h"
#include "jit/tune.h"

#define B e->ll.builder

/* Of lanes that wait at the reconvergence point of a block, or, behind the
 * blocks, at a latch; those of many points lie where a side exit wants them. */
LLVMValueRef
sw_jit_pending_slot(sw_jit_emit *e, uint32_t index)
{
    return e->f.pending_base ? sw_jit_at(e, e->f.pending_base,
                                         sw_jit_i64(e, e->lanes / 8 * index))
                             : sw_jit_zero_slot(e, e->t.mask_type);
}

LLVMValueRef
sw_jit_pending_of(sw_jit_emit *e, sw_jit_place place)
{
    bool is_latch = place.kind == SW_JIT_AT_LATCH;
    LLVMValueRef slot =
        is_latch ? e->f.latch_pending[place.of] : e->f.pending[place.of];
    return slot ? slot
                : sw_jit_pending_slot(
                      e, place.of + (is_latch ? e->plan->cfg->count : 0));
}

LLVMValueRef
sw_jit_load_pending(const sw_jit_emit *e, LLVMValueRef slot)
{
    if (!e->f.pending_base)
        return LLVMBuildLoad2(B, e->t.mask_type, slot, "");
    LLVMValueRef bits = LLVMBuildLoad2(B, e->t.bits, slot, "");
    sw_jit_set_align(bits, 4);
    return LLVMBuildBitCast(B, bits, e->t.mask_type, "");
}

static void
store_pending(const sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef mask)
{
    if (!e->f.pending_base)
        LLVMBuildStore(B, mask, slot);
    else
        sw_jit_set_align(LLVMBuildStore(B, sw_jit_mask_bits(e, mask), slot), 4);
}

/* The lanes that waited, which now go on. */
LLVMValueRef
sw_jit_take_pending(const sw_jit_emit *e, LLVMValueRef slot)
{
    LLVMValueRef mask = sw_jit_load_pending(e, slot);
    store_pending(e, slot, LLVMConstNull(e->t.mask_type));
    return mask;
}

uint64_t
sw_jit_pending_bytes(const sw_jit_emit *e)
{
    return e->lanes / 8 *
           (e->plan->cfg->count + (uint64_t)e->plan->cfg->loop_count);
}

/* As values, the masks of n points are merged wherever two ways meet, and
 * stored by each side exit: n^2 instructions. Parts share them. Returns their
 * bytes if they are in memory. */
uint64_t
sw_jit_place_pending(sw_jit_emit *e)
{
    uint32_t points = sw_jit_count_points(e->plan);
    bool is_known = e->shapes->map.is_block && e->lanes > 32;
    if (!points || (!sw_jit_is_cut(e->plan) &&
                    points <= (is_known ? sw_jit_tune.pending_values_block
                                        : sw_jit_tune.pending_values)))
        return 0;
    e->f.pending_base =
        e->f.own_pending
            ? e->f.own_pending
            : sw_jit_field(e, offsetof(sw_jit_ctx, pending), e->t.ptr, true);
    return sw_jit_pending_bytes(e);
}

void
sw_jit_add_pending(sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef mask)
{
    LLVMValueRef m = sw_jit_load_pending(e, slot);
    store_pending(e, slot, LLVMBuildOr(B, m, mask, ""));
}

LLVMValueRef
sw_jit_head_slot(sw_jit_emit *e, uint32_t head)
{
    if (!e->f.head_mask[head])
        e->f.head_mask[head] = sw_jit_zero_slot(e, e->t.mask_type);
    return e->f.head_mask[head];
}
