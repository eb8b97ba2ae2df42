/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_serial.h - inside jit: a loop that lanes run one after another, as
 * emit_serial.c and emit_ahead.c see it.
 */
#ifndef SW_JIT_EMIT_SERIAL_H
#define SW_JIT_EMIT_SERIAL_H

#include "jit/emit.h"
#include "opt/counted.h"

enum {
    SW_JIT_SERIAL_REGS = 64, /* that it has to do with, at most */
    SW_JIT_SERIAL_BLOCKS = 6,
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
    uint32_t blocks[SW_JIT_SERIAL_BLOCKS]; /* ... in any order */
    uint32_t exit;                         /* where lanes go */
    bool stores;
    unsigned count;
    sw_jit_serial_reg regs[SW_JIT_SERIAL_REGS];
} sw_jit_serial;

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

#endif
