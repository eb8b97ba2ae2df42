/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mach.h - a function as a device's assembler sees it: operations of the
 * machine instead of the IR's, their latencies, and the registers that they
 * take.
 *
 * sw_mach_create lowers a function (lower.c); sw_mach_schedule puts the
 * operations of each block into an assembler's order (schedule.c);
 * sw_mach_allocate gives each value its registers, and spills (allocate.c).
 * Each step may be the last. registers.h makes an estimate of the three, for
 * occupancy; a model of time plays the operations, in their order, with
 * sw_mach_clocks. docs/occupancy.md says how far from the vendor's assembler
 * it is.
 *
 * An operation is what one instruction of the machine does, or a few that need
 * nothing else: products and sums are fused, numbers and kernel parameters are
 * operands. Which registers it reads and writes is exact; what it computes is
 * not told: `ins` says from which instruction of the IR it comes.
 *
 * One function, one arena, one thread. Reads the IR and changes nothing there;
 * the IR and its cfg outlive it.
 */
#ifndef SW_MACH_H
#define SW_MACH_H
#include "opt/cfg.h"

enum {
    SW_MACH_NO_VALUE = 0,     /* values count from 1 */
    SW_MACH_NO_REGISTER = -1, /* not allocated yet, spilled, or a predicate */
    SW_MACH_UNROLL = 4,       /* copies of a loop's body */
    SW_MACH_UNROLL_MOST = 16  /* ... of one that no compiler has unrolled */
};

/* What wants registers: one virtual register of the IR, several that moves
 * join, or a temporary. */
typedef struct {
    uint8_t words;     /* 32-bit registers, side by side; 0: a predicate */
    bool is_temp;      /* lives at one place; is never spilled */
    bool is_scratch;   /* is written before the sources are read */
    bool over_call;    /* lives while a function is called */
    uint8_t of;        /* so many values lie side by side; 0: alone */
    uint32_t group[4]; /* these, this one among them */
    int16_t reg;       /* first register, 0 to 254, once allocated */
} sw_mach_value;

typedef enum {
    SW_MACH_ALU,
    SW_MACH_LOAD,
    SW_MACH_STORE,
    SW_MACH_ATOMIC, /* both */
    SW_MACH_FENCE,  /* barriers, calls: memory accesses don't pass */
    SW_MACH_END     /* the terminator */
} sw_mach_kind;

/* What latency.def has rows of. */
typedef enum {
    SW_LATENCY_ALU,
    SW_LATENCY_SFU,
    SW_LATENCY_SHARED,
    SW_LATENCY_MEMORY,
    SW_LATENCY_COUNT
} sw_mach_latency;

/* One machine instruction, or a few that need nothing else. */
typedef struct {
    const sw_ins *ins; /* where it comes from; NULL: it only brings a constant
                          into a register, or is a spill */
    uint8_t kind;      /* sw_mach_kind */
    uint8_t space;     /* sw_space of a memory access */
    bool is_call;
    bool is_ordered;  /* volatile, and the like: not before another of these */
    bool is_wall;     /* a branch inside: nothing is moved across */
    bool is_half;     /* of a 64-bit operation only the lower word is needed */
    uint8_t extended; /* of its two 64-bit operands so many are 32-bit numbers
                         without sign */
    const sw_ins *product; /* that is one with the sum `ins`; or NULL */
    bool is_periodic; /* the lowest bits of what a loop counts: a number in each
                         copy of the body, if it has SW_MACH_UNROLL or more */
    bool steps;       /* an induction variable's own step: v = v + constant */
    bool compares;    /* two numbers, for a predicate */
    uint8_t copy;     /* of an unrolled loop's body, from 0 on */
    uint16_t latency; /* clocks from its issue until results can be used */
    uint16_t ndst, nsrc;
    uint32_t *value; /* [ndst + nsrc]; destinations, then sources */
} sw_mach_op;

/* Block i is block i of the function. */
typedef struct {
    sw_mach_op **ops; /* [count], in the order in which they are issued */
    uint32_t count;
    bool loops;         /* is a loop by itself */
    uint32_t copies;    /* of what it had; 0 or 1: is not unrolled */
    uint64_t *in, *out; /* live values at its ends: bit sets of `words` */
} sw_mach_block;

typedef struct {
    sw_arena *arena; /* of all that is here */
    const sw_fn *fn;
    const sw_cfg *cfg;
    uint32_t cc;           /* compute capability times ten */
    sw_mach_block *blocks; /* [block_count] */
    uint32_t block_count;
    sw_vec values; /* sw_mach_value; 0 unused */
    bool is_tight; /* registers are used again as soon as they can be */
    bool has_call;
    bool keeps_loops; /* nothing is unrolled */
    bool is_traced;   /* for those who count instructions: with those that only
                         bring constants, and loops unrolled as by compiler and
                         assembler together; else for registers only */
    size_t words;     /* of a set of values, 64 bits each */
} sw_mach_fn;

/* What allocation spilled, in bytes of local memory. */
typedef struct {
    uint32_t stores, loads; /* what instructions move, as an assembler counts */
    uint32_t stack;         /* taken by each thread */
} sw_mach_spills;

/* Lowered, in the program's order, with live values known. is_traced: as for
 * sw_mach_fn. Owned by caller, sw_mach_destroy. */
sw_mach_fn *sw_mach_create(const sw_fn *fn, const sw_cfg *cfg, uint32_t cc,
                           bool is_traced);
void sw_mach_destroy(sw_mach_fn *m);

/* Unrolls small loops and orders each block; at most `limit` registers are
 * taken for the sake of speed. */
void sw_mach_schedule(sw_mach_fn *m, uint32_t limit);
/* The registers taken, at most `most` of them (0 to 255); spills what does not
 * fit, and adds that to *spills. Values have their registers then. */
uint32_t sw_mach_allocate(sw_mach_fn *m, uint32_t most, sw_mach_spills *spills);

/* Clocks of a row of latency.def on a device. */
uint32_t sw_mach_clocks(sw_mach_latency latency, uint32_t cc);

/* The value of that number, 1 to values.count - 1; until one is added. */
static inline sw_mach_value *
sw_mach_value_at(const sw_mach_fn *m, uint32_t value)
{
    return sw_vec_at(&m->values, value);
}

/* ---- between the files of this folder ---- */

/* A new value's number. */
uint32_t sw_mach_add_value(sw_mach_fn *m, unsigned words);
/* In the function's arena, with the latency of arithmetic and no operands. */
sw_mach_op *sw_mach_create_op(sw_mach_fn *m, sw_mach_kind kind, unsigned ndst,
                              unsigned nsrc);
/* Blocks and values of m->fn. */
void sw_mach_lower(sw_mach_fn *m);
/* [reg_count]: 64-bit integers of which only the lower word is needed. */
bool *sw_mach_find_halves(sw_arena *arena, const sw_fn *fn);
/* unroll.c: the copies of each small loop's body. */
bool sw_mach_unroll(sw_mach_fn *m);
/* in and out of all blocks; after each change of operations. */
void sw_mach_find_liveness(sw_mach_fn *m);

#endif
