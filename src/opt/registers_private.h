/* SPDX-License-Identifier: Apache-2.0 */
/*
 * registers_private.h - a kernel as an assembler sees it, between the files of
 * the register allocator: lowered (registers_lower.c), scheduled
 * (registers_schedule.c), allocated and spilled (registers_scan.c).
 *
 * One arena, one thread. A *value* is what wants registers: one virtual
 * register of the IR, several that moves join, or a temporary.
 */
#ifndef SW_OPT_REGISTERS_PRIVATE_H
#define SW_OPT_REGISTERS_PRIVATE_H
#include "opt/cfg.h"
#include "opt/registers.h"

enum { SW_VALUE_NONE = 0 };

typedef struct {
    uint8_t words;     /* 32-bit registers, side by side; 0: a predicate */
    bool is_temp;      /* lives at one place; is never spilled */
    bool is_scratch;   /* is written before the sources are read */
    bool over_call;    /* lives while a function is called */
    uint8_t of;        /* so many values lie side by side; 0: alone */
    uint32_t group[4]; /* these, this one among them */
} sw_value;

typedef enum {
    SW_MOP_ALU,
    SW_MOP_LOAD,
    SW_MOP_STORE,
    SW_MOP_ATOMIC, /* both */
    SW_MOP_FENCE,  /* barriers, calls: memory accesses don't pass */
    SW_MOP_END     /* the terminator */
} sw_mop_kind;

/* One machine instruction, or a few that need nothing else. */
typedef struct {
    uint8_t kind;
    uint8_t space; /* sw_space of a memory access */
    bool is_call;
    bool is_ordered;  /* volatile, and the like: not before another of these */
    bool is_wall;     /* a branch inside: nothing is moved across */
    bool steps;       /* an induction variable's own step: v = v + constant */
    bool compares;    /* two numbers, for a predicate */
    uint16_t latency; /* clocks until results can be used */
    uint16_t ndst, nsrc;
    uint32_t *value; /* [ndst + nsrc]; destinations, then sources */
} sw_mop;

typedef struct {
    sw_mop **ops;
    uint32_t count;
    bool loops;         /* is a loop by itself */
    uint64_t *in, *out; /* live values, `words` of 64 bits */
} sw_mblock;

typedef struct {
    sw_arena *arena;
    const sw_fn *fn;
    const sw_cfg *cfg;
    const sw_registers_target *target;
    sw_mblock *blocks;
    uint32_t block_count;
    sw_vec values; /* sw_value; 0 unused */
    bool is_tight; /* registers are used again as soon as they can be */
    bool has_call;
    size_t words;
} sw_mfn;

static inline sw_value *
sw_mfn_value(const sw_mfn *m, uint32_t value)
{
    return sw_vec_at(&m->values, value);
}

uint32_t sw_mfn_add_value(sw_mfn *m, unsigned words);
sw_mop *sw_mop_create(sw_arena *arena, sw_mop_kind kind, unsigned ndst,
                      unsigned nsrc);

/* Blocks and values of m->fn. */
void sw_mfn_lower(sw_mfn *m);
/* in and out of all blocks; after each change of operations. */
void sw_mfn_liveness(sw_mfn *m);
/* Unrolls small loops and orders each block; at most `limit` registers are
 * taken for the sake of speed. Liveness must be known. */
void sw_mfn_schedule(sw_mfn *m, uint32_t limit);
/* The registers taken, at most `most` of them; spills what does not fit. */
uint32_t sw_mfn_allocate(sw_mfn *m, uint32_t most, sw_registers *out);

#endif
