/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_loop.h - inside jit: a loop that lanes run one after another, as
 * emit/scalar_loop.c and emit/scalar_precheck.c see it.
 */
#ifndef SW_JIT_EMIT_SERIAL_H
#define SW_JIT_EMIT_SERIAL_H

#include "jit/emit/emit.h"
#include "opt/counted.h"

enum {
    SW_JIT_SERIAL_REGS = 64, /* that it has to do with, at most */
    SW_JIT_SERIAL_BLOCKS = 6,
    SW_JIT_OWN_BLOCKS = 32, /* with local memory */
    SW_JIT_SERIAL_LISTS = 8
};

typedef struct {
    sw_reg reg;
    bool is_written, enters, leaves; /* what it holds matters before a turn;
                                        what is written, behind the loop */
    LLVMValueRef lanes;              /* slot of a vector, or NULL */
    sw_jit_slot slot;                /* what it has outside, */
    sw_shape shape;                  /* ... and is there */
    LLVMValueRef begins, base;       /* before a lane's first turn; outside */
} sw_jit_serial_reg;

typedef struct {
    const sw_block *block; /* by which it is entered; mostly all of it */
    unsigned block_count;  /* others are in it if there are more, */
    uint32_t blocks[SW_JIT_OWN_BLOCKS];  /* ... in any order */
    uint32_t exits[SW_JIT_SERIAL_EXITS]; /* where lanes go */
    unsigned exit_count;
    LLVMValueRef gone[SW_JIT_SERIAL_EXITS]; /* slots: who goes there, */
    LLVMValueRef turns;                     /* ... how many a lane has left */
    bool stores;
    bool own; /* it loads or stores in local memory; `stores` is of others */
    unsigned count;
    sw_jit_serial_reg regs[SW_JIT_SERIAL_REGS];
} sw_jit_serial;

/* What is known of the loop's registers, as it is followed from one to the
 * next. The visitors, data: a flow, find out whether it is known of any, and
 * say that it is. */
typedef struct {
    const sw_jit_serial *s;
    bool *known; /* [s->count] */
    bool any, changed;
} sw_jit_serial_flow;
void sw_jit_serial_ask(void *data, sw_reg reg);
void sw_jit_serial_set(void *data, sw_reg reg);

/* A register by which the loop loads or stores, and that moves on by one
 * distance with each turn, which may be 0. */
typedef struct {
    sw_reg reg;
    int64_t step;          /* bytes */
    int64_t first, end;    /* what a turn moves lies there, in bytes from it */
    unsigned unit;         /* of what is moved at once, the most bytes, and */
    int64_t aligned;       /* ... where, from the register */
    bool is_stored;        /* some of it */
    uint32_t site;         /* its window */
    LLVMValueRef from, to; /* once tested: lanes of i64, where all that it moves
                              lies */
} sw_jit_list;

/* A loop whose turns can be told before the first. */
typedef struct {
    sw_counted loop;
    unsigned count;
    sw_jit_list lists[SW_JIT_SERIAL_LISTS];
    unsigned accesses;  /* of a turn, loads and stores */
    bool has_all;       /* there is nothing else that it loads or stores */
    LLVMValueRef times; /* once tested: lanes of i64, how often they come back
                           after the first turn */
} sw_jit_ahead;

/* Fills in what is known; false: it is no such loop, or moves nothing by such
 * a register. */
bool sw_jit_looks_ahead(const sw_jit_emit *e, const sw_jit_serial *s,
                        sw_jit_ahead *a);
/* i1: no lane of e->mask turns so often that it would not let others run, and
 * all that each of them will load by the lists is accessible. The registers are
 * those before the loop. */
LLVMValueRef sw_jit_test_ahead(sw_jit_emit *e, sw_jit_ahead *a);
/* After that. i1: it makes no difference if each lane turns to its end before
 * the next one begins, as nothing that one stores is another's; all lanes run,
 * and what they store lies apart, so that vectors are no better. */
LLVMValueRef sw_jit_test_apart(sw_jit_emit *e, const sw_jit_ahead *a);
/* In a turn of one lane, before its first instruction: that was tested. */
void sw_jit_note_tested(sw_jit_emit *e, const sw_jit_ahead *a);

/* ---- emit/scalar_loop.c ---- */

/* i1: what a question says that takes many instructions. After a no it is not
 * asked for so many times, which are no as well. */
typedef LLVMValueRef sw_jit_question(sw_jit_emit *e, void *arg);
LLVMValueRef sw_jit_ask_seldom(sw_jit_emit *e, unsigned skipped,
                               sw_jit_question *ask, void *arg);

/* ---- emit/scalar_private.c ---- */

/* A load or store of the thread's own memory that a serial loop may have. */
bool sw_jit_is_own(const sw_jit_emit *e, const sw_ins *ins);
/* What there is to say of a loop with some; false: it had better be run by
 * vectors, whoever runs it. */
bool sw_jit_suits_own(const sw_jit_emit *e, const sw_jit_serial *s);
/* i1: few lanes run, or what they do lies apart in the memory of each. */
LLVMValueRef sw_jit_lie_apart(sw_jit_emit *e, sw_jit_serial *s);
/* Of the lane, as a mask's. */
LLVMValueRef sw_jit_own_bit(const sw_jit_emit *e);

#endif
