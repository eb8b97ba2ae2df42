/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exits.h - level 3 of the emitters: lanes that wait, warps that yield or go on
 * in the interpreter, instructions that it executes, and what is counted on the
 * way.
 */
#ifndef SW_JIT_EMIT_WAIT_H
#define SW_JIT_EMIT_WAIT_H
#include "jit/emit/registers.h"

/* ---- emit/counters.c ---- */

void sw_jit_counter_open(sw_jit_emit *e);
void sw_jit_counter_next(sw_jit_emit *e); /* a new function */
void sw_jit_counter_finish(sw_jit_emit *e);
/* The tables of it. */
void sw_jit_counter_take(const sw_jit_emit *e, sw_jit_result *result);
/* At the beginning of a block: its lanes will execute all of it. Before its
 * last instruction. */
void sw_jit_counter_block(sw_jit_emit *e);
/* Before a part of a block in another function. */
void sw_jit_counter_piece(sw_jit_emit *e);
/* Compiled code tells some of these events itself (exec/event_buffer.h). */
bool sw_jit_tells(const sw_jit_emit *e, uint32_t events);
/* Way out: they do not execute instruction `index` and what follows. */
void sw_jit_counter_back(sw_jit_emit *e, uint32_t index);
/* An instruction with a guard is or was executed by the lanes of `mask`; by all
 * of the path if `holds` (i1), else by none. */
void sw_jit_counter_guarded(sw_jit_emit *e, LLVMValueRef mask);
void sw_jit_counter_guarded_all(sw_jit_emit *e, LLVMValueRef holds);
void sw_jit_counter_branch(sw_jit_emit *e);

/* ---- emit/record.c: nothing where it tells no events ---- */

/* Before a fence or a wait for copies, by the lanes that run. */
void sw_jit_tell_fence(sw_jit_emit *e);
/* Before the first block of a kernel; where lanes of e->mask end; where all end
 * that are left. */
void sw_jit_tell_begin(sw_jit_emit *e);
void sw_jit_tell_end(sw_jit_emit *e);
void sw_jit_tell_finish(sw_jit_emit *e);
/* Before and behind the barrier of the whole block, at which all live lanes of
 * the warp are. */
void sw_jit_tell_arrival(sw_jit_emit *e);
void sw_jit_tell_release(sw_jit_emit *e);

/* ---- emit/count.c ---- */

/* What the warp has executed here is added to its context's; of what its block
 * has counted, instruction `index` and what follows are not executed, as it
 * leaves. */
void sw_jit_flush_count(sw_jit_emit *e);
void sw_jit_count_back(sw_jit_emit *e, uint32_t index);
/* `instructions` more, maybe below 0, for each lane of a mask. */
void sw_jit_count_lanes(sw_jit_emit *e, LLVMValueRef mask,
                        int64_t instructions);

/* ---- emit/pending.c ---- */

/* The slot of the mask of a head. */
LLVMValueRef sw_jit_head_slot(sw_jit_emit *e, uint32_t head);
/* The slot of a reconvergence point or latch, of another part too; the lanes
 * that wait there.
 */
LLVMValueRef sw_jit_pending_of(sw_jit_emit *e, sw_jit_place place);
LLVMValueRef sw_jit_load_pending(const sw_jit_emit *e, LLVMValueRef slot);
/* Of the masks of all reconvergence points and latches, as ctx->pending has
 * them. */
uint64_t sw_jit_pending_bytes(const sw_jit_emit *e);
/* The slot of the point with that number: of a block or, behind the blocks, of
 * a loop's back edge. */
LLVMValueRef sw_jit_pending_slot(sw_jit_emit *e, uint32_t index);
/* Decides where the masks lie. Returns their bytes if they are in memory, else
 * 0. */
uint64_t sw_jit_place_pending(sw_jit_emit *e);
/* The lanes that waited, which now go on. */
LLVMValueRef sw_jit_take_pending(const sw_jit_emit *e, LLVMValueRef slot);
/* Lanes of a mask wait there, too. */
void sw_jit_add_pending(sw_jit_emit *e, LLVMValueRef slot, LLVMValueRef mask);

/* ---- emit/deopt.c ---- */

