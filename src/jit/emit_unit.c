/* SPDX-License-Identifier: Apache-2.0 */
/*
 * emit_unit.c - what a device's special function unit does, in kernels that
 * have much of it: each function of 32 lanes is made once (emit_outline.c), as
 * LLVM takes milliseconds for the hundred instructions that it is.
 */
#include <stdio.h>
#include <stdlib.h>

#include "jit/emit.h"
#include "sem/float.h"

#define B e->ll.builder

enum {
    LANES = 32,
    FEW = 12, /* are spelled out, LANES of each */
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

static LLVMValueRef
compute(sw_jit_emit *e, const LLVMValueRef *args, const void *data)
{
    LLVMValueRef r;
    bool did = sw_jit_alu(&e->ll, e->fn, data, LANES, args, &r);
    SW_ASSERT(did);
    return r;
}

bool
sw_jit_emit_function(sw_jit_emit *e, const sw_ins *ins, const LLVMValueRef *src,
                     LLVMValueRef *dst)
{
    char name[NAME_BYTES];
    LLVMValueRef x[SW_LANES_MAX / LANES], args[2];
    if (!e->has_many_functions || !is_of_unit(ins) || ins->nsrc > 2)
        return false;
    snprintf(name, sizeof name, "unit_%u_%u_%x", ins->op, ins->type,
             sw_sem_mode(ins));
    for (unsigned w = 0; w < e->lanes / LANES; w++) {
        for (unsigned i = 0; i < ins->nsrc; i++)
            args[i] = sw_jit_of_warp(e, src[i], w);
        x[w] = sw_jit_outlined(e, name, LLVMTypeOf(args[0]), args, ins->nsrc,
                               true, compute, ins);
    }
    *dst = sw_jit_concatenate_all(e, x, e->lanes / LANES, LANES);
    return true;
}
