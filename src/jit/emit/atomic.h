/* SPDX-License-Identifier: Apache-2.0 */
/*
 * atomic.h - between emit/atomic.c and emit/mbarrier.c, and what they stand on:
 * emit/atomic_biased.c and, below that, emit/atomic_update.c.
 */
#ifndef SW_JIT_EMIT_ATOMIC_H
#define SW_JIT_EMIT_ATOMIC_H
#include "jit/emit/access.h"

typedef struct {
    const sw_ins *ins;
    unsigned bytes, shift; /* of the element, log2 of it */
    LLVMTypeRef type;
    bool is_shared, is_float, has_result;
    bool is_alone;    /* nobody else changes memory meanwhile */
    bool is_combined; /* lanes' operands may be combined */
    sw_jit_value b, c;
    LLVMValueRef one;     /* pointer, if all lanes have the same; or NULL */
    LLVMValueRef offset;  /* else by lane, i64: bytes from `base` */
    LLVMValueRef base;    /* NULL: addresses */
    LLVMValueRef ok;      /* i1: the tests have passed */
    uint32_t site;        /* its window, if not in shared memory */
    LLVMValueRef nowhere; /* is_alone: a place for what is not stored */
} sw_jit_atomic;

/* ---- emit/atomic_update.c ---- */

/* The addition or choice as an instruction without a place. */
sw_ins sw_jit_atomic_pure_form(const sw_jit_atomic *a, sw_opnd opnd[3],
                               bool flushes);
/* Operations that change nothing must not store. */
bool sw_jit_atomic_may_wait(const sw_jit_atomic *a);
/* A vector of the lanes' elements. */
LLVMTypeRef sw_jit_atomic_type(const sw_jit_emit *e, const sw_jit_atomic *a);
/* The number of the first lane that runs. */
LLVMValueRef sw_jit_atomic_first(sw_jit_emit *e);
/* What the operation leaves in memory: of one element, or by lane. */
LLVMValueRef sw_jit_atomic_apply(sw_jit_emit *e, const sw_jit_atomic *a,
                                 LLVMValueRef old, LLVMValueRef b,
                                 LLVMValueRef c, LLVMValueRef pointer);
/* x in the width of the elements. */
LLVMValueRef sw_jit_atomic_fit(sw_jit_emit *e, const sw_jit_atomic *a,
                               LLVMValueRef x, unsigned lanes);
LLVMValueRef sw_jit_atomic_at(sw_jit_emit *e, const sw_jit_atomic *a,
                              LLVMValueRef offset);
/* One lane's operation; the old value. May end the LLVM block. */
LLVMValueRef sw_jit_atomic_change_one(sw_jit_emit *e, const sw_jit_atomic *a,
                                      LLVMValueRef pointer, LLVMValueRef b,
                                      LLVMValueRef c);
/* All lanes' operations on a value, then one exchange. */
LLVMValueRef sw_jit_atomic_in_turn(sw_jit_emit *e, const sw_jit_atomic *a,
                                   LLVMValueRef pointer);
/* Lanes one after the other; the old values, or NULL if nobody reads them. */
LLVMValueRef sw_jit_atomic_each(sw_jit_emit *e, const sw_jit_atomic *a);
/* One of two, from where they come. */
LLVMValueRef sw_jit_atomic_join(sw_jit_emit *e, const sw_jit_atomic *a,
                                LLVMValueRef x[2], LLVMBasicBlockRef from[2]);

/* ---- emit/atomic_biased.c ---- */

/* As sw_jit_atomic_each, in the way that is fastest just then. */
LLVMValueRef sw_jit_change_lanes(sw_jit_emit *e, const sw_jit_atomic *a);

/* ---- emit/atomic.c ---- */

/* Sets `one` or `offset`, and the rest that says where it is. */
void sw_jit_atomic_find_place(sw_jit_emit *e, sw_jit_atomic *a);
/* The operation by all lanes that run, at one place. The old values, or NULL if
 * nobody reads them. */
LLVMValueRef sw_jit_atomic_change_at(sw_jit_emit *e, const sw_jit_atomic *a,
                                     LLVMValueRef pointer);
/* Something reads the register behind the current instruction. */
bool sw_jit_is_read_later(const sw_jit_emit *e, sw_reg reg);

#endif
