/* SPDX-License-Identifier: Apache-2.0 */
/*
 * code.h - a kernel as the model plays it: for each block of the IR the
 * operations that an assembler makes of it (mach), with what each takes of a
 * machine.
 *
 * One for a kernel and a machine; read-only once made. Slots stand for
 * registers: one slot for each, and a few that predicates and what is spilled
 * share.
 */
#ifndef SW_MODEL_CODE_H
#define SW_MODEL_CODE_H
#include "mach/mach.h"
#include "model/machine.h"

enum {
    SW_PLAY_REGISTERS = 256,
    SW_PLAY_OTHERS = 128, /* predicates, spilled values */
    SW_PLAY_SLOTS = SW_PLAY_REGISTERS + SW_PLAY_OTHERS,
    SW_PLAY_UNROLL_MOST = 16, /* copies of a loop's body; as mach/mach.h */
    SW_PLAY_NOWHERE = 0xffff
};

/* What the player does with an operation. */
typedef enum {
    SW_PLAY_PLAIN, /* results come a fixed time later */
    SW_PLAY_LOAD,  /* of global, local or generic memory */
    SW_PLAY_STORE,
    SW_PLAY_SHARED, /* load, store or atomic */
    SW_PLAY_CONSTANT,
    SW_PLAY_ATOMIC, /* with a result */
    SW_PLAY_REDUCE, /* without */
    SW_PLAY_TEXTURE,
    SW_PLAY_COPY, /* cp.async: from global to shared, in the background */
    SW_PLAY_BULK, /* cp.async.bulk */
    SW_PLAY_WAIT, /* for copies */
    SW_PLAY_BARRIER,
    SW_PLAY_FENCE,
    SW_PLAY_BRANCH /* the end of a block of code */
} sw_play_kind;

typedef struct {
    uint8_t kind;     /* sw_play_kind */
    uint8_t pipe;     /* sw_pipe of most of it */
    uint8_t pipe2;    /* of `count2` of its instructions */
    uint8_t copy;     /* of a loop's body */
    uint16_t count;   /* instructions, all of them; at least 1 */
    uint16_t count2;  /* of these on pipe2 */
    uint16_t at;      /* its instruction's place in the IR's block; NOWHERE */
    uint16_t latency; /* clocks; of SHARED and the like what the machine says */
    uint8_t ndst, nsrc;
    uint8_t loads;     /* SHARED: words of a lane that it loads at once */
    uint8_t is_one;    /* ATOMIC, REDUCE: the warp adds up first */
    float matrix;      /* TENSOR: so many times what 32 lanes take; else 0 */
    uint32_t region;   /* number of the instruction in the code */
    uint32_t slots;    /* first of [ndst + nsrc] in sw_code.slots */
    const sw_ins *ins; /* or NULL */
} sw_play_op;

typedef struct {
    const sw_play_op *ops; /* [count] */
    uint32_t count;
    uint32_t line; /* of the code in memory, in instructions from its start */
    uint32_t size; /* instructions */
} sw_play_list;

typedef struct {
    const sw_fn *fn;
    const sw_block *block;
    sw_play_list once;   /* one visit */
    sw_play_list copies; /* `unrolled` visits at once; count 0: none */
    uint32_t unrolled;   /* at most SW_PLAY_UNROLL_MOST */
} sw_play_block;

typedef struct {
    sw_arena *arena;
    uint32_t cc;
    sw_vec blocks;      /* sw_play_block, of all functions */
    sw_vec slots;       /* uint16_t */
    uint32_t size;      /* instructions of all */
    uint32_t registers; /* a thread */
    uint32_t regions;   /* numbers of sw_play_op.region */
    /* While it is made: */
    uint32_t first; /* region of the block's first instruction */
} sw_code;

/* The kernel and what it calls. registers: a thread has, 0: as estimated. Owned
 * by caller, sw_code_destroy. The IR outlives it. */
sw_code *sw_code_create(const sw_fn *fn, const sw_machine *machine,
                        uint32_t registers);
void sw_code_destroy(sw_code *code);

/* merge.c: for each block of the function, by place, the place of the load with
 * which an assembler makes the instruction one; its own: alone. In the arena.
 */
uint16_t **sw_code_merge(sw_arena *arena, const sw_fn *fn);
/* cost.c: what the operation from->ins takes beside its operands. */
void sw_code_cost(const sw_fn *fn, const sw_mach_op *from,
                  const sw_machine *machine, sw_play_op *op);

#endif
