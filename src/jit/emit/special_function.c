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

#include "jit/emit/emit.h"
#include "sem/float.h"

#define B e->ll.builder

enum {
    LANES = 32,
    LANES_AGAIN = 16, /* of three operands: what registers hold */
    FEW = 12,         /* are spelled out, LANES of each */
    OPERANDS = 3,
    NAME_BYTES = 64
};

static bool
is_of_unit(const sw_ins *ins)
{
    bool is_approximate =
        ins->op == SW_OP_DIV && ins->flags & (SW_F_APPROX | SW_F_FULL);
    return (sw_op_get_info((sw_op)ins->op)->unit == SW_UNIT_SFU ||
            is_approximate) &&
           sw_type_kind((sw_type)ins->type) == SW_KIND_FLOAT && ins->ndst == 1;
}

bool
sw_jit_has_many_functions(const sw_jit_emit *e)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < e->fn->block_count; b++)
        for (uint32_t i = 0; i < e->fn->blocks[b]->count; i++)
            count += is_of_unit(e->fn->blocks[b]->ins[i]);
    const char *few = getenv("SOFTWARP_JIT_FAR"); /* for tests */
    return count * e->lanes / LANES > (few ? strtoul(few, NULL, 10) : FEW);
}

/* The lanes of an instruction's function; 0: it is not worth one. */
static unsigned
lanes_of(const sw_jit_emit *e, const sw_ins *ins)
{
    if (e->is_again && ins->type == SW_T_F64 && ins->nsrc > 1 &&
        sw_jit_passes_nans(ins))
        return LANES_AGAIN;
    return e->has_many_functions && is_of_unit(ins) && ins->nsrc < OPERANDS
               ? LANES
               : 0;
}

static LLVMValueRef
compute(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    LLVMValueRef r;
    const sw_ins *ins = data;
    bool did = sw_jit_alu(&e->ll, e->fn, ins, lanes_of(e, ins), args, &r);
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