void sw_jit_exits_open(sw_jit_emit *e);
/* A new function: nothing of the last one's can be used any more. */
void sw_jit_exits_next(sw_jit_emit *e);
/* The last side exit is not to be used again. */
void sw_jit_exits_forget(sw_jit_emit *e);
void sw_jit_exits_finish(sw_jit_emit *e);
/* The tables of them. */
void sw_jit_exits_take(const sw_jit_emit *e, sw_jit_result *result);
/* For SW_JIT_STEP: what this instruction reads, to the frame. Its number. */
uint32_t sw_jit_store_sources(sw_jit_emit *e);
/* As what the warp brings along is to lie at the frame slot of a register when
 * it comes from the interpreter: one more use. How many there are. */
void sw_jit_note_osr_location(sw_jit_emit *e, sw_reg reg);
uint32_t sw_jit_stack_map_count(const sw_jit_emit *e);
/* Goes on in the interpreter at instruction `index`, in e->b.block, with the
 * lanes of `bits`, a mask's. Ends the LLVM block. */
void sw_jit_emit_side_exit(sw_jit_emit *e, uint32_t index, LLVMValueRef bits);
/* In the interpreter at this instruction, by which these lanes are lost: only
 * what it reads is there. Ends the LLVM block. */
void sw_jit_emit_final_exit(sw_jit_emit *e, LLVMValueRef bits);
/* Registers have other shapes from now on. */
void sw_jit_exits_renew(sw_jit_emit *e);
/* Goes on behind if `stay` holds, else in the interpreter at this instruction,
 * of which nothing has been done yet. */
void sw_jit_exit_unless(sw_jit_emit *e, LLVMValueRef stay);

/* ---- emit/step.c ---- */

/* Lanes may have ended in a call that lanes `bits` came to: those that are
 * `left` go on in the interpreter, with those that did not make it. */
void sw_jit_exit_if_lanes_ended(sw_jit_emit *e, LLVMValueRef left,
                                LLVMValueRef bits);
/* Through the interpreter's function. Pure ones run for all lanes. */
void sw_jit_emit_step(sw_jit_emit *e);
/* The same in a block that is rarely run. */
void sw_jit_emit_rare_step(sw_jit_emit *e);
/* The instruction has no effect but its results. */
bool sw_jit_is_pure(const sw_ins *ins);

/* ---- emit/members.c ---- */

/* Lanes of the warp that have not ended, as bits. */
LLVMValueRef sw_jit_live_lanes(sw_jit_emit *e);
/* They are all here, or we leave. */
void sw_jit_need_all(sw_jit_emit *e);
/* A number that all lanes should agree on; that of the first lane. */
LLVMValueRef sw_jit_of_first_lane(sw_jit_emit *e, unsigned src);
/* Source `src`, the set of members, is one that all lanes name. */
bool sw_jit_has_same_members(sw_jit_emit *e, unsigned src);
/* A mask as a word for each warp: i32, or a vector of them. */
LLVMValueRef sw_jit_words_of(sw_jit_emit *e, LLVMValueRef mask);
/* The members that source `src` names are here, or the warp leaves. */
void sw_jit_need_members(sw_jit_emit *e, unsigned src);
/* They, as a word for each warp; all lanes name the same ones. */
LLVMValueRef sw_jit_members_here(sw_jit_emit *e, unsigned src);

/* ---- emit/yield.c ---- */

/* Where the back edges are counted that a loop has left: twice their number,
 * plus 1 if it has given no turn away since it was entered. */
LLVMValueRef sw_jit_spin_slot(sw_jit_emit *e, uint32_t loop);
/* Lanes of `mask` go around a loop once more; nothing if it is none (0). */
void sw_jit_count_back_edge(sw_jit_emit *e, uint32_t loop, LLVMValueRef mask);
/* At the end of a block: loops that it leads into, and that may be waiting for
 * somebody, begin. */
void sw_jit_enter_loops(sw_jit_emit *e, const sw_block *block);
/* i32: why lanes that sleep give a turn away (SW_JIT_SLEEPS). */
LLVMValueRef sw_jit_sleep_reason(sw_jit_emit *e);

#endif
