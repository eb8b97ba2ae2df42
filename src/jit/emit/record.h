/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - inside the emitters: words of exec/event_buffer.h that a
 * kernel with events writes. Called by counters.c, which decides whether a
 * kernel counts or tells its events, at the places that its own functions say;
 * sw_jit_tell_* (exits.h) are here, too. Bits are those of a mask
 * (sw_jit_mask_bits), of all warps that run as one.
 */
#ifndef SW_JIT_EMIT_RECORD_H
#define SW_JIT_EMIT_RECORD_H
#include "jit/emit/exits.h"

typedef struct sw_jit_record sw_jit_record;

/* Owned by caller, sw_free. */
sw_jit_record *sw_jit_record_open(void);
/* Words that are written at most between two looks whether there is room. */
uint32_t sw_jit_record_most(const sw_jit_record *r);

/* Only where it tells. At the beginning of a block, or of a part of it in
 * another function. */
void sw_jit_record_block(sw_jit_emit *e, bool is_begin);
void sw_jit_record_stop(sw_jit_emit *e, uint32_t index);
void sw_jit_record_guard(sw_jit_emit *e, LLVMValueRef bits);
void sw_jit_record_branch(sw_jit_emit *e, LLVMValueRef taken);
/* An access of the lanes that run: `site` is the number of its table, or of the
 * first warp's; starts: [count] (i64; overwritten), or `all` (a vector of i64)
 * of as many groups. */
void sw_jit_record_access(sw_jit_emit *e, uint32_t site, LLVMValueRef *starts,
                          unsigned count, LLVMValueRef all);
/* One of one warp with its values, of `unit` bytes a lane: it is told at once.
 * addresses: a vector of i64. */
void sw_jit_record_values(sw_jit_emit *e, unsigned unit,
                          LLVMValueRef addresses);

#endif
