/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers.h - level 2 of the emitters: what registers hold, in their shapes,
 * and where the interpreter has them.
 */
#ifndef SW_JIT_EMIT_REGISTERS_H
#define SW_JIT_EMIT_REGISTERS_H
#include "jit/emit/build.h"

/* ---- emit/value.c ---- */

/* The register's, made when they are first asked for. */
const sw_jit_slot *sw_jit_reg_slot(sw_jit_emit *e, sw_reg reg);
sw_jit_value sw_jit_read(sw_jit_emit *e, const sw_ins *ins, unsigned src);
sw_jit_value sw_jit_read_exact(sw_jit_emit *e, const sw_ins *ins, unsigned src);
sw_jit_value sw_jit_read_reg(sw_jit_emit *e, sw_reg reg);
/* All lanes of it. */
LLVMValueRef sw_jit_lanes(sw_jit_emit *e, const sw_jit_value *value);
sw_jit_value sw_jit_uniform(sw_class cls, LLVMValueRef scalar);
sw_jit_value sw_jit_varying(sw_class cls, LLVMValueRef lanes);
LLVMValueRef sw_jit_sym_value(sw_jit_emit *e, const sw_opnd *opnd,
                              sw_class cls);
/* A predicate as a mask, negated if told. */
LLVMValueRef sw_jit_mask_of(sw_jit_emit *e, sw_reg pred, bool negated);

/* ---- emit/frame.c ---- */

/* The frame of one of the fused warps; its part of a vector of all lanes (32
 * lanes), of a mask's bits (i32). */
LLVMValueRef sw_jit_frame_of(sw_jit_emit *e, unsigned warp);
/* The lanes that the register's frame slots hold, of all fused warps. */
LLVMValueRef sw_jit_fetch_lanes(sw_jit_emit *e, sw_reg reg);
LLVMValueRef sw_jit_of_warp(const sw_jit_emit *e, LLVMValueRef lanes,
                            unsigned warp);
LLVMValueRef sw_jit_bits_of_warp(const sw_jit_emit *e, LLVMValueRef bits,
                                 unsigned warp);
/* Registers that live long lie in their frame slots, as they lie when the warp
 * leaves, from each write on. After sw_jit_write; and after SW_JIT_STEP, when
 * the runtime has made lanes of what the instruction reads. */
void sw_jit_keep_frame_slot(sw_jit_emit *e, sw_reg reg);
/* Its parts, or lanes, to its slots in the fused warps' frames; from there. */
void sw_jit_store_frame_slot(sw_jit_emit *e, const LLVMValueRef *frames,
                             sw_reg reg);
void sw_jit_load_frame_slot(sw_jit_emit *e, const LLVMValueRef *frames,
                            sw_reg reg);
void sw_jit_keep_sources(sw_jit_emit *e);
/* Lanes, and a part of a register, to that place in the frames, or a frame. */
void sw_jit_put_lanes(sw_jit_emit *e, const LLVMValueRef *frames,
                      uint64_t frame_slot, LLVMValueRef lanes);
void sw_jit_put_part(sw_jit_emit *e, LLVMValueRef frame, uint64_t at,
                     LLVMValueRef part, unsigned align);
/* [SW_JIT_FUSED_MAX] the frames of all warps that run together. */
void sw_jit_frames_of(sw_jit_emit *e, LLVMValueRef *frames);

/* ---- emit/write.c ---- */

/* Writes a result; raw_type 0 or the type of a raw value. */
void sw_jit_write(sw_jit_emit *e, sw_reg reg, const sw_jit_value *value,
                  unsigned raw_type);
/* Goes to `join` and writes the lanes of the instruction's only result: `one`
 * for those who come there from block `from`, else `other`. */
void sw_jit_write_either(sw_jit_emit *e, LLVMBasicBlockRef join,
                         LLVMBasicBlockRef from, LLVMValueRef one,
                         LLVMValueRef other);
/* The parts of an affine or wide result. */
sw_jit_value sw_jit_apply_rule(sw_jit_emit *e, const sw_ins *ins,
                               const sw_rule_use *use, const sw_shape *shape);

#endif
