/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mask.c - the execution mask: the lanes that run what is emitted. No other
 * file changes it. Who narrows it for a while keeps what it was, and restores
 * that.
 */
#include "jit/emit/build.h"

#define B e->ll.builder

sw_jit_mask
sw_jit_mask_set(sw_jit_emit *e, LLVMValueRef lanes)
{
    sw_jit_mask before = e->mask;
    e->mask.lanes = lanes;
    e->mask.is_full = false;
    e->mask.some = NULL;
    return before;
}

sw_jit_mask
sw_jit_mask_set_all(sw_jit_emit *e)
{
    sw_jit_mask before = sw_jit_mask_set(e, LLVMConstAllOnes(e->t.mask_type));
    e->mask.is_full = true;
    return before;
}

void
sw_jit_mask_set_root(sw_jit_emit *e)
{
    sw_jit_mask_set(e, e->f.root_mask);
    e->mask.is_full = e->shapes->map.is_full;
}

void
sw_jit_mask_set_known(sw_jit_emit *e, const sw_jit_lane_set *known)
{
    LLVMValueRef c[SW_LANES_MAX];
    for (unsigned i = 0; i < e->lanes; i++)
        c[i] = LLVMConstInt(e->t.i1, sw_jit_has_lane(known, i), 0);
    sw_jit_mask_set(e, LLVMConstVector(c, e->lanes));
    e->mask.some = known;
}

sw_jit_mask
sw_jit_mask_guard(sw_jit_emit *e, LLVMValueRef holds)
{
    sw_jit_mask before =
        sw_jit_mask_set(e, LLVMBuildAnd(B, e->mask.lanes, holds, ""));
    e->mask.is_guarded = true;
    return before;
}

sw_jit_mask
sw_jit_mask_set_warp(sw_jit_emit *e, LLVMValueRef lanes)
{
    sw_jit_mask before = e->mask;
    e->mask.lanes = lanes;
    return before;
}

void
sw_jit_mask_begin_path(sw_jit_emit *e)
{
    e->mask.path = e->mask.lanes;
}

void
sw_jit_mask_restore(sw_jit_emit *e, const sw_jit_mask *before)
{
    e->mask = *before;
}
