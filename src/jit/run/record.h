/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - inside jit: events that compiled code writes into the buffer of
 * its block (exec/event_buffer.h), and telling them to the observer. On the
 * thread of the block.
 *
 * The buffer holds words of the warp that runs, and is empty whenever another
 * one does, or the interpreter: who gives a turn away, waits or calls the
 * interpreter drains it first.
 */
#ifndef SW_JIT_RECORD_H
#define SW_JIT_RECORD_H
#include "exec/event_buffer.h"
#include "jit/run/warp.h"

/* Compiled code of the program tells its events: it has them all. */
bool sw_jit_records(const sw_program *program);
/* Looks whether that can be; once, when the program is made. */
bool sw_jit_can_record(const sw_program *program);

/* What compiled code of the form calls sites. Owned by caller, sw_free. */
struct sw_ev_site *sw_jit_record_sites(const sw_native *native);

/* A block begins in compiled code. */
void sw_jit_record_begin(const sw_blk *blk, sw_jit_warp *first);
void sw_jit_record_close(sw_jit_warp *first);

/* Of all that follow nothing happens where nobody observes. */

/* Tells what the warp of the context has written. Compiled code calls it when
 * the buffer is full. */
void sw_jit_record_drain(sw_jit_ctx *ctx);
/* The same; then the warp executes the instruction `ins` by `mask`, of which
 * somebody else tells the rest. */
void sw_jit_record_to(sw_jit_ctx *ctx, uint32_t ins, uint32_t mask);
/* The interpreter is about to execute the instruction for compiled code, in
 * `run`; also for observers that count. */
void sw_jit_record_step(sw_jit_ctx *ctx, sw_run *run, uint32_t ins,
                        uint32_t mask);
/* Lanes have ended, by the last instruction of the block that they execute. */
void sw_jit_record_end(sw_jit_ctx *ctx, uint32_t mask);

#endif
