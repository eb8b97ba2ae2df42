/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lower.h - between the files that lower a function: what is known of its
 * registers, and the block that is being lowered. One function; private to this
 * folder.
 */
#ifndef SW_MACH_LOWER_H
#define SW_MACH_LOWER_H
#include "mach/mach.h"

enum {
    UNIFORM_FROM = 75,
    /* From here on 64-bit constants come to an instruction through registers
     * and 32-bit ones inside it; before, it is the other way round. */
    LOADED_BASES_FROM = 90,
    MAX_OPERANDS = 64,
    DESCRIPTOR_FROM = 80, /* global memory wants one, from the constant bank */
    STACK_FROM = 50,      /* a kernel begins with its stack pointer */
    TEMPS = 8,            /* small numbers kept in registers within a block */
    LOADED = 64,
    WALL_WORDS = 5 /* operations of that many temporaries have a slow path */
};

typedef struct {
    sw_mach_fn *m;
    const sw_fn *fn;
    uint32_t *defs, *uses; /* [reg_count] */
    const sw_ins **def;    /* [reg_count] of those with one definition */
    uint32_t *home;        /* [reg_count] block of it */
    uint8_t *added;        /* [reg_count] reads by sums of 64 bits */
    uint8_t *counts;       /* [reg_count] definitions that set it to a number,
                              or add 1 */
    bool *is_free;         /* [reg_count] no register: constant or uniform */
    bool *is_half;         /* [reg_count] of 64 bits, needs one register */
    bool *is_summed;       /* [reg_count] only integer arithmetic reads it */
    const sw_ins **folded; /* [reg_count] done by the instruction that reads */
    uint32_t *joined;      /* [reg_count] union-find of moves */
    uint32_t *value;       /* [reg_count] of representatives */
    sw_vec ops;            /* sw_mach_op *, of the block being lowered */
    struct {
        uint64_t number;
        uint32_t value;
    } kept[TEMPS]; /* of the block being lowered */
    unsigned kept_count;
    /* Constants that instructions of their own bring to where others read them,
     * each once: of a loop, at the function's beginning. */
    const void *loaded[LOADED];
    unsigned loaded_count;
    sw_vec early;   /* sw_mach_op *, at the beginning */
    uint32_t block; /* being lowered */
} lowering;

/* fold.c: fills in all that is by register, but `joined` and `value`. */
void sw_mach_fold(lowering *w);

#endif
