/* SPDX-License-Identifier: Apache-2.0 */
/*
 * special_function.c - what a device's special function unit does, in kernels
 * that have much of it: each function of 32 lanes is made once
 * (emit/outline.c), as LLVM takes milliseconds for the hundred instructions
 * that it is. And arithmetic in f64 where it is done again (emit/replay.c),
 * which is rare.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jit/emit/instruction.h"
#include "sem/float.h"

#define B e->ll.builder

enum {
    LANES = 32,
    LANES_AGAIN = 16, /* of three operands: what registers hold */
    OPERANDS = 3,
    NAME_BYTES = 64
};

/* The lanes of an instruction's function; 0: it is not worth one. */
static unsigned
lanes_of(const sw_jit_emit *e, const sw_ins *ins)
{
    if (e->at.is_replay && ins->type == SW_T_F64 && ins->nsrc > 1 &&
        sw_jit_passes_nans(ins))
        return LANES_AGAIN;
    return e->plan->has_many_functions && sw_jit_is_of_unit(ins) &&
                   ins->nsrc < OPERANDS
               ? LANES
               : 0;
}

static LLVMValueRef
compute(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    LLVMValueRef r;
    const sw_ins *ins = data;
    bool did = sw_jit_alu(&e->ll, e->plan->fn, ins, lanes_of(e, ins), args, &r);
    SW_ASSERT(did);
    return r;
}

bool
sw_jit_emit_function(sw_jit_emit *e, const sw_ins *ins, const LLVMValueRef *src,
                     LLVMValueRef *dst)
{
    char name[NAME_BYTES];
    LLVMValueRef x[SW_LANES_MAX / LANES_AGAIN], args[OPERANDS];
    unsigned lanes = lanes_of(e, ins);
    unsigned nans = sw_jit_passes_nans(ins) ? e->ll.nans : 0;
    if (!lanes)
        return false;
    snprintf(name, sizeof name, "unit_%u_%u_%x_%u", ins->op, ins->type,
             sw_sem_mode(ins), nans);
    for (unsigned w = 0; w < e->lanes / lanes; w++) {
        for (unsigned i = 0; i < ins->nsrc; i++)
            args[i] = sw_jit_elements(e, src[i], w * lanes, lanes);
        x[w] = sw_jit_outlined(e, name, LLVMTypeOf(args[0]), args, ins->nsrc,
                               true, compute, ins);
    }
    *dst = sw_jit_concatenate_all(e, x, e->lanes / lanes, lanes);
    return true;
}
