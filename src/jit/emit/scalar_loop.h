/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_loop.h - inside emit: a loop that lanes run one after another, as
 * emit/scalar_loop.c and emit/scalar_precheck.c make it.
 */
#ifndef SW_JIT_EMIT_SCALAR_LOOP_H
#define SW_JIT_EMIT_SCALAR_LOOP_H
#include "jit/emit/control.h"
#include "jit/plan/scalar_loop.h"

/* A list of the loop, once it is tested. */
typedef struct {
    sw_jit_list of;
    uint32_t site;         /* its window */
    LLVMValueRef from, to; /* lanes of i64, where all that it moves lies */
} sw_jit_tested_list;

/* A loop whose turns are told before the first. */
typedef struct {
    sw_jit_precheck_plan plan;
    sw_jit_tested_list lists[SW_JIT_SCALAR_LISTS];
    LLVMValueRef times; /* lanes of i64, how often they come back after the
                           first turn */
} sw_jit_precheck;

/* i1: no lane of e->mask.lanes turns so often that it would not let others run,
 * and all that each of them will load by the lists is accessible. The registers
 * are those before the loop. */
LLVMValueRef sw_jit_emit_precheck(sw_jit_emit *e, sw_jit_precheck *a);
/* After that. i1: it makes no difference if each lane turns to its end before
 * the next one begins, as nothing that one stores is another's; all lanes run,
 * and what they store lies apart, so that vectors are no better. */
LLVMValueRef sw_jit_test_apart(sw_jit_emit *e, const sw_jit_precheck *a);
/* In a turn of one lane, before its first instruction: that was tested. */
void sw_jit_note_tested(sw_jit_emit *e, const sw_jit_precheck_plan *a);

/* ---- emit/scalar_loop.c ---- */

/* i1: what a question says that takes many instructions. After a no it is not
 * asked for so many times, which are no as well. */
typedef LLVMValueRef sw_jit_question(sw_jit_emit *e, void *arg);
LLVMValueRef sw_jit_ask_seldom(sw_jit_emit *e, unsigned skipped,
                               sw_jit_question *ask, void *arg);

/* ---- emit/scalar_private.c ---- */

/* i1: few lanes run, or what they do lies apart in the memory of each. */
LLVMValueRef sw_jit_lie_apart(sw_jit_emit *e, sw_jit_scalar_loop *s);
/* Of the lane, as a mask's. */
LLVMValueRef sw_jit_own_bit(const sw_jit_emit *e);

#endif
