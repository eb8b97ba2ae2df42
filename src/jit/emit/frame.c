/* SPDX-License-Identifier: Apache-2.0 */
/*
 * frame.c - registers in the interpreter's frames: where the warps of a kernel
 * have them, and how a register is stored there and loaded from there. A side
 * exit stores what it needs; the table that it adds says how the runtime makes
 * lanes of it (run/deopt.c).
 */
#include "jit/emit/registers.h"

#define B e->ll.builder

void
sw_jit_put_part(sw_jit_emit *e, LLVMValueRef regs, uint64_t at,
                LLVMValueRef part, unsigned align)
{
    if (!part)
        return;
    LLVMValueRef store =
        LLVMBuildStore(B, part, sw_jit_at(e, regs, sw_jit_i64(e, at)));
    sw_jit_set_align(store, align);
}

void
sw_jit_put_lanes(sw_jit_emit *e, const LLVMValueRef *regs, uint64_t frame_slot,
                 LLVMValueRef lanes)
{
    for (unsigned w = 0; w < e->lanes / 32; w++)
        sw_jit_put_part(e, regs[w], frame_slot, sw_jit_of_warp(e, lanes, w),
                        32);
}

void
sw_jit_store_frame_slot(sw_jit_emit *e, const LLVMValueRef *regs, sw_reg reg)
{
    sw_jit_value v = sw_jit_read_reg(e, reg);
    uint64_t frame_slot = e->plan->rq->frame_slots[reg];
    bool varies = v.shape.kind == SW_SHAPE_VARYING;
    if (v.cls == SW_CLASS_PRED) {
        for (unsigned w = 0; w < e->lanes / 32; w++)
            sw_jit_put_part(
                e, regs[w], frame_slot,
                varies ? sw_jit_bits_of_warp(e, sw_jit_mask_bits(e, v.base), w)
                       : LLVMBuildSExt(B, v.base, e->t.i32, ""),
                4);
        return;
    }
    if (varies) {
        sw_jit_put_lanes(e, regs, frame_slot, v.base);
        return;
    }
    if (e->plan->raw[reg])
        v.base =
            sw_jit_alu_exact(&e->ll, (sw_type)e->plan->raw[reg], 1, v.base);
    sw_jit_put_part(e, regs[0], frame_slot, v.base, 16);
    sw_jit_put_part(e, regs[0], frame_slot + SW_JIT_LOCATION_S, v.s, 8);
    sw_jit_put_part(e, regs[0], frame_slot + SW_JIT_LOCATION_NARROW, v.narrow,
                    8);
}

static LLVMValueRef
load_part(sw_jit_emit *e, LLVMValueRef regs, uint64_t at, LLVMTypeRef type,
          unsigned align)
{
    LLVMValueRef x =
        LLVMBuildLoad2(B, type, sw_jit_at(e, regs, sw_jit_i64(e, at)), "");
    sw_jit_set_align(x, align);
    return x;
}

void
sw_jit_load_frame_slot(sw_jit_emit *e, const LLVMValueRef *regs, sw_reg reg)
{
    const sw_jit_slot *slot = sw_jit_reg_slot(e, reg);
    sw_class cls = e->plan->fn->regs[reg].cls;
    uint64_t frame_slot = e->plan->rq->frame_slots[reg];
    LLVMTypeRef type = sw_jit_class_type(e, cls);
    LLVMValueRef x;
    if (e->shapes->regs[reg].kind == SW_SHAPE_VARYING)
        x = sw_jit_fetch_lanes(e, reg);
    else if (cls == SW_CLASS_PRED)
        x = LLVMBuildICmp(B, LLVMIntNE,
                          load_part(e, regs[0], frame_slot, e->t.i32, 4),
                          sw_jit_i32(e, 0), "");
    else
        x = load_part(e, regs[0], frame_slot, type, 16);
    LLVMBuildStore(B, x, slot->base);
    if (slot->s)
        LLVMBuildStore(B,
                       load_part(e, regs[0], frame_slot + SW_JIT_LOCATION_S,
                                 slot->narrow ? e->t.i32 : type, 8),
                       slot->s);
    if (slot->narrow)
        LLVMBuildStore(B,
                       load_part(e, regs[0],
                                 frame_slot + SW_JIT_LOCATION_NARROW, e->t.i32,
                                 8),
                       slot->narrow);
}

void
sw_jit_frames_of(sw_jit_emit *e, LLVMValueRef *frames)
{
    for (unsigned w = 0; w < sw_jit_warps_of(e); w++)
        frames[w] = sw_jit_frame_of(e, w);
}

void
sw_jit_keep_frame_slot(sw_jit_emit *e, sw_reg reg)
{
    if (!sw_jit_is_kept(e, reg))
        return;
    LLVMValueRef frames[SW_JIT_FUSED_MAX];
    sw_jit_frames_of(e, frames);
    sw_jit_store_frame_slot(e, frames, reg);
}

static void
keep_source(void *data, sw_reg reg)
{
    sw_jit_emit *e = data;
    if (e->shapes->regs[reg].kind != SW_SHAPE_VARYING)
        sw_jit_keep_frame_slot(e, reg);
}

void
sw_jit_keep_sources(sw_jit_emit *e)
{
    sw_ins_visit_reads(e->at.ins, keep_source, e);
}

LLVMValueRef
sw_jit_frame_of(sw_jit_emit *e, unsigned warp)
{
    if (e->f.frame_slots && !e->at.is_outlined)
        return e->f.frame_slots;
    return sw_jit_field(e, offsetof(sw_jit_ctx, frames) + warp * sizeof(void *),
                        e->t.ptr, true);
}

static LLVMValueRef
frame_slot_of(sw_jit_emit *e, sw_reg reg, unsigned warp)
{
    return sw_jit_at(e, sw_jit_frame_of(e, warp),
                     sw_jit_i64(e, e->plan->rq->frame_slots[reg]));
}

LLVMValueRef
sw_jit_of_warp(const sw_jit_emit *e, LLVMValueRef lanes, unsigned warp)
{
    return sw_jit_elements(e, lanes, 32 * warp, 32);
}

LLVMValueRef
sw_jit_bits_of_warp(const sw_jit_emit *e, LLVMValueRef bits, unsigned warp)
{
    if (sw_jit_warps_of(e) == 1)
        return bits;
    bits = LLVMBuildLShr(B, bits, LLVMConstInt(e->t.bits, 32 * warp, 0), "");
    return LLVMBuildTrunc(B, bits, e->t.i32, "");
}

LLVMValueRef
sw_jit_fetch_lanes(sw_jit_emit *e, sw_reg reg)
{
    LLVMTypeRef element = sw_jit_class_type(e, e->plan->fn->regs[reg].cls);
    LLVMTypeRef type = LLVMVectorType(element, 32);
    bool is_mask = element == e->t.i1; /* an i32 */
    LLVMValueRef x[SW_JIT_FUSED_MAX];
    for (unsigned w = 0; w < sw_jit_warps_of(e); w++) {
        x[w] = LLVMBuildLoad2(B, is_mask ? e->t.i32 : type,
                              frame_slot_of(e, reg, w), "");
        if (is_mask)
            x[w] = LLVMBuildBitCast(B, x[w], type, "");
        else
            sw_jit_set_align(x[w], 32);
    }
    return sw_jit_concatenate_all(e, x, sw_jit_warps_of(e), 32);
}
