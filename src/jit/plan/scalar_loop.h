/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scalar_loop.h - loops that lanes run one after another, as plan finds them
 * and emit makes them.
 */
#ifndef SW_JIT_PLAN_SCALAR_LOOP_H
#define SW_JIT_PLAN_SCALAR_LOOP_H
#include "jit/plan/flow.h"
#include "opt/trip_count.h"

enum {
    SW_JIT_SCALAR_REGS = 64,   /* that it has to do with, at most */
    SW_JIT_SCALAR_BLOCKS = 32, /* with local memory */
    SW_JIT_SCALAR_LISTS = 8,
    SW_JIT_SCALAR_EXITS = 4
};

typedef struct {
    sw_reg reg;
    bool is_written, enters, leaves; /* what it holds matters before a turn;
                                        what is written, behind the loop */
    sw_shape shape;                  /* outside */
} sw_jit_scalar_reg;

typedef struct {
    const sw_block *block; /* by which it is entered; mostly all of it */
    unsigned block_count;  /* others are in it if there are more, */
    uint32_t blocks[SW_JIT_SCALAR_BLOCKS]; /* ... in any order */
    uint32_t exits[SW_JIT_SCALAR_EXITS];   /* where lanes go */
    unsigned exit_count;
    bool stores;
    bool has_private; /* it loads or stores in local memory; `stores` is of
                         others */
    unsigned count;
    sw_jit_scalar_reg regs[SW_JIT_SCALAR_REGS];
} sw_jit_scalar_loop;

/* Lanes go around without having been in block b, mostly for what they have
 * loaded, which no processor foresees. */
bool sw_jit_scalar_is_chosen(const sw_jit_plan *plan,
                             const sw_jit_scalar_loop *s, uint32_t b);
/* All lanes have the same outside; and it stays what it is. */
bool sw_jit_scalar_is_uniform(const sw_jit_scalar_reg *r);
bool sw_jit_scalar_is_outside(const sw_jit_scalar_reg *r);

/* What is known of the loop's registers, as it is followed from one to the
 * next. The visitors, data: a flow, find out whether it is known of any, and
 * say that it is. */
typedef struct {
    const sw_jit_scalar_loop *s;
    bool *known; /* [s->count] */
    bool any, changed;
} sw_jit_scalar_flow;
void sw_jit_scalar_ask(void *data, sw_reg reg);
void sw_jit_scalar_set(void *data, sw_reg reg);

/* A register by which the loop loads or stores, and that moves on by one
 * distance with each turn, which may be 0. */
typedef struct {
    sw_reg reg;
    int64_t step;       /* bytes */
    int64_t first, end; /* what a turn moves lies there, in bytes from it */
    unsigned unit;      /* of what is moved at once, the most bytes, and */
    int64_t aligned;    /* ... where, from the register */
    bool is_stored;     /* some of it */
} sw_jit_list;

/* A loop whose turns can be told before the first. */
typedef struct {
    sw_trip_count loop;
    unsigned count;
    sw_jit_list lists[SW_JIT_SCALAR_LISTS];
    unsigned accesses; /* of a turn, loads and stores */
    bool has_all;      /* there is nothing else that it loads or stores */
} sw_jit_precheck_plan;

/* Fills in what is known; false: it is no such loop, or moves nothing by such
 * a register. */
bool sw_jit_find_precheck(const sw_jit_plan *plan, const sw_jit_scalar_loop *s,
                          sw_jit_precheck_plan *a);
/* Fills in what is known of a loop; false: it is none that lanes had better run
 * one by one. a: of loops that store. */
bool sw_jit_find_scalar_loop(const sw_jit_plan *plan, uint32_t b,
                             sw_jit_scalar_loop *s, sw_jit_precheck_plan *a);

/* ---- scalar_private.c ---- */

/* A load or store of the thread's own memory that a scalar loop may have. */
bool sw_jit_is_private(const sw_jit_plan *plan, const sw_ins *ins);
/* What there is to say of a loop with some; false: it had better be run by
 * vectors, whoever runs it. */
bool sw_jit_suits_private(const sw_jit_plan *plan, const sw_jit_scalar_loop *s);
/* By register of the loop: it moves by where each lane is. */
void sw_jit_find_index_regs(const sw_jit_plan *plan,
                            const sw_jit_scalar_loop *s,
                            bool is_index[SW_JIT_SCALAR_REGS]);

#endif
