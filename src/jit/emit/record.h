/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - inside the emitters: words of exec/event_buffer.h that a
 * kernel with events writes. Called by counters.c, which decides whether a
 * kernel counts or tells its events, at the places that its own functions say.
 */
#ifndef SW_JIT_EMIT_RECORD_H
#define SW_JIT_EMIT_RECORD_H
#include "jit/emit/leave.h"

typedef struct sw_jit_record sw_jit_record;

/* Owned by caller, sw_free. */
sw_jit_record *sw_jit_record_open(void);
/* Words that are written at most between two looks whether there is room. */
uint32_t sw_jit_record_most(const sw_jit_record *r);

/* At the beginning of a block, or of a part of it in another function. */
void sw_jit_record_block(sw_jit_emit *e, sw_jit_record *r, bool is_begin);
void sw_jit_record_stop(sw_jit_emit *e, sw_jit_record *r, uint32_t index);
/* mask: i32. */
void sw_jit_record_guard(sw_jit_emit *e, sw_jit_record *r, LLVMValueRef mask);
void sw_jit_record_branch(sw_jit_emit *e, sw_jit_record *r, LLVMValueRef taken);
void sw_jit_record_fence(sw_jit_emit *e, sw_jit_record *r);
/* An access of the lanes that run: `site` is the number of its table; starts:
 * [count] (i64), or `all` (<32 x i64>) of as many groups. */
void sw_jit_record_access(sw_jit_emit *e, sw_jit_record *r, uint32_t site,
                          const LLVMValueRef *starts, unsigned count,
                          LLVMValueRef all);

#endif
