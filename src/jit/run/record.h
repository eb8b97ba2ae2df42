/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - inside jit: events that compiled code writes into the buffer of
 * its block (exec/event_buffer.h), and telling them to the observer. On the
 * thread of the block.
 *
 * The buffer holds words of all warps of the block, in their order. It is empty
 * whenever the interpreter or the engine acts for the block: who gives a turn
 * away, waits or calls the interpreter drains it first.
 */
#ifndef SW_JIT_RECORD_H
#define SW_JIT_RECORD_H
#include "exec/event_buffer.h"
#include "jit/run/warp.h"

/* Compiled code of the program tells its events: it has them all. */
bool sw_jit_records(const sw_program *program);
/* Looks whether that can be; once, when the program is made. */
bool sw_jit_can_record(const sw_program *program);

/* What compiled code of the variant calls sites. Owned by caller, sw_free. */
struct sw_ev_site *sw_jit_record_sites(const sw_variant *variant);

/* A block begins in compiled code. */
void sw_jit_record_begin(const sw_blk *blk, sw_jit_warp *first);
void sw_jit_record_close(sw_jit_warp *first);

/* Of all that follow nothing happens where nobody observes. */

/* Tells what the block has written. Compiled code calls it when the buffer is
 * full. */
void sw_jit_record_drain(sw_jit_ctx *ctx);
/* The same; the words that come next are of the warp of this context. */
void sw_jit_record_turn(sw_jit_ctx *ctx);
/* The same; whether warps meet at the block's barrier without the engine from
 * now on. */
void sw_jit_record_meet(const sw_blk *blk, bool alone);
/* The same; then the warps that run as one execute the instruction `ins` by
 * masks, of which somebody else tells the rest. */
void sw_jit_record_to(sw_jit_ctx *ctx, uint32_t ins, const uint32_t *mask);
/* The interpreter is about to execute the instruction for compiled code, in
 * `run`; also for observers that count. */
void sw_jit_record_special(sw_run *run, uint32_t ins, uint32_t mask);
/* All live lanes arrive at barrier `id`, or go on, if no word tells of it. */
void sw_jit_record_arrival(sw_jit_ctx *ctx, uint32_t at, uint32_t id,
                           uint32_t expected);
void sw_jit_record_release(const sw_jit_ctx *ctx, uint32_t at, uint32_t id,
                           uint32_t generation);
/* SW_JIT_VALUES */
void sw_jit_record_values(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask,
                          const uint64_t addr[SW_WARP_LANES], uint32_t bytes,
                          const void *stored);

#endif
