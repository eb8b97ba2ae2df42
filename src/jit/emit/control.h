/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.h - level 6 of the emitters: runs of instructions, loops, and the
 * functions that a large kernel is cut into.
 */
#ifndef SW_JIT_EMIT_CONTROL_H
#define SW_JIT_EMIT_CONTROL_H
#include "jit/emit/instruction.h"

/* ---- emit/deaths.c ---- */

/* Finds, from its end, where each register of a block is needed last. */
void sw_jit_find_deaths(sw_jit_emit *e, uint32_t b);
/* `now` becomes what lives after the instruction; what it reads for the last
 * time it may write as well. */
void sw_jit_step_over(sw_jit_emit *e, const sw_ins *ins);

/* ---- emit/debug_lines.c ---- */

void sw_jit_lines_open(sw_jit_emit *e); /* if it has any */
/* What is made from now on is this instruction's. */
void sw_jit_lines_at(sw_jit_emit *e, const sw_ins *ins);
void sw_jit_lines_close(sw_jit_emit *e);

/* ---- emit/replay.c ---- */

/* Instructions [from, to) of the block, which begins or has come there; f64
 * arithmetic as in emit/replay.c. */
void sw_jit_emit_range(sw_jit_emit *e, const sw_block *block, uint32_t from,
                       uint32_t to);

/* ---- emit/block_loop.c ---- */

/* At the end of e->f.top, at the beginning of e->f.entry, at the end of
 * e->f.finish.
 */
void sw_jit_begin_block_loop(sw_jit_emit *e);
void sw_jit_enter_block_loop(sw_jit_emit *e);
void sw_jit_end_block_loop(sw_jit_emit *e);

/* ---- emit/partition.c ---- */

/* Of the plan; before the first part, after the last. */
void sw_jit_edges_open(sw_jit_emit *e);
void sw_jit_edges_finish(sw_jit_emit *e);
void sw_jit_osr_take(const sw_jit_emit *e, sw_jit_result *result);
/* A block from which the warp goes on there, which is in another part. */
LLVMBasicBlockRef sw_jit_way_to(sw_jit_emit *e, sw_jit_place place);
/* At the end of e->f.entry: to `start` (NULL: not the first part), or where
 * another part said; place_of: the LLVM block of a place of this part. */
void sw_jit_come_in(sw_jit_emit *e, LLVMBasicBlockRef start,
                    LLVMBasicBlockRef (*block_of)(sw_jit_emit *e,
                                                  sw_jit_place place));

/* ---- emit/scalar_loop.c ---- */

/* i1: the lanes of e->mask.lanes had better now. */
LLVMValueRef sw_jit_suits_scalar_loop(sw_jit_emit *e, uint32_t b);
/* So run by lanes of e->mask.lanes: those that are still in it come out as a
 * mask, the others go to block *exit. NULL: it stores, and all go there. After
 * that.
 */
LLVMValueRef sw_jit_emit_scalar_loop(sw_jit_emit *e, uint32_t b,
                                     sw_jit_exit *exits, unsigned *count);

#endif
