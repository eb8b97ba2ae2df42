/* SPDX-License-Identifier: Apache-2.0 */
/*
 * instruction.h - level 5 of the emitters: one instruction of each kind. The
 * builder is where it begins, and left where it has ended.
 */
#ifndef SW_JIT_EMIT_INSTRUCTION_H
#define SW_JIT_EMIT_INSTRUCTION_H
#include "jit/emit/exits.h"

/* ---- emit/compare.c ---- */

/* A comparison of an affine value; false: it is none. */
bool sw_jit_emit_compare(sw_jit_emit *e);
/* One of SW_F_FUSED, of values that need no vectors; false: it is none. */
bool sw_jit_emit_fused_compare(sw_jit_emit *e);

/* ---- emit/divide.c ---- */

/* A quotient or remainder of lanes by one divisor; false: it is none. */
bool sw_jit_emit_divide(sw_jit_emit *e);

/* ---- emit/special_function.c ---- */

/* Such an instruction of all lanes by such functions; false: it is not to be.
 */
bool sw_jit_emit_function(sw_jit_emit *e, const sw_ins *ins,
                          const LLVMValueRef *src, LLVMValueRef *dst);

/* ---- emit/cross_lane.c ---- */

/* `here`: bits of the members that all lanes name; NULL (redux): they may name
 * different ones, as for what is done by sets. False: no native form. */
void sw_jit_emit_match(sw_jit_emit *e, LLVMValueRef here);
void sw_jit_emit_elect(sw_jit_emit *e, LLVMValueRef here);
bool sw_jit_emit_redux(sw_jit_emit *e, LLVMValueRef here);
void sw_jit_emit_match_of_sets(sw_jit_emit *e);
void sw_jit_emit_vote_of_sets(sw_jit_emit *e);
bool sw_jit_emit_shuffle(sw_jit_emit *e, bool of_sets);

/* ---- emit/warp.c ---- */

void sw_jit_emit_warp(sw_jit_emit *e); /* shfl, vote, ... */

/* ---- emit/barrier.c ---- */

void sw_jit_emit_barrier(sw_jit_emit *e);

/* ---- emit/atomic.c ---- */

void sw_jit_emit_atomic(sw_jit_emit *e);

/* ---- emit/mbarrier.c ---- */

bool sw_jit_emit_mbar(sw_jit_emit *e); /* false: it is left to the step */

/* ---- emit/texel.c ---- */

void sw_jit_textures_open(sw_jit_emit *e);

/* ---- emit/texture.c ---- */

void sw_jit_emit_tex(sw_jit_emit *e);
void sw_jit_emit_surface(sw_jit_emit *e); /* suld, sust */

/* ---- emit/load_store.c ---- */

void sw_jit_emit_load(sw_jit_emit *e);
void sw_jit_emit_store(sw_jit_emit *e);

/* ---- emit/called.c ---- */

/* A function that is called begins: before its first block its slots, then its
 * parameters. */
void sw_jit_called_begin(sw_jit_emit *e);
void sw_jit_called_take(sw_jit_emit *e);
/* ... and lanes return. */
void sw_jit_called_return(sw_jit_emit *e);
/* The call by compiled code, which goes on in the block that is returned; the
 * builder is left where that is not to be. NULL: it is none. */
LLVMBasicBlockRef sw_jit_emit_compiled_call(sw_jit_emit *e);

/* ---- emit/instruction.c ---- */

void sw_jit_emit_ins(sw_jit_emit *e, const sw_ins *ins);

#endif
